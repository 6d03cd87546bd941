"""Stores for what a graph remembers of each user beyond its thread, as LangGraph's `Store`.

A graph that brings no store gets one that is durable: in memory while it is used, stored whole with each
change. All graphs of a server share it, so that one can remember for another. One that a graph was compiled
with is used as it is, but each user's items lie under the user's id, so that what one user said never reaches
another's model, unless a setting says that all users share it.
"""

import asyncio
import threading
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from weakref import WeakValueDictionary

import ormsgpack
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from ..errors import GraphFailedError
from ..log.state_store.base import USER_STORE, Checkpoint
from ..tasks.task_context import TaskContext

MOST_BYTES = 1024 * 1024
"""The most that a user's store holds: each change stores it whole."""

_FULL = f"The store of this user is full: it holds {MOST_BYTES // 2**20} MiB at most."


class KeptStore(InMemoryStore):
    """One user's durable store. `context` is that of the task that uses it now."""

    def __init__(self, context: TaskContext) -> None:
        super().__init__()
        self.context = context
        self.forgotten = False
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._loading = asyncio.Lock()
        self._loaded = False

    async def load(self) -> None:
        """Read what is stored, once. Raises `StoreUnavailable`."""
        async with self._loading:
            if self._loaded:
                return
            stored = await self.context.checkpoint(USER_STORE)
            for namespace, key, value, created_at, updated_at in (
                ormsgpack.unpackb(stored.body) if stored is not None else ()
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
            asyncio.run_coroutine_threadsafe(self.load(), self._loop).result()
        return self._carried_out(list(ops))

    def _carried_out(self, ops: Sequence[Op]) -> list[Result]:
        if not any(isinstance(op, PutOp) for op in ops):
            return super().batch(ops)
        before = {place: dict(items) for place, items in self._data.items()}
        results = super().batch(ops)
        try:
            body = self._to_bytes()
        except GraphFailedError:
            self._data.clear()
            self._data.update(before)
            raise
        if threading.get_ident() == self._thread:
            self._keep(body)
        else:
            self._loop.call_soon_threadsafe(self._keep, body)
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

    def _keep(self, body: bytes) -> None:
        if not self.forgotten:  # a thread that outlives the deletion of its user must bring nothing back
            self.context.record(Checkpoint(USER_STORE, body))


class StoreOfUser(BaseStore):
    """A store that a graph was compiled with, as one user sees it: all items lie under the user's id."""

    def __init__(self, store: BaseStore, user_id: str) -> None:
        self.supports_ttl = store.supports_ttl
        self.ttl_config = store.ttl_config
        self._store = store
        self._prefix = (user_id,)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations on the user's items."""
        return [self._seen(result) for result in self._store.batch([self._placed(op) for op in ops])]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations on the user's items."""
        results = await self._store.abatch([self._placed(op) for op in ops])
        return [self._seen(result) for result in results]

    def _placed(self, op: Op) -> Op:
        match op:
            case GetOp() | PutOp():
                return op._replace(namespace=(*self._prefix, *op.namespace))
            case SearchOp():
                return op._replace(namespace_prefix=(*self._prefix, *op.namespace_prefix))
            case ListNamespacesOp():
                asked = op.match_conditions or ()
                conditions = [
                    MatchCondition(each.match_type, (*self._prefix, *each.path))
                    if each.match_type == "prefix"
                    else each
                    for each in (*asked, MatchCondition("prefix", ()))
                ]
                depth = None if op.max_depth is None else op.max_depth + len(self._prefix)
                return op._replace(match_conditions=tuple(conditions), max_depth=depth)

    def _seen(self, result: Any) -> Any:
        """Return a result without the user's id in its namespaces."""
        if isinstance(result, list):
            return [self._seen(each) for each in result]  # pyright: ignore[reportUnknownVariableType]
        if isinstance(result, tuple):
            return result[len(self._prefix) :]  # pyright: ignore[reportUnknownVariableType]
        if not isinstance(result, Item):
            return result
        values: dict[str, Any] = {
            "value": result.value,
            "key": result.key,
            "namespace": result.namespace[len(self._prefix) :],
            "created_at": result.created_at,
            "updated_at": result.updated_at,
        }
        return SearchItem(**values, score=result.score) if isinstance(result, SearchItem) else Item(**values)


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
