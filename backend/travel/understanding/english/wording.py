"""What was understood, in words for a person, with dates in full and defaults included.

Users cannot know which day "next Friday" was taken for unless the reply says so; hence every reply does.
"""

from collections.abc import Iterable
from datetime import date
from typing import Any

from ...values.tour import MOST_STOPS
from ..queries import searched_value
from ..result import Agent, Alternative, FlightSlots, Period, Reason, TourWish, Understanding
from ..slot_table import ROWS, SLOTS, AgentSlots, Slot, answered_with, rows_of
from .slot_words import FOUND, WORDS, counted, in_words, place_in_words

_REFUSALS: dict[Reason, str] = {
    "unknown_place": "I know no place called {}.",
    "no_such_day": "There is no such day as {}.",
    "day_has_passed": "I left out {}: that day has passed.",
    "ends_before_it_begins": "I left out {}: that is not after the first day.",
    "impossible_count": "I cannot search for {}.",
    "cannot_be_excluded": "I cannot leave out {}, so please look for it in the list.",
    "not_searched_by": 'I cannot search by "{}", so please look for it in the list.',
    "one_city_at_a_time": "I search for one city at a time, and left out {}.",
    "one_booking_at_a_time": "I book one thing at a time, and left out {}.",
    "other_days": 'I search one day at a time, and left out "{}"; name another day, and I look there.',
    "adult_fare": "I search at adult fares, also for {}.",
    "too_many_cities": f"A tour can have at most {MOST_STOPS} cities, so I left out {{}}.",
}
_CITY_AND_DAY = "in which city you need a hotel, and from which day"
# The slots that the answer about another fills as well.
_ANSWERED_BY = {slot.name: first.name for slot in ROWS.values() for first in answered_with(slot)[:1]}
_PICKED_BY = frozenset({"flight.airline", "hotel.name"})
"""Nobody searches by these either, but an offer is picked by them."""


def describe(understanding: Understanding) -> str:
    """Return what the agents of a message are about to look for, with what was assumed; "" without agents."""
    parts = [
        _looked_for(agent, understanding.of(agent), understanding.period)
        for agent in SLOTS
        if agent in understanding.agents
    ]
    if understanding.tour is not None and "planner" in understanding.agents:
        parts.append(_tour_in_words(understanding.tour))
    return "; and ".join(parts)


def doubts(understanding: Understanding) -> str:
    """Return what was taken for what the agents look for, and what it could have been instead, in sentences.

    Each is told once: flight and stay share most of them. "" where nothing is in doubt.
    """
    told: dict[str, None] = {}
    for one in understanding.alternatives:
        if not one.taken or one.slot.partition(".")[0] not in understanding.agents:
            continue
        taken = f'"{one.said}" for {_readable(one.taken)}' if one.said else _readable(one.taken)
        others = _listed([_readable(other) for other in one.others], "or")
        told[f"I took {taken}; did you mean {others}?" if others else f"I took {taken}."] = None
    return " ".join(told)


def ask_for(
    missing: tuple[str, ...], *, alternatives: Iterable[Alternative] = (), period: Period | None = None
) -> str:
    """Return one sentence that asks for the missing slots, "" if nothing is missing.

    The city and the first day of a stay are not asked for along with those of the flight. Where a region was
    named the question offers its cities, which are among the `alternatives`; where a `period`, its days.
    """
    asked = [slot for slot in missing if not _is_answered_with(slot, missing)]
    choices = {one.slot: one for one in alternatives if not one.taken}
    # What is open for the stay is open for the flight of the same trip.
    choices = {_ANSWERED_BY.get(slot, slot): one for slot, one in choices.items()} | choices
    questions = [_question(slot, choices.get(slot), period) for slot in asked]
    if asked[-2:] == ["hotel.city", "hotel.check_in"] and not period and "hotel.city" not in choices:
        questions[-2:] = [_CITY_AND_DAY]
    return f"Please tell me {_listed(questions)}." if questions else ""


def _is_answered_with(slot: str, missing: tuple[str, ...]) -> bool:
    return any(other.name in missing for other in answered_with(ROWS[slot]))


def _question(slot: str, choice: Alternative | None, period: Period | None) -> str:
    words = WORDS[slot]
    if choice and words.of_region:
        return f"{words.of_region.format(choice.said)} ({_listed(_named_apart(choice.others), 'or')})"
    return words.of_period.format(_between(period)) if period and words.of_period else words.question


