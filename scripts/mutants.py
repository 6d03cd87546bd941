"""Plants one small fault after the other in a copy of the project, and runs the tests that should notice it.

`tests/mutants.toml` lists the faults. Fails if a fault goes unnoticed, if the text it replaces is not in its
file exactly once, or if the tests fail without any fault. Usage: `python scripts/mutants.py [WORD...]`; words
choose the faults whose file or name contains one of them.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

MOST_SECONDS = 300
"""How long the tests of one fault may take; a fault that makes them hang was noticed."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault: `old` is replaced by `new` in `file`, and one of `tests` should fail."""

    name: str
    file: str
    old: str
    new: str
    tests: Sequence[str]

    def is_applicable(self) -> bool:
        """Tell whether the text that the fault replaces is in its file exactly once."""
        path = ROOT / self.file
        return self.old != self.new and path.is_file() and path.read_text().count(self.old) == 1


def mutants() -> list[Mutant]:
    """Return all faults that are listed."""
    listed = tomllib.loads((ROOT / "tests/mutants.toml").read_text())
    return [Mutant(**each) for each in listed["mutant"]]


def main(words: Sequence[str]) -> int:
    """Run the chosen faults; return how many were not noticed or could not be planted."""
    chosen = [each for each in mutants() if not words or any(word in each.file + each.name for word in words)]
    stale = [each for each in chosen if not each.is_applicable()]
    for each in stale:
        print(f"stale     {each.file}: {each.name}")
    planted = [each for each in chosen if each not in stale]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        _copy_to(copy)
        if not _passes(copy, sorted({test for each in planted for test in each.tests}), len(planted) or 1):
            print("The tests fail without any fault.")
            return 1
        survivors = 0
        for each in planted:
            path = copy / each.file
            text = path.read_text()
            path.write_text(text.replace(each.old, each.new))
            survived = _passes(copy, each.tests)
            path.write_text(text)
            survivors += survived
            print(f"{'SURVIVED' if survived else 'caught  '}  {each.file}: {each.name}", flush=True)
    print(f"{len(planted) - survivors} caught, {survivors} survived, {len(stale)} stale")
    return survivors + len(stale)


def _copy_to(folder: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def _passes(folder: Path, tests: Sequence[str], share: int = 1) -> bool:
    """Run tests in the copy; tell whether they pass within their time."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    # No bytecode: Python compares whole seconds, and the fault before may have been planted in the same one.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(MOST_SECONDS * share) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
