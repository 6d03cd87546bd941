"""Offers in their JSON form: what they tell, and the orders in which they can be shown. Pure.

Offers of earlier versions and of other providers may lack any fact but their id and their kind, or tell None.
Readers are strict, and `told` makes None of what they cannot read:

    fact({"stars": 4}, "score")                        # raises `Untold`
    told(lambda hotel: fact(hotel, "score"), offer)    # None

Prices of two currencies cannot be compared, for nobody tells a rate: by price, the offers of each currency
stand together, the currencies by their codes, as on the page.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from operator import itemgetter
from typing import Any, Literal, TypeVar

# --- facts ---------------------------------------------------------------------------------------------


V = TypeVar("V")

Offer = Mapping[str, Any]

UNTOLD = (LookupError, TypeError, ValueError, ArithmeticError)
"""What a strict reader raises for an offer that lacks a fact, or tells it in a form that nobody knows."""


class Untold(LookupError):
    """An offer lacks a fact."""


def fact(told_of: Mapping[str, Any], name: str) -> Any:
    """Return a fact of an offer, a direction or a flight. Raises `Untold` if it is left out or None."""
    value = told_of.get(name)
    if value is None:
        raise Untold(name)
    return value


def amount(money: Mapping[str, Any]) -> Decimal:
    """Return the amount of a price. Raises one of `UNTOLD` for what no price can be: NaN, or less than 0.

    NaN would otherwise fail every comparison, and with it the reply to all that was found beside it.
    """
    value = Decimal(money["amount"])
    if not value.is_finite() or value < 0:
        raise Untold("amount")
    return value


def told(reader: Callable[[Offer], V], offer: Offer) -> V | None:
    """Return what a strict reader makes of an offer, None where that lacks a fact. Never raises."""
    try:
        return reader(offer)
    except UNTOLD:
        return None


def ways(flight: Offer) -> Sequence[Mapping[str, Any]]:
    """Return the directions of a journey. Raises `Untold` unless each tells its flights."""
    directions: Sequence[Mapping[str, Any]] = fact(flight, "slices")
    if not directions or not all(way.get("segments") for way in directions):
        raise Untold("segments")
    return directions


def to_the_minute(moment: str) -> str:
    """Return the day and time of a moment by the clock of its airport, as "2026-12-10T09:05"."""
    return moment[:16]


def clock(moment: str) -> str:
    """Return the time of a moment by the clock of its airport, as "09:05"."""
    return moment[11:16]


_LONGEST_NAME = 120


def on_one_line(name: str) -> str:
    """Return foreign text without line breaks and invisible characters, cut to the length of a name.

    A provider's name must not be able to add a line of its own to a reply or to the facts of a permission.
    """
    plain = "".join(letter if letter.isprintable() else " " for letter in name)
    plain = " ".join(plain.split())
    return plain if len(plain) <= _LONGEST_NAME else f"{plain[: _LONGEST_NAME - 1]}…"


# --- orders --------------------------------------------------------------------------------------------


By = Literal[
    "price", "duration", "departure", "arrival", "stops", "layover", "stars", "score", "distance", "best",
    "size",
]  # fmt: skip

_MINUTE_COSTS = Decimal("0.45")
_STOP_COSTS = Decimal(60)


def in_order(offers: Sequence[Offer], by: By, *, descending: bool = False) -> list[Offer]:
    """Return the offers in an order; those alike, and those that lack the fact, from the cheapest on."""
    cheapest_first = [(value(offer, by), offer) for offer in sorted(offers, key=_cost)]
    known = [each for each in cheapest_first if each[0] is not None]
    # Sorting is stable both ways, so those alike stay in the order of their prices.
    known.sort(key=itemgetter(0), reverse=descending)
    return [offer for _, offer in (*known, *(each for each in cheapest_first if each[0] is None))]


def has(offer: Offer, by: By) -> bool:
    """Return whether an offer tells the fact of an order: hotels have no speed, flights no stars."""
    return value(offer, by) is not None


def value(offer: Offer, by: By) -> Any:
    """Return what an order compares; None if the offer does not tell it."""
    return told(_KEYS[by], offer)


def price(offer: Offer) -> Decimal:
    """Return the price in all. Raises one of `UNTOLD` if the offer does not tell it."""
    return amount(fact(offer, "price_total"))


def currency(offer: Offer) -> str:
    """Return the currency of the price in all. Raises one of `UNTOLD` if the offer does not tell both."""
    price(offer)
    return str(fact(fact(offer, "price_total"), "currency"))


def currencies(offers: Sequence[Offer]) -> list[str]:
    """Return the currencies that offers are priced in, in the order in which prices are shown."""
    return sorted({code for offer in offers if (code := told(currency, offer)) is not None})


def cheapest(offers: Sequence[Offer]) -> Offer:
    """Return the first offer by price, one that tells none last. Raises `ValueError` for none.

    Of several currencies it is the cheapest of the first: whoever calls it "the cheapest" tells that.
    """
    return min(offers, key=_cost)


def lowest_price(offers: Sequence[Offer]) -> Any:
    """Return the lowest price in all; None where none is told, or they are of several currencies."""
    return cheapest(offers)["price_total"] if len(currencies(offers)) == 1 else None


def cheapest_of_each_currency(offers: Sequence[Offer]) -> list[Offer]:
    """Return the cheapest offer of each currency; the first where none tells a price, none of none."""
    in_each = [[each for each in offers if told(currency, each) == code] for code in currencies(offers)]
    return [cheapest(some) for some in in_each] or [*offers[:1]]


def is_compared_by_price(offer: Offer, by: By) -> bool:
    """Return whether an order sets this kind of offer against others by what they cost."""
    return by == "price" or (by == "best" and ("slices" in offer or "pick_up" in offer))


def _price_in_currency(offer: Offer) -> tuple[str, Decimal]:
    """What prices are sorted by. Raises one of `UNTOLD`."""
    return told(currency, offer) or "", price(offer)


def _cost(offer: Offer) -> tuple[bool, str, Decimal]:
    """The same for any offer: one that tells no price comes last."""
    cost = told(_price_in_currency, offer)
    return (True, "", Decimal(0)) if cost is None else (False, *cost)


def minutes(flight: Offer) -> int:
    """Return the minutes on the way, there and back. Raises one of `UNTOLD` if they are not told."""
    return sum(fact(direction, "duration_minutes") for direction in ways(flight))


def stops(flight: Offer) -> int:
    """Return the stops of all directions. Raises `Untold` if its flights are not told."""
    return sum(len(direction["segments"]) - 1 for direction in ways(flight))


def layovers(direction: Offer) -> list[tuple[str, int]]:
    """Return where a direction stops, as airport codes, and for how many minutes.

    Raises one of `UNTOLD` if that is not told.
    """
    flights = fact(direction, "segments")
    return [
        (fact(landed, "destination"), _minutes_between(landed["arrives_at"], leaves["departs_at"]))
        for landed, leaves in pairwise(flights)
    ]


def _minutes_between(start: str, end: str) -> int:
    return round((datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds() / 60)


def _waiting(flight: Offer) -> int:
    return sum(minutes for direction in ways(flight) for _, minutes in layovers(direction))


def _best(offer: Offer) -> Any:
    """A flight is the better the less money, minutes and changes it costs; a hotel, the higher its score.

    Nobody rates rental cars: the best one costs the least.
    """
    if "pick_up" in offer:
        return _price_in_currency(offer)
    if "slices" not in offer:
        return -Decimal(str(fact(offer, "score"))), _cost(offer)
    people = max(1, int(fact(offer, "passengers")))
    cost = price(offer) / people + _MINUTE_COSTS * minutes(offer) + _STOP_COSTS * stops(offer)
    return told(currency, offer) or "", cost, price(offer)


# Times are compared by the clock of their airport, which is what people mean by "early".
_KEYS: Mapping[By, Callable[[Offer], Any]] = {
    "price": _price_in_currency,
    "duration": minutes,
    "departure": lambda flight: to_the_minute(fact(ways(flight)[0]["segments"][0], "departs_at")),
    "arrival": lambda flight: to_the_minute(fact(ways(flight)[0]["segments"][-1], "arrives_at")),
    "stops": stops,
    "layover": _waiting,
    "stars": lambda hotel: fact(hotel, "stars"),
    "score": lambda hotel: fact(hotel, "score"),
    "distance": lambda hotel: fact(hotel, "distance_km"),
    "best": _best,
    "size": lambda car: (fact(car, "seats"), fact(car, "bags")),
}
