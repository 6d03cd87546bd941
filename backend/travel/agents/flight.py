"""The flight agent."""

from typing import Any

from langgraph.runtime import Runtime

from ..understanding.queries import flight_query
from .model_tools import flight_search_tool
from .questions import ask_what_is_missing
from .search_step import modelled_step
from .state import AgentState, TravelRun


async def flight_node(state: AgentState, runtime: Runtime[TravelRun]) -> dict[str, Any]:
    """Search flights for what is understood; ask where it is not enough."""
    ask_what_is_missing("flight", runtime.context)
    query = flight_query(runtime.context.understanding)
    made = runtime.context.searches.flight
    search = runtime.context.search_flights
    return await modelled_step("flight", runtime.context, search, query, made, [flight_search_tool(search)])
