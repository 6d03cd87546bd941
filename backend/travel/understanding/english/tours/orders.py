"""The order in which a journey goes through its cities, where one is told: "Berlin to Rome to Athens".

Told are what stands between the names: "to" and dashes chain them, "then" puts one after the other. And how
long each is stayed in, or on which day: "3 nights in Rome", "I must be in Budapest on 10 January".
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from ..dates.words import MONTHS, WEEKDAYS
from ..language.numbers import whole_number
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from ..places.finder import PlaceMention
from . import words

_SAID = phrases_of("tours")
_WORDS = words_of("tours")

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
    signs = text.where(words.CHAINS)
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
    for at in range(text.length):
        count = whole_number(text, at) if at not in taken else None
        unit = count[1] + (text.norm(count[1]) == "-") if count else 0
        if count is None or not 0 < count[0] <= words.MOST_NIGHTS:
            continue
        if nights and tells_more_nights(text, at, unit):
            unit -= 1
        elif text.norm(unit) not in _WORDS.nights:
            continue
        if any(text.norm(unit + ahead) in _WORDS.each for ahead in range(1, words.WORDS_TO_EACH + 1)):
            continue
        city = _city_behind(text, unit + 1, places) or _city_before(at, places, nights)
        if city:
            nights[city.first] = count[0]
            taken.update(range(at, unit + 1))
    return nights, frozenset(taken)


def tells_more_nights(text: Text, at: int, after: int) -> bool:
    """Return whether a number behind nights tells those of the next city: "2 in Vienna"."""
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
    return bool(gap) and set(gap) <= words.CHAINS


def _has_then(gap: Sequence[str]) -> bool:
    return not _WORDS.then.isdisjoint(gap) or ("way", "back") in pairwise(gap)


def _is_onward(gap: Sequence[str]) -> bool:
    """Whether nothing between two names tells that one of them is not gone to."""
    is_short = 0 < len(gap) <= _WORDS_BETWEEN
    return is_short and (_is_chain(gap) or set(gap) <= _WORDS.on_the_way)
