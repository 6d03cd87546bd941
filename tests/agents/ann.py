"""User ann of the travel assistant with scripted sources: says something, and reads what comes back."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Any

from backend.travel.workflow import TravelWorkflow
from tests.agents.sources import TODAY, Provider, Source, a_flight, a_hotel
from tests.interruption.parts import Parts

TOKYO = "Find flights from Berlin to Tokyo on 10 December"
ROME = "Find flights from Paris to Rome on 12 December"
HOTELS = "Hotels in Tokyo from 10 to 11 December"
BOTH = "Flights from Berlin to Tokyo on 10 December, and hotels there for 1 night"


class Ann:
    """User ann of a server, on whose sources four flights and four hotels arrive, one a second."""

    def __init__(
        self,
        flights: Source | None = None,
        hotels: Source | None = None,
        *,
        cars: tuple[Source, ...] = (),
        store: Any = None,
        new_id: Any = None,
        **options: Any,
    ) -> None:
        self.flights = flights or Source(
            "one", *([a_flight(f"{euros}.00")] for euros in (590, 600, 610, 620))
        )
        self.hotels = hotels or Source(
            "chains", *([a_hotel(f"{euros}.00")] for euros in (120, 130, 140, 150))
        )
        provider = Provider([self.flights], [self.hotels], cars)
        self._workflow = lambda ledger, _owner: TravelWorkflow(
            provider, ledger, today=lambda: TODAY, **options
        )
        self.start(store=store, new_id=new_id)

    def start(self, **wiring: Any) -> None:
        """Make the server's process anew; it is still to be opened."""
        self.parts = Parts(workflow=self._workflow, **wiring)

    async def restart_after_kill(self) -> None:
        """Lose the process and what its disk has not kept; open another one over the same disk."""
        disk, new_id = self.parts.store, self.parts.new_id
        disk.lose_process()
        await self.parts.die()
        self.start(store=disk, new_id=new_id)
        await self.parts.open()

    async def send(self, message: str, *, then_wait_s: float | None = None, **more: Any) -> Any:
        """Send a message and wait, until nothing is under way unless told how long."""
        accepted = await self.parts.runner.handle_user_message("ann", message, **more)
        if then_wait_s is None:
            await self.parts.quiet()
        else:
            await asyncio.sleep(then_wait_s)
        return accepted

    async def say(self, message: str, **how: Any) -> str:
        """Send a message, wait, and return its task's id."""
        return (await self.send(message, **how)).task_id

    async def ask(self, message: str, **how: Any) -> str:
        """Send a message, wait, and return the reply."""
        await self.send(message, **how)
        return await self.reply()

    async def reply(self) -> str:
        return (await self.parts.history())[-1][1]

    async def answer(self, **fields: Any) -> None:
        """Fill in the form of the question that was asked first, and wait."""
        [question, *_] = await self.questions()
        await self.parts.runner.answer("ann", question["request_id"], answer=fields)
        await self.parts.quiet()

    async def questions(self) -> list[dict[str, Any]]:
        """Return what is asked now."""
        snapshot = await self.parts.store.snapshot("ann", history=0)
        return [each.to_wire() for each in snapshot.inputs]

    async def events(self, kind: str, task_id: str | None = None) -> list[dict[str, Any]]:
        """Return the events of a kind, of one task or of all."""
        return [
            each
            for each in await self.parts.events()
            if each["type"] == kind and task_id in (None, each["task_id"])
        ]

    async def transfer(self, task_id: str) -> dict[str, Any]:
        """Return what a task was handed of the one before it."""
        [event] = await self.events("context_transfer", task_id)
        return event

    async def shown(self, task_id: str, agent: str = "flight") -> list[str]:
        """Return the ids of the offers that a task has shown, in order."""
        events = await self.events("partial_result", task_id)
        return [item["offer_id"] for each in events if each["agent"] == agent for item in each["items"]]

    @property
    def searches(self) -> tuple[int, int]:
        """How often the sources of flights and of hotels were asked."""
        return len(self.flights.asked), len(self.hotels.asked)


@contextlib.asynccontextmanager
async def opened(ann: Ann) -> AsyncGenerator[Ann]:
    """Open ann's server while the test lasts."""
    await ann.parts.open()
    yield ann
    await ann.parts.close()
