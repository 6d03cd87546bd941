"""One process as a replica, among several that share a database.

A replica claims its users, sends commands to the owners of the others, and fetches the events that these
store.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence

import structlog

from ..domain.errors import StoreUnavailable
from ..http.metrics import Metrics
from ..http.settings import Settings
from ..store.postgres.levels import PostgresLevels
from ..store.postgres.store import PostgresStateStore
from ..store.retry import until_available
from ..tasks.task_owner import TaskOwner
from .fetching import FetchingEventBus
from .forwarding import ForwardingManager
from .leases import LeasedOwnership, Membership, ReplicaFigures
from .postgres import Hint, PostgresRegistry

LOOK_EVERY_S = 1.0
"""Seconds between two looks for users without an owner, and for commands whose hints were lost."""

CATCH_UP_EVERY_S = 5.0
"""Seconds between two looks for events whose hints were lost, and for users taken by others."""

_log = structlog.get_logger(__name__)


def postgres_store(settings: Settings, address: str, owner: TaskOwner) -> PostgresStateStore:
    """Return the store of a replica, with these settings."""
    return PostgresStateStore(
        address,
        owner.spawn,
        keep_events=settings.events_kept,
        apply_migrations=settings.migrate,
        direct=settings.postgres_direct.get_secret_value() if settings.postgres_direct else "",
        pooled=settings.prepares_nothing,
        beside=settings.schemas,
    )


class Replica:
    """The parts of a server that differ for a replica."""

    def __init__(
        self, store: PostgresStateStore, owner: TaskOwner, *, name: str, lease_s: float, polls: bool = False
    ) -> None:
        """`owner` holds the asyncio tasks that end after all others. With `polls`, hints are polled."""
        self._store = store
        self._tasks = owner
        self.lease_s = lease_s
        self.registry = PostgresRegistry(store.database.connect_directly, owner.spawn, polls=polls)
        self.levels = PostgresLevels(store.database.connect, owner.spawn)
        self.membership = Membership(self.registry, lease_s=lease_s, name=name)
        self.ownership = LeasedOwnership(self.registry, self.membership)
        self.bus = FetchingEventBus(
            store, self.membership, lambda work: owner.spawn_detached(work, name="fetch events")
        )
        self._neglected = asyncio.Event()
        self._missed = asyncio.Event()
        self._catch_up_at = 0.0
        self._manager: ForwardingManager | None = None
        store.on_followed = self._tell_followers
        self.registry.hints.heard = self._heard
        self.registry.hints.reread = self._reread
        self.membership.on_lost = self._lost
        self.membership.on_death = self._neglected.set

    def is_alive(self) -> bool:
        """Return whether it may own users: its lease lasts."""
        return bool(self.membership.replica)

    @contextlib.asynccontextmanager
    async def life(self, manager: ForwardingManager, metrics: Metrics) -> AsyncGenerator[None, None]:
        """Be one of the replicas. Raises `StoreUnavailable`.

        The store must be opened before, and closed before this ends: once the lease has ended, other replicas
        may take the users, and the store's writes would be refused.
        """
        self._manager = manager
        manager.tally = self.ownership.tally = ReplicaFigures(
            metrics, name=lambda: self.membership.replica, leases=lambda: len(manager)
        )
        manager.join(self.registry, self.membership, lease_s=self.lease_s)
        self.registry.open()
        self.levels.open()
        await self.membership.join()
        keeping = self._tasks.spawn_detached(self.membership.keep(), name="lease")
        # Apart: recovery may take long, and missed commands and events must not wait for it.
        looks = (
            self._look(self._neglected, manager.reclaim_neglected),
            self._look(self._missed, lambda: self._make_good(manager, metrics)),
        )
        looking = [self._tasks.spawn_detached(each, name="look around") for each in looks]
        try:
            yield
        finally:
            keeping.cancel()
            for each in looking:
                each.cancel()
            with contextlib.suppress(StoreUnavailable):
                await self.membership.leave()
            await self.levels.close()
            await self.registry.close()

    async def _look(self, woken: asyncio.Event, look: Callable[[], Awaitable[None]]) -> None:
        """Look each `LOOK_EVERY_S`, and at once when woken, until cancelled."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_EVERY_S):
                    await woken.wait()
            woken.clear()
            if not self.is_alive():
                continue
            try:
                await look()
            except StoreUnavailable as error:
                _log.warning("neglected users could not be looked for", reason=error.message)
            except Exception:  # noqa: BLE001 - logged; the next look finds neglected users all the same
                _log.exception("neglected users could not be looked for")

    async def _make_good(self, manager: ForwardingManager, metrics: Metrics) -> None:
        """Carry out commands and fetch events whose hints were lost; drop users who were taken.

        Raises `StoreUnavailable`.
        """
        await manager.serve_waiting()
        now = asyncio.get_running_loop().time()
        if now >= self._catch_up_at:
            self._catch_up_at = now + CATCH_UP_EVERY_S
            await self.bus.catch_up()
            await manager.drop_taken(metrics.users)

    def _heard(self, hint: Hint) -> None:
        match hint.kind:
            case "event":
                self.bus.look(hint.user_id)
            case "neglected":
                self._neglected.set()
            case _:
                if self._manager is not None:
                    self._manager.heard(hint)

    def _reread(self) -> None:
        """Look for everything that lost hints may have announced."""
        self.bus.look_at_all()
        self._neglected.set()
        self._missed.set()

    def _lost(self) -> None:
        """Drop all users: the lease has ended. Then follow the same users as before, under the next name."""
        if self._manager is not None:
            for conversation in self._manager.conversations:
                self._manager.end_lease(conversation.lease)
        self._tasks.spawn_detached(self._follow_anew(), name="follow anew")

    async def _follow_anew(self) -> None:
        async def follow_anew() -> None:
            if not self.membership.replica:
                raise StoreUnavailable("This server is not part of its cluster right now.")
            await self.bus.follow_anew()

        await until_available(follow_anew, user_id="")

    def _tell_followers(self, followed: Mapping[str, Sequence[str]]) -> None:
        for user_id, replicas in followed.items():
            for replica in replicas:
                if replica != self.membership.replica:
                    self.registry.tell(replica, Hint("event", user_id))
