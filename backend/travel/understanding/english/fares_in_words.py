"""Fares to many places, or on many days, in words, for who has not chosen yet."""

from collections.abc import Sequence

from ...values.travel import GoalFare
from ..result import FlightSlots
from .slot_words import in_words, listed, price_in_words


def goals_in_words(fares: Sequence[GoalFare], flight: FlightSlots, *, is_warm: bool, is_return: bool) -> str:
    """Return places to fly to with what they cost, in a sentence; that there are none, if so.

    With `is_return` each fare is that of one way there and one way back, which a return may be cheaper than.
    """
    start = flight.origin.city.name if flight.origin else ""
    by = ", by latitude and season, which is all that I know of the weather" if is_warm else ""
    if not fares:
        return f"I found no {'warm ' if is_warm else ''}place for that from {start}{by}."
    told = [f"{fare.city.name} from {price_in_words(fare.price)} on {in_words(fare.date)}" for fare in fares]
    which = "Warm places" if is_warm else "Places"
    ways = _for_one(flight, "there and back by one-way fares" if is_return else "one way")
    return f"{which} to fly to from {start}{by}, {ways}: {listed(told)}."


def days_in_words(fares: Sequence[GoalFare], flight: FlightSlots) -> str:
    """Return the cheapest days for a flight in a sentence, "" without any."""
    told = [f"{in_words(fare.date)} from {price_in_words(fare.price)}" for fare in fares]
    return f"The cheapest days, {_for_one(flight, 'one way')}: {listed(told)}." if told else ""


def _for_one(flight: FlightSlots, ways: str) -> str:
    """For which ways, and for how many of those who fly, a fare is told: "one way for one of the 2"."""
    several = f" of the {flight.passengers}" if (flight.passengers or 1) > 1 else ""
    return f"{ways} for one{several}"
