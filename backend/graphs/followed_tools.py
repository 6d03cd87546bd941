"""Enters the tools that a run calls by itself in the ledger, as LangChain reports them to a callback handler.

LangChain reports neither that a call was cancelled nor what becomes of a thread that outlives its call. The
first shows when the run's code has ended (`FollowedTools.end_run`); for the second the thread is observed.
"""

import asyncio
import threading
from asyncio import Task
from collections.abc import Mapping, Sequence, Set
from concurrent.futures import wait
from typing import Any, NamedTuple
from uuid import UUID

import orjson
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import ToolMessage
from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.types import Command, Interrupt

from ..domain.encoding import encode
from ..domain.tool_call import Outcome
from ..store.records import answer_of
from ..tasks.ledger.observed import (
    IN_THREAD_S,
    ON_LOOP_S,
    PROGRAM_ENDED,
    ObservedCall,
    ObservedCalls,
    OnLoop,
    RunSteps,
)
from ..tasks.task_context import TaskContext
from ..tasks.user_threads import (
    OBSERVED_BY,
    CallThreads,
    call_begins_here,
    call_ended_here,
    is_awaited_here,
    is_gone,
)
from .graph_output import BLOCKED_AFTER_S, LoopCalls
from .hosted_calls import LONGEST_SUMMARY, in_words
from .langgraph_internals import current_nodes, namespace_of, nodes_of, outermost_node_of

MOST_KEPT_BYTES = 2**20
"""The most of a call's arguments, and of its result, that its entry keeps; the graph has them whole."""

UNFOLLOWED = "a step that may run tools which nobody can follow"
"""The summary of such a step once it has ended."""

_TOO_LONG = "too long to be kept here"


class Started(NamedTuple):
    """What LangChain reports of a call that is about to begin; `purpose` is the id that a model gave it."""

    run_id: UUID
    agent: str
    tool: str
    arguments: dict[str, Any]
    purpose: str


def started(serialized: dict[str, Any], input_str: str, run_id: UUID, more: Mapping[str, Any]) -> Started:
    """Return the start of a tool, from the arguments of a handler."""
    inputs, nodes = more.get("inputs"), nodes_of(more.get("metadata") or {})
    arguments: Any = _as_json({"input": input_str} if inputs is None else inputs)
    # In words if they have no JSON form, and an entry is read back as a mapping.
    arguments = {"input": arguments} if isinstance(arguments, str) else arguments
    tool = str((serialized or {}).get("name") or more.get("name") or "tool")
    return Started(
        run_id, nodes[0] if nodes else "graph", tool, arguments, str(more.get("tool_call_id") or "")
    )


