"""The way that a message tells through several cities: their order and its flights."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise

from ....values.places import nights_on_the_way
from ....values.travel import MOST_NIGHTS, City
from ...places.gazetteer import load_gazetteer
from ...result import Place
from ..dates.dates import DateMention
from ..details.stays import NO_CITY, nights_told
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from ..places.finder import PlaceMention
from ..places.places import open_jaws

_SAID = phrases_of("tours")
_WORDS = words_of("tours")

_WORDS_BETWEEN = 12
_WORDS_OF_A_CITY = 5
_LEAST_OF_A_CIRCLE = 3


def may_tell_an_order(text: Text) -> bool:
    """Return whether to look for an order: there is a "then", or two signs of a chain close together."""
    at = text.find(_SAID.orders)
    while at >= 0:
        is_of_days = text.norm(at) == "next" and text.norm(at + 1) in NO_CITY
        is_aside = text.norm(at) == "then" and text.norm(at + 1) == ","  # "Hamburg then, to Pisa"
        if not (is_of_days or is_aside):
            return True
        at = text.find(_SAID.orders, at + 1)
    signs = text.where(_WORDS.chains)
    return any(1 < after - before <= _WORDS_OF_A_CITY for before, after in pairwise(signs))


def without_repeats(places: Sequence[PlaceMention]) -> list[PlaceMention]:
    """Return the places, each run of the same one told once: "to Rome, then from Rome to Athens"."""
    kept: list[PlaceMention] = []
    for one in places:
        if kept and one.place and kept[-1].place and one.place.city == kept[-1].place.city:
            continue
        kept.append(one)
    return kept


def is_same(place: Place | None, other: Place | None) -> bool:
    """Return whether both are known and in one city."""
    return place is not None and other is not None and place.city == other.city


def tells_way_home(text: Text, one: PlaceMention) -> bool:
    """Return whether a place is where the way home begins: "fly home from Athens"."""
    before = text.said(max(0, one.first - _WORDS_OF_A_CITY), one.first)
    return text.norm(one.first - 1) == "from" and not before.isdisjoint(_WORDS.home)


def without_way_home(text: Text, places: Sequence[PlaceMention]) -> tuple[PlaceMention, ...]:
    """Return the places without a stop that is named again for the way home: "home from Athens"."""
    return tuple(
        one
        for at, one in enumerate(places)
        if not (tells_way_home(text, one) and any(is_same(one.place, other.place) for other in places[:at]))
    )


def told_order(text: Text, places: Sequence[PlaceMention], taken: Collection[int]) -> bool:
    """Return whether a message tells in which order the places are gone through."""
    gaps = [_between(text, one, other, taken) for one, other in pairwise(places)]
    if not gaps or any(not _is_onward(gap) for gap in gaps):
        return False
    chained = sum(_is_chain(gap) for gap in gaps)
    return any(_has_then(gap) for gap in gaps) or chained > 1


def is_circle(text: Text, places: Sequence[PlaceMention], taken: Collection[int]) -> bool:
    """Return whether a list goes back to its first city: "Lisbon, Madrid, Barcelona and back to Lisbon"."""
    first, last = (places[0].place, places[-1].place) if len(places) > _LEAST_OF_A_CIRCLE else (None, None)
    if first is None or last is None or first.city != last.city or not text.has(_SAID.returns):
        return False
    return all(_is_onward(_between(text, one, other, taken)) for one, other in pairwise(places))


def begins_with_the_start(text: Text, places: Sequence[PlaceMention], taken: Collection[int]) -> bool:
    """Return whether the first place of an order is where it starts: "Berlin - Rome - Athens"."""
    first, second = places[0], places[1]
    return first.role in ("", "origin") and _is_chain(_between(text, first, second, taken))


def _between(text: Text, one: PlaceMention, other: PlaceMention, taken: Collection[int]) -> list[str]:
    return [text.norm(at) for at in range(one.after, other.first) if at not in taken]


def _is_chain(gap: Sequence[str]) -> bool:
    return bool(gap) and set(gap) <= _WORDS.chains


def _has_then(gap: Sequence[str]) -> bool:
    return not _WORDS.then.isdisjoint(gap) or ("way", "back") in pairwise(gap)


def _is_onward(gap: Sequence[str]) -> bool:
    """Whether nothing between two names tells that one of them is not gone to."""
    is_short = 0 < len(gap) <= _WORDS_BETWEEN
    return is_short and (_is_chain(gap) or set(gap) <= _WORDS.on_the_way)


_LEAST_CITIES = 3
"""Cities of a journey with its start: to two of them there is a return flight."""

_WORDS_TO_A_DAY = 3


@dataclass(frozen=True, slots=True)
class Way:
    """The cities of a journey as they are gone through, its start first, and the nights in single ones."""

    cities: tuple[PlaceMention, ...]
    nights: Mapping[City, int]
    first_day: date | None = None
    leaves: Mapping[City, date] = field(default_factory=dict[City, date])
    """The days on which single cities are left."""


def may_tell_legs(text: Text) -> bool:
    """Return whether to look for flights one after the other: a city is named twice, or several stays."""
    names = [text.norm(at) for at in text.where(load_gazetteer().longest.keys()) if len(text.norm(at)) > 2]
    return len({*names}) < len(names) or len(nights_told(text)) > 1


def legs_in(
    text: Text, places: Sequence[PlaceMention], dates: Sequence[DateMention], taken: Collection[int]
) -> Way | None:
    """Return the way that a message tells flight by flight, or city by city with its days, None if none."""
    places = without_way_home(text, places)
    way = _flight_by_flight(text, places, taken) or _day_by_day(text, places, dates)
    if way is None or len({one.place.city for one in way if one.place}) < _LEAST_CITIES:
        return None
    return with_days(way, dates)


def _flight_by_flight(
    text: Text, places: Sequence[PlaceMention], taken: Collection[int]
) -> tuple[PlaceMention, ...] | None:
    """ "Berlin to Rome, Rome to Athens": each flight starts where the one before has ended."""
    if len(places) % 2 and len(places) > _LEAST_CITIES and is_same(places[0].place, places[-1].place):
        places = [*places[:-1], places[-2], places[-1]]  # "Rome to Athens, then back to Berlin"
    if len(places) < 2 * 2 or len(places) % 2:
        return None
    legs = list(zip(places[::2], places[1::2], strict=True))
    for start, goal in legs:
        between = {text.norm(at) for at in range(start.after, goal.first) if at not in taken}
        is_home = start is places[-2] and goal is places[-1]
        onward = _WORDS.of_a_leg | _WORDS.between_legs if is_home else _WORDS.of_a_leg
        if is_same(start.place, goal.place) or not between <= onward:
            return None
    for (_, goal), (start, _) in pairwise(legs):
        between = {text.norm(at) for at in range(goal.after, start.first) if at not in taken}
        if not is_same(goal.place, start.place) or not between <= _WORDS.between_legs:
            return None
    return (legs[0][0], *(goal for _, goal in legs))


def _day_by_day(
    text: Text, places: Sequence[PlaceMention], dates: Sequence[DateMention]
) -> tuple[PlaceMention, ...] | None:
    """ "Berlin to Rome 3 May, Athens 7 May, back to Berlin 11 May": each city with a day of its own."""
    start, goals = (
        next((one for one in places if one.role == "origin"), places[0] if places else None),
        places,
    )
    goals = [one for one in places if one is not start]
    days = [_day_behind(one, dates) for one in goals]
    if open_jaws(text, tuple(places), None):
        return None  # "to Rome 3 May, back from Venice 12 May" goes to one city
    if start is None or len(goals) < 2 or any(day is None for day in days) or len(set(days)) < len(days):
        return None
    return (start, *goals)


def _day_behind(one: PlaceMention, dates: Sequence[DateMention]) -> date | None:
    days = (day for day in dates if 0 <= day.first - one.after < _WORDS_TO_A_DAY and not day.approximate)
    found = next(days, None)
    return (found.start or found.end) if found else None


def with_days(way: Sequence[PlaceMention], dates: Sequence[DateMention]) -> Way:
    """Return the way with the days of its flights, and the nights between them, where all are in their order.

    The last one may be that of the way home.
    """
    exact = [day for day in dates if (day.start or day.end) and not day.approximate and day.nights is None]
    known = [day for each in exact if (day := each.start or each.end)]
    is_in_order = all(before < after for before, after in pairwise(known))
    if len(known) not in (len(way) - 1, len(way)) or not is_in_order:
        return Way(tuple(way), {}, known[0] if known and exact[0].start else None)
    nights: dict[City, int] = {}
    leaves: dict[City, date] = {}
    for (start, goal), (before, after) in zip(pairwise(way), pairwise(known), strict=False):
        stay = (after - before).days
        if start.place and goal.place and stay <= MOST_NIGHTS:
            city = goal.place.city
            nights[city] = max(1, stay - nights_on_the_way(start.place.city, city))
            leaves[city] = after
    return Way(tuple(way), nights, known[0], leaves)
