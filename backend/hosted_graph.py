"""Any compiled LangGraph graph as a workflow: it is run unchanged, and need not know Detour.

The graph gets those of `message`, `messages`, `user_id`, `previous_context` and `partial_results` that its
state declares. What its nodes write with `get_stream_writer()` becomes partial results, a node that starts or
ends becomes an agent update, and `answer`, `response` or the last message of its final state the reply.

Nothing is consumed from a stream: the run is one `ainvoke`, whose stream and writer are given to it.
LangGraph does the same for a subgraph, through two keys of its configuration; they are not documented, so the
contract suite holds them to what is said here. `astream` in the modes `custom`, `tasks` and `values` took
1.18 ms a run where this takes 1.12, and cannot tell which of two parallel nodes wrote something.
"""

import asyncio
import importlib
import inspect
import threading
from collections.abc import Mapping
from typing import Any

from langgraph._internal._constants import CONFIG_KEY_RUNTIME, CONFIG_KEY_STREAM
from langgraph.config import get_config
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel.protocol import StreamProtocol
from langgraph.runtime import Runtime

from backend.domain.task import Message
from backend.errors import DetourError
from backend.task_context import TaskContext
from backend.workflow import Reading

REPLY_KEYS = ("answer", "response")
HISTORY = 50
"""Messages of the conversation that a graph with `messages` in its state gets, its own included."""

Graph = CompiledStateGraph[Any, Any, Any, Any]


class GraphNotFoundError(DetourError):
    """`DETOUR_GRAPH` does not lead to a compiled graph."""

    code = "graph_not_found"


def load_graph(path: str) -> Graph:
    """Return the graph at `module:attribute`: a compiled graph, or a function that returns one.

    Raises `GraphNotFoundError` with a sentence that says what is wrong.
    """
    module_name, _, attribute = path.partition(":")
    if not module_name or not attribute:
        raise GraphNotFoundError(f"DETOUR_GRAPH must be module:attribute, not {path!r}.")
    try:
        found: Any = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError) as error:
        raise GraphNotFoundError(f"DETOUR_GRAPH={path} cannot be imported: {error}") from error
    if inspect.isfunction(found):
        found = found()
    if not isinstance(found, CompiledStateGraph):
        kind = type(found).__name__
        raise GraphNotFoundError(f"DETOUR_GRAPH={path} is a {kind}, not a compiled LangGraph graph.")
    return found  # pyright: ignore[reportUnknownVariableType]


class HostedGraph:
    """A workflow that runs one graph for every message."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._wanted = frozenset(graph.builder.schemas[graph.builder.input_schema])

    def read(self, message: str, previous: Mapping[str, Any] | None, *, unfinished: bool) -> Reading:
        """Read nothing into the message: it takes the place of the task at work."""
        return Reading()

    async def run(self, context: TaskContext) -> str:
        """Run the graph and return the reply its final state holds."""
        stream = _RunStream(context)
        configuration = {
            "run_name": "task",
            "configurable": {
                "thread_id": context.task_id,
                CONFIG_KEY_STREAM: StreamProtocol(stream.node_event, {"tasks"}),
                CONFIG_KEY_RUNTIME: Runtime(stream_writer=stream.written),
            },
        }
        state = await self._graph.ainvoke(await self._input(context), configuration)  # type: ignore[arg-type]
        return _reply(state)

    async def _input(self, context: TaskContext) -> dict[str, Any]:
        values: dict[str, Any] = {"message": context.task.message, "user_id": context.user_id}
        if "messages" in self._wanted:
            values["messages"] = [_as_chat(message) for message in await context.history(HISTORY)]
        if context.previous is not None:
            left = context.previous.to_state()
            values |= {"previous_context": left, "partial_results": left["partial_results"]}
        return {name: value for name, value in values.items() if name in self._wanted}


class _RunStream:
    """Turns what a run streams into progress and partial results of its task."""

    def __init__(self, context: TaskContext) -> None:
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()

    def node_event(self, chunk: tuple[tuple[str, ...], str, Any]) -> None:
        """Take a node's start or end; those of subgraphs belong to the node that runs them."""
        namespace, _mode, payload = chunk
        if namespace:
            return
        if "triggers" in payload:
            self._context.progress(payload["name"], "working")
        else:
            self._context.progress(payload["name"], "failed" if payload.get("error") else "done")

    def written(self, value: Any) -> None:
        """Take what a node wrote; one that is not async writes from a thread of its own."""
        node = _node()
        if threading.get_ident() == self._thread:
            self._publish(node, value)
        else:
            self._loop.call_soon_threadsafe(self._publish, node, value)

    def _publish(self, node: str, value: Any) -> None:
        """Publish the items that a mapping holds, or the value itself as the only item."""
        if not isinstance(value, Mapping):
            self._context.publish(node, [value])
            return
        written: Mapping[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
        agent, source, items = written.get("agent"), written.get("source"), written.get("items")
        self._context.publish(
            agent if isinstance(agent, str) else node,
            items if isinstance(items, list) else [written],  # pyright: ignore[reportUnknownArgumentType]
            source=source if isinstance(source, str) else None,
        )


def _node() -> str:
    """Return the name of the outermost node that runs now."""
    namespace: str = get_config().get("configurable", {})["checkpoint_ns"]
    return namespace.partition("|")[0].partition(":")[0]


def _as_chat(message: Message) -> dict[str, str]:
    return {"role": message.role, "content": message.text}


def _reply(state: Any) -> str:
    """Return the reply that a final state holds, or a plain word where it holds none."""
    if isinstance(state, Mapping):
        values: Mapping[str, Any] = state  # pyright: ignore[reportUnknownVariableType]
        for key in REPLY_KEYS:
            if isinstance(values.get(key), str):
                return values[key]
        messages: Any = values.get("messages")
        if messages:
            return _content(messages[-1])
    return "Done."


def _content(message: Any) -> str:
    """Return the text of a message, be it a mapping, a LangChain message or a string."""
    if isinstance(message, Mapping):
        return str(message["content"])  # pyright: ignore[reportUnknownArgumentType]
    return str(getattr(message, "content", message))