def _named_apart(cities: tuple[str, ...]) -> list[str]:
    """The cities without their countries, unless two of them bear one name."""
    names = [city.partition(",")[0] for city in cities]
    return names if len(set(names)) == len(names) else list(cities)


def refusals(understanding: Understanding) -> str:
    """Return what was said but could not be taken, and why, one sentence for each; "" if there is nothing."""
    sentences = (_REFUSALS[one.reason].format(one.said) for one in understanding.refused)
    return " ".join(dict.fromkeys(sentences))


def why_no_flight(flight: FlightSlots) -> str:
    """Return one sentence that tells why there is no flying between the two places, "" where there may be.

    The counterpart of `flight_query`, which yields no query there.
    """
    for place in (flight.origin, flight.destination):
        if place and not place.airports:
            return f"There is no airport in {place.city.name} that I know of."
    if not flight.origin or not flight.destination:
        return ""
    start, end = flight.origin.city, flight.destination.city
    if set(flight.origin.airports).isdisjoint(flight.destination.airports):
        return ""
    if start == end:
        return f"Start and destination are both {start.name}. Where would you like to go?"
    return f"{start.name} and {end.name} share an airport. Where would you like to go?"


def not_searched_by(understanding: Understanding) -> str:
    """Return one sentence that names what was understood but no search takes into account, "" if nothing.

    By the name of what is to be booked nobody searches either, but it is picked by it.
    """
    is_picked = understanding.booking is not None and understanding.booking.name is not None
    wishes = [
        wish
        for agent in SLOTS
        if agent in understanding.agents
        for slot in rows_of(agent)
        if not (is_picked and slot.name in _PICKED_BY)
        for wish in _unsearched(slot, understanding.of(agent))
    ]
    return f"I cannot search by {_listed(wishes)} yet, so look for it in the list." if wishes else ""


def _unsearched(slot: Slot, slots: AgentSlots) -> list[str]:
    """What was said for a slot and no search takes into account, one by one."""
    wished, value = WORDS[slot.name].wished, getattr(slots, slot.field)
    is_searched = slot.is_searched and searched_value(slot, slots) != slot.default
    if wished is None or value == slot.empty or is_searched:
        return []
    several: list[Any] = list(value) if slot.type == tuple[str, ...] else [value]
    return [words for one in several if (words := wished(slots, one))]


def _listed(items: list[str], joined_by: str = "and") -> str:
    return f" {joined_by} ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


def _looked_for(agent: Agent, slots: AgentSlots, period: Period | None) -> str:
    """What an agent looks for: "flights to Rome on Mon 3 May 2027, 1 passenger, economy"."""
    leading, details = [FOUND[agent]], list[str]()
    for name, words in WORDS.items():
        slot = ROWS[name]
        if slot.agent != agent or words.told is None:
            continue
        value = getattr(slots, slot.field)
        value = slot.default if value is None else value
        said = "" if value in (None, "") else words.told(slots, value)
        if value is None and slot.link == "first_day":
            said = _between(period)
        (leading if words.leads else details).append(said)
    return ", ".join(filter(None, [" ".join(filter(None, leading)), *details]))


def _tour_in_words(tour: TourWish) -> str:
    details = [
        " ".join(
            filter(
                None,
                [
                    f"a tour of {_listed([place_in_words(city) for city in tour.cities])} in any order",
                    f"from {place_in_words(tour.start)}" if tour.start else "",
                    "and back" if tour.returns else "",
                ],
            )
        ),
        f"{counted(tour.nights, 'night')} in each" if tour.nights else "",
        _within(tour.earliest, tour.latest),
        counted(tour.passengers or 1, "passenger"),
    ]
    return ", ".join(filter(None, details))


def _within(earliest: date | None, latest: date | None) -> str:
    if earliest and latest:
        return f"between {in_words(earliest)} and {in_words(latest)}"
    if earliest:
        return f"not before {in_words(earliest)}"
    return f"not after {in_words(latest)}" if latest else ""


def _between(period: Period | None) -> str:
    return f"between {in_words(period.start)} and {in_words(period.end)}" if period else ""


def _readable(value: str) -> str:
    try:
        return in_words(date.fromisoformat(value))
    except ValueError:
        return value
