"""What `StateStore` promises of questions: each is resolved once, and kept with where its graph stands."""

import asyncio
from pathlib import Path

import ormsgpack
import pytest

from backend.domain.errors import NotOpen
from backend.domain.task import AgentProgress, TaskStatus
from backend.store.records import Checkpoint, MustBeOpen, NewUser, SavedProgress
from backend.store.sqlite.store import SqliteStateStore
from tests.contract.conftest import seqs
from tests.contract.test_sqlite_store import execute
from tests.records import ANN, a_model_step, a_task, a_tool_call, an_event, an_input

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
