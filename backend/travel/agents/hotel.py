"""The hotel agent."""

from typing import Any

from langgraph.runtime import Runtime

from ..understanding.queries import hotel_query
from .model_tools import hotel_search_tool
from .questions import ask_what_is_missing
from .search_step import modelled_step
from .state import AgentState, TravelRun


async def hotel_node(state: AgentState, runtime: Runtime[TravelRun]) -> dict[str, Any]:
    """Search hotels for what is understood; ask where it is not enough."""
    ask_what_is_missing("hotel", runtime.context)
    query = hotel_query(runtime.context.understanding)
    made = runtime.context.searches.hotel
    search = runtime.context.search_hotels
    return await modelled_step("hotel", runtime.context, search, query, made, [hotel_search_tool(search)])
