"""Write the pin files from pyproject.toml: `requirements.txt` and `requirements-dev.txt`.

A library's newest version may differ tomorrow; the pin files say what was tested together. Each holds
`name==version` lines and nothing else, so that it is the same wherever it was made: no address of an
index, no path and no hash gets in, whatever pip is configured with. `requirements-dev.txt` holds only
what the `dev` group adds.

Run it with `make lock`. It asks pip, in a throw-away virtual environment, what it would install.
"""

import json
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NAME_OF_A_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)")


class LockError(Exception):
    """The pins cannot be worked out; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What pyproject.toml asks for, as requirement strings."""

    run: list[str]
    dev: list[str]
    oldest_python: tuple[int, int]


def canonical(name: str) -> str:
    """Return a distribution's name as indices compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_wanted(pyproject: Path) -> Wanted:
    """Read the dependencies, the `dev` group and the oldest Python from a pyproject.toml."""
    document: dict[str, Any] = tomllib.loads(pyproject.read_text("utf-8"))
    floor = re.match(r">=(\d+)\.(\d+)", document["project"]["requires-python"])
    if floor is None:
        raise LockError("requires-python in pyproject.toml should read '>=X.Y'.")
    return Wanted(
        run=document["project"]["dependencies"],
        dev=document["dependency-groups"]["dev"],
        oldest_python=(int(floor[1]), int(floor[2])),
    )


def markers(requirements: list[str]) -> dict[str, str]:
    """Return the environment marker of each requirement that has one, by canonical name."""
    found: dict[str, str] = {}
    for requirement in requirements:
        head, _, marker = requirement.partition(";")
        name = NAME_OF_A_REQUIREMENT.match(head)
        if marker and name:
            found[canonical(name[1])] = marker.strip()
    return found


def resolve(python: Path, requirements: list[str], *, constraints: Path | None = None) -> dict[str, str]:
    """Return the version pip would install of each distribution, by canonical name.

    pip's own words (which may name local indices) are shown only if it fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [str(python), "-m", "pip", "--quiet", "install", "--dry-run", "--ignore-installed"]
        command += ["--report", str(report), *requirements]
        if constraints is not None:
            command += ["--constraint", str(constraints)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise LockError(f"pip could not resolve the requirements:\n{done.stderr}")
        installs = json.loads(report.read_text("utf-8"))["install"]
    return {canonical(one["metadata"]["name"]): one["metadata"]["version"] for one in installs}


def pin_lines(versions: dict[str, str], conditions: dict[str, str]) -> str:
    """Return the text of a pin file: one sorted `name==version` line per distribution, markers kept."""
    lines = [
        f"{name}=={version}" + (f" ; {conditions[name]}" if name in conditions else "")
        for name, version in sorted(versions.items())
    ]
    return "\n".join(lines) + "\n"


def lock(root: Path) -> None:
    """Write both pin files in `root`. Resolves both at once, so that the two agree."""
    wanted = read_wanted(root / "pyproject.toml")
    if sys.version_info[:2] != wanted.oldest_python:
        oldest = ".".join(map(str, wanted.oldest_python))
        raise LockError(
            f"Pins are made with Python {oldest}, the oldest that must be able to install them: "
            f"make lock PYTHON=python{oldest}"
        )
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        everything = resolve(python, wanted.run + wanted.dev)
        constraints = Path(folder) / "constraints.txt"
        constraints.write_text(pin_lines(everything, {}), "utf-8")
        run = resolve(python, wanted.run, constraints=constraints)
    dev = {name: version for name, version in everything.items() if name not in run}
    conditions = markers(wanted.run + wanted.dev)
    (root / "requirements.txt").write_text(pin_lines(run, conditions), "utf-8")
    (root / "requirements-dev.txt").write_text(pin_lines(dev, conditions), "utf-8")


if __name__ == "__main__":
    try:
        lock(ROOT)
    except LockError as error:
        sys.exit(str(error))
