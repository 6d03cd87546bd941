"""The travel graph: router, flight and hotel agent in parallel, response assembler.

One graph thread is one task. What is special to a task reaches the nodes through the run's context, never
through state or globals. Partial results leave through it as well, so nothing is consumed from a stream.
"""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from backend.agents.flight import flight_node
from backend.agents.hotel import hotel_node
from backend.agents.response import response_assembler_node
from backend.agents.router import chosen_agents, router_node, with_agents_cut_short
from backend.agents.state import AgentState, TravelRun
from backend.providers.base import Provider
from backend.task_context import TaskContext
from backend.tools.ledger import Ledger
from backend.tools.search import flight_search, hotel_search
from backend.understanding.codec import from_json, to_json
from backend.understanding.understand import understand
from backend.workflow import Manner, Reading

Graph = CompiledStateGraph[AgentState, TravelRun, AgentState, AgentState]

_MANNERS: Mapping[str, Manner] = {"other": "beside", "stop": "stop"}


def build_graph() -> Graph:
    """Return the compiled travel graph."""
    graph = StateGraph(AgentState, context_schema=TravelRun)
    graph.add_node("router_node", router_node)
    graph.add_node("flight_node", flight_node)
    graph.add_node("hotel_node", hotel_node)
    graph.add_node("response_assembler_node", response_assembler_node)
    graph.add_edge(START, "router_node")
    # The choice is async: LangGraph runs a plain function on an edge in a thread, at every run.
    graph.add_conditional_edges(
        "router_node", chosen_agents, ["flight_node", "hotel_node", "response_assembler_node"]
    )
    graph.add_edge("flight_node", "response_assembler_node")
    graph.add_edge("hotel_node", "response_assembler_node")
    graph.add_edge("response_assembler_node", END)
    return graph.compile()


class TravelWorkflow:
    """Understands travel requests and runs the travel graph for them."""

    def __init__(self, provider: Provider, ledger: Ledger, *, today: Callable[[], date]) -> None:
        self._graph = build_graph()
        self._ledger = ledger
        self._today = today
        self._search_flights = flight_search(provider)
        self._search_hotels = hotel_search(provider)

    def read(self, message: str, previous: Mapping[str, Any] | None, *, unfinished: bool) -> Reading:
        """Understand a message against the request before it."""
        before = from_json(previous["understanding"]) if previous else None
        understanding = understand(message, previous=before, today=self._today())
        if before is not None and unfinished:
            understanding = with_agents_cut_short(understanding, before)
        return Reading(
            relation=understanding.relation,
            manner=_MANNERS.get(understanding.relation, "interrupt"),
            request={"understanding": to_json(understanding)},
            carried=understanding.carried if understanding.agents else (),
            dropped=understanding.dropped,
        )

    async def run(self, context: TaskContext) -> str:
        """Run the graph for a task and return the reply."""
        request: Any = context.task.request
        left = context.previous.to_state() if context.previous else None
        state = AgentState(
            message=context.task.message,
            user_id=context.user_id,
            understanding=from_json(request["understanding"]),
            previous_context=left,
            partial_results=left["partial_results"] if left else {},
            outcomes={},
            response="",
        )
        run = TravelRun(
            task=context,
            ledger=self._ledger,
            search_flights=self._search_flights,
            search_hotels=self._search_hotels,
        )
        thread = RunnableConfig(configurable={"thread_id": context.task_id})
        final = await self._graph.ainvoke(state, thread, context=run)
        return final["response"]
