"""A server with a hosted graph, and what it tells of user ann."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from backend.graphs.hosted_graph import HostedGraph
from backend.tasks.ledger.ledger import Ledger
from backend.tasks.task_owner import TaskOwner
from tests.interruption.parts import Parts


def hosting(graph: Any) -> Callable[[Ledger, TaskOwner], HostedGraph]:
    """A workflow that runs this graph."""
    return lambda ledger, owner: HostedGraph(graph, ledger=ledger, owner=owner)


@dataclass
class Served:
    """A server with a graph, and what it tells of user ann.

    After a message or an answer it waits a moment of virtual time; with `in_real_time`, until nothing of the
    server is under way. LangChain's tools use threads, for which virtual time does not wait.
    """

    parts: Parts
    in_real_time: bool = False

    async def post(self, message: str = "hi") -> str:
        task = await self.parts.post(message)
        await self._wait()
        return task

    async def _wait(self) -> None:
        await (self.parts.quiet() if self.in_real_time else asyncio.sleep(0.1))

    async def questions(self) -> list[dict[str, Any]]:
        snapshot = await self.parts.store.snapshot("ann", history=0)
        return [each.to_wire() for each in snapshot.inputs]

    async def send(self, answer: Any, number: int = 0) -> None:
        """Answer a question with any JSON."""
        [*_, question] = (await self.questions())[: number + 1]
        await self.parts.runner.answer("ann", question["request_id"], answer=answer)
        await self._wait()

    async def answer(self, number: int = 0, **answer: Any) -> None:
        await self.send(answer, number)

    async def reply(self) -> str:
        await self.parts.quiet()
        return (await self.parts.history())[-1][1]

    async def found(self) -> list[Any]:
        events = await self.parts.events()
        return [item for event in events if event["type"] == "partial_result" for item in event["items"]]
