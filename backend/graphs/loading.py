"""Loads the graph that `DETOUR_GRAPH` names, or refuses it at the start in one sentence.

What needs no event loop happens at once, so that most refusals come before anything is opened. Async
factories and context managers are entered when the server starts, on its own loop: what they open there,
such as the connections of a client, is bound to it.
"""

import contextlib
import importlib
import inspect
from collections.abc import AsyncGenerator, Generator, Iterable
from typing import Any

import structlog
from langgraph.graph import StateGraph
from langgraph.pregel import Pregel
from langgraph.pregel.remote import RemoteGraph

from .factories import Factory, enter
from .graph_input import GraphInput
from .graph_options import Graph, GraphNotFoundError, GraphOptions, described
from .graph_reply import GraphReply
from .project_file import FILE_NAME, ProjectError, project_at, read_project
from .run_context import RunContext

__all__ = ["Graph", "GraphNotFoundError", "GraphSource", "load_graph"]

DEFERRED = (contextlib.AbstractAsyncContextManager, contextlib.AbstractContextManager)
"""What a factory may return to be entered, besides an awaitable."""

_log = structlog.get_logger(__name__)


class GraphSource:
    """Where the graph comes from: there already, or made by a factory when the server starts."""

    def __init__(self, named: str, found: Any, options: GraphOptions, notes: Iterable[str] = ()) -> None:
        self.notes = [*notes]
        """Sentences on how the graph was found, for whoever checks it."""
        self._named = named
        self._options = options
        self._factory: Factory | None = None
        self._made = found
        if inspect.isroutine(found):
            self.notes.append("its factory is called once, when the server starts: all users share the graph")
            with self._refusing("made no graph"):
                self._factory = Factory(found, options.context)
                if not self._factory.is_async:
                    self._made = self._factory.make()
        if not self._needs_loop:
            self._made = self._checked(self._made)

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncGenerator[Graph]:
        """Yield the graph; on exit, exit the context manager that made it, in the same asyncio task.

        Raises `GraphNotFoundError` if the factory fails, or makes what cannot be served.
        """
        stack = contextlib.AsyncExitStack()
        try:
            if not self._needs_loop:
                yield self._made
                return
            with self._refusing("made no graph"):
                made = self._made
                if self._factory is not None and self._factory.is_async:
                    made = self._factory.make()
                made = await enter(made, stack)
            yield self._checked(made)
        finally:
            try:
                await stack.aclose()
            except Exception:  # noqa: BLE001 - logged: everything else is closed already, or closes next
                _log.exception("the graph's factory failed when it was closed")

    @property
    def _needs_loop(self) -> bool:
        """Whether the graph is yet to be made by a coroutine, or entered."""
        if self._factory is not None and self._factory.is_async:
            return True
        return inspect.isawaitable(self._made) or isinstance(self._made, DEFERRED)

    def _checked(self, made: Any) -> Graph:
        if isinstance(made, StateGraph):
            with self._refusing("cannot be compiled"):
                made = made.compile()  # pyright: ignore[reportUnknownVariableType]
        if isinstance(made, RemoteGraph):
            raise self._refusal(
                "is a RemoteGraph, which runs on another server: call it in a node of a graph"
            )
        if not isinstance(made, Pregel):
            raise self._refusal(f"is a {type(made).__name__}, not a compiled LangGraph graph")
        graph: Graph = made  # pyright: ignore[reportUnknownVariableType]
        takes = GraphInput(graph, self._options.input_field)
        reply = GraphReply(graph, self._options.reply_key)
        context = RunContext(graph.context_schema, self._options.context)
        fault = context.fault or takes.fault or reply.fault
        if fault is not None:
            raise self._refusal(fault)
        return graph

    @contextlib.contextmanager
    def _refusing(self, what: str) -> Generator[None]:
        try:
            yield
        except GraphNotFoundError:
            raise
        except Exception as error:
            raise self._refusal(f"{what}: {described(error)}") from error

    def _refusal(self, why: str) -> GraphNotFoundError:
        return GraphNotFoundError(f"DETOUR_GRAPH={self._named} {why}")


def load_graph(named: str, options: GraphOptions | None = None) -> GraphSource:
    """Return where the graph at `module:attribute`, or of a `langgraph.json`, comes from.

    Imports the module, and calls what it finds there if that is a plain function. Raises `GraphNotFoundError`
    with a sentence that says what is wrong, whatever the module raised.
    """
    try:
        found, notes = _find(named)
    except GraphNotFoundError:
        raise
    except ProjectError as error:
        raise GraphNotFoundError(f"DETOUR_GRAPH={named} {error}") from None
    except Exception as error:
        why = "; ".join([described(error), *getattr(error, "__notes__", ())])
        raise GraphNotFoundError(f"DETOUR_GRAPH={named} cannot be imported: {why}") from error
    return GraphSource(named, found, options or GraphOptions(), notes)


def _find(named: str) -> tuple[Any, list[str]]:
    """Return what a name leads to, and what is to be said about the way to it."""
    located = project_at(named)
    if located is not None:
        file, name = located
        # One graph for now; `Project.graphs` has them all, by the names that a request could choose by.
        project = read_project(file)
        ignored = ", ".join(project.ignored)
        return project.find(name), [f"{FILE_NAME}: not used: {ignored}"] if ignored else []
    module_name, _, attribute = named.partition(":")
    if not attribute.isidentifier() or not all(part.isidentifier() for part in module_name.split(".")):
        raise GraphNotFoundError(
            "DETOUR_GRAPH must be module:attribute (trip.graph:build) or the path of a langgraph.json, "
            f"not {named!r}."
        )
    return getattr(importlib.import_module(module_name), attribute), []
