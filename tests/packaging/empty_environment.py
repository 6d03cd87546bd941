"""`make wheel-test`: installs the wheel with its declared dependencies where nothing else is, and uses it.

`test_installed.py` borrows the packages of the tests, so it cannot see that a dependency is not declared.
This fetches them from pip's index, which takes too long for the suite.
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from packaging.utils import canonicalize_name

import backend
from scripts.lock import pins
from tests.conventions import ROOT
from tests.packaging.running import answer_to, run, serving
from tests.packaging.test_installed import GRAPH, TOUR

EXTRAS_OF = {
    "detour.clients.cli": "prompt_toolkit",
    "detour.clients.streamlit": "streamlit",
    "detour.http.tracing": "opentelemetry",
    "detour.protocols.mcp": "mcp_types",
}

IMPORTS_ALL = f"""
import importlib, pkgutil
import detour
for module in pkgutil.walk_packages(detour.__path__, "detour."):
    if not module.name.startswith({tuple(EXTRAS_OF)!r}):
        importlib.import_module(module.name)
"""


def install(folder: Path, wheel: Path) -> Path:
    """Install the wheel as its users do; return the folder of `python` and `detour`."""
    venv.create(folder, with_pip=False)
    programs = folder / "bin"
    subprocess.run([*pip_for(programs), "install", "-qq", wheel], cwd=folder, check=True)
    return programs


def pip_for(programs: Path) -> list[str | Path]:
    """Return the command of this environment's pip for that one, which has none: unpacking one takes 5 s."""
    return [sys.executable, "-m", "pip", "--python", programs / "python"]


def names(pins: str) -> set[str]:
    """Return the canonical names of the packages that lines like `name==version` pin."""
    return {canonicalize_name(line.partition("==")[0]) for line in pins.splitlines()}


def use(programs: Path, folder: Path) -> None:
    """Use what is installed, with programs of this process's environment beside it. Raises AssertionError."""
    pip = pip_for(programs)
    assert (done := run([*pip, "check"], folder)).returncode == 0, done.stdout
    needed_in_tests_only = set(pins((ROOT / "requirements/dev.txt").read_text("utf-8")))
    assert not (found := names(run([*pip, "freeze"], folder).stdout) & needed_in_tests_only), found
    assert (done := run([programs / "python", "-c", IMPORTS_ALL], folder)).returncode == 0, done.stdout

    detour = programs / "detour"
    assert run([detour, "--version"], folder).stdout == f"detour {backend.__version__}\n"
    (folder / "shout.py").write_text(GRAPH, "utf-8")
    assert (done := run([detour, "check", "shout:graph"], folder)).returncode == 0, done.stdout
    with serving([detour, "serve", "shout:graph"], folder) as server:
        assert answer_to(server, "hello") == "HELLO"
        assert "html" in server.get("/").headers["content-type"]
    with serving([detour, "serve", "--demo-pace", "0"], folder) as server:
        assert "cheapest" in answer_to(server, TOUR)
    done = run([detour, "chat"], folder)
    assert done.returncode == 1
    assert "pip install prompt-toolkit" in done.stdout, done.stdout
    assert run([detour, "demo", "--help"], folder).returncode == 0
    done = run([detour, "serve"], folder, DETOUR_PROT="1")
    assert done.stdout == "DETOUR_PROT is no setting; did you mean DETOUR_PORT?\n", done.stdout


def main() -> None:
    """Try the wheel of the folder `dist`; an error ends it."""
    (wheel,) = (ROOT / "dist").glob("*.whl")
    with tempfile.TemporaryDirectory() as name:
        programs = install(Path(name, "environment"), wheel)
        folder = Path(name, "folder")
        folder.mkdir()
        use(programs, folder)
    print(f"{wheel.name} is installed and used without anything that it does not declare.")


if __name__ == "__main__":
    sys.exit(main())
