"""LangGraph's `Store` for each user: items that a graph remembers beyond the user's thread.

A graph that brings no store gets one that is durable: in memory while it is used, stored whole with each
change. All graphs of a server share it, so that one can remember for another. Of a store that a graph was
compiled with, each user sees a part (`StoreOfUser`).

Beneath a user's items lie those of the person whom the conversation belongs to: a graph sees them unless the
user has an item of the same key, and changes none of them.
"""

import asyncio
import string
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from concurrent.futures import wait
from datetime import datetime
from functools import partial
from typing import Any, Protocol, cast
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

from ...domain.errors import GraphFailedError
from ...store.persons import is_of_person
from ...store.records import USER_STORE, Checkpoint
from ...tasks.task_context import StoredReads, UserCache
from ..graph_output import LoopCalls
from .store_operations import Namespace, Operation, carried_out

MOST_BYTES = 1024 * 1024
"""The most that a user's store holds: each change stores it whole."""

MOST_PERSONS = 100
"""Persons whose items are kept in memory."""

LOADED_WITHIN_S = 10.0
"""Seconds for which a thread waits for its store: the loop may be blocked until this very thread ends."""

_FULL = f"The store of this user is full: it holds {MOST_BYTES // 2**20} MiB at most."


class StoreUse(Protocol):
    """What uses a user's store: a task, or a request of a client."""

    cache: UserCache
    stored: StoredReads

    @property
    def user_id(self) -> str:
        """The user."""
        ...

    def record(self, *records: Checkpoint) -> None:
        """Store what has changed."""
        ...


ReadBeneath = Callable[[StoreUse], Awaitable[bytes]]
Changed = Callable[[str, bytes], None]


