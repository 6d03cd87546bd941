"""The reading half of the SQLite store: it runs every read on the store's thread."""

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

import apsw

from ...domain.context import InterruptedContext
from ...domain.task import AgentProgress
from ..base import StateStore
from ..codec import partials_in
from ..ownership import Lease
from ..persons import Grant, grants_of
from ..reads import Read
from ..records import Page, SavedPartial, Snapshot, UserPosition
from ..retention import Dropped
from . import reads
from .retention import pieces
from .writing import Writer

T = TypeVar("T")

AT_ONCE_BYTES = 1024 * 1024
"""The most that one piece of a large snapshot holds, if it is not a single row."""

_TRIES = 3


class SqliteReader(StateStore):
    """Implements what is not hot of `StateStore` by means of `_on_writer`."""

    TASK_OF_MESSAGE = "document ->> '$.task_id'"
    IS_TAKEN_UP = """
        (later.document ->> '$.previous_task_id' = tasks.task_id
        AND later.document ->> '$.message' = tasks.document ->> '$.message')"""

    PLACE_IN_BODY = "instr(body, $1)"
    ENDED_AT = "updated_at"

    STEPS_AT_ONCE = 1
    """As many as are told: those that a page has no room for need not be read."""

    @abstractmethod
    async def _on_writer(self, run: Callable[[Writer], T]) -> T:
        """Run a job with the writer, after every write that was made before it. Raises `StoreUnavailable`."""

    async def _read(self, read: Callable[[apsw.Connection], T]) -> T:
        return await self._on_writer(lambda writer: writer.read(read))

    async def _change(self, change: Callable[[apsw.Connection], T]) -> T:
        return await self._on_writer(lambda writer: writer.change(change))

    async def run_read(
        self, user_id: str | None, read: Callable[[], Read[T]], *, at_one_instant: bool = False
    ) -> T:
        """Run a read in one job of the thread, with all that was written before."""
        return await self._read(lambda connection: reads.run(connection, read()))

    def _position(self, user_id: str) -> Read[UserPosition | None]:
        return reads.position(user_id)

    def _progress(self, user_id: str, turn: int) -> Read[dict[str, AgentProgress]]:
        return reads.progress(user_id, turn)

    def _pieces(self, user_id: str, graph: str, ids: Iterable[bytes]) -> Read[dict[bytes, bytes]]:
        return pieces(user_id, graph, ids)

    async def events_after(self, user_id: str, seq: int, *, limit: int) -> Page:
        """Return the events after a number, in order, at most `limit`."""
        return await self._read(lambda connection: reads.events_after(connection, user_id, seq, limit))

    # --- large snapshots -------------------------------------------------------------------------------
    # A large snapshot is read piece by piece, so that no write waits for all of it.
    #
    # One job reads which rows make up the snapshot. Rows never change, they are only added and deleted, so
    # what later jobs read is still of that instant unless a row is gone; then the snapshot is read again, and
    # after some tries in one piece. Measured with a snapshot of 28 MB on two busy cores: the store's thread
    # is held for 9 ms of CPU at a time, and for 25 ms if all is read in one piece.

    async def snapshot(self, user_id: str, *, history: int) -> Snapshot | None:
        """Return all that is told of a user at one instant; a large one is read piece by piece.

        Cancelling it between two pieces loses nothing.
        """
        for _ in range(_TRIES):
            found = await self.run_read(user_id, lambda: self._snapshot_if_small(user_id, history))
            if not isinstance(found, _Outline):
                return found
            try:
                return await self._in_pieces(found)
            except _GoneError:
                continue
        return await self.run_read(user_id, lambda: self._snapshot(user_id, history))

    def _snapshot_if_small(self, user_id: str, history: int) -> "Read[_Outline | Snapshot | None]":
        at = yield from self._standing(user_id)
        if at is None:
            return None
        turn = at.task.turn
        sizes = "SELECT last_position, length(found) FROM partials WHERE user_id = $1 AND turn = $2"
        partials = list((yield f"{sizes} ORDER BY 1", (user_id, turn)))
        sizes = "SELECT turn, length(document) FROM contexts WHERE user_id = $1"
        contexts = list((yield f"{sizes} ORDER BY 1 DESC", (user_id,)))
        without_results = at.with_results((), (), (yield from self._page_of_messages(user_id, history)))
        if sum(length for _, length in (*partials, *contexts)) > AT_ONCE_BYTES:
            return _Outline(without_results, [last for last, _ in partials], [of for of, _ in contexts])
        return replace(
            without_results,
            partials=(yield from self._partials(user_id, turn)),
            interrupted=(yield from self._contexts(user_id)),
        )

    async def _in_pieces(self, found: "_Outline") -> Snapshot:
        snapshot = found.without_results
        user_id, turn = snapshot.task.user_id, snapshot.task.turn

        async def piece(read: Callable[[], Read[T | None]]) -> T:
            found = await self.run_read(user_id, read)
            if found is None:
                raise _GoneError
            return found

        saved: list[SavedPartial] = []
        for last in found.partials:
            saved += await piece(lambda last=last: _partials_of_row(user_id, turn, last))
        interrupted: list[InterruptedContext] = [
            await piece(lambda of=of: self._context(user_id, of)) for of in found.contexts
        ]
        # A user who was deleted and came back may have rows of the same keys: the epoch tells them apart.
        now = await piece(lambda: self._position(user_id))
        if now.epoch != snapshot.position.epoch:
            raise _GoneError
        return replace(snapshot, partials=tuple(saved), interrupted=tuple(interrupted))

    # --- changes ---------------------------------------------------------------------------------------

    async def drop_aged(self, lease: Lease, before: datetime, *, most: int) -> Dropped:
        """Drop some of a user's aged turns; the bytes are overwritten in turn (`erasure`)."""
        await self.commit(lease)
        plan = self._plan_drop(lease.user_id, before, most)
        return await self._on_writer(lambda writer: writer.drop_aged(lease.user_id, plan))

    async def give_to(self, person: str, user_id: str, at: datetime) -> str | None:
        """Make a conversation a person's if nothing is known of it; return whose it is now."""
        unless_known = """INSERT INTO conversations SELECT ?1, ?2, ?3
            WHERE NOT EXISTS (SELECT 1 FROM users WHERE user_id = ?1)
                AND NOT EXISTS (SELECT 1 FROM threads WHERE user_id = ?1)
            ON CONFLICT (user_id) DO NOTHING"""

        def give(connection: apsw.Connection) -> str | None:
            connection.execute(unless_known, (user_id, person, at.timestamp()))
            return reads.run(connection, self._person_of(user_id))

        return await self._change(give)

    async def put_grant(self, grant: Grant, now: datetime) -> None:
        """Keep a grant; those that have expired are dropped."""
        row = (grant.digest, grant.body, grant.expires_at.timestamp())

        def put(connection: apsw.Connection) -> None:
            connection.execute("DELETE FROM grants WHERE expires_at <= ?", (now.timestamp(),))
            connection.execute("INSERT OR REPLACE INTO grants VALUES (?, ?, ?)", row)

        await self._change(put)

    async def replace_grant(self, grant: Grant, now: datetime) -> None:
        """Put a grant in the place of the one with its digest, if there is one."""
        update = "UPDATE grants SET body = ?, expires_at = ? WHERE digest = ? AND expires_at > ?"
        given = (grant.body, grant.expires_at.timestamp(), grant.digest, now.timestamp())
        await self._change(lambda to: to.execute(update, given))

    async def take_grant(self, digest: bytes, now: datetime) -> Grant | None:
        """Return a grant and drop it."""
        query = "DELETE FROM grants WHERE digest = ? RETURNING digest, body, expires_at"
        taken = await self._change(lambda of: list[Any](of.execute(query, (digest,))))
        return next((each for each in grants_of(taken) if each.expires_at > now), None)


@dataclass(frozen=True, slots=True)
class _Outline:
    """A snapshot without its results, and the keys of the rows that hold them."""

    without_results: Snapshot
    partials: list[int]
    contexts: list[int]


class _GoneError(Exception):
    """A row of the snapshot was deleted before it could be read."""


def _partials_of_row(user_id: str, turn: int, last: int) -> Read[list[SavedPartial] | None]:
    query = "SELECT found FROM partials WHERE user_id = $1 AND turn = $2 AND last_position = $3"
    rows = yield query, (user_id, turn, last)
    return [each for row in rows for each in partials_in(turn, row[0])] or None
