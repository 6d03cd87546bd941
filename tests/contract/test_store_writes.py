"""What `StateStore` promises of writing, on every store: numbers, order, all or nothing."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson
import pytest
from structlog.testing import capture_logs

from backend.conversation.accepted import Accepted
from backend.domain.errors import NotOpen, StoreUnavailable
from backend.domain.task import TaskStatus
from backend.domain.tool_call import ToolCall
from backend.store import codec
from backend.store.base import StateStore
from backend.store.ownership import Lease, LeaseEnded
from backend.store.records import MustBeOpen, NewUser
from backend.store.sqlite.store import SqliteStateStore
from backend.tasks.task_owner import TaskOwner
from tests.contract.conftest import Heard, seqs
from tests.records import (
    ANN,
    AT,
    BOB,
    a_context,
    a_message,
    a_model_step,
    a_partial,
    a_task,
    a_thread,
    a_tool_call,
    an_event,
    an_input,
)

UNKNOWN_RECORD = {"not": "a record"}


# --- numbers and order ---------------------------------------------------------------------------------


@pytest.mark.requirement("NUMBERS-HAVE-NO-HOLES")
async def test_every_event_of_a_user_has_the_next_number_whichever_way_it_came(store, heard: Heard) -> None:
    first = store.commit(ANN, NewUser("e1"), an_event("1"), an_event("2"))
    store.record(ANN, an_event("3"))
    store.record(BOB, NewUser("e2"), an_event("of bob"))
    store.record(ANN, a_partial())
    last = store.commit(ANN, an_event("4"))
    # A store may write two users side by side, so that only bob's own commit tells that his events came.
    of_bob = store.commit(BOB, an_event("another of bob"))
    assert [await first, await last, await of_bob] == [2, 4, 2]
    page = await store.events_after("ann", 0, limit=10)
    assert [(event.seq, orjson.loads(event.frame)["text"]) for event in page.events] == [
        (1, "1"),
        (2, "2"),
        (3, "3"),
        (4, "4"),
    ]
    assert [orjson.loads(event.frame)["seq"] for event in page.events] == [1, 2, 3, 4]
    assert sorted(heard) == [("ann", 1), ("ann", 2), ("ann", 3), ("ann", 4), ("bob", 1), ("bob", 2)]


async def test_the_listener_is_told_in_order_before_the_commit_is_done(store, heard: Heard) -> None:
    heard_when_done: list[Heard] = []
    commits = [store.commit(ANN, an_event(str(number))) for number in range(1, 30)]
    for commit in commits:
        commit.add_done_callback(lambda _commit: heard_when_done.append(list(heard)))
    await asyncio.gather(*commits)
    await asyncio.sleep(0)
    assert heard == [("ann", number) for number in range(1, 30)]
    assert all(heard[: number + 1] == told[: number + 1] for number, told in enumerate(heard_when_done))
    assert len(heard_when_done) == 29


async def test_what_was_recorded_before_a_commit_is_durable_when_the_commit_is(store) -> None:
    store.record(ANN, a_partial(1, 0))
    store.record(ANN, a_message())
    await store.commit(ANN, a_partial(1, 1))
    assert await store.get_partials("ann", 1) == (a_partial(1, 0), a_partial(1, 1))
    assert await store.get_messages("ann", limit=5) == (a_message(),)


async def test_records_become_durable_without_anybody_waiting(new_store) -> None:
    durable = asyncio.Event()
    store = new_store()
    await store.open(lambda _user_id, _events: durable.set())
    store.record(ANN, an_event())
    async with asyncio.timeout(10):
        await durable.wait()
    await store.close()


# --- together or not at all ----------------------------------------------------------------------------


@pytest.mark.requirement("NUMBERS-HAVE-NO-HOLES")
async def test_a_failed_commit_keeps_nothing_and_uses_no_number_up(store, heard: Heard) -> None:
    await store.commit(ANN, NewUser("e1"), an_event("1"))
    failed = store.commit(ANN, a_message(), an_event("lost"), UNKNOWN_RECORD)
    after = store.commit(ANN, an_event("2"))
    with pytest.raises(TypeError, match="no store keeps a dict"):
        await failed
    assert await after == 2
    assert await store.get_messages("ann", limit=5) == ()
    assert heard == [("ann", 1), ("ann", 2)]


async def test_one_bad_write_fails_alone_among_others_of_the_same_moment(store) -> None:
    good = [store.commit(Lease(f"user{number}"), NewUser("e"), an_event()) for number in range(10)]
    bad = store.commit(Lease("user5"), an_event(), UNKNOWN_RECORD)
    good += [store.commit(Lease(f"user{number}"), an_event()) for number in range(10)]
    assert await asyncio.gather(*good) == [1] * 10 + [2] * 10
    with pytest.raises(TypeError):
        await bad


async def test_a_failed_record_is_logged_and_uses_no_number_up(store) -> None:
    with capture_logs() as logs:
        store.record(ANN, an_event(), UNKNOWN_RECORD)
        assert await store.commit(ANN, an_event()) == 1
    assert [(log["event"], log["user_id"], log["log_level"]) for log in logs] == [
        ("records were lost", "ann", "error")
    ]


async def test_a_listener_that_fails_is_logged_and_holds_up_nobody(new_store) -> None:
    def deaf(_user_id: str, _events: object) -> None:
        raise ValueError("cannot hear")

    store = new_store()
    await store.open(deaf)
    with capture_logs() as logs:
        assert await store.commit(ANN, an_event()) == 1
        assert await asyncio.gather(store.commit(ANN, an_event()), store.commit(BOB, an_event())) == [
            2,
            1,
        ]
        store.record(ANN, an_event())
        assert await store.commit(ANN, an_event()) == 4
    assert {log["event"] for log in logs} == {"a listener failed"}
    await store.close()


async def test_a_waiter_that_is_cancelled_changes_nothing(store, heard: Heard) -> None:
    owner = TaskOwner()

    async def wait(text: str) -> None:
        await store.commit(ANN, an_event(text), a_message(position=int(text)))

    waiters = [owner.spawn(wait(str(number)), name="waiter") for number in range(50)]
    await asyncio.sleep(0)
    for waiter in waiters[::2]:
        waiter.cancel()
    await asyncio.wait(waiters)
    assert await store.commit(ANN, an_event()) == 51
    assert await seqs(store) == list(range(1, 52))
    assert len(await store.get_messages("ann", limit=100)) == 50
    assert heard == [("ann", seq) for seq in range(1, 52)]


# --- open and closed -----------------------------------------------------------------------------------


async def test_a_closed_store_takes_and_gives_nothing_until_it_is_opened_again(new_store, listener) -> None:
    store = new_store()
    await store.open(listener)
    await store.commit(ANN, a_task())
    await store.close()
    await assert_refuses(store)
    await store.close()
    await store.open(listener)
    assert await store.get_task_metadata("ann", "ann-1") == a_task()
    await store.close()


async def assert_refuses(store: StateStore) -> None:
    with pytest.raises(StoreUnavailable):
        await store.commit(ANN, an_event())
    with pytest.raises(StoreUnavailable):
        store.record(ANN, an_event())
    with pytest.raises(StoreUnavailable):
        await store.position("ann")
    with pytest.raises(StoreUnavailable):
        await store.resumable("ann")
    with pytest.raises(StoreUnavailable):
        await store.unfinished_users()
    with pytest.raises(StoreUnavailable):
        await store.new_epoch("ann")
    with pytest.raises(StoreUnavailable):
        await store.delete_user(ANN)


async def test_closing_makes_durable_what_was_taken(new_store: Callable[..., StateStore], listener) -> None:
    store = new_store()
    await store.open(listener)
    for number in range(100):
        store.record(ANN, a_message(position=number))
    await store.close()
    await store.open(listener)
    assert len(await store.get_messages("ann", limit=1000)) == 100
    assert replace(a_message(), position=99, text="1.99") in await store.get_messages("ann", limit=1)
    await store.close()


# --- the begin of a call, stored without an event loop -------------------------------------------------


WITHIN_S = 20.0
LOSE_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'detour'"""
"""Not those of the database's own workers, which only a superuser may end."""

