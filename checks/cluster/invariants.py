"""What must hold after every storm, read from the database and from what followers have seen."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import asyncpg
import orjson
import ormsgpack

from checks.cluster.load import User

QUIET_WITHIN_S = 90

ONE_SHUTDOWN = timedelta(seconds=3)
"""Within so long a replica that ends interrupts its tasks; storms end replicas at least 5 s apart."""


async def until_quiet(address: str) -> bool:
    """Wait until no task is unfinished; return whether that came to be."""
    connection = await asyncpg.connect(address)
    try:
        for _ in range(QUIET_WITHIN_S * 4):
            query = """SELECT count(*) FROM detour.tasks
                WHERE status NOT IN ('completed', 'failed', 'interrupted')"""
            if not await connection.fetchval(query):
                return True
            await asyncio.sleep(0.25)
        return False
    finally:
        await connection.close()


async def broken(address: str, users: Sequence[User]) -> list[str]:
    """Return a sentence for each thing that is not as it must be."""
    connection = await asyncpg.connect(address)
    try:
        return [fault for user in users for fault in await _broken_of(connection, user)]
    finally:
        await connection.close()


async def _broken_of(connection: Any, user: User) -> list[str]:
    faults: list[str] = []
    rows = await connection.fetch(
        "SELECT document FROM detour.messages WHERE user_id = $1 ORDER BY turn, position", user.name
    )
    messages = [orjson.loads(row[0]) for row in rows]
    written = [each["text"] for each in messages if each["role"] == "user"]
    faults += [f"{text!r} is there {count} times" for text, count in Counter(written).items() if count > 1]
    faults += [f"{text!r} was accepted and is gone" for text in set(user.accepted) - set(written)]
    in_order = [text for text in written if text in set(user.accepted)]
    if in_order != user.accepted:
        faults.append(f"the messages of {user.name} are out of order")
    faults += await _faults_of_tasks(connection, user)
    faults += await _faults_of_events(connection, user)
    faults += [f"a follower of {user.name} has a hole from {first} to {last}" for first, last in user.holes]
    return faults


def came_to_something(tasks: Sequence[Mapping[str, Any]], message: str) -> bool:
    """Return whether a message ended with a task that nothing but a later message has interrupted.

    A replica may begin to end while it stores a later message: its shutdown then interrupts the task first,
    and the later message's task right after it.
    """
    own = [each for each in tasks if each["message"] == message]
    if any(_ended(each) in (("completed", None), ("interrupted", "superseded")) for each in own):
        return True
    return any(
        later["message"] != message and later["previous_task_id"] == each["task_id"] and _by_one(each, later)
        for each in own
        for later in tasks
    )


def _by_one(task: Mapping[str, Any], later: Mapping[str, Any]) -> bool:
    """Return whether one replica's shutdown has interrupted both tasks: replicas end further apart."""
    if not _ended(task) == _ended(later) == ("interrupted", "shutdown"):
        return False
    at, later_at = (datetime.fromisoformat(each["interrupt_requested_at"]) for each in (task, later))
    return timedelta() <= later_at - at < ONE_SHUTDOWN


def _ended(task: Mapping[str, Any]) -> tuple[str, str | None]:
    return task["status"], task["reason"]


async def _faults_of_tasks(connection: Any, user: User) -> list[str]:
    rows = await connection.fetch("SELECT document FROM detour.tasks WHERE user_id = $1", user.name)
    tasks = [orjson.loads(row[0]) for row in rows]
    faults = [
        f"a task of {user.name} is {task['status']}: {task['message']!r}"
        for task in tasks
        if task["status"] not in ("completed", "interrupted")
    ]
    for text in user.accepted:
        if text not in user.answers and not came_to_something(tasks, text):
            own = [each for each in tasks if each["message"] == text]
            row = await connection.fetchrow(
                "SELECT owner, occupied, turn, seq FROM detour.users WHERE user_id = $1", user.name
            )
            faults.append(f"{text!r} has come to nothing: {own}, {dict(row)}")
    return faults


async def _faults_of_events(connection: Any, user: User) -> list[str]:
    rows = await connection.fetch(
        "SELECT first_seq, bodies FROM detour.events WHERE user_id = $1 ORDER BY last_seq", user.name
    )
    numbers = [row[0] + at for row in rows for at in range(len(ormsgpack.unpackb(row[1])))]
    begin = numbers[0] if numbers else 1
    if numbers != list(range(begin, begin + len(numbers))):
        return [f"the numbers of {user.name} have holes"]
    last = await connection.fetchval("SELECT seq FROM detour.users WHERE user_id = $1", user.name)
    return [] if not numbers or last == numbers[-1] else [f"the last number of {user.name} is wrong"]
