"""docs/security.md lists each secret, connection, use of cryptography, table and log, and no others."""

import ast
import logging
import re
import sys
from collections.abc import Callable, Iterator
from typing import get_args

import pytest
from pydantic import SecretStr

from backend.http.logs import configure_logging
from backend.http.settings import TravelSettings
from backend.travel.models import loading
from tests import plain_logs
from tests.conventions import ROOT

PAGE = ROOT / "docs/security.md"
BACKEND = ROOT / "backend"
OF_CLIENTS = ("client.py", "clients/")
"""Programs that call a server; they are not part of it."""

CRYPTOGRAPHY = {"hashlib", "hmac", "secrets", "random", "uuid", "ssl", "cryptography", "jwt"}
CALLS_OUT = re.compile(
    r"httpx2?\.(Async)?Client\(|asyncpg\.connect|OTLPSpanExporter\b|init_chat_model|urlopen\(|open_connection\("
    r"|create_connection\(|\baiohttp\b|^import requests\b|http\.client|smtplib|urllib\.request"
)
WRITES_ELSEWHERE = re.compile(r"\w*(?:File|SysLog|HTTP|Socket|Datagram|SMTP|NTEvent)Handler\b|\bsyslog\b")
FILES = re.compile(r"`([\w/]+\.py)`")
CREATED = re.compile(r"CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?(?:detour\.)?(\w+)")


def section(page: str, title: str) -> str:
    return page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def modules() -> Iterator[tuple[str, str]]:
    """Yield the server's modules, by their path below `backend/`, with their text."""
    for path in sorted(BACKEND.rglob("*.py")):
        name = path.relative_to(BACKEND).as_posix()
        if not name.startswith(OF_CLIENTS):
            yield name, path.read_text("utf-8")


def differences(what: str, told: set[str], there: set[str]) -> list[str]:
    return [f"{what} {each} is not told of" for each in sorted(there - told)] + [
        f"{what} {each} is not there" for each in sorted(told - there)
    ]


def secrets(page: str) -> list[str]:
    fields = TravelSettings.model_fields
    there = {
        f"DETOUR_{name.upper()}" for name, field in fields.items() if SecretStr in get_args(field.annotation)
    }
    there |= {each.key_name for each in loading._PROVIDERS.values() if each.key_name}
    there |= {"OTEL_EXPORTER_OTLP_HEADERS", "POSTGRES_PASSWORD"}
    rows = re.findall(r"^\| (`[^|]+) \|", section(page, "Secrets"), re.MULTILINE)
    return differences("the secret", set(re.findall(r"`(\w+)`", " ".join(rows))), there)


def connections(page: str) -> list[str]:
    there = {name for name, text in modules() if CALLS_OUT.search(text)}
    return differences("the caller", set(FILES.findall(section(page, "What it connects to"))), there)


def cryptography(page: str) -> list[str]:
    there = {name for name, text in modules() if _imported(text) & CRYPTOGRAPHY or "os.urandom(" in text}
    told = {each for each in FILES.findall(section(page, "Cryptography")) if not each.startswith(OF_CLIENTS)}
    return differences("the cryptography of", told, there)


def _imported(text: str) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def tables(page: str) -> list[str]:
    """Compare the tables of both stores with those that have a level; each has one."""
    files = [*BACKEND.glob("store/**/*.sql"), BACKEND / "store/sqlite/file.py"]
    there = {name for path in files for name in CREATED.findall(path.read_text("utf-8"))}
    levels = section(page, "How sensitive which data is").partition("\n\n")[0]
    named = [name for name in re.findall(r"`(\w+)`", levels) if not name.startswith("DETOUR_")]
    twice = [
        f"the table {each} has two levels"
        for each in sorted({each for each in named if named.count(each) > 1})
    ]
    return differences("the table", set(named), there) + twice


CHECKS: list[Callable[[str], list[str]]] = [secrets, connections, cryptography, tables]


@pytest.mark.parametrize("check", CHECKS)
def test_security_page_lists_what_there_is(check: Callable[[str], list[str]]) -> None:
    assert check(PAGE.read_text("utf-8")) == []
    assert check("")  # a page that lists nothing is noticed


def test_log_goes_to_stderr_alone() -> None:
    assert [name for name, text in modules() if WRITES_ELSEWHERE.search(text)] == []
    root = logging.getLogger()
    before = [*root.handlers]
    try:
        configure_logging("json", "info")
        (added,) = [each for each in root.handlers if each not in before]
        assert isinstance(added, logging.StreamHandler)
        assert added.stream is sys.stderr
    finally:
        for handler in [each for each in root.handlers if each.get_name() == "detour"]:
            root.removeHandler(handler)
        plain_logs.configure()
