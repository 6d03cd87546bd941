"""Enters the tools that a run calls by itself in the ledger, as LangChain reports them to a callback handler.

LangChain reports neither that a call was cancelled nor what becomes of a thread that outlives its call. The
first shows when the run's code has ended (`FollowedTools.end_run`); for the second the thread is observed.
"""

from asyncio import Task
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

import orjson
from langchain_core.messages import ToolMessage
from langgraph.errors import GraphBubbleUp

from ..domain.encoding import encode
from ..domain.tool_call import Outcome
from ..tasks.ledger.observed import PROGRAM_ENDED, ObservedCall, ObservedCalls
from ..tasks.ledger.steps import RunSteps
from ..tasks.task_context import TaskContext
from ..tasks.user_threads import OBSERVED_BY, CallThreads, call_ended_here, is_gone
from .hosted_calls import LONGEST_SUMMARY, in_words
from .langgraph_internals import nodes_of, step_of_now

OnLoop = Callable[..., None]
"""Calls a function with its arguments on the event loop: at once there, soon from another thread."""

MOST_KEPT_BYTES = 2**20
"""The most of a call's arguments, and of its result, that its entry keeps; the graph has them whole."""

_TOO_LONG = "too long to be kept here"


class FollowedTools:
    """Follows the tools of one run, on its event loop."""

    def __init__(self, context: TaskContext, calls: ObservedCalls) -> None:
        self._context = context
        self._calls = calls
        self._tools: dict[UUID, FollowedTool] = {}
        self._steps = RunSteps(context, step_of_now)

    def begin_run(self) -> None:
        """Follow the threads of all that this asyncio task starts from now on: nodes, edges, tools."""
        self._calls.follow(self._steps)
        OBSERVED_BY.set(self._steps.observer)

    def end_run(self, *, is_whole: bool) -> None:
        """Note that the run's code has ended; `is_whole` if no error and no cancellation cut it short."""
        self._calls.release(self._context, is_whole=is_whole)

    def leave(self, run_id: UUID, *, is_on_loop: bool) -> None:
        """Have what comes after a call count for the step that made it; in the thread of the call."""
        tool = self._tools.get(run_id)
        if is_on_loop:
            OBSERVED_BY.set(self._steps.observer)
        elif tool is not None:
            call_ended_here(tool)

    async def begin(
        self,
        serialized: dict[str, Any],
        input_str: str,
        run_id: UUID,
        more: Mapping[str, Any],
        *,
        on_loop: OnLoop,
    ) -> "FollowedTool":
        """Enter a call; it is durable when this returns. Raises as `ObservedCalls.begin`."""
        inputs, nodes = more.get("inputs"), nodes_of(more.get("metadata") or {})
        arguments: Any = _as_json({"input": input_str} if inputs is None else inputs)
        # In words if they have no JSON form, and an entry is read back as a mapping.
        arguments = {"input": arguments} if isinstance(arguments, str) else arguments
        tool = FollowedTool(self._calls, on_loop)
        tool.observed = await self._calls.begin(
            self._context,
            nodes[0] if nodes else "graph",
            str((serialized or {}).get("name") or more.get("name") or "tool"),
            arguments,
            purpose=str(more.get("tool_call_id") or ""),
            threads=tool.threads,
        )
        self._tools[run_id] = tool
        return tool

    def end(self, run_id: UUID, outcome: Outcome, value: Any) -> None:
        """Note what a call came to."""
        tool = self._tools.pop(run_id, None)
        if tool is not None:
            tool.end(outcome, value)

    def fail(self, run_id: UUID, error: BaseException) -> None:
        """Note that a call failed; or that it asked its user, and begins again after the answer."""
        tool = self._tools.pop(run_id, None)
        if tool is not None and isinstance(error, GraphBubbleUp):
            tool.pause()
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
        """Note what a thread came to that has outlived its call."""
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
        """Note what the call came to."""
        if self.observed is not None:
            self._calls.end(self.observed, outcome, summary=in_words(value), result=value)

    def pause(self) -> None:
        """Note that the call has asked its user."""
        if self.observed is not None:
            self._calls.pause(self.observed)


def result_of(output: Any) -> tuple[Outcome, Any]:
    """Return what a call came to, by what LangChain's tool returned."""
    if not isinstance(output, ToolMessage):
        return "completed", _as_json(output)
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
