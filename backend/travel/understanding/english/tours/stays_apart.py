"""Stays that are told behind the way: "Lisbon - Madrid - Porto - Lisbon, 3 nights Madrid, 4 in Porto"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ....values.travel import City
from ..language.numbers import whole_number
from ..language.tables import words_of
from ..language.text import Text
from ..places.finder import PlaceMention
from . import words
from .orders import nights_by_city, tells_more_nights

_WORDS = words_of("tours")


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
        count = whole_number(text, at) if at >= 0 and at not in taken else None
        if count is None or not 0 < count[0] <= words.MOST_NIGHTS:
            continue
        end = count[1] + (text.norm(count[1]) == "-")
        is_stay = end == unit and text.norm(unit) in _WORDS.nights
        if is_stay or (taken and count[1] == unit + 1 and tells_more_nights(text, at, unit + 1)):
            return count[0], at, one.after
    behind = one.after + (text.norm(one.after) in _WORDS.before_nights)
    count = whole_number(text, behind)
    if count is None or not 0 < count[0] <= words.MOST_NIGHTS or not kept:
        return None
    end = count[1] + (text.norm(count[1]) == "-")
    is_led = text.norm(one.first - 1) in _WORDS.before_a_stay_told_apart
    is_here = is_led and text.norm(end) in _WORDS.nights
    return (count[0], one.first, end + 1) if is_here else None
