"""The begin of a call is stored without an event loop, by every store."""

import asyncio
import threading
from dataclasses import replace

import pytest

from backend.domain.errors import StoreUnavailable
from backend.domain.tool_call import ToolCall
from backend.store.ownership import Lease, LeaseEnded
from backend.store.records import NewUser
from backend.store.sqlite.store import SqliteStateStore
from backend.tasks.task_owner import TaskOwner
from tests.contract.conftest import seqs
from tests.records import ANN, AT, a_task, an_event

pytestmark = pytest.mark.requirement("TOOLS-NOBODY-DECLARED")

WITHIN_S = 20.0
LOSE_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()"""

CALL = ToolCall(
    call_id="c1", user_id="ann", task_id="t1", turn=1, agent="pay", tool="pay", effect="write", key="pay:1",
    requested_at=AT, observed=True,
).started(AT)  # fmt: skip


async def begun(store) -> None:
    await store.commit(ANN, NewUser("e1"), a_task(), an_event("1"))


async def test_begin_of_a_call_is_stored_while_the_event_loop_is_blocked(store) -> None:
    await begun(store)
    assert store.store_call_now(ANN, CALL, wanted=lambda: True, within_s=WITHIN_S)  # this blocks the loop
    assert await store.get_tool_calls("ann", 1) == (CALL,)
    assert await store.unsettled_tool_calls("ann") == (CALL,)


async def test_begin_of_a_call_is_stored_from_a_thread_the_loop_waits_for(store) -> None:
    await begun(store)
    stored: list[bool] = []
    thread = threading.Thread(
        target=lambda: stored.append(store.store_call_now(ANN, CALL, wanted=lambda: True, within_s=WITHIN_S))
    )
    thread.start()
    thread.join()
    assert stored == [True]
    assert await store.get_tool_calls("ann", 1) == (CALL,)


async def test_begin_of_a_call_leaves_events_and_later_writes_alone(store) -> None:
    await begun(store)
    store.record(ANN, an_event("2"))  # still in memory
    assert store.store_call_now(ANN, CALL, wanted=lambda: True, within_s=WITHIN_S)
    ended = CALL.ended("completed", AT)
    assert await store.commit(ANN, ended, an_event("3")) == 3
    assert await seqs(store) == [1, 2, 3]
    assert await store.get_tool_calls("ann", 1) == (ended,)


async def test_begin_of_an_unwanted_call_is_not_stored(store) -> None:
    await begun(store)
    assert not store.store_call_now(ANN, CALL, wanted=lambda: False, within_s=WITHIN_S)
    assert await store.get_tool_calls("ann", 1) == ()


async def test_begin_of_a_call_survives_the_process(new_store, listener) -> None:
    store = new_store()
    await store.open(listener)
    await begun(store)
    assert store.store_call_now(ANN, CALL, wanted=lambda: True, within_s=WITHIN_S)
    await store.close()
    with pytest.raises(StoreUnavailable):
        store.store_call_now(ANN, replace(CALL, call_id="c2"), wanted=lambda: True, within_s=WITHIN_S)
    if not isinstance(store, SqliteStateStore) and "Postgres" not in type(store).__name__:
        return  # memory keeps nothing
    store = new_store()
    await store.open(listener)
    assert await store.unsettled_tool_calls("ann") == (CALL,)
    await store.close()


async def test_begin_of_a_call_that_takes_too_long_is_refused_and_never_stored(tmp_path) -> None:
    store = SqliteStateStore(tmp_path / "detour.db")
    await store.open(lambda _user_id, _events: None)
    await begun(store)
    held, may_go_on = threading.Event(), threading.Event()

    def hold(_connection: object) -> None:
        held.set()
        assert may_go_on.wait(WITHIN_S)

    reading = TaskOwner().spawn(store._read(hold), name="reading")
    await asyncio.sleep(0)  # it has asked
    assert held.wait(WITHIN_S)
    with pytest.raises(StoreUnavailable):
        store.store_call_now(ANN, CALL, wanted=lambda: True, within_s=0)
    may_go_on.set()
    await reading
    assert await store.get_tool_calls("ann", 1) == ()
    await store.close()


@pytest.mark.postgres
@pytest.mark.parametrize("new_store", ["postgres"], indirect=True)
async def test_begin_of_a_call_is_refused_to_a_former_owner(store) -> None:
    await begun(store)
    with pytest.raises(LeaseEnded):
        store.store_call_now(Lease("ann", 7), CALL, wanted=lambda: True, within_s=WITHIN_S)
    await store.delete_user(ANN)
    assert not store.store_call_now(ANN, CALL, wanted=lambda: True, within_s=WITHIN_S)
    assert await store.get_tool_calls("ann", 1) == ()


@pytest.mark.postgres
@pytest.mark.parametrize("new_store", ["postgres"], indirect=True)
async def test_begin_of_a_call_is_stored_though_its_connection_was_lost(store) -> None:
    await begun(store)
    assert store.store_call_now(ANN, CALL, wanted=lambda: True, within_s=WITHIN_S)
    await store._change(lambda of: of.execute(LOSE_OTHERS))
    second = replace(CALL, call_id="c2")
    assert store.store_call_now(ANN, second, wanted=lambda: True, within_s=WITHIN_S)
    assert {each.call_id for each in await store.get_tool_calls("ann", 1)} == {"c1", "c2"}
