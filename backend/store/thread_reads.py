"""What a store reads of threads: their steps with all pieces, and the index of threads."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, ClassVar

from .codec import readable, saved_thread_from_json
from .reads import Queryable, Read, of_all, of_user, of_user_at_one_instant, one
from .threads import SavedThread, SortBy, ThreadStep, found_among, ids_in, unknown_step

_COLUMN: Mapping[SortBy, str] = {
    "created_at": "created_at",
    "updated_at": "updated_at",
    "thread_id": "user_id",
}

_THREADS_AT_ONCE = 100


class ThreadReads(Queryable):
    """What a store tells of threads; all of it raises `StoreUnavailable`."""

    STEPS_AT_ONCE: ClassVar[int]

    @abstractmethod
    def _pieces(self, user_id: str, graph: str, ids: Iterable[bytes]) -> Read[dict[bytes, bytes]]:
        """Read those of the pieces that are stored."""

    @of_user_at_one_instant
    def get_thread_step(
        self, user_id: str, graph: str, step_id: str | None = None
    ) -> Read[ThreadStep | None]:
        """Return the step of that id, by default the newest, with all its pieces; None if there is none."""
        last = None if step_id is None else (yield from self._number_of(user_id, graph, step_id))
        if step_id is not None and last is None:
            return None
        found = yield from self._steps(user_id, graph, 1, last, most_bytes=0)
        return found[0] if found else None

    @of_user_at_one_instant
    def get_thread_steps(
        self, user_id: str, graph: str, *, limit: int, before: str | None = None, most_bytes: int
    ) -> Read[tuple[ThreadStep, ...]]:
        """Return the newest steps, or the newest before one, newest first, with all their pieces.

        At most `limit`, and of so many bytes, but at least one unless there is none. Raises `NotFound` if the
        thread has no step `before`.
        """
        last = None
        if before is not None:
            number = yield from self._number_of(user_id, graph, before)
            if number is None:
                raise unknown_step(before, field_name="before")
            last = number - 1
        return (yield from self._steps(user_id, graph, limit, last, most_bytes=most_bytes))

    def _number_of(self, user_id: str, graph: str, step_id: str) -> Read[int | None]:
        query = """
        SELECT number FROM detour.thread_steps WHERE user_id = $1 AND graph = $2 AND step_id = $3
        ORDER BY number DESC LIMIT 1"""
        return one((yield query, (user_id, graph, step_id)))

    def _steps(
        self, user_id: str, graph: str, limit: int, last: int | None, *, most_bytes: int
    ) -> Read[tuple[ThreadStep, ...]]:
        query = """
        SELECT number, step_id, parent, turn, body, pages, pieces FROM detour.thread_steps
        WHERE user_id = $1 AND graph = $2 AND number <= $3 ORDER BY number DESC LIMIT $4"""
        found: list[ThreadStep] = []
        known: dict[bytes, bytes] = {}  # what the steps of a page share is read once
        size = 0
        last = 2**63 - 1 if last is None else last
        while len(found) < limit:
            at_once = min(self.STEPS_AT_ONCE, limit - len(found))
            steps = [
                ThreadStep(
                    graph=graph,
                    number=number,
                    step_id=step_id,
                    parent=parent,
                    turn=turn,
                    body=body,
                    pages=pages,
                    pieces=pieces,
                )
                for number, step_id, parent, turn, body, pages, pieces in (
                    yield (
                        query,
                        (user_id, graph, last, at_once),
                    )
                )
            ]
            for wanted in (_pages_of, _pieces_of):
                missing = {each for step in steps for each in wanted(step, known)} - known.keys()
                known.update((yield from self._pieces(user_id, graph, missing)))
            for step in steps:
                pages, pieces = (
                    {each: known[each] for each in wanted(step, known) if each in known}
                    for wanted in (_pages_of, _pieces_of)
                )
                size += len(step.body) + sum(map(len, pieces.values()))
                if found and size > most_bytes:
                    return tuple(found)
                found.append(replace(step, held=pages | pieces))
            if len(steps) < at_once:
                break
            last = steps[-1].number - 1
        return tuple(found)

    @of_user
    def get_saved_thread(self, user_id: str) -> Read[SavedThread | None]:
        """Return a thread of the index, None if it is not in it.

        One that is damaged counts as none: clients may write it anew.
        """
        query = "SELECT user_id, document FROM detour.threads WHERE user_id = $1"
        return next(readable((yield query, (user_id,)), saved_thread_from_json, table="threads"), None)

    @of_all
    def find_threads(
        self,
        *,
        metadata: Mapping[str, Any] | None = None,
        ids: Sequence[str] | None = None,
        person: str | None = None,
        expired_by: datetime | None = None,
        sort_by: SortBy = "created_at",
        descending: bool = True,
        limit: int,
        offset: int = 0,
    ) -> Read[tuple[SavedThread, ...]]:
        """Return at most `limit` threads whose metadata holds all of `metadata`, the newest first by default.

        With `ids` only these are searched, with `person` only that person's, with `expired_by` only those
        that expire by then. The first `offset` of those
        found are left out.
        """
        column = _COLUMN[sort_by]
        direction, beyond = ("DESC", "<") if descending else ("ASC", ">")
        conditions: list[str] = []
        given: list[Any] = []
        if ids is not None:
            among = ", ".join(f"${number}" for number in range(1, len(ids) + 1))
            conditions.append(f"user_id IN ({among or 'NULL'})")
            given += ids
        if person is not None:
            given.append(person)
            own = f"SELECT c.user_id FROM detour.conversations c WHERE c.person = ${len(given)}"
            conditions.append(f"user_id IN ({own})")
        last_shown = f"({column}, user_id) {beyond} (${len(given) + 1}, ${len(given) + 2})"
        wanted = limit + offset
        found: list[SavedThread] = []
        after: list[Any] = []
        while len(found) < wanted:
            at_once = (
                _THREADS_AT_ONCE if metadata or expired_by else min(_THREADS_AT_ONCE, wanted - len(found))
            )
            where = " AND ".join([*conditions, last_shown] if after else conditions)
            query = f"""
            SELECT user_id, document, {column} FROM detour.threads {where and f"WHERE {where}"}
            ORDER BY {column} {direction}, user_id {direction} LIMIT {at_once}"""
            rows = list((yield query, [*given, *after]))
            threads = readable((row[:2] for row in rows), saved_thread_from_json, table="threads")
            if expired_by is not None:
                threads = (each for each in threads if _has_expired(each, expired_by))
            found += found_among(threads, metadata, limit=wanted - len(found), offset=0)
            if len(rows) < at_once:
                break
            after = [rows[-1][2], rows[-1][0]]
        return tuple(found[offset:wanted])


def _has_expired(thread: SavedThread, by: datetime) -> bool:
    return thread.expires_at is not None and thread.expires_at <= by


def _pages_of(step: ThreadStep, _known: Mapping[bytes, bytes]) -> Iterable[bytes]:
    return ids_in(step.pages)


def _pieces_of(step: ThreadStep, known: Mapping[bytes, bytes]) -> Iterable[bytes]:
    pages = [known[each] for each in ids_in(step.pages) if each in known]
    return [each for some in (step.pieces, *pages) for each in ids_in(some)]
