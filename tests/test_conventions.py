"""The house rules hold everywhere, and each check finds a source that breaks it."""

import ast
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests import conventions
from tests.conventions import HOME_OF_TASKS, ROOT, Problem, our_files

Check = Callable[[ast.Module], Iterable[Problem]]
TextCheck = Callable[[str], Iterable[Problem]]

IN_BACKEND: list[Check] = [conventions.swallowed_cancellation, conventions.uncancelling]
IN_EVERY_FILE: list[TextCheck] = [conventions.unfinished, conventions.machine_specific]

BREAKING: list[tuple[Check, str]] = [
    (conventions.swallowed_cancellation, "try:\n    f()\nexcept:\n    pass"),
    (conventions.swallowed_cancellation, "try:\n    f()\nexcept BaseException:\n    raise"),
    (
        conventions.swallowed_cancellation,
        "try:\n    f()\nexcept (ValueError, CancelledError) as e:\n    pass",
    ),
    (conventions.swallowed_cancellation, "try:\n    f()\nexcept* asyncio.CancelledError:\n    pass"),
    (conventions.swallowed_cancellation, "with contextlib.suppress(ValueError, BaseException):\n    f()"),
    (conventions.uncancelling, "asyncio.current_task().uncancel()"),
    (conventions.unowned_tasks, "asyncio.get_running_loop().create_task(f())"),
    (conventions.unowned_tasks, "asyncio.ensure_future(f())"),
    (conventions.waiting_tests, "time.sleep(1)"),
    (conventions.waiting_tests, "started = time.perf_counter()"),
]
KEEPING: list[tuple[Check, str]] = [
    (conventions.swallowed_cancellation, "try:\n    f()\nexcept OSError:\n    pass\nfinally:\n    g()"),
    (conventions.swallowed_cancellation, "with suppress(KeyError):\n    f()"),
    (conventions.uncancelling, "task.cancel()"),
    (conventions.unowned_tasks, "async with asyncio.TaskGroup() as group:\n    group.create_task(f())"),
    (conventions.waiting_tests, "await asyncio.sleep(600)"),
]
HASH = "0123456789abcdef" * 4
BREAKING_TEXT: list[tuple[TextCheck, str]] = [
    (conventions.unfinished, "x = 1  # TO" + "DO: more"),
    (conventions.machine_specific, "see /ho" + "me/someone/detour"),
    (conventions.machine_specific, "--extra-ind" + "ex-url something"),
    (conventions.machine_specific, "https://py" + "pi.org/simple"),
    (conventions.unpinned, "fastapi>=0.1"),
    (conventions.unpinned, ""),
    (conventions.unpinned, "--ind" + "ex-url https://example.org"),
    (conventions.unpinned, "detour @ git+https://example.org/detour"),
    (conventions.unpinned, "fastapi==0.1"),
    (conventions.unpinned, "fastapi==0.1 \\\n    --hash=sha256:0"),
    (conventions.unpinned, f"fastapi==0.1 \\\n    --hash=sha256:{HASH} \\"),
    (conventions.unpinned, f"fastapi==0.1 \\\n    --hash=sha256:{HASH}\nuvicorn==0.2"),
    (conventions.placed, '      "resolved": "../a.tgz",'),
]
KEEPING_TEXT: list[tuple[TextCheck, str]] = [
    (conventions.unfinished, "todos = method"),
    (conventions.machine_specific, "the table of https://example.org/home/page and backend/home/a"),
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
def test_server_swallows_no_cancellation_and_loses_no_task() -> None:
    others = [path for path in below("backend") if path != ROOT / HOME_OF_TASKS]
    assert problems_in(below("backend"), IN_BACKEND) == []
    assert problems_in(others, [conventions.unowned_tasks]) == []


def test_tests_outside_perf_do_not_wait_or_read_the_wall_clock() -> None:
    waiting = [path for path in below("tests") if "perf" not in path.parts]
    assert problems_in(waiting, [conventions.waiting_tests]) == []


def test_files_are_finished_and_tied_to_no_machine() -> None:
    assert text_problems_in(our_files(), IN_EVERY_FILE) == []


@pytest.mark.requirement("PINS-HOLD-HASHES")
def test_pin_files_hold_names_versions_and_hashes_only() -> None:
    pins = [ROOT / "requirements.txt", *sorted((ROOT / "requirements").iterdir())]
    assert text_problems_in(pins, [conventions.unpinned]) == []
    folders = ["frontend", "examples/react", "examples/react-assistant-ui"]
    locks = [ROOT / folder / "package-lock.json" for folder in folders]
    assert text_problems_in(locks, [conventions.placed]) == []


def test_checked_files_include_those_of_every_kind() -> None:
    found = {path.relative_to(ROOT).as_posix() for path in our_files()}
    assert found >= {"Makefile", "pyproject.toml", "requirements.txt", "backend/domain/errors.py", ".ci/run"}
    assert not any(name.startswith((".venv", ".git/")) for name in found)


def test_checks_find_what_breaks_their_rule_and_nothing_else() -> None:
    for check, source in BREAKING:
        assert list(check(ast.parse(source))), source
    for check, source in KEEPING:
        assert list(check(ast.parse(source))) == [], source
    for check, text in BREAKING_TEXT:
        assert list(check(text + "\n")), text
    for check, text in KEEPING_TEXT:
        assert list(check(text)) == [], text


@pytest.mark.parametrize("target", ["run", "demo"])
def test_make_says_what_it_does_before_each_slow_step_of_a_fresh_clone(target: str, tmp_path: Path) -> None:
    told = subprocess.run(
        ["make", "-n", target, f"VENV={tmp_path}/none"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    slow = [at for at, line in enumerate(told) if "-m venv" in line or "pip --disable" in line]
    assert len(slow) == 2
    assert all(told[at - 1].startswith("echo ") for at in slow), told
