"""A store in one SQLite file, for one process, without any setup.

One thread with one connection (WAL, `synchronous=FULL`) does all work on the file, so a cancellation never
interrupts it. The event loop gathers writes and hands them over in groups, one group at a time: while the
thread commits one, the next gathers. So a lone write is committed at once (0.4 ms), and a thousand at the
same instant share a few commits. `writing` writes a group.

A group is one transaction. If it fails, each of its writes is tried alone, so that a bad one fails alone. On
a full disk they fail with `StoreUnavailable` and use up no event numbers; writes without a waiting caller
are kept, in order, and retried.
"""

import asyncio
import contextlib
import queue
import threading
from asyncio import Future
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import Future as ConcurrentFuture
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import apsw
import structlog

from ...domain.encoding import Clock, system_clock
from ...domain.errors import StoreUnavailable
from ...domain.events import StoredEvent
from ...domain.tool_call import ToolCall
from ..base import Listener, no_lease_ends, notify
from ..export import Exported
from ..ownership import Lease, OnLeaseEnded
from ..pending_writes import PendingWrites, Write, Written
from ..records import Record, Wanted, answer, answer_of
from .export import exported
from .file import open_file, why_not_opened
from .identity import Identity
from .reader import SqliteReader
from .writing import MOST_UNAPPLIED, Writer

APPLY_AFTER_S = 0.2
"""Idle seconds after which the thread applies the journal to the tables."""

COMMIT_WITHIN_S = 10.0
"""Seconds that another thread waits for the store's."""

MOST_READS_TOGETHER = 20
"""Reads answered in a row while writes wait: the first applies the journal, so the others cost less."""

MOST_KNOWN_PERSONS = 10_000
"""Of so many conversations memory holds whose they are, which is asked with every request of a person."""

T = TypeVar("T")
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Job:
    """A function to run on the thread, once so many groups have been written."""

    run: Callable[[Writer], Any]
    result: "Future[Any]"
    after_groups: int


@dataclass(frozen=True, slots=True)
class _End:
    """Ends the thread, which resolves `ended`, if given, as its last act."""

    ended: "Future[None] | None" = None


_Next = Literal["write"] | _Job | Callable[[Writer], None] | _End
_Jobs = queue.SimpleQueue[_Next]
"""The thread's queue; "write" only wakes the thread, and a function answers by itself."""


