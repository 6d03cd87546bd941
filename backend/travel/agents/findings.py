"""Tells in a sentence each what searches have found, what became of the calls before, and what to say next.

Of what was found that is how much, by what that is new, and the cheapest offer. Of further kinds it tells the
lowest price alone, and nothing of those that a change leaves as they were: clients show the rest.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from decimal import Decimal
from typing import Any

from ...domain.task import InterruptReason
from ...domain.tool_call import ToolCall
from ..tools.search import gaps_in
from ..understanding.english.slot_words import WORDS
from ..understanding.english.wording import limits_kept, news, steps_to_others
from ..understanding.result import Agent, Understanding
from ..understanding.slot_table import SLOTS, AgentSlots, links_of, rows_of
from ..values.offers import (
    Offer,
    cheapest,
    cheapest_of_each_currency,
    currencies,
    currency,
    fact,
    on_one_line,
    price,
    stops,
    told,
    ways,
)
from ..values.travel import Money
from .found.wording import all_told, amount, counted, for_each, listed, name, plural, times, total
from .state import AgentOutcome, TravelRun


def findings(
    agents: Sequence[str],
    understanding: Understanding,
    outcomes: Mapping[str, AgentOutcome],
    found: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    whole: bool,
) -> str:
    """Return the sentence on what these agents have found; "" if there are none.

    It tells all that was asked for, and not only the last change, as a `whole`. First come those that the
    message adds or changes.
    """
    if "planner" in agents:
        return outcomes["planner"]["detail"]  # a plan tells itself
    first = _concerned(agents, understanding)
    searched: list[Agent] = sorted(
        (agent for agent in SLOTS if agent in agents), key=lambda agent: agent not in first
    )
    asked = {agent: news(agent, understanding, whole=whole) for agent in searched}
    gaps = {agent: gaps_in(outcomes[agent]["detail"]) for agent in searched}
    is_change = not whole and understanding.relation != "new" and any(any(words) for words in asked.values())
    counts = [row for row in links_of("people") if getattr(understanding.of(row.agent), row.field)]
    recounted = {row.agent for row in counts if row.name not in understanding.carried}
    parts = list[str]()
    is_named = False
    for agent in searched:
        items = found.get(agent, ())
        is_as_it_was = agent not in {*first, *recounted} and not any(asked[agent]) and not gaps[agent]
        if is_change and items and is_as_it_was:
            continue
        kept = "" if whole or understanding.relation == "new" else limits_kept(agent, understanding)
        asks = _unusual(agent, understanding, *asked[agent], is_first=agent in first)
        told = _found(agent, items, asks, kept, gaps[agent], in_short=is_named)
        parts.append(told + _beyond_limits(understanding.of(agent), items))
        is_named = is_named or bool(items)
    return f"I found {'; '.join(parts)}." if parts else ""


def _concerned(agents: Sequence[str], understanding: Understanding) -> Sequence[Agent]:
    """Those of the agents that a message adds or changes; none where it does so with all of them."""
    if understanding.relation == "new" or understanding.resumes is not None:
        return ()
    searched: list[Agent] = [agent for agent in SLOTS if agent in agents]
    some: tuple[Agent, ...]
    if understanding.relation == "add":  # what is added takes its days and people from the others
        joined = {slot.partition(".")[0] for slot in understanding.assumed}
        some = tuple(agent for agent in searched if agent in joined)
    else:
        some = tuple(agent for agent in searched if any(news(agent, understanding, whole=False)))
    return some if len(some) < len(searched) else ()


def _unusual(
    agent: Agent, understanding: Understanding, leading: str, details: str, *, is_first: bool
) -> tuple[str, str]:
    """Return what is new of a search, without what is usual and nobody has said: 1 passenger, economy."""
    slots = understanding.of(agent)
    unsaid = {
        told(slots, slot.default)
        for slot in rows_of(agent)
        if (told := WORDS[slot.name].told) and slot.default and getattr(slots, slot.field) is None
    }
    is_beside = agent == "hotel" and "flight" in understanding.agents and not is_first
    if is_beside and _is_where_the_flight_goes(understanding):
        leading = ""
    return leading, ", ".join(words for words in details.split(", ") if words not in unsaid)


def _is_where_the_flight_goes(understanding: Understanding) -> bool:
    """Whether a stay is told with its flight: the same place, and days of the flight or of the message."""
    flight, hotel = understanding.flight, understanding.hotel
    is_there = hotel.city == flight.destination and hotel.check_in == flight.departure_date
    is_known = hotel.last_day == flight.return_date or not {"hotel.nights", "hotel.check_out"} & {
        *understanding.assumed
    }
    return is_there and is_known


def _found(
    agent: Agent,
    items: Sequence[Mapping[str, Any]],
    asked: tuple[str, str],
    kept: str,
    gaps: str,
    *,
    in_short: bool,
) -> str:
    leading, details = asked
    count = counted(len(items), agent) if items else f"no {plural(agent)}"
    if not items and details and not leading:
        leading, details = f"for that: {details}", ""  # "no flights, nonstop" would be misread
    elif not items and not leading:
        leading = "for that"
    told = ", ".join(filter(None, [" ".join(filter(None, [count, leading])), details]))
    # "on Thu 10 December, returning Sat 12 December", as timetables say it.
    told = re.sub(r"( on (\w+ \d+ \w+)\b.*?), returning \2( \d+)?\b", r"\1, back the same day", told)
    told = re.sub(r" (?:on|from) (\w+ \d+) (\w+ \d+)(?:, returning| to) (\w+ \d+ \2)\b", r", \1 to \3", told)
    missing = f" ({gaps})" if gaps else ""
    if not items:
        # A limit of an earlier message may be why there is nothing, and the user may have forgotten it.
        still = f" (still {kept})" if kept else ""
        return f"{told}{still}{missing}"
    first, *others = cheapest_of_each_currency(items)
    if not others and in_short:
        return f"{told}{missing} {'from' if len(items) > 1 else 'for'} {_price(first)}"
    if not others:
        cheapest = "cheapest " if len(items) > 1 else ""
        return f"{told}{missing}: {cheapest}{_describe(agent, first)}, {_price(first)}"
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
    return total(item) if each == in_all else f"{total(item)} ({amount(each)} {for_each(item)})"


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
    return ", ".join(filter(None, [" and ".join(flown_by) if flown_by else "a flight", told(times, item)]))


def _car(car: Offer) -> str:
    facts = [fact(car, "car_class"), fact(car, "transmission")]
    return f"{name(car)} ({', '.join(facts)})"


def _carriers(flight: Offer) -> Iterator[str]:
    return (on_one_line(fact(leg, "carrier_name")) for way in ways(flight) for leg in way["segments"])


# --- a limit for all of a trip -------------------------------------------------------------------------


def trip_in_all(understanding: Understanding, found: Mapping[str, Sequence[Any]]) -> str:
    """Return one sentence that holds the cheapest pair against the limit; "" without a limit, or a pair.

    Flights and hotels are each kept within the limit, so a pair of them may still be above it.
    """
    limit = understanding.flight.max_total
    if limit is None or limit != understanding.hotel.max_total:
        return ""
    flight, hotel = _cheapest(found.get("flight", ()), limit), _cheapest(found.get("hotel", ()), limit)
    if flight is None or hotel is None:
        return ""
    together = flight + hotel
    cost = f"The cheapest flight and hotel together cost {_amount(together, limit)}"
    if together <= limit.amount:
        return f"{cost}, within your {_amount(limit.amount, limit)} in all."
    return f"{cost}, {_amount(together - limit.amount, limit)} more than your {_amount(limit.amount, limit)}."


def _cheapest(items: Sequence[Mapping[str, Any]], limit: Money) -> Decimal | None:
    priced = (item for item in items if (item.get("price_total") or {}).get("currency") == limit.currency)
    amounts = (told(price, item) for item in priced)
    return min((each for each in amounts if each is not None), default=None)


def _amount(amount: Decimal, limit: Money) -> str:
    return str(replace(limit, amount=amount))


# --- the calls of the task before ----------------------------------------------------------------------


_BEFORE = {
    InterruptReason.STOPPED: "before the stop",
    InterruptReason.SUPERSEDED: "before you changed your mind",
}
_AFTER_ALL = "although I was interrupted"
_ENDED_BY = {
    InterruptReason.STOPPED: "You stopped me",
    InterruptReason.SUPERSEDED: "You changed your mind",
}
_DOING = {
    "hold_flight": ("holding the flight", "the flight was held"),
    "book_flight": ("booking the flight", "the flight was booked"),
    "book_hotel": ("booking the hotel", "the hotel was booked"),
    "book_car": ("booking the car", "the car was booked"),
    "cancel_booking": ("the cancellation", "anything was cancelled"),
}
"""What a write does, and what has happened once it has gone through."""


async def aftermath(run: TravelRun, *, searched: Sequence[str] = ()) -> str:
    """Return sentences on the calls of the interrupted task before this one; "" if there are none to report.

    Leaves out a search that was cut short if its agent is among those that have `searched` again.
    """
    before = run.context.previous
    if before is None or before.task_id != run.previous_task_id:
        return ""  # the replies since then have reported on earlier tasks
    calls = await run.tools.calls_of(before.turn)
    # What this task has asked about is told by its outcome: beside that, "was not booked" would deny it.
    again = {call.tool for call in run.tools.calls if call.effect == "write"}
    writes = [call for call in calls if call.effect == "write" and (call.begun or call.tool not in again)]
    sentences = [_write_sentence(call, before.reason) for call in writes]
    searches = [call for call in calls if call.effect != "write" and call.agent not in searched]
    sentences += [_read_sentence(call) for call in searches]
    return " ".join(filter(None, sentences))


def _write_sentence(call: ToolCall, reason: InterruptReason) -> str:
    doing, happened = _DOING.get(call.tool, ("that", "that was done"))
    when = _BEFORE.get(reason, _AFTER_ALL)
    if call.done:
        return f"{doing[0].upper()}{doing[1:]} went through {when}: {call.summary}{_full_stop(call.summary)}"
    if call.outcome == "unknown":
        return f"Whether {doing} went through is not known yet; I am finding out, and will tell you."
    if call.outcome is None and call.state == "running":
        return f"{doing[0].upper()}{doing[1:]} had begun and is being finished; you will be told how it ends."
    if call.outcome == "failed":
        return f"{doing[0].upper()}{doing[1:]} did not go through: {call.summary}{_full_stop(call.summary)}"
    if call.outcome in (None, "not_started"):
        return f"{_ENDED_BY.get(reason, 'I was interrupted')} before {happened}."
    return ""


def _read_sentence(call: ToolCall) -> str:
    if call.outcome != "cancelled":
        return ""
    is_cut, _, found = call.summary.partition("cut short: ")
    return "" if is_cut else f"The {call.agent} search was cut short: {found.partition(' from ')[0]}."


def _full_stop(sentence: str) -> str:
    return "" if sentence.endswith((".", "!", "?")) else "."


# --- what to say next ----------------------------------------------------------------------------------


MOST = 3
ONLY_NONSTOP = "Only nonstop flights"
ANY_STOPS = "Flights with any number of stops"
ANY_TIME = "Any departure time"
ANY_FARE = "No budget for the flights"
ANY_STARS = "Hotels with any number of stars"
ANY_SCORE = "Hotels with any rating"
ANY_NIGHT = "No budget for the hotel"
WELL_RATED = "Hotels rated 8 or better"
DAY_LATER = "One day later"
BOOK_FLIGHT = "Book the cheapest flight"
BOOK_HOTEL = "Book the cheapest hotel"
BOOK_IT = "Book it"
ADD_HOTEL = "Add a hotel"
BOOKED = "What have I booked?"
WELL = 8
"""The guest score from which on a hotel counts as well rated."""


def next_steps(
    understanding: Understanding, found: Mapping[str, Sequence[Mapping[str, Any]]], *, booked: bool
) -> Sequence[str]:
    """Return up to three messages that may follow, the most helpful first."""
    if booked:
        return [BOOKED]
    steps = [(1, step) for step in steps_to_others(understanding)]
    steps += [step for agent in understanding.agents for step in _after(agent, understanding, found)]
    # What helps where nothing was found goes first, then what narrows, then what is bought.
    return list(dict.fromkeys(step for _, step in sorted(steps, key=lambda each: each[0])))[:MOST]


def _after(
    agent: Agent, understanding: Understanding, found: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Iterator[tuple[int, str]]:
    items = found.get(agent, ())
    if agent == "flight":
        yield from _after_flights(understanding, items)
    elif agent == "hotel":
        yield from _after_hotels(understanding, items)


def _after_flights(
    understanding: Understanding, items: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[int, str]]:
    flight = understanding.flight
    if not items:
        limits = {
            ANY_STOPS: flight.max_stops,
            ANY_TIME: flight.departs_after or flight.departs_before,
            ANY_FARE: flight.max_price,
        }
        yield from ((0, step) for step, limit in limits.items() if limit is not None)
        yield (0, DAY_LATER)
        return
    nonstop = [_is_nonstop(item) for item in items]
    if any(nonstop) and not all(nonstop) and not _is_nonstop(cheapest(items)):
        yield (1, ONLY_NONSTOP)
    yield (2, BOOK_FLIGHT)
    if "hotel" not in understanding.wanted:
        yield (2, ADD_HOTEL)


def _after_hotels(
    understanding: Understanding, items: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[int, str]]:
    hotel = understanding.hotel
    if not items:
        limits = {ANY_STARS: hotel.stars, ANY_SCORE: hotel.min_score, ANY_NIGHT: hotel.max_price}
        yield from ((0, step) for step, limit in limits.items() if limit is not None)
        return
    # Offers of other providers, and of earlier versions, may have no score.
    scores = [item["score"] for item in items if item.get("score") is not None]
    first = cheapest(items).get("score")
    if hotel.min_score is None and first is not None and first < WELL <= max(scores):
        yield (1, WELL_RATED)
    yield (2, BOOK_HOTEL)


def _is_nonstop(flight: Offer) -> bool:
    return told(stops, flight) == 0
