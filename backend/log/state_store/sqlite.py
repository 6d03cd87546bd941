"""A store in one SQLite file, for one process, with nothing to set up.

All work on the file is done by one thread with one connection (WAL, `synchronous=FULL`): no cancellable code
ever holds it. The event loop's side gathers what is to be written and hands it over as a group, one group at
a time; while the thread commits one, the next gathers. So a lone write is committed at once (0.4 ms), and a
thousand at the same instant share a few commits. How a group is written, `sqlite_writes` says.

A group is one transaction. Where it fails, each of its writes is tried by itself, so that a bad one fails
alone. A full disk fails them with `StoreUnavailable`, and none of their event numbers are used up; what
nobody waits for is kept, in order, and tried again.
"""

import asyncio
import contextlib
import queue
import threading
from asyncio import Future
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import apsw
import structlog

from ...domain.clock import Clock, system_clock
from ...domain.events import StoredEvent
from ...errors import StoreUnavailable
from .base import Listener, Record, notify
from .sqlite_identity import Identity
from .sqlite_opening import open_file, refusal
from .sqlite_reader import SqliteReader
from .sqlite_writes import MOST_UNAPPLIED, Writer

LINGER_S = 0.004
"""How long records that nobody waits for are gathered before they are written."""

RETRY_S = 0.5
"""How long records that could not be written wait for the next try."""

APPLY_AFTER_S = 0.2
"""How long the thread is idle before it puts what is only in the journal into the tables."""

MOST_READS_TOGETHER = 20
"""Reads that are answered in a row while writes wait: each costs less where the tables are up to date."""

MOST_PENDING = 100_000
"""Writes that may wait for the disk; beyond it, the store takes nothing more."""

T = TypeVar("T")
_log = structlog.get_logger(__name__)


class _Write(NamedTuple):
    user_id: str
    records: tuple[Record, ...]
    durable: "Future[int] | None"


class _Written(NamedTuple):
    """What became of one write: its events and the user's `seq`, or why it failed."""

    write: _Write
    events: tuple[StoredEvent, ...] = ()
    seq: int = 0
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class _Job:
    """Something to run on the thread, not before so many groups have been written."""

    run: Callable[[Writer], Any]
    result: "Future[Any]"
    after_groups: int


@dataclass(frozen=True, slots=True)
class _End:
    """Ends the thread, which tells `ended`, where somebody waits for it, as its last act."""

    ended: "Future[None] | None" = None


_Next = Literal["write"] | _Job | _End
_Jobs = queue.SimpleQueue[_Next]
"""What the thread is handed; "write" only wakes it."""