class SqliteStateStore(SqliteReader):
    """Keeps everything in `path`; `keep_events` and `EVENT_BYTES_KEPT` bound the events of each user.

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
        self._pending = PendingWrites(self._hand_over, self._notify, take_back=self._take_back)
        self._jobs: _Jobs = queue.SimpleQueue()
        self._groups: deque[list[Write]] = deque()
        self._groups_handed_over, self._groups_written = 0, 0
        self._listener: Listener = lambda _user_id, _events: None
        self._known_persons: dict[str, str] = {}
        self._closed = True

    async def open(self, listener: Listener, on_lease_ended: OnLeaseEnded = no_lease_ends) -> None:
        """Open or create the file. Raises `StoreUnavailable`, also if another process has it open.

        Cancelling this closes the file again.
        """
        self._listener = listener
        self._pending = PendingWrites(self._hand_over, self._notify, take_back=self._take_back)
        self._groups_handed_over, self._groups_written = 0, 0
        self._loop = asyncio.get_running_loop()
        # A new queue: the thread of an earlier opening may still read the old one.
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
        """Make all accepted records durable, then close the file and end the thread."""
        if self._closed:
            return
        # From here on a write that fails is given up, or this would wait for a full disk for ever.
        self._pending.gives_up = True
        while self._pending.has_any:
            await self._on_writer(lambda _writer: None)
        self._closed = True
        # Not `thread.join` in the loop's executor, whose threads may all be blocked by then.
        ended: Future[None] = self._loop.create_future()
        self._jobs.put(_End(ended))
        await ended

    # --- the event loop's side -------------------------------------------------------------------------

    def commit(self, lease: Lease, *records: Record) -> "Future[int]":
        """Store records; the future yields the user's `seq` once they are durable.

        Raises `StoreUnavailable`. Cancelling the future does not take the records back.
        """
        durable: Future[int] = asyncio.get_running_loop().create_future()
        self._accept(Write(lease, records, durable))
        return durable

    def record(self, lease: Lease, *records: Record) -> None:
        """Store records soon. Raises `StoreUnavailable`."""
        self._accept(Write(lease, records, None))

    def commit_from_thread(self, lease: Lease, *records: Record) -> None:
        """Store records while the event loop may stand still."""
        outcome: ConcurrentFuture[Written] = ConcurrentFuture()

        def write(writer: Writer) -> None:
            outcome.set_result(self._write_group(writer, [Write(lease, records, None)])[0])

        # The loop has handed over no group since it stands still: nothing is overtaken that it could know.
        self._jobs.put(_Job(write, self._loop.create_future(), self._groups_handed_over))
        try:
            error = outcome.result(COMMIT_WITHIN_S).error
        except TimeoutError:
            raise StoreUnavailable("The store does not answer right now.") from None
        if error is not None:
            raise error

    def _accept(self, write: Write) -> None:
        if self._closed:
            raise StoreUnavailable("The store is closed.")
        self._pending.accept(write)

    def store_call_now(self, lease: Lease, call: ToolCall, *, wanted: Wanted, within_s: float) -> bool:
        """Store the begin of a call, from any thread. Raises `StoreUnavailable`."""
        if self._closed:
            raise StoreUnavailable("The store is closed.")
        asked: ConcurrentFuture[bool] = ConcurrentFuture()
        # After the groups that were handed over, and before a deletion that comes later.
        self._jobs.put(lambda writer: answer(asked, lambda: writer.store_call(lease.user_id, call, wanted)))
        return answer_of(asked, within_s)

    def before_next_group(self, call: Callable[[], None]) -> None:
        """Call `call` once, before the next group is handed over."""
        self._pending.before_next(call)

    def _hand_over(self, group: list[Write]) -> None:
        self._groups.append(group)
        self._groups_handed_over += 1
        self._jobs.put("write")

    def _take_back(self) -> list[Write] | None:
        # One group at a time is here; the thread takes it in one step, too, so one of both gets it.
        try:
            group = self._groups.pop()
        except IndexError:
            return None
        self._groups_handed_over -= 1
        return group

    def _notify(self, user_id: str, events: Sequence[StoredEvent]) -> None:
        notify(self._listener, user_id, events)

    async def _on_writer(self, run: Callable[[Writer], T]) -> T:
        """Run a job on the thread, after every write that was made before it."""
        if self._closed:
            raise StoreUnavailable("The store is closed.")
        await self._pending.all_handed_over()  # a read sees what its caller has written
        if self._closed:
            raise StoreUnavailable("The store is closed.")
        result: Future[T] = self._loop.create_future()
        self._jobs.put(_Job(run, result, self._groups_handed_over))
        return await result

    async def person_of(self, user_id: str) -> str | None:
        """Return whose a conversation is."""
        person = self._known_persons.get(user_id)
        if person is None:
            person = await super().person_of(user_id)
            if person is not None:
                if len(self._known_persons) >= MOST_KNOWN_PERSONS:
                    del self._known_persons[next(iter(self._known_persons))]
                self._known_persons[user_id] = person
        return person

    def export(self, user_id: str) -> AsyncGenerator[Exported, None]:
        """Yield all that is stored of a user at one instant. Raises `StoreUnavailable`."""
        return exported(self._path, self._read, user_id)

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
            except Exception as error:  # noqa: BLE001 - raised where the store is opened
                held.close()
                on_loop(_resolve, opened, None, why_not_opened(self._path, error))
                return
            self._identity = writer.identity
            on_loop(_resolve, opened, None, None)
            job = _next_job(jobs, writer)
            while not isinstance(job, _End):
                # Before reads that came earlier: a message waits for its write, and reads can wait a little.
                self._write_groups(writer)
                if isinstance(job, _Job):
                    job = self._answer_reads(job, jobs, writer)
                else:
                    if callable(job):
                        job(writer)
                    job = _next_job(jobs, writer)
                writer.eraser.erase_in_turn()  # also when never idle: constant reads must not put it off
            # `at_last` runs after `held` has closed the file: another process may open it at once.
            if job.ended is not None:
                at_last.callback(on_loop, _resolve, job.ended, None, None)
            _apply(writer)

    def _write_groups(self, writer: Writer) -> None:
        while self._groups:
            try:
                group = self._groups.popleft()
            except IndexError:
                return  # the event loop has taken it back, and hands it over again
            written = self._write_group(writer, group)
            self._groups_written += 1
            self._loop.call_soon_threadsafe(self._pending.written, written)
            # After the callers have their answers: the mark would take a tenth of the time that a lone commit
            # takes, and with the journal every hundredth commit took 5 ms longer.
            writer.identity.mark()
            if writer.unapplied >= MOST_UNAPPLIED:
                _apply(writer)

    def _answer_reads(self, job: _Job, jobs: _Jobs, writer: Writer) -> _Next:
        """Answer a read and those after it, until one must wait for a group; return the next job."""
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
        except Exception as error:  # noqa: BLE001 - raised in the caller; the thread continues
            failure = error
        self._loop.call_soon_threadsafe(_resolve, job.result, value, failure)

    def _write_group(self, writer: Writer, group: Sequence[Write]) -> list[Written]:
        try:
            written = writer.write([(each.lease.user_id, each.records) for each in group])
        except Exception as error:  # noqa: BLE001 - the write fails; the thread continues
            if len(group) > 1:
                return self._write_singly(writer, group)
            if isinstance(error, apsw.Error):
                error = StoreUnavailable(f"The store could not keep it: {error}.")
            return [Written(group[0], error=error)]
        return [Written(each, events, seq) for each, (events, seq) in zip(group, written, strict=True)]

    def _write_singly(self, writer: Writer, group: Sequence[Write]) -> list[Written]:
        """Write each of a group alone; after one that will be retried, the user's later ones fail too.

        A later event must not get its number before an earlier one.
        """
        failed: dict[str, Exception] = {}
        outcomes: list[Written] = []
        for each in group:
            error = failed.get(each.lease.user_id)
            outcome = Written(each, error=error) if error else self._write_group(writer, [each])[0]
            if each.durable is None and isinstance(outcome.error, StoreUnavailable):
                failed[each.lease.user_id] = outcome.error
            outcomes.append(outcome)
        return outcomes

    # --- deleting ------------------------------------------------------------------------------------

    async def delete_user(self, lease: Lease, *, at_once: bool = True) -> None:
        """Delete everything about a user, records that are still pending included.

        When this returns nothing of it can be read; in a file over 32 MiB, the bytes are overwritten within
        the next minute or so (`erasure`). Raises `StoreUnavailable`; then nothing is deleted.
        """
        # An empty commit: pending records of the user must not be written after the deletion.
        await self.commit(lease)
        try:
            goal = await self._on_writer(lambda writer: writer.delete_user(lease.user_id))
        finally:
            # After the deletion: a read that came before it has noted the person by now.
            self._known_persons.pop(lease.user_id, None)
        if goal is not None and at_once:
            with contextlib.suppress(StoreUnavailable):  # closed meanwhile: the next opening erases the rest
                # One slice in each job, so that others' writes get in between.
                while await self._on_writer(lambda writer: writer.eraser.erase_at_once(goal)):
                    pass

    async def new_epoch(self, user_id: str) -> str:
        """Return the epoch of the log that a new user's first message begins. Raises `StoreUnavailable`."""
        if self._closed or self._identity is None:
            raise StoreUnavailable("The store is closed.")
        return self._identity.epoch_of(user_id)


def _apply(writer: Writer) -> None:
    """Apply the journal to the tables if that is possible now; the next read must do it otherwise."""
    try:
        writer.apply()
    except Exception as error:  # noqa: BLE001 - nothing is lost; the thread continues
        _log.warning("the journal could not be put into the tables yet", reason=str(error))


def _next_job(jobs: _Jobs, writer: Writer) -> _Next:
    """Wait for a job; when none comes for a while, apply the journal and erase what was deleted."""
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
    # The caller was cancelled, or the loop closed it: the outcome has no taker.
    if result.done():
        return
    if error is None:
        result.set_result(value)
    else:
        result.set_exception(error)
