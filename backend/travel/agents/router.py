"""The router: which agents a message needs."""

from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from ..understanding.english.titles import requested_in_words
from ..understanding.queries import invalidated
from ..understanding.result import Agent, Understanding
from .earlier_offers import earlier_offer
from .state import AgentState, TravelRun


def with_agents_cut_short(understanding: Understanding, before: Understanding) -> Understanding:
    """Add the agents that a message cuts short though it still wants what they were looking for.

    "And hotels there", said while flights are searched, wants both; "forget the hotel" does not.
    """
    if understanding.relation not in ("add", "refine"):
        return understanding
    cut_short = tuple(
        agent
        for agent in before.agents
        if agent in understanding.wanted and agent not in understanding.agents
    )
    return replace(understanding, agents=tuple(sorted(understanding.agents + cut_short)))


def with_agents_at_hand(understanding: Understanding, before: Understanding) -> Understanding:
    """Add the agents whose search a message leaves as it was: what they have found is shown with the rest.

    "Only 4-star hotels" is about the hotels; the flights are wanted still, and found again at once.
    """
    if understanding.relation not in ("add", "refine") or understanding.booking or not understanding.agents:
        return understanding
    out_of_date = invalidated(before, understanding)
    at_hand = tuple(
        agent
        for agent in before.searched
        if agent in understanding.wanted and agent not in (*understanding.agents, *out_of_date)
    )
    return replace(understanding, agents=tuple(sorted(understanding.agents + at_hand)))


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
