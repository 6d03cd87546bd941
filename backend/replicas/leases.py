"""Ownership where no other process writes: everybody is owned from the start, for ever."""

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Generator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

import structlog

from ..domain.errors import StoreUnavailable
from ..store.base import StateStore
from ..store.ownership import Claimed, OwnedElsewhere, Tenure


class Alone:
    """Owns everybody; `neglected` are those whom the process before has left, so ask once, at the start."""

    shared = False

    def __init__(self, store: StateStore) -> None:
        self._store = store

    async def claim(self, user_id: str) -> Claimed:
        """Return the tenure of a user, which never ends."""
        return Claimed(Tenure(user_id))

    async def give_up(self, tenure: Tenure) -> None:
        """Do nothing: nobody else is there."""

    async def neglected(self, is_here: Callable[[str], bool]) -> frozenset[str]:
        """Return the users who have something unfinished; `is_here` tells nothing at the start."""
        return await self._store.unfinished_users()


# --- registry ------------------------------------------------------------------------------------------
# What the replicas of a cluster know of each other, and of whose users are whose: kept by the database.
#
# Nothing here is remembered by a replica: each call asks, or changes, the one truth. Hints tell a replica
# where to look; they may be lost, late or doubled, and nothing depends on one.


HintKind = Literal["event", "command", "reply", "neglected"]


class Hint(NamedTuple):
    """Where to look: the user of whom there is something new, and the id of the command that was answered.

    - `event`: events of a user whom the replica follows; `command`: commands of a user whom it owns.
    - `reply`: the reply to a command that it has left; `neglected`: users whom nobody owns.

    `reply` is the reply itself if it is short, so that it need not be looked for.
    """

    kind: HintKind
    user_id: str = ""
    command_id: str = ""
    reply: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """What a user asked of another replica than the owner: `body` is JSON, by `kind`."""

    user_id: str
    command_id: str
    kind: str
    body: bytes
    sender: str


class Withdrawal(NamedTuple):
    """What came of a withdrawal. With neither, the command is being carried out: a reply will come."""

    withdrawn: bool
    reply: bytes | None


Heard = Callable[[Hint], None]


class Registry(Protocol):
    """All of it raises `StoreUnavailable`; cancelling a call changes nothing that was not changed by then."""

    async def join(self, replica: str, *, lease_s: float, facts: str) -> None:
        """Begin a replica's lease and its session."""
        ...

    async def renew(self, replica: str, *, lease_s: float) -> bool:
        """Renew a lease; False if it is over: then nothing that this replica owned is its own any more."""
        ...

    async def note_sessions(self) -> float | None:
        """Note which replicas have lost their session; return the seconds until the first counts as dead.

        Returns None if none is about to: all have their session, or what is lost was lost before.
        """
        ...

    async def leave(self, replica: str) -> None:
        """End a replica's lease and its session."""
        ...

    async def drain(self, replica: str, *, wanted: bool = True) -> None:
        """Have a replica take no more users, or take them again."""
        ...

    async def claim(self, user_id: str, replica: str) -> Claimed:
        """Begin a tenure, or return the one that lasts. Raises `OwnedElsewhere`."""
        ...

    async def take(self, replica: str, *, most: int) -> Sequence[str]:
        """Begin the tenures of some users whom nobody owns and who have something unfinished."""
        ...

    async def give_up(self, tenure: Tenure) -> Sequence[str]:
        """End a tenure, so that another replica may begin the next one; return which are alive."""
        ...

    async def leave_command(self, command: Command, owner: str, *, within_s: float) -> None:
        """Leave a command for its user's owner, and tell it; leaving it again only tells again.

        Nobody begins it once `within_s` seconds have passed.
        """
        ...

    async def withdraw_command(self, command: Command) -> Withdrawal:
        """Take a command back, unless a replica that is alive has begun it; return what there is instead."""
        ...

    async def commands_of(self, user_id: str) -> Sequence[Command]:
        """Return a user's commands that are wanted and unanswered, in the order in which they were left."""
        ...

    async def begin_command(self, command: Command, replica: str) -> bool:
        """Note that a replica carries a command out now; false if that is not wanted, or another one does."""
        ...

    async def release_command(self, command: Command, replica: str) -> None:
        """Note that a replica has done nothing of a command that it has begun."""
        ...

    async def waiting_commands(self, replica: str) -> Sequence[str]:
        """Return the users of a replica who have commands that are wanted and unanswered."""
        ...

    async def answer_command(self, command: Command, reply: bytes) -> None:
        """Keep the reply to a command, and tell its sender."""
        ...

    async def reply_to(self, user_id: str, command_id: str) -> bytes | None:
        """Return the reply to a command, None while there is none."""
        ...

    async def follow(self, user_id: str, replica: str) -> None:
        """Have a replica told of a user's events from now on."""
        ...

    async def unfollow(self, user_id: str, replica: str) -> None:
        """Have it told of them no more."""
        ...

    async def occupied(self, replica: str) -> Sequence[str]:
        """Return the users whom a replica owns and of whom something is unfinished."""
        ...

    async def owned(self, user_ids: Sequence[str], replica: str) -> Set[str]:
        """Return those of these users whom a replica owns."""
        ...

    async def writes_of(self, user_ids: Sequence[str]) -> Mapping[str, int]:
        """Return how many writes there were of each of these users, of those who are known."""
        ...

    async def replicas(self) -> Sequence[str]:
        """Return the replicas that are alive."""
        ...

    async def now(self) -> datetime:
        """Return the time by the database's clock."""
        ...

    def tell(self, replica: str, hint: Hint) -> None:
        """Send a hint to a replica, soon. Never waits, and never fails."""
        ...


