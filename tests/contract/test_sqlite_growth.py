"""What is asked often costs SQLite the same for a user of many messages as for one of few."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

from backend.domain.errors import NotFound
from backend.domain.task import InterruptReason, TaskStatus
from backend.store.base import StateStore
from backend.store.records import NewUser, Record
from backend.store.retention import CONVERSATIONS, TASKS, THREADS, AgedPlace
from backend.store.sqlite.file import DataFile, create_schema
from backend.store.sqlite.memory import MemoryStateStore
from backend.store.sqlite.reads import events_after, run
from backend.store.sqlite.retention import carry_out
from backend.store.sqlite.writing import Writer
from tests.records import AT, a_context, a_message, a_partial, a_task, an_event, an_input

FEW, MANY = 10, 400
ENDINGS = [
    {"status": TaskStatus.INTERRUPTED, "reason": InterruptReason.SUPERSEDED},
    {"status": TaskStatus.INTERRUPTED, "reason": InterruptReason.STOPPED},
    {"status": TaskStatus.COMPLETED},
    {"status": TaskStatus.COMPLETED, "aside": True},
]

Read = Callable[[apsw.Connection, str], object]


STORE = MemoryStateStore()
"""Whose reads run on other connections here."""


def asked(name: str, *given: Any, **named: Any) -> Read:
    """Return what runs a read of the store."""
    read: Any = getattr(StateStore, name).__wrapped__
    return lambda connection, user_id: run(connection, read(STORE, user_id, *given, **named))


def before(message: str) -> Read:
    return lambda connection, user_id: asked("history", limit=5, before=f"{user_id}-{message}")(
        connection, user_id
    )


def unknown_message(connection: apsw.Connection, user_id: str) -> None:
    with pytest.raises(NotFound):
        before("1.99")(connection, user_id)


READS: dict[str, Read] = {
    "where the log stands": asked("position"),
    "where the latest task stands": asked("standing"),
    "a snapshot": asked("snapshot", history=5),
    "the last messages": asked("history", limit=5),
    "messages before one": before("8.1"),
    "messages before none": unknown_message,
    "the last tasks": asked("recent_tasks", limit=5),
    "the questions of a task": asked("get_inputs", 4),
    "events": lambda connection, user_id: events_after(connection, user_id, 5, 3),
}


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[apsw.Connection]:
    folder: Path = tmp_path_factory.mktemp("growth")
    connection = apsw.Connection(str(folder / "detour.db"))
    create_schema(connection)
    file = DataFile(folder / "detour.db")
    writer = Writer(connection, file, keep_events=10 * MANY)
    for user_id, turns in (("few", FEW), ("many", MANY)):
        writer.write([(user_id, [NewUser("e1")])])
        for turn in range(1, turns + 1):
            writer.write([(user_id, said_in(user_id, turn))])
            writer.apply()
    yield connection
    writer.identity.close()
    file.close()
    connection.close()


def said_in(user_id: str, turn: int) -> list[Record]:
    return [
        a_task(user_id, turn, **ENDINGS[turn % len(ENDINGS)]),
        a_message(user_id, turn),
        a_message(user_id, turn, 1, role="assistant"),
        an_input(user_id, turn).resolved("withdrawn"),
        a_context(user_id, turn),
        a_partial(turn),
        an_event(task_id=f"{user_id}-{turn}"),
    ]


def steps_of(connection: apsw.Connection, read: Read, user_id: str) -> int:
    """Return how many instructions SQLite's virtual machine carries out; each row it visits takes some."""
    steps = 0

    def count() -> bool:
        nonlocal steps
        steps += 1
        return False

    connection.set_progress_handler(count, 1)
    try:
        read(connection, user_id)
    finally:
        connection.set_progress_handler(None)
    return steps


@pytest.mark.parametrize("what", READS)
def test_a_read_costs_the_same_however_much_a_user_has_said(connection: apsw.Connection, what: str) -> None:
    few, many = (steps_of(connection, READS[what], user_id) for user_id in ("few", "many"))
    assert few > 0
    assert many <= few * 1.2


@pytest.mark.requirement("AGED-TURNS-GO")
@pytest.mark.parametrize("kind", [TASKS, THREADS, CONVERSATIONS])
def test_to_find_nobody_with_anything_aged_takes_no_look_at_anybody(
    connection: apsw.Connection, kind: int
) -> None:
    def look(connection: apsw.Connection, _user_id: str) -> None:
        read: Any = StateStore.aged_users.__wrapped__
        assert run(connection, read(STORE, AT, after=AgedPlace(kind))).user_ids == ()

    assert steps_of(connection, look, "") < 60


@pytest.mark.requirement("AGED-TURNS-GO")
def test_to_drop_a_turn_costs_the_same_however_much_a_user_has_said(connection: apsw.Connection) -> None:
    def drop(connection: apsw.Connection, user_id: str) -> None:
        connection.execute("BEGIN")
        # Too few to look for steps and events.
        planned = run(connection, STORE._plan_drop(user_id, AT + timedelta(days=1), 3))
        carry_out(connection, user_id, planned)
        assert (planned.outcome.turns, planned.outcome.more) == (3, True)
        connection.execute("ROLLBACK")

    few, many = (steps_of(connection, drop, user_id) for user_id in ("few", "many"))
    assert 0 < many <= few * 1.2
