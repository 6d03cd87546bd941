"""What a live task can read of its user from the store."""

from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any

from ..domain.shown_results import ShownResults
from ..domain.task import Message, Task
from ..log.state_store.records import Checkpoint
from ..log.state_store.thread_steps import ThreadStep

History = Callable[[int], Coroutine[Any, Any, tuple[Message, ...]]]
"""Reads the last so many messages."""

RecentTasks = Callable[[int], Coroutine[Any, Any, tuple[Task, ...]]]
"""Reads the last so many tasks, newest first, without asides."""

StoredCheckpoint = Callable[[int], Coroutine[Any, Any, Checkpoint | None]]
"""Reads the checkpoint of a turn."""

StoredStep = Callable[[str, str | None], Coroutine[Any, Any, ThreadStep | None]]
"""Reads a step of the thread of a graph, by its id, or the newest."""

ReadShown = Callable[[], AsyncGenerator[ShownResults]]
"""Reads what the requests have found, the current one first; each is read only once it is asked for."""


async def nothing_shown() -> AsyncGenerator[ShownResults]:
    """Yield nothing: of a task outside a conversation. A `ReadShown`."""
    for none in ():
        yield none
