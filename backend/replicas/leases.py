"""Ownership among several replicas, each of which is alive while its lease lasts.

`Membership` renews the lease. A replica whose lease has ended owns nobody any more: it drops its users and
joins again under another name. A lease that has ended is never renewed.
"""

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Literal

import structlog

from ..domain.errors import StoreUnavailable
from ..http.metrics import Metrics
from ..store.ownership import Acquired, Lease, OwnedElsewhere
from .postgres import Hint, PostgresRegistry

REPLY_BUCKETS_S = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0)
"""From a command over a nearby database to the longest wait for an owner that has died."""


class ReplicaFigures:
    """A replica's figures at `/metrics`; `name` and `leases` are read at each scrape."""

    def __init__(self, metrics: Metrics, *, name: Callable[[], str], leases: Callable[[], int]) -> None:
        metrics.gauge("detour_replica_info", "This replica's name.", lambda: {name(): 1}, label="replica")
        metrics.gauge("detour_tenures", "Users in memory, all owned here.", lambda: {"": leases()})
        self._takeovers = metrics.counter(
            "detour_takeovers",
            "Users taken over with something unfinished: `asked` by something of theirs, or `neglected`.",
            "cause",
            values=("asked", "neglected"),
        )
        self._fenced = metrics.counter(
            "detour_fenced", "Users let go because another replica owns them, or may: nothing was stored."
        )
        self._commands = metrics.counter(
            "detour_commands",
            "What users asked of another replica than their owner, by what this replica did with it.",
            "where",
            values=("forwarded", "carried_out"),
        )
        self._replied = metrics.histogram(
            "detour_hint_seconds",
            "From leaving a command for a user's owner until its reply was here.",
            REPLY_BUCKETS_S,
        )

    def reclaimed(self, because: Literal["asked", "neglected"]) -> None:
        """Count a user who was taken over with something unfinished: by a request, or without an owner."""
        self._takeovers.labels(because).inc()

    def fenced(self) -> None:
        """Count a user who was dropped because another replica owns it, or may."""
        self._fenced.inc()

    def commanded(self, where: Literal["forwarded", "carried_out"]) -> None:
        """Count a command that was sent to another replica, or carried out for one."""
        self._commands.labels(where).inc()

    def replied(self, seconds: float) -> None:
        """Record the time from sending a command to its reply."""
        self._replied.observe(seconds)


RENEWALS_PER_LEASE = 4
"""How often a lease is renewed in its time: three renewals in a row may fail."""

WATCH_EVERY_S = 0.5
"""Seconds between two looks for sessions that are gone."""

RECLAIMED_AT_ONCE = 10
"""Users whom a replica takes at once: so several replicas share those of a dead one."""

_log = structlog.get_logger(__name__)


class Membership:
    """This process as a replica: `replica` is its name, another one after each lease that was lost."""

    def __init__(
        self,
        registry: PostgresRegistry,
        *,
        lease_s: float,
        name: str = "",
    ) -> None:
        """`name` is for people; `on_lost` is called when a lease has ended, before the next one begins.

        `on_death` is called, perhaps more than once, when another replica counts as dead.
        """
        self._registry = registry
        self._lease_s = lease_s
        self._name = name
        self._new_id: Callable[[], str] = lambda: secrets.token_hex(4)
        self.replica = ""
        self.draining = False
        self.on_lost: Callable[[], None] = lambda: None
        self.on_death: Callable[[], None] = lambda: None

    async def join(self) -> None:
        """Begin a lease under a new name. Raises `StoreUnavailable`."""
        replica = "-".join(filter(None, (self._name, self._new_id())))
        await self._registry.join(replica, lease_s=self._lease_s)
        self.replica = replica

    async def keep(self) -> None:
        """Renew the lease, and look for sessions that are gone, until cancelled."""
        loop = asyncio.get_running_loop()
        due = loop.time() + self._lease_s / RENEWALS_PER_LEASE
        while True:
            await asyncio.sleep(min(WATCH_EVERY_S, self._lease_s / RENEWALS_PER_LEASE))
            try:
                # First: a replica that cannot look for others may still be alive.
                if loop.time() >= due:
                    await self.renew()
                    due = loop.time() + self._lease_s / RENEWALS_PER_LEASE
                dies_in_s = await self._registry.note_sessions()
                if dies_in_s is not None:
                    loop.call_later(dies_in_s, self.on_death)
            except StoreUnavailable as error:
                _log.warning("the lease could not be renewed yet", reason=error.message)
            except Exception:  # noqa: BLE001 - logged; a replica that stops renewing counts as dead
                _log.exception("the lease could not be renewed")

    async def renew(self) -> None:
        """Renew the lease; if it has ended, begin another one. Raises `StoreUnavailable`."""
        if self.replica and await self._registry.renew(self.replica, lease_s=self._lease_s):
            return
        if self.replica:
            _log.error("the lease had ended; all users are dropped", replica=self.replica)
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

    async def follow(self, user_id: str) -> None:
        """Have this replica sent hints of a user's events. Raises `StoreUnavailable`."""
        await self._registry.follow(user_id, self.replica)

    async def unfollow(self, user_id: str) -> None:
        """Have it sent no more of them. Raises `StoreUnavailable`."""
        await self._registry.unfollow(user_id, self.replica)

    async def writes_of(self, user_ids: Sequence[str]) -> Mapping[str, int]:
        """Return how many writes there were of each of these users. Raises `StoreUnavailable`."""
        return await self._registry.writes_of(user_ids)


class LeasedOwnership:
    """Claims users for this replica."""

    shared = True
    tally: ReplicaFigures

    def __init__(self, registry: PostgresRegistry, membership: Membership) -> None:
        self._registry = registry
        self._membership = membership
        self._in_doubt = False

    async def acquire(self, user_id: str) -> Acquired:
        """Return this replica's lease of a user, which begins now if no other replica is at work."""
        if not self._membership.replica:
            raise StoreUnavailable("This server is not part of its cluster right now.")
        with self._doubting():
            return await self._registry.acquire(user_id, self._membership.replica)

    async def give_up(self, lease: Lease) -> None:
        """End a lease, and tell the other replicas to take the user."""
        for replica in await self._registry.give_up(lease):
            if replica != self._membership.replica:
                self._registry.tell(replica, Hint("neglected"))

    async def reclaim(self, is_here: Callable[[str], bool]) -> frozenset[str]:
        """Take some of the users without an owner who have something unfinished, and return them.

        A replica that drains takes only users whom it owns already.
        """
        replica, users, unknown = self._membership.replica, set[str](), list[str]()
        if not replica:
            return frozenset()
        with self._doubting():
            if self._in_doubt:
                self._in_doubt = False
                unknown += await self._registry.in_use(replica)
            if not self._membership.draining:
                users |= {*await self._registry.reclaim(replica, most=RECLAIMED_AT_ONCE)}
        # After the last wait: a user who has sent a request meanwhile is recovered by that.
        users |= {each for each in unknown if not is_here(each)}
        for _ in users:
            self.tally.reclaimed("neglected")
        return frozenset(users)

    @contextlib.contextmanager
    def _doubting(self) -> Generator[None]:
        """Remember that a lease may have begun unnoticed, if the answer is not received."""
        received = False
        try:
            yield
            received = True
        except OwnedElsewhere:
            received = True
            raise
        finally:
            self._in_doubt |= not received
