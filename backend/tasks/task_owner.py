"""Every asyncio task has an owner that holds it; this is the only place that makes them.

A task that nobody holds may be collected while it runs (cpython #88831), and one whose error nobody reads
fails in silence. An owner holds its tasks, logs what they raise unless somebody awaits it, and ends them.
"""

import asyncio
from asyncio import Task
from collections.abc import Coroutine
from typing import Any, TypeVar

import structlog

T = TypeVar("T")
_log = structlog.get_logger(__name__)


class TaskOwner:
    """Holds asyncio tasks until they are done."""

    def __init__(self) -> None:
        self._tasks: set[Task[Any]] = set()

    def __len__(self) -> int:
        """Return how many tasks are alive."""
        return len(self._tasks)

    def spawn(self, work: Coroutine[Any, Any, T], *, name: str) -> Task[T]:
        """Start work that the caller reads the outcome of."""
        task = asyncio.create_task(work, name=name)  # noqa: TID251
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def spawn_detached(self, work: Coroutine[Any, Any, T], *, name: str) -> Task[T]:
        """Start work that nobody need await; what it raises is logged."""
        task = self.spawn(work, name=name)
        task.add_done_callback(_log_error)
        return task

    async def run_to_end(self, work: Coroutine[Any, Any, T], *, name: str) -> T:
        """Run work that goes on to its end even if the caller is cancelled meanwhile; return its result.

        The caller's cancellation is raised at once, the work's own errors as they are. Where the caller has
        gone, they are logged; `asyncio.shield` would drop an error of the very step in which it went.
        """
        task = self.spawn(work, name=name)
        waited = False
        try:
            await asyncio.wait([task])
            waited = True
        finally:
            if not waited:
                task.add_done_callback(_log_error)
        return task.result()

    async def finish(self, *, grace_s: float) -> None:
        """Wait for all tasks, and those they start, for so many seconds; then cancel what is left.

        What is cancelled has as long again to end. Cancelling this cancels no task.
        """
        await self._wait(grace_s)
        for task in self._tasks:
            task.cancel()
        await self._wait(grace_s)

    async def _wait(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                while self._tasks:
                    await asyncio.wait(self._tasks)
        except TimeoutError:
            return


def _log_error(task: Task[Any]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("a background task failed", task=task.get_name(), exc_info=error)
