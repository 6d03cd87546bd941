"""The replicas of a simulated cluster: each is a process with all that a server has behind its routes."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any

from backend.domain.encoding import Clock
from backend.domain.errors import BookingRefused, StoreUnavailable
from backend.http.metrics import Metrics
from backend.replicas.forwarding import ForwardingManager
from backend.replicas.replica import Replica
from backend.tasks.ledger.ledger import Ledger
from backend.tasks.task_context import TaskContext
from backend.tasks.task_owner import TaskOwner
from tests.interruption.office import Effect, Office
from tests.interruption.parts import Parts, SeenOwner
from tests.interruption.script import Script
from tests.model_store import ModelStore as Kept
from tests.simulation.links import Link, Server
from tests.simulation.processes import Process
from tests.simulation.store import ModelStore
from tests.virtual_time import virtual_clock

LEASE_S = 3.0
TIMES = {"task_timeout_s": 30, "answer_within_s": 40, "allow_within_s": 40}
GRACE_S = 5.0


class FinalOffice(Office):
    """Whoever books for the cluster: what it has said not to have done, it refuses from then on.

    What it was sent it does even where the sender is frozen, or has died since.
    """

    is_final = True

    def __init__(self, kept: Kept, server: Server) -> None:
        super().__init__(kept)
        self._server = server

    def _arrived(self, user_id: str, call_id: str, what: str, price: int) -> Effect:
        if call_id in self._refused:
            if self.is_final:
                raise BookingRefused("It was said not to be done.")
            self._refused.discard(call_id)
        return super()._arrived(user_id, call_id, what, price)

    def _do_later(self, seconds: float, effect: Effect) -> None:
        self._server.later(seconds, self._done, effect)


class ClusterScript(Script):
    """A script of which others may have ended what it began: what rests in an earlier lease is no work."""

    async def run(self, context: TaskContext) -> str | None:
        self.contexts = [each for each in self.contexts if each.task_id in self.running]
        return await super().run(context)


def _apart(clock: Clock, seconds: float) -> Clock:
    return lambda: clock() + timedelta(seconds=seconds)


class SimulatedReplica(Parts):
    """One replica, from its start to its end; `gone` is done once it has died or ended."""

    runner_type = ForwardingManager
    runner: ForwardingManager

    def __init__(
        self,
        name: str,
        server: Server,
        office: Office,
        *,
        clock_s: float = 0.0,
        workflow: Callable[[Ledger, TaskOwner], Any] | None = None,
    ) -> None:
        self.process = Process(name)
        self.infrastructure = SeenOwner()
        self.link = Link(server, self.process.context)
        store = ModelStore(self.link, self.infrastructure.spawn)
        self.replica = Replica(store, self.infrastructure, name=name, lease_s=LEASE_S)
        self.replica.membership._new_id = (f"{number}" for number in itertools.count(1)).__next__
        self.gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.serving = False
        self.starting: asyncio.Task[Any] | None = None
        self.script = ClusterScript(office)
        self._requests = SeenOwner()
        self._life = AsyncExitStack()
        ids = itertools.count(1)
        super().__init__(
            store,
            workflow=workflow or self.script.wire,
            clock=_apart(virtual_clock(), clock_s),
            new_id=lambda: f"{name}-{next(ids)}",
            **TIMES,
        )

    def new_bus(self) -> Any:
        return self.replica.bus

    def new_ownership(self) -> Any:
        return self.replica.ownership

    @property
    def name(self) -> str:
        return self.process.name

    def start(self) -> None:
        """Begin to serve, soon."""
        self.starting = self.ask(self._serve, name="serve")

    def ask(self, call: Callable[[], Awaitable[Any]], *, name: str) -> "asyncio.Task[Any]":
        """Have it do something that comes from outside, in its own time."""

        async def request() -> Any:
            return await call()

        def begin() -> asyncio.Task[Any]:
            return self._requests.spawn(request(), name=name)

        return self.process.context.copy().run(begin)

    async def _serve(self) -> None:
        """Start as `main.Detour.life` does; a database that does not answer ends it."""
        try:
            await self.log.open(self.runner.end_lease)
            metrics = Metrics(clock=virtual_clock())
            await self._life.enter_async_context(self.replica.life(self.runner, metrics))
            await self.runner.begin_recovery()
        except StoreUnavailable:
            self._is_over()
            return
        self.owner.spawn_detached(self.runner.recover_users(), name="recovery")
        self._sweeper = self.owner.spawn_detached(self.runner.expire_questions(), name="question sweeper")
        self.serving = True

    async def _end(self) -> None:
        await self.runner.close(grace_s=GRACE_S)
        self._sweeper.cancel()
        await self.owner.finish(grace_s=GRACE_S)
        await self._life.aclose()
        await self.store.close()
        await self.infrastructure.finish(grace_s=GRACE_S)
        self._is_over()

    def end(self) -> None:
        """Begin to end in good order, as on SIGTERM."""
        if self.serving:
            self.serving = False
            self.ask(self._end, name="end")

    def kill(self) -> None:
        """End at once: nothing of it runs any more, and its connections break."""
        self.process.kill()
        self.link.end()
        self._is_over()

    def _is_over(self) -> None:
        self.serving = False
        if not self.gone.done():
            self.gone.set_result(None)

    async def bury(self) -> None:
        """Let what is left of a killed one end, unseen: the loop would report it."""
        self.process.wake()
        owners = (self._requests, self.owner, self.infrastructure)
        while any(len(each) for each in owners):
            for each in owners:
                await each.finish(grace_s=0.01)
