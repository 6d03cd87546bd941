"""Keeps the index of threads: their metadata, and what clients asked of each run."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ...domain.clock import Clock
from ...log.state_store.base import Keep, StateStore
from ...log.state_store.saved_threads import SavedThread
from .wire import MOST_METADATA_BYTES, metadata_too_large, size_of

KEPT_RUNS = 100
"""How many runs the index knows what was asked of; the state of a thread knows fewer."""

_LOCKS = 64

Change = Callable[[SavedThread], SavedThread]


class Index:
    """Reads and changes threads of the index, each by one caller at a time."""

    def __init__(self, store: StateStore, keep: Keep, clock: Clock) -> None:
        self._store = store
        self._keep = keep
        self._clock = clock
        # Changes read before they write. Threads share locks, so that these need not be created and dropped.
        self._locks = [asyncio.Lock() for _ in range(_LOCKS)]
        self.hidden: set[str] = set()
        """Threads that are about to be forgotten: shown no more, though their runs may still be joined."""

    async def get(self, user_id: str) -> SavedThread | None:
        """Return a thread, None if it is not in the index. Raises `StoreUnavailable`."""
        return await self._store.get_saved_thread(user_id)

    async def make(self, user_id: str, metadata: Mapping[str, Any]) -> tuple[SavedThread, bool]:
        """Add a thread unless it is in the index; return it, and whether it was added."""
        async with self._lock(user_id):
            known = await self._store.get_saved_thread(user_id)
            if known is not None:
                return known, False
            made = replace(self._new(user_id), metadata=dict(metadata))
            await self._keep(user_id, made)
            return made, True

    async def change(self, user_id: str, change: Change) -> SavedThread:
        """Change a thread, which is added first if it is not in the index; return it once it is durable."""
        async with self._lock(user_id):
            known = await self._store.get_saved_thread(user_id) or self._new(user_id)
            changed = change(known)
            if changed == known:
                return known
            changed = replace(changed, updated_at=self._clock())
            await self._keep(user_id, changed)
            return changed

    def _new(self, user_id: str) -> SavedThread:
        now = self._clock()
        return SavedThread(user_id=user_id, created_at=now, updated_at=now)

    def _lock(self, user_id: str) -> asyncio.Lock:
        return self._locks[hash(user_id) % _LOCKS]


def with_metadata(thread: SavedThread, metadata: Mapping[str, Any]) -> SavedThread:
    """Return a thread with this metadata beside its own, which it replaces by key.

    Raises `BadInput` if all of it would be too large. What makes too large a one smaller is taken: a run adds
    the name of its agent, whatever there is.
    """
    merged = {**thread.metadata, **metadata}
    if size_of(merged) > max(MOST_METADATA_BYTES, size_of(thread.metadata)):
        raise metadata_too_large()
    return replace(thread, metadata=merged)


def with_run(
    thread: SavedThread, run_id: str, asked: Mapping[str, Any] | None, agent: Mapping[str, str]
) -> SavedThread:
    """Return a thread with what a client asked of a run, if it did; the first says which agent it is with."""
    if run_id in thread.runs:  # a message that was sent again
        return thread
    runs = {**thread.runs, run_id: dict(asked)} if asked is not None else thread.runs
    kept = dict(list(runs.items())[-KEPT_RUNS:])
    return replace(thread, runs=kept, metadata={**agent, **thread.metadata})


def with_mark(thread: SavedThread, run_id: str, mark: str) -> SavedThread:
    """Return a thread with a mark at a run."""
    return replace(thread, runs={**thread.runs, run_id: {**thread.runs.get(run_id, {}), mark: True}})
