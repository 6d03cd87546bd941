"""An agent that searches: it asks for what is missing, then searches for what is understood."""

from typing import Any, Protocol

from langgraph.runtime import Runtime

from ..understanding.queries import QUERIES
from ..understanding.result import Agent
from .ideas import with_ideas
from .model_tools import search_tool
from .questions import ask_what_is_missing
from .search_step import modelled_step
from .state import AgentState, TravelRun


class Node(Protocol):
    """A node of the graph."""

    async def __call__(self, state: AgentState, runtime: Runtime[TravelRun]) -> dict[str, Any]:
        """Return what the node adds to the state."""
        ...


def searching_node(agent: Agent) -> Node:
    """Return the node of an agent that has slots."""

    async def search(state: AgentState, runtime: Runtime[TravelRun]) -> dict[str, Any]:
        run = runtime.context
        ideas = await with_ideas(run) if agent == "flight" else ""
        ask_what_is_missing(agent, run, ideas=ideas)
        tool = run.search_tools[agent]
        query, made = QUERIES[agent](run.understanding), run.searches.get(agent)
        return await modelled_step(agent, run, tool, query, made, [search_tool(agent, tool)])

    return search
