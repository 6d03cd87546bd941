"""When a group of writes is handed over to the disk, and what a group that fails changes."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

import pytest
from structlog.testing import capture_logs

from backend.domain.errors import StoreUnavailable
from backend.domain.events import StoredEvent
from backend.store.event_bus import EventBus
from backend.store.event_log import FEW_USERS, EventLog
from backend.store.pending_writes import AT_ONCE, FLUSH_AGAIN_S, LINGER_S, PendingWrites, Write, Written
from backend.store.sqlite.memory import MemoryStateStore
from tests.records import ANN, an_event

pytestmark = pytest.mark.virtual_time


class Disk:
    """Takes groups, and writes each when it is told to."""

    def __init__(self) -> None:
        self.groups: list[list[Write]] = []
        self.pending = PendingWrites(self.groups.append, self._told)

    def _told(self, user_id: str, events: Sequence[StoredEvent]) -> None:
        raise AssertionError("no event was written")

    def record(self) -> None:
        self.pending.accept(Write(ANN, (an_event(),), None))

    def commit(self) -> None:
        durable: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.pending.accept(Write(ANN, (an_event(),), durable))

    def ends(self, error: Exception | None = None) -> None:
        self.pending.written([Written(each, error=error) for each in self.groups[-1]])


async def the_step_to_end() -> None:
    for _ in range(2):
        await asyncio.sleep(0)


async def test_progress_waits_a_little_and_what_is_found_takes_it_along() -> None:
    disk = Disk()
    disk.record()
    await the_step_to_end()
    assert not disk.groups
    disk.pending.before_next(disk.record)
    await the_step_to_end()
    assert [len(group) for group in disk.groups] == [2]


async def test_progress_alone_is_written_after_a_while() -> None:
    disk = Disk()
    disk.record()
    await asyncio.sleep(LINGER_S)
    assert [len(group) for group in disk.groups] == [1]


async def test_after_a_failure_only_what_somebody_waits_for_is_tried_before_the_pause_is_over() -> None:
    disk = Disk()
    disk.record()
    await asyncio.sleep(LINGER_S)
    disk.ends(StoreUnavailable("The disk is full."))
    disk.record()
    disk.pending.before_next(disk.record)
    await asyncio.sleep(FLUSH_AGAIN_S - 0.1)
    assert len(disk.groups) == 1
    disk.commit()
    await the_step_to_end()
    assert [len(group) for group in disk.groups] == [1, 4]
    disk.ends(StoreUnavailable("The disk is full."))
    await asyncio.sleep(FLUSH_AGAIN_S)
    assert [len(group) for group in disk.groups] == [1, 4, 3]


async def test_one_that_fails_to_record_what_it_gathered_keeps_nobody_from_the_disk() -> None:
    disk = Disk()

    def fails() -> None:
        raise ValueError("out of order")

    disk.pending.before_next(fails)
    disk.pending.before_next(disk.record)
    await the_step_to_end()
    assert [len(group) for group in disk.groups] == [1]


async def test_many_groups_in_a_row_are_paced_and_the_wait_does_not_add_up() -> None:
    disk = Disk()
    for _ in range(10 * AT_ONCE):
        disk.commit()
        await the_step_to_end()
        disk.ends()
    disk.pending.before_next(disk.record)
    await the_step_to_end()
    assert len(disk.groups) == 10 * AT_ONCE
    await asyncio.sleep(LINGER_S)
    assert len(disk.groups) == 10 * AT_ONCE + 1


class Queue(Disk):
    """Writes a group once it is begun; until then it can be taken back."""

    def __init__(self) -> None:
        super().__init__()
        self.pending = PendingWrites(self.groups.append, self._told, take_back=self._take_back)
        self.begun = False

    def _take_back(self) -> list[Write] | None:
        return None if self.begun or not self.groups else self.groups.pop()


async def test_group_that_nobody_has_begun_takes_what_somebody_waits_for_and_all_before_it() -> None:
    queue = Queue()
    queue.commit()
    await the_step_to_end()
    queue.record()
    await the_step_to_end()
    assert [len(group) for group in queue.groups] == [1]
    queue.pending.before_next(queue.record)
    await the_step_to_end()
    assert [len(group) for group in queue.groups] == [3]
    queue.commit()
    await the_step_to_end()
    assert [len(group) for group in queue.groups] == [4]
    queue.ends()
    assert not queue.pending.has_any


async def test_group_that_is_begun_takes_nothing_more() -> None:
    queue = Queue()
    queue.commit()
    await the_step_to_end()
    queue.begun = True
    queue.commit()
    queue.pending.before_next(queue.record)
    await the_step_to_end()
    assert [len(group) for group in queue.groups] == [1]
    queue.ends()
    await the_step_to_end()
    assert [len(group) for group in queue.groups] == [1, 2]


# --- what the tasks of many users gather ---------------------------------------------------------------


class GroupedStore(MemoryStateStore):
    """A store whose next group of writes is handed over when the test says so."""

    def before_next_group(self, call: Callable[[], None]) -> None:
        self.next_group = call


async def grouped() -> tuple[EventLog, GroupedStore]:
    store = GroupedStore()
    log = EventLog(store, EventBus())
    await log.open()
    return log, store


async def test_while_few_users_gather_each_step_of_the_loop_is_taken_and_else_each_group() -> None:
    log, store = await grouped()
    users, taken = [str(number) for number in range(FEW_USERS + 1)], list[str]()
    for user in users:
        log.batch(user, partial(taken.append, user))
    assert taken == []
    await asyncio.sleep(0)
    assert taken == users[:FEW_USERS]
    store.next_group()
    assert taken == users
    log.batch("last", partial(taken.append, "last"))
    await asyncio.sleep(0)
    assert taken == [*users, "last"]


@pytest.mark.requirement("FAULTS-STAY-ALONE")
async def test_what_one_task_fails_to_record_keeps_nobody_elses_text_from_the_next_group() -> None:
    log, store = await grouped()
    taken: list[str] = []

    def fail() -> None:
        raise ValueError("a value that cannot be recorded")

    users = [str(number) for number in range(2 * FEW_USERS)]
    for user in users:
        log.batch(user, fail if user == users[-3] else partial(taken.append, user))
    await asyncio.sleep(0)
    with capture_logs() as logs:
        store.next_group()
        assert taken == [user for user in users if user != users[-3]]
        log.batch("ann", fail)
        log.batch("ann", partial(taken.append, "ann"))
        await log.commit(ANN)
    assert taken[-1] == "ann"
    assert [each["event"] for each in logs] == ["something could not be recorded"] * 2
