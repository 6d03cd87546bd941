"""The hotel agent."""

from typing import Any

from langgraph.runtime import Runtime

from backend.agents.questions import ask_what_is_missing
from backend.agents.search_step import search_step
from backend.agents.state import AgentState, TravelRun
from backend.understanding.queries import hotel_query


async def hotel_node(state: AgentState, runtime: Runtime[TravelRun]) -> dict[str, Any]:
    """Search hotels for what is understood; ask where it is not enough."""
    ask_what_is_missing("hotel", runtime.context)
    query = hotel_query(runtime.context.understanding)
    return await search_step("hotel", runtime.context, runtime.context.search_hotels, query)
