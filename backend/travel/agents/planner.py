"""The planner agent: plans a tour, and states the best plan and whether it is proven the cheapest."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from langgraph.runtime import Runtime

from ..understanding.english.wording import in_words
from ..understanding.queries import tour_query
from ..values.travel import Money
from .search_step import outcome_of
from .state import AgentOutcome, AgentState, TravelRun

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
        return f"The cheapest of all {orders:,} orders is {best}; no other order or day is cheaper."
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
