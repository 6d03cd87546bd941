"""The interface of the state store: what it writes, what it reads, and what it promises.

A write is a list of records of one user that become durable together or not at all. The store numbers the
events among them in the same transaction, so the numbers have no holes and a failed write uses none. A user's
writes become durable in the order in which `commit` and `record` were called, across both.

`commit` returns a future that is done once the records are durable. Cancelling whoever awaits it does not
cancel the write. `record` returns at once; its records become durable within `GROUP_COMMIT_S`. Both raise
`StoreUnavailable` if the store is not open or has too much pending. A write that fails later fails its
future: with `StoreUnavailable` if the store is at fault, with `TypeError` for a record that cannot be stored,
with `LeaseEnded` if another process owns the user by now; then `on_lease_ended` is called, too, before.
Events are passed to the listener once they are durable, in order, before the future of their commit is done.
Reads raise `StoreUnavailable` too; cancelling one changes nothing.
"""

import asyncio
from abc import ABC, abstractmethod
from asyncio import Future
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

import structlog

from ..domain.context import InterruptedContext
from ..domain.events import StoredEvent
from ..domain.task import Task
from .export import Exported
from .ownership import Lease, OnLeaseEnded
from .persons import Grants, Persons
from .records import CallsNow, ForgetPartials, News, Page, Record, SavedPartial
from .retention import Retention
from .thread_reads import ThreadReads

GROUP_COMMIT_S = 0.05
"""The longest that `record` may take to become durable while the store is well."""

EVENT_BYTES_KEPT = 16 * 1024 * 1024
"""The most bytes of a user's event log, if it is not one event; up to 1 MiB and one event more until trimmed.

A number of events is no bound: each may have 4 MiB. 16 MiB hold all of such a task, with its `status_update`s
as they are stored (`repeated_results`), or three of the largest updates with their results.
"""


Listener = Callable[[str, Sequence[StoredEvent]], None]
"""Called with `(user_id, events)` as soon as the events are durable. What it raises is logged."""

Keep = Callable[[str, Record], Awaitable[None]]
"""Makes a record of a user durable, in the user's lease. Raises `StoreUnavailable`."""

_log = structlog.get_logger(__name__)


def no_lease_ends(_lease: Lease) -> None:
    """Ignore that a lease has ended: for where one process owns everybody."""


class StateStore(Retention, ThreadReads, Persons, Grants, CallsNow, ABC):
    """Stores everything that must survive a restart. One process at a time owns a store."""

    @abstractmethod
    async def open(self, listener: Listener, on_lease_ended: OnLeaseEnded = no_lease_ends) -> None:
        """Get ready to read and write. Raises `StoreUnavailable` if that is impossible."""

    @abstractmethod
    async def close(self) -> None:
        """Make durable what was accepted, then release the store."""

    @abstractmethod
    async def new_epoch(self, user_id: str) -> str:
        """Return the epoch of the log that a user without one begins, the same until somebody is deleted.

        It is never that of a log which has ended. Raises `StoreUnavailable`.
        """

    @abstractmethod
    def commit(self, lease: Lease, *records: Record) -> "Future[int]":
        """Accept records of a lease's user; the future yields the user's `seq` once they are durable."""

    @abstractmethod
    def record(self, lease: Lease, *records: Record) -> None:
        """Accept records that become durable within `GROUP_COMMIT_S`; retried until they are."""

    @abstractmethod
    def commit_from_thread(self, lease: Lease, *records: Record) -> None:
        """Store records, of which none is an event, while the event loop may stand still.

        For any thread but the loop's; returns once they are durable. Raises `StoreUnavailable`, `LeaseEnded`
        and `NotOpen`.
        """

    def before_next_group(self, call: Callable[[], None]) -> None:
        """Call `call` once, soon: before the next group of writes is handed over, for one more in it."""
        asyncio.get_running_loop().call_soon(call)

    @abstractmethod
    async def events_after(self, user_id: str, seq: int, *, limit: int) -> Page:
        """Return at most `limit` events after a number as they were published, in order; fewer if large."""

    async def news_after(self, user_id: str, seq: int, *, limit: int) -> News | None:
        """Return the end of a user's log, and what `events_after` returns; None for an unknown user."""
        position = await self.position(user_id)
        # In this order: what is stored meanwhile is in the page, beyond the end that is told.
        return position and News(position, await self.events_after(user_id, seq, limit=limit))

    @abstractmethod
    def export(self, user_id: str) -> AsyncGenerator[Exported, None]:
        """Yield all that is stored of a user at one instant, in the order of `EXPORTED_TABLES`.

        Nothing for an unknown user. To be closed by whoever does not read it to the end: until then the store
        keeps what it has deleted or replaced meanwhile. Raises `StoreUnavailable`.
        """

    @abstractmethod
    async def delete_user(self, lease: Lease, *, at_once: bool = True) -> None:
        """Delete everything about a lease's user; a user of that name begins with a new epoch.

        With `at_once` this may wait until the bytes have left the file; else they leave it a little later.
        Raises `LeaseEnded`; then nothing is deleted. Raises `StoreUnavailable`; then nobody knows whether
        all was deleted, or nothing.
        """

    async def check(self) -> None:
        """Make a write durable that changes nothing. Raises `StoreUnavailable` if that fails."""
        await self.commit(Lease(""), ForgetPartials(before_turn=0))

    def save_task_metadata(self, task: Task) -> "Future[int]":
        """Store a task; once its status is terminal, later writes of it are ignored."""
        return self.commit(Lease(task.user_id), task)

    def save_partial(self, user_id: str, partial: SavedPartial) -> "Future[int]":
        """Store what a task found or said."""
        return self.commit(Lease(user_id), partial)

    def preserve_interrupted_context(self, context: InterruptedContext) -> "Future[int]":
        """Store an interrupted context; of each user the last `KEPT_CONTEXTS` are kept."""
        return self.commit(Lease(context.user_id), context)


def notify(listener: Listener, user_id: str, events: Sequence[StoredEvent]) -> None:
    """Pass events to a listener; its failure must not affect the writes of others."""
    try:
        listener(user_id, events)
    except Exception:  # noqa: BLE001 - logged; the store serves on
        _log.exception("a listener failed", user_id=user_id)