class FollowedTools:
    """Follows the tools of one run, on its event loop."""

    def __init__(self, context: TaskContext, calls: ObservedCalls, on_loop: LoopCalls) -> None:
        self._context = context
        self._calls = calls
        self._on_loop = on_loop
        self._tools: dict[UUID, FollowedTool] = {}
        self._steps = RunSteps(context, current_nodes)
        self._loop = asyncio.get_running_loop()
        self._asking: list[tuple[Interrupt, str]] = []

    def begin_run(self) -> None:
        """Follow the threads of all that this asyncio task starts from now on: nodes, edges, tools."""
        self._calls.follow(self._steps)
        OBSERVED_BY.set(self._steps.observer)

    def asked(self, interrupt: Interrupt, request_id: str) -> None:
        """Note the question of the call that has raised an interrupt, if one has."""
        for raised, call_id in self._asking:
            # By identity: calls that one node makes at once may all ask the same.
            if raised is interrupt:
                self._calls.asked(self._context, call_id, request_id)

    async def ended(self) -> None:
        """Wait until no call of the run is under way. Cancelling the wait changes nothing."""
        await self._calls.ended(self._context)

    def end_run(self, *, is_whole: bool) -> None:
        """Note that the run's code has ended; `is_whole` if no error and no cancellation cut it short."""
        self._calls.release(self._context, is_whole=is_whole)

    def leave(self, run_id: UUID) -> None:
        """Attribute what follows a call to the step that made it; in the thread of the call."""
        tool = self._tools.get(run_id)
        if self._on_loop.is_on_loop:
            OBSERVED_BY.set(self._steps.observer)
        elif tool is not None:
            call_ended_here(tool)

    async def begin(self, started: Started) -> None:
        """Enter a call on the event loop, durably. Raises as `ObservedCalls.begin`."""
        tool = FollowedTool(self._calls, self._on_loop.soon)
        await self._enter(tool, started)
        self._begun(started.run_id, tool)

    def begin_here(self, started: Started) -> None:
        """Enter a call in its thread, which waits until that is durable. Raises as `ObservedCalls.begin`."""
        tool = FollowedTool(self._calls, self._on_loop.soon)
        if self._on_loop.is_on_loop:
            self._enter_here(tool, started, within_s=ON_LOOP_S)
            self._begun(started.run_id, tool)
            return
        tool.thread_begins()  # first: a run that ends while this waits must find the thread
        may_begin = False
        try:
            # By the event loop if it does not wait for this thread: in order with all else, and cheaper.
            if not (is_awaited_here() and self._loop_enters(tool, started)):
                self._enter_here(tool, started, within_s=IN_THREAD_S)
            may_begin = True
        finally:
            if not may_begin:
                tool.threads.end()
        self._tools[started.run_id] = tool
        call_begins_here(tool)

    def _loop_enters(self, tool: "FollowedTool", started: Started) -> bool:
        """Have the event loop enter a thread's call; return False if the loop is blocked."""
        taken = threading.Lock()

        async def enter() -> None:
            if taken.acquire(blocking=False):
                await self._enter(tool, started)

        asked = asyncio.run_coroutine_threadsafe(enter(), self._loop)
        wait([asked], BLOCKED_AFTER_S)
        if not asked.done() and taken.acquire(blocking=False):
            return False
        answer_of(asked, IN_THREAD_S)
        return True

    async def _enter(self, tool: "FollowedTool", started: Started) -> None:
        entry = (self._context, started.agent, started.tool, started.arguments)
        tool.observed = await self._calls.begin(*entry, purpose=started.purpose, threads=tool.threads)

    def _enter_here(self, tool: "FollowedTool", started: Started, *, within_s: float) -> None:
        entry = (self._context, started.agent, started.tool, started.arguments)
        call: Any = {"purpose": started.purpose, "threads": tool.threads, "on_loop": self._on_loop.soon}
        tool.observed = self._calls.begin_here(*entry, **call, within_s=within_s)

    async def begin_node(self, node: str) -> ObservedCall:
        """Enter a node that may run tools which nobody follows. Raises as `ObservedCalls.begin`."""
        return await self._calls.begin_step(self._context, node, threads=self._steps.of((node,)).threads)

    def end_node(self, entered: ObservedCall, error: BaseException | None) -> None:
        """Note how such a node has ended; a cancelled one ends with its run."""
        if isinstance(error, GraphBubbleUp):
            self._calls.pause(entered)
        elif error is None:
            self._calls.end(entered, "completed", summary=UNFOLLOWED)
        elif not isinstance(error, asyncio.CancelledError):
            self._calls.end(entered, "failed", summary=_reason(error))

    def _begun(self, run_id: UUID, tool: "FollowedTool") -> None:
        self._tools[run_id] = tool
        # LangChain runs the tool in a copy of this context, and so every thread that the tool starts.
        OBSERVED_BY.set(lambda: tool)

    def end(self, run_id: UUID, outcome: Outcome, value: Any) -> None:
        """Note the outcome of a call."""
        tool = self._tools.pop(run_id, None)
        if tool is not None:
            tool.end(outcome, value)

    def fail(self, run_id: UUID, error: BaseException) -> None:
        """Note that a call failed; or that it asked its user, and begins again after the answer."""
        tool = self._tools.pop(run_id, None)
        if tool is not None and isinstance(error, GraphBubbleUp):
            tool.pause()
            if tool.observed is not None and isinstance(error, GraphInterrupt):
                self._asking += [(each, tool.observed.call_id) for each in error.args[0]]
        elif tool is not None:
            tool.end("failed", _reason(error))


