"""The flight agent."""

from typing import Any

from langgraph.runtime import Runtime

from backend.agents.model_tools import flight_search_tool
from backend.agents.questions import ask_what_is_missing
from backend.agents.search_step import modelled_step
from backend.agents.state import AgentState, TravelRun
from backend.understanding.queries import flight_query


async def flight_node(state: AgentState, runtime: Runtime[TravelRun]) -> dict[str, Any]:
    """Search flights for what is understood; ask where it is not enough."""
    ask_what_is_missing("flight", runtime.context)
    query = flight_query(runtime.context.understanding)
    search = runtime.context.search_flights
    return await modelled_step("flight", runtime.context, search, query, [flight_search_tool(search)])
