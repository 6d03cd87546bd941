"""What is dropped for its age: turns that ended before a moment, and users of whom nothing younger is left.

Turns go in order, the oldest first, and none before those in front of it; so what remains of a conversation
is its end. A turn stays, alone, that has a write whose outcome is not known. The last turn goes with its user
alone, since the next one takes its number from it. While a task of the user is unfinished, nothing goes: it
may name what earlier ones left.

Events and steps of threads go with the turns, but for the last of them: numbers go on from the last event,
and the next run begins from the last step.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

import orjson
import ormsgpack

from ..domain.task import TERMINAL, InterruptReason
from .ownership import Lease
from .reads import Read, StoredReads, of_all, one

USERS_AT_ONCE = 100
"""The most rows that are looked at for aged users in one read."""

EVENTS_AT_ONCE_BYTES = 1024 * 1024
"""The most bytes of events that are looked through in one step, if they are not one row."""

_AT = b'"at":"'
_HEAD_OF_AN_EVENT = 1024
"""Within so many bytes an event tells when it was: only its type and its task's id come before."""


class AgedPlace(NamedTuple):
    """A place among all that may be aged: of which kind of row, how old, whose, and of which turn."""

    kind: int = 0
    at: float = float("-inf")
    user_id: str = ""
    turn: int = 0


TASKS, THREADS, CONVERSATIONS = range(3)
"""The kinds of rows by which aged users are found. Of users with tasks, the tasks alone count."""

_BESIDE_TASKS = {
    THREADS: ("threads", "updated_at", "threads_by_change"),
    CONVERSATIONS: ("conversations", "begun_at", "conversations_by_begin"),
}


@dataclass(frozen=True, slots=True)
class AgedUsers:
    """Users who may have something aged, and the place to look on from, None at the end."""

    user_ids: tuple[str, ...]
    after: AgedPlace | None


@dataclass(frozen=True, slots=True)
class Dropped:
    """What became of a user's aged turns: how many went, and whether to ask for `more`.

    `is_everything` tells that what is left is aged as well: then the user can be deleted.
    """

    turns: int = 0
    more: bool = False
    is_everything: bool = False


def following(kind: int, rows: Sequence[tuple[float, str, int]]) -> AgedPlace | None:
    """Return the place to look on from after these rows of a kind: all that were looked at."""
    if len(rows) == USERS_AT_ONCE:
        return AgedPlace(kind, *rows[-1])
    return AgedPlace(kind + 1) if kind < CONVERSATIONS else None


class StoredTurn(NamedTuple):
    """A task as it is looked at for its age; `ended_at` is None if nobody can read it any more."""

    turn: int
    task_id: str
    is_over: bool
    reason: str | None
    ended_at: float | None
    last_turn: int
    """The last turn in which something was said of this task: a later one if its questions were answered."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The turns to drop.

    `until` is the first turn that stays for its age, None if that is not known since there are more to drop;
    `is_everything` if no turn stays for its age, or for what is in it.
    """

    turns: tuple[StoredTurn, ...]
    until: int | None
    is_everything: bool = False


def planned(tasks: Iterable[StoredTurn], held: Set[int], before: float, *, most: int) -> Plan:
    """Plan what to drop of a user's tasks, which come in order of turns; those `held` stay.

    Reads no further than the first that is too young, or than there are `most` to drop.
    """
    found: list[StoredTurn] = []
    last: StoredTurn | None = None
    for task in tasks:
        # Only now: the last turn stays.
        if last is not None and last.turn not in held:
            found.append(last)
        if len(found) >= most:
            return Plan(tuple(found), None)
        is_young = not task.is_over or (task.ended_at is not None and task.ended_at >= before)
        # Whether a message is taken up again after a shutdown depends on what came later: that stays, too.
        is_to_resume = task.turn in held and task.reason == InterruptReason.SHUTDOWN
        if is_young or is_to_resume:
            return Plan(tuple(found), task.turn)
        last = task
    held_are_none = not held
    return Plan(tuple(found), last.turn if last else 0, is_everything=held_are_none)


@dataclass(frozen=True, slots=True)
class Drop:
    """What goes of a user, and what becomes of it.

    - `said` are the places of the turns' messages, by turn and position, `client_ids` those of the clients.
    - Of events those up to the number `events_upto` go; `rest` is the row of events in the place of the one
      with the same last number: that, its first number, and its bodies.
    - `first_steps` are, by graph, the numbers of the first steps that stay of threads.
    """

    turns: tuple[StoredTurn, ...] = ()
    said: tuple[tuple[int, int], ...] = ()
    client_ids: tuple[str, ...] = ()
    events_upto: int = -1
    rest: tuple[int, int, bytes] | None = None
    first_steps: Mapping[str, int] = field(default_factory=dict[str, int])
    outcome: Dropped = Dropped()


