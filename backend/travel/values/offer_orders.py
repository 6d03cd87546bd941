"""The orders that offers can be shown in: by one fact of theirs, from the least to the most, then by price.

Pure, over an offer's JSON form, as results are stored.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from operator import itemgetter
from typing import Any, Literal

from .offer_facts import Offer, amount, fact, to_the_minute, told, ways

By = Literal[
    "price", "duration", "departure", "arrival", "stops", "layover", "stars", "score", "distance", "best",
    "size",
]  # fmt: skip

_MINUTE_COSTS = Decimal("0.45")
_STOP_COSTS = Decimal(60)
_DEAREST = Decimal("Infinity")
"""What an offer that tells no price is sorted by."""


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


def cheapest(offers: Sequence[Offer]) -> Offer:
    """Return the offer of the lowest price in all, one that tells none last. Raises `ValueError` for none."""
    return min(offers, key=_cost)


def _cost(offer: Offer) -> Decimal:
    cost = told(price, offer)
    return _DEAREST if cost is None else cost


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


def _best(offer: Offer) -> tuple[Decimal, Decimal]:
    """A flight is the better the less money, minutes and changes it costs; a hotel, the higher its score.

    Nobody rates rental cars: the best one costs the least.
    """
    if "pick_up" in offer:
        return price(offer), price(offer)
    if "slices" not in offer:
        return -Decimal(str(fact(offer, "score"))), _cost(offer)
    people = max(1, int(fact(offer, "passengers")))
    cost = price(offer) / people + _MINUTE_COSTS * minutes(offer) + _STOP_COSTS * stops(offer)
    return cost, price(offer)


# Times are compared by the clock of their airport, which is what people mean by "early".
_KEYS: Mapping[By, Callable[[Offer], Any]] = {
    "price": price,
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
