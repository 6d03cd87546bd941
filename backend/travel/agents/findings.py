"""Tells in one sentence what searches have found: how much, by what that is new, and the cheapest of each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from ..tools.search import gaps_in
from ..understanding.english.wording import limits_kept, news
from ..understanding.result import Agent, Understanding
from ..understanding.slot_table import SLOTS, AgentSlots
from ..values.offers import (
    Offer,
    cheapest_of_each_currency,
    currencies,
    currency,
    fact,
    on_one_line,
    told,
    ways,
)
from ..values.travel import Money
from .found.wording import all_told, amount, counted, listed, name, plural, total
from .state import AgentOutcome


def findings(
    agents: Sequence[str],
    understanding: Understanding,
    outcomes: Mapping[str, AgentOutcome],
    found: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    whole: bool,
) -> str:
    """Return the sentence on what these agents have found; "" if there are none.

    It tells all that was asked for, and not only the last change, as a `whole`.
    """
    if "planner" in agents:
        return outcomes["planner"]["detail"]  # a plan tells itself
    parts = [
        _found(
            agent,
            found.get(agent, ()),
            news(agent, understanding, whole=whole),
            "" if whole or understanding.relation == "new" else limits_kept(agent, understanding),
            gaps_in(outcomes[agent]["detail"]),
        )
        + _beyond_limits(understanding.of(agent), found.get(agent, ()))
        for agent in SLOTS
        if agent in agents
    ]
    return f"I found {'; and '.join(parts)}." if parts else ""


def _found(
    agent: Agent, items: Sequence[Mapping[str, Any]], asked: tuple[str, str], kept: str, gaps: str
) -> str:
    leading, details = asked
    count = counted(len(items), agent) if items else f"no {plural(agent)}"
    if not items and details and not leading:
        leading, details = f"for that: {details}", ""  # "no flights, nonstop" would be misread
    elif not items and not leading:
        leading = "for that"
    told = ", ".join(filter(None, [" ".join(filter(None, [count, leading])), details]))
    missing = f" ({gaps})" if gaps else ""
    if not items:
        # A limit of an earlier message may be why there is nothing, and the user may have forgotten it.
        still = f" (still {kept})" if kept else ""
        return f"{told}{still}{missing}"
    first, *others = cheapest_of_each_currency(items)
    if not others:
        return f"{told}{missing}: the cheapest is {_describe(agent, first)} for {_price(first)}"
    best = [f"in {currency(each)} {_describe(agent, each)} for {_price(each)}" for each in (first, *others)]
    return f"{told}{missing}: the cheapest {listed(best)}, which I cannot compare"


def _beyond_limits(asked: AgentSlots, items: Sequence[Offer]) -> str:
    """Return in which currencies no price was held to a limit, since every limit is in another."""
    limits = [value for field in fields(asked) if isinstance(value := getattr(asked, field.name), Money)]
    limited = sorted({limit.currency for limit in limits})
    others = [code for code in currencies(items) if code not in limited]
    if not limited or not others:
        return ""
    return f"; I cannot hold prices in {listed(others)} to a limit in {listed(limited)}"


def _price(item: Mapping[str, Any]) -> str:
    """The price for all; where several fly, the one for each as well, by which flights are searched."""
    in_all = item.get("price_total")
    each = item.get("price_per_person") or in_all
    return total(item) if each == in_all else f"{total(item)} ({amount(each)} each)"


def _describe(agent: Agent, item: Mapping[str, Any]) -> str:
    if agent == "hotel":
        facts = all_told(
            item,
            lambda hotel: f"{fact(hotel, 'stars')} stars",
            lambda hotel: on_one_line(fact(hotel, "district")),
        )
        return f"{name(item)} ({', '.join(facts)})" if facts else name(item)
    if agent == "car":
        return told(_car, item) or "a rental car"
    flown_by = told(lambda flight: dict.fromkeys(_carriers(flight)), item)
    return " and ".join(flown_by) if flown_by else name(item)


def _car(car: Offer) -> str:
    facts = [fact(car, "car_class"), fact(car, "transmission")]
    return f"{name(car)} ({', '.join(facts)})"


def _carriers(flight: Offer) -> Iterator[str]:
    return (on_one_line(fact(leg, "carrier_name")) for way in ways(flight) for leg in way["segments"])