# --- tally ---------------------------------------------------------------------------------------------
# What a replica counts of its part in the cluster, for whoever runs it.


TakenBecause = Literal["asked", "neglected"]
"""Its user did something here, or nobody owned it while something was unfinished."""

Where = Literal["forwarded", "carried_out"]
"""A command was left for another replica, or was left by another and carried out here."""


class Tally(Protocol):
    """Counts; never waits and never fails."""

    def took_over(self, because: TakenBecause) -> None:
        """Count a user who was taken over with something unfinished."""
        ...

    def let_go(self) -> None:
        """Count a user who was let go because another replica owns it, or may."""
        ...

    def commanded(self, where: Where) -> None:
        """Count a command."""
        ...

    def replied(self, seconds: float) -> None:
        """Note how long a command took, from leaving it to its reply."""
        ...


class Uncounted:
    """Counts nothing."""

    def took_over(self, because: TakenBecause) -> None:
        """Count nothing."""

    def let_go(self) -> None:
        """Count nothing."""

    def commanded(self, where: Where) -> None:
        """Count nothing."""

    def replied(self, seconds: float) -> None:
        """Note nothing."""


# --- leased --------------------------------------------------------------------------------------------
# Ownership among several replicas, each of which is alive by its lease.
#
# `Membership` keeps the lease. A replica whose lease is over has lost all its tenures, whatever it
# believes: it drops them and begins anew under another name. It never renews a lease that is over.


RENEWALS_PER_LEASE = 4
"""How often a lease is renewed in its time: three renewals in a row may fail."""

WATCH_EVERY_S = 0.5
"""Seconds between two looks for sessions that are gone."""

TAKEN_AT_ONCE = 10
"""Users whom a replica takes at once: so several replicas share those of a dead one."""

_log = structlog.get_logger(__name__)