CALL = ToolCall(
    call_id="c1", user_id="ann", task_id="t1", turn=1, agent="pay", tool="pay", effect="write", key="pay:1",
    requested_at=AT, observed=True,
).started(AT)  # fmt: skip


async def begun(store) -> None:
    await store.commit(ANN, NewUser("e1"), a_task(), an_event("1"))


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
async def test_begin_of_a_call_is_stored_while_the_event_loop_is_blocked(store) -> None:
    await begun(store)
    assert store.store_call_now(ANN, CALL, wanted=lambda: True, within_s=WITHIN_S)  # this blocks the loop
    assert await store.get_tool_calls("ann", 1) == (CALL,)
    assert await store.unsettled_tool_calls("ann") == (CALL,)


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
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


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
async def test_begin_of_a_call_leaves_events_and_later_writes_alone(store) -> None:
    await begun(store)
    store.record(ANN, an_event("2"))  # still in memory
    assert store.store_call_now(ANN, CALL, wanted=lambda: True, within_s=WITHIN_S)
    ended = CALL.ended("completed", AT)
    assert await store.commit(ANN, ended, an_event("3")) == 3
    assert await seqs(store) == [1, 2, 3]
    assert await store.get_tool_calls("ann", 1) == (ended,)


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
async def test_begin_of_an_unwanted_call_is_not_stored(store) -> None:
    await begun(store)
    assert not store.store_call_now(ANN, CALL, wanted=lambda: False, within_s=WITHIN_S)
    assert await store.get_tool_calls("ann", 1) == ()


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
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


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
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


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
@pytest.mark.postgres
@pytest.mark.parametrize("new_store", ["postgres"], indirect=True)
async def test_begin_of_a_call_is_refused_to_a_former_owner(store) -> None:
    await begun(store)
    with pytest.raises(LeaseEnded):
        store.store_call_now(Lease("ann", 7), CALL, wanted=lambda: True, within_s=WITHIN_S)
    await store.delete_user(ANN)
    assert not store.store_call_now(ANN, CALL, wanted=lambda: True, within_s=WITHIN_S)
    assert await store.get_tool_calls("ann", 1) == ()


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
@pytest.mark.postgres
@pytest.mark.parametrize("new_store", ["postgres"], indirect=True)
async def test_begin_of_a_call_is_stored_though_its_connection_was_lost(store) -> None:
    await begun(store)
    assert store.store_call_now(ANN, CALL, wanted=lambda: True, within_s=WITHIN_S)
    await store._change(lambda of: of.execute(LOSE_OTHERS))
    second = replace(CALL, call_id="c2")
    assert store.store_call_now(ANN, second, wanted=lambda: True, within_s=WITHIN_S)
    assert {each.call_id for each in await store.get_tool_calls("ann", 1)} == {"c1", "c2"}


