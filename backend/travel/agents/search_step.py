"""What the agents that search have in common: search, or say why not."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from ...domain.tool_call import ToolCall, call_key
from ..searches import Searches
from ..tools.itinerary import PLAN_ITINERARY
from ..tools.search import SEARCHES, SearchTool, fitting, has_found_none, has_more
from ..understanding.english.titles import requested_in_words
from ..understanding.queries import QueryT, tour_query, without_limits
from ..understanding.result import Agent, Understanding
from ..understanding.slot_table import SLOTS
from .model_loop import let_model_work
from .model_tools import ModelTool
from .nothing_fits import nothing_fits
from .state import AgentOutcome, TravelRun


async def search_step(
    agent: Agent, run: TravelRun, tool: SearchTool[QueryT], query: QueryT | None, made: QueryT | None = None
) -> dict[str, Any]:
    """Run an agent's search and return how it ended; a query of None means that facts are missing.

    `made` is a search that was made before and finds all that the query does: it is asked first, and is
    answered at once while it is fresh. Only if a source had cut its answer short is the query searched too.
    Where that finds nothing, the search without its limits tells what there is instead.
    When cancelled, the call continues until the ledger ends it; what it finds until then is kept.
    """
    if query is None and run.context.stopped(agent):
        return {"outcomes": {agent: AgentOutcome(state="stopped", detail="")}}
    if query is None:
        run.context.progress(agent, "done", detail="needs to know more")
        return {"outcomes": {agent: AgentOutcome(state="needs_facts", detail="")}}
    wider = made if made not in (None, query) else None
    call = await run.tools.read(agent, tool, wider or query)
    if wider and has_more(call):
        call = await run.tools.read(agent, tool, query)
    is_whole = not has_more(call)
    wider = wider or without_limits(agent, query)
    if has_found_none(call) and wider != query:
        others = await run.tools.read(agent, tool, wider)
        call = others if others.done else call
    return outcome_of(agent, run, call, is_whole=is_whole)


async def modelled_step(
    agent: Agent,
    run: TravelRun,
    tool: SearchTool[QueryT],
    query: QueryT | None,
    made: QueryT | None,
    offered: Sequence[ModelTool],
) -> dict[str, Any]:
    """Let a model search for an agent, if there is one, with the tools that are offered to it.

    Without a model, or if it has searched for nothing, the rules make the search. Declares the agent's
    request again, since answers may have changed it.
    """
    if query is not None and not run.context.stopped(agent):
        run.context.declare(agent, requested_in_words(agent, run.understanding))
    if run.model is not None and query is not None:
        await let_model_work(agent, run, run.model, offered)
        calls = [call for call in run.tools.calls if (call.agent, call.tool) == (agent, tool.name)]
        if calls:
            return outcome_of(agent, run, next((call for call in reversed(calls) if call.done), calls[-1]))
    return await search_step(agent, run, tool, query, made)


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
