"""What a live task can read of its user from the store."""

from collections.abc import Callable, Coroutine
from typing import Any

from ..domain.task import Message
from ..log.state_store.base import Checkpoint
from ..log.state_store.thread_steps import ThreadStep

History = Callable[[int], Coroutine[Any, Any, tuple[Message, ...]]]
"""Reads the last so many messages."""

StoredCheckpoint = Callable[[int], Coroutine[Any, Any, Checkpoint | None]]
"""Reads the checkpoint of a turn."""

StoredStep = Callable[[str, str | None], Coroutine[Any, Any, ThreadStep | None]]
"""Reads a step of the thread of a graph, by its id, or the newest."""
