"""Reads `langgraph.json`, the file in which a LangGraph project names its graphs and what they need.

Used are `graphs`, `dependencies` and `env`. The rest configures LangGraph's own server or its image (`store`,
`checkpointer`, `auth`, `http` and others), and `ignored` names it.
"""

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
from dotenv import dotenv_values

from .missing_packages import how_to_install, import_hint, missing_packages
from .project_imports import ProjectError, attribute_of, import_file

FILE_NAME = "langgraph.json"

OF_OUR_OWN = "DETOUR_"
"""Variables that `env` does not set: the server has read its settings already."""

_OF_THE_IMAGE = {
    "$schema", "python_version", "node_version", "api_version", "base_image", "image_distro", "source",
    "dockerfile_lines", "pip_config_file", "pip_installer", "keep_pkg_tools",
}  # fmt: skip
_USED = {"graphs", "dependencies", "env"}
_EXAMPLE = '"graphs": {"agent": "./agent.py:graph"}'


@dataclass(frozen=True, slots=True)
class Project:
    """What one `langgraph.json` says.

    `graphs` maps names to `file.py:attribute` or `module:attribute`, `descriptions` to what is said of them.
    `missing_env` is the file of variables that it names and that does not exist, "" if there is none.
    """

    folder: Path
    graphs: Mapping[str, str]
    descriptions: Mapping[str, str]
    dependencies: Sequence[str]
    env: Mapping[str, str | None]
    missing_env: str
    ignored: Sequence[str]

    @property
    def notes(self) -> list[str]:
        """Sentences on what of it is missing or not used."""
        notes = [f"{FILE_NAME}: not used: {', '.join(self.ignored)}"] if self.ignored else []
        if self.missing_env:
            notes.append(f"{FILE_NAME}: its env names {self.missing_env}, which does not exist")
        missing = missing_packages(self.folder, self.dependencies)
        return [*notes, f"{FILE_NAME}: {how_to_install(missing)}"] if missing else notes

    def chosen(self, names: str) -> list[str]:
        """Return the names of the graphs that `a` or `a,b` chooses, by default all.

        Raises `ProjectError` for an unknown name.
        """
        wanted = [names] if names in self.graphs else [each.strip() for each in names.split(",") if names]
        for each in wanted:
            if each not in self.graphs:
                raise ProjectError(f"has no graph {each}; its graphs: {', '.join(self.graphs)}")
        return [*dict.fromkeys(wanted)] or [*self.graphs]

    def find(self, name: str) -> Any:
        """Import what the graph of this name is, and return it.

        Raises `ProjectError`, and whatever the project's code raises.
        """
        self._prepare()
        place, _, attribute = self.graphs[name].rpartition(":")
        if Path(place).suffix in (".ts", ".js", ".mjs", ".tsx"):
            raise ProjectError(f"names a JavaScript graph, {place}: only Python's can be served")
        # As LangGraph's server has it: a path has a slash, and a module has none.
        if place.endswith(".py") and "/" not in place:
            raise ProjectError(f"names the file {place} as a module: write ./{place}:{attribute}")
        is_file = "/" in place
        module = (
            import_file(self.folder / place, self._roots()) if is_file else importlib.import_module(place)
        )
        return attribute_of(module, attribute)

    def hint(self, error: Exception) -> str:
        """Return what may help against an error of the project's code, "" if nothing is known."""
        if isinstance(error, ImportError):
            return import_hint(error, missing_packages(self.folder, self.dependencies))
        return f"the file of variables {self.missing_env} does not exist" if self.missing_env else ""

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


def project_at(named: str) -> tuple[Path, str] | None:
    """Return the file and the names of graphs if a setting names a `langgraph.json` or the folder of one.

    `project`, `./project:agent` and `project/langgraph.json:agent,cars` do; `trip:graph` is a module, unless
    `trip` is a folder with such a file and no package.
    """
    place, _, name = named.rpartition(":") if ":" in named else (named, "", "")
    path = Path(place)
    if path.suffix == ".json":
        return path, name
    if not place or not path.is_dir():
        return None
    is_project = (path / FILE_NAME).is_file() and not (path / "__init__.py").exists()
    is_path = ":" not in named or "/" in place or place.startswith(".")
    return (path / FILE_NAME, name) if is_path or is_project else None


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
    if not named:
        raise ProjectError(f"must name its graphs: {_EXAMPLE}")
    for name, each in named.items():
        if not isinstance(each, str) or ":" not in each:
            raise ProjectError(f"must name a file and an attribute for the graph {name}, as in {_EXAMPLE}")
    env, missing_env = _variables(said, folder)
    return Project(
        folder=folder,
        graphs=named,
        descriptions={
            name: str(each.get("description") or "") for name, each in graphs.items() if _has_path(each)
        },
        dependencies=[str(each) for each in _part(said, "dependencies", list)],
        env=env,
        missing_env=missing_env,
        ignored=[name for name in said if name not in _USED | _OF_THE_IMAGE],
    )


def _variables(said: Any, folder: Path) -> tuple[Mapping[str, str | None], str]:
    """Return the variables, and the file of them that does not exist, "" if it does or none is named."""
    env: Any = said.get("env") or {}
    if isinstance(env, dict):
        values: dict[str, Any] = env  # pyright: ignore[reportUnknownVariableType]
        return {name: None if value is None else str(value) for name, value in values.items()}, ""
    if not isinstance(env, str):
        raise ProjectError('has "env" of another type than LangGraph documents')
    if not (folder / env).is_file():
        # It sets nothing, as on LangGraph's server: such a file is not for version control.
        return {}, env
    try:
        return dotenv_values(folder / env), ""
    except (OSError, UnicodeDecodeError) as error:
        raise ProjectError(f"has a file of variables that cannot be read: {env}: {error}") from None


def _part(said: Any, name: str, kind: type[Any]) -> Any:
    part: Any = said.get(name, kind()) if issubclass(type(said), dict) else None
    if not issubclass(type(part), kind):
        raise ProjectError(f'has "{name}" of another type than LangGraph documents')
    return part


def _has_path(graph: Any) -> bool:
    return isinstance(graph, dict) and "path" in graph
