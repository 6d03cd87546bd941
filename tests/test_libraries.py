"""Each library has its reason and its pin, and the bills of materials have every pin."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.utils import canonicalize_name

from scripts.lock import pins
from scripts.sbom import FILES, bill
from tests.conventions import ROOT, our_files

DECISION = ROOT / "docs/decisions/0001-give-every-dependency-a-reason.md"
ROW = re.compile(r"^\| ([a-z0-9-]+) \| ([0-9][^ |]*) \| .{10,} \|$", re.MULTILINE)
OF_NPM = {"typescript"}


def direct() -> set[str]:
    """Return the names of all libraries that pyproject.toml asks for."""
    document: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    options: dict[str, list[str]] = document["project"]["optional-dependencies"]
    asked = [
        *document["project"]["dependencies"],
        *document["dependency-groups"]["dev"],
        *(each for option in options.values() for each in option),
        *document["build-system"]["requires"],
    ]
    return {canonicalize_name(re.split(r"[\[<>=; ]", each, maxsplit=1)[0]) for each in asked}


def pinned() -> dict[str, str]:
    return {
        **pins((ROOT / "requirements.txt").read_text("utf-8")),
        **pins((ROOT / "requirements/dev.txt").read_text("utf-8")),
    }


def faults(page: str) -> list[str]:
    """Return what is wrong with the page of reasons: a sentence each."""
    rows, versions = dict(ROW.findall(page)), pinned()
    found = [f"{name} has no reason" for name in sorted(direct() - set(rows))]
    found += [f"{name} is not asked for" for name in sorted(set(rows) - direct() - OF_NPM)]
    of_python = {name: version for name, version in rows.items() if name not in OF_NPM}
    return found + [
        f"{name} is {versions.get(name)} and not {version}"
        for name, version in of_python.items()
        if versions.get(name) != version
    ]


def fetched_by_name(text: str) -> list[str]:
    """Return where a text has the project installed by its name: the index has another of that name."""
    name: str = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["name"]
    command = rf"\b(?:pip|pipx|uv)3? (?:install|add)\b[^\n`]*?[ \"']{name}(?=[\[<>=~!\"'`\s]|$)"
    with_extra = rf"(?<![\w./-]){name}\[[a-z]+\]"
    return [found[0] for found in re.finditer(f"{command}|{with_extra}", text, re.MULTILINE)]


def test_no_text_installs_the_project_by_name_from_an_index() -> None:
    texts = [each for each in our_files() if each.name != Path(__file__).name]
    told = {str(each.relative_to(ROOT)): fetched_by_name(each.read_text("utf-8")) for each in texts}
    assert {name: found for name, found in told.items() if found} == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('pip install "detour[tracing]"', ['pip install "detour']),
        ("python -m pip install -U detour", ["pip install -U detour"]),
        ("pip install detour==0.2", ["pip install detour"]),
        ("install `detour[tracing]`, or", ["detour[tracing]"]),
        ('pip install ".[tracing]"', []),
        ('pip install "./detour-0.2.0-py3-none-any.whl[cli]"', []),
        ("`pip install .` installs the command `detour`: `detour serve`", []),
    ],
)
def test_installation_by_name_is_found(text: str, found: list[str]) -> None:
    assert fetched_by_name(text) == found


def test_libraries_have_a_reason_and_a_pin() -> None:
    assert faults(DECISION.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("pattern", "instead", "fault"),
    [
        (r"^\| orjson .*\n", "", "orjson has no reason"),
        (r"^\| orjson \| \S+ \| .*$", "| orjson | 3.13.0 | fast |", "orjson has no reason"),
        (r"^\| orjson \|", "| ujson |", "ujson is not asked for"),
        (r"^\| orjson \| \S+", "| orjson | 0.1", "orjson is "),
    ],
)
def test_library_without_a_reason_is_noticed(pattern: str, instead: str, fault: str) -> None:
    page, changed = re.subn(pattern, instead, DECISION.read_text("utf-8"), flags=re.MULTILINE)
    assert changed == 1
    assert any(each.startswith(fault) for each in faults(page))


@pytest.mark.parametrize("file", FILES)
def test_bill_of_materials_has_every_pin_once(file: str) -> None:
    versions = pins((ROOT / file).read_text("utf-8"))
    made = bill(versions, version="1.2.3")
    assert made["bomFormat"] == "CycloneDX"
    assert made["metadata"]["component"]["purl"] == "pkg:pypi/detour@1.2.3"
    parts = made["components"]
    assert len(parts) == len(versions) > 10
    assert {each["purl"] for each in parts} == {f"pkg:pypi/{name}@{pin}" for name, pin in versions.items()}
    licences = [each for part in parts for each in part.get("licenses", [])]
    assert len(licences) > len(parts) / 2
    assert all(set(each) in ({"expression"}, {"license"}) for each in licences)
