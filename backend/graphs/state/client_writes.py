"""What clients write to the state of a thread: steps that the graph's own reducers make, without a run."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, cast

import orjson
from langchain_core.messages import BaseMessage, RemoveMessage
from langgraph.channels import DeltaChannel
from langgraph.errors import InvalidUpdateError
from langgraph.graph import END, START
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.types import Command, Send, StateUpdate

from ...domain.errors import BadInput
from ...domain.task import Task
from ...domain.tool_call import ToolCall
from ...store.records import Record
from ...store.threads import ThreadStep, unknown_step
from ...tasks.contained import contained
from ...tasks.task_context import UserCache
from ...tasks.workflow import StateWrite, WrittenState
from ..graph_options import Graph, describe_error
from ..history_repair import complete_conversation
from ..langgraph_internals import AS_INPUT, checkpointed, stores_deltas
from .checkpoints import TaskCheckpointer
from .state_fit import StateFit
from .thread import UNREADABLE, Beginning, GraphState, StoredThreads, Thread
from .writer import ThreadWriter

WITHIN_S = 10.0
"""Seconds that reducers and the conditions of edges may take: the user's next message waits for them."""

ALL = REMOVE_ALL_MESSAGES


def _raise_nothing(_interrupt: Any, _branch: str, _namespace: str) -> None:
    """Do nothing: no node runs that could ask."""


class _Owner:
    """Collects the records of the steps in place of a task that runs."""

    closed = False

    def __init__(self, task: Task) -> None:
        self.task = task
        self.tool_calls: Mapping[str, ToolCall] = {}
        self.cache = UserCache()
        self.records: list[Record] = []

    def record(self, *records: Record) -> None:
        self.records += records


