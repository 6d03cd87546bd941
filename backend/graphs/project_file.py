"""Reads `langgraph.json`, the file in which a LangGraph project names its graphs and what they need.

Used are `graphs`, `dependencies` and `env`. The rest configures LangGraph's own server or its image (`store`,
`checkpointer`, `auth`, `http` and others), and `ignored` names it.
"""

import importlib
import importlib.metadata
import importlib.util
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
from dotenv import dotenv_values

FILE_NAME = "langgraph.json"

OF_OUR_OWN = "DETOUR_"
"""Variables that `env` does not set: the server has read its settings already."""

_OF_THE_IMAGE = {
    "$schema", "python_version", "node_version", "api_version", "base_image", "image_distro", "source",
    "dockerfile_lines", "pip_config_file", "pip_installer", "keep_pkg_tools",
}  # fmt: skip
_USED = {"graphs", "dependencies", "env"}
_PACKAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?=\s*($|[\[<>=!~;@]))")


class ProjectError(Exception):
    """The project cannot be used; the message completes the sentence that begins with its name."""


@dataclass(frozen=True, slots=True)
class Project:
    """What one `langgraph.json` says. `graphs` maps names to `file.py:attribute` or `module:attribute`."""

    folder: Path
    graphs: Mapping[str, str]
    dependencies: Sequence[str]
    env: Mapping[str, str | None]
    ignored: Sequence[str]

    def find(self, name: str) -> Any:
        """Import what the graph of this name is, by default the first one, and return it.

        Raises `ProjectError`, and whatever the project's code raises.
        """
        name = name or next(iter(self.graphs))
        if name not in self.graphs:
            raise ProjectError(f"has no graph {name}; its graphs: {', '.join(self.graphs)}")
        self._prepare()
        place, _, attribute = self.graphs[name].rpartition(":")
        if Path(place).suffix in (".ts", ".js", ".mjs", ".tsx"):
            raise ProjectError(f"names a JavaScript graph, {place}: only Python's can be served")
        try:
            # As LangGraph's server has it: a path has a slash, and a module has none.
            module = self._import_file(place) if "/" in place else importlib.import_module(place)
            return getattr(module, attribute)
        except ImportError as error:
            missing = [each for each in map(_package, self.dependencies) if each and not _is_installed(each)]
            if missing:
                error.add_note(f"not installed: {', '.join(missing)}")
            raise

    def _prepare(self) -> None:
        """Set the variables and make the local dependencies importable, for as long as the process lives."""
        for name, value in self.env.items():
            # The environment that the server was started in is nearer to its operator than the file.
            if value is not None and not name.startswith(OF_OUR_OWN):
                os.environ.setdefault(name, value)
        sys.path[:0] = [os.fspath(root) for root in self._roots() if os.fspath(root) not in sys.path]

    def _roots(self) -> list[Path]:
        """Return the folders that modules are imported from, as if each had been installed."""
        local = [self.folder / each for each in self.dependencies if each.startswith(".")]
        for folder in local:
            if not folder.is_dir():
                raise ProjectError(f"names a dependency that is no folder: {folder}")
        roots = dict.fromkeys(folder.resolve() for folder in [*local, self.folder])
        return [each for root in roots for each in (root / "src", root) if each.is_dir()]

    def _import_file(self, place: str) -> ModuleType:
        file = (self.folder / place).resolve()
        if not file.is_file():
            raise ProjectError(f"names a file that does not exist: {file}")
        # Under the name that its own project imports it by: relative imports need it, and a second copy of a
        # module has classes of its own.
        for root in sorted(self._roots(), key=lambda root: len(root.parts), reverse=True):
            if file.is_relative_to(root):
                parts = file.relative_to(root).with_suffix("").parts
                name = ".".join(parts)
                if all(part.isidentifier() for part in parts) and _leads_to(name, file):
                    return importlib.import_module(name)
        # A module of that name is there already, such as one of this server: the file gets another.
        name = f"langgraph_project_{re.sub(r'[^a-zA-Z0-9]', '_', file.stem)}"
        spec: Any = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # before it runs: dataclasses look their module up
        spec.loader.exec_module(module)
        return module


def project_at(named: str) -> tuple[Path, str] | None:
    """Return the file and the graph's name if a setting names a `langgraph.json` or the folder of one.

    `project`, `./project:agent` and `project/langgraph.json:agent` do; `trip:graph` is a module.
    """
    place, _, name = named.rpartition(":") if ":" in named else (named, "", "")
    path = Path(place)
    if path.suffix == ".json":
        return path, name
    is_folder = bool(place) and path.is_dir() and (":" not in named or "/" in place or place.startswith("."))
    return (path / FILE_NAME, name) if is_folder else None


def read_project(file: Path) -> Project:
    """Return what the file says. Raises `ProjectError` if it cannot be read, or names no graph."""
    try:
        said: Any = orjson.loads(file.read_bytes())
    except OSError as error:
        raise ProjectError(f"cannot be read: {error.strerror}: {file}") from None
    except orjson.JSONDecodeError as error:
        raise ProjectError(f"is no JSON: {error}: {file}") from None
    folder = file.resolve().parent
    graphs = _part(said, "graphs", dict)
    named = {name: each["path"] if _has_path(each) else each for name, each in graphs.items()}
    if not named or not all(isinstance(each, str) and ":" in each for each in named.values()):
        raise ProjectError('must name its graphs: "graphs": {"agent": "./agent.py:graph"}')
    dependencies = _part(said, "dependencies", list)
    env: Any = said.get("env") or {}
    return Project(
        folder=folder,
        graphs=named,
        dependencies=[str(each) for each in dependencies],
        # A file that does not exist sets nothing, as on LangGraph's server: it is not for version control.
        env=dotenv_values(folder / env) if isinstance(env, str) else {k: str(v) for k, v in env.items()},
        ignored=[name for name in said if name not in _USED | _OF_THE_IMAGE],
    )


def _part(said: Any, name: str, kind: type[Any]) -> Any:
    part: Any = said.get(name, kind()) if issubclass(type(said), dict) else None
    if not issubclass(type(part), kind):
        raise ProjectError(f'has "{name}" of another type than LangGraph documents')
    return part


def _has_path(graph: Any) -> bool:
    return isinstance(graph, dict) and "path" in graph


def _leads_to(name: str, file: Path) -> bool:
    """Tell whether a module of this name would be imported from this file. Imports its packages."""
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return False
    return spec is not None and spec.origin is not None and Path(spec.origin).resolve() == file


def _package(dependency: str) -> str:
    """Return the name of the package that is to be installed; "" for a folder or an address."""
    found = _PACKAGE.match(dependency.strip())
    return found[0] if found else ""


def _is_installed(package: str) -> bool:
    installed: Iterable[Any] = importlib.metadata.distributions(name=package)
    return any(True for _ in installed)
