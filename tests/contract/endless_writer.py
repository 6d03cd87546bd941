"""Commits without end and says what is durable, until it is killed.

`python -m tests.contract.endless_writer PATH STATEMENT` kills itself before that statement (from 1) of SQL.

Each line it prints is `user seq`, printed once that commit's future is done. Each commit is an event and some
messages of the turn with the same number; every third one comes after such a record that nobody waits for.
"""

import asyncio
import os
import signal
import sys
from itertools import count
from pathlib import Path

import apsw

from backend.store.ownership import Lease
from backend.store.records import NewUser, Record
from backend.store.sqlite.store import SqliteStateStore
from tests.records import a_message, an_event

USERS = ("ann", "bob", "cid")
MESSAGES = 10
"""Messages in each commit: more rows make a torn one likelier."""


async def write_for(store: SqliteStateStore, user_id: str) -> None:
    position = await store.position(user_id)
    if position is None:
        await store.commit(Lease(user_id), NewUser(f"epoch of {user_id}"))
    seq = position.seq if position else 0
    while True:
        if seq % 3 == 0:
            seq += 1
            store.record(Lease(user_id), *numbered(user_id, seq))
        seq = await store.commit(Lease(user_id), *numbered(user_id, seq + 1))
        print(user_id, seq, flush=True)


def numbered(user_id: str, seq: int) -> list[Record]:
    return [an_event(str(seq)), *(a_message(user_id, seq, position) for position in range(MESSAGES))]


async def write(path: Path) -> None:
    store = SqliteStateStore(path, keep_events=1_000_000)
    await store.open(lambda _user_id, _events: None)
    async with asyncio.TaskGroup() as group:
        for user_id in USERS:
            group.create_task(write_for(store, user_id))


def die_before(statement: int) -> None:
    """Have every database connection count its statements, and kill this process before one of them."""
    numbers = count(1)

    def before_each(*_statement: object) -> bool:
        if next(numbers) == statement:
            os.kill(os.getpid(), signal.SIGKILL)
        return True

    apsw.connection_hooks.append(lambda connection: setattr(connection, "exec_trace", before_each))


if __name__ == "__main__":
    die_before(int(sys.argv[2]))
    asyncio.run(write(Path(sys.argv[1])))
