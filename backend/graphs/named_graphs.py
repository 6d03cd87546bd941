"""Finds the graphs that `DETOUR_GRAPH` names, and words why one of them is refused.

Nothing is imported before `NamedGraph.find` is called.
"""

import contextlib
import importlib
import shlex
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from .graph_options import GraphNotFoundError, described
from .missing_packages import import_hint
from .project_file import project_at, read_project
from .project_imports import ProjectError, attribute_of
from .start_limit import ended_after


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedGraph:
    """One of the graphs that `DETOUR_GRAPH` names, not imported yet.

    Messages choose it by its `name`; `setting` is the value of `DETOUR_GRAPH` that names it alone. `find`
    imports it, and `hint` says what may help against an error of its code. `others` is the value that names
    all graphs but this one, `place` what comes before the names in it. `notes` are sentences on how it was
    found, for whoever checks it.
    """

    name: str
    setting: str
    find: Callable[[], Any]
    hint: Callable[[Exception], str] = lambda _error: ""
    description: str = ""
    place: str = ""
    others: str = ""
    notes: Sequence[str] = ()

    def refusal(self, why: str) -> GraphNotFoundError:
        """Return the error that says in one line why the graph is not served."""
        others = f"; to serve the others: {as_setting(self.others)}" if self.others else ""
        return GraphNotFoundError(f"{as_setting(self.setting)} {why}{others}")

    @contextlib.contextmanager
    def refusing(self, what: str) -> Generator[None]:
        """Turn every error of the block into a refusal that says `what` has failed."""
        try:
            yield
        except GraphNotFoundError:
            raise
        except ProjectError as error:
            raise self.refusal(str(error)) from None
        except SystemExit as error:  # a script that ends the process, which would end ours without a word
            raise self.refusal(f"{what}: {described(error)}") from error
        except Exception as error:
            raise self.refusal(
                "; ".join(filter(None, [f"{what}: {described(error)}", self.hint(error)]))
            ) from error

    @contextlib.contextmanager
    def in_time(self, what: str, seconds: float, *, more_s: float = 0.0) -> Generator[None]:
        """End the process if the plain code of the block takes longer, by `more_s` as well."""
        with ended_after(seconds + more_s, self.too_slow(what, seconds).message):
            yield

    def too_slow(self, what: str, seconds: float) -> GraphNotFoundError:
        """Return the refusal of what does not end."""
        return self.refusal(f"{what} takes longer than the {seconds:g} s of DETOUR_GRAPH_START_S")


def picking(place: str, names: Sequence[str]) -> str:
    """Return the value of `DETOUR_GRAPH` that names these graphs of a project."""
    return f"{place}:{','.join(names)}"


def as_setting(value: str) -> str:
    """Return a value of `DETOUR_GRAPH` as one types it into a shell: names of graphs may have spaces."""
    return f"DETOUR_GRAPH={shlex.quote(value)}"


def named_graphs(named: str) -> list[NamedGraph]:
    """Return the graphs at `module:attribute`, or of a `langgraph.json`, the first one first.

    Raises `GraphNotFoundError` if the name leads to neither. Imports nothing.
    """
    located = project_at(named)
    if located is None:
        return [_of_module(named)]
    file, chosen = located
    try:
        project = read_project(file)
        names = project.chosen(chosen)
    except ProjectError as error:
        raise GraphNotFoundError(f"{as_setting(named)} {error}") from None
    place, notes = named.removesuffix(f":{chosen}"), project.notes
    return [
        NamedGraph(
            name=name,
            setting=f"{place}:{name}" if len(names) > 1 else named,
            find=partial(project.find, name),
            hint=project.hint,
            description=project.descriptions.get(name, ""),
            place=place,
            others=picking(place, [each for each in names if each != name]) if len(names) > 1 else "",
            notes=notes,
        )
        for name in names
    ]


def _of_module(named: str) -> NamedGraph:
    module_name, _, attribute = named.partition(":")
    path = Path(module_name)
    is_dotted = all(part.isidentifier() for part in module_name.split("."))
    if not attribute.isidentifier() or not is_dotted or path.suffix == ".py":
        raise GraphNotFoundError(
            "DETOUR_GRAPH must be module:attribute (trip.graph:build) or the path of a langgraph.json, "
            f"not {named!r}{_module_hint(path, attribute or 'graph')}."
        )
    return NamedGraph(
        name=attribute,
        setting=named,
        find=lambda: attribute_of(importlib.import_module(module_name), attribute),
        hint=partial(_import_hint, module_name),
    )


def _module_hint(path: Path, attribute: str) -> str:
    """Return how the module at a path is named: from the current folder, or else from its own."""
    if path.suffix != ".py" or not path.stem.isidentifier():
        return ""
    is_below = path.is_absolute() and path.is_relative_to(Path.cwd())
    parts = (path.relative_to(Path.cwd()) if is_below else path).with_suffix("").parts
    if all(part.isidentifier() for part in parts):
        return f"; try {'.'.join(parts)}:{attribute}"
    return f"; try {path.stem}:{attribute} in the folder {path.parent.resolve()}"


def _import_hint(module_name: str, error: Exception) -> str:
    """Return what may help if a module was not found: the one that is named, or one that it imports."""
    if not isinstance(error, ImportError):
        return ""
    if error.name and f"{module_name}.".startswith(f"{error.name}."):
        return f"modules are looked for from {Path.cwd()}"
    return import_hint(error)
