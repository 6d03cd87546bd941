"""Servers of hosted graphs, and what they report of user ann."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage

from backend.graphs.graph_options import GraphOptions
from backend.graphs.hosted_graph import HostedGraph
from backend.store.base import StateStore
from backend.tasks.ledger.ledger import Ledger
from backend.tasks.task_owner import TaskOwner
from backend.tasks.user_threads import UserThreads
from tests.fakes.waiting import until
from tests.interruption.disk import DiskStore
from tests.interruption.parts import Parts, started


def hosting(graph: Any, **options: Any) -> Callable[[Ledger, TaskOwner], HostedGraph]:
    """A workflow that runs this graph with these `GraphOptions`."""
    given = GraphOptions(**options)
    return lambda ledger, owner: HostedGraph(graph, ledger=ledger, owner=owner, options=given)


def process(graph: Any, store: StateStore | None = None, like: Parts | None = None, **options: Any) -> Parts:
    """A process that serves a graph; `like` is the one before over the same store."""
    return Parts(store, workflow=hosting(graph, **options), new_id=like.new_id if like else None)


def serving(graph: Any, **options: Any) -> AbstractAsyncContextManager[Parts]:
    """Run a process that serves a graph; the options are those of `process`."""
    return started(process(graph, **options))


@asynccontextmanager
async def serving_threads(graph: Any) -> AsyncIterator[Parts]:
    """Serve a graph in real time, with the server's own threads."""
    asyncio.get_running_loop().set_default_executor(UserThreads())
    async with serving(graph) as parts:
        yield parts


@asynccontextmanager
async def dying(graph: Any, store: DiskStore) -> AsyncIterator[Parts]:
    """Run a process that is killed at the end of the block."""
    async with serving(graph, store=store) as parts:
        yield parts
        store.lose_process()
        await parts.die()


async def until_published(parts: Parts, text: str) -> None:
    """Wait until an event with this text was published."""
    await until(lambda: text in str(parts.bus.published.entries))


async def lines(parts: Parts, task: str) -> list[tuple[str, str, str]]:
    """The calls in a task's receipt, as (tool, outcome, summary)."""
    calls = (await parts.receipt(task))["tool_calls"]
    return [(each["tool"], each["outcome"], each["summary"]) for each in calls]


async def call_states(parts: Parts) -> list[str]:
    """The states of calls that were published, in order."""
    return [event["state"] for event in await parts.events() if event["type"] == "tool_update"]


async def found(parts: Parts, task: str | None = None) -> list[Any]:
    """The items that were published of a task, by default of all."""
    return [
        item
        for event in await parts.events()
        if event["type"] == "partial_result" and task in (None, event["task_id"])
        for item in event["items"]
    ]


async def reply(parts: Parts, message: str, user: str = "ann", **more: Any) -> str:
    """Post a message, and return the last text of the conversation once its task has settled."""
    await parts.settled(await parts.post(message, user=user, **more))
    return (await parts.history(user))[-1][1]


def words(messages: list[BaseMessage]) -> list[tuple[str, str]]:
    """The types and texts of messages."""
    return [(each.type, each.text) for each in messages]


@dataclass
class Served:
    """A server with a graph, and what it reports of user ann.

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
