"""The router: which agents a message needs."""

from typing import Any

from langgraph.runtime import Runtime

from ..understanding.english.wording import requested_in_words
from ..understanding.result import Agent
from .earlier_offers import earlier_offer
from .state import AgentState, TravelRun


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
