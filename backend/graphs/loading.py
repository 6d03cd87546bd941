"""Loads a graph that `DETOUR_GRAPH` names, or refuses it at the start in one sentence.

What needs no event loop happens at once, so that most refusals come before anything is opened. Async
factories and context managers are entered when the server starts, on its own loop: what they open there,
such as the connections of a client, is bound to it.
"""

import asyncio
import contextlib
import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import inspect
import os
import re
import shlex
import sys
import threading
import tomllib
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, get_origin

import orjson
import structlog
from dotenv import dotenv_values
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config
from langgraph.graph import StateGraph
from langgraph.pregel import Pregel
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk.runtime import ServerRuntime

from .graph_options import Graph, GraphNotFoundError, GraphOptions, describe_error, type_hints, unwrap_type
from .langgraph_internals import factory_runtime
from .support import GraphInterface

# --- factories -----------------------------------------------------------------------------------------
# Calls the function that makes a graph, as LangGraph's own server does, but once for the whole process.
#
# A factory may take a `RunnableConfig` and a `ServerRuntime`. LangGraph's server calls it anew for each run
# and each look at a thread, with the run's `configurable`. Here nothing in these differs from run to run
# but the user's id, so that the factory gets what `DETOUR_GRAPH_CONTEXT` says, no user, and is called once:
# one that insists on a user (`runtime.ensure_user()`) is refused at the start. What differs from user to
# user belongs into the nodes, which get the user's id with each run.


_BY_TYPE = {RunnableConfig: "config", ServerRuntime: "runtime"}


class Factory:
    """A function that makes a graph: plain, async, a generator or a context manager of either kind."""

    def __init__(self, function: Callable[..., Any], context: Mapping[str, Any]) -> None:
        self.name = function.__name__
        if inspect.isasyncgenfunction(function):
            function = contextlib.asynccontextmanager(function)
        elif inspect.isgeneratorfunction(function):
            function = contextlib.contextmanager(function)
        self.is_async = inspect.iscoroutinefunction(function)
        self._call = functools.partial(function, **_arguments(function, context))

    def make(self) -> Any:
        """Call the function; return what it returns, which may be an awaitable or a context manager."""
        return self._call()


async def enter(made: Any, stack: contextlib.AsyncExitStack) -> Any:
    """Return the graph of an awaitable or a context manager, which `stack` exits; else what was given.

    Raises whatever the factory raises. Cancelling this cancels the factory.
    """
    if inspect.isawaitable(made):
        made = await made
    if isinstance(made, contextlib.AbstractAsyncContextManager):
        return await stack.enter_async_context(made)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(made, contextlib.AbstractContextManager):
        return stack.enter_context(made)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return made


def _arguments(function: Callable[..., Any], context: Mapping[str, Any]) -> dict[str, Any]:
    """Return the config and the runtime under the names of the parameters that ask for them.

    A parameter asks by its type or by its name. The only one left that must be given gets the config,
    whatever its name, as on LangGraph's server. Raises `TypeError` if more are left.
    """
    hints = type_hints(function)
    asked: dict[str, str] = {}
    left: list[str] = []
    for name, each in inspect.signature(function).parameters.items():
        kind = _BY_TYPE.get(_bare_type(hints.get(name)), name.lstrip("_"))
        if kind in _BY_TYPE.values():
            asked[name] = kind
        elif each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            left.append(name)
    if len(left) == 1 and "config" not in asked.values():
        asked[left.pop()] = "config"
    if left:
        raise TypeError(f"{function.__name__}() takes {', '.join(left)}; only config and runtime are given")
    values = {
        "config": lambda: ensure_config({"configurable": {**context}}),
        "runtime": lambda: factory_runtime({**context} or None),
    }
    return {name: values[kind]() for name, kind in asked.items()}


def _bare_type(annotation: Any) -> Any:
    """Return a parameter's type without its own parameters: `ServerRuntime` of `ServerRuntime[Context]`."""
    annotation = unwrap_type(annotation)
    return get_origin(annotation) or annotation


# --- missing packages ----------------------------------------------------------------------------------
# Finds the packages that a project needs and that are not installed.


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
    return [name for name in needed if not [*importlib.metadata.distributions(name=name)]]


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
    # Markers (`; sys_platform == "win32"`) are not evaluated: such a line asks for nothing.
    return found[0] if found and ";" not in text else ""


# --- start limit ---------------------------------------------------------------------------------------
# Bounds the code of a graph that runs before the server serves: its module's import, and its factory.


LAST_S = 5.0
"""Seconds that async code gets to end after its cancellation, before the process is ended."""


@contextlib.contextmanager
def ended_after(seconds: float, sentence: str) -> Generator[None]:
    """Write the sentence and end the process if the block has not ended after so many seconds.

    Plain code cannot be cancelled, and it holds up the only thread, which might never reach another signal
    or timeout. Nothing is lost: it runs before the data file is opened.
    """
    limit = threading.Timer(seconds, _give_up, [sentence])
    limit.daemon = True
    limit.start()
    try:
        yield
    finally:
        limit.cancel()


