"""What is older than it is to be kept is dropped, turn by turn, from every store alike."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

import pytest

from backend.domain.errors import NotFound
from backend.domain.events import text_delta
from backend.domain.task import AgentProgress, InterruptReason, TaskStatus
from backend.store import retention
from backend.store.base import StateStore
from backend.store.ownership import Lease
from backend.store.records import Acceptance, Checkpoint, NewUser, Record, SavedProgress, SavedReceipt
from backend.store.retention import AgedPlace, Dropped
from backend.store.threads import SavedThread
from tests.contract.conftest import seqs
from tests.contract.reading import exported
from tests.contract.test_erasure import WITH_THE_USER
from tests.records import (
    ANN,
    AT,
    a_context,
    a_message,
    a_model_step,
    a_partial,
    a_task,
    a_thread_step,
    a_tool_call,
    an_input,
)

pytestmark = pytest.mark.requirement("AGED-TURNS-GO")

A_DAY = timedelta(days=1)
NEVER = AT - 1000 * A_DAY
MANY = 1000


def at_day(day: int) -> datetime:
    return AT + day * A_DAY


def a_turn(turn: int, *, user: str = "ann", ended: datetime | None = None, **fields: Any) -> list[Record]:
    """All that is stored of a turn, which ended on the day of its number unless said otherwise."""
    at = ended or at_day(turn)
    values = {"status": TaskStatus.COMPLETED, "updated_at": at, **fields}
    return [
        a_task(user, turn, **values),
        a_message(user, turn, client_id=f"c{turn}"),
        a_message(user, turn, 1, role="assistant"),
        text_delta(f"{user}-{turn}", "hello", offset=0, at=at),
        a_partial(turn, 0),
        SavedProgress(turn, "flight", AgentProgress(state="done", detail="")),
        SavedReceipt(turn, f"{user}-{turn}", b"{}"),
        a_context(user, turn),
        Acceptance(f"c{turn}", b"{}"),
        an_input(user, turn).resolved("withdrawn"),
        Checkpoint(turn, b"state"),
        a_tool_call(user, turn),
        a_model_step(user, turn),
        a_thread_step(turn, b"piece %d" % turn, turn=turn),
    ]


async def say(store: StateStore, turns: Iterable[int], *, user: str = "ann") -> None:
    lease = Lease(user)
    if await store.position(user) is None:
        await store.commit(lease, NewUser("e"))
    for turn in turns:
        await store.commit(lease, *a_turn(turn, user=user))


async def drop(store: StateStore, before: datetime, *, user: str = "ann", most: int = MANY) -> Dropped:
    return await store.drop_aged(Lease(user), before, most=most)


async def turns_of(store: StateStore, user: str = "ann") -> list[int]:
    return [entry["turn"] for table, entry in await exported(store, user) if table == "tasks"]


async def aged(store: StateStore, before: datetime) -> list[str]:
    """Every user who is told to have something aged."""
    found: list[str] = []
    place: AgedPlace | None = AgedPlace()
    while place is not None:
        users = await store.aged_users(before, after=place)
        found += users.user_ids
        place = users.after
    return found


async def test_turns_that_ended_before_go_with_all_their_rows(store):
    await store.give_to("a person", "ann", AT)
    await say(store, [1, 2, 3, 4])
    await store.commit(ANN, SavedThread(user_id="ann", created_at=AT, updated_at=AT))
    before = Counter(table for table, _ in await exported(store, "ann"))
    assert await drop(store, at_day(3)) == Dropped(2)
    left = await exported(store, "ann")
    after = Counter(table for table, _ in left)
    assert set(before) == set(after), "each table has rows of turns that stay"
    went = {table for table in before if after[table] < before[table]}
    assert went == set(before) - WITH_THE_USER
    assert all(entry["turn"] >= 3 for table, entry in left if "turn" in entry and table != "users")
    assert [entry["task_id"] for table, entry in left if table == "receipts"] == ["ann-3", "ann-4"]
    assert [entry["client_id"] for table, entry in left if table == "acceptances"] == ["c3", "c4"]
    assert await seqs(store) == [3, 4]
    assert [each.number for each in await store.get_thread_steps("ann", "", limit=9, most_bytes=MANY)] == [
        4,
        3,
    ]


async def test_what_is_as_old_as_the_bound_stays(store):
    await say(store, [1, 2])
    assert await drop(store, at_day(1)) == Dropped(0)
    assert await turns_of(store) == [1, 2]


async def test_numbers_go_on(store):
    await say(store, [1, 2, 3])
    position = await store.position("ann")
    await drop(store, at_day(3))
    assert await store.position("ann") == position
    await say(store, [4])
    assert (await store.position("ann")).seq == 4
    assert await seqs(store, since=3) == [4]


async def test_whoever_is_behind_is_told_that_events_are_missing(store):
    await say(store, [1, 2, 3])
    await drop(store, at_day(3))
    assert not (await store.events_after("ann", 1, limit=10)).complete
    assert (await store.events_after("ann", 2, limit=10)).complete


async def test_events_that_are_stored_together_are_dropped_one_by_one(new_store, listener):
    store = new_store()
    await store.open(listener)
    await store.commit(ANN, NewUser("e"), *(record for turn in (1, 2, 3) for record in a_turn(turn)))
    await drop(store, at_day(2))
    assert await seqs(store) == [2, 3]
    assert (await store.events_after("ann", 1, limit=10)).complete
    await store.close()


async def test_a_conversation_of_which_everything_is_aged_keeps_its_end_until_it_is_deleted(store):
    await say(store, [1, 2, 3])
    position = await store.position("ann")
    assert await drop(store, at_day(9)) == Dropped(2, is_everything=True)
    assert await turns_of(store) == [3]
    assert await seqs(store) == [3]
    assert await store.position("ann") == position


async def test_a_few_turns_go_at_a_time(store):
    await say(store, range(1, 8))
    steps = [await drop(store, at_day(6), most=2) for _ in range(3)]
    assert steps == [Dropped(2, more=True), Dropped(2, more=True), Dropped(1)]
    assert await turns_of(store) == [6, 7]


async def test_large_events_go_in_several_steps(store, monkeypatch):
    await say(store, [1, 2, 3, 4])
    monkeypatch.setattr(retention, "EVENTS_AT_ONCE_BYTES", 1)
    steps = 0
    while (await drop(store, at_day(4))).more:
        steps += 1
        assert steps < 9
    assert await seqs(store) == [4]


async def test_nothing_goes_before_what_is_in_front_of_it(store):
    """A clock that was set back, or a task that took days."""
    await store.commit(ANN, NewUser("e"), *a_turn(1), *a_turn(2, ended=at_day(20)), *a_turn(3), *a_turn(4))
    assert await drop(store, at_day(10)) == Dropped(1)
    assert await turns_of(store) == [2, 3, 4]


async def test_nothing_goes_while_a_task_is_unfinished(store):
    await say(store, [1, 2])
    for status in (TaskStatus.QUEUED, TaskStatus.RUNNING, TaskStatus.INPUT_REQUIRED):
        await store.commit(ANN, *a_turn(3, status=status))
        assert await drop(store, at_day(9)) == Dropped(0)
    assert await turns_of(store) == [1, 2, 3]


async def test_a_turn_with_a_write_whose_outcome_nobody_knows_stays_alone(store):
    await say(store, [1, 2, 3, 4])
    write = a_tool_call("ann", 2, 9, effect="write", state="running")
    await store.commit(ANN, write)
    assert await drop(store, at_day(9)) == Dropped(2)
    assert await turns_of(store) == [2, 4]
    await store.commit(ANN, write.ended("completed", at_day(4)))
    assert await drop(store, at_day(9)) == Dropped(1, is_everything=True)


async def test_what_a_shutdown_ended_stays_until_it_was_taken_up_and_so_does_what_came_later(store):
    await say(store, [1])
    cut_off = {"status": TaskStatus.INTERRUPTED, "reason": InterruptReason.SHUTDOWN}
    await store.commit(ANN, *a_turn(2, **cut_off), *a_turn(3, aside=True))
    assert await drop(store, at_day(9)) == Dropped(1)
    assert [task.turn for task in await store.resumable("ann")] == [2]
    await say(store, [4])
    assert await drop(store, at_day(9)) == Dropped(2, is_everything=True)


async def test_a_message_that_was_taken_up_after_a_shutdown_is_not_taken_up_again(store):
    """What tells that it was, is the task that took it up; its own stays for a write that is not settled."""
    cut_off = {"status": TaskStatus.INTERRUPTED, "reason": InterruptReason.SHUTDOWN}
    write = a_tool_call("ann", 1, 9, effect="write", state="running")
    await store.commit(ANN, NewUser("e"), *a_turn(1, **cut_off), write, *a_turn(2), *a_turn(3, aside=True))
    assert await store.resumable("ann") == ()
    assert await drop(store, at_day(9)) == Dropped(0)
    assert await store.resumable("ann") == ()


async def test_what_was_said_of_a_task_in_later_turns_goes_with_it(store):
    """A question was answered in a turn of its own, with an aside in between."""
    asked = a_turn(1, spoken_turn=3)
    answer = a_message("ann", 3, task_id="ann-1", client_id="the answer")
    await store.commit(ANN, NewUser("e"), *asked, *a_turn(2), answer, Acceptance("the answer", b"{}"))
    await store.commit(ANN, *a_turn(4), *a_turn(5))
    assert await drop(store, at_day(2)) == Dropped(1)
    assert {message.turn for message in await store.get_messages("ann", limit=MANY)} == {2, 4, 5}
    assert await store.get_acceptance("ann", "the answer") is None


async def test_an_answer_to_a_task_that_stays_is_kept_where_its_neighbours_go(store):
    await store.commit(ANN, NewUser("e"), *a_turn(1, spoken_turn=3), *a_turn(2))
    await store.commit(ANN, a_tool_call("ann", 1, 9, effect="write", state="running"))
    await store.commit(ANN, a_message("ann", 3, task_id="ann-1"), *a_turn(4))
    await drop(store, at_day(9))
    assert {message.turn for message in await store.get_messages("ann", limit=MANY)} == {1, 3, 4}


async def test_what_remains_is_told_as_before(store):
    await say(store, [1, 2, 3])
    await drop(store, at_day(3))
    told = await store.history("ann", limit=10)
    assert [message.turn for message in told.messages] == [3, 3]
    assert (await store.standing("ann")).task.turn == 3
    assert [task.turn for task in await store.recent_tasks("ann", limit=9)] == [3]
    with pytest.raises(NotFound):
        await store.history("ann", limit=1, before="ann-1.0")


async def test_nothing_of_anybody_else_goes(store):
    await say(store, [1, 2])
    await say(store, [1, 2], user="bob")
    before = await exported(store, "bob")
    await drop(store, at_day(9))
    assert await exported(store, "bob") == before


async def test_of_a_user_nobody_knows_nothing_is_dropped(store):
    assert await drop(store, at_day(9), user="nobody") == Dropped(0)


async def test_users_with_something_aged_are_found(store):
    await say(store, [1, 2])
    await say(store, [2, 3], user="bob")
    await say(store, [5], user="a\\c\0")
    assert await aged(store, at_day(1)) == []
    assert await aged(store, at_day(2)) == ["ann"]
    assert await aged(store, at_day(3)) == ["ann", "bob"]
    assert await aged(store, at_day(9)) == ["ann", "bob", "a\\c\0"]
    await drop(store, at_day(3))
    assert await aged(store, at_day(2)) == []


async def test_they_are_found_page_by_page(store, monkeypatch):
    monkeypatch.setattr(retention, "USERS_AT_ONCE", 2)
    for user in "abc":
        await say(store, [1, 2], user=user)
    await say(store, [1], user="d")
    assert set(await aged(store, at_day(9))) == set("abcd")


async def test_a_thread_or_a_conversation_in_which_nothing_was_said_is_aged_as_well(store):
    await store.commit(ANN, SavedThread(user_id="ann", created_at=AT, updated_at=at_day(1)))
    await store.give_to("a person", "bob", at_day(2))
    await say(store, [5], user="cat")
    await store.commit(Lease("cat"), SavedThread(user_id="cat", created_at=AT, updated_at=AT))
    assert await aged(store, at_day(3)) == ["ann", "bob"]
    assert await drop(store, at_day(3)) == Dropped(is_everything=True)
    assert await drop(store, at_day(3), user="bob") == Dropped(is_everything=True)
    assert await drop(store, at_day(1)) == Dropped()


async def test_a_thread_that_was_noted_lately_keeps_its_user(store):
    await say(store, [1])
    await store.commit(ANN, SavedThread(user_id="ann", created_at=AT, updated_at=at_day(8)))
    assert await drop(store, at_day(5)) == Dropped()
    assert await drop(store, at_day(9)) == Dropped(is_everything=True)


async def test_the_last_step_of_a_thread_stays_with_its_pieces(store):
    await store.commit(ANN, NewUser("e"), *a_turn(1), *a_turn(2))
    await store.commit(ANN, a_task("ann", 3, status=TaskStatus.COMPLETED, updated_at=at_day(3)))
    await drop(store, at_day(3))
    assert await turns_of(store) == [3]
    step = await store.get_thread_step("ann", "")
    assert (step.number, [*step.held.values()]) == (2, [b"piece 2"])
    assert [table for table, _ in await exported(store, "ann")].count("thread_pieces") == 1
