"""What the cheapest flight and hotel of a trip cost together, where a limit for all of it was told."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from ..understanding.result import Understanding
from ..values.offers import price, told
from ..values.travel import Money


def trip_in_all(understanding: Understanding, found: Mapping[str, Sequence[Any]]) -> str:
    """Return one sentence that holds the cheapest pair against the limit; "" without a limit, or a pair.

    Flights and hotels are each kept within the limit, so a pair of them may still be above it.
    """
    limit = understanding.flight.max_total
    if limit is None or limit != understanding.hotel.max_total:
        return ""
    flight, hotel = _cheapest(found.get("flight", ()), limit), _cheapest(found.get("hotel", ()), limit)
    if flight is None or hotel is None:
        return ""
    together = flight + hotel
    cost = f"The cheapest flight and hotel together cost {_amount(together, limit)}"
    if together <= limit.amount:
        return f"{cost}, within your {_amount(limit.amount, limit)} in all."
    return f"{cost}, {_amount(together - limit.amount, limit)} more than your {_amount(limit.amount, limit)}."


def _cheapest(items: Sequence[Mapping[str, Any]], limit: Money) -> Decimal | None:
    priced = (item for item in items if (item.get("price_total") or {}).get("currency") == limit.currency)
    amounts = (told(price, item) for item in priced)
    return min((each for each in amounts if each is not None), default=None)


def _amount(amount: Decimal, limit: Money) -> str:
    return str(replace(limit, amount=amount))
