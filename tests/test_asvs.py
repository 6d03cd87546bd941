"""docs/reports/asvs.md has each requirement of ASVS 5.0, levels 1 and 2, once, with a verdict and its reason.

At the end are tests of rows that no other test holds.
"""

import asyncio
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.api.live import serving
from tests.conventions import ROOT

REQUIRED = {
    1: {1: 2, 2: 9, 3: 11, 4: 3, 5: 2},
    2: {1: 3, 2: 3, 3: 4, 4: 1},
    3: {2: 2, 3: 4, 4: 6, 5: 5, 7: 2},
    4: {1: 3, 2: 1, 3: 2, 4: 4},
    5: {1: 1, 2: 3, 3: 2, 4: 3},
    6: {1: 3, 2: 12, 3: 4, 4: 4, 5: 5, 6: 3, 8: 4},
    7: {1: 3, 2: 4, 3: 2, 4: 5, 5: 2, 6: 2},
    8: {1: 2, 2: 3, 3: 1, 4: 1},
    9: {1: 3, 2: 4},
    10: {1: 2, 2: 2, 3: 4, 4: 11, 5: 5, 6: 2, 7: 3},
    11: {1: 2, 2: 3, 3: 3, 4: 4, 5: 1, 6: 1},
    12: {1: 3, 2: 2, 3: 4},
    13: {1: 1, 2: 5, 3: 2, 4: 5},
    14: {1: 2, 2: 4, 3: 3},
    15: {1: 3, 2: 3, 3: 7},
    16: {1: 1, 2: 5, 3: 4, 4: 3, 5: 3},
    17: {1: 1, 2: 4, 3: 2},
}
"""Of each chapter's sections, how many requirements are of level 1 or 2: in each they come first."""

VERDICTS = {"met", "not applicable", "operator", "not met"}

PAGE = ROOT / "docs/reports/asvs.md"
NUMBER = r"\d+\.\d+\.\d+"
ROW = re.compile(rf"^\| ({NUMBER}(?: to {NUMBER})?) \| [^|]+ \| ([^|]+) \| (.+) \|$", re.MULTILINE)
"""A row is about one requirement, or about several of a section that follow each other."""
COUNT = re.compile(r"^\| ([a-z ]+) \| (\d+) \|$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#]+)[^)]*\)")

TOKEN = "a-long-random-token-22"


def required() -> list[str]:
    return [
        f"{chapter}.{section}.{number}"
        for chapter, sections in REQUIRED.items()
        for section, count in sections.items()
        for number in range(1, count + 1)
    ]


def expanded(numbers: str) -> list[str]:
    """Return the numbers that a row is about: `1.2.6 to 1.2.8` is three."""
    first, _, last = numbers.partition(" to ")
    section, _, begin = first.rpartition(".")
    _, _, end = (last or first).rpartition(".")
    return [f"{section}.{number}" for number in range(int(begin), int(end) + 1)]


def faults(page: str) -> list[str]:
    """Return what is wrong with the page: a sentence each."""
    rows = [
        (number, verdict.strip("*"), where)
        for numbers, verdict, where in ROW.findall(page)
        for number in expanded(numbers)
    ]
    numbers, verdicts = [number for number, _, _ in rows], Counter(verdict for _, verdict, _ in rows)
    found = [] if numbers == required() else ["the requirements are not each there once, in order"]
    found += [f"{number} has the verdict {verdict}" for number, verdict, _ in rows if verdict not in VERDICTS]
    for number, verdict, where in rows:
        links = LINK.findall(where)
        if verdict == "met" and not links:
            found.append(f"{number} is met and has no link")
        found += [f"{number} links to {each}" for each in links if not (PAGE.parent / each).is_file()]
    if {verdict: int(count) for verdict, count in COUNT.findall(page)} != verdicts:
        found.append("the verdicts are counted wrong")
    return found


def test_each_requirement_has_its_row_and_what_is_met_leads_somewhere() -> None:
    assert faults(PAGE.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("pattern", "instead", "fault"),
    [
        (r"^\| 9\.2\.3 .*\n", "", "not each there once"),
        (r"^(\| 9\.2\.3 .*\n)", r"\1\1", "not each there once"),
        (r"^(\| 9\.2\.3 \| [^|]+ \|) met", r"\1 mostly met", "9.2.3 has the verdict mostly met"),
        (r"^(\| 9\.2\.3 \| [^|]+ \| met \|).*$", r"\1 somewhere |", "9.2.3 is met and has no link"),
        (r"^(\| 9\.2\.3 .*)json_web_tokens\.py", r"\1gone.py", "9.2.3 links to ../../tests/api/test_gone.py"),
        (r"^\| met \| \d+ \|$", "| met | 1 |", "counted wrong"),
    ],
)
def test_a_page_that_is_wrong_is_noticed(pattern: str, instead: str, fault: str) -> None:
    page, changed = re.subn(pattern, instead, PAGE.read_text("utf-8"), flags=re.MULTILINE)
    assert changed == 1
    assert any(fault in each for each in faults(page))


@pytest.mark.parametrize(
    "lengths", [b"Content-Length: 5\r\nTransfer-Encoding: chunked", b"Content-Length: 5\r\nContent-Length: 6"]
)
async def test_a_request_with_two_lengths_is_refused_with_what_follows_it(
    tmp_path: Path, lengths: bytes
) -> None:
    async with serving(tmp_path) as server:
        host, port = server.http.base_url.host, server.http.base_url.port
        reader, writer = await asyncio.open_connection(host, port)
        head = f"Host: {host}:{port}\r\n".encode()
        smuggled = b"GET /health HTTP/1.1\r\n" + head + b"\r\n"
        writer.write(b"POST /chat HTTP/1.1\r\n" + head + lengths + b"\r\n\r\n0\r\n\r\n" + smuggled)
        answered = await reader.read()
        writer.close()
    assert answered.startswith(b"HTTP/1.1 400 ")
    assert answered.count(b"HTTP/1.1") == 1


async def test_nothing_is_traced_back(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        for path in ("/", "/status/ann"):
            assert (await server.http.request("TRACE", path)).status_code == 405


async def test_who_signs_in_again_has_another_session_and_the_one_before_is_over(tmp_path: Path) -> None:
    async with serving(tmp_path, token=TOKEN) as server:
        cookies: list[str] = []
        for _ in range(2):
            # The client sends the cookie of the first time with the second one.
            answer = await server.http.post("/session", json={"token": TOKEN})
            cookies.append(answer.headers["set-cookie"].partition(";")[0])
        server.http.cookies.clear()
        told = [
            (await server.http.get("/history/ann", headers={"Cookie": each})).status_code for each in cookies
        ]
    assert cookies[0] != cookies[1]
    assert told == [401, 404]  # signed in, there is nobody of that name
