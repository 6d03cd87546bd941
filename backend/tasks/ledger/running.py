"""A call while it runs: what it has found so far, and the task that it works for at the moment.

The tool reports to it, and it passes on to the task. It may change hands: all that it has found is then shown
again under the task that takes it over.
"""

import asyncio
from asyncio import Future, Task
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...domain.encoding import encode
from ...domain.partials import PartialBatch
from ...domain.tool_call import ToolCall
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

    `left` is done when it no longer works for `context`: it has ended, or works for another task. `begun`
    tells of a write that it may have changed something, `stopped` that the user has stopped its agent.
    """

    def __init__(
        self, call: ToolCall, context: TaskContext, *, late: "Callable[[RunningCall, str], None]"
    ) -> None:
        self.call = call
        self.context = context
        self.left: Future[None] = asyncio.get_running_loop().create_future()
        self.work: Task[ToolResult] | None = None
        self.begun = False
        self.stopped = False
        self.batches: list[PartialBatch] = []
        self.last_progress: Progress | None = None
        self._late = late

    @property
    def call_id(self) -> str:
        """The id of the call."""
        return self.call.call_id

    @property
    def user_id(self) -> str:
        """The user it is made for."""
        return self.call.user_id

    def found(self, items: Sequence[Any], *, source: str) -> None:
        """Show new items, and keep them for a task that takes over.

        Raises `TypeError` and `TooMuchShownError`.
        """
        if items:
            encode((self.call.agent, source))
            batch = PartialBatch.of(self.call.agent, items, source=source, call_id=self.call_id)
            self.batches.append(batch)
            self.context.show(batch)

    def progress(self, detail: str, *, done: int, total: int) -> None:
        """Tell how far the call is."""
        self.last_progress = Progress(detail, done, total)
        self.context.progress(self.call.agent, "working", detail=detail, done=done, total=total)

    def late(self, summary: str) -> None:
        """Note what came of it after it was let go."""
        self._late(self, summary)

    def wait_for_others(self) -> None:
        """Tell that it waits for its turn."""
        self.tell(self.call)
        self.context.progress(self.call.agent, "waiting", detail="waits for others to end")

    def cancel(self) -> None:
        """End it where it stands; never a write that has begun."""
        if self.work is not None:
            self.work.cancel()

    def tell(self, call: ToolCall) -> None:
        """Take down how far the call is, and tell it."""
        self.call = call
        self.context.tool_update(call)

    def leave(self) -> None:
        """Let those go on who wait for it under the task that it works for."""
        if not self.left.done():
            self.left.set_result(None)

    def change_hands(self, context: TaskContext, agent: str) -> None:
        """Work for another task from now on; what was found is shown there at once."""
        self.context.adopted_by = context.task_id
        self.context.tool_update(
            self.call.ended("adopted", self.context.now(), summary="goes on for the next task")
        )
        self.leave()
        self.left = asyncio.get_running_loop().create_future()
        self.context = context
        self.call = for_task(self.call, context, agent)
        context.tool_update(self.call)
        show(self.batches, self.last_progress, context, agent)


def for_task(call: ToolCall, context: TaskContext, agent: str) -> ToolCall:
    """Return a call as the entry of another task."""
    return replace(call, task_id=context.task_id, turn=context.task.turn, agent=agent)


def show(batches: Sequence[PartialBatch], at: Progress | None, context: TaskContext, agent: str) -> None:
    """Show under a task what a call has found, and how far it is."""
    for batch in batches:
        context.show(batch if batch.agent == agent else replace(batch, agent=agent))
    if at is not None:
        context.progress(agent, "working", detail=at.detail, done=at.done, total=at.total)
