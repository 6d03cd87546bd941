"""What `StateStore` promises of reading, on every store: what was saved comes back."""

import re
from datetime import timedelta

import pytest

from backend.domain.context import KEPT_CONTEXTS
from backend.domain.errors import NotFound
from backend.domain.task import AgentProgress, InterruptReason, TaskStatus
from backend.store.base import HISTORY_BYTES
from backend.store.ownership import Lease
from backend.store.records import (
    Acceptance,
    ForgetPartials,
    NewUser,
    SavedPartial,
    SavedProgress,
    SavedReceipt,
)
from tests.contract.conftest import seqs
from tests.records import ANN, AT, BOB, a_context, a_message, a_partial, a_task, an_event

ACTIVE = [status for status in TaskStatus if not status.terminal]
TERMINAL = [status for status in TaskStatus if status.terminal]
SHUTDOWN = {"status": TaskStatus.INTERRUPTED, "reason": InterruptReason.SHUTDOWN}
TAKEN_UP = {"status": TaskStatus.COMPLETED, "previous_task_id": "ann-1", "message": "message 1"}

# --- tasks ---------------------------------------------------------------------------------------------


async def test_a_task_reads_back_exactly_as_it_was_saved(store) -> None:
    task = a_task(
        updated_at=AT + timedelta(microseconds=1),
        started_at=AT,
        interrupt_requested_at=AT,
        reason=InterruptReason.STOPPED,
        request={"from": "HAM", "stars": [4, 5], "price": None},
        previous_task_id="ann-0",
        relation="refine",
        policy="enqueue",
        priority=7,
        attempt=2,
    )
    await store.save_task_metadata(task)
    assert await store.get_task_metadata("ann", task.task_id) == task
    assert await store.get_task_metadata("ann", "other") is None


@pytest.mark.requirement("TERMINAL-IS-FINAL")
@pytest.mark.parametrize("terminal", TERMINAL)
@pytest.mark.parametrize(
    "read_before", [False, True]
)  # a read has the store put what it took into its tables
async def test_a_task_that_has_ended_never_changes(store, terminal: TaskStatus, read_before: bool) -> None:
    ended = a_task(status=terminal)
    await store.commit(ANN, a_task(status=TaskStatus.QUEUED), a_task(), ended)
    if read_before:
        assert await store.get_task_metadata("ann", "ann-1") == ended
    for status in TaskStatus:
        await store.save_task_metadata(a_task(status=status, message="changed"))
    assert await store.get_task_metadata("ann", "ann-1") == ended


@pytest.mark.parametrize("status", ACTIVE)
async def test_a_task_that_has_not_ended_is_resumable(store, status: TaskStatus) -> None:
    task = a_task(status=status)
    await store.commit(ANN, NewUser("e1"), task)
    assert await store.resumable("ann") == (task,)
    assert await store.resumable("bob") == ()
    assert await store.unfinished_users() == {"ann"}


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


async def test_resumable_tasks_of_a_user_come_in_order(store) -> None:
    for turn in (2, 1):
        for user_id in ("bob", "ann"):
            await store.commit(Lease(user_id), a_task(user_id, turn, status=TaskStatus.QUEUED))
    assert [task.task_id for task in await store.resumable("ann")] == ["ann-1", "ann-2"]
    assert await store.unfinished_users() == {"ann", "bob"}


# --- what else is kept ---------------------------------------------------------------------------------


async def test_messages_come_oldest_first_and_the_last_ones_where_there_are_more(store) -> None:
    told = [a_message(turn=turn, position=position) for turn in (1, 2, 10) for position in (0, 1)]
    for message in reversed(told):
        await store.commit(ANN, message)
    assert await store.get_messages("ann", limit=100) == tuple(told)
    assert await store.get_messages("ann", limit=3) == tuple(told[-3:])
    assert await store.get_messages("ann", limit=0) == ()


async def test_partial_results_come_in_order_and_only_those_of_the_turn(store) -> None:
    said = SavedPartial(1, 2, text="I found")
    await store.commit(ANN, a_partial(1, 0), said, a_partial(2, 0))
    assert await store.get_partials("ann", 1) == (a_partial(1, 0), said)
    await store.commit(ANN, a_partial(1, 10, agent="hotel"), a_partial(1, 11))
    assert await store.get_partials("ann", 1) == (
        a_partial(1, 0),
        said,
        a_partial(1, 10, agent="hotel"),
        a_partial(1, 11),
    )


