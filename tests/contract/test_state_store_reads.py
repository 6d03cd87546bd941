"""What `StateStore` promises of reading, on every store: what was saved comes back."""

import re
from datetime import timedelta

import pytest

from backend.domain.errors import NotFound
from backend.domain.task import AgentProgress, InterruptReason, TaskStatus
from backend.store.ownership import Lease
from backend.store.reads import HISTORY_BYTES
from backend.store.records import (
    Acceptance,
    NewUser,
    SavedProgress,
    SavedReceipt,
)
from tests.contract.conftest import seqs
from tests.records import ANN, AT, BOB, a_context, a_message, a_partial, a_task, an_event

SHUTDOWN = {"status": TaskStatus.INTERRUPTED, "reason": InterruptReason.SHUTDOWN}
TAKEN_UP = {"status": TaskStatus.COMPLETED, "previous_task_id": "ann-1", "message": "message 1"}

# --- tasks ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tasks", "resumable_turns"),
    [
        ([SHUTDOWN], [1]),
        ([SHUTDOWN, {"status": TaskStatus.QUEUED}], [1, 2]),
        ([SHUTDOWN, {"status": TaskStatus.RUNNING}], [2]),
        ([SHUTDOWN, {"status": TaskStatus.COMPLETED}], []),
        ([SHUTDOWN, SHUTDOWN], [2]),
        ([SHUTDOWN, {"status": TaskStatus.INTERRUPTED, "reason": InterruptReason.STOPPED}], []),
        ([{"status": TaskStatus.COMPLETED, "reason": InterruptReason.SHUTDOWN}], []),
        ([{"status": TaskStatus.FAILED, "reason": InterruptReason.SHUTDOWN}], []),
        ([{"status": TaskStatus.CANCELLING, "reason": InterruptReason.SHUTDOWN}], [1]),
        ([{"status": TaskStatus.INTERRUPTED, "reason": InterruptReason.LOST}], []),
        ([SHUTDOWN, {"status": TaskStatus.COMPLETED, "aside": True}], [1]),
        ([SHUTDOWN, {**SHUTDOWN, "aside": True}], [1, 2]),
        ([{**SHUTDOWN, "aside": True}, {"status": TaskStatus.COMPLETED}], [1]),
        ([{**SHUTDOWN, "aside": True}, {**TAKEN_UP, "aside": True}], []),
        ([{**SHUTDOWN, "aside": True}, {**TAKEN_UP, "aside": True, "message": "another"}], [1]),
    ],
)
async def test_a_task_that_a_shutdown_ended_is_resumable_unless_a_later_one_was_at_work(
    store, tasks: list[dict[str, object]], resumable_turns: list[int]
) -> None:
    await store.commit(ANN, NewUser("e1"), *(a_task(turn=turn, **task) for turn, task in enumerate(tasks, 1)))
    await store.commit(BOB, NewUser("e2"), a_task("bob", status=TaskStatus.COMPLETED))
    assert [task.turn for task in await store.resumable("ann")] == resumable_turns
    assert await store.unfinished_users() == ({"ann"} if resumable_turns else set())


# --- history -------------------------------------------------------------------------------------------


async def test_a_history_goes_back_page_by_page_to_the_first_message(store) -> None:
    told = [a_message(turn=turn, position=position) for turn in (1, 2, 10) for position in (0, 1, 2)]
    await store.commit(ANN, NewUser("e1"), *(a_task(turn=turn) for turn in (1, 2, 10)), *told)
    pages = [await store.history("ann", limit=4)]
    while pages[-1].messages:
        first = pages[-1].messages[0].message_id
        pages.append(await store.history("ann", limit=4, before=first))
    assert [len(page.messages) for page in pages] == [4, 4, 1, 0]
    assert [message for page in reversed(pages) for message in page.messages] == told
    assert {page.position for page in pages} == {await store.position("ann")}


