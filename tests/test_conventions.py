"""The house rules hold everywhere, and each check finds a source that breaks it."""

import ast
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests import conventions
from tests.conventions import HOME_OF_TASKS, ROOT, Problem, our_files

Check = Callable[[ast.Module], Iterable[Problem]]
TextCheck = Callable[[str], Iterable[Problem]]

IN_BACKEND: list[Check] = [
    conventions.swallowed_cancellation,
    conventions.uncancelling,
    conventions.waiting_for,
    conventions.unowned_tasks,
]
IN_EVERY_MODULE: list[Check] = [conventions.late_imports, conventions.missing_docstring]
IN_TESTS: list[Check] = [conventions.waiting_tests, conventions.skipped_tests, conventions.mocks]
IN_EVERY_FILE: list[TextCheck] = [conventions.unfinished, conventions.machine_specific]

TREE_CHECKS = IN_BACKEND + IN_EVERY_MODULE + IN_TESTS
TEXT_CHECKS = [*IN_EVERY_FILE, conventions.unpinned, conventions.placed]

BREAKING: list[tuple[Check, str]] = [
    (conventions.swallowed_cancellation, "try:\n    f()\nexcept:\n    pass"),
    (conventions.swallowed_cancellation, "try:\n    f()\nexcept BaseException:\n    raise"),
    (conventions.swallowed_cancellation, "try:\n    f()\nexcept asyncio.CancelledError:\n    raise"),
    (
        conventions.swallowed_cancellation,
        "try:\n    f()\nexcept (ValueError, CancelledError) as e:\n    pass",
    ),
    (conventions.swallowed_cancellation, "try:\n    f()\nexcept* CancelledError:\n    pass"),
    (conventions.swallowed_cancellation, "with suppress(ValueError, asyncio.CancelledError):\n    f()"),
    (conventions.swallowed_cancellation, "with contextlib.suppress(BaseException):\n    f()"),
    (conventions.uncancelling, "task.uncancel()"),
    (conventions.uncancelling, "asyncio.current_task().uncancel()"),
    (conventions.waiting_for, "await asyncio.wait_for(f(), 1)"),
    (conventions.waiting_for, "from asyncio import timeout, wait_for"),
    (conventions.unowned_tasks, "asyncio.create_task(f())"),
    (conventions.unowned_tasks, "loop.create_task(f())"),
    (conventions.unowned_tasks, "asyncio.get_running_loop().create_task(f())"),
    (conventions.unowned_tasks, "asyncio.ensure_future(f())"),
    (conventions.late_imports, "def f():\n    import os"),
    (conventions.late_imports, "try:\n    import uvloop\nexcept ImportError:\n    uvloop = None"),
    (conventions.late_imports, "class A:\n    from os import path"),
    (conventions.late_imports, "if sys.platform == 'win32':\n    import winreg"),
    (conventions.missing_docstring, "import os"),
    (conventions.missing_docstring, ""),
    (conventions.waiting_tests, "time.sleep(1)"),
    (conventions.waiting_tests, "started = time.perf_counter()"),
    (conventions.skipped_tests, "@pytest.mark.skip\ndef test_a(): ..."),
    (conventions.skipped_tests, "@pytest.mark.skipif(True, reason='')\ndef test_a(): ..."),
    (conventions.skipped_tests, "pytestmark = pytest.mark.xfail(strict=True)"),
    (conventions.skipped_tests, "pytest.importorskip('os')"),
    (conventions.mocks, "from unittest.mock import AsyncMock"),
    (conventions.mocks, "from unittest import mock"),
    (conventions.mocks, "import unittest.mock"),
]
KEEPING: list[tuple[Check, str]] = [
    (
        conventions.swallowed_cancellation,
        "try:\n    f()\nexcept (ValueError, OSError):\n    pass\nfinally:\n    g()",
    ),
    (conventions.swallowed_cancellation, "with suppress(KeyError):\n    f()"),
    (conventions.uncancelling, "task.cancel()"),
    (conventions.waiting_for, "async with asyncio.timeout(1):\n    await f()"),
    (conventions.waiting_for, "await condition.wait_for(ready)"),
    (conventions.unowned_tasks, "async with asyncio.TaskGroup() as group:\n    group.create_task(f())"),
    (conventions.unowned_tasks, "owner.start(f())"),
    (conventions.late_imports, "import os\nif TYPE_CHECKING:\n    import ast\n    from os import path"),
    (conventions.missing_docstring, '"""What it is for."""'),
    (conventions.waiting_tests, "await asyncio.sleep(600)"),
    (conventions.waiting_tests, "loop.time()"),
    (conventions.skipped_tests, "@pytest.mark.parametrize('a', [1])\ndef test_a(a): ..."),
    (conventions.mocks, "from tests.fakes import Gate\nimport unittest"),
]
HASH = "0123456789abcdef" * 4
BREAKING_TEXT: list[tuple[TextCheck, str]] = [
    (conventions.unfinished, "x = 1  # TO" + "DO: more"),
    (conventions.unfinished, "// FIX" + "ME"),
    (conventions.machine_specific, "see /ho" + "me/someone/detour"),
    (conventions.machine_specific, 'path = "/tm' + 'p/detour.db"'),
    (conventions.machine_specific, "--extra-ind" + "ex-url something"),
    (conventions.machine_specific, "fil" + "e:///somewhere"),
    (conventions.machine_specific, "https://py" + "pi.org/simple"),
    (conventions.unpinned, "fastapi>=0.1"),
    (conventions.unpinned, "fastapi"),
    (conventions.unpinned, ""),
    (conventions.unpinned, "# written by a tool"),
    (conventions.unpinned, "-r requirements.txt"),
    (conventions.unpinned, "--ind" + "ex-url https://example.org"),
    (conventions.unpinned, "detour @ git+https://example.org/detour"),
    (conventions.unpinned, "fastapi==0.1"),
    (conventions.unpinned, "fastapi==0.1 \\\n    --hash=sha256:0"),
    (conventions.unpinned, f"fastapi==0.1 \\\n    --hash=sha256:{HASH} \\"),
    (conventions.unpinned, f"fastapi==0.1 \\\n    --hash=sha256:{HASH}\nuvicorn==0.2"),
    (conventions.placed, '      "resolved": "https://npm.example.org/a.tgz",'),
    (conventions.placed, '      "resolved": "../a.tgz",'),
]
KEEPING_TEXT: list[tuple[TextCheck, str]] = [
    (conventions.unfinished, "todos = method"),
    (
        conventions.machine_specific,
        "the table of https://example.org/home/page and /app/data and backend/home/a",
    ),
    (
        conventions.unpinned,
        f"uvloop==0.23 ; sys_platform != 'win32' \\\n    --hash=sha256:{HASH} \\\n    --hash=sha256:{HASH}",
    ),
    (
        conventions.unpinned,
        f"pydantic-core==2.50.4 \\\n    --hash=sha256:{HASH}\nnh3==0.3 \\\n    --hash=sha256:{HASH}",
    ),
    (conventions.placed, '      "integrity": "sha512-8FYau96o3N//Gh==",'),
]


