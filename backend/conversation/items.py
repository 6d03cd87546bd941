"""What clients do with the items that graphs keep of a user; see `graphs.state.store_operations`."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from ..store.base import StateStore
from ..store.records import Checkpoint
from ..tasks.task_context import StoredReads, UserCache

T = TypeVar("T")


class _ReadsAtOnce(StoredReads):
    """Reads for somebody who waits: what the store cannot do is refused."""

    async def _until(self, read: Callable[[], Awaitable[T]]) -> T:
        return await read()


class Use:
    """One request's use of a user's items; `changes` are to be stored."""

    def __init__(self, user_id: str, store: StateStore, cache: UserCache) -> None:
        self.user_id = user_id
        self.cache = cache
        self.stored: StoredReads = _ReadsAtOnce(store, user_id)
        self.changes: list[Checkpoint] = []

    def record(self, *records: Checkpoint) -> None:
        """Note what has changed."""
        self.changes += records


UseItems = Callable[[Use, int, Sequence[Mapping[str, Any]]], Awaitable[list[Any]]]
"""Carries out operations on the items of a turn. Raises `BadInput`."""