class Membership:
    """This process as a replica: `replica` is its name, another one after each lease that was lost."""

    def __init__(
        self,
        registry: Registry,
        *,
        lease_s: float,
        facts: str,
        name: str = "",
        new_id: Callable[[], str] = lambda: secrets.token_hex(4),
    ) -> None:
        """`name` is for people; `on_lost` is called once a lease is over, before the next one begins.

        `on_death` is called, perhaps more than once, when a replica whose session is gone counts as dead.
        """
        self._registry = registry
        self._lease_s = lease_s
        self._facts = facts
        self._name = name
        self._new_id = new_id
        self.replica = ""
        self.draining = False
        self.on_lost: Callable[[], None] = lambda: None
        self.on_death: Callable[[], None] = lambda: None

    async def join(self) -> None:
        """Begin a lease under a new name. Raises `StoreUnavailable`."""
        replica = f"{self._name}-{self._new_id()}" if self._name else self._new_id()
        await self._registry.join(replica, lease_s=self._lease_s, facts=self._facts)
        self.replica = replica

    async def keep(self) -> None:
        """Renew the lease, and look for sessions that are gone, until cancelled."""
        loop = asyncio.get_running_loop()
        due = loop.time() + self._lease_s / RENEWALS_PER_LEASE
        while True:
            await asyncio.sleep(min(WATCH_EVERY_S, self._lease_s / RENEWALS_PER_LEASE))
            try:
                # First: who cannot look for others may still be alive.
                if loop.time() >= due:
                    await self.renew()
                    due = loop.time() + self._lease_s / RENEWALS_PER_LEASE
                dies_in_s = await self._registry.note_sessions()
                if dies_in_s is not None:
                    loop.call_later(dies_in_s, self.on_death)
            except StoreUnavailable as error:
                _log.warning("the lease could not be renewed yet", reason=error.message)
            except Exception:  # noqa: BLE001 - logged; a replica that renews no more is taken for dead
                _log.exception("the lease could not be renewed")

    async def renew(self) -> None:
        """Renew the lease; if it is over, begin anew. Raises `StoreUnavailable`."""
        if self.replica and await self._registry.renew(self.replica, lease_s=self._lease_s):
            return
        if self.replica:
            _log.error("the lease was over; all users are let go", replica=self.replica)
            self.replica = ""
            self.on_lost()
        await self.join()

    async def drain(self) -> None:
        """Take no more users, so that others take those who are given up. Raises `StoreUnavailable`."""
        self.draining = True
        await self._registry.drain(self.replica)

    async def serve_again(self) -> None:
        """Take users again. Raises `StoreUnavailable`."""
        self.draining = False
        await self._registry.drain(self.replica, wanted=False)

    async def leave(self) -> None:
        """End the lease. Raises `StoreUnavailable`."""
        replica, self.replica = self.replica, ""
        if replica:
            await self._registry.leave(replica)


class LeasedOwnership:
    """Claims users for this replica."""

    shared = True

    def __init__(self, registry: Registry, membership: Membership) -> None:
        self._registry = registry
        self._membership = membership
        self._in_doubt = False
        self.tally: Tally = Uncounted()

    async def claim(self, user_id: str) -> Claimed:
        """Return this replica's tenure of a user, which begins now if nobody has to be asked."""
        if not self._membership.replica:
            raise StoreUnavailable("This server is not part of its cluster right now.")
        with self._doubting():
            return await self._registry.claim(user_id, self._membership.replica)

    async def give_up(self, tenure: Tenure) -> None:
        """End a tenure, and tell the other replicas to take the user."""
        for replica in await self._registry.give_up(tenure):
            if replica != self._membership.replica:
                self._registry.tell(replica, Hint("neglected"))

    async def neglected(self, is_here: Callable[[str], bool]) -> frozenset[str]:
        """Return some of the users who have something unfinished and whom nobody looks after, and take them.

        A replica that drains takes no others than those whom it owns already.
        """
        replica, users, unknown = self._membership.replica, set[str](), list[str]()
        if not replica:
            return frozenset()
        with self._doubting():
            if self._in_doubt:
                self._in_doubt = False
                unknown += await self._registry.occupied(replica)
            if not self._membership.draining:
                users |= {*await self._registry.take(replica, most=TAKEN_AT_ONCE)}
        # After the last wait: who has asked here meanwhile is recovered, and in the tenure that lasts.
        users |= {each for each in unknown if not is_here(each)}
        for _ in users:
            self.tally.took_over("neglected")
        return frozenset(users)

    @contextlib.contextmanager
    def _doubting(self) -> Generator[None]:
        """Note that a tenure may have begun of which nobody here knows, since its answer was not received."""
        received = False
        try:
            yield
            received = True
        except OwnedElsewhere:
            received = True
            raise
        finally:
            self._in_doubt |= not received
