"""Loads a graph that `DETOUR_GRAPH` names, or refuses it at the start in one sentence.

What needs no event loop happens at once, so that most refusals come before anything is opened. Async
factories and context managers are entered when the server starts, on its own loop: what they open there,
such as the connections of a client, is bound to it.
"""

import asyncio
import contextlib
import inspect
from collections.abc import AsyncGenerator
from typing import Any

import structlog
from langgraph.graph import StateGraph
from langgraph.pregel import Pregel
from langgraph.pregel.remote import RemoteGraph

from .factories import Factory, enter
from .graph_interface import GraphInterface
from .graph_options import Graph, GraphOptions
from .named_graphs import NamedGraph
from .start_limit import LAST_S

DEFERRED = (contextlib.AbstractAsyncContextManager, contextlib.AbstractContextManager)
"""What a factory may return to be entered, besides an awaitable."""

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
        """Yield the graph with what it takes and gives.

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
