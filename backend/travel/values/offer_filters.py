"""What narrows the offers that were found: predicates over an offer's JSON form, as results are stored.

Pure, and the same for an offer that has just arrived and for one that an earlier task has left.
"""

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import time
from decimal import Decimal
from typing import Any, Generic, TypeVar

from .travel import HOME_CURRENCY, Money

V = TypeVar("V")
C = TypeVar("C", int, float, time)

Offer = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Filter(Generic[V]):
    """A limit on offers.

    `fits(offer, limit)` tells whether an offer is within the limit. `narrows(limit, other)` tells whether a
    search with the limit `other`, or with none, finds all that fits `limit`.
    """

    fits: Callable[[Offer, V], bool]
    narrows: Callable[[V, V | None], bool]


def _costs_at_most(price: str) -> Filter[Money]:
    """The limit on one of an offer's prices.

    A price in another currency cannot be compared: it is kept, for the user to judge.
    """

    def fits(offer: Offer, limit: Money) -> bool:
        money = offer[price]
        return money["currency"] != limit.currency or Decimal(money["amount"]) <= limit.amount

    def narrows(limit: Money, other: Money | None) -> bool:
        # Prices are in the currency of the limit that was asked with, and an amount says nothing in another.
        if other is None:
            return limit.currency == HOME_CURRENCY
        return limit.currency == other.currency and limit.amount <= other.amount

    return Filter(fits, narrows)


def _stops(offer: Offer) -> int:
    """The stops of the direction that has most of them."""
    return max(len(direction["segments"]) - 1 for direction in offer["slices"])


def _leaves(offer: Offer) -> time:
    """When the first flight leaves, by the clock of its airport: "2026-12-10T09:05:00+01:00" at 9:05."""
    return time.fromisoformat(offer["slices"][0]["segments"][0]["departs_at"][11:16])


def _stars(offer: Offer) -> int:
    return offer["stars"]


def _score(offer: Offer) -> float:
    return offer["score"]


def _plain(name: str) -> str:
    """A name without accents and case."""
    return unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold().strip()


def _at_most(value: Callable[[Offer], C]) -> Filter[C]:
    return Filter(
        lambda offer, limit: value(offer) <= limit, lambda limit, other: other is None or limit <= other
    )


def _at_least(value: Callable[[Offer], C]) -> Filter[C]:
    return Filter(
        lambda offer, limit: value(offer) >= limit, lambda limit, other: other is None or limit >= other
    )


AT_MOST_STOPS = _at_most(_stops)
LEAVES_FROM = _at_least(_leaves)
LEAVES_BY = _at_most(_leaves)
PRICE_OF_A_PERSON = _costs_at_most("price_per_person")
PRICE_OF_A_NIGHT = _costs_at_most("price_per_night")
AT_LEAST_STARS = _at_least(_stars)
AT_LEAST_SCORE = _at_least(_score)
IN_DISTRICT: Filter[str] = Filter(
    lambda offer, district: _plain(offer["district"]) == _plain(district),
    lambda district, other: other is None or _plain(district) == _plain(other),
)
