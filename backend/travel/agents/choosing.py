"""Which offer a user means, among those that were shown: the cheapest, the third, the one of a name.

Offers are numbered in the order in which an ended search shows them: the cheapest first, of equal prices the
first found. An offer that is named with its shown details is found in any order; if it is sold more than
once, the cheapest is meant.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from rapidfuzz import fuzz

from ..understanding.english.language.text import tokenise
from ..understanding.result import BookingWish, ShownDirection, ShownStay

Item = Mapping[str, Any]

_ALIKE = 85
"""Percentage of likeness from which two words count as the same."""

_MINUTE_COSTS = Decimal("0.45")
_STOP_COSTS = Decimal(60)
_NOUNS = {"flight": ("flight", "flights"), "hotel": ("hotel", "hotels")}


def chosen(items: Sequence[Item], wish: BookingWish, *, kind: str) -> Item | str:
    """Return the offer that is meant, or a sentence that says why there is none.

    Without any detail ("book it") the cheapest is meant: the reply to a search names that one.
    """
    one, many = _NOUNS[kind]
    if not items:
        return f"There is no {one} to choose from."
    shown = sorted(items, key=_price)
    if wish.shown is not None:
        same = [item for item in shown if _is_shown_as(item, wish.shown)]
        return same[0] if same else f"None of the {len(items)} {many} I found is {wish.name}."
    if wish.name:
        shown = [item for item in shown if _is_called(item, wish.name)]
        if not shown:
            which = "is with" if kind == "flight" else "is called"
            return f"None of the {len(items)} {many} I found {which} {wish.name}."
    if wish.pick == "fastest":
        if kind == "hotel":
            return "Hotels have no speed; I can book the cheapest, the best, one by its number or its name."
        shown = sorted(shown, key=lambda item: (_minutes(item), _price(item)))
    elif wish.pick == "best":
        shown = sorted(shown, key=_best_first)
    number = wish.number or 1
    if not 1 <= number <= len(shown):
        there_are = f"there is only one {one}" if len(shown) == 1 else f"there are only {len(shown)} {many}"
        return f"There is no number {number}: {there_are} like that."
    return shown[number - 1]


def _price(item: Item) -> Decimal:
    return Decimal(item["price_total"]["amount"])


def _minutes(item: Item) -> int:
    return sum(direction["duration_minutes"] for direction in item["slices"])


def _best_first(item: Item) -> tuple[Decimal, Decimal]:
    """A flight is the better the less money, minutes and changes it costs; a hotel, the higher its score."""
    if "slices" not in item:
        return -Decimal(str(item["score"])), _price(item)
    changes = sum(len(direction["segments"]) - 1 for direction in item["slices"])
    people = max(1, int(item["passengers"]))
    return _price(item) / people + _MINUTE_COSTS * _minutes(item) + _STOP_COSTS * changes, _price(item)


def _is_shown_as(item: Item, shown: tuple[ShownDirection, ...] | ShownStay) -> bool:
    """Whether an offer has these shown details; several have, if it is sold twice."""
    if isinstance(shown, ShownStay):
        days = (item["check_in"], item["check_out"])
        dates = [day.isoformat() for day in (shown.check_in, shown.check_out) if day]
        is_there = not shown.district or _folded(item["district"]) == _folded(shown.district)
        return is_there and _folded(item["name"]) == _folded(shown.hotel) and dates in ([], [*days])
    return [_direction(each) for each in item["slices"]] == [
        ([_folded(flight) for flight in way.flights], way.leaves) for way in shown
    ]


def _direction(direction: Item) -> tuple[list[str], str]:
    flights = [_folded(f"{flight['carrier_name']} {flight['number']}") for flight in direction["segments"]]
    return flights, direction["segments"][0]["departs_at"][: len("2026-12-10T09:05")]


def _folded(name: str) -> str:
    """A name without what may be typed in several ways."""
    return " ".join(token.norm for token in tokenise(name) if token.is_word or token.is_number)


def _is_called(item: Item, name: str) -> bool:
    """Whether every word of a name is one of the offer's names, or nearly so."""
    if "slices" in item:
        flights = [flight for direction in item["slices"] for flight in direction["segments"]]
        names = {f"{flight['carrier_name']} {flight['number']}" for flight in flights}
    else:
        names = {item["name"]}
    return any(_has_words(each, name) for each in names)


def _has_words(name: str, wished: str) -> bool:
    known = [token.norm for token in tokenise(name)]
    words = [token.norm for token in tokenise(wished)]
    return bool(words) and all(any(fuzz.ratio(word, each) >= _ALIKE for each in known) for word in words)
