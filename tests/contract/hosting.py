"""Runs a graph as the server does, with a real context, manager and store, and records what it publishes."""

import threading
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from backend.domain.context import InterruptedContext
from backend.domain.events import StoredEvent
from backend.domain.task import Message, Task
from backend.graphs.graph_options import Graph, GraphOptions
from backend.graphs.hosted_graph import HostedGraph
from backend.graphs.loading import GraphSource, named_graphs
from backend.graphs.support import GraphInterface
from backend.interruption_manager import InterruptionManager
from backend.store.event_bus import EventBus
from backend.store.event_log import EventLog
from backend.store.sqlite.memory import MemoryStateStore
from backend.tasks.ledger.ledger import Ledger
from backend.tasks.task_context import MOST_SHOWN
from backend.tasks.task_owner import TaskOwner
from tests.records import ANN, AT, a_task


class Hosting:
    """One task of user ann, answered by a graph; many can have one that was compiled and looked at before."""

    def __init__(
        self,
        graph: Graph | GraphInterface,
        *,
        previous: InterruptedContext | None = None,
        said: Iterable[Message] = (),
        most_shown: int = MOST_SHOWN,
        options: GraphOptions | None = None,
        **task: Any,
    ) -> None:
        self.events: list[dict[str, Any]] = []
        self.store = MemoryStateStore()
        self._said = tuple(said)
        owner = TaskOwner()
        log = EventLog(self.store, EventBus())
        ledger = Ledger(owner, store=self.store, log=log, clock=lambda: AT, new_id=lambda: "call")
        self.manager = InterruptionManager(
            store=self.store,
            log=log,
            ledger=ledger,
            owner=owner,
            clock=lambda: AT,
            task_timeout_s=600,
            most_shown=most_shown,
            answer_within_s=86400,
            allow_within_s=900,
        )
        if not isinstance(graph, GraphInterface):
            graph = GraphInterface(graph, options or GraphOptions())
        self.workflow = HostedGraph(ledger=ledger, owner=owner)
        self.workflow.serve(graph)
        self.context = self.manager.create_task_context(a_task(**task), previous=previous)

    async def reply(self) -> str:
        """Run the graph to its end; its reply, or what it raises."""
        await self._open()
        return await self.workflow.run(self.context)

    async def start(self) -> None:
        """Let the manager run and supervise the task."""
        await self._open()
        self.manager.start(self.context, self.workflow.run)

    async def _open(self) -> None:
        await self.store.open(self._keep)
        self.store.record(ANN, *self._said)

    async def ended(self) -> Task:
        """The task, once it has settled."""
        await self.manager.wait_settled(self.context.task_id)
        return self.context.task

    async def last_message(self) -> str:
        """What the conversation holds last."""
        messages = await self.store.get_messages("ann", limit=1)
        return messages[-1].text

    @property
    def published(self) -> list[tuple[Any, ...]]:
        """Agent updates as (agent, state), and (done, total) if any; partial results as (agent, items)."""
        kinds = {"agent_update": _update, "partial_result": lambda event: (event["agent"], event["items"])}
        return [kinds[event["type"]](event) for event in self.events if event["type"] in kinds]

    @property
    def found(self) -> list[tuple[Any, ...]]:
        """The partial results among `published`."""
        return [each for each in self.published if isinstance(each[1], list)]

    @property
    def updates(self) -> list[tuple[Any, ...]]:
        """The agent updates among `published`."""
        return [each for each in self.published if not isinstance(each[1], list)]

    def _keep(self, _user_id: str, events: Sequence[StoredEvent]) -> None:
        assert (
            threading.current_thread() is threading.main_thread()
        )  # nothing but the loop's may touch a task
        self.events += [orjson.loads(event.frame) for event in events]


def _update(event: dict[str, Any]) -> tuple[Any, ...]:
    steps = (event["done"], event["total"]) if event["total"] else ()
    return (event["agent"], event["state"], *steps)


def load_graph(named: str, options: GraphOptions | None = None) -> GraphSource:
    """Load the graph that a setting names, of several the first."""
    return GraphSource(named_graphs(named)[0], options or GraphOptions())