def _give_up(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()
    os._exit(1)


# --- project imports -----------------------------------------------------------------------------------
# Imports the modules of a project, which is not installed, and what they hold.


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
    """Return an attribute of a module. Raises `ProjectError` that names the module's graphs."""
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


# --- project file --------------------------------------------------------------------------------------
# Reads `langgraph.json`, the file in which a LangGraph project names its graphs and what they need.
#
# Used are `graphs`, `dependencies` and `env`. The rest configures LangGraph's own server or its image
# (`store`, `checkpointer`, `auth`, `http` and others), and `ignored` names it.


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
    """One `langgraph.json`.

    `graphs` maps names to `file.py:attribute` or `module:attribute`, `descriptions` to their descriptions.
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
        """Import the graph of this name, and return it.

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
    """Return the project of a file. Raises `ProjectError` if it cannot be read, or names no graph."""
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


# --- named graphs --------------------------------------------------------------------------------------
# Finds the graphs that `DETOUR_GRAPH` names, and words why one of them is refused.
#
# Nothing is imported before `NamedGraph.find` is called.


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedGraph:
    """One of the graphs that `DETOUR_GRAPH` names, not imported yet.

    Messages choose it by its `name`; `setting` is the value of `DETOUR_GRAPH` that names it alone. `find`
    imports it, and `hint` says what may help against an error of its code. `others` is the value that names
    all graphs but this one, `place` what comes before the names in it. `notes` are sentences on how it was
    found, for `detour check`.
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
            raise self.refusal(f"{what}: {describe_error(error)}") from error
        except Exception as error:
            raise self.refusal(
                "; ".join(filter(None, [f"{what}: {describe_error(error)}", self.hint(error)]))
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


# --- loading -------------------------------------------------------------------------------------------


DEFERRED = (contextlib.AbstractAsyncContextManager, contextlib.AbstractContextManager)
"""What a factory may return besides a graph and an awaitable: a context manager to enter."""

_log = structlog.get_logger(__name__)


class GraphSource:
    """Where a graph comes from: there already, or made by a factory when the server starts.

    Imports it at once, and calls what is found if that is a plain function. `options` are those that hold for
    the graph, known once it is there. Raises `GraphNotFoundError` with a sentence that says what is wrong,
    whatever the graph's code raised; ends the process with such a sentence if that takes too long.
    """

    def __init__(self, named: NamedGraph, options: GraphOptions) -> None:
        self.named = named
        self.options = options
        self.notes = [*named.notes]
        self._factory: Factory | None = None
        with named.in_time("its import", options.start_s), named.refusing("cannot be imported"):
            self._made = named.find()
        if inspect.isroutine(self._made):
            self.notes.append("its factory is called once, when the server starts: all users share the graph")
            function = self._made
            with named.refusing("made no graph"):
                self._factory = Factory(function, options.context)
                if not self._factory.is_async:
                    with named.in_time(f"its factory {self._factory.name}()", options.start_s):
                        self._made = self._factory.make()
        if not self._needs_loop:
            self._made = self._checked(self._made)

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncGenerator[GraphInterface]:
        """Yield the graph with its interface.

        On exit, exit the context manager that made it, in the same asyncio task.
        Raises `GraphNotFoundError` if the factory fails, takes too long, or makes what cannot be served.
        """
        stack = contextlib.AsyncExitStack()
        try:
            if not self._needs_loop:
                yield self._made
                return
            with self.named.refusing("made no graph"):
                made = await self._made_in_time(stack)
            yield self._checked(made)
        finally:
            try:
                await stack.aclose()
            except Exception:  # noqa: BLE001 - logged: everything else is closed already, or closes next
                _log.exception("the graph's factory failed when it was closed")

    async def _made_in_time(self, stack: contextlib.AsyncExitStack) -> Any:
        seconds = self.options.start_s
        what = f"its factory {self._factory.name}()" if self._factory else "its making"
        # Beside the timeout, which cannot end a coroutine that blocks the loop or ignores its cancellation.
        with self.named.in_time(what, seconds, more_s=LAST_S):
            limit = asyncio.timeout(seconds)
            try:
                async with limit:
                    made = self._made
                    if self._factory is not None and self._factory.is_async:
                        made = self._factory.make()
                    return await enter(made, stack)
            except TimeoutError:
                if limit.expired():
                    raise self.named.too_slow(what, seconds) from None
                raise  # the factory's own

    @property
    def _needs_loop(self) -> bool:
        """Whether the graph is yet to be made by a coroutine, or entered."""
        if self._factory is not None and self._factory.is_async:
            return True
        return inspect.isawaitable(self._made) or isinstance(self._made, DEFERRED)

    def _checked(self, made: Any) -> GraphInterface:
        named = self.named
        if isinstance(made, StateGraph):
            with named.refusing("cannot be compiled"):
                made = made.compile()  # pyright: ignore[reportUnknownVariableType]
        if isinstance(made, RemoteGraph):
            raise named.refusal(
                "is a RemoteGraph, which runs on another server: call it in a node of a graph"
            )
        if not isinstance(made, Pregel):
            what = f"the class {made.__name__}" if isinstance(made, type) else f"a {type(made).__name__}"
            verb = "made" if self._factory is not None else "is"
            raise named.refusal(f"{verb} {what}, not a compiled LangGraph graph")
        graph: Graph = made  # pyright: ignore[reportUnknownVariableType]
        interface = GraphInterface(graph, self.options)
        if interface.fault is not None:
            raise named.refusal(interface.fault)
        self.options = interface.options
        return interface
