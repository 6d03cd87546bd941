"""What `StateStore` promises of questions: each is resolved once, and kept with where its graph stands."""

import asyncio
from datetime import timedelta
from pathlib import Path

import ormsgpack
import pytest

from backend.domain.errors import NotOpen
from backend.domain.task import AgentProgress, TaskStatus
from backend.store.records import Checkpoint, ForgetCheckpoint, MustBeOpen, NewUser, SavedProgress
from backend.store.sqlite.store import SqliteStateStore
from tests.contract.conftest import seqs
from tests.contract.test_sqlite_store import execute
from tests.records import ANN, AT, BOB, a_message, a_model_step, a_task, a_tool_call, an_event, an_input

FIRST = an_input().request_id


async def test_what_was_asked_is_there_as_it_was_asked(store) -> None:
    asked = [an_input(number=number) for number in (1, 2)]
    await store.commit(ANN, *reversed(asked), an_input(turn=2))
    assert await store.get_inputs("ann", 1) == tuple(asked)
    assert await store.get_input("ann", FIRST) == asked[0]
    assert await store.get_input("ann", "nothing") is None
    assert await store.get_input("bob", FIRST) is None
    assert await store.get_inputs("bob", 1) == ()


async def test_a_question_is_resolved_once_whatever_comes_later(store) -> None:
    answered = an_input().resolved("answered", {"city": "Rome"})
    await store.commit(ANN, an_input())
    await store.commit(ANN, answered)
    await store.commit(ANN, an_input().resolved("withdrawn"))
    await store.commit(ANN, an_input())
    assert await store.get_input("ann", FIRST) == answered


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


@pytest.mark.requirement("ANSWERED-ONCE")
@pytest.mark.parametrize("before", [None, "answered", "withdrawn", "expired"])
async def test_an_answer_to_what_is_not_open_leaves_everything_as_it_was(store, before) -> None:
    if before is not None:
        await store.commit(ANN, an_input().resolved(before))
    with pytest.raises(NotOpen):
        await store.commit(ANN, an_event(), a_task(), MustBeOpen(FIRST))
    assert await seqs(store) == []
    assert await store.get_task_metadata("ann", "ann-1") is None


async def test_open_questions_that_are_due_are_found_the_longest_due_first(store) -> None:
    await store.commit(ANN, an_input(number=2), an_input(number=3).resolved("answered"))
    await store.commit(BOB, an_input("bob"), an_input("bob", number=4))
    assert await store.inputs_due(AT) == ()
    due = await store.inputs_due(AT + timedelta(hours=3))
    assert [each.request_id for each in due] == ["bob-1-q1", "ann-1-q2"]


async def test_a_snapshot_tells_the_open_questions_of_the_task_it_tells_about(store) -> None:
    asked = [an_input(turn=2, number=number) for number in (1, 2, 3)]
    await store.commit(ANN, NewUser("e"), a_task(status=TaskStatus.COMPLETED), an_input())
    await store.commit(ANN, a_task(turn=2, status=TaskStatus.INPUT_REQUIRED), *asked)
    await store.commit(ANN, asked[1].resolved("answered", {}))
    assert (await store.snapshot("ann", history=0)).inputs == (asked[0], asked[2])


async def test_the_last_checkpoint_of_a_turn_is_kept_until_it_is_forgotten(store) -> None:
    await store.commit(ANN, Checkpoint(1, b"first"), Checkpoint(2, b"other"))
    await store.commit(ANN, Checkpoint(1, b"\x00second", resting=True))
    assert await store.get_checkpoint("ann", 1) == Checkpoint(1, b"\x00second", resting=True)
    await store.commit(ANN, ForgetCheckpoint(1))
    assert await store.get_checkpoint("ann", 1) is None
    assert await store.get_checkpoint("ann", 2) == Checkpoint(2, b"other")


async def test_a_message_that_answers_takes_a_turn_that_no_task_has(store) -> None:
    await store.commit(ANN, NewUser("e"), a_task(), a_message(), a_message(turn=2))
    assert (await store.position("ann")).turn == 2


@pytest.mark.requirement("DELETE-FORGETS")
async def test_deleting_a_user_forgets_questions_and_checkpoints(store) -> None:
    await store.commit(ANN, NewUser("e"), an_input(), Checkpoint(1, b"here"))
    await store.delete_user(ANN)
    assert await store.get_inputs("ann", 1) == ()
    assert await store.get_checkpoint("ann", 1) is None
    assert await store.inputs_due(AT + timedelta(days=9)) == ()
    await store.commit(ANN, an_input())
    assert (await store.get_input("ann", FIRST)).open


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
