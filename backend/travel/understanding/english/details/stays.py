"""The nights that a message tells of single cities: "5 nights in Rome, then 3 in Athens"."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ....values.travel import MOST_NIGHTS, City
from ...places.gazetteer import load_gazetteer
from ..dates.points import MONTHS, WEEKDAYS
from ..language.numbers import NUMBERS, whole_number
from ..language.tables import words_of
from ..language.text import Text
from ..places.finder import Finder, PlaceMention
from ..places.places import named_places

_WORDS = words_of("tours")

_WORDS_TO_EACH = 3
_WORDS_TO_ITS_CITY = 4
NO_CITY = frozenset({*WEEKDAYS, *MONTHS, "week", "weekend", "month", "year"})
"""Behind "next" these are days: "next Friday" tells no order."""


@dataclass(frozen=True, slots=True)
class Nights:
    """How many are told in the tokens from `first` up to `after`, in one city or in each."""

    first: int
    after: int
    count: int
    is_each: bool = False


@lru_cache(maxsize=8)
def nights_told(text: Text) -> Sequence[Nights]:
    """Return the nights that are told: "3 nights each", "4 days in Rome", behind others "2 in Vienna"."""
    found: list[Nights] = []
    at = 0 if text.has_any(_WORDS.nights) else text.length
    while (at := text.next_of(NUMBERS, at)) < text.length:
        count, after = whole_number(text, at) or (0, at)
        unit = after + (text.norm(after) == "-")
        if after > at and text.norm(unit) in _WORDS.nights:
            behind = range(unit + 1, unit + 1 + _WORDS_TO_EACH)
            each = next((ahead for ahead in behind if text.norm(ahead) in _WORDS.each), 0)
            is_each = each > 0 and text.said(unit, each).isdisjoint({",", ".", ";"})
            found.append(Nights(at, each + 1 if is_each else unit + 1, count, is_each))
        elif after > at and found and _tells_more_nights(text, at, unit, found[0].first):
            found.append(Nights(at, unit, count))
        at = max(after, at + 1)
    return found


def _tells_more_nights(text: Text, at: int, after: int, first: int) -> bool:
    """Whether a number behind nights tells those of the next city: "2 in Vienna", "2 Vienna".

    Where the `first` nights stand behind their city, these do, too: "Rome for 4 nights, Vienna for 3".
    """
    leads = [where - 1 - (text.norm(where - 1) in _WORDS.behind_a_city) for where in (first, at)]
    if all(text[lead].is_capitalised and text.norm(lead) not in NO_CITY for lead in leads):
        return not text[after].is_word or text.norm(after) in _WORDS.on_the_way
    city = after + (text.norm(after) in ("in", "at"))
    is_city = city > after or text.norm(city) in load_gazetteer().longest
    is_next = text.norm(at - 1) in _WORDS.before_more_nights and text.norm(city) not in NO_CITY
    return is_next and is_city and text[city].is_capitalised


@dataclass(frozen=True, slots=True)
class Stays:
    """The nights in single cities, and the names that tell of which.

    Of the `way` a city that is named once more only for its nights is no part. `spans` are the tokens of each
    of those `stayed`, with its nights.
    """

    nights: Mapping[City, int]
    stayed: Sequence[PlaceMention]
    way: Sequence[PlaceMention]
    spans: Sequence[range]


def stays_in(text: Text, places: Sequence[PlaceMention]) -> Stays:
    """Return how many nights are told of which of the places: "3 nights in Rome", "Rome (3 nights)"."""
    told = [one for one in nights_told(text) if not one.is_each and 0 < one.count <= MOST_NIGHTS]
    names = [one for one in places if one.place]
    # "Rome 3 nights, Athens 4 nights" names each city before its nights.
    leads = [at - 1 - (text.norm(at - 1) in _WORDS.behind_a_city) for at in (one.first for one in told[:1])]
    are_behind = all(one.after - 1 not in leads for one in names)
    nights: dict[City, int] = {}
    stayed: list[PlaceMention] = []
    again: set[int] = set()
    spans: list[range] = []
    for stay in told:
        before = [one for one in names if 0 <= stay.first - one.after <= _WORDS_TO_ITS_CITY][-1:]
        behind = [one for one in names if one.first == _at_its_city(text, stay.after, is_next=are_behind)]
        for one in (behind or [one for one in before if one not in stayed])[:1]:
            assert one.place
            is_led = bool(behind) or text.norm(one.first - 1) in _WORDS.before_a_stay_told_apart
            if is_led and any(
                other.place and other.place.city == one.place.city for other in names[: names.index(one)]
            ):
                again.add(one.first)
            nights[one.place.city] = stay.count
            stayed.append(one)
            spans.append(range(min(stay.first, one.first), max(stay.after, one.after)))
    way = [one for one in places if one.first not in again]
    return Stays(nights, stayed, way, spans)


@lru_cache(maxsize=8)
def stays_beyond(text: Text) -> tuple[range, ...]:
    """Return the tokens that tell of nights in other cities than the first: "then 3 nights in Athens"."""
    told = nights_told(text)
    if len(told) < 2 or not text.vocabulary.isdisjoint(_WORDS.of_a_choice):
        return ()
    stays = stays_in(text, with_cities_of_stays(text, named_places(text, load_gazetteer()), ()))
    is_of_city = bool(stays.spans) and told[0].first in stays.spans[0]
    if not is_of_city and text.norm(told[0].after) != "there":
        return ()
    first = stays.stayed[0] if is_of_city else None
    both = zip(stays.stayed, stays.spans, strict=True)
    return tuple(span for one, span in both if first is None or one.place != first.place)


def _at_its_city(text: Text, at: int, *, is_next: bool) -> int:
    """Where the city of nights begins that end there: "in Rome"; "Rome", too, if names follow nights."""
    is_led = text.norm(at) in (_WORDS.before_a_stay if is_next else ("in", "at"))
    return at + 1 if is_led else at if is_next else -1


def with_cities_of_stays(
    text: Text, places: Sequence[PlaceMention], taken: Collection[int]
) -> list[PlaceMention]:
    """Return the places with the cities that stand beside nights and are words as well: "2 days Nice"."""
    found = {one.first: one for one in places}
    for stay in nights_told(text):
        for at in (
            stay.first - 2,
            stay.first - 1,
            stay.after + (text.norm(stay.after) in _WORDS.before_a_stay),
        ):
            is_new = at not in taken and not any(one.first <= at < one.after for one in found.values())
            one = Finder(text, load_gazetteer(), taken, index=at, is_placed=True).exact() if is_new else None
            if one and one.place:
                found[at] = one
    return [found[at] for at in sorted(found)]
