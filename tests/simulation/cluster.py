"""Three replicas, their users, and all that may happen to them: the moves that a seed draws from."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from backend.conversation.accepted import Accepted
from backend.conversation.answering import AnsweredAnswer
from backend.domain.errors import BadInput, Conflict, DetourError, NotFound, ShuttingDown, StoreUnavailable
from backend.domain.task import Task
from backend.domain.tool_call import ToolCall
from tests.interruption.parts import SeenOwner
from tests.simulation.database import Database
from tests.simulation.followers import Follower
from tests.simulation.links import Hints, Server
from tests.simulation.replicas import FinalOffice, SimulatedReplica
from tests.simulation.rows import UserRow

REPLICAS = 3
USERS = ("ann", "bob", "dan")
OF_ONE_LANE = ("ann", "dan")
"""Users whose writes go in one group, if one replica has both."""

CLOCKS_S = (0.0, -20.0, 45.0)
"""How far the clocks of the machines are off; another one at each start."""

PATIENCE_S = 15.0
"""Seconds for which a client waits for an answer before it asks elsewhere."""

TRIES = 40
MOST_SECONDS = 300


@dataclass(frozen=True)
class Sent:
    """A message that was accepted: when it was first sent, and when its client learned that it was."""

    client_id: str
    sent_at: float
    told_at: float
    accepted: Accepted


class Watched(Database):
    """A database that sees who writes for whom."""

    def __init__(self, now: Callable[[], float], **options: Any) -> None:
        super().__init__(now, **options)
        self.wrong: list[str] = []

    def wrote(self, user: str, fence: int, row: UserRow) -> None:
        if row.fence != fence:
            self.wrong.append(f"{fence} writes for {user} in the lease {row.fence} of {row.owner}")


class Cluster:
    """Drives replicas over one database, and knows what their users were told."""

    replica_type = SimulatedReplica
    database_type = Watched

    def __init__(self, random: Random, *, kept_states: int = 0) -> None:
        self.random = random
        self.database = self.database_type(asyncio.get_running_loop().time, kept_states=kept_states)
        self.server = Server(self.database, random)
        self.office = FinalOffice(self.database.documents, self.server)
        self.clients = SeenOwner()
        self.accepted: list[Sent] = []
        self.answered: list[tuple[str, AnsweredAnswer]] = []
        self.surprises: list[str] = []
        self.dead: list[SimulatedReplica] = []
        self.ending = False
        self._names = (f"r{number}" for number in itertools.count(1))
        self._ids = (f"m{number}" for number in itertools.count(1))
        self.slots: list[SimulatedReplica] = [self._new_replica() for _ in range(REPLICAS)]
        self.followers = [
            Follower(user, self.database, self.any_serving, random) for user in USERS for _ in range(2)
        ]

    async def start(self) -> "Cluster":
        """Start all replicas, and those who follow."""
        for slot in range(REPLICAS):
            self.clients.spawn_detached(self._keep_running(slot), name="supervisor")
        for each in self.followers:
            self.clients.spawn_detached(each.run(), name="follower")
        await self.any_serving()
        return self

    def _new_replica(self) -> SimulatedReplica:
        name = next(self._names)
        return self.replica_type(name, self.server, self.office, clock_s=self.random.choice(CLOCKS_S))

    async def _keep_running(self, slot: int) -> None:
        """Start a replica, and another one in its place once it is gone."""
        while not self.ending:
            replica = self.slots[slot]
            replica.start()
            await asyncio.wait({replica.gone})
            if not replica.process.killed:
                replica.kill()  # what has ended by itself is not there any more
            self.dead.append(replica)
            if not self.ending:
                await asyncio.sleep(self.random.choice((0.05, 0.5, 2.0)))
                self.slots[slot] = self._new_replica()

    async def any_serving(self) -> SimulatedReplica:
        """Wait for a replica that a balancer would send a client to, and return one of them."""
        give_up_at = asyncio.get_running_loop().time() + MOST_SECONDS
        while not (serving := [each for each in self.slots if each.serving]):
            # Virtual time has no end: without this, a start that fails would be waited for without one.
            failed = [each.starting for each in self.slots]
            assert asyncio.get_running_loop().time() < give_up_at, f"no replica serves: {failed}"
            await asyncio.sleep(0.05)
        return self.random.choice(serving)

    def owner_of(self, user: str) -> int | None:
        """Return the slot of the replica that has a user, None if none of them has."""
        row = self.database.state.users.get(user)
        owner = (row and row.owner) or ""
        return next((at for at, each in enumerate(self.slots) if owner.startswith(f"{each.name}-")), None)

    # --- what users do -------------------------------------------------------------------------------

    def post(self, user: str, message: str, *, slot: int | None = None, **more: Any) -> None:
        """Have a client send a message, again and again until it is told what became of it.

        It goes to the replica in `slot` first, if that one serves.
        """
        at = self.slots[slot] if slot is not None and self.slots[slot].serving else None
        self.clients.spawn_detached(self._post(user, message, at, **more), name=f"post {message}")

    def answer(self, user: str, word: str) -> None:
        """Have a client answer what is asked; what is to be allowed is allowed by "word"."""
        self.clients.spawn_detached(self._answer(user, word), name=f"answer {word}")

    def stop(self, user: str) -> None:
        """Have a client stop what runs."""
        self.clients.spawn_detached(self._once(lambda at: at.runner.stop(user)), name="stop")

    def delete(self, user: str) -> None:
        """Have a client delete a user."""
        self.clients.spawn_detached(self._once(lambda at: at.runner.delete_user(user)), name="delete")

    async def _once(
        self, call: Callable[[SimulatedReplica], Awaitable[Any]], at: SimulatedReplica | None = None
    ) -> Any:
        """Ask a replica; return its answer, its refusal, or None if it says nothing."""
        replica = at or await self.any_serving()

        async def carefully() -> Any:
            try:
                return await call(replica)
            except (BadInput, Conflict, NotFound, ShuttingDown, StoreUnavailable) as refusal:
                return refusal
            except (DetourError, AssertionError, TypeError, RuntimeError, LookupError, ValueError) as error:
                self.surprises.append(repr(error))
                return None

        asked = replica.ask(carefully, name="request")
        await asyncio.wait({asked, replica.gone}, timeout=PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
        return asked.result() if asked.done() and not asked.cancelled() else None

    async def _post(self, user: str, message: str, at: SimulatedReplica | None, **more: Any) -> None:
        loop = asyncio.get_running_loop()
        client_id, sent_at = next(self._ids), loop.time()
        for _ in range(TRIES):
            outcome = await self._once(
                lambda at: at.runner.handle_user_message(user, message, client_id=client_id, **more), at
            )
            at = None
            if isinstance(outcome, Accepted):
                # Of a try before, perhaps; but this is what its client was told first.
                accepted = replace(outcome, duplicate=False)
                self.accepted.append(Sent(client_id, sent_at, loop.time(), accepted))
                return
            if isinstance(outcome, DetourError) and not isinstance(outcome, StoreUnavailable | ShuttingDown):
                return
            await asyncio.sleep(self.random.choice((0.05, 0.3, 1.0)))

    async def _answer(self, user: str, word: str) -> None:
        snapshot = await self.database.documents.snapshot(user, history=0)
        if snapshot is None or not snapshot.inputs:
            return
        asked = snapshot.inputs[0]
        given: dict[str, Any] = {"answer": {"answer": word}}
        if asked.kind == "permission":
            given = {"decision": {"word": "allow", "other": "deny"}[word]}
        outcome = await self._once(lambda at: at.runner.answer(user, asked.request_id, **given))
        if isinstance(outcome, dict):
            self.answered.append((word, outcome))

    # --- what goes wrong -----------------------------------------------------------------------------

    def kill(self, slot: int) -> None:
        """Kill a replica; another one starts in its place."""
        self.slots[slot].kill()

    def freeze(self, slot: int, seconds: float) -> None:
        """Freeze a replica for a while."""
        process = self.slots[slot].process
        if not process.frozen:
            process.freeze()
            self.server.later(seconds, self._wake, self.slots[slot])

    def _wake(self, replica: SimulatedReplica) -> None:
        if not replica.process.killed:
            replica.process.wake()

    def cut(self, slot: int, seconds: float) -> None:
        """Cut a replica from the database for a while; its users reach it."""
        link = self.slots[slot].link
        link.cut()
        self.server.later(seconds, link.mend)

    def cut_hints(self, slot: int, seconds: float) -> None:
        """Cut a replica from hints alone."""
        link = self.slots[slot].link
        link.hints_are_cut = True
        self.server.later(seconds, link.mend)

    def restart_database(self, seconds: float, *, lost: int | None = None) -> None:
        """Have the database away for a while; or have a standby take its place that lacks so many commits."""
        if self.server.up:
            self.server.go_down()
            if lost is not None:
                self.database.fail_over(lost)
            self.server.later(seconds, self.server.come_up)

    # --- the end -------------------------------------------------------------------------------------

    async def heal(self) -> None:
        """Mend all that is broken."""
        self.server.hints = Hints()
        self.server.come_up()
        for each in self.slots:
            each.link.mend()
            if not each.process.killed and each.process.frozen:
                each.process.wake()

    async def quiet(self) -> None:
        """Wait until nothing is under way, with all that is asked answered."""
        await self.heal()
        busy: Sequence[str] = ()
        for _ in range(MOST_SECONDS):
            busy = await self._busy()
            if not busy:
                return
            if not len(self.clients) > REPLICAS + len(self.followers):
                for user in USERS:
                    self.answer(user, "word")
            await asyncio.sleep(1)
        raise AssertionError(f"it never came to an end: {busy}")

    async def _busy(self) -> Sequence[str]:
        """Return what is still to come to an end."""
        busy = [
            f"{user} is occupied: {row}" for user, row in self.database.state.users.items() if row.occupied
        ]
        for user, kept in self.database.state.kept.items():
            open_tasks = [task for task in kept.ordered(Task) if not task.status.terminal]
            busy += [f"{task.task_id} of {user} is {task.status}" for task in open_tasks]
            busy += [f"{each.call_id} is unsettled" for each in kept.ordered(ToolCall) if each.left_open]
        waiting = len(self.clients) - REPLICAS - len(self.followers)
        if waiting > 0:
            busy.append(f"{waiting} clients wait")
        busy += [missing for each in self.followers if (missing := await each.missing())]
        return busy

    async def end(self) -> None:
        """End everything, unseen."""
        self.ending = True
        for follower in self.followers:
            follower.leaving = True
        for each in self.slots:
            each.kill()
        for follower in self.followers:
            follower.turn_away()
        await self.clients.finish(grace_s=60)
        for each in self.dead:
            await each.bury()
