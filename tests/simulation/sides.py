"""Both sides that must do the same: a real database and its model, each with a store and a registry."""

from random import Random
from typing import Any

import asyncpg

from backend.replicas.postgres import PostgresRegistry
from backend.store.postgres.store import PostgresStateStore
from backend.tasks.task_owner import TaskOwner
from tests.postgres import as_owner
from tests.simulation.database import Database
from tests.simulation.links import Link, Server
from tests.simulation.store import ModelStore

TTL = 1000.0
NOT_LOST_YET = 200.0
"""Seconds by which a session is lost later in the real tables, so that no pause of the test matters."""


class AtOnce(Server):
    """A network that takes no time."""

    def delay_s(self) -> float:
        return 0.0


class Side:
    """A store and a registry over one of the two."""

    store: PostgresStateStore

    def __init__(self, store: PostgresStateStore, owner: TaskOwner) -> None:
        self.owner = owner
        self.store = store
        self.registry = PostgresRegistry(store.database.connect_directly, owner.spawn)
        self.heard: list[tuple[str, tuple[str, ...]]] = []

    async def open(self) -> None:
        self.store.on_followed = lambda told: self.heard.extend(
            (user, tuple(by)) for user, by in told.items()
        )
        await self.store.open(lambda _user, _events: None)
        self.registry.open()

    async def close(self) -> None:
        await self.registry.close()
        await self.store.close()

    async def ask(self, statement: str, *values: Any) -> Any:
        """Have the registry's own connection carry out a statement."""
        return await self.registry._call(statement, *values)

    async def settle(self, now: float, started_at: float) -> None:
        """Have a lease that has just begun run as the clock of the test says."""

    async def pass_time(self, seconds: float) -> None:
        """Have so much time go by."""

    async def restart(self, locks: list[int]) -> None:
        """Have the server restarted."""


class Real(Side):
    """The side of the real server; what only the owner of its tables may do has a connection of its own."""

    def __init__(self, address: str, owner: TaskOwner) -> None:
        super().__init__(PostgresStateStore(address, owner.spawn), owner)
        self._address = address

    async def open(self) -> None:
        self._of_owner = await asyncpg.connect(as_owner(self._address))
        await super().open()

    async def close(self) -> None:
        await super().close()
        await self._of_owner.close()

    async def owner_asks(self, statement: str, *values: Any) -> None:
        """Change the tables as nobody else may."""
        await self._of_owner.execute(statement, *values)

    async def settle(self, now: float, started_at: float) -> None:
        left = TTL - (now - started_at) if started_at > float("-inf") else -1e6
        await self.owner_asks(
            """UPDATE detour.replicas SET lease = clock_timestamp() - pg_postmaster_start_time()
            + make_interval(secs => $1) WHERE lease = make_interval(secs => $2)""",
            left,
            TTL,
        )
        await self.owner_asks(
            """UPDATE detour.replicas SET lost_at = clock_timestamp() + make_interval(secs => $1)
            WHERE lost_at BETWEEN clock_timestamp() - interval '60 s' AND clock_timestamp()""",
            NOT_LOST_YET,
        )

    async def pass_time(self, seconds: float) -> None:
        await self.owner_asks(
            """UPDATE detour.replicas SET lease_until = lease_until - make_interval(secs => $1),
            lost_at = lost_at - make_interval(secs => $1), lease = lease - make_interval(secs => $1)""",
            seconds,
        )
        await self.owner_asks(
            """UPDATE detour.commands SET at = at - make_interval(secs => $1),
            wanted_until = wanted_until - make_interval(secs => $1)""",
            seconds,
        )

    async def restart(self, locks: list[int]) -> None:
        for lock_id in locks:
            await self.ask("SELECT pg_advisory_unlock(detour.lock_class(), $1)", lock_id)
        await self.owner_asks("UPDATE detour.replicas SET session_at = session_at - interval '10 years'")
        await self.owner_asks(
            """UPDATE detour.replicas SET lease = clock_timestamp() - pg_postmaster_start_time()
            + make_interval(secs => $1)""",
            TTL,
        )

    async def forget_all(self) -> None:
        for table in ("users", "replicas", "commands", "tasks", "messages", "events"):
            await self.owner_asks(f"DELETE FROM detour.{table}")


class Modelled(Side):
    """The side of the model."""

    def __init__(self, owner: TaskOwner) -> None:
        self.now = 0.0
        self.database = Database(lambda: self.now)
        server = AtOnce(self.database, Random(0))
        super().__init__(ModelStore(Link(server, server.context), owner.spawn), owner)

    async def pass_time(self, seconds: float) -> None:
        self.now += seconds

    async def restart(self, locks: list[int]) -> None:
        self.database.restart()
