"""What narrows offers: what a limit is, and the kinds of limits there are.

A filter is a predicate over an offer's JSON form, as results are stored: pure, and the same for an offer that
has just arrived and for one that an earlier task has left. `flight_filters`, `hotel_filters` and
`car_filters` make theirs of these.
"""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import time
from decimal import Decimal
from typing import Any, Generic, TypeVar

from .offer_facts import UNTOLD, Offer
from .travel import HOME_CURRENCY, Money

V = TypeVar("V")
C = TypeVar("C", int, float, time)


@dataclass(frozen=True, slots=True)
class Filter(Generic[V]):
    """A limit on offers.

    `is_within(offer, limit)` tells whether an offer is within the limit; it may fail where the offer lacks
    the fact. `narrows(limit, other)` tells whether a search with the limit `other`, or with none, finds all
    that fits `limit`.
    """

    is_within: Callable[[Offer, V], bool]
    narrows: Callable[[V, V | None], bool]

    def fits(self, offer: Offer, limit: V) -> bool:
        """Return whether an offer is within the limit. Never raises.

        What an offer does not tell is unknown, and what is unknown does not fit: whoever wants a bag, or no
        Pogo flight, is not served by an offer that may be otherwise. Offers of earlier versions and of other
        providers may lack any fact.
        """
        try:
            return self.is_within(offer, limit)
        except UNTOLD:
            return False


def at_most(value: Callable[[Offer], C]) -> Filter[C]:
    """Return the limit that a fact is not above."""
    return Filter(
        lambda offer, limit: value(offer) <= limit, lambda limit, other: other is None or limit <= other
    )


def at_least(value: Callable[[Offer], C]) -> Filter[C]:
    """Return the limit that a fact is not below."""
    # At least none is no limit, also where an offer does not tell ("hand luggage only").
    return Filter(
        lambda offer, limit: limit == 0 or value(offer) >= limit,
        lambda limit, other: other is None or limit >= other,
    )


def is_of(field: str) -> Filter[str]:
    """Return the limit to offers of one kind."""
    return Filter(lambda offer, kind: offer[field] == kind, lambda kind, other: other in (None, kind))


def leaves_out(has_one: Callable[[Offer, Sequence[Any]], bool]) -> Filter[Any]:
    """Return the limit that leaves out what has one of several; the more there are, the narrower."""
    return Filter(
        lambda offer, unwanted: not has_one(offer, unwanted),
        lambda limit, other: other is None or set(other) <= set(limit),
    )


def only_if(is_so: Callable[[Offer], bool]) -> Filter[bool]:
    """Return the limit to offers that are so, where that is wanted."""
    return Filter(lambda offer, wanted: not wanted or is_so(offer), lambda limit, other: not other or limit)


def costs_at_most(price: str) -> Filter[Money]:
    """Return the limit on one of an offer's prices, by its field.

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


def plain(name: str) -> str:
    """Return a name without accents and case."""
    return unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold().strip()


PRICE_IN_ALL = costs_at_most("price_total")
CANCELLED_FREE = only_if(lambda offer: offer["free_cancellation_until"] is not None)
