"""What the reader of one slot finds in a message: the words, and the values they give."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotMention:
    """The tokens from `first` up to `after`, and the values by the names of their slots.

    All slots are of one agent, the same that the words are for; None empties a slot: who wants to fly "after
    6 pm" no longer wants to leave "in the morning".
    """

    first: int
    after: int
    slots: Mapping[str, Any]
    is_counted: bool = True
    """Whether those who count people read the words of children, too."""