async def test_the_progress_of_a_turn_is_the_last_of_each_agent_until_it_is_forgotten(store) -> None:
    working, done = (
        AgentProgress(state="working", detail="…", done=1, total=3, count=2),
        AgentProgress(state="done"),
    )
    await store.commit(ANN, SavedProgress(1, "hotel", done), SavedProgress(1, "flight", working))
    await store.commit(ANN, SavedProgress(2, "flight", working), SavedProgress(1, "hotel", working))
    await store.commit(BOB, SavedProgress(1, "hotel", done))
    assert await store.get_progress("ann", 1) == {"flight": working, "hotel": working}
    await store.commit(ANN, ForgetPartials(before_turn=2))
    assert await store.get_progress("ann", 1) == {}
    assert await store.get_progress("ann", 2) == {"flight": working}
    assert await store.get_progress("bob", 1) == {"hotel": done}


async def test_partial_results_of_earlier_turns_can_be_forgotten(store) -> None:
    await store.commit(ANN, *(a_partial(turn) for turn in (1, 2, 3)))
    await store.commit(BOB, a_partial(1))
    await store.commit(ANN, ForgetPartials(before_turn=3))
    kept = [await store.get_partials("ann", turn) for turn in (1, 2, 3)]
    assert kept == [(), (), (a_partial(3),)]
    assert await store.get_partials("bob", 1) == (a_partial(1),)


async def test_only_the_newest_contexts_are_kept_and_the_newest_comes_first(store) -> None:
    assert KEPT_CONTEXTS == 5
    for turn in (1, 3, 2, 4, 6, 5, 7):
        await store.preserve_interrupted_context(a_context(turn=turn))
    await store.preserve_interrupted_context(a_context("bob", 1, request=None))
    assert await store.get_interrupted_contexts("ann") == tuple(
        a_context(turn=turn) for turn in (7, 6, 5, 4, 3)
    )
    assert await store.get_latest_interrupted_context("ann") == a_context(turn=7)
    assert await store.get_interrupted_contexts("bob") == (a_context("bob", 1, request=None),)


async def test_a_context_of_the_same_turn_replaces_the_one_before(store) -> None:
    await store.preserve_interrupted_context(a_context(text="first"))
    await store.preserve_interrupted_context(a_context(text="amended"))
    assert await store.get_interrupted_contexts("ann") == (a_context(text="amended"),)


async def test_the_first_answer_to_a_client_id_stays_with_its_number(store) -> None:
    await store.commit(ANN, an_event(), Acceptance("c1", b'{"task_id":"1"}'), an_event())
    await store.commit(ANN, Acceptance("c1", b'{"task_id":"2"}'), Acceptance("c2", b"{}"))
    await store.commit(BOB, Acceptance("c1", b'{"task_id":"3"}'))
    assert await store.get_acceptance("ann", "c1") == (1, b'{"task_id":"1"}')
    assert await store.get_acceptance("ann", "c2") == (2, b"{}")
    assert await store.get_acceptance("bob", "c1") == (0, b'{"task_id":"3"}')


async def test_a_later_receipt_amends_an_earlier_one(store) -> None:
    await store.commit(ANN, SavedReceipt(1, "ann-1", b'{"outcome":"unknown"}'))
    await store.commit(ANN, SavedReceipt(1, "ann-1", b'{"outcome":"completed"}'))
    assert await store.get_receipt("ann", "ann-1") == b'{"outcome":"completed"}'
    assert await store.get_receipt("bob", "ann-1") is None


async def test_the_context_of_a_turn_is_found_by_itself(store) -> None:
    for turn in (1, 2):
        await store.preserve_interrupted_context(a_context(turn=turn))
    assert await store.get_interrupted_context("ann", 1) == a_context(turn=1)
    assert await store.get_interrupted_context("ann", 3) is None
    assert await store.get_interrupted_context("bob", 1) is None


async def test_what_an_interrupted_task_found_is_kept_and_given_back_unread(store) -> None:
    context = a_context(partial_results=b"no JSON,\nand more than a line")
    await store.commit(ANN, NewUser("e1"), a_task(status=TaskStatus.INTERRUPTED), context)
    assert await store.get_interrupted_contexts("ann") == (context,)
    assert (await store.snapshot("ann", history=0)).interrupted == (context,)


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
