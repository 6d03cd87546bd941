"""Readiness: the store is read and written, and no probe can load the disk."""

import asyncio

import pytest

from backend.domain.errors import StoreUnavailable
from backend.http.routes.health import PATIENCE_S, WRITE_EVERY_S, StoreCheck
from backend.store.sqlite.memory import MemoryStateStore
from backend.tasks.task_owner import TaskOwner

pytestmark = pytest.mark.virtual_time


class CountingStore(MemoryStateStore):
    """Counts what is written; takes nothing while `full`, and answers nobody while it `hangs`."""

    def __init__(self):
        super().__init__()
        self.written = 0
        self.full = self.hangs = False

    def commit(self, lease, *records):
        self.written += 1
        if self.full:
            raise StoreUnavailable("The disk is full.")
        if self.hangs:
            return asyncio.get_running_loop().create_future()
        return super().commit(lease, *records)


@pytest.fixture
def store():
    return CountingStore()


@pytest.fixture
async def check(store):
    return StoreCheck(store, monotonic=asyncio.get_running_loop().time)


async def test_store_that_cannot_be_written_is_not_ready(store, check):
    assert await check.outcome() == "ok"
    store.full = True
    await asyncio.sleep(WRITE_EVERY_S)
    assert await check.outcome() == "The disk is full."
    store.full = False
    await asyncio.sleep(WRITE_EVERY_S)
    assert await check.outcome() == "ok"


async def test_store_that_cannot_be_read_is_noticed_between_writes(store, check):
    assert await check.outcome() == "ok"
    await store.close()
    assert await check.outcome() == "The store is closed."


async def test_probes_write_once_a_second(store, check):
    owner = TaskOwner()
    for _ in range(5):
        await asyncio.gather(*(owner.spawn(check.outcome(), name="probe") for _ in range(20)))
    assert store.written == 1
    await asyncio.sleep(WRITE_EVERY_S)
    await check.outcome()
    assert store.written == 2


async def test_store_that_hangs_is_reported_in_time(store, check):
    store.hangs = True
    assert await check.outcome() == f"The store did not answer within {PATIENCE_S:g} s."
    assert asyncio.get_running_loop().time() == PATIENCE_S


async def test_probe_creates_no_user(store, check):
    await check.outcome()
    assert await store.position("") is None
    assert await store.unfinished_users() == frozenset()
