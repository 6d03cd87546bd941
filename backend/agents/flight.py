"""The flight agent."""

from typing import Any

from langgraph.runtime import Runtime

from backend.agents.search_step import search_step
from backend.agents.state import AgentState, TravelRun
from backend.understanding.queries import flight_query


async def flight_node(state: AgentState, runtime: Runtime[TravelRun]) -> dict[str, Any]:
    """Search flights for what is understood."""
    query = flight_query(state["understanding"])
    return await search_step("flight", runtime.context, runtime.context.search_flights, query)
