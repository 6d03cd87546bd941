"""The way that a message tells through several cities: their order, its flights, the nights in each."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

from ....values.travel import City
from ...places.gazetteer import load_gazetteer
from ..dates.dates import DateMention
from ..dates.points import MONTHS, WEEKDAYS
from ..language.numbers import NUMBERS, whole_number
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from ..places.finder import Finder, PlaceMention
from ..places.places import open_jaws

_SAID = phrases_of("tours")
_WORDS = words_of("tours")

MOST_NIGHTS = 30
OR = "or"
WORDS_TO_EACH = 3

_WORDS_BETWEEN = 12
_WORDS_OF_A_CITY = 5
_WORDS_TO_ITS_CITY = 4
_LEAST_OF_A_CIRCLE = 3


_BEHIND_NEXT = frozenset({*WEEKDAYS, *MONTHS, "week", "weekend", "month", "year"})
"""Behind "next" these are days: "next Friday" tells no order."""


def may_tell_an_order(text: Text) -> bool:
    """Return whether to look for an order: there is a "then", or two signs of a chain close together."""
    at = text.find(_SAID.orders)
    while at >= 0:
        if text.norm(at) != "next" or text.norm(at + 1) not in _BEHIND_NEXT:
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


def nights_by_city(text: Text, places: Sequence[PlaceMention]) -> tuple[Mapping[int, int], frozenset[int]]:
    """Return the nights told of single places, by where their names begin, and the tokens that tell them."""
    nights: dict[int, int] = {}
    taken: set[int] = set()
    for at in text.each_of(NUMBERS):
        told = None if at in taken else _nights_at(text, at, are_told=bool(nights))
        if told is None or text.has_any(_WORDS.each, told[1], told[1] + WORDS_TO_EACH):
            continue
        city = _city_behind(text, told[1], places) or _city_before(at, places, nights)
        if city:
            nights[city.first] = told[0]
            taken.update(range(at, told[1]))
    return nights, frozenset(taken)


def _nights_at(text: Text, at: int, *, are_told: bool = False) -> tuple[int, int] | None:
    """The nights that are told there, and the index after; behind others "2 in Vienna" tells some."""
    count = whole_number(text, at)
    if count is None or not 0 < count[0] <= MOST_NIGHTS:
        return None
    unit = count[1] + (text.norm(count[1]) == "-")
    if text.norm(unit) in _WORDS.nights:
        return count[0], unit + 1
    return (count[0], unit) if are_told and _tells_more_nights(text, at, unit) else None


def _tells_more_nights(text: Text, at: int, after: int) -> bool:
    """Whether a number behind nights tells those of the next city: "2 in Vienna"."""
    is_next = text.norm(at - 1) in _WORDS.before_more_nights and text.norm(after) in ("in", "at")
    return is_next and text[after + 1].is_capitalised


def _city_behind(text: Text, at: int, places: Sequence[PlaceMention]) -> PlaceMention | None:
    """The city of "3 nights in Rome"."""
    if text.norm(at) not in ("in", "at"):
        return None
    return next((one for one in places if one.first == at + 1), None)


def _city_before(at: int, places: Sequence[PlaceMention], told: Collection[int]) -> PlaceMention | None:
    """The city of "Rome for 3 nights", "Athens (4 nights)"."""
    before = [one for one in places if one.after <= at and at - one.after <= _WORDS_TO_ITS_CITY]
    return before[-1] if before and before[-1].first not in told else None


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
    nights: Mapping[int, int]
    first_day: date | None = None


def may_tell_legs(text: Text) -> bool:
    """Return whether to look for flights one after the other: a city is named twice, or several stays."""
    names = [text.norm(at) for at in text.where(load_gazetteer().longest.keys()) if len(text.norm(at)) > 2]
    return len({*names}) < len(names) or len(_stays(text)) > 1


def legs_in(
    text: Text, places: Sequence[PlaceMention], dates: Sequence[DateMention], taken: Collection[int]
) -> Way | None:
    """Return the way that a message tells flight by flight, or city by city with its days, None if none."""
    places = _with_home(text, places)
    way = _flight_by_flight(text, places, taken) or _day_by_day(text, places, dates)
    if way is None or len({one.place.city for one in way if one.place}) < _LEAST_CITIES:
        return None
    return _with_days(way, dates)


def stays_in(text: Text, taken: Collection[int]) -> Mapping[PlaceMention, int]:
    """Return the cities of stays that are told one after the other, with the nights in each.

    "3 days Paris, 2 days in Lyon", or the other way round: "Paris 3 days, Lyon 2 days".
    """
    stays = _stays(text)
    before = [_city(text, first - 1, taken) or _city(text, first - 2, taken) for first, _, _ in stays]
    behind = [_city(text, after + (text.norm(after) in _WORDS.before_a_stay), taken) for _, _, after in stays]
    cities = before if before[:1] != [None] else behind
    return {city: count for city, (_, count, _) in zip(cities, stays, strict=True) if city and city.place}


def _city(text: Text, at: int, taken: Collection[int]) -> PlaceMention | None:
    found = (
        Finder(text, load_gazetteer(), taken, index=at, is_placed=True).exact() if at not in taken else None
    )
    return found if found and found.place else None


def _stays(text: Text) -> list[tuple[int, int, int]]:
    """The nights that are told: where each number begins, the number, and the index after its unit."""
    found: list[tuple[int, int, int]] = []
    for at in text.each_of(NUMBERS) if text.has_any(_WORDS.nights) else ():
        if told := _nights_at(text, at, are_told=bool(found)):
            found.append((at, *told))
    return found


def _flight_by_flight(
    text: Text, places: Sequence[PlaceMention], taken: Collection[int]
) -> tuple[PlaceMention, ...] | None:
    """ "Berlin to Rome, Rome to Athens": each flight starts where the one before has ended."""
    if len(places) % 2 and len(places) > _LEAST_CITIES and _is_same(places[0], places[-1]):
        places = [*places[:-1], places[-2], places[-1]]  # "Rome to Athens, then back to Berlin"
    if len(places) < 2 * 2 or len(places) % 2:
        return None
    legs = list(zip(places[::2], places[1::2], strict=True))
    legs[-1] = _told_from_its_goal(text, legs[-1], taken)
    for start, goal in legs:
        between = {text.norm(at) for at in _gap_between(start, goal) if at not in taken}
        is_home = start is places[-2] and goal is places[-1]
        onward = _WORDS.of_a_leg | _WORDS.between_legs if is_home else _WORDS.of_a_leg
        if _is_same(start, goal) or not between <= onward:
            return None
    for (_, goal), (start, _) in pairwise(legs):
        first = min(each.first for leg in legs if leg[0] is start for each in leg)
        between = {text.norm(at) for at in range(goal.after, first) if at not in taken}
        if not _is_same(goal, start) or not between <= _WORDS.between_legs:
            return None
    return (legs[0][0], *(goal for _, goal in legs))


def _with_home(text: Text, places: Sequence[PlaceMention]) -> Sequence[PlaceMention]:
    """The places, of which a last "home from Rome" is the way from Rome to where the journey began."""
    if len(places) <= _LEAST_CITIES or places[-1].role != "back" or not _is_same(places[-1], places[-2]):
        return places
    is_from = text.norm(places[-1].first - 1) == "from"
    return [*places[:-1], replace(places[-1], place=places[0].place, role="")] if is_from else places


def _told_from_its_goal(
    text: Text, leg: tuple[PlaceMention, PlaceMention], taken: Collection[int]
) -> tuple[PlaceMention, PlaceMention]:
    """The last flight from its start to its goal, also where it is told as "back to Berlin from Athens"."""
    goal, start = leg
    led = [text.norm(at) for at in range(goal.after, start.first) if at not in taken]
    is_turned = goal.role == "back" and led[-1:] == ["from"]
    return (start, goal) if is_turned else leg


def _gap_between(one: PlaceMention, other: PlaceMention) -> range:
    first, second = sorted((one, other), key=lambda each: each.first)
    return range(first.after, second.first)


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


def _with_days(way: Sequence[PlaceMention], dates: Sequence[DateMention]) -> Way:
    """The way with the nights between its days, where there is one of each flight, in their order."""
    exact = [day for day in dates if (day.start or day.end) and not day.approximate and day.nights is None]
    days = [day.start or day.end for day in exact]
    known = [day for day in days if day]
    is_in_order = all(before < after for before, after in pairwise(known))
    if len(known) != len(way) - 1 or not is_in_order:
        return Way(tuple(way), {}, known[0] if known and exact[0].start else None)
    nights = {
        city.first: (after - before).days
        for city, (before, after) in zip(way[1:], pairwise(known), strict=False)
        if (after - before).days <= MOST_NIGHTS
    }
    return Way(tuple(way), nights, known[0])


def _is_same(one: PlaceMention, other: PlaceMention) -> bool:
    return one.place is not None and other.place is not None and one.place.city == other.place.city


@dataclass(frozen=True, slots=True)
class Stays:
    """The cities gone through, the nights of each by where its name begins, and the tokens that tell them."""

    way: Sequence[PlaceMention]
    nights: Mapping[int, int]
    taken: frozenset[int]


def stays_beside(text: Text, way: Sequence[PlaceMention]) -> Stays:
    """Return the way without the cities that are named once more only to tell the nights in them."""
    nights, of_nights = nights_by_city(text, way)
    first: dict[City, PlaceMention] = {}
    told: dict[int, int] = {}
    taken: set[int] = set()
    kept: list[PlaceMention] = []
    for one in way:
        before = first.get(one.place.city) if one.place else None
        stay = _stay_at(text, one, kept, taken) if before else None
        if before is None or stay is None:
            kept.append(one)
            if one.place:
                first.setdefault(one.place.city, one)
            continue
        told[before.first] = stay[0]
        taken.update(range(stay[1], stay[2]))
    if not told:
        return Stays(way, nights, of_nights)
    others = {at: count for at, count in nights.items() if any(at == one.first for one in kept)}
    return Stays(kept, others | told, of_nights | taken)


def _stay_at(
    text: Text, one: PlaceMention, kept: Sequence[PlaceMention], taken: set[int]
) -> tuple[int, int, int] | None:
    """The nights of a stay there, and the tokens that tell it: "3 nights in Madrid", "Madrid 3 nights"."""
    unit = one.first - 1 - (text.norm(one.first - 1) in _WORDS.before_a_stay)
    unit -= text.norm(unit) == ":"
    for at in (unit - 2, unit - 1, unit):
        told = _nights_at(text, at, are_told=bool(taken)) if at >= 0 and at not in taken else None
        if told and told[1] == unit + 1:
            return told[0], at, one.after
    told = _nights_at(text, one.after + (text.norm(one.after) in _WORDS.before_nights))
    is_led = bool(kept) and text.norm(one.first - 1) in _WORDS.before_a_stay_told_apart
    return (told[0], one.first, told[1]) if told and is_led else None