class Retention(StoredReads):
    """What a store does about age; all of it raises `StoreUnavailable`."""

    ENDED_AT: ClassVar[str]
    """Of a row of tasks, when it ended."""

    @of_all
    def aged_users(self, before: datetime, *, after: AgedPlace) -> Read[AgedUsers]:
        """Return some users with a turn, a thread or a conversation that ended before a moment.

        Takes the same time however much is stored. Some of the users may have nothing to drop.
        """
        if after.kind == TASKS:
            columns, index = f"{self.ENDED_AT}, user_id, turn", "tasks_by_end"
            query = f"""
            SELECT {columns}, 1 FROM detour.tasks INDEXED BY {index}
            WHERE status IN ('completed', 'failed', 'interrupted') AND {self.ENDED_AT} < $1
                AND ({columns}) > ($2, $3, $4)
            ORDER BY {columns} LIMIT $5"""
        else:
            table, at, index = _BESIDE_TASKS[after.kind]
            query = f"""
            SELECT {at}, user_id, 0, NOT EXISTS (
                SELECT 1 FROM detour.tasks WHERE tasks.user_id = {table}.user_id)
            FROM detour.{table} INDEXED BY {index}
            WHERE {at} < $1 AND ({at}, user_id, 0) > ($2, $3, $4) ORDER BY {at}, user_id LIMIT $5"""
        given = (before.timestamp(), after.at, after.user_id, after.turn, USERS_AT_ONCE)
        rows = list((yield query, given))
        users = dict.fromkeys(row[1] for row in rows if row[3])
        return AgedUsers(tuple(users), following(after.kind, [(row[0], row[1], row[2]) for row in rows]))

    @abstractmethod
    async def drop_aged(self, lease: Lease, before: datetime, *, most: int) -> Dropped:
        """Drop at most `most` turns of a lease's user that ended before a moment, with all their rows.

        Each turn whole, or not at all; a process that ends in between leaves the rest to a later sweep.
        Raises `LeaseEnded`; then nothing more is dropped. Raises `StoreUnavailable`; then nobody knows.
        """

    def _plan_drop(self, user_id: str, before: datetime, most: int) -> Read[Drop]:
        """Plan what `drop_aged` drops; until it is dropped, nothing else is written of the user."""
        unfinished = """
        SELECT 1 FROM detour.tasks INDEXED BY tasks_unfinished
        WHERE user_id = $1 AND status NOT IN ('completed', 'failed', 'interrupted') LIMIT 1"""
        if one((yield unfinished, (user_id,))):
            return Drop()
        plan = yield from self._plan_turns(user_id, before, most)
        said = yield from self._said_of(user_id, plan.turns)
        drop = Drop(
            plan.turns,
            tuple((turn, position) for turn, position, _ in said),
            tuple(client_id for _, _, client_id in said if isinstance(client_id, str)),
        )
        if plan.until is None:
            return replace(drop, outcome=Dropped(len(plan.turns), more=True))
        upto, rest, more = yield from self._aged_events(user_id, before)
        thread_at, begun_at, has_tasks = next((yield _WHAT_STAYS, (user_id,)))
        times = [each for each in (thread_at, begun_at) if each is not None]
        is_known = bool(has_tasks or times)
        are_aged = all(each < before.timestamp() for each in times)
        is_everything = plan.is_everything and is_known and are_aged and not more
        return replace(
            drop,
            events_upto=upto,
            rest=rest,
            first_steps=(yield from self._first_kept_steps(user_id, plan.until)),
            outcome=Dropped(len(plan.turns), more, is_everything),
        )

    def _plan_turns(self, user_id: str, before: datetime, most: int) -> Read[Plan]:
        unsettled = """
        SELECT turn FROM detour.tool_calls INDEXED BY tool_calls_unsettled WHERE unsettled AND user_id = $1"""
        held = {row[0] for row in (yield unsettled, (user_id,))}
        held |= yield from self._turns_to_resume(user_id)
        query = f"""
        SELECT turn, task_id, status, reason, {self.ENDED_AT}, document FROM detour.tasks
        WHERE user_id = $1 AND turn > $2 ORDER BY turn LIMIT $3"""
        turns: list[StoredTurn] = []
        while True:
            known = len(turns)
            given = (user_id, turns[-1].turn if turns else 0, most + 1)
            for turn, task_id, status, reason, ended_at, document in (yield query, given):
                last_turn = last_turn_of(turn, document)
                turns.append(StoredTurn(turn, task_id, status in TERMINAL, reason, ended_at, last_turn))
            plan = planned(turns, held, before.timestamp(), most=most)
            if len(turns) - known <= most or plan.until != turns[-1].turn:
                return plan

    def _said_of(self, user_id: str, turns: Sequence[StoredTurn]) -> Read[list[tuple[int, int, object]]]:
        """Read the places and client ids of tasks' messages: by the turn, or by what a later one says."""
        if not turns:
            return []
        by_turn = {each.turn: each for each in turns}
        by_id: dict[object, StoredTurn] = {each.task_id: each for each in turns}
        query = """
        SELECT turn, position, document FROM detour.messages WHERE user_id = $1 AND turn BETWEEN $2 AND $3"""
        found: list[tuple[int, int, object]] = []
        last_turn = max(each.last_turn for each in turns)
        for turn, position, document in (yield query, (user_id, turns[0].turn, last_turn)):
            of = by_turn.get(turn) or by_id.get(_field(document, "task_id"))
            if of is not None and of.turn <= turn <= of.last_turn:
                found.append((turn, position, _field(document, "client_id")))
        return found

    def _aged_events(
        self, user_id: str, before: datetime
    ) -> Read[tuple[int, tuple[int, int, bytes] | None, bool]]:
        """Read the last number of the rows that go, what stays of the next row, and if there may be more."""
        newest = one((yield "SELECT max(last_seq) FROM detour.events WHERE user_id = $1", (user_id,)))
        query = """
        SELECT last_seq, first_seq, bodies FROM detour.events WHERE user_id = $1 AND last_seq > $2
        ORDER BY last_seq LIMIT 1"""
        upto, size = -1, 0
        while size < EVENTS_AT_ONCE_BYTES and (row := next((yield query, (user_id, upto)), None)):
            last_seq, first_seq, packed = row
            size += len(packed)
            bodies = ormsgpack.unpackb(packed)
            # The next event takes its number from the last one.
            aged = aged_events(bodies[:-1] if last_seq == newest else bodies, before)
            if aged < len(bodies):
                rest = (last_seq, first_seq + aged, ormsgpack.packb(bodies[aged:])) if aged else None
                return upto, rest, False
            upto = last_seq
        return upto, None, size >= EVENTS_AT_ONCE_BYTES

    def _first_kept_steps(self, user_id: str, until: int) -> Read[dict[str, int]]:
        query = """
        SELECT graph, number, turn FROM detour.thread_steps WHERE user_id = $1 ORDER BY graph, number"""
        by_graph: dict[str, list[tuple[int, int]]] = {}
        for graph, number, turn in (yield query, (user_id,)):
            by_graph.setdefault(graph, []).append((number, turn))
        firsts = {
            graph: first_kept_step(iter(steps), steps[-1][0], until) for graph, steps in by_graph.items()
        }
        return {graph: first for graph, first in firsts.items() if first > by_graph[graph][0][0]}


