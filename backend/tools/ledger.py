"""The ledger: every tool call of a task, and what truly became of it.

A call is an asyncio task of its own that the node awaits without owning. A cancelled node lets go of it, and
the ledger decides: a read is cancelled with the task that asked for it, and what it had yielded is kept. So
the account of an interruption never guesses.
"""

import asyncio
from asyncio import Task
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from backend.domain.encoding import can_be_told
from backend.domain.tool_call import Outcome, ToolCall, call_key
from backend.errors import DetourError
from backend.task_context import TaskContext
from backend.task_owner import TaskOwner
from backend.tools.base import A, Tool, ToolResult

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Report:
    """Reports to the task and the agent that made the call."""

    context: TaskContext
    agent: str
    call_id: str

    @property
    def user_id(self) -> str:
        return self.context.user_id

    def found(self, items: Sequence[Any], *, source: str) -> None:
        self.context.publish(self.agent, items, source=source)

    def progress(self, detail: str, *, done: int, total: int) -> None:
        self.context.progress(self.agent, "working", detail=detail, done=done, total=total)


class Ledger:
    """Runs tool calls and keeps account of them."""

    def __init__(self, owner: TaskOwner, *, new_id: Callable[[], str]) -> None:
        self._owner = owner
        self._new_id = new_id
        self._running: dict[str, dict[str, Task[ToolResult]]] = {}

    async def call(self, context: TaskContext, agent: str, tool: Tool[A], arguments: A) -> ToolCall:
        """Run a tool for an agent and return the finished call; a failed one has its sentence as `summary`.

        Cancelling the wait does not end the call: `interrupt` does.
        """
        call = ToolCall(
            call_id=self._new_id(),
            user_id=context.user_id,
            task_id=context.task_id,
            turn=context.task.turn,
            agent=agent,
            tool=tool.name,
            effect=tool.effect,
            key=call_key(tool.name, arguments),
            requested_at=context.now(),
        )
        if context.interrupted:
            call = call.ended("not_started", context.now())
            context.tool_update(call)
            return call
        call = call.started(context.now())
        context.tool_update(call)
        work = tool.run(arguments, _Report(context, agent, call.call_id))
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

    def _ended(self, context: TaskContext, call_id: str, done: Task[ToolResult]) -> None:
        running = self._running[context.task_id]
        del running[call_id]
        if not running:
            del self._running[context.task_id]
        outcome, summary = _outcome(done)
        call = context.tool_calls[call_id]
        if outcome == "completed" and call.effect == "write" and context.interrupted:
            outcome = "completed_after_interrupt"
        context.tool_update(call.ended(outcome, context.now(), summary=summary))


def _outcome(done: Task[ToolResult]) -> tuple[Outcome, str]:
    if done.cancelled():
        return "cancelled", "cut short; what had arrived is kept"
    error = done.exception()
    if error is None and can_be_told(done.result().summary):
        return "completed", done.result().summary
    if isinstance(error, DetourError) and can_be_told(error.message):
        return "failed", error.message
    _log.error("a tool call failed", tool_call=done.get_name(), exc_info=error)
    return "failed", "it failed for a reason of its own"
