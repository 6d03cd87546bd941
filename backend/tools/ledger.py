"""The ledger: every tool call of a task, and what truly became of it.

A call is an asyncio task of its own that the node awaits without owning. A cancelled node lets go of it, and
the ledger decides: a read is cancelled with the task that asked for it, and what it had yielded is kept. So
the account of an interruption never guesses.
"""

import asyncio
from asyncio import Task
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import structlog

from backend.domain.encoding import can_be_told
from backend.domain.tool_call import Effect, Outcome, ToolCall
from backend.errors import DetourError
from backend.task_context import TaskContext
from backend.task_owner import TaskOwner

A_contra = TypeVar("A_contra", contravariant=True)
A = TypeVar("A")

_log = structlog.get_logger(__name__)


class Report(Protocol):
    """How a running tool tells what it does."""

    def found(self, items: list[Any], *, source: str) -> None:
        """Show new items."""
        ...

    def progress(self, detail: str, *, done: int, total: int) -> None:
        """Tell how far the call is."""
        ...


class Tool(Protocol[A_contra]):
    """Something an agent can use."""

    @property
    def name(self) -> str:
        """The tool's name, for people and receipts."""
        ...

    @property
    def effect(self) -> Effect:
        """What a call changes outside."""
        ...

    async def run(self, arguments: A_contra, report: Report) -> str:
        """Do the work, reporting on the way, and return a short summary.

        Raises `DetourError` with a sentence fit to be shown. When cancelled, nothing of it goes on.
        """
        ...


@dataclass(frozen=True, slots=True)
class _Report:
    """Reports to the task and the agent that made the call."""

    context: TaskContext
    agent: str

    def found(self, items: list[Any], *, source: str) -> None:
        self.context.publish(self.agent, items, source=source)

    def progress(self, detail: str, *, done: int, total: int) -> None:
        self.context.progress(self.agent, "working", detail=detail, done=done, total=total)


class Ledger:
    """Runs tool calls and keeps account of them."""

    def __init__(self, owner: TaskOwner, *, new_id: Callable[[], str]) -> None:
        self._owner = owner
        self._new_id = new_id
        self._running: dict[str, dict[str, Task[str]]] = {}

    async def call(self, context: TaskContext, agent: str, tool: Tool[A], arguments: A) -> ToolCall:
        """Run a tool for an agent and return the finished call; a failed one has its sentence as `summary`.

        Cancelling the wait does not end the call: `interrupt` does.
        """
        call = ToolCall(call_id=self._new_id(), tool=tool.name, effect=tool.effect)
        if context.interrupted:
            call = replace(call, outcome="not_started")
            context.tool_update(call)
            return call
        context.tool_update(call)
        work = tool.run(arguments, _Report(context, agent))
        running = self._owner.spawn(work, name=f"tool {tool.name} {call.call_id}")
        self._running.setdefault(context.task_id, {})[call.call_id] = running
        running.add_done_callback(lambda done: self._ended(context, call.call_id, done))
        await asyncio.wait({running})
        return context.tool_calls[call.call_id]

    def interrupt(self, context: TaskContext) -> None:
        """End what the task has running: reads are cancelled at once, writes finish."""
        for call_id, running in self._running.get(context.task_id, {}).items():
            if context.tool_calls[call_id].effect != "write":
                running.cancel()

    async def settle(self, context: TaskContext, *, patience_s: float) -> list[ToolCall]:
        """Wait until every call of the task has an outcome; return them in the order they were made.

        One that has not ended after `patience_s` is let go, and its outcome stays unknown.
        """
        running = self._running.get(context.task_id)
        if running:
            await asyncio.wait(running.values(), timeout=patience_s)
        return list(context.tool_calls.values())

    def _ended(self, context: TaskContext, call_id: str, done: Task[str]) -> None:
        running = self._running[context.task_id]
        del running[call_id]
        if not running:
            del self._running[context.task_id]
        outcome, summary = _outcome(done)
        call = context.tool_calls[call_id]
        if outcome == "completed" and call.effect == "write" and context.interrupted:
            outcome = "completed_after_interrupt"
        context.tool_update(replace(call, outcome=outcome, summary=summary))


def _outcome(done: Task[str]) -> tuple[Outcome, str]:
    if done.cancelled():
        return "cancelled", "cut short; what had arrived is kept"
    error = done.exception()
    if error is None and can_be_told(done.result()):
        return "completed", done.result()
    if isinstance(error, DetourError) and can_be_told(error.message):
        return "failed", error.message
    _log.error("a tool call failed", tool_call=done.get_name(), exc_info=error)
    return "failed", "it failed for a reason of its own"
