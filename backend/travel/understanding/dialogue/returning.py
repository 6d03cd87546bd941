"""Which of the earlier requests a message takes up again: "back to the Tokyo flights", "the first again"."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from ...values.travel import City
from ..message import Return
from ..queries import QUERIES, filters
from ..result import Agent, Place, Understanding
from ..slot_table import SLOTS
from .slots import held_in


def told_in_full(
    requests: Sequence[Understanding],
    previous: Understanding | None,
    read_after: Callable[[Understanding], Understanding],
    *,
    goal: Place | None,
) -> int | None:
    """Return which of the requests, latest first, a message tells by all that it asks for; None if none.

    It tells one about which it changes nothing: `read_after` understands the message, which names the `goal`,
    after a request. Where it tells several so, it is the one that asks for the least beside what was said.
    """

    def is_told(one: Understanding) -> bool:
        is_there = goal is not None and goal.city in _cities(one)
        return is_there and _searches(read_after(one)) == _searches(one)

    told = [(_asks_for(one), at) for at, one in enumerate(requests) if is_told(one)]
    if not told or (previous and is_told(previous) and _asks_for(previous) <= min(told)[0]):
        return None
    return min(told)[1]


def _searches(understood: Understanding) -> tuple[object, ...]:
    """What is searched for, from whichever airport of the cities, and what narrows it."""
    flight = understood.flight
    places = {"origin": flight.origin, "destination": flight.destination}
    cities = {name: Place(city=place.city) for name, place in places.items() if place}
    anywhere = replace(understood, flight=replace(flight, **cities))
    return tuple((QUERIES[agent](anywhere), filters(agent, anywhere.of(agent))) for agent in SLOTS)


def _asks_for(understood: Understanding) -> int:
    return len(held_in(understood).filled)


def taken_up(
    wanted: Return | None,
    agents: Collection[Agent],
    recent: Sequence[Understanding],
    previous: Understanding | None,
) -> int | None:
    """Return which of the `recent` requests, latest first, a message wants again; None if none.

    A request is told by its city, or by its place among those that have all the `agents`.
    """
    if wanted is None:
        return None
    fitting = [at for at, one in enumerate(recent) if set(agents) <= set(one.wanted)]
    if wanted.cities:
        is_there = previous is not None and wanted.cities & _cities(previous)
        return next((at for at in fitting if not is_there and wanted.cities & _cities(recent[at])), None)
    if not fitting:
        return None
    if wanted.which == "oldest":
        return fitting[-1]
    if wanted.which == "second":
        return fitting[-2] if len(fitting) > 1 else None
    return fitting[0] if wanted.which == "latest" else None


def _cities(understood: Understanding) -> set[City]:
    places = (understood.flight.destination, understood.hotel.city)
    return {place.city for place in places if place}
