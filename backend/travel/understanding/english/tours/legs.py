"""Journeys that are told flight by flight, or stay by stay: "Berlin to Rome 3 May, Rome to Athens 7 May",
"3 days Paris, 2 days Lyon from Brussels", "Rome on the 3rd, Athens on the 7th".

The days of two flights tell the nights between them.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

from ...places.gazetteer import load_gazetteer
from ..dates.dates import DateMention
from ..language.numbers import whole_number
from ..language.tables import words_of
from ..language.text import Text
from ..places.finder import Finder, PlaceMention
from ..places.ways_back import open_jaws
from . import words
from .orders import tells_more_nights

_WORDS = words_of("tours")

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
    known = load_gazetteer().longest
    seen: set[str] = set()
    for at in range(text.length):
        word = text.norm(at)
        if word in known and len(word) > 2:
            if word in seen:
                return True
            seen.add(word)
    return len(_stays(text)) > 1


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
    for at in range(text.length):
        count = whole_number(text, at)
        unit = count[1] + (text.norm(count[1]) == "-") if count else 0
        if not count or not 0 < count[0] <= words.MOST_NIGHTS:
            continue
        if text.norm(unit) in _WORDS.nights:
            found.append((at, count[0], unit + 1))
        elif found and tells_more_nights(text, at, unit):
            found.append((at, count[0], unit))
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
        between = {text.norm(at) for at in _between(start, goal) if at not in taken}
        is_home = start is places[-2] and goal is places[-1]
        onward = words.OF_A_LEG | _WORDS.between_legs if is_home else words.OF_A_LEG
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


def _between(one: PlaceMention, other: PlaceMention) -> range:
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
        if (after - before).days <= words.MOST_NIGHTS
    }
    return Way(tuple(way), nights, known[0])


def _is_same(one: PlaceMention, other: PlaceMention) -> bool:
    return one.place is not None and other.place is not None and one.place.city == other.place.city