async def test_a_history_before_no_message_of_the_user_is_refused_by_name(store) -> None:
    for user_id in ("ann", "bob"):
        await store.commit(Lease(user_id), NewUser("e1"), a_task(user_id), a_message(user_id))
    for message_id in ("bob-1.0", "ann-1.1", "ann-2.0", "ann-1", "ann-1.00", "ann-1.x", "."):
        with pytest.raises(NotFound, match=re.escape(f"'{message_id}'")):
            await store.history("ann", limit=5, before=message_id)
    assert await store.history("carl", limit=5, before="ann-1.0") is None


# --- events --------------------------------------------------------------------------------------------


async def test_events_are_read_in_pages(store) -> None:
    await store.commit(ANN, *(an_event(str(number)) for number in range(10)))
    assert await seqs(store, limit=4) == [1, 2, 3, 4]
    assert await seqs(store, since=4, limit=4) == [5, 6, 7, 8]
    assert await seqs(store, since=10) == []
    assert (await store.events_after("ann", 10, limit=4)).complete


@pytest.mark.parametrize("at_once", [1, 10])
async def test_a_page_says_whether_events_before_it_are_no_longer_kept(
    new_store, listener, at_once: int
) -> None:
    store = new_store(keep_events=50)
    await store.open(listener)
    for _ in range(300 // at_once):
        await store.commit(ANN, *(an_event() for _ in range(at_once)))
        await store.position("ann")
    kept = await seqs(store)
    assert kept == list(range(kept[0], 301))
    assert 50 <= len(kept) < 250
    pages = {since: await store.events_after("ann", since, limit=1000) for since in range(301)}
    assert {since for since, page in pages.items() if page.complete} == set(range(kept[0] - 1, 301))
    assert all(
        [e.seq for e in page.events] == list(range(max(since + 1, kept[0]), 301))
        for since, page in pages.items()
    )
    await store.close()


# --- snapshot ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statuses", "told_turn", "queued_turns"),
    [
        (["running"], 1, []),
        (["completed", "queued"], 1, [2]),
        (["queued", "queued"], 2, [1, 2]),
        (["running", "completed"], 1, []),
        (["input_required", "failed", "queued", "queued"], 1, [3, 4]),
        (["cancelling", "running"], 2, []),
        (["completed", "interrupted"], 2, []),
    ],
)
async def test_a_user_is_told_of_the_newest_task_at_work_else_ended_else_queued(
    store, statuses: list[str], told_turn: int, queued_turns: list[int]
) -> None:
    tasks = [a_task(turn=turn, status=TaskStatus(status)) for turn, status in enumerate(statuses, 1)]
    await store.commit(ANN, NewUser("e1"), *tasks)
    snapshot = await store.snapshot("ann", history=5)
    assert snapshot.task == tasks[told_turn - 1]
    assert snapshot.queued == tuple(f"ann-{turn}" for turn in queued_turns)


@pytest.mark.requirement("WAITING-KEEPS-ITS-ORDER")
async def test_tasks_that_wait_are_told_in_the_order_in_which_they_start(store) -> None:
    priorities = {2: 5, 3: 9, 4: 0, 5: 9, 6: 5}
    waiting = [
        a_task(turn=turn, status=TaskStatus.QUEUED, priority=each) for turn, each in priorities.items()
    ]
    await store.commit(ANN, NewUser("e1"), a_task(), *waiting)
    snapshot = await store.snapshot("ann", history=0)
    assert snapshot.queued == ("ann-3", "ann-5", "ann-2", "ann-6", "ann-4")


SUPERSEDED = {"status": TaskStatus.INTERRUPTED, "reason": InterruptReason.SUPERSEDED}
LATER = {"updated_at": AT + timedelta(seconds=5)}


