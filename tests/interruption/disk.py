"""A store that behaves as one on a disk does, in virtual time.

What it takes is written a moment later, in order; a read waits for what was taken before it. It can refuse
(nothing is taken or read, as when it is closed) or break (what is taken fails when it is written, as on a
full disk). What nobody waits for is lost then, harsher than on SQLite, which tries it again; only what it
`retries`, by default a question or a tool call, and what its user writes behind it, is tried again here too.
`lose_process` leaves what a kill leaves.
"""

import asyncio
from asyncio import Future
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from datetime import datetime
from enum import Enum
from typing import Any, TypeVar

from backend.domain.errors import DetourError, NotOpen, StoreUnavailable
from backend.domain.events import StoredEvent
from backend.domain.questions import InputRequest
from backend.domain.tool_call import ToolCall
from backend.store.base import Listener, no_lease_ends
from backend.store.export import Exported
from backend.store.ownership import Lease, OnLeaseEnded
from backend.store.records import Record, SavedPartial, Wanted
from backend.store.retention import Dropped
from backend.store.sqlite.memory import MemoryStateStore
from backend.store.sqlite.reader import SqliteReader
from backend.store.sqlite.writing import Writer

WRITE_S = 0.005

T = TypeVar("T")


class Health(Enum):
    """How the disk is."""

    WELL = "well"
    REFUSES = "refuses"
    BREAKS = "breaks"


class DiskStore(SqliteReader):
    """`kept` is what is durable; `lost` the (user, turn) of partial results that could not be written."""

    def __init__(self, *, retries: tuple[type[Any], ...] = (InputRequest, ToolCall)) -> None:
        self.kept = MemoryStateStore(keep_events=1_000_000)
        self._retries = retries
        self.health = Health.WELL
        self.lost: set[tuple[str, int]] = set()
        self._taken: list[tuple[Lease, Sequence[Record], Future[int] | None]] = []
        self._dead = False
        self._fails_next = False
        self._refused: type[Any] | None = None
        self._misreports: type[Any] | None = None
        self._health_then = Health.WELL
        self._when_written: Callable[[], object] = lambda: None

    async def open(self, listener: Listener, on_lease_ended: OnLeaseEnded = no_lease_ends) -> None:
        self._dead = False

        def told(user_id: str, events: Sequence[StoredEvent]) -> None:
            if not self._dead:
                listener(user_id, events)

        await self.kept.open(told)

    async def close(self) -> None:
        await self.caught_up()

    def lose_process(self) -> None:
        """Drop what is not durable yet; until it is opened again nothing is kept or read any more."""
        self._taken.clear()
        self._dead = True

    async def new_epoch(self, user_id: str) -> str:
        return await self.kept.new_epoch(user_id)

    def commit(self, lease: Lease, *records: Record) -> "Future[int]":
        durable: Future[int] = asyncio.get_running_loop().create_future()
        self._take(lease, records, durable)
        if self._misreports is not None and any(isinstance(each, self._misreports) for each in records):
            self._misreports, self.health = None, self._health_then
            durable.set_exception(StoreUnavailable("The disk did not answer."))
        return durable

    def record(self, lease: Lease, *records: Record) -> None:
        self._take(lease, records, None)

    def store_call_now(self, lease: Lease, call: ToolCall, *, wanted: Wanted, within_s: float) -> bool:
        if self._dead or not wanted():
            return False
        refused = self._refused is not None and isinstance(call, self._refused)
        if self.health is not Health.WELL or refused:
            raise StoreUnavailable("The disk is full.")
        return self.kept.store_call_now(lease, call, wanted=wanted, within_s=within_s)

    def commit_from_thread(self, lease: Lease, *records: Record) -> None:
        self.kept.commit_from_thread(lease, *records)

    async def caught_up(self) -> None:
        """Wait until what was taken before is written. Raises `StoreUnavailable`."""
        await self.commit(Lease(""))

    async def delete_user(self, lease: Lease, *, at_once: bool = True) -> None:
        await self.caught_up()
        await self.kept.delete_user(lease, at_once=at_once)

    async def export(self, user_id: str) -> AsyncGenerator[Exported, None]:
        await self.caught_up()
        async with aclosing(self.kept.export(user_id)) as entries:
            async for each in entries:
                yield each

    async def drop_aged(self, lease: Lease, before: datetime, *, most: int) -> Dropped:
        await self.caught_up()
        return await self.kept.drop_aged(lease, before, most=most)

    async def _on_writer(self, run: Callable[[Writer], T]) -> T:
        await self.caught_up()
        return await self.kept._on_writer(run)

    def fail_next(self) -> None:
        """Let the first write of the next group fail, and only that."""
        self._fails_next = True

    def report_failure(self, *, of: type[Any] = object, then: Health = Health.WELL) -> None:
        """Take and write the next commit that holds such a record, and yet report that it failed."""
        self._misreports, self._health_then = of, then

    def refuse(self, kind: type[Any] | None) -> None:
        """Take nothing that a record of this kind belongs to, until another kind or None is refused."""
        self._refused = kind

    def when_written(self, then: Callable[[], object]) -> None:
        """Call something once, right after the next group is written."""
        self._when_written = then

    def _take(self, lease: Lease, records: Sequence[Record], durable: "Future[int] | None") -> None:
        if self._dead:
            return
        refused = self._refused is not None and any(isinstance(each, self._refused) for each in records)
        if self.health is Health.REFUSES or refused:
            raise StoreUnavailable("The store cannot take anything right now.")
        if not self._taken:
            asyncio.get_running_loop().call_later(WRITE_S, self._write)
        self._taken.append((lease, records, durable))

    def _write(self) -> None:
        taken, self._taken = self._taken, []
        then, self._when_written = self._when_written, lambda: None
        again: list[tuple[Lease, Sequence[Record], Future[int] | None]] = []
        for lease, records, durable in taken:
            if durable is not None and durable.done():
                durable = None
            behind = any(lease.user_id == other.user_id for other, _, _ in again)
            if not records:
                written: int | DetourError = 0
            elif self._fails_next or self.health is Health.BREAKS or behind:
                self._fails_next = False
                written = StoreUnavailable("The disk is full.")
                is_retried = any(isinstance(each, self._retries) for each in records)
                if durable is None and (is_retried or behind):
                    again.append((lease, records, None))
                    continue
                turns = {each.turn for each in records if isinstance(each, SavedPartial)}
                self.lost |= {(lease.user_id, turn) for turn in turns}
            else:
                kept = self.kept.commit(lease, *records)
                failed = kept.exception()
                written = failed if isinstance(failed, NotOpen) else kept.result()
            if durable is not None and isinstance(written, int):
                durable.set_result(written)
            elif durable is not None and not isinstance(written, int):
                durable.set_exception(written)
        if again and not self._dead:
            if not self._taken:
                asyncio.get_running_loop().call_later(WRITE_S, self._write)
            self._taken[:0] = again
        then()
