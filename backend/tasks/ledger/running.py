"""A call while it runs: what it has found so far, and the task that it works for at the moment.

The tool reports to it, and it passes the reports on to the task's context. A newer task may adopt it: all
that it has found is then shown again under that task.
"""

import asyncio
from asyncio import Task
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...domain.encoding import encode
from ...domain.partials import PartialBatch
from ...domain.tool_call import ToolCall
from ..cancel_scope import CancelScope
from ..task_context import TaskContext
from .base import ToolResult


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a call is."""

    detail: str
    done: int
    total: int


class RunningCall:
    """A call that has not ended; the `Report` of its tool.

    `released` is set when it no longer works for `context`: it has ended, or another task has adopted it,
    which then waits for a new `released`. `begun` says of a write that it may have changed something,
    `stopped` that the user has stopped its agent, `forgotten` that its user was deleted.
    """

    def __init__(
        self, call: ToolCall, context: TaskContext, *, on_late: "Callable[[RunningCall, str], None]"
    ) -> None:
        self.call = call
        self.context = context
        self.released = asyncio.Event()
        self.work: Task[ToolResult] | None = None
        self.scope: CancelScope | None = None
        self.begun = False
        self.stopped = False
        self.forgotten = False
        self.batches: list[PartialBatch] = []
        self.last_progress: Progress | None = None
        self._on_late = on_late

    @property
    def call_id(self) -> str:
        """The id of the call."""
        return self.call.call_id

    @property
    def user_id(self) -> str:
        """The user it is made for."""
        return self.call.user_id

    def found(self, items: Sequence[Any], *, source: str) -> None:
        """Show new items, and keep them for a task that adopts the call.

        Raises `TypeError` and `TooMuchShownError`.
        """
        if items:
            # Encoded before it is kept: an agent or a source without a JSON form could not be shown later.
            encode((self.call.agent, source))
            batch = PartialBatch.of(self.call.agent, items, source=source, call_id=self.call_id)
            self.batches.append(batch)
            self.context.publish_batch(batch)

    def progress(self, detail: str, *, done: int, total: int) -> None:
        """Show how far the call is."""
        self.last_progress = Progress(detail, done, total)
        self.context.progress(self.call.agent, "working", detail=detail, done=done, total=total)

    def late(self, summary: str) -> None:
        """Note what the work came to after the call had ended."""
        self._on_late(self, summary)

    def wait_for_others(self) -> None:
        """Show that the call waits for its turn."""
        self.update(self.call)
        self.context.progress(self.call.agent, "waiting", detail="waits for others to end")

    def cancel(self) -> None:
        """Cancel the work. Callers look at `begun` first: a write that has begun is never cancelled."""
        if self.scope is not None:
            self.scope.cancel()
        elif self.work is not None:
            self.work.cancel()

    def update(self, call: ToolCall) -> None:
        """Replace the entry, and publish it."""
        self.call = call
        self.context.tool_update(call)

    def move_to(self, context: TaskContext, agent: str) -> None:
        """Work for another task from now on, and show there at once what was found."""
        self.context.adopted_by = context.task_id
        self.context.tool_update(
            self.call.ended("adopted", self.context.now(), summary="goes on for the next task")
        )
        # A new event, not a cleared one: whoever waits for the old task must wake, and the adopter must not.
        self.released.set()
        self.released = asyncio.Event()
        self.context = context
        self.call = for_task(self.call, context, agent)
        context.tool_update(self.call)
        show(self.batches, self.last_progress, context, agent)


def for_task(call: ToolCall, context: TaskContext, agent: str) -> ToolCall:
    """Return a call as the entry of another task."""
    return replace(call, task_id=context.task_id, turn=context.task.turn, agent=agent)


def show(
    batches: Sequence[PartialBatch], last_progress: Progress | None, context: TaskContext, agent: str
) -> None:
    """Show under a task what a call has found, and how far it is."""
    for batch in batches:
        context.publish_batch(batch if batch.agent == agent else replace(batch, agent=agent))
    if last_progress is not None:
        at = last_progress
        context.progress(agent, "working", detail=at.detail, done=at.done, total=at.total)
