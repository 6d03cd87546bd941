"""The command `detour`: its programs, and what it says where there is none."""

import subprocess
import sys
from pathlib import Path

import pytest

import backend
from backend.__main__ import PROGRAMS, main
from backend.clients.cli import __main__ as chat
from backend.clients.cli.terminal import arguments
from tests.conventions import ROOT

pytestmark = pytest.mark.requirement("ONE-COMMAND")


def test_command_alone_prints_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    told = capsys.readouterr().out
    assert all(f"  {name:<7}  {does}\n" in told for name, (_, does) in PROGRAMS.items())


@pytest.mark.parametrize("program", PROGRAMS)
def test_program_has_a_help_of_its_own(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([program, "--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: detour {program} [")


def test_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"detour {backend.__version__}\n"


def test_unknown_program_is_refused_with_a_proposal(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["srve"])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert "there is no program 'srve'; did you mean serve?" in told
    assert all(name in told for name in PROGRAMS)


@pytest.mark.parametrize("given", [["unlike"], ["-x"]])
def test_unlike_program_is_refused_without_a_proposal(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(given)
    assert ended.value.code == 2
    assert "did you mean" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["serve", "--prot", "1"], "--prot is no flag; did you mean --port?"),
        (["check", "--graph-inpt", "title"], "--graph-inpt is no flag; did you mean --graph-input?"),
        (["chat", "--srver", "http://localhost"], "--srver is no flag; did you mean --server?"),
        (["demo", "--pase", "1"], "--pase is no flag; did you mean --pace?"),
        (["demo", "later"], "later is no flag\n"),
    ],
)
def test_unknown_flag_is_refused_with_a_proposal(
    given: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(given)
    assert ended.value.code == 2
    assert meant in capsys.readouterr().err


def test_chat_takes_the_server_under_both_names() -> None:
    assert arguments(["--url", "http://localhost:9"]) == arguments(["--server", "http://localhost:9"])


def test_program_gets_the_rest_of_the_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    fields = ("--graph-input", "title", "--graph-reply", "note")
    assert main(["check", "tests.graphs.shapes:conversation", *fields]) == 0
    assert "yes   reply:           the key note" in capsys.readouterr().out
    assert main(["check", "examples.shelves:grpah"]) == 1


def test_chat_without_its_libraries_says_how_to_install_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(chat, "LIBRARIES", {"no_such_library": "no-such-library"})
    assert main(["chat"]) == 1
    assert capsys.readouterr().err == (
        f"The terminal client needs no-such-library: {Path(sys.executable).name} -m pip install "
        "no-such-library, or in a checkout `make chat`.\n"
    )


@pytest.mark.parametrize("package", ["backend", "detour"])
def test_module_runs_under_either_name(package: str) -> None:
    command = [sys.executable, "-m", package, "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == f"detour {backend.__version__}\n"


def test_help_loads_neither_server_nor_langgraph() -> None:
    code = (
        "import sys; from backend.__main__ import main; main([]); "
        "print([name for name in ('langgraph', 'fastapi', 'httpx2', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")