class KeptStore(InMemoryStore):
    """One user's durable store. `context` is that of the task that uses it now.

    `turn` is that of the checkpoint which holds it. `beneath` returns the items beneath it, as they are
    stored; `changed` is told of a new body.
    """

    def __init__(self, context: StoreUse, turn: int, beneath: ReadBeneath, changed: Changed) -> None:
        super().__init__()
        self.context = context
        self._read_beneath = beneath
        self._changed = changed
        self.forgotten = False
        self._turn = turn
        self._beneath: dict[Namespace, dict[str, Item]] = {}
        self._loop = asyncio.get_running_loop()
        self._on_loop = LoopCalls()
        self._lock = threading.Lock()
        self._body = b""
        self._loading = asyncio.Lock()
        self._loaded = False

    async def load(self) -> None:
        """Read what is stored, once. Raises `StoreUnavailable`."""
        async with self._loading:
            if self._loaded:
                return
            own = await self._own_body()
            if self._turn == USER_STORE and not is_of_person(self.context.user_id):
                self._put(await self._read_beneath(self.context))
                self._beneath = {place: dict(items) for place, items in self._data.items()}
            self._put(own)
            self._loaded = True

    async def _own_body(self) -> bytes:
        cache = self.context.cache
        if self._turn == USER_STORE and cache.store is not None:
            return cache.store
        stored = await self.context.stored.checkpoint(self._turn)
        body = stored.body if stored is not None else b""
        if self._turn == USER_STORE:
            cache.store = body
        return body

    def _put(self, body: bytes) -> None:
        """Put items in; a row without a value is one beneath that the user has deleted."""
        for item in items_in(body):
            if cast("Any", item.value) is None:
                self._data[item.namespace].pop(item.key, None)
            else:
                self._data[item.namespace][item.key] = item

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations. Raises `GraphFailedError` if it is full, or a value has no encoding."""
        await self.load()
        return self._carried_out(list(ops))

    async def used_by(self, use: StoreUse, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations as `abatch`, on the event loop; `use` has changed what they change."""
        await self.load()
        before, self.context = self.context, use
        try:
            return self._carried_out(list(ops))
        finally:
            self.context = before

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations from a plain node or tool; as `abatch`."""
        if not self._loaded:
            if self._on_loop.is_on_loop:
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
            self._on_loop.soon(self._keep)
            return results

    def _to_bytes(self) -> bytes:
        rows = [
            (place, key, item.value, item.created_at.isoformat(), item.updated_at.isoformat())
            for place, items in self._data.items()
            for key, item in items.items()
            if self._beneath.get(place, {}).get(key) is not item
        ] + [
            (place, key, None, item.created_at.isoformat(), item.updated_at.isoformat())
            for place, items in self._beneath.items()
            for key, item in items.items()
            if key not in self._data.get(place, {})
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
            if self._turn == USER_STORE:
                self.context.cache.store = self._body
                self._changed(self.context.user_id, self._body)
            self.context.record(Checkpoint(self._turn, self._body))


def items_in(body: bytes) -> Iterator[Item]:
    """Yield the items of a stored body."""
    for namespace, key, value, created_at, updated_at in ormsgpack.unpackb(body) if body else ():
        yield Item(
            value=value,
            key=key,
            namespace=tuple(namespace),
            created_at=datetime.fromisoformat(created_at),
            updated_at=datetime.fromisoformat(updated_at),
        )


class UserStores:
    """The durable stores of all users, for the graphs of one server.

    What persons keep is read once, unless other processes change it, too (`are_shared`): then with each run.
    """

    def __init__(self, *, are_shared: bool = False) -> None:
        self._kept: WeakValueDictionary[tuple[str, int], KeptStore] = WeakValueDictionary()
        self._are_shared = are_shared
        self._of_persons: dict[str, bytes] = {}

    def of(self, context: StoreUse) -> KeptStore:
        """Return the store of a task's user: one object for all runs that overlap, so that none is lost."""
        kept = self._of(context, USER_STORE)
        kept.context = context
        return kept

    async def use(self, use: StoreUse, turn: int, operations: Sequence[Operation]) -> list[Any]:
        """Carry out operations of a client on a user's items, those of a turn. Raises `BadInput`.

        What has changed is left with `use` when this returns.
        """
        kept = self._of(use, turn)
        return await carried_out(partial(kept.used_by, use), operations, is_small=True)

    def _of(self, use: StoreUse, turn: int) -> KeptStore:
        key = (use.user_id, turn)
        kept = self._kept.get(key)
        if kept is None:
            kept = self._kept[key] = KeptStore(use, turn, self._beneath, self._note)
        return kept

    async def _beneath(self, use: StoreUse) -> bytes:
        """Return the stored items of the person whom a user belongs to."""
        person = use.cache.person_id
        if person is None:
            person = use.cache.person_id = await use.stored.person_id()
        if person not in self._of_persons:
            stored = await use.stored.checkpoint_of_person(person, USER_STORE)
            body = stored.body if stored is not None else b""
            if self._are_shared:
                return body
            if person not in self._of_persons:  # else it has been changed meanwhile
                self._note(person, body)
        return self._of_persons[person]

    def _note(self, user_id: str, body: bytes) -> None:
        if self._are_shared or not is_of_person(user_id):
            return
        self._of_persons.pop(user_id, None)
        self._of_persons[user_id] = body
        if len(self._of_persons) > MOST_PERSONS:
            del self._of_persons[next(iter(self._of_persons))]

    def forget(self, user_id: str) -> None:
        """Store nothing of a deleted user any more."""
        self._of_persons.pop(user_id, None)
        kept = self._kept.pop((user_id, USER_STORE), None)
        if kept is not None:
            kept.forgotten = True


# --- own stores ----------------------------------------------------------------------------------------
# The store that a graph was compiled with, as one user sees it: no item reaches another user's model.
#
# Many stores join the labels of a namespace with dots and search for all that begins with such a text, with
# `LIKE`: for the prefix `ann` they return items of `anna`, of `ann.lee` and of `Ann`. So the label of a
# user is no beginning of another's, has no dot, no wildcard of `LIKE`, and no letter in two cases.


_PLAIN = frozenset((string.ascii_lowercase + string.digits + "-@").encode())
_END = "!"


def label_of(user_id: str) -> str:
    """Return the first label of a user's namespaces: for `ann.lee` it is `ann=2elee!`."""
    return "".join(chr(each) if each in _PLAIN else f"={each:02x}" for each in user_id.encode()) + _END


