"""What of a request nothing is searched by: the user's own words, and names that no search knows."""

from collections.abc import Iterator

from .queries import searched_value
from .result import Agent, Understanding
from .slot_table import rows_of, searched_by, searching


def unused_of(understanding: Understanding) -> tuple[str, ...]:
    """Return the wishes of a request that are not used, for clients to show beside what is.

    Those of earlier messages are among them, as long as the request is the same.
    """
    agents = searching(understanding.wanted or understanding.agents)
    values = (value for agent in agents for value in _unsearched(agent, understanding))
    return tuple(dict.fromkeys((*understanding.unused, *values)))


def assumed_of(agent: Agent, understanding: Understanding) -> list[str]:
    """Return the fields of an agent's request that nobody said: taken from the other agent, or by default."""
    slots = understanding.of(agent)
    by_default = [
        slot.field
        for slot in rows_of(agent)
        if slot.default not in (None, "") and getattr(slots, slot.field) == slot.empty
    ]
    if agent == "hotel" and slots.last_day is not None and slots.told_last_day is None:
        by_default.append("check_out")
    others = [name.partition(".")[2] for name in understanding.assumed if name.startswith(f"{agent}.")]
    return sorted({*by_default, *others})


def _unsearched(agent: Agent, understanding: Understanding) -> Iterator[str]:
    """Names that no search takes, as that of a part of a city that it does not know."""
    slots = understanding.of(agent)
    for slot in searched_by(agent):
        value = getattr(slots, slot.field)
        if slot.type is str and value and searched_value(slot, slots) == slot.default:
            yield value
