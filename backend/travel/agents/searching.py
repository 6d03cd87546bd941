"""An agent that searches: it asks for what is missing, then searches for what is understood."""

from typing import Any, Protocol

from langgraph.runtime import Runtime

from ..understanding.english.wording import requested_in_words
from ..understanding.queries import QUERIES
from ..understanding.result import Agent
from .ideas import with_ideas
from .questions import ask_what_is_missing, missing_of
from .search_step import outcome_of, search
from .state import AgentOutcome, AgentState, TravelRun
from .with_model.agreed import has_unread
from .with_model.reading import read_beside
from .with_model.searching import needs_more, search_further


class Node(Protocol):
    """A node of the graph."""

    async def __call__(self, state: AgentState, runtime: Runtime[TravelRun]) -> dict[str, Any]:
        """Return what the node adds to the state."""
        ...


def searching_node(agent: Agent) -> Node:
    """Return the node of an agent that has slots."""

    async def node(state: AgentState, runtime: Runtime[TravelRun]) -> dict[str, Any]:
        return await _search_for(agent, runtime.context)

    return node


async def reading_node(state: AgentState, runtime: Runtime[TravelRun]) -> dict[str, Any]:
    """Have a model read the message beside the searches, and search as the agents that it adds."""
    run = runtime.context
    try:
        if run.model is not None and not run.is_read.is_set():
            await read_beside(run, run.model, state["message"])
    finally:
        run.is_read.set()
    added: list[Agent] = [agent for agent in run.understanding.agents if agent not in state["agents"]]
    outcomes: dict[str, AgentOutcome] = {}
    for agent in added:
        outcomes |= (await _search_for(agent, run))["outcomes"]
    return {"outcomes": outcomes}


async def _search_for(agent: Agent, run: TravelRun) -> dict[str, Any]:
    """Search for what is understood, and again where a model has read the message otherwise meanwhile.

    Where facts are missing, and words were left unread, the model has its time first: it may know them.
    """
    if missing_of(agent, run.understanding) and has_unread(run.understanding):
        await run.is_read.wait()
    ideas = await with_ideas(run) if agent == "flight" else ""
    ask_what_is_missing(agent, run, ideas=ideas)
    while query := QUERIES[agent](run.understanding):
        if not run.context.stopped(agent):
            # Again, since answers may have changed it.
            run.context.declare(agent, requested_in_words(agent, run.understanding))
        call, is_whole = await search(agent, run, query)
        await run.is_read.wait()
        if QUERIES[agent](run.understanding) != query:
            continue
        if run.model is not None and run.searches_further and needs_more(agent, run):
            await search_further(agent, run, run.model)
        return outcome_of(agent, run, call, is_whole=is_whole)
    if run.context.stopped(agent):
        return {"outcomes": {agent: AgentOutcome(state="stopped", detail="")}}
    run.context.progress(agent, "done", detail="needs to know more")
    return {"outcomes": {agent: AgentOutcome(state="needs_facts", detail="")}}