class StoreOfUser(BaseStore):
    """All items of one user in a store, under the user's label.

    An earlier version put them under the plain id. They are still found there, and deleted once they are
    written again or deleted. Under the id `ann` nothing tells an item of `ann` in `("lee", "notes")` from one
    of `ann.lee` in `("notes",)`: an item of several labels is found there only by its first one.
    """

    def __init__(self, store: BaseStore, user_id: str) -> None:
        self.supports_ttl = store.supports_ttl
        self.ttl_config = store.ttl_config
        self._store = store
        self._label = label_of(user_id)
        self._id = user_id

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations on the user's items."""
        asked = [(op, self._placed(op)) for op in ops]
        return self._seen(asked, self._store.batch([each for _, placed in asked for each in placed]))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations on the user's items."""
        asked = [(op, self._placed(op)) for op in ops]
        return self._seen(asked, await self._store.abatch([each for _, placed in asked for each in placed]))

    def _placed(self, op: Op) -> Sequence[Op]:
        """Return the operation on the user's items, then those on items of an earlier version."""
        match op:
            case GetOp():
                return [op._replace(namespace=each) for each in self._places(op.namespace)]
            case PutOp():
                own, *earlier = self._places(op.namespace)
                return [
                    op._replace(namespace=own),
                    *(PutOp(each, op.key, None) for each in earlier),
                ]
            case SearchOp():
                most = op.offset + op.limit
                return [
                    op._replace(namespace_prefix=each, limit=most, offset=0)
                    for each in self._places(op.namespace_prefix)
                ]
            case ListNamespacesOp():
                return self._listed(op)

    def _places(self, namespace: Namespace) -> Sequence[Namespace]:
        earlier = [(self._id, *namespace)]
        # Joined with dots this is `ann.`, which leaves out items of `anna`, and those under the label `ann!`.
        return [(self._label, *namespace), *earlier, *([] if namespace else [(self._id, "")])]

    def _listed(self, op: ListNamespacesOp) -> Sequence[Op]:
        asked = op.match_conditions or ()
        others = [each for each in asked if each.match_type != "prefix"]
        prefixes = [each.path for each in asked if each.match_type == "prefix"] or [()]
        # One more label, or as many as the plain id has parts between its dots.
        depth = None if op.max_depth is None else op.max_depth + 1 + self._id.count(".")
        most = op.offset + op.limit
        return [
            ListNamespacesOp((*(MatchCondition("prefix", each) for each in places), *others), depth, most, 0)
            for places in zip(*(self._places(cast("Namespace", each)) for each in prefixes), strict=False)
        ]

    def _seen(self, asked: Sequence[tuple[Op, Sequence[Op]]], results: Sequence[Result]) -> list[Result]:
        """Return the results as the user is to see them."""
        found: list[Result] = []
        at = 0
        for op, placed in asked:
            of_op, at = results[at : at + len(placed)], at + len(placed)
            found.append(self._result(op, of_op))
        return found

    def _result(self, op: Op, results: Sequence[Result]) -> Result:
        match op:
            case GetOp():
                items = [each for each in results if isinstance(each, Item)]
                return _in_namespace(items[0], op.namespace) if items else None
            case PutOp():
                return None
            case SearchOp():
                items = self._items(op, cast("Sequence[list[SearchItem]]", results))
                if op.query:
                    items.sort(key=lambda each: -(each.score or 0.0))
                return items[op.offset : op.offset + op.limit]
            case ListNamespacesOp():
                asked = any(each.match_type == "prefix" and each.path for each in op.match_conditions or ())
                found = {
                    rest[: op.max_depth]
                    for namespaces in cast("Sequence[list[Namespace]]", results)
                    for each in namespaces
                    if (rest := self._rest(each, is_asked_for=asked)) is not None
                }
                return sorted(found)[op.offset : op.offset + op.limit]

    def _items(self, op: SearchOp, results: Sequence[Sequence[SearchItem]]) -> list[SearchItem]:
        found: dict[tuple[Namespace, str], SearchItem] = {}
        for item in (each for items in results for each in items):
            rest = self._rest(item.namespace, is_asked_for=bool(op.namespace_prefix))
            if rest is not None:
                found.setdefault((rest, item.key), _in_namespace(item, rest))
        return [*found.values()]

    def _rest(self, namespace: Namespace, *, is_asked_for: bool) -> Namespace | None:
        """Return a namespace without the user's label or id; None if it is not, or may not be, the user's."""
        if namespace[:1] == (self._label,):
            return namespace[1:]
        joined = ".".join(namespace)
        if not joined.startswith(f"{self._id}."):
            return None
        rest = tuple(joined.removeprefix(f"{self._id}.").split("."))
        return rest if is_asked_for or len(rest) == 1 else None


def _in_namespace(item: Any, namespace: Namespace) -> Any:
    values: dict[str, Any] = {
        "value": item.value,
        "key": item.key,
        "namespace": namespace,
        "created_at": item.created_at,
        "updated_at": item.updated_at,
    }
    return SearchItem(**values, score=item.score) if isinstance(item, SearchItem) else Item(**values)
