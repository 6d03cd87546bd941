"""Loads the graphs that `DETOUR_GRAPH` names, or refuses them at the start in one sentence.

What needs no event loop happens at once, so that most refusals come before anything is opened. Async
factories and context managers are entered when the server starts, on its own loop: what they open there,
such as the connections of a client, is bound to it.
"""

import asyncio
import contextlib
import importlib
import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import structlog
from langgraph.graph import StateGraph
from langgraph.pregel import Pregel
from langgraph.pregel.remote import RemoteGraph

from .factories import Factory, enter
from .graph_input import GraphInput
from .graph_options import Graph, GraphNotFoundError, GraphOptions, described
from .graph_reply import GraphReply
from .project_file import ProjectError, attribute_of, project_at, read_project
from .run_context import RunContext
from .start_limit import LAST_S, ended_after

DEFERRED = (contextlib.AbstractAsyncContextManager, contextlib.AbstractContextManager)
"""What a factory may return to be entered, besides an awaitable."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedGraph:
    """One of the graphs that `DETOUR_GRAPH` names, not imported yet.

    Messages choose it by its `name`; `setting` is the value of `DETOUR_GRAPH` that names it alone. `find`
    imports it, and `hint` says what may help against an error of its code. `others` is the value that names
    all graphs but this one. `notes` are sentences on how it was found, for whoever checks it.
    """

    name: str
    setting: str
    find: Callable[[], Any]
    hint: Callable[[Exception], str] = lambda _error: ""
    description: str = ""
    others: str = ""
    notes: Sequence[str] = ()

    def load(self, options: GraphOptions | None = None) -> "GraphSource":
        """Import the graph, and call what is found if that is a plain function.

        Raises `GraphNotFoundError` with a sentence that says what is wrong, whatever its code raised. Ends
        the process with such a sentence if that takes too long.
        """
        return GraphSource(self, options or GraphOptions())

    def refusal(self, why: str) -> GraphNotFoundError:
        """Return the error that says in one line why the graph is not served."""
        others = f"; to serve the others: DETOUR_GRAPH={self.others}" if self.others else ""
        return GraphNotFoundError(f"DETOUR_GRAPH={self.setting} {why}{others}")

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


class GraphSource:
    """Where a graph comes from: there already, or made by a factory when the server starts.

    `options` are those that hold for the graph, known once it is there.
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
    async def opened(self) -> AsyncGenerator[Graph]:
        """Yield the graph; on exit, exit the context manager that made it, in the same asyncio task.

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

    def _checked(self, made: Any) -> Graph:
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
        options = self.options = _of_one(graph, self.options)
        takes = GraphInput(graph, options.input_field)
        reply = GraphReply(graph, options.reply_key)
        context = RunContext(graph.context_schema, options.context, lenient=options.several)
        fault = context.fault or takes.fault or reply.fault
        if fault is not None:
            raise named.refusal(fault)
        return graph


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
        raise GraphNotFoundError(f"DETOUR_GRAPH={named} {error}") from None
    place, notes = named.removesuffix(f":{chosen}"), project.notes
    return [
        NamedGraph(
            name=name,
            setting=f"{place}:{name}" if len(names) > 1 else named,
            find=partial(project.find, name),
            hint=project.hint,
            description=project.descriptions.get(name, ""),
            others=f"{place}:{','.join(each for each in names if each != name)}" if len(names) > 1 else "",
            notes=notes,
        )
        for name in names
    ]


def _of_module(named: str) -> NamedGraph:
    module_name, _, attribute = named.partition(":")
    path = Path(module_name)
    is_dotted = all(part.isidentifier() for part in module_name.split("."))
    if not attribute.isidentifier() or not is_dotted or path.suffix == ".py":
        as_module = ".".join([*path.parent.parts, path.stem]).lstrip(".")
        hint = f"; try {as_module}:{attribute or 'graph'}" if path.suffix == ".py" else ""
        raise GraphNotFoundError(
            "DETOUR_GRAPH must be module:attribute (trip.graph:build) or the path of a langgraph.json, "
            f"not {named!r}{hint}."
        )
    return NamedGraph(
        name=attribute,
        setting=named,
        find=lambda: attribute_of(importlib.import_module(module_name), attribute),
        hint=partial(_import_hint, module_name),
    )


def _import_hint(module_name: str, error: Exception) -> str:
    """Return what may help if a module was not found: the one that is named, or one that it imports."""
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return ""
    if f"{module_name}.".startswith(f"{error.name}."):
        return f"modules are looked for from {Path.cwd()}"
    return f"install the package that has {error.name}"


def _of_one(graph: Graph, options: GraphOptions) -> GraphOptions:
    """Return the settings of several graphs as they hold for one: without fields that it does not have."""
    if not options.several:
        return options
    return replace(
        options,
        input_field=options.input_field if options.input_field in GraphInput(graph).fields else "",
        reply_key=options.reply_key if options.reply_key in GraphReply(graph).keys else "",
    )
