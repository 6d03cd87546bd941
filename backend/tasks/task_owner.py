"""Creates and holds every asyncio task; no other module creates one.

A task without a reference may be collected while it runs (cpython #88831), and an exception that is never
retrieved is lost. An owner holds its tasks, logs what they raise unless a caller awaits it, and ends them.
"""

import asyncio
from asyncio import Task
from collections.abc import Coroutine
from contextvars import copy_context
from typing import Any, TypeVar

import structlog

from ..domain.errors import DetourError
from ..store.ownership import LeaseEnded
from .cancel_scope import SCOPE, CancelScope

T = TypeVar("T")
_log = structlog.get_logger(__name__)


class TaskOwner:
    """Holds asyncio tasks until they are done."""

    def __init__(self) -> None:
        self._tasks: set[Task[Any]] = set()

    def __len__(self) -> int:
        """Return how many tasks are alive."""
        return len(self._tasks)

    def spawn(self, work: Coroutine[Any, Any, T], *, name: str, scope: CancelScope | None = None) -> Task[T]:
        """Start work whose outcome the caller reads, in a scope of its own or in none.

        It never belongs to the caller's scope: a booking goes on when the node that made it is cancelled.
        """
        if scope is not None:
            task = scope.spawn(work, name=name)
        elif SCOPE.get() is None:
            task = asyncio.create_task(work, name=name)  # noqa: TID251
        else:
            context = copy_context()
            context.run(SCOPE.set, None)
            task = asyncio.create_task(work, name=name, context=context)  # noqa: TID251
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def spawn_detached(self, work: Coroutine[Any, Any, T], *, name: str) -> Task[T]:
        """Start work that need not be awaited; log what it raises."""
        task = self.spawn(work, name=name)
        task.add_done_callback(_log_error)
        return task

    async def run_to_end(self, work: Coroutine[Any, Any, T], *, name: str) -> T:
        """Run work to its end even if the caller is cancelled; return its result.

        Raises the caller's cancellation at once, and whatever the work raises. After a cancellation the
        work's error is logged.
        """
        # `asyncio.shield` drops an error raised in the very step in which the caller is cancelled.
        task = self.spawn(work, name=name)
        waited = False
        try:
            await asyncio.wait([task])
            waited = True
        finally:
            if not waited:
                task.add_done_callback(_log_fault)
        return task.result()

    async def finish(self, *, grace_s: float) -> None:
        """Wait up to `grace_s` seconds for all tasks, and those they start; then cancel what is left.

        Cancelled tasks have as long again to end. Cancelling this cancels no task.
        """
        await self._wait(grace_s)
        for task in self._tasks:
            task.cancel()
        await self._wait(grace_s)

    async def _wait(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                while self._tasks:  # again, for tasks that those have started
                    await asyncio.wait(self._tasks)
        except TimeoutError:
            return


def _log_error(task: Task[Any]) -> None:
    if task.cancelled() or (error := task.exception()) is None:
        return
    # The user's new owner does what was left to do.
    if not isinstance(error, LeaseEnded):
        _log.error("a background task failed", task=task.get_name(), exc_info=error)


def _log_fault(task: Task[Any]) -> None:
    """Log what work raised whose caller left, unless it is a refusal, which was for the caller alone."""
    if task.cancelled() or not isinstance(error := task.exception(), DetourError) or error.status_code >= 500:
        _log_error(task)