# --- what another thread stores while the event loop stands still --------------------------------------


def while_the_loop_stands_still(store, *records):
    """Store from another thread and wait for it on the event loop, which does nothing else meanwhile."""
    raised = []

    def commit():
        try:
            store.commit_from_thread(ANN, *records)
        except Exception as error:  # noqa: BLE001 - what the test asks for
            raised.append(error)

    thread = threading.Thread(target=commit)
    thread.start()
    thread.join()
    return raised


@pytest.mark.requirement("A-BLOCKED-LOOP-IS-TOLD")
async def test_records_are_durable_when_it_returns_and_the_loop_writes_on(store):
    await store.commit(ANN, a_task(), an_event())
    assert while_the_loop_stands_still(store, replace(a_task(), blocked="the node 'think'")) == []
    stored = await store.get_task_metadata("ann", "ann-1")
    assert stored.blocked == "the node 'think'"
    assert await store.commit(ANN, a_task(), an_event()) == 2
    assert (await store.get_task_metadata("ann", "ann-1")).blocked is None


@pytest.mark.requirement("A-BLOCKED-LOOP-IS-TOLD")
async def test_task_that_has_ended_is_left_as_it_is(store):
    await store.commit(ANN, a_task(status=TaskStatus.COMPLETED), an_event())
    assert while_the_loop_stands_still(store, replace(a_task(), blocked="the node 'think'")) == []
    stored = await store.get_task_metadata("ann", "ann-1")
    assert (stored.status, stored.blocked) == (TaskStatus.COMPLETED, None)


@pytest.mark.requirement("A-BLOCKED-LOOP-IS-TOLD")
async def test_what_the_store_refuses_is_raised_in_the_thread(store):
    await store.commit(ANN, a_task(), an_event())
    raised = while_the_loop_stands_still(store, MustBeOpen("none"))
    assert [type(each) for each in raised] == [NotOpen]
    assert await store.commit(ANN, a_task(), an_event()) == 2


# --- records of a later release: what this one does not know is passed over ----------------------------


LATER = {"later": {"field": [1, 2]}}

RECORDS = [
    (a_task(), codec.task_from_json, ()),
    (a_message(), codec.message_from_json, ()),
    (an_input(), codec.input_from_json, ("question",)),
    (a_tool_call(effect="write"), codec.tool_call_from_json, ()),
    (a_model_step(), codec.model_step_from_json, ("usage",)),
    (a_thread("ann"), codec.saved_thread_from_json, ()),
]


@pytest.mark.requirement("RELEASES-RUN-SIDE-BY-SIDE")
@pytest.mark.parametrize(("record", "read", "inner"), RECORDS, ids=lambda each: type(each).__name__)
def test_a_field_of_a_record_that_is_not_known_is_passed_over(
    record: Any, read: Any, inner: tuple[str, ...]
) -> None:
    document = orjson.loads(codec.to_json(record))
    for name in inner:
        document[name] |= LATER
    assert read(orjson.dumps(document | LATER)) == record


@pytest.mark.requirement("RELEASES-RUN-SIDE-BY-SIDE")
def test_a_field_of_what_an_interrupted_task_left_is_passed_over_too() -> None:
    context = a_context()
    head, _, results = codec.context_to_json(context).partition(b"\n")
    later = orjson.dumps(orjson.loads(head) | LATER) + b"\n" + results
    assert codec.context_from_json(later) == context


@pytest.mark.requirement("RELEASES-RUN-SIDE-BY-SIDE")
def test_a_field_of_the_answer_that_is_kept_for_retries_is_passed_over_too() -> None:
    kept = Accepted.of(a_task(), superseded=None, epoch="e1").kept_for("c1", "hello").body
    later = orjson.dumps(orjson.loads(kept) | LATER)
    assert Accepted.again(7, later, "hello") == Accepted.again(7, kept, "hello")
