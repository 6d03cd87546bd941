"""What must hold after every storm, read from the database and from what followers have seen."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

import asyncpg
import orjson
import ormsgpack

from cluster.load import User

QUIET_WITHIN_S = 90


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


async def _faults_of_tasks(connection: Any, user: User) -> list[str]:
    rows = await connection.fetch("SELECT document FROM detour.tasks WHERE user_id = $1", user.name)
    tasks = [orjson.loads(row[0]) for row in rows]
    faults = [
        f"a task of {user.name} is {task['status']}: {task['message']!r}"
        for task in tasks
        if task["status"] not in ("completed", "interrupted")
    ]
    # Each message ends with a task that nothing but a later message has interrupted.
    for text in user.accepted:
        if text in user.answers:
            continue
        ends = {(task["status"], task["reason"]) for task in tasks if task["message"] == text}
        if not ends & {("completed", None), ("interrupted", "superseded")}:
            own = [each for each in tasks if each["message"] == text]
            row = await connection.fetchrow(
                "SELECT owner, occupied, turn, seq FROM detour.users WHERE user_id = $1", user.name
            )
            faults.append(f"{text!r} has come to nothing: {ends}, of {own}, {dict(row)}")
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