class SqliteStateStore(SqliteReader):
    """Keeps everything in `path`; `keep_events` and `EVENT_BYTES_KEPT` bound the events kept for a user.

    `max_pages` bounds the file's size in pages of 4 KiB; beyond it the disk counts as full.
    """

    def __init__(
        self,
        path: Path,
        *,
        keep_events: int = 2000,
        max_pages: int | None = None,
        clock: Clock = system_clock,
    ) -> None:
        self._path = path
        self._clock = clock
        self._identity: Identity | None = None
        self._keep_events = keep_events
        self._max_pages = max_pages
        self._pending: list[_Write] = []
        self._group_under_way = False
        self._commit_is_pending = False
        self._flush_timer: asyncio.Handle | None = None
        self._jobs: _Jobs = queue.SimpleQueue()
        self._groups: deque[list[_Write]] = deque()
        self._groups_handed_over, self._groups_written = 0, 0
        self._ending = False
        self._listener: Listener = lambda _user_id, _events: None
        self._closed = True

    async def open(self, listener: Listener) -> None:
        """Open or create the file. Raises `StoreUnavailable`, also where another process has it.

        Where it is cancelled, the file is let go of again.
        """
        self._listener = listener
        self._ending = False
        self._groups_handed_over, self._groups_written = 0, 0
        self._loop = asyncio.get_running_loop()
        self._jobs = queue.SimpleQueue()
        opened: Future[None] = self._loop.create_future()
        thread = threading.Thread(target=self._run, args=(self._jobs, opened), name="sqlite", daemon=True)
        thread.start()
        try:
            await opened
            self._closed = False
        finally:
            if self._closed:
                self._jobs.put(_End())

    async def close(self) -> None:
        """Make durable what was taken, then close the file and end the thread."""
        if self._closed:
            return
        self._ending = True
        while self._pending or self._group_under_way:
            await self._on_thread(lambda _writer: None)
        self._closed = True
        # Not by joining the thread in the loop's pool, whose threads may all be blocked by then.
        ended: Future[None] = self._loop.create_future()
        self._jobs.put(_End(ended))
        await ended

    # --- the event loop's side -------------------------------------------------------------------------

    def commit(self, user_id: str, *records: Record) -> "Future[int]":
        """Take records; the future yields the user's `seq` once they are durable."""
        durable: Future[int] = asyncio.get_running_loop().create_future()
        self._enqueue(_Write(user_id, records, durable))
        if not self._commit_is_pending:
            self._commit_is_pending = True
            self._schedule_flush()
        return durable

    def record(self, user_id: str, *records: Record) -> None:
        """Take records that become durable soon."""
        self._enqueue(_Write(user_id, records, None))
        if self._flush_timer is None:
            self._schedule_flush()

    def _enqueue(self, write: _Write) -> None:
        if self._closed or len(self._pending) >= MOST_PENDING:
            raise StoreUnavailable("The store cannot take anything right now.")
        self._pending.append(write)

    def _schedule_flush(self, within_s: float = LINGER_S) -> None:
        """See to it that what is pending is handed over: at the end of this step where someone waits."""
        if self._group_under_way or not self._pending:
            return
        if self._flush_timer is not None:
            self._flush_timer.cancel()
        if self._commit_is_pending:
            self._flush_timer = self._loop.call_soon(self._flush)
        else:
            self._flush_timer = self._loop.call_later(within_s, self._flush)

    def _flush(self) -> None:
        if self._flush_timer is not None:
            self._flush_timer.cancel()
            self._flush_timer = None
        if self._pending and not self._group_under_way:
            self._group_under_way, self._commit_is_pending = True, False
            self._groups.append(self._pending)
            self._groups_handed_over += 1
            self._jobs.put("write")
            self._pending = []

    def _group_written(self, group: Sequence[_Written]) -> None:
        self._group_under_way = False
        events: dict[str, list[StoredEvent]] = {}
        for written in group:
            events.setdefault(written.write.user_id, []).extend(written.events)
        for user_id, stored in events.items():
            if stored:
                notify(self._listener, user_id, stored)
        again = [written.write for written in group if self._will_retry(written)]
        for written in group:
            durable = written.write.durable
            if durable is None or durable.done():
                continue
            if written.error is not None:
                durable.set_exception(written.error)
            else:
                durable.set_result(written.seq)
        self._pending[:0] = again
        self._schedule_flush(RETRY_S if again else LINGER_S)

    def _will_retry(self, written: _Written) -> bool:
        """Tell whether records that nobody waits for are kept until the store can take them."""
        if written.error is None or written.write.durable is not None:
            return False
        if isinstance(written.error, StoreUnavailable) and not self._ending:
            return True
        _log.error("records were lost", user_id=written.write.user_id, reason=str(written.error))
        return False

    async def _read(self, read: Callable[[apsw.Connection], T]) -> T:
        return await self._on_thread(lambda writer: writer.read(read))

    async def _on_thread(self, run: Callable[[Writer], T]) -> T:
        """Run a job behind every write that was handed over before it."""
        if self._closed:
            raise StoreUnavailable("The store is closed.")
        self._flush()
        result: Future[T] = self._loop.create_future()
        self._jobs.put(_Job(run, result, self._groups_handed_over))
        return await result

    # --- the thread's side -----------------------------------------------------------------------------

    def _run(self, jobs: _Jobs, opened: "Future[None]") -> None:
        on_loop = self._loop.call_soon_threadsafe
        with ExitStack() as at_last, ExitStack() as held:
            try:
                connection, file = open_file(self._path, held)
                writer = Writer(
                    connection,
                    file,
                    keep_events=self._keep_events,
                    max_pages=self._max_pages,
                    clock=self._clock,
                )
                held.callback(writer.identity.close)
            except Exception as error:  # noqa: BLE001 - whatever it is, who opens the store gets it
                held.close()
                on_loop(_resolve, opened, None, refusal(self._path, error))
                return
            self._identity = writer.identity
            on_loop(_resolve, opened, None, None)
            job = _next_job(jobs, writer)
            while not isinstance(job, _End):
                self._write_groups(writer)  # writes go before reads that came earlier: others wait for them
                if isinstance(job, _Job):
                    job = self._answer_reads(job, jobs, writer)
                else:
                    job = _next_job(jobs, writer)
                writer.eraser.erase_in_turn()  # here, too: whoever asks all the time must not put it off
            if job.ended is not None:
                at_last.callback(on_loop, _resolve, job.ended, None, None)
            _apply(writer)

    def _write_groups(self, writer: Writer) -> None:
        while self._groups:
            written = self._write_group(writer, self._groups.popleft())
            self._groups_written += 1
            self._loop.call_soon_threadsafe(self._group_written, written)
            if writer.unapplied >= MOST_UNAPPLIED:
                _apply(writer)

    def _answer_reads(self, job: _Job, jobs: _Jobs, writer: Writer) -> _Next:
        """Answer a read and those behind it, until one has to wait for a group; return what comes next."""
        for _ in range(MOST_READS_TOGETHER):
            self._answer(job, writer)
            following = _next_job(jobs, writer)
            if not isinstance(following, _Job) or following.after_groups > self._groups_written:
                return following
            job = following
        return job

    def _answer(self, job: _Job, writer: Writer) -> None:
        value, failure = None, None
        try:
            value = job.run(writer)
        except apsw.Error as error:
            failure = StoreUnavailable(f"The store cannot be read right now: {error}.")
        except Exception as error:  # noqa: BLE001 - whoever asked gets it; the thread serves on
            failure = error
        self._loop.call_soon_threadsafe(_resolve, job.result, value, failure)

    def _write_group(self, writer: Writer, group: Sequence[_Write]) -> list[_Written]:
        try:
            written = writer.write([(each.user_id, each.records) for each in group])
        except Exception as error:  # noqa: BLE001 - the write fails; the thread serves on
            if len(group) > 1:
                return self._write_singly(writer, group)
            if isinstance(error, apsw.Error):
                error = StoreUnavailable(f"The store could not keep it: {error}.")
            return [_Written(group[0], error=error)]
        return [_Written(each, events, seq) for each, (events, seq) in zip(group, written, strict=True)]

    def _write_singly(self, writer: Writer, group: Sequence[_Write]) -> list[_Written]:
        """Write each of a group by itself; behind one that is tried again, the user's later ones fail."""
        failed: dict[str, Exception] = {}
        outcomes: list[_Written] = []
        for each in group:
            error = failed.get(each.user_id)
            outcome = _Written(each, error=error) if error else self._write_group(writer, [each])[0]
            if each.durable is None and isinstance(outcome.error, StoreUnavailable):
                failed[each.user_id] = outcome.error
            outcomes.append(outcome)
        return outcomes

    # --- deleting ------------------------------------------------------------------------------------

    async def delete_user(self, user_id: str) -> None:
        """Forget everything about a user; what was taken before is written, then deleted.

        When this returns nothing of it can be read any more; of a file over 32 MiB, the bytes are overwritten
        within the next minute or so (`sqlite_erasure`). Raises `StoreUnavailable`; then nothing is forgotten.
        """
        await self.commit(user_id)
        goal = await self._on_thread(lambda writer: writer.delete_user(user_id))
        if goal is not None:
            with contextlib.suppress(StoreUnavailable):  # closed meanwhile: the next opening erases it
                # One slice a job, so that others' writes get in between.
                while await self._on_thread(lambda writer: writer.eraser.erase_at_once(goal)):
                    pass

    def new_epoch(self, user_id: str) -> str:
        """Return the epoch of the log that a user without one begins. Raises `StoreUnavailable`."""
        if self._identity is None:
            raise StoreUnavailable("The store is closed.")
        return self._identity.epoch_of(user_id)


def _apply(writer: Writer) -> None:
    """Put what is durable into the tables, if that is possible now: before the next read it must be."""
    try:
        writer.apply()
    except Exception as error:  # noqa: BLE001 - nothing is lost; the thread serves on
        _log.warning("the journal could not be put into the tables yet", reason=str(error))


def _next_job(jobs: _Jobs, writer: Writer) -> _Next:
    """Wait for something to do; where nothing comes for a while, tidy up meanwhile."""
    if writer.unapplied:
        try:
            return jobs.get(timeout=APPLY_AFTER_S)
        except queue.Empty:
            _apply(writer)
    while writer.eraser.due:
        try:
            return jobs.get(timeout=writer.eraser.wait_s)
        except queue.Empty:
            writer.eraser.erase_in_turn()
    return jobs.get()


def _resolve(result: "Future[Any]", value: object, error: Exception | None) -> None:
    if result.done():
        return
    if error is None:
        result.set_result(value)
    else:
        result.set_exception(error)
