"""Looks at what a store in memory holds, and changes it, without a step of the event loop."""

import sys
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import apsw
import ormsgpack

from backend.domain.task import Task
from backend.store.codec import task_from_json, to_json
from backend.store.sqlite.memory import MemoryStateStore
from backend.store.sqlite.reads import events_between

T = TypeVar("T")


def now(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that waits for nothing."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("it waits")


def change(store: MemoryStateStore, statement: str, *given: Any) -> None:
    """Change the tables by hand, as nothing of the server would."""
    now(store._change(lambda connection: connection.execute(statement, given)))


def changes_in(store: MemoryStateStore) -> int:
    """Return how many rows were ever added, changed or deleted: the same as before, and so are the tables."""
    return now(store._read(lambda connection: connection.total_changes()))


def tasks_in(store: MemoryStateStore) -> list[Task]:
    """Return the tasks of all users."""

    def read(connection: apsw.Connection) -> list[Task]:
        return [task_from_json(document) for (document,) in connection.execute("SELECT document FROM tasks")]

    return now(store._read(read))


def rewrite_tasks(store: MemoryStateStore, rewritten: Callable[[Task], Task]) -> None:
    """Put other tasks in the place of those that are stored, of the same user and turn."""
    for task in tasks_in(store):
        document = to_json(rewritten(task))
        change(
            store,
            "UPDATE tasks SET document = ? WHERE user_id = ? AND turn = ?",
            document,
            task.user_id,
            task.turn,
        )


def last_events(store: MemoryStateStore, user_id: str, count: int) -> MemoryStateStore:
    """Return a store that has the last events of a user, as if the others were trimmed."""
    found = now(store._read(lambda connection: [*events_between(connection, user_id, 1, sys.maxsize)]))
    kept = MemoryStateStore()
    for seq, body in found[-count:]:
        row = (user_id, seq, seq, ormsgpack.packb([body]))
        change(kept, "INSERT INTO events VALUES (?, ?, ?, ?)", *row)
    return kept
