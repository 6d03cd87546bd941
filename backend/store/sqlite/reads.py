"""Runs reads on an SQLite database; what this database keeps in its own way is read here.

All runs on the store's only thread, so nothing is written between two statements of one read: what it
returns is true at one position. The end of a log is not kept, but found by the keys of what was said.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TypeVar

import apsw
import ormsgpack

from ...domain.task import AgentProgress
from ..codec import progress_of
from ..reads import Read
from ..records import Page, UserPosition
from ..repeated_results import PAGE_BYTES, NumberedBody, page_of

T = TypeVar("T")

_EVENTS = "SELECT first_seq, bodies FROM events WHERE user_id = ? AND last_seq >= ? ORDER BY last_seq"


def run(connection: apsw.Connection, read: Read[T]) -> T:
    """Run a read. Raises `apsw.Error`, and what the read raises."""
    try:
        statement, values = next(read)
        while True:
            statement, values = read.send(connection.execute(in_own_words(statement), tuple(values)))
    except StopIteration as done:
        return done.value


@lru_cache(maxsize=1000)
def in_own_words(statement: str) -> str:
    """Return a statement as SQLite has it: without a schema, and with numbers instead of truth values."""
    own = statement.replace("detour.", "").replace("NOT aside", "aside = 0")
    return re.sub(r"\$(\d)", r"?\1", own)


def position(user_id: str) -> Read[UserPosition | None]:
    """Read the end of a user's log."""
    query = """
    SELECT epoch, (SELECT max(last_seq) FROM events WHERE user_id = users.user_id),
        (SELECT max(turn) FROM tasks WHERE user_id = users.user_id),
        (SELECT max(turn) FROM messages WHERE user_id = users.user_id)
    FROM users WHERE user_id = $1"""
    row = next((yield query, (user_id,)), None)
    return UserPosition(epoch=row[0], seq=row[1] or 0, turn=max(row[2] or 0, row[3] or 0)) if row else None


def progress(user_id: str, turn: int) -> Read[dict[str, AgentProgress]]:
    """Read the progress of each agent of the task of a turn, by agent name."""
    query = """SELECT agent, state, detail, done, total, count, request, since, until
        FROM agents WHERE user_id = $1 AND turn = $2"""
    return {agent: progress_of(*columns) for agent, *columns in (yield query, (user_id, turn))}


def events_after(connection: apsw.Connection, user_id: str, seq: int, limit: int) -> Page:
    """Read the events after a number."""
    oldest = "SELECT first_seq FROM events WHERE user_id = ? ORDER BY last_seq LIMIT 1"
    first_kept = connection.execute(oldest, (user_id,)).get
    found: list[NumberedBody] = []
    size, more = 0, False
    for first_seq, packed in connection.execute(_EVENTS, (user_id, seq + 1)):
        more = len(found) >= limit or size >= PAGE_BYTES
        if more:
            break
        size += len(packed)
        found += [each for each in enumerate(ormsgpack.unpackb(packed), start=first_seq) if each[0] > seq]
    return page_of(
        found[:limit],
        lambda since: events_between(connection, user_id, since, found[0][0]),
        complete=first_kept is None or seq >= first_kept - 1,
        more=more or len(found) > limit,
        most_bytes=PAGE_BYTES,
    )


def events_between(connection: apsw.Connection, user_id: str, begin: int, end: int) -> Iterator[NumberedBody]:
    """Read the events from a number on, as far as they are stored, one row at a time."""
    for first_seq, packed in connection.execute(_EVENTS, (user_id, begin)):
        for number, body in enumerate(ormsgpack.unpackb(packed), start=first_seq):
            if number >= end:
                return
            if number >= begin:
                yield number, body
