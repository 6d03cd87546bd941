"""What the agents that search have in common: search, and tell how it ended."""

from datetime import date
from typing import Any

from ...domain.tool_call import ToolCall, call_key
from ..searches import Searches
from ..tools.itinerary import PLAN_ITINERARY
from ..tools.search import SEARCHES, fitting, has_found_none, has_more
from ..understanding.queries import QUERIES, Query, tour_query, without_limits
from ..understanding.result import Agent, Understanding
from ..understanding.slot_table import SLOTS
from .nothing_fits import nothing_fits
from .state import AgentOutcome, TravelRun


async def search(agent: Agent, run: TravelRun, query: Query) -> tuple[ToolCall, bool]:
    """Run an agent's search; return the call that tells how it ended, and whether it found all there is.

    A search that was made before and finds all that the query does is asked first, and is answered at once
    while it is fresh. Only if a source had cut its answer short is the query searched too. Where that finds
    nothing, the search without its limits tells what there is instead. It ends early where the request
    changes meanwhile. When cancelled, the call continues until the ledger ends it; what it finds until then
    is kept.
    """
    tool, made = run.search_tools[agent], run.searches.get(agent)
    wider = made if made not in (None, query) else None
    call = await run.tools.read(agent, tool, wider or query)
    if wider and has_more(call):
        call = await run.tools.read(agent, tool, query)
    is_whole = not has_more(call)
    wider = wider or without_limits(agent, query)
    is_current = QUERIES[agent](run.understanding) == query
    if is_current and has_found_none(call) and wider != query:
        others = await run.tools.read(agent, tool, wider)
        call = others if others.done else call
    return call, is_whole


def search_keys(understanding: Understanding, searches: Searches, *, today: date) -> list[str]:
    """Return the keys of the searches that a request leads to, of which enough is known."""
    keys: dict[str, str] = {agent: call_key(SEARCHES[agent].tool, query) for agent, query in searches.items()}
    if tour := tour_query(understanding, today=today):
        keys["planner"] = call_key(PLAN_ITINERARY, tour)
    return [keys[agent] for agent in understanding.agents if agent in keys]


def outcome_of(
    agent: Agent, run: TravelRun, call: ToolCall, *, detail: str = "", is_whole: bool | None = None
) -> dict[str, Any]:
    """Report how an agent's call ended; return it for the reply, with `detail` or the call's summary.

    `is_whole` tells whether what fits would be found if there were any; by default, as the call says.
    """
    is_whole = not has_more(call) if is_whole is None else is_whole
    now = run.context.progress_of(agent)
    if call.outcome == "completed":
        shown = run.context.found.count(agent)
        summary = detail or fitting(call.summary, shown)
        is_none = agent in SLOTS and not shown
        why_none = nothing_fits(agent, run.understanding, call, is_whole=is_whole) if is_none else ""
        told = call.summary if detail else summary
        run.context.progress(agent, "done", detail=told, done=now.total, total=now.total)
        outcome = AgentOutcome(state="done", detail=summary)
        if why_none:
            outcome["nothing_fits"] = why_none
        return {"outcomes": {agent: outcome}}
    if run.context.stopped(agent):
        return {"outcomes": {agent: AgentOutcome(state="stopped", detail=call.summary)}}
    run.context.progress(agent, "failed", detail=call.summary, done=now.done, total=now.total)
    return {"outcomes": {agent: AgentOutcome(state="failed", detail=call.summary)}}
