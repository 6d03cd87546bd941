"""Places that a user named beside the one that is searched, in words: "Geneva or Innsbruck"."""

from collections.abc import Iterator, Sequence

from ...values.travel import GoalFare
from ..result import Alternative, Understanding
from .slot_words import in_words, listed, price_in_words


def others_named(understanding: Understanding) -> str:
    """Return what was searched of several places that a message names, and how to get to the others.

    "" where there are none, and for those that an earlier reply has told.
    """
    told: dict[str, None] = {}
    for one in _choices(understanding):
        if one.slot not in understanding.carried:
            others = listed([f'"{step}"' for step in _steps(one)], "or")
            told[f"I search for one city at a time, here {_name(one.taken)}; {others} searches there."] = None
    return " ".join(told)


def steps_to_others(understanding: Understanding) -> list[str]:
    """Return the messages that search the places that were named beside those that are searched."""
    return list(dict.fromkeys(step for one in _choices(understanding) for step in _steps(one)))


def compared_in_words(fares: Sequence[GoalFare], *, is_return: bool) -> str:
    """Return what places cost to fly to, cheapest first, in a sentence; "" for fewer than two."""
    told = [f"{fare.city.name} from {price_in_words(fare.price)}" for fare in fares]
    if len(fares) < 2:
        return ""
    ways = "there and back" if is_return else f"on {in_words(fares[0].date)}"
    return f"By one-way fares {ways} for one, cheapest first: {listed(told)}."


def _choices(understanding: Understanding) -> Iterator[Alternative]:
    for one in understanding.alternatives:
        if one.is_choice and one.taken and one.slot.partition(".")[0] in understanding.agents:
            yield one


def _steps(one: Alternative) -> list[str]:
    from_there = "From " if one.slot == "flight.origin" else ""
    return [f"{from_there}{_name(other)} instead" for other in one.others]


def _name(place: str) -> str:
    return place.partition(",")[0]
