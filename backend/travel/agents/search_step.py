"""What the agents that search have in common: search, or say why not."""

from collections.abc import Sequence
from datetime import date
from typing import Any, TypeVar

from ...domain.tool_call import ToolCall, call_key
from ..searches import Searches
from ..tools.itinerary import PLAN_ITINERARY
from ..tools.search import FLIGHT_SEARCH, HOTEL_SEARCH, SearchTool, fitting, has_more
from ..understanding.queries import tour_query
from ..understanding.requested import requested
from ..understanding.result import Agent, Understanding
from .model_loop import let_model_work
from .model_tools import ModelTool
from .state import AgentOutcome, TravelRun

Q = TypeVar("Q")


async def search_step(
    agent: Agent, run: TravelRun, tool: SearchTool[Q], query: Q | None, made: Q | None = None
) -> dict[str, Any]:
    """Run an agent's search and return how it ended; a query of None means that facts are missing.

    `made` is a search that was made before and finds all that the query does: it is asked first, and is
    answered at once while it is fresh. Only if a source had cut its answer short is the query searched too.
    When cancelled, the call continues until the ledger ends it; what it finds until then is kept.
    """
    if query is None and run.context.stopped(agent):
        return {"outcomes": {agent: AgentOutcome(state="stopped", detail="")}}
    if query is None:
        run.context.progress(agent, "done", detail="needs to know more")
        return {"outcomes": {agent: AgentOutcome(state="needs_facts", detail="")}}
    call = await run.tools.read(agent, tool, made or query)
    if made not in (None, query) and has_more(call):
        call = await run.tools.read(agent, tool, query)
    return outcome_of(agent, run, call)


async def modelled_step(
    agent: Agent,
    run: TravelRun,
    tool: SearchTool[Q],
    query: Q | None,
    made: Q | None,
    offered: Sequence[ModelTool],
) -> dict[str, Any]:
    """Let a model search for an agent, if there is one, with the tools that are offered to it.

    Without a model, or if it has searched for nothing, the rules make the search. Declares the agent's
    request again, since answers may have changed it.
    """
    if query is not None and not run.context.stopped(agent):
        run.context.declare(agent, requested(agent, run.understanding))
    if run.model is not None and query is not None:
        await let_model_work(agent, run, run.model, offered)
        calls = [call for call in run.tools.calls if (call.agent, call.tool) == (agent, tool.name)]
        if calls:
            return outcome_of(agent, run, next((call for call in reversed(calls) if call.done), calls[-1]))
    return await search_step(agent, run, tool, query, made)


def search_keys(understanding: Understanding, searches: Searches, *, today: date) -> list[str]:
    """Return the keys of the searches that a request leads to, of which enough is known."""
    flights, hotels = searches.flight, searches.hotel
    tour = tour_query(understanding, today=today)
    keys: dict[str, str | None] = {
        "flight": flights and call_key(FLIGHT_SEARCH, flights),
        "hotel": hotels and call_key(HOTEL_SEARCH, hotels),
        "planner": tour and call_key(PLAN_ITINERARY, tour),
    }
    return [key for agent in understanding.agents if (key := keys.get(agent))]


def outcome_of(agent: Agent, run: TravelRun, call: ToolCall, *, detail: str = "") -> dict[str, Any]:
    """Report how an agent's call ended; return it for the reply, with `detail` or the call's summary."""
    now = run.context.progress_of(agent)
    if call.outcome == "completed":
        summary = detail or fitting(call.summary, run.context.found.count(agent))
        told = call.summary if detail else summary
        run.context.progress(agent, "done", detail=told, done=now.total, total=now.total)
        return {"outcomes": {agent: AgentOutcome(state="done", detail=summary)}}
    if run.context.stopped(agent):
        return {"outcomes": {agent: AgentOutcome(state="stopped", detail=call.summary)}}
    run.context.progress(agent, "failed", detail=call.summary, done=now.done, total=now.total)
    return {"outcomes": {agent: AgentOutcome(state="failed", detail=call.summary)}}
