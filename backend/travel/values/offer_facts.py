"""Facts of an offer in its JSON form, which may lack any of them but its id and its kind.

Offers of earlier versions and of other providers may leave a fact out, or tell None. Readers are strict, and
`told` makes None of what they cannot read:

    fact({"stars": 4}, "score")                        # raises `Untold`
    told(lambda hotel: fact(hotel, "score"), offer)    # None
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeVar

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
