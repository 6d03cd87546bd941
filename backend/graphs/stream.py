"""Turns what a run of any graph streams and writes into progress and partial results of its task.

LangGraph calls `streamed` and `written` within the run; neither waits.
"""

import asyncio
import dataclasses
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, cast

import orjson
from pydantic import BaseModel

from ..domain.encoding import encode
from ..domain.task import ENDED_AGENT_STATES
from ..errors import GraphFailedError
from ..tasks.task_context import TaskContext
from .langgraph_internals import Chunk, is_cached, is_paused, outermost_node, outermost_node_of
from .loop_calls import LoopCalls

MOST_IN_ONE_STEP = 25_000
"""Writes of a run in one step of the event loop, for which all other users wait: some 0.2 s (measured)."""

_TOO_MANY_AT_ONCE = (
    f"The node {{!r}} wrote more than {MOST_IN_ONE_STEP:,} times without an await in between, and everybody "
    "else had to wait. It can write lists of items instead, or `await asyncio.sleep(0)` now and then."
)


@dataclass(slots=True)
class _NodeRuns:
    """Counts the overlapping runs of one node: `Send` may start it several times at once."""

    started: int = 0
    ended: int = 0
    failed: bool = False


class GraphStream:
    """Follows one run.

    `state` is the last state, `wrote` names for each channel that its nodes have written the last that did;
    `paused` tells whether the graph stopped to wait for input.
    """

    def __init__(self, context: TaskContext, nodes: Set[str], on_loop: LoopCalls) -> None:
        self.state: Any = None
        self.wrote: dict[str, str] = {}
        self.paused = False
        self._ended_before = {name for name, now in context.agents.items() if now.state in ENDED_AGENT_STATES}
        self._not_run_again: set[str] = set()
        self._context = context
        self._nodes = nodes
        self._runs: dict[str, _NodeRuns] = {}
        self._names: dict[str, str] = {}
        self._on_loop = on_loop
        self._in_this_step = 0

    @property
    def has_failed(self) -> bool:
        """Whether a node has failed, and not what is between the nodes."""
        return any(each.failed for each in self._runs.values())

    def has_run(self, path: tuple[str, ...]) -> bool:
        """Whether a node of the outermost graph has begun to run; of those within nothing is known."""
        return len(path) == 1 and path[0] in self._runs

    def streamed(self, chunk: Chunk) -> None:
        """Take a chunk of the modes `tasks`, `updates` and `values`: a node's start or end, a pause, a state.

        Chunks of subgraphs are ignored: what a subgraph does belongs to the node that runs it.
        """
        namespace, mode, payload = chunk
        if mode == "tasks" and "triggers" in payload:
            self._begin_no_step_after_an_interruption()
        if namespace:
            return
        if mode == "values":
            self.state = payload
        elif mode == "updates":
            self.paused |= is_paused(payload)
            if is_cached(payload):  # its start was streamed, and no end will be
                for name, update in payload.items():
                    channels = cast("Mapping[str, Any]", update) if isinstance(update, Mapping) else ()
                    self.wrote.update((channel, name) for channel in channels)
                    self._ended(name)
        elif "triggers" in payload:
            self._names[payload["id"]] = payload["name"]
            # A resumed run streams a start and an end for each node of its first step that had ended before
            # the pause, though LangGraph only applies their stored writes and does not run them.
            if payload["name"] in self._ended_before:
                self._not_run_again.add(payload["id"])
            else:
                self._started(payload["name"])
        else:
            # The first end: all starts of that step were streamed. A node that starts later does run.
            self._ended_before.clear()
            self.wrote.update(dict.fromkeys(payload["result"], payload["name"]))
            if payload["id"] not in self._not_run_again and not payload["interrupts"]:
                self._ended(payload["name"], failed=payload["error"] is not None)

    def _begin_no_step_after_an_interruption(self) -> None:
        # A node that lost its cancellation has returned: LangGraph would begin the next one.
        if self._context.reason is not None or self._context.life.suspended:
            if self._on_loop.is_on_loop:
                raise asyncio.CancelledError
            raise GraphFailedError("The task was interrupted before this step began.")

    def agent_of(self, branch: str, namespace: str) -> str:
        """Return the node of the outermost graph to which a branch belongs."""
        return outermost_node_of(namespace) or self._names.get(branch, "graph")

    def written(self, value: Any) -> None:
        """Publish what a node wrote, from the event loop's thread or any other.

        Encodes the value before it returns: so a value without a JSON form fails the node that wrote it, and
        a node may mutate what it wrote. Raises `GraphFailedError` for such a value and for too many in one
        step of the event loop, and the failure of a task that has one.
        """
        if self._context.failure is not None:
            raise self._context.failure
        node = outermost_node()
        if self._on_loop.is_on_loop:  # a thread that is too fast waits for the loop
            self._count_in_step(node)
        try:
            try:
                self._take(node, value)
            except TypeError:
                # Only now: looking through each value for messages would copy all that nodes write.
                self._take(node, with_plain_objects(value))
        except TypeError as error:
            raise GraphFailedError(f"The node {node!r} wrote what has no JSON form: {error}.") from error

    def _count_in_step(self, node: str) -> None:
        if not self._in_this_step:
            asyncio.get_running_loop().call_soon(self._begin_step)
        self._in_this_step += 1
        if self._in_this_step > MOST_IN_ONE_STEP:
            raise GraphFailedError(_TOO_MANY_AT_ONCE.format(node))

    def _begin_step(self) -> None:
        self._in_this_step = 0

    def _take(self, node: str, value: Any) -> None:
        """Publish a value; from another thread, soon. Raises `TypeError` before it does."""
        agent, items, source = _found(value, node)
        if not self._on_loop.is_on_loop:
            # Here and not on the loop: the node may mutate an item before the loop gets to it.
            encode((agent, source))
            items = [orjson.Fragment(encode(item)) for item in items]
        self._on_loop(self._publish, agent, items, source)

    def _publish(self, agent: str, items: list[Any], source: str | None) -> None:
        self._context.publish(agent, items, source=source)

    def _started(self, name: str) -> None:
        if name not in self._nodes:
            return  # a `@task` that a node calls: part of that node
        runs = self._runs.get(name)
        if runs is None or runs.ended == runs.started:
            runs = self._runs[name] = _NodeRuns()
            self._context.progress(name, "working")
        runs.started += 1

    def _ended(self, name: str, *, failed: bool = False) -> None:
        runs = self._runs.get(name)
        if runs is None:
            return  # a `@task`, or the error handler of a node, which streams an end and no start
        runs.ended += 1
        runs.failed |= failed
        total = runs.started if runs.started > 1 else 0
        if runs.ended < runs.started:
            self._context.progress(name, "working", done=runs.ended, total=total)
        else:
            self._context.progress(name, "failed" if runs.failed else "done", done=total, total=total)


def _found(value: Any, node: str) -> tuple[str, list[Any], str | None]:
    """Return agent, items and source that a mapping names; any other value is the node's only item."""
    if not isinstance(value, Mapping):
        return node, [value], None
    written: Mapping[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
    agent, source, items = written.get("agent"), written.get("source"), written.get("items")
    return (
        agent if isinstance(agent, str) and agent else node,
        [*items] if isinstance(items, list | tuple) else [written],  # pyright: ignore[reportUnknownVariableType]
        source if isinstance(source, str) else None,
    )


def with_plain_objects(value: Any) -> Any:
    """Return a value in which pydantic objects, such as LangChain's messages, are mappings of their fields.

    Looks into mappings, lists, tuples and dataclasses. Raises `TypeError` for a field without a JSON form.
    """
    try:
        return _plain(value)
    except (ValueError, RecursionError) as error:  # pydantic's error, and a value that holds itself
        raise TypeError(f"{type(value).__name__}: {error}") from error


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", warnings=False)
    if isinstance(value, Mapping):
        items: Mapping[Any, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return {key: _plain(each) for key, each in items.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    return value
