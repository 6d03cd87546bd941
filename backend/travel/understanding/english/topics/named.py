"""The agents that a message has a word of."""

from collections.abc import Collection

from ...places.gazetteer import load_gazetteer
from ...reader import Background
from ...result import Agent
from ...slot_table import FOLLOWERS, searching
from ..language.cars import Cars, asks_for_car
from ..language.tables import phrases_of
from ..language.text import Phrases, Text
from ..places.places import named_places

_SAID = phrases_of("topics")


_NAMES: tuple[tuple[Agent, Phrases], ...] = (("flight", _SAID.flight), ("hotel", _SAID.hotel))


def named_in(text: Text, background: Background) -> tuple[Agent, ...]:
    """Return the agents of which a message has a word; a trip is about flights and hotels.

    Where the request has a rental car, "the car" is that one.
    """
    named = set[Agent](("flight", "hotel") if text.has(_SAID.trip) else ())
    named |= {agent for agent, names in _NAMES if text.has(names)}
    if asks_for_car(text, cars_of(background)):
        named.add("car")
    return searching(named)


def cars_of(background: Background) -> Cars:
    """Return whether rental cars are searched for, and the request has one."""
    if "car" in background.running:
        return "known"
    return "offered" if "car" in background.offered else "none"


def is_of_journey(
    text: Text, background: Background, agents: tuple[Agent, ...], taken: Collection[int]
) -> bool:
    """Return whether a message is about the request before it, of whose month a bare day then is.

    So are the days of a hotel that joins where the journey goes: "hotel in Porto from the 8th to the 12th".
    """
    if set(agents) - FOLLOWERS <= set(background.running):
        return True
    is_joining = "hotel" in agents and {*agents} - FOLLOWERS <= {*background.running, "hotel"}
    if not is_joining or background.stay is None or not background.running:
        return False
    named = named_places(text, load_gazetteer(), taken=taken)
    return all(one.place is not None and one.place.city == background.stay for one in named)
