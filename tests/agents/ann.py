"""User ann of the travel assistant, whose sources take their time, so that a search can be interrupted."""

import asyncio
from typing import Any

from backend.travel.workflow import TravelWorkflow
from tests.agents.sources import TODAY, Provider, Source, a_flight, a_hotel
from tests.interruption.disk import DiskStore
from tests.interruption.parts import Parts

TOKYO = "Find flights from Berlin to Tokyo on 10 December"
ROME = "Find flights from Paris to Rome on 12 December"


class Ann:
    """User ann of a server whose sources find something every second, four times."""

    def __init__(self) -> None:
        provider = Provider(
            [Source("one", *([a_flight(f"{price}.00")] for price in (590, 600, 610, 620)))],
            [Source("chains", *([a_hotel(f"{price}.00")] for price in (120, 130, 140, 150)))],
        )
        self.workflow = lambda ledger, _owner: TravelWorkflow(provider, ledger, today=lambda: TODAY)
        self.disk = DiskStore()
        self.parts = Parts(workflow=self.workflow, store=self.disk)

    async def say(self, message: str, *, then_wait_s: float = 0.0) -> str:
        task_id = await self.parts.post(message)
        await asyncio.sleep(then_wait_s)
        return task_id

    async def transfer(self, task_id: str) -> dict[str, Any]:
        await asyncio.sleep(0.1)
        [told] = [
            event
            for event in await self.parts.events()
            if event["type"] == "context_transfer" and event["task_id"] == task_id
        ]
        return told

    async def reply(self) -> str:
        await self.parts.quiet()
        return (await self.parts.history())[-1][1]
