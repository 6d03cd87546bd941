"""A model of the database: what `migrations/*.sql` make of it, as plain values and plain functions.

Each method is a function or a statement of the same name there, and each call is a transaction: it takes no
time, and no other call comes in between. That is how row locks order the real ones, of which each changes the
rows of one user. `tests/simulation/test_model.py` holds the model against a real server.

What belongs to a user's tasks is kept by a `ModelStore`, the oracle of the contract tests.
"""

import math
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import orjson

from tests.model_store import ModelStore, ModelUser
from tests.simulation.rows import CommandRow, Raised, ReplicaRow, State, UserRow
from tests.simulation.written import apply

SESSION_LOST_S = 1.0


class Database:
    """The database of one cluster; `now` is its clock.

    `locks` tells which session holds a replica's lock. `kept_states` is how many transactions a failover may
    lose, the newest of which it has no copy of.
    """

    def __init__(self, now: Callable[[], float], *, kept_states: int = 0) -> None:
        self.now = now
        self.state = State()
        self.documents = ModelStore()
        self.documents.users = self.state.kept
        self.locks: dict[int, object] = {}
        self.identity = "model"
        self.timeline_number = 1
        self.started_at = float("-inf")
        self.fenced = 0
        self._numbers = 0
        self._before: deque[State] = deque(maxlen=kept_states)

    @property
    def timeline(self) -> str:
        """What `_TIMELINE` of the store reads."""
        return f"{self.timeline_number:08X}-1"

    def _next(self) -> int:
        self._numbers += 1
        return self._numbers

    def _begin(self) -> State:
        """Begin a transaction that changes something."""
        if self._before.maxlen:
            self._before.append(self.state.copied())
        return self.state

    # --- failures ------------------------------------------------------------------------------------

    def restart(self) -> None:
        """Restart: what is committed stays, and no session does."""
        self.started_at = self.now()
        self.locks.clear()
        for r in self.state.replicas.values():
            # What happened in the very instant of the restart happened before it.
            if r.session_at == self.started_at:
                r.session_at = math.nextafter(self.started_at, -math.inf)

    def fail_over(self, lost: int) -> int:
        """Go on as a standby that lacks the last transactions; return how many it lacks."""
        count = min(lost, len(self._before))
        for _ in range(count):
            self.state = self._before.pop()
        self.documents.users = self.state.kept
        self.timeline_number += 1
        for user_id in self.state.kept:
            self._tell_epoch(user_id)
        self.restart()
        return count

    def release(self, session: object) -> None:
        """Free the locks of a session that has ended."""
        for lock_id in [lock_id for lock_id, holder in self.locks.items() if holder is session]:
            del self.locks[lock_id]

    # --- replicas ------------------------------------------------------------------------------------

    def is_alive(self, r: ReplicaRow) -> bool:
        now = self.now()
        return max(r.lease_until, self.started_at + r.lease) > now and (
            r.lost_at is None
            or r.lost_at + SESSION_LOST_S > now
            or r.session_at is None
            or r.session_at < self.started_at
        )

    def _lives(self, replica: str | None) -> bool:
        row = self.state.replicas.get(replica) if replica is not None else None
        return row is not None and self.is_alive(row)

    def next_fence(self) -> int:
        return (self.timeline_number << 36) + self._next()

    def join(self, me: str, ttl: float, _protocol: int, _facts: str, polls: bool) -> int:
        if polls:
            raise AssertionError("the model keeps no hints for replicas that poll")
        state = self._begin()
        state.replicas[me] = ReplicaRow(self.now() + ttl, ttl, self._next())
        return state.replicas[me].lock_id

    def renew(self, me: str, ttl: float) -> bool:
        if not self._lives(me):
            return False
        row = self._begin().replicas[me]
        row.lease_until, row.lease = self.now() + ttl, ttl
        return True

    def note_sessions(self) -> None:
        now = self.now()
        for r in self.state.replicas.values():
            if r.lock_id not in self.locks:
                if r.lost_at is None and r.session_at is not None:
                    r.lost_at = now
            elif r.lost_at is not None or r.session_at is None or r.session_at < self.started_at:
                r.lost_at, r.session_at = None, now
        # As often as the rest, for the rules are the same: what is long dead is in nobody's way.
        for name in [name for name, r in self.state.replicas.items() if r.lease_until < now - 3600]:
            if not any(u.owner == name and u.occupied for u in self.state.users.values()):
                del self.state.replicas[name]
        for key in [key for key, c in self.state.commands.items() if c.at < now - 600]:
            del self.state.commands[key]

    def watch_sessions(self) -> float | None:
        self.note_sessions()
        lost = [r.lost_at for r in self.state.replicas.values() if r.lost_at is not None]
        return min((left for at in lost if (left := at + SESSION_LOST_S - self.now()) > 0), default=None)

    def leave(self, replica: str) -> None:
        self._begin().replicas.pop(replica, None)

    def drain(self, replica: str, wanted: bool) -> None:
        row = self._begin().replicas.get(replica)
        if row is not None:
            row.draining = wanted

    def alive(self) -> list[tuple[str]]:
        return [(name,) for name in sorted(self.state.replicas) if self._lives(name)]

    # --- leases -------------------------------------------------------------------------------------

    def tenures(self, users: list[str], replicas: list[str]) -> list[dict[str, Any]]:
        return [
            {
                "user_id": name,
                "replica": me,
                "owner": known.owner,
                "fence": known.fence,
                "occupied": known.occupied,
                "elsewhere": known.owner != me and known.occupied and self._lives(known.owner),
            }
            for name, me in zip(users, replicas, strict=True)
            if (known := self.state.users.get(name)) is not None and known.owner is not None
        ]

    def claim(self, of_user: str, me: str) -> dict[str, Any]:
        known = self.state.users.get(of_user) or UserRow()
        if known.owner != me:
            if known.occupied and self._lives(known.owner):
                self.state.users.setdefault(of_user, known)
                return {"fence": None, "unfinished": False, "owned_by": known.owner}
            if not self._lives(me):
                raise Raised("DT004")
        state = self._begin()
        row = state.users.setdefault(of_user, known)
        if row.owner == me:
            return {"fence": row.fence, "unfinished": row.occupied, "owned_by": None}
        row.owner, row.fence = me, self.next_fence()
        return {"fence": row.fence, "unfinished": row.occupied, "owned_by": None}

    def take(self, me: str, most: int) -> list[tuple[str]]:
        mine = self.state.replicas.get(me)
        if mine is None or mine.draining or not self.is_alive(mine):
            return []
        found = [
            name for name, u in sorted(self.state.users.items()) if u.occupied and not self._lives(u.owner)
        ][:most]
        state = self._begin() if found else self.state
        for name in found:
            state.users[name].owner, state.users[name].fence = me, self.next_fence()
        return [(name,) for name in found]

    def occupied(self, me: str) -> list[tuple[str]]:
        return [(name,) for name, u in sorted(self.state.users.items()) if u.owner == me and u.occupied]

    def owned(self, me: str, users: Sequence[str]) -> list[tuple[str]]:
        return [(name,) for name, u in self.state.users.items() if u.owner == me and name in users]

    def give_up(self, of_user: str, of_fence: int) -> list[str]:
        known = self.state.users.get(of_user)
        if known is not None and known.fence == of_fence:
            self._begin().users[of_user].owner = None
        return [name for (name,) in self.alive()]

    def let_go(self, of_user: str, of_fence: int) -> None:
        known = self.state.users.get(of_user)
        if known is not None and known.fence == of_fence != 0:
            row = self._begin().users[of_user]
            row.owner, row.fence, row.occupied = None, self.next_fence(), True

    # --- commands ------------------------------------------------------------------------------------

    def leave_command(
        self, of_user: str, command_id: str, kind: str, body: bytes, sender: str, within: float
    ) -> None:
        if (of_user, command_id) not in self.state.commands:
            row = CommandRow(self._next(), kind, body, sender, self.now(), self.now() + within)
            self._begin().commands[of_user, command_id] = row

    def commands_of(self, of_user: str) -> list[tuple[str, str, bytes, str]]:
        found = [(row.number, key[1], row) for key, row in self.state.commands.items() if key[0] == of_user]
        return [
            (command_id, row.kind, row.body, row.sender)
            for _, command_id, row in sorted(found, key=lambda each: each[0])
            if self._is_wanted(row)
        ]

    def _is_wanted(self, row: CommandRow) -> bool:
        return row.reply is None and row.wanted_until > self.now()

    def begin_command(self, of_user: str, command_id: str, me: str) -> bool:
        row = self.state.commands.get((of_user, command_id))
        if row is None or not self._is_wanted(row):
            return False
        if row.begun_by != me and self._lives(row.begun_by):
            return False
        self._begin().commands[of_user, command_id].begun_by = me
        return True

    def release_command(self, of_user: str, command_id: str, me: str) -> None:
        row = self.state.commands.get((of_user, command_id))
        if row is not None and row.begun_by == me:
            self._begin().commands[of_user, command_id].begun_by = None

    def withdraw_command(self, of_user: str, command_id: str) -> tuple[bool, bytes | None]:
        row = self.state.commands.get((of_user, command_id))
        if row is not None and row.reply is None and not self._lives(row.begun_by):
            del self._begin().commands[of_user, command_id]
            row = None
        return row is None, None if row is None else row.reply

    def waiting_commands(self, replica: str) -> list[tuple[str]]:
        waiting = {user for (user, _), row in self.state.commands.items() if self._is_wanted(row)}
        users = self.state.users
        return [(user,) for user in sorted(waiting) if user in users and users[user].owner == replica]

    def answer_command(self, of_user: str, command_id: str, reply: bytes) -> None:
        if (of_user, command_id) in self.state.commands:
            self._begin().commands[of_user, command_id].reply = reply

    def reply_to(self, of_user: str, command_id: str) -> bytes | None:
        row = self.state.commands.get((of_user, command_id))
        return None if row is None else row.reply

    # --- followers -----------------------------------------------------------------------------------

    def follow(self, of_user: str, me: str, *, wanted: bool) -> None:
        row = self._begin().users.setdefault(of_user, UserRow())
        others = tuple(each for each in row.followers if each != me and self._has_lease(each))
        row.followers = (*others, me) if wanted else others

    def _has_lease(self, name: str) -> bool:
        r = self.state.replicas.get(name)
        return r is not None and max(r.lease_until, self.started_at + r.lease) > self.now()

    def followers(self, users: Sequence[str]) -> list[tuple[str, Sequence[str]]]:
        known = self.state.users
        return [(user, known[user].followers) for user in users if user in known and known[user].followers]

    # --- what is written of users --------------------------------------------------------------------

    def write(self, own: Sequence[Any], must: Sequence[Any], *tables: Any) -> list[tuple[str, Sequence[str]]]:
        users = self.state.users
        rows = {user: users.get(user) or UserRow() for user, *_ in own}
        ended = [user for user, fence, *_ in own if not self._may_write(rows[user], fence)]
        if ended:
            self.fenced += 1
            raise Raised("DT001", orjson.dumps(ended).decode())
        counted_otherwise = [user for user, _, writes, *_ in own if rows[user].writes != writes]
        if counted_otherwise:
            raise Raised("DT003", orjson.dumps(counted_otherwise).decode())
        for user, request_id in must:
            if user not in self.state.kept or not self.state.kept[user].is_open(request_id):
                raise Raised("DT002", request_id)
        state = self._begin()
        for user, fence, _, seq, turn, epoch, timeline, occupied in own:
            row = state.users.setdefault(user, rows[user])
            self.wrote(user, fence, row)
            row.seq, row.turn, row.writes = seq, max(row.turn, turn), row.writes + 1
            if epoch is not None:
                row.epoch, row.timeline, row.begun = epoch, timeline, True
            if occupied is not None:
                row.occupied = occupied
            state.kept.setdefault(user, ModelUser())
            self._tell_epoch(user)
        apply(state.kept, *tables)
        for user, *_ in own:
            if state.kept[user].seq != state.users[user].seq:
                # As the key of `events` does.
                raise AssertionError(f"the events of {user} are not numbered as their row says")
        return self.followers([user for user, *_ in own])

    def _may_write(self, row: UserRow, fence: int) -> bool:
        return row.fence == fence

    def wrote(self, user: str, fence: int, row: UserRow) -> None:
        """See a write that is let through; for tests."""

    def _tell_epoch(self, user: str) -> None:
        """Keep the epoch as `reads.position` tells it."""
        row = self.state.users[user]
        told = row.epoch if row.timeline == self.timeline else f"{row.epoch}-{self.timeline}"
        self.state.kept[user].epoch = told if row.begun else ""

    def counted(self, users: Sequence[str]) -> list[tuple[str, int]]:
        return [(user, writes) for user, _, writes in self.written(users)]

    def epoch(self, of_user: str) -> str | None:
        row = self.state.users.get(of_user)
        return None if row is None else row.epoch

    def was_stored(self, of_user: str, of_fence: int, after_writes: int) -> bool | None:
        if of_fence == 0:
            self.state.users.setdefault(of_user, UserRow())
        known = self.state.users.get(of_user)
        if known is None or known.fence != of_fence:
            return None
        was = known.writes
        if was == after_writes:
            self._begin().users[of_user].writes += 2
        return was == after_writes + 1

    def written(self, users: Sequence[str]) -> list[tuple[str, int, int]]:
        known = self.state.users
        return [(user, known[user].seq, known[user].writes) for user in users if user in known]

    def delete_user(self, of_user: str, of_fence: int, new_epoch: str) -> bool | None:
        known = self.state.users.get(of_user)
        if (known.fence if known is not None else 0) != of_fence:
            self.fenced += 1
            raise Raised("DT001", orjson.dumps([of_user]).decode())
        if known is None:
            return None
        state = self._begin()
        row, begun = state.users[of_user], known.begun
        deleted = (state.kept.pop(of_user, None) or ModelUser()).has_rows
        if begun or row.seq or deleted:
            row.epoch, row.begun, row.seq, row.turn, row.occupied = new_epoch, False, 0, 0, False
            row.writes += 1
        return begun or deleted
