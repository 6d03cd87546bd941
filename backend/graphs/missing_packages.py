"""Finds the packages that a project needs and that are not installed: nobody installs them for a server."""

import contextlib
import importlib.metadata
import importlib.util
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

_PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?=\s*($|[\[<>=!~;@]))")


def missing_packages(folder: Path, dependencies: Sequence[str]) -> list[str]:
    """Return the names of the packages that are not installed, each once.

    `dependencies` are those of a `langgraph.json` in `folder`. A local one needs what its `pyproject.toml`
    and its `requirements.txt` list. Versions, extras and addresses are not looked at.
    """
    needed: dict[str, None] = {}
    for each in dependencies:
        lines = _needed_by(folder / each) if each.startswith(".") else [each]
        needed |= dict.fromkeys(filter(None, map(_package, lines)))
    return [name for name in needed if not _is_installed(name)]


def how_to_install(packages: Sequence[str]) -> str:
    """Return the end of a sentence that names missing packages."""
    return f"not installed, to be had by: python -m pip install {' '.join(packages)}"


def import_hint(error: ImportError, missing: Sequence[str] = ()) -> str:
    """Return what may help against a failed import, "" if nothing is known.

    `missing` are packages that the project needs and that are not installed.
    """
    module = error.name or ""
    package = module.partition(".")[0]
    # Most modules are named as their package is; of the others one cannot tell which package has them.
    named = [each for each in missing if each.lower().replace("-", "_") == package.lower()]
    if named or missing:
        return how_to_install(named or missing)
    if not package or not isinstance(error, ModuleNotFoundError):
        return ""
    if importlib.util.find_spec(package) is None:
        return f"install the package that has {package}"
    return f"the {package} that is installed has no {module}: it may be another version than is needed"


def _needed_by(local: Path) -> Iterator[str]:
    with contextlib.suppress(OSError, UnicodeDecodeError):  # most projects have one of the two files
        yield from (local / "requirements.txt").read_text("utf-8").splitlines()
    try:
        said: Any = tomllib.loads((local / "pyproject.toml").read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return
    project: Any = said.get("project") or {}
    listed: list[Any] = project.get("dependencies") or []
    yield from (each for each in listed if isinstance(each, str))


def _package(dependency: str) -> str:
    """Return the name of a package; "" for an option, a comment, an address, or a line with a marker."""
    text = dependency.strip()
    found = _PACKAGE.match(text)
    # What a marker says (`; sys_platform == "win32"`) is not judged, so that nothing is asked for in vain.
    return found[0] if found and ";" not in text else ""


def _is_installed(package: str) -> bool:
    installed: Iterable[Any] = importlib.metadata.distributions(name=package)
    return any(True for _ in installed)