@pytest.mark.parametrize(
    ("tasks", "told_turn"),
    [
        ([{**SUPERSEDED, **LATER}, {"status": TaskStatus.COMPLETED}], 2),
        ([{"status": TaskStatus.COMPLETED, **LATER}, {"status": TaskStatus.COMPLETED}], 2),
        ([{**SUPERSEDED, **LATER}, SUPERSEDED, {"status": TaskStatus.QUEUED}], 2),
        ([{**SUPERSEDED, **LATER}, SUPERSEDED, {"status": TaskStatus.FAILED, "aside": True}], 2),
        ([{"status": TaskStatus.FAILED, "aside": True, **LATER}] * 2, 2),
    ],
)
async def test_of_tasks_that_ended_the_one_of_the_latest_turn_is_told_of_whatever_the_clock_said(
    store, tasks: list[dict[str, object]], told_turn: int
) -> None:
    made = [a_task(turn=turn, **task) for turn, task in enumerate(tasks, 1)]
    await store.commit(ANN, NewUser("e1"), *made)
    assert (await store.snapshot("ann", history=0)).task == made[told_turn - 1]


async def test_a_snapshot_holds_all_that_is_told_of_a_user(store) -> None:
    await store.commit(ANN, NewUser("e1"), a_message(), a_task(status=TaskStatus.INTERRUPTED), a_context())
    await store.commit(ANN, a_message(turn=2), a_task(turn=2), an_event(), a_partial(2), a_partial(1))
    await store.commit(ANN, SavedProgress(2, "flight", AgentProgress(state="working")))
    snapshot = await store.snapshot("ann", history=1)
    assert (snapshot.position.epoch, snapshot.position.seq, snapshot.position.turn) == ("e1", 1, 2)
    assert snapshot.position == await store.position("ann")
    assert snapshot.task == a_task(turn=2)
    assert snapshot.agents == {"flight": AgentProgress(state="working")}
    assert snapshot.partials == (a_partial(2),)
    assert snapshot.interrupted == (a_context(),)
    assert snapshot.messages == (a_message(turn=2),)
    standing = await store.standing("ann")
    told = (standing.position, standing.task, standing.queued, standing.agents)
    assert told == (snapshot.position, snapshot.task, snapshot.queued, snapshot.agents)
    assert await store.standing("bob") is None


async def test_a_page_of_history_is_bounded_in_bytes_and_leads_on_to_the_beginning(store) -> None:
    texts = ["é" * (HISTORY_BYTES // 6), "x" * (2 * HISTORY_BYTES), *["y" * (HISTORY_BYTES // 3)] * 4, "end"]
    said = [a_message(position=position, text=text) for position, text in enumerate(texts)]
    await store.commit(ANN, NewUser("e1"), a_task(), *said)
    pages: list[list[int]] = []
    before = None
    while page := (await store.history("ann", limit=1000, before=before)).messages:
        pages.append([message.position for message in page])
        before = page[0].message_id
    assert pages == [[4, 5, 6], [2, 3], [1], [0]]
    assert [each.position for each in (await store.snapshot("ann", history=1000)).messages] == [4, 5, 6]
    assert len(await store.get_messages("ann", limit=1000)) == len(texts)


# --- how much is stored --------------------------------------------------------------------------------


@pytest.mark.requirement("A-USER-HAS-A-QUOTA")
async def test_what_is_stored_of_a_user_is_counted_in_bytes_and_goes_with_the_user(store) -> None:
    assert await store.stored_bytes("ann") == 0
    long = "x" * 50_000
    records = (NewUser("e1"), a_task(), a_message(text=long), an_event(long), a_partial(), a_context())
    await store.commit(ANN, *records, SavedReceipt(1, "ann-1", long.encode()), Acceptance("c", b"{}"))
    await store.commit(BOB, NewUser("e2"), an_event())
    assert 150_000 <= await store.stored_bytes("ann") < 160_000
    assert 0 < await store.stored_bytes("bob") < 1_000
    await store.delete_user(ANN)
    assert await store.stored_bytes("ann") == 0
