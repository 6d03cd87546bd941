"""The readers of slots that tell by themselves whom they are for, wherever they stand in a message."""

from collections.abc import Callable, Collection, Iterable

from ...result import Agent
from ...slot_table import ROWS
from ..language.text import Text
from .scores import find_scores
from .slot_mentions import SlotMention
from .times_of_day import find_times_of_day

READERS: tuple[Callable[[Text], Iterable[SlotMention]], ...] = (find_times_of_day, find_scores)


def find_mentions(text: Text, agents: Collection[Agent]) -> tuple[SlotMention, ...]:
    """Return what a message says of the slots of `agents` that have a reader of their own."""
    found = (mention for reader in READERS for mention in reader(text))
    return tuple(mention for mention in found if agent_of(mention) in agents)


def agent_of(mention: SlotMention) -> Agent:
    """Return the agent that a mention is for."""
    return ROWS[next(iter(mention.slots))].agent
