"""The router: which agents a message needs."""

from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from backend.agents.state import AgentState, TravelRun
from backend.understanding.result import Understanding


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


async def router_node(state: AgentState, runtime: Runtime[TravelRun]) -> dict[str, Any]:
    """Announce the agents that the message needs."""
    task = runtime.context.task
    for agent in state["agents"]:
        if agent not in task.agents:  # else it goes on with what was taken over
            task.progress(agent, "waiting")
    return {}


async def chosen_agents(state: AgentState) -> list[str]:
    """Return the nodes to run next: the chosen agents in parallel, or the assembler at once."""
    return [f"{agent}_node" for agent in state["agents"]] or ["response_assembler_node"]
