"""The lives of a server, one after the other over one store, and the clients that call it."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from backend.domain.errors import BadInput, Conflict, DetourError, NotFound, ShuttingDown, StoreUnavailable
from backend.domain.questions import InputRequest
from tests.interruption.disk import DiskStore, Health
from tests.interruption.parts import Parts, SeenOwner
from tests.stored import changes_in

USERS = ("ann", "bob")

MOST_SECONDS = 400
"""In virtual time: as long as anything may take to end once nothing more happens."""


class Lives(ABC):
    """Runs one server at a time over one `store`. `surprises` are errors that no client may get."""

    def __init__(self, store: DiskStore) -> None:
        self.store = store
        self.clients = SeenOwner()
        self.surprises: list[str] = []
        self._looked_at: tuple[int, int] | None = None
        self._serving = asyncio.Event()
        self.parts = self.new_parts(None)

    @abstractmethod
    def new_parts(self, new_id: Callable[[], str] | None) -> Parts:
        """Return another server; its ids go on from those of the one before."""

    @abstractmethod
    async def check(self) -> None:
        """Check what must hold at any moment."""

    def has_stored(self) -> bool:
        """Return whether anything was stored or lost since this was last asked: else all is checked."""
        before, self._looked_at = self._looked_at, (changes_in(self.store.kept), len(self.store.lost))
        return before != self._looked_at

    @abstractmethod
    def cut_off(self) -> None:
        """Forget what a server that has ended was working on."""

    def hang_up(self) -> None:
        """Let every client go away."""
        for client in self.clients.tasks():
            client.cancel()

    async def kill(self, *, next_lives_s: float | None = None) -> None:
        """Kill the server, and start another; one before that may live only so long, recovering."""
        await self._die()
        if next_lives_s is not None:
            self._replace_server()
            self.clients.spawn_detached(self.parts.open(), name="open")
            await asyncio.sleep(next_lives_s)
            await self._die()
        self._replace_server()
        await self._open()

    async def shut_down(self) -> None:
        """End the server in good order, and start another."""
        self.store.health = Health.WELL
        await self.parts.close()
        assert self.parts.interruptions.running_tasks() == []
        self.cut_off()
        self._replace_server()
        await self._open()

    async def pass_steps(self, steps: int) -> None:
        """Let the loop take so many rounds."""
        for _ in range(steps):
            await asyncio.sleep(0)

    async def quiet(self) -> None:
        """Wait until nothing is under way but to wait for an answer; check every second."""
        for _ in range(MOST_SECONDS):
            await self.check()
            unsettled = self.parts.interruptions.running_tasks()
            conversations = self.parts.runner.conversations
            busy = [each for each in conversations if not each.idle and not each.resting]
            finding_out = self.parts.ledger.standing()["unsettled"]
            if not unsettled and not busy and not finding_out and not len(self.clients):
                return
            await asyncio.sleep(1)
        raise AssertionError(f"it never came to an end: {unsettled} run, {len(busy)} users are busy")

    def sweep(self) -> None:
        """Look for questions whose time is up."""
        self._call(self.parts.runner.sweep_questions)

    def delete(self, user: str) -> None:
        """Have a client delete a user."""
        self._call(lambda: self.parts.runner.delete_user(user))

    async def asked(self, *users: str) -> list[InputRequest]:
        """Return what users are asked."""
        snapshots = [await self.store.snapshot(user, history=0) for user in users]
        return [each for snapshot in snapshots if snapshot for each in snapshot.inputs]

    async def close(self, *, answer_within_s: float) -> None:
        """Let everything come to its end, questions by their time, and end the server."""
        self.store.health = Health.WELL
        await self.quiet()
        while await self.asked(*USERS):
            await asyncio.sleep(answer_within_s)
            self.sweep()
            await self.quiet()
        await self.parts.close()
        assert len(self.parts.owner) == 0
        assert len(self.clients) == 0

    async def disturb(
        self, random: Random, user: str, *, weights: Sequence[int], next_lives_s: Sequence[float | None]
    ) -> None:
        """Let something of the world get in the way, drawn by its weight."""
        [how] = random.choices(["store", "hang up", "delete", "kill", "shut down"], weights=weights)
        match how:
            case "store":
                self.store.health = random.choice([Health.WELL, Health.WELL, Health.BREAKS, Health.REFUSES])
            case "hang up":
                self.hang_up()
            case "delete":
                self.delete(user)
            case "kill":
                await self.kill(next_lives_s=random.choice(next_lives_s))
            case _:
                await self.shut_down()

    async def _die(self) -> None:
        self._serving.clear()
        self.store.lose_process()
        self.store.health = Health.WELL
        self.hang_up()
        await self.parts.die()
        self.cut_off()

    async def _open(self) -> None:
        await self.parts.open()
        self._serving.set()

    def _replace_server(self) -> None:
        self._serving.clear()
        self.parts = self.new_parts(self.parts.new_id)

    def _call(self, call: Callable[[], Any]) -> None:
        self.clients.spawn_detached(self._carefully(call), name="call")

    async def _carefully(self, call: Callable[[], Any]) -> Any:
        """Await a call to a server that serves; what it may raise is an answer, anything else a surprise."""
        while not self._serving.is_set():  # it may have died again by now
            await self._serving.wait()
        try:
            return await call()
        except (BadInput, Conflict, NotFound, ShuttingDown, StoreUnavailable):
            return None
        except (DetourError, AssertionError, TypeError, RuntimeError, KeyError, ValueError) as error:
            self.surprises.append(repr(error))
            return None