class ClientWrites:
    """Writes to the threads of one graph; `field` is the channel of its conversation.

    `threads` are the names of its threads, and of those that it takes over, `deltas` its channels that
    LangGraph stores in pieces.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        threads: Sequence[str],
        field: str,
        fit: StateFit,
        deltas: "Mapping[str, DeltaChannel[Any]]",
    ) -> None:
        self._graph = graph
        self._threads = threads
        self._field = field
        self._fit = fit
        self._deltas = deltas

    async def written(
        self, write: StateWrite, calls_of: Callable[[str, int], Awaitable[Sequence[ToolCall]]]
    ) -> WrittenState:
        """Make the steps of a write; `calls_of` returns the tool calls of a user's task, by its turn.

        Raises `BadInput` for what the graph refuses, `NotFound` for a step that is not kept, and
        `StoreUnavailable`. Cancelling this leaves nothing behind.
        """
        if self._graph.checkpointer is False:
            raise BadInput("values: the graph keeps no state, being compiled with checkpointer=False.")
        user_id = write.task.user_id
        beginning = await self._beginning(write, user_id)
        self._fit.set_aside(beginning, user_id, goes_on=True)
        before = beginning.thread
        if before is not None:
            self._complete(before, await calls_of(user_id, before.turn))
        owner = _Owner(write.task)
        writer = ThreadWriter(owner, beginning, deltas=self._deltas, graph=self._threads[0])
        writer.shape = self._fit.shape
        said = _messages(before.value(self._field) if before is not None else None)
        had = {**before.graphs[""].channels} if before is not None else {}
        saver = TaskCheckpointer(
            _raise_nothing, thread_id=user_id, keep_history=stores_deltas(self._graph), thread=writer
        )
        configuration: Any = {"configurable": {"thread_id": user_id, **checkpointed(saver)}}
        supersteps = [[self._update(each) for each in step] for step in write.supersteps]
        removes_all = any(self._removes_all(each.values) for step in supersteps for each in step)
        values = await self._apply(configuration, supersteps)
        now = _messages(values.get(self._field) if isinstance(values, dict) else None)
        newest = next(each for each in reversed(owner.records) if isinstance(each, ThreadStep))
        state = writer.state
        return WrittenState(
            records=owner.records,
            thread=self._threads[0],
            newest=owner.cache.threads.get(self._threads[0]),
            step_id=newest.step_id,
            parent=before.step.step_id if before is not None else None,
            as_node=supersteps[-1][-1].as_node,
            channels=_changed(had, state),
            messages=[each for name, each in now.items() if removes_all or each != said.get(name)],
            changed={*said},
            removed=[ALL] if removes_all else [each for each in said if each not in now],
        )

    async def _beginning(self, write: StateWrite, user_id: str) -> Beginning:
        stored = StoredThreads.of(self._threads, write.store, user_id)
        taken_over, first = await stored.taken_over()
        newest = taken_over or await stored.step(None)
        if write.step_id == "":
            return Beginning(None, newest.number if newest is not None else 0, first)
        begun = newest if write.step_id is None else await stored.step(write.step_id)
        if write.step_id is not None and begun is None:
            raise unknown_step(write.step_id, field_name="checkpoint_id")
        if newest is None or begun is None:
            return Beginning(fault=stored.fault)
        try:
            thread = Thread(begun, as_it_went_on=begun.step_id == newest.step_id)
        except UNREADABLE as error:
            raise BadInput(f"checkpoint_id: that state cannot be read: {describe_error(error)}.") from error
        return Beginning(thread, newest.number, first)

    def _complete(self, thread: Thread, calls: Sequence[ToolCall]) -> None:
        """Tell the conversation what became of calls that an interruption cut off, as a run would do."""
        left = [each for each in calls if each.call_id not in thread.calls]
        said: Any = thread.value(self._field)
        if left and isinstance(said, list):
            whole = complete_conversation(cast("list[Any]", said), left, "", earlier=calls)
            if whole is not None:
                thread.replace(self._field, whole)

    def _update(self, given: Mapping[str, Any]) -> StateUpdate:
        node: str | None = given.get("as_node")
        values: Any = given.get("values")
        if node is not None and node not in {*self._graph.nodes, AS_INPUT, END}:
            names = ", ".join(sorted({*self._graph.nodes} - {START}))
            raise BadInput(f"as_node: the graph has no node {node!r}; there are: {names}.")
        if isinstance(values, dict):
            own = cast("dict[str, Any]", values)
            values = {**own, self._field: _removable(own[self._field])} if self._field in own else own
        command = given.get("command")
        written: Any = values if command is None else command_of(command)
        return StateUpdate(written, node)

    def _removes_all(self, values: Any) -> bool:
        if not isinstance(values, dict):
            return False
        written: Any = cast("dict[str, Any]", values).get(self._field)
        messages = cast("list[Any]", written) if isinstance(written, list) else [written]
        return any(isinstance(each, RemoveMessage) and each.id == ALL for each in messages)

    async def _apply(self, configuration: Any, supersteps: Sequence[Sequence[StateUpdate]]) -> Any:
        """Have LangGraph make the steps; return the values after them."""
        try:
            async with asyncio.timeout(WITHIN_S):
                await contained(self._graph.abulk_update_state(configuration, supersteps))
                return (await self._graph.aget_state(configuration)).values
        except TimeoutError:
            raise BadInput(f"values: the graph took longer than {WITHIN_S:.0f} s to take them.") from None
        except InvalidUpdateError as error:
            ambiguous = "mbiguous" in str(error)
            why = "say which node writes: LangGraph cannot tell" if ambiguous else describe_error(error)
            raise BadInput(f"{'as_node' if ambiguous else 'values'}: {why.rstrip('.')}.") from error
        except Exception as error:
            # Reducers and the conditions of edges are any code.
            raise BadInput(f"values: the graph refuses them: {describe_error(error).rstrip('.')}.") from error


def command_of(given: Mapping[str, Any]) -> "Command[Any]":
    """Return the command `{update, goto}` of a client. Raises `BadInput` for a `goto` that is none."""
    goto: Any = given.get("goto")
    found: list[str | Send] = []
    for each in cast("list[Any]", goto if isinstance(goto, list) else [goto] if goto else []):
        sent = cast("dict[str, Any]", each) if isinstance(each, dict) else dict[str, Any]()
        if not isinstance(each, str) and not isinstance(sent.get("node"), str):
            raise BadInput("command.goto: it should name nodes, or be objects with `node` and `input`.")
        found.append(each if isinstance(each, str) else Send(sent["node"], sent.get("input")))
    return Command(update=given.get("update"), goto=found)


def _removable(written: Any) -> Any:
    """Return written messages with those that remove others as LangChain has them."""
    if isinstance(written, list):
        return [_removable(each) for each in cast("list[Any]", written)]
    if isinstance(written, dict):
        message = cast("dict[str, Any]", written)
        if message.get("type") == "remove" and isinstance(message.get("id"), str):
            return RemoveMessage(id=message["id"])
    return cast("Any", written)


def _messages(said: Any) -> dict[str, Any]:
    """Return the messages of a conversation in JSON, by their ids; those without one are left out."""
    found: dict[str, Any] = {}
    for each in cast("list[Any]", said) if isinstance(said, list) else ():
        plain = each.model_dump(warnings=False) if isinstance(each, BaseMessage) else each
        message: Any = orjson.loads(orjson.dumps(plain, default=str, option=orjson.OPT_NON_STR_KEYS))
        if isinstance(message, dict) and isinstance(message.get("id"), str):  # pyright: ignore[reportUnknownMemberType]
            found[message["id"]] = message
    return found


def _changed(had: Mapping[str, Any], state: GraphState | None) -> list[str]:
    return sorted(
        name
        for name, packed in (state.channels.items() if state is not None else ())
        if packed != had.get(name) and ":" not in name and not name.startswith("__")
    )
