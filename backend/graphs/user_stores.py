"""Stores for what a graph remembers of each user beyond its thread, as LangGraph's `Store`.

A graph that brings no store gets one that is durable: in memory while it is used, stored whole with each
change. All graphs of a server share it, so that one can remember for another. Of a store that a graph was
compiled with, each user sees a part (`own_stores`).
"""

import asyncio
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import wait
from datetime import datetime
from weakref import WeakValueDictionary

import ormsgpack
from langgraph.store.base import Item, Op, PutOp, Result
from langgraph.store.memory import InMemoryStore

from ..errors import GraphFailedError
from ..log.state_store.records import USER_STORE, Checkpoint
from ..tasks.task_context import TaskContext

MOST_BYTES = 1024 * 1024
"""The most that a user's store holds: each change stores it whole."""

LOADED_WITHIN_S = 10.0
"""Seconds for which a thread waits for its store: the loop may be blocked until this very thread ends."""

_FULL = f"The store of this user is full: it holds {MOST_BYTES // 2**20} MiB at most."


class KeptStore(InMemoryStore):
    """One user's durable store. `context` is that of the task that uses it now."""

    def __init__(self, context: TaskContext) -> None:
        super().__init__()
        self.context = context
        self.forgotten = False
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._lock = threading.Lock()
        self._body = b""
        self._loading = asyncio.Lock()
        self._loaded = False

    async def load(self) -> None:
        """Read what is stored, once. Raises `StoreUnavailable`."""
        async with self._loading:
            if self._loaded:
                return
            kept = self.context.kept
            if kept.store is None:
                stored = await self.context.checkpoint(USER_STORE)
                kept.store = stored.body if stored is not None else b""
            for namespace, key, value, created_at, updated_at in (
                ormsgpack.unpackb(kept.store) if kept.store else ()
            ):
                place = tuple(namespace)
                self._data[place][key] = Item(
                    value=value,
                    key=key,
                    namespace=place,
                    created_at=datetime.fromisoformat(created_at),
                    updated_at=datetime.fromisoformat(updated_at),
                )
            self._loaded = True

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations. Raises `GraphFailedError` if it is full, or a value has no encoding."""
        await self.load()
        return self._carried_out(list(ops))

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations from a plain node or tool; as `abatch`."""
        on_loop = threading.get_ident() == self._thread
        if not self._loaded:
            if on_loop:
                raise GraphFailedError(
                    "Use the store's async methods in an async node: `await store.aget(...)`."
                )
            asked = asyncio.run_coroutine_threadsafe(self.load(), self._loop)
            wait([asked], LOADED_WITHIN_S)
            if not asked.done():
                asked.cancel()
                raise GraphFailedError(
                    "The store cannot be loaded: the event loop has been blocked too long."
                )
            asked.result()
        return self._carried_out(list(ops))

    def _carried_out(self, ops: Sequence[Op]) -> list[Result]:
        # Plain nodes use it from threads: nothing may change while `_to_bytes` reads, or before a roll-back.
        with self._lock:
            return self._done(ops)

    def _done(self, ops: Sequence[Op]) -> list[Result]:
        if not any(isinstance(op, PutOp) for op in ops):
            return super().batch(ops)
        before = {place: dict(items) for place, items in self._data.items()}
        results = super().batch(ops)
        try:
            self._body = self._to_bytes()
        except GraphFailedError:
            self._data.clear()
            self._data.update(before)
            raise
        if threading.get_ident() == self._thread:
            self._keep()
        else:
            self._loop.call_soon_threadsafe(self._keep)
        return results

    def _to_bytes(self) -> bytes:
        rows = [
            (place, key, item.value, item.created_at.isoformat(), item.updated_at.isoformat())
            for place, items in self._data.items()
            for key, item in items.items()
        ]
        try:
            body = ormsgpack.packb(rows)
        except TypeError as error:
            raise GraphFailedError(f"The store keeps what has a JSON form alone: {error}.") from error
        if len(body) > MOST_BYTES:
            raise GraphFailedError(_FULL)
        return body

    def _keep(self) -> None:
        # The newest body: the event loop may have kept a newer one than that of the thread that calls this.
        if not self.forgotten:  # a thread that outlives the deletion of its user must bring nothing back
            self.context.kept.store = self._body
            self.context.record(Checkpoint(USER_STORE, self._body))


class UserStores:
    """The durable stores of all users, for the graphs of one server."""

    def __init__(self) -> None:
        self._kept: WeakValueDictionary[str, KeptStore] = WeakValueDictionary()

    def of(self, context: TaskContext) -> KeptStore:
        """Return the store of a task's user: one object for all runs that overlap, so that none is lost."""
        kept = self._kept.get(context.user_id)
        if kept is None:
            kept = self._kept[context.user_id] = KeptStore(context)
        kept.context = context
        return kept

    def forget(self, user_id: str) -> None:
        """Let nothing of a deleted user be stored any more."""
        kept = self._kept.pop(user_id, None)
        if kept is not None:
            kept.forgotten = True
