"""Imports the modules of a project, which is not installed, and what they hold."""

import hashlib
import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from langgraph.graph import StateGraph
from langgraph.pregel import Pregel


class ProjectError(Exception):
    """The project cannot be used; the message completes the sentence that begins with its name."""


def import_file(place: Path, roots: Iterable[Path]) -> ModuleType:
    """Return the module of a file; `roots` are the folders that modules are imported from.

    Raises `ProjectError` if there is no such file, and whatever the module raises.
    """
    file = place.resolve()
    if not file.is_file():
        others = sorted(each.name for each in file.parent.glob("*.py"))
        there = f"; Python files there: {', '.join(others)}" if others else ""
        raise ProjectError(f"names a file that does not exist: {file}{there}")
    # Under the name that its own project imports it by: relative imports need it, and a second copy of a
    # module has classes of its own.
    for root in sorted(roots, key=lambda root: len(root.parts), reverse=True):
        if file.is_relative_to(root):
            parts = file.relative_to(root).with_suffix("").parts
            name = ".".join(parts)
            if all(part.isidentifier() for part in parts) and _leads_to(name, file):
                return importlib.import_module(name)
    return _import_under_another_name(file)


def attribute_of(module: ModuleType, attribute: str) -> Any:
    """Return what a module has under this name. Raises `ProjectError` that names the graphs that it has."""
    try:
        return getattr(module, attribute)
    except AttributeError:
        graphs = _names_of(module, Pregel) or _names_of(module, StateGraph)
        has = f"; graphs in it: {', '.join(graphs)}" if graphs else ""
        raise ProjectError(f"names {attribute}, which {module.__name__} does not have{has}") from None


def _import_under_another_name(file: Path) -> ModuleType:
    """Return the module of a file whose name a module has that is there already, such as one of this server.

    Two files of one name have modules of their own.
    """
    digest = hashlib.blake2b(os.fspath(file).encode(), digest_size=4).hexdigest()
    name = f"langgraph_project_{re.sub(r'[^a-zA-Z0-9]', '_', file.stem)}_{digest}"
    if name in sys.modules:
        return sys.modules[name]
    spec: Any = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # before it runs: dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except Exception:
        del sys.modules[name]  # another graph of the same file must meet the same error, and not half of it
        raise
    return module


def _names_of(module: ModuleType, kind: type[Any]) -> list[str]:
    return [name for name, value in vars(module).items() if isinstance(value, kind)]


def _leads_to(name: str, file: Path) -> bool:
    """Tell whether a module of this name would be imported from this file. Imports its packages."""
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return False
    return spec is not None and spec.origin is not None and Path(spec.origin).resolve() == file
