"""The hotel agent."""

from typing import Any

from langgraph.runtime import Runtime

from backend.agents.model_tools import hotel_search_tool
from backend.agents.questions import ask_what_is_missing
from backend.agents.search_step import modelled_step
from backend.agents.state import AgentState, TravelRun
from backend.understanding.queries import hotel_query


async def hotel_node(state: AgentState, runtime: Runtime[TravelRun]) -> dict[str, Any]:
    """Search hotels for what is understood; ask where it is not enough."""
    ask_what_is_missing("hotel", runtime.context)
    query = hotel_query(runtime.context.understanding)
    search = runtime.context.search_hotels
    return await modelled_step("hotel", runtime.context, search, query, [hotel_search_tool(search)])
