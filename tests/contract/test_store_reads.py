"""What `StateStore` promises of reading, on every store: what was saved comes back."""

import asyncio
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import ormsgpack
import pytest

from backend.domain.errors import NotFound, NotOpen
from backend.domain.task import AgentProgress, InterruptReason, TaskStatus
from backend.store.base import StateStore
from backend.store.ownership import Lease
from backend.store.postgres import reads as postgres_events
from backend.store.reads import HISTORY_BYTES
from backend.store.records import (
    Acceptance,
    Checkpoint,
    ForgetCheckpoint,
    ForgetPartials,
    MustBeOpen,
    NewUser,
    SavedPartial,
    SavedProgress,
    SavedReceipt,
)
from backend.store.sqlite.store import SqliteStateStore
from tests.contract.conftest import POSTGRES, seqs
from tests.contract.reading import all_that_is_told
from tests.contract.test_sqlite_store import execute
from tests.model_store import ModelStore
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
    a_thread_step,
    a_tool_call,
    an_event,
    an_input,
)

USERS = ("ann", "bob")
DELETED = "ann is deleted"
UNKNOWN = {"not": "a record"}

TASK = a_task(
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
WORKING = AgentProgress(state="working", detail="…", done=1, total=3, count=2)
DONE = AgentProgress(state="done")
ASKED = an_input()
STEP = a_thread_step(2, b"four", paged=[b"two", b"three"])
OWN_PIECES = {piece_id: piece for piece_id, piece in STEP.held.items() if piece == b"four"}
ALL_OF_ANN = [
    NewUser("e1"), a_task(), a_message(), a_partial(), a_context(), ASKED, Checkpoint(1, b"here"),
    SavedProgress(1, "hotel", DONE), SavedReceipt(1, "ann-1", b"{}"), Acceptance("c1", b"{}"),
    a_thread("ann", metadata={"title": "secret"}), STEP, an_event("ünïcode ✈ \x00 \u2028"),
]  # fmt: skip

# Each script is a list of writes, each write the records of one commit; bob's are in a tuple.
SCRIPTS = {
    "nothing": [[], DELETED],
    "a user without a task": [[NewUser("e1"), an_event()]],
    "a user whose first write fails": [[NewUser("e1"), a_task(), UNKNOWN]],
    "all of a user": [ALL_OF_ANN, (NewUser("e2"), a_task("bob"), an_event())],
    "a deleted user": [ALL_OF_ANN, (NewUser("e2"), a_task("bob"), an_event()), DELETED],
    "a user who begins anew": [ALL_OF_ANN, DELETED, [NewUser("e3"), an_event(), ASKED]],
    "a task with every field": [[NewUser("e1"), TASK]],
    **{
        f"a task that is {status}, and what would change it": [
            [NewUser("e1"), a_task(status=TaskStatus.QUEUED), a_task(), a_task(status=status)],
            *([a_task(status=each, message="changed")] for each in TaskStatus),
        ]
        for status in TaskStatus
    },
    "tasks in any order": [
        [NewUser("e1"), a_task(turn=2, status=TaskStatus.QUEUED)],
        (NewUser("e2"), a_task("bob", status=TaskStatus.QUEUED)),
        [a_task(status=TaskStatus.QUEUED)],
    ],
    "messages in any order": [[a_message(turn=turn, position=at)] for turn in (10, 2, 1) for at in (1, 0)],
    "a message in a turn that no task has": [[NewUser("e"), a_task(), a_message(), a_message(turn=2)]],
    "partial results": [
        [a_partial(1, 0), SavedPartial(1, 2, text="I found"), a_partial(2, 0)],
        [a_partial(1, 10, agent="hotel"), a_partial(1, 11)],
    ],
    "partial results that are forgotten": [
        [a_partial(turn) for turn in (1, 2, 3)], (a_partial(1),), [ForgetPartials(before_turn=3)],
    ],
    "progress of which the last counts": [
        [SavedProgress(1, "hotel", DONE), SavedProgress(1, "flight", WORKING)],
        [SavedProgress(2, "flight", WORKING), SavedProgress(1, "hotel", WORKING)],
        (SavedProgress(1, "hotel", DONE),),
    ],
    "progress that is forgotten": [
        [SavedProgress(1, "hotel", DONE), SavedProgress(2, "flight", WORKING)],
        (SavedProgress(1, "hotel", DONE),),
        [ForgetPartials(before_turn=2)],
    ],
    "more contexts than are kept": [
        *([a_context(turn=turn)] for turn in (1, 3, 2, 4, 6, 5, 7)), (a_context("bob", 1, request=None),),
    ],
    "a context that is amended": [[a_context(text="first")], [a_context(text="amended")]],
    "a context that is no JSON": [
        [NewUser("e1"), a_task(status=TaskStatus.INTERRUPTED)],
        [a_context(partial_results=b"no JSON,\nand more than a line")],
    ],
    "answers to client ids of which the first counts": [
        [an_event(), Acceptance("c1", b'{"task_id":"1"}'), an_event()],
        [Acceptance("c1", b'{"task_id":"2"}'), Acceptance("c2", b"{}")],
        (Acceptance("c1", b'{"task_id":"3"}'),),
    ],
    "a receipt that is amended": [
        [SavedReceipt(1, "ann-1", b'{"outcome":"unknown"}')],
        [SavedReceipt(1, "ann-1", b'{"outcome":"completed"}')],
    ],
    "questions in any order": [
        [an_input(number=2), ASKED, an_input(number=3).resolved("answered"), an_input(turn=2)],
        (an_input("bob"), an_input("bob", number=4)),
    ],
    "an answer that stays": [[ASKED], [ASKED.resolved("answered", {"city": "Rome"})], [ASKED]],
    "an answer to no question": [[an_event(), a_task(), MustBeOpen(ASKED.request_id)]],
    **{
        f"a question that is {resolution}, and what would change it": [
            [ASKED.resolved(resolution)], [ASKED.resolved("withdrawn")], [ASKED],
            [an_event(), a_task(), MustBeOpen(ASKED.request_id)],
        ]
        for resolution in ("answered", "withdrawn", "expired")
    },
    "checkpoints of which the last counts": [
        [Checkpoint(1, b"first"), Checkpoint(2, b"other")], [Checkpoint(1, b"\x00second", resting=True)],
    ],
    "a checkpoint that is forgotten": [
        [Checkpoint(1, b"first"), Checkpoint(2, b"other")], [ForgetCheckpoint(1)],
    ],
    "a thread before its user": [
        [a_thread("ann", metadata={"a": {"b": [1, "ü"]}}, runs={"r1": {"modes": ["values"]}})],
        [NewUser("e1"), an_event()],
    ],
    "a thread that is noted again": [
        [a_thread("ann", metadata={"a": 1})], [a_thread("ann", changed=1, metadata={"a": 1, "n": 2})],
    ],
    "steps that share pieces": [
        [NewUser("e1"), a_thread_step(1, b"one", paged=[b"two", b"three"])],
        [replace(STEP, held=OWN_PIECES)],
    ],
    "threads of two graphs": [
        [NewUser("e1"), a_thread_step(1, b"one"), a_thread_step(1, b"two", graph="other")],
    ],
}  # fmt: skip


@pytest.mark.requirement("TERMINAL-IS-FINAL", "ANSWERED-ONCE", "DELETE-FORGETS")
@pytest.mark.parametrize("reads_between", [False, True])
@pytest.mark.parametrize("script", SCRIPTS)
async def test_store_tells_what_the_model_tells(
    new_store, listener, script: str, reads_between: bool
) -> None:
    """A read in between has the store put what it took into its tables."""
    store, model = new_store(), ModelStore()
    await store.open(listener)
    for write in SCRIPTS[script]:
        assert await outcome_of(store, write) == await outcome_of(model, write)
        if reads_between:
            await all_that_is_told(store, USERS)
    await store.close()
    await store.open(listener)
    assert await all_that_is_told(store, USERS) == await all_that_is_told(model, USERS)
    assert await outcome_of(store, [an_event()]) == await outcome_of(model, [an_event()])
    await store.close()


async def outcome_of(store, write):
    """Return the number of the last event, or the type of the error."""
    if write == DELETED:
        return await store.delete_user(ANN)
    try:
        return await store.commit(BOB if isinstance(write, tuple) else ANN, *write)
    except (TypeError, NotOpen) as error:
        return type(error)


# --- what a model would tell alike, since it calls the same code ---------------------------------------


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


# --- questions -----------------------------------------------------------------------------------------


FIRST = an_input().request_id


@pytest.mark.requirement("ANSWERED-ONCE")
async def test_of_answers_at_the_same_instant_exactly_one_is_kept_with_all_that_belongs_to_it(store) -> None:
    await store.commit(ANN, NewUser("e"), an_input())
    commits = [
        store.commit(
            ANN, MustBeOpen(FIRST), an_input().resolved("answered", {"city": str(n)}), an_event(str(n))
        )
        for n in range(9)
    ]
    outcomes = await asyncio.gather(*commits, return_exceptions=True)
    assert outcomes[0] == 1
    assert [type(outcome) for outcome in outcomes[1:]] == [NotOpen] * 8
    assert (await store.get_input("ann", FIRST)).answer == {"city": "0"}
    assert await seqs(store) == [1]


async def test_a_snapshot_tells_the_open_questions_of_the_task_it_tells_about(store) -> None:
    asked = [an_input(turn=2, number=number) for number in (1, 2, 3)]
    await store.commit(ANN, NewUser("e"), a_task(status=TaskStatus.COMPLETED), an_input())
    await store.commit(ANN, a_task(turn=2, status=TaskStatus.INPUT_REQUIRED), *asked)
    await store.commit(ANN, asked[1].resolved("answered", {}))
    assert (await store.snapshot("ann", history=0)).inputs == (asked[0], asked[2])


OLDER_AGENTS = tuple(f"ALTER TABLE agents DROP COLUMN {name}" for name in ("request", "since", "until"))
NO_TOOL_CALLS = (*OLDER_AGENTS, "DROP TABLE tool_calls", "DROP TABLE model_steps")
BEFORE_VERSION = {
    2: (*NO_TOOL_CALLS, "DROP TABLE inputs", "DROP TABLE checkpoints"),
    3: NO_TOOL_CALLS,
    4: OLDER_AGENTS,
}


@pytest.mark.parametrize("version", BEFORE_VERSION)
async def test_a_file_of_a_version_before_gets_the_tables_and_keeps_what_is_in_it(
    tmp_path: Path, version: int
) -> None:
    path = tmp_path / "detour.db"
    store = SqliteStateStore(path)
    await store.open(lambda _user_id, _events: None)
    await store.commit(ANN, NewUser("e"), an_event(), SavedProgress(1, "finder", AgentProgress(state="done")))
    await store.close()
    for statement in (*BEFORE_VERSION[version], f"PRAGMA user_version = {version}"):
        execute(path, statement)
    await store.open(lambda _user_id, _events: None)
    records = (an_input(), Checkpoint(1, b"here"), a_tool_call(), a_model_step(), an_event())
    assert await store.commit(ANN, *records) == 2
    assert await store.get_tool_calls("ann", 1) == (a_tool_call(),)
    assert await store.get_model_steps("ann", since_turn=1) == (a_model_step(),)
    assert (await store.get_input("ann", FIRST)).open
    assert await store.get_progress("ann", 1) == {"finder": AgentProgress(state="done")}
    await store.close()


async def test_what_version_4_left_in_its_journal_is_put_into_the_tables(tmp_path: Path) -> None:
    path = tmp_path / "detour.db"
    store = SqliteStateStore(path)
    await store.open(lambda _user_id, _events: None)
    await store.close()
    for statement in (*OLDER_AGENTS, "PRAGMA user_version = 4"):
        execute(path, statement)
    agent_statement = 5
    rows = [(agent_statement, ("ann", 1, "finder", "done", "3 found", 2, 3, 3))]
    execute(path, "INSERT INTO journal (rows) VALUES (?)", (ormsgpack.packb(rows),))
    await store.open(lambda _user_id, _events: None)
    progress = AgentProgress(state="done", detail="3 found", done=2, total=3, count=3)
    assert await store.get_progress("ann", 1) == {"finder": progress}
    await store.close()


# --- what is new of a user, of one moment --------------------------------------------------------------


async def assert_same(store: StateStore, *, since: int, limit: int = 1000) -> None:
    expected = await store.position("ann"), await store.events_after("ann", since, limit=limit)
    assert await store.news_after("ann", since, limit=limit) == expected


async def test_what_is_new_is_read_with_the_end_of_the_log(store) -> None:
    await store.commit(ANN, NewUser("e1"), an_event("first"), an_event("second"))
    for number in range(3):
        await store.commit(ANN, an_event(f"later {number}"))
    for since in range(7):
        for limit in (1, 2, 1000):
            await assert_same(store, since=since, limit=limit)


async def test_however_much_is_new_no_event_is_left_out(store) -> None:
    await store.commit(ANN, NewUser("e1"), an_event("first"))
    for _ in range(postgres_events.FEW_ROWS + 1):
        await store.commit(ANN, an_event(), an_event())
    last = 2 * (postgres_events.FEW_ROWS + 1) + 1
    for since in (0, 1, 2, 3, 4, last - 1, last):
        await assert_same(store, since=since)
        await assert_same(store, since=since, limit=10)


async def test_large_events_are_left_out_by_nobody(store) -> None:
    await store.commit(ANN, NewUser("e1"), an_event("first"))
    for _ in range(3):
        await store.commit(ANN, an_event("x" * (postgres_events.FEW_BYTES // 2)))
    for since in range(5):
        await assert_same(store, since=since)


async def test_there_is_nothing_new_of_a_user_who_has_not_begun_or_was_deleted(store) -> None:
    assert await store.news_after("ann", 0, limit=10) is None
    await store.commit(ANN, NewUser("e1"), an_event())
    await store.delete_user(ANN)
    assert await store.news_after("ann", 1, limit=10) is None
    await store.commit(ANN, NewUser("e2"), an_event())
    await assert_same(store, since=0)


@pytest.mark.parametrize("new_store", [POSTGRES], indirect=True)
async def test_a_follower_elsewhere_waits_for_one_answer_of_the_database(
    store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.commit(ANN, NewUser("e1"), an_event("first"))
    await store.commit(ANN, an_event("second"), an_event("third"))

    async def unexpected(*_values: object) -> None:
        raise AssertionError("read once more")

    monkeypatch.setattr(postgres_events, "events_after", unexpected)
    news = await store.news_after("ann", 1, limit=1000)
    assert news is not None
    assert [each.seq for each in news.page.events] == [2, 3]
    assert (news.position.seq, news.page.complete, news.page.more) == (3, True, False)


@pytest.mark.parametrize("new_store", [POSTGRES], indirect=True)
async def test_after_a_failover_what_is_new_is_of_another_epoch(
    store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.commit(ANN, NewUser("e1"), an_event("first"))
    assert await store.news_after("ann", 0, limit=10) is not None

    async def of_the_new_timeline(_connection: object) -> None:
        store.database.timeline = "00000002-1"

    monkeypatch.setattr(store.database, "learn_timeline", of_the_new_timeline)
    for lane in store._readers:
        if lane._connection is not None:
            lane._connection.terminate()
    news = await store.news_after("ann", 0, limit=10)
    assert news is not None
    assert news.position.epoch == "e1-00000002-1"
