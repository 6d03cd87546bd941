"""The readers of slots that tell by themselves whom they are for, wherever they stand in a message."""

from collections.abc import Callable, Collection, Iterable
from typing import Any

from ....values.travel import City
from ...result import Agent
from ...slot_table import ROWS
from ..language.spans import SlotMention
from ..language.text import Text
from .ages import find_ages
from .budgets import find_budgets
from .car_wishes import find_car_wishes
from .flight_wishes import find_flight_wishes
from .nudges import find_nudges
from .scores import find_scores
from .stay_wishes import find_stay_wishes
from .times_of_day import find_times_of_day
from .unwanted_districts import is_about

READERS: tuple[Callable[[Text], Iterable[SlotMention]], ...] = (
    find_car_wishes,
    find_budgets,
    find_ages,
    find_times_of_day,
    find_nudges,
    find_flight_wishes,
    find_scores,
    find_stay_wishes,
)


def find_mentions(text: Text, agents: Collection[Agent], stay: City | None) -> tuple[SlotMention, ...]:
    """Return what a message says of the slots of `agents` that have a reader of their own.

    `stay` is the city to stay in, as far as it was known before.
    """
    found = (mention for reader in READERS for mention in reader(text) if agent_of(mention) in agents)
    return tuple(mention for mention in found if is_about(mention, text, stay))


def values_of(mentions: Iterable[SlotMention]) -> dict[str, Any]:
    """Return what mentions say by the names of slots; the last one holds, or all where they add up."""
    values: dict[str, Any] = {}
    for mention in mentions:
        for name, value in mention.slots.items():
            known = values.get(name) if ROWS[name].adds_up else None
            values[name] = tuple(dict.fromkeys((*known, *value))) if known and value else value
    return values


def agent_of(mention: SlotMention) -> Agent:
    """Return the agent that a mention is for."""
    return ROWS[next(iter(mention.slots))].agent