_WHAT_STAYS = """
SELECT (SELECT max(updated_at) FROM detour.threads WHERE user_id = $1),
    (SELECT max(begun_at) FROM detour.conversations WHERE user_id = $1),
    EXISTS (SELECT 1 FROM detour.tasks WHERE user_id = $1)"""
"""How new a user's thread and conversation are, and if there are tasks: the last one never goes."""


def last_turn_of(turn: int, document: bytes | str) -> int:
    """Return the last turn in which something was said of a task, by its document."""
    spoken = _field(document, "spoken_turn")
    return max(turn, spoken) if isinstance(spoken, int) else turn


def _field(document: bytes | str, name: str) -> object:
    """Return a field of a document, None for one that is damaged: it must not keep the others."""
    try:
        read: Any = orjson.loads(document)
    except orjson.JSONDecodeError:
        return None
    return read.get(name) if isinstance(read, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def aged_events(bodies: Iterable[bytes], before: datetime) -> int:
    """Return how many of the first events were published before a moment."""
    before = before.replace(microsecond=before.microsecond // 1000 * 1000)  # events tell milliseconds
    count = 0
    for body in bodies:
        at = _published_at(body)
        if at is not None and at >= before:
            break
        count += 1
    return count


def _published_at(body: bytes) -> datetime | None:
    begin = body.find(_AT, 0, _HEAD_OF_AN_EVENT)
    if begin < 0:
        return None
    begin += len(_AT)
    try:
        return datetime.fromisoformat(body[begin : body.index(b'"', begin)].decode("ascii"))
    except ValueError:
        return None


def first_kept_step(steps: Iterator[tuple[int, int]], newest: int, until: int) -> int:
    """Return the number of the first step of a thread that stays; `steps` are numbers and turns, in order."""
    return next((number for number, turn in steps if turn >= until or number == newest), newest)
