"""What the tasks of many users gather becomes one group of writes, whichever of them fails."""

import asyncio
from collections.abc import Callable
from functools import partial

import pytest
from structlog.testing import capture_logs

from backend.store.event_bus import EventBus
from backend.store.event_log import FEW_USERS, EventLog
from backend.store.sqlite.memory import MemoryStateStore
from tests.records import ANN


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
