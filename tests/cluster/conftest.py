"""Replicas of the core in one process, over a real database: each with connections and tasks of its own."""

import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

import asyncpg
import pytest

from backend.domain.encoding import system_clock
from backend.domain.task import task_id_factory
from backend.http.metrics import Metrics
from backend.replicas.forwarding import ForwardingManager
from backend.replicas.replica import Replica
from backend.store.postgres.store import PostgresStateStore
from backend.tasks.task_owner import TaskOwner
from tests.fakes.waiting import until
from tests.interruption.parts import Parts
from tests.interruption.script import Script
from tests.postgres import as_owner

BOUND_S = 20.0

S = TypeVar("S", bound=ThreadingHTTPServer)


class ReplicaParts(Parts):
    """The core of one replica."""

    runner_type = ForwardingManager
    runner: ForwardingManager

    def __init__(
        self, address: str, name: str, script: Script, *, lease_s: float = 30.0, polls: bool = False
    ) -> None:
        self.infrastructure = TaskOwner()
        self.script = script
        self._address, self._polls = address, polls
        store = PostgresStateStore(address, self.infrastructure.spawn, pooled=polls)
        self.replica = Replica(store, self.infrastructure, name=name, lease_s=lease_s, polls=polls)
        self.observer = self.metrics = Metrics(clock=system_clock)
        self._life = AsyncExitStack()
        super().__init__(
            store, workflow=script.wire, clock=system_clock, new_id=task_id_factory(system_clock)
        )

    def new_bus(self) -> Any:
        return self.replica.bus

    def new_ownership(self) -> Any:
        return self.replica.ownership

    @property
    def name(self) -> str:
        return self.replica.membership.replica

    async def open(self) -> None:
        await self.log.open(self.runner.end_lease)
        await self._life.enter_async_context(self.replica.life(self.runner, self.metrics))
        await self.runner.begin_recovery()
        await self.runner.recover_users()

    async def close(self) -> None:
        await super().close()
        await self._life.aclose()
        await self.store.close()
        await self.infrastructure.finish(grace_s=5)

    async def die(self) -> None:
        """End as a killed process does: whatever it was doing, and its connections with it."""
        while len(self.owner) or len(self.infrastructure):
            await self.infrastructure.finish(grace_s=0.01)
            await self.owner.finish(grace_s=0.01)
        if self._polls:
            await bury(self._address, self.name)  # it has no session whose end would show


@pytest.fixture
def hints() -> str:
    """How replicas hear of each other; a module's parameter of this name goes before."""
    return "listen"


@pytest.fixture
async def new_replica(address: str, hints: str) -> AsyncIterator[Callable[..., Awaitable[ReplicaParts]]]:
    """Start replicas of one cluster."""
    started: list[ReplicaParts] = []

    async def start(name: str, **options: Any) -> ReplicaParts:
        parts = ReplicaParts(address, name, Script(), **{"polls": hints == "poll", **options})
        await parts.open()
        started.append(parts)
        return parts

    yield start
    for parts in started:
        if len(parts.infrastructure):
            await parts.close()


class Quiet(BaseHTTPRequestHandler):
    """Answers each GET with `body`, in silence."""

    def body(self) -> bytes:
        return b""

    def do_GET(self) -> None:
        self.get()

    def get(self) -> None:
        self.answer(self.body())

    def answer(self, body: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""


@contextmanager
def serving_in_thread(server: S) -> Iterator[S]:
    """Serve HTTP in a thread."""
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


async def sql(address: str, statement: str, *values: Any) -> Any:
    """Run a statement as an operator could; return its first value."""
    connection = await asyncpg.connect(as_owner(address))
    try:
        return await connection.fetchval(statement, *values)
    finally:
        await connection.close()


async def bury(address: str, replica: str) -> None:
    """End a replica's lease now."""
    query = "UPDATE detour.replicas SET lease_until = '-infinity', lease = '0' WHERE replica = $1"
    await sql(address, query, replica)


async def not_in_use(address: str, user: str = "ann") -> None:
    """Wait until no replica has anything of a user in memory only."""
    query = "SELECT NOT occupied FROM detour.users WHERE user_id = $1"
    await until(lambda: sql(address, query, user), every_s=0.01)


async def owner_of(address: str, user: str = "ann") -> str | None:
    """Return the replica that owns a user."""
    return await sql(address, "SELECT owner FROM detour.users WHERE user_id = $1", user)


async def ended(parts: Parts, user: str, task_id: str) -> Any:
    """Return a task's record once it has ended."""

    async def read() -> Any:
        task = await parts.store.get_task_metadata(user, task_id)
        return task if task is not None and task.status.terminal else None

    return await until(read)