def problems_in(paths: Iterable[Path], checks: list[Check]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{line} {problem}"
        for path in paths
        for tree in [ast.parse(path.read_text("utf-8"))]
        for check in checks
        for line, problem in check(tree)
    ]


def text_problems_in(paths: Iterable[Path], checks: list[TextCheck]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{line} {problem}"
        for path in paths
        for text in [path.read_text("utf-8", errors="replace")]
        for check in checks
        for line, problem in check(text)
    ]


def below(*folders: str, suffixes: tuple[str, ...] = (".py",)) -> list[Path]:
    return [path for path in our_files(*suffixes) if path.relative_to(ROOT).parts[0] in folders]


@pytest.mark.requirement("CANCELLATION-IS-NEVER-SWALLOWED")
def test_no_code_of_the_server_swallows_a_cancellation_or_loses_a_task() -> None:
    everywhere = [check for check in IN_BACKEND if check is not conventions.unowned_tasks]
    others = [path for path in below("backend") if path != ROOT / HOME_OF_TASKS]
    assert problems_in(below("backend"), everywhere) == []
    assert problems_in(others, [conventions.unowned_tasks]) == []


def test_every_module_says_what_it_is_for_and_imports_at_its_top() -> None:
    assert problems_in(our_files(".py"), IN_EVERY_MODULE) == []


def test_no_test_outside_perf_waits_or_reads_the_wall_clock() -> None:
    waiting = [path for path in below("tests") if "perf" not in path.parts]
    assert problems_in(waiting, [conventions.waiting_tests]) == []


def test_no_test_is_skipped_expected_to_fail_or_mocks() -> None:
    assert problems_in(below("tests"), [conventions.skipped_tests, conventions.mocks]) == []


def test_no_file_is_unfinished_or_tied_to_a_machine() -> None:
    assert text_problems_in(our_files(), IN_EVERY_FILE) == []


@pytest.mark.requirement("PINS-HOLD-HASHES")
def test_pin_files_hold_names_versions_and_hashes_only() -> None:
    pins = [ROOT / "requirements.txt", *sorted((ROOT / "requirements").iterdir())]
    assert text_problems_in(pins, [conventions.unpinned]) == []
    folders = ["frontend", "examples/react", "examples/react-assistant-ui"]
    locks = [ROOT / folder / "package-lock.json" for folder in folders]
    assert text_problems_in(locks, [conventions.placed]) == []


def test_the_files_that_are_checked_include_those_of_every_kind() -> None:
    found = {path.relative_to(ROOT).as_posix() for path in our_files()}
    assert found >= {"Makefile", "pyproject.toml", "requirements.txt", "backend/domain/errors.py", ".ci/run"}
    assert not any(name.startswith((".venv", ".git/")) for name in found)


@pytest.mark.parametrize(("check", "source"), BREAKING)
def test_a_check_finds_a_source_that_breaks_its_rule(check: Check, source: str) -> None:
    assert list(check(ast.parse(source)))


@pytest.mark.parametrize(("check", "source"), KEEPING)
def test_a_check_lets_a_source_pass_that_keeps_its_rule(check: Check, source: str) -> None:
    assert list(check(ast.parse(source))) == []


@pytest.mark.parametrize(("check", "text"), BREAKING_TEXT)
def test_a_check_finds_a_text_that_breaks_its_rule(check: TextCheck, text: str) -> None:
    assert list(check(text + "\n"))


@pytest.mark.parametrize(("check", "text"), KEEPING_TEXT)
def test_a_check_lets_a_text_pass_that_keeps_its_rule(check: TextCheck, text: str) -> None:
    assert list(check(text)) == []


def test_every_check_is_shown_a_source_that_breaks_its_rule_and_one_that_keeps_it() -> None:
    assert {check for check, _ in BREAKING} == set(TREE_CHECKS) == {check for check, _ in KEEPING}
    assert {check for check, _ in BREAKING_TEXT} == set(TEXT_CHECKS) == {check for check, _ in KEEPING_TEXT}
