"""The travel graph: router; the agents that search in parallel, or the planner; booking agent; assembler.

    router -> flight | hotel | car, or planner -> booking, if something is to be booked -> assembler
           -> reading, beside these, if there is a model

One graph thread is one task. What is special to a task reaches the nodes through the run's context, never
through state or globals. Partial results leave through it as well, so nothing is consumed from a stream.
"""

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from .agents.booking import booking_node
from .agents.choosing import earlier_offer
from .agents.response import response_assembler_node
from .agents.searching import planner_node, reading_node, searching_node
from .agents.state import AgentState, TravelRun
from .understanding.english.wording import requested_in_words
from .understanding.result import Agent
from .understanding.slot_table import SLOTS

Graph = CompiledStateGraph[AgentState, TravelRun, AgentState, AgentState]


def build_graph() -> Graph:
    """Return the compiled travel graph."""
    graph = StateGraph(AgentState, context_schema=TravelRun)
    graph.add_node("router_node", router_node)
    for agent in SLOTS:
        graph.add_node(node_of(agent), searching_node(agent))
    graph.add_node("reading_node", reading_node)
    graph.add_node("planner_node", planner_node)
    graph.add_node("booking_node", booking_node)
    graph.add_node("response_assembler_node", response_assembler_node)
    graph.add_edge(START, "router_node")
    # The choice is async: LangGraph runs a plain function on an edge in a thread, at every run.
    then = ["booking_node", "response_assembler_node"]
    searches = [*(node_of(agent) for agent in SLOTS), "reading_node"]
    graph.add_conditional_edges("router_node", chosen_agents, [*searches, "planner_node", *then])
    for node in searches:
        graph.add_conditional_edges(node, after_searching, then)
    graph.add_edge("planner_node", "response_assembler_node")
    graph.add_edge("booking_node", "response_assembler_node")
    graph.add_edge("response_assembler_node", END)
    return graph.compile()


async def router_node(state: AgentState, runtime: Runtime[TravelRun]) -> dict[str, Any]:
    """Announce the agents that the message needs."""
    run = runtime.context
    for agent in state["agents"]:
        run.context.declare(agent, requested_in_words(agent, run.understanding))
    earlier = await earlier_offer(run)
    return {"books": run.understanding.booking is not None, "earlier": earlier}


async def chosen_agents(state: AgentState, runtime: Runtime[TravelRun]) -> list[str]:
    """Return the nodes to run next: the chosen agents in parallel, or what comes after them.

    A model reads the message beside them. An offer of an earlier request is booked beside the searches, since
    none of them has to find it.
    """
    nodes = [node_of(agent) for agent in state["agents"]]
    if not runtime.context.is_read.is_set():
        nodes.append("reading_node")
    if state.get("earlier"):
        return [*nodes, "booking_node"]
    return nodes or [await after_searching(state, runtime)]


def node_of(agent: Agent) -> str:
    """Return the name of an agent's node in the graph, which checkpoints hold."""
    return f"{agent}_node"


async def after_searching(state: AgentState, runtime: Runtime[TravelRun]) -> str:
    """Return the node that comes after the searches: the booking agent if there is something to book.

    That may be what a model has read in the message, which no node of the searches outlasts.
    """
    # Checkpoints from before there were bookings lack this field; such a run continues without a booking.
    is_next = (state.get("books") or runtime.context.understanding.booking) and not state.get("earlier")
    return "booking_node" if is_next else "response_assembler_node"
