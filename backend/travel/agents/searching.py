"""The agents that search, and the planner: each asks for what is missing, then searches."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any, Protocol

from langgraph.runtime import Runtime

from ...domain.tool_call import ToolCall, call_key
from ..stored_requests import Searches
from ..tools.itinerary import PLAN_ITINERARY
from ..tools.search import SEARCHES, fitting, has_found_none, has_more
from ..understanding.english.slot_words import FOUND, counted, listed
from ..understanding.english.wording import (
    in_words,
    requested_in_words,
)
from ..understanding.queries import QUERIES, Query, tour_query, without_limits, without_preferences
from ..understanding.result import Agent, Understanding
from ..understanding.slot_table import SLOTS
from ..values.travel import Money
from .ideas import with_ideas
from .questions import ask_what_is_missing, missing_of
from .state import AgentOutcome, AgentState, TravelRun
from .with_model.reading import has_unread, read_beside
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
    scope = ""
    while query := QUERIES[agent](run.understanding):
        if not run.context.stopped(agent):
            # Again, since answers may have changed it.
            run.context.declare(agent, requested_in_words(agent, run.understanding))
        call, is_whole = await search(agent, run, query, scope=scope)
        await run.is_read.wait()
        if QUERIES[agent](run.understanding) != query:
            continue
        others = without_preferences(agent, run.understanding) if call.done else None
        if others and not run.context.found.count(agent):
            run.understanding = others
            run.revise(others)
            scope = "without what is preferred"  # made again: the offers that did not fit were not kept
            continue
        if run.model is not None and run.searches_further and needs_more(agent, run):
            await search_further(agent, run, run.model)
        return outcome_of(agent, run, call, is_whole=is_whole)
    if run.context.stopped(agent):
        return {"outcomes": {agent: AgentOutcome(state="stopped", detail="")}}
    run.context.progress(agent, "done", detail="needs to know more")
    return {"outcomes": {agent: AgentOutcome(state="needs_facts", detail="")}}


# --- one search ----------------------------------------------------------------------------------------


async def search(agent: Agent, run: TravelRun, query: Query, *, scope: str = "") -> tuple[ToolCall, bool]:
    """Run an agent's search; return the call that tells how it ended, and whether it found all there is.

    A search that was made before and finds all that the query does is asked first, and is answered at once
    while it is fresh. Only if a source had cut its answer short is the query searched too. Where that finds
    nothing, the search without its limits tells what there is instead. It ends early where the request
    changes meanwhile. When cancelled, the call continues until the ledger ends it; what it finds until then
    is kept.
    """
    tool, made = run.search_tools[agent], run.searches.get(agent)
    wider = made if made not in (None, query) else None
    asked = wider or query
    call = await run.tools.read(agent, tool, asked, scope=scope)
    if wider and has_more(call):
        asked = query
        call = await run.tools.read(agent, tool, asked, scope=scope)
    is_whole = not has_more(call)
    all_there_is = without_limits(agent, query)
    is_current = QUERIES[agent](run.understanding) == query
    if is_current and has_found_none(call) and all_there_is != asked:
        others = await run.tools.read(agent, tool, all_there_is, scope=scope)
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
        why_none = nothing_fits(agent, run, call, is_whole=is_whole) if is_none else ""
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


# --- what there is where nothing fits ------------------------------------------------------------------


_MOST_NAMES = 6


def nothing_fits(agent: Agent, run: TravelRun, call: ToolCall, *, is_whole: bool) -> str:
    """Return what there was instead of what fits, in sentences.

    "" if the search found nothing at all, or nothing but what is told as left out by a limit: unless more
    are to share a room than houses take.
    Unless the search `is_whole`, its sources have more, and what fits may be there.
    """
    found = call.summary.partition(" ")[0]
    stay = run.understanding.hotel
    needed = replace(stay, rooms=None).rooms_needed or 1
    if found == "0" and agent == "hotel" and stay.rooms and stay.rooms < needed:
        full = f"{stay.guests} guests in {counted(stay.rooms, 'room')} are more than houses take"
        return f'{full}; say "{needed} rooms", and I look for these.'
    if found == "0" or not found.isdecimal():
        return ""
    result: Mapping[str, Sequence[str]] = call.result or {}
    carriers = result.get("carriers", ())
    flight = run.understanding.flight
    by = ""
    if agent == "flight" and carriers and (flight.airlines or flight.not_airlines):
        others = len(carriers) - _MOST_NAMES
        more = [f"{others} more"] if others > 0 else list[str]()
        by = f", by {listed([*carriers[:_MOST_NAMES], *more])}"
    name = run.understanding.hotel.name if agent == "hotel" else None
    called = f', none of them called "{name}"' if name else ""
    looked_through = counted(int(found), FOUND[agent].removesuffix("s"))
    if not is_whole:
        more = "there are more, which I could not look through"
        return f"That is among the {looked_through} I looked through{by}{called}; {more}."
    is_told = bool(run.offers.left_out.get(agent)) and not (by or called)
    return "" if is_told else f"I went through {looked_through}{by}{called}."


# --- the planner ---------------------------------------------------------------------------------------


NOT_PLANNED_HERE = "tours are not planned here."


async def planner_node(state: AgentState, runtime: Runtime[TravelRun]) -> dict[str, Any]:
    """Plan the tour that is understood.

    When cancelled, the call continues until the ledger ends it; the plans found until then are kept.
    """
    run = runtime.context
    tour = tour_query(run.understanding, today=run.today)
    if tour is None:
        run.context.progress("planner", "done", detail="needs to know more")
        return {"outcomes": {"planner": AgentOutcome(state="needs_facts", detail="")}}
    if run.plan_itinerary is None:
        run.context.progress("planner", "failed", detail=NOT_PLANNED_HERE)
        return {"outcomes": {"planner": AgentOutcome(state="failed", detail=NOT_PLANNED_HERE)}}
    call = await run.tools.read("planner", run.plan_itinerary, tour)
    return outcome_of("planner", run, call, detail=best_in_words(call.result) if call.done else "")


def best_in_words(result: Mapping[str, Any]) -> str:
    """Return the best plan in a sentence, and what is proven of it, from a result of `plan_itinerary`."""
    plan, orders = result["plan"], result["orders"]
    if orders == 1:
        return _in_its_order(result)
    how_far = f"I had looked through {result['done']:,} of {orders:,} orders when time was up"
    if plan is None:
        nothing = "I found no way to fly that tour in those days"
        return f"{nothing}, in any order." if result["proven"] else f"{nothing}; {how_far}."
    best = f"{_way(plan)}, {_days(plan)}"
    if result["proven"]:
        all_orders = "both" if orders == 2 else f"all {orders:,}"
        return f"The cheapest of {all_orders} orders is {best}; no other order or day is cheaper."
    return f"The best that I found is {best}; it may not be the cheapest, as {how_far}."


def _in_its_order(result: Mapping[str, Any]) -> str:
    """Return the best plan of a trip whose order was told."""
    plan = result["plan"]
    if plan is None:
        return "I found no way to fly that trip in that order in those days."
    best = f"{_way(plan)}, {_days(plan)}"
    if result["proven"]:
        return f"The cheapest way to fly it in that order is {best}."
    return f"The best that I found in that order is {best}; time was up before I had seen all flights."


def _days(plan: Mapping[str, Any]) -> str:
    """Return when a plan begins and ends, with how many flights, and what it costs."""
    first, last = (in_words(date.fromisoformat(plan[day])) for day in ("first_day", "last_day"))
    flights = f"{len(plan['legs'])} flight{'s' if len(plan['legs']) > 1 else ''}"
    return f"from {first} to {last}, with {flights} for {_price(plan)}"


def _way(plan: Mapping[str, Any]) -> str:
    """Return the cities in their order: "Vienna, Rome (3 nights), Athens (2) and back to Vienna"."""
    start = [plan["start"]] if plan["start"] else []
    first, *others = plan["stays"]
    nights = f"{first['nights']} night{'s' if first['nights'] > 1 else ''}"
    cities = [*start, f"{first['city']} ({nights})", *(f"{one['city']} ({one['nights']})" for one in others)]
    last = f"back to {plan['start'] or first['city']}" if plan["returns"] else cities.pop()
    return f"{', '.join(cities)} and {last}"


def _price(plan: Mapping[str, Any]) -> str:
    total = _amount(plan["price_total"])
    return total if plan["passengers"] == 1 else f"{total} ({_amount(plan['price_per_person'])} each)"


def _amount(money: Mapping[str, str]) -> str:
    return str(Money(amount=Decimal(money["amount"]), currency=money["currency"]))