class FollowedTool:
    """One call, from its start to its end; the `ThreadObserver` of the threads that work for it."""

    def __init__(self, calls: ObservedCalls, on_loop: OnLoop) -> None:
        self.threads = CallThreads()
        self.observed: ObservedCall | None = None
        self._calls = calls
        self._on_loop = on_loop

    def thread_begins(self) -> bool:
        """Count a thread that is about to begin; False if it must not."""
        return self.threads.begin()

    def thread_ended(self, value: Any, error: Exception | None) -> None:
        """Note the outcome of a thread that has outlived its call."""
        if not self.threads.end():
            return  # LangChain reports the end
        outcome: Outcome = "completed" if error is None else "failed"
        came_to = _as_json(value) if error is None else _reason(error)
        self._on_loop(self.end, outcome, came_to)

    def lend_thread(self) -> None:
        """Do nothing: it waits for the call within it, and so works in the thread as well."""

    def take_thread_back(self) -> None:
        """Do nothing."""

    def program_ends(self, ending: "Task[bool]") -> None:
        """Note that a program of the call is being ended: the call has ended once it is gone."""
        self.threads.end_program(ending)
        ending.add_done_callback(self._program_ended)

    def _program_ended(self, ending: "Task[bool]") -> None:
        if is_gone(ending) and self.threads.end() and self.observed is not None:
            self._calls.end(self.observed, "cancelled", summary=PROGRAM_ENDED)

    def end(self, outcome: Outcome, value: Any) -> None:
        """Note the outcome of the call."""
        if self.observed is not None:
            self._calls.end(self.observed, outcome, summary=in_words(value), result=value)

    def pause(self) -> None:
        """Note that the call has asked its user."""
        if self.observed is not None:
            self._calls.pause(self.observed)


def result_of(output: Any) -> tuple[Outcome, Any]:
    """Return the outcome and value of a call from the output of LangChain's tool."""
    if not isinstance(output, ToolMessage):
        # In words that are no text for the model: a command to the graph, perhaps among messages.
        whole: Any = output
        parts: Sequence[Any] = whole if isinstance(output, list) else [whole]
        is_command = any(isinstance(each, Command) for each in parts)
        return "completed", {"command": str(whole)} if is_command else _as_json(whole)
    return "failed" if output.status == "error" else "completed", _as_json(output.content)


def _as_json(value: Any) -> Any:
    """Return a value as JSON has it, or in words if it has no such form or is too long: no tool of ours."""
    if isinstance(value, str) and len(value) > MOST_KEPT_BYTES:
        return _TOO_LONG
    try:
        encoded = encode(value)
        return orjson.loads(encoded) if len(encoded) <= MOST_KEPT_BYTES else _TOO_LONG
    except (TypeError, ValueError):
        return str(value).encode(errors="replace").decode()


def _reason(error: BaseException) -> str:
    return (str(error) or type(error).__name__).encode(errors="replace").decode()[:LONGEST_SUMMARY]


# --- marked nodes --------------------------------------------------------------------------------------
# Marks the nodes that may run tools which no callback follows (`reach_of`), while each runs.
#
# The mark is an entry of the ledger, durable before the node begins. It costs other nodes nothing:
# LangChain asks this handler only in graphs that have such a node.


class InlineHandler(AsyncCallbackHandler):
    """Follows only what a subclass says, in the asyncio task of the call."""

    # In that task, so that `OBSERVED_BY` is set where a tool runs, and a node begins after its mark.
    run_inline = True
    raise_error = True

    @property
    def ignore_chain(self) -> bool:
        """Whether nodes are not followed."""
        return True

    @property
    def ignore_llm(self) -> bool:
        """Whether completions are not followed."""
        return True

    @property
    def ignore_chat_model(self) -> bool:
        """Whether chat models are not followed."""
        return True

    @property
    def ignore_retriever(self) -> bool:
        """Whether retrievers are not followed."""
        return True

    @property
    def ignore_agent(self) -> bool:
        """Whether tools are not followed."""
        return True


class MarkedNodes(InlineHandler):
    """Marks the nodes of these names; a graph within belongs to its node."""

    @property
    def ignore_chain(self) -> bool:
        """Whether nodes are not followed."""
        return False

    def __init__(self, names: Set[str], tools: FollowedTools) -> None:
        self._names = names
        self._tools = tools
        self._entered: dict[UUID, tuple[str, ObservedCall]] = {}
        self._running: set[str] = set()

    async def on_chain_start(
        self,
        serialized: dict[str, Any],
        inputs: dict[str, Any],
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Mark a node that begins; what runs within it is part of it. Raises as `ObservedCalls.begin`."""
        namespace = namespace_of(metadata or {})
        node = outermost_node_of(namespace)
        if node in self._names and "|" not in namespace and namespace not in self._running:
            self._running.add(namespace)
            self._entered[run_id] = namespace, await self._tools.begin_node(node)

    async def on_chain_end(self, outputs: dict[str, Any], *, run_id: UUID, **kwargs: Any) -> None:
        """Note that a node has ended."""
        self._end(run_id, None)

    async def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Note that a node has failed, was cancelled, or asks its user."""
        self._end(run_id, error)

    def _end(self, run_id: UUID, error: BaseException | None) -> None:
        if run_id in self._entered:
            namespace, entered = self._entered.pop(run_id)
            self._running.discard(namespace)  # it may be tried again
            self._tools.end_node(entered, error)
