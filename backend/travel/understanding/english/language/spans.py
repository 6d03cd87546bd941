"""What readers find in a message: the tokens from one index up to another, and what these say."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol

from ...message import Shift
from ...result import Reason, Refused
from .text import Text


class Span(Protocol):
    """The tokens from `first` up to `after`."""

    @property
    def first(self) -> int:
        """The index of the first token."""
        ...

    @property
    def after(self) -> int:
        """The index after the last token."""
        ...


def tokens_of(found: Iterable[Span]) -> set[int]:
    """Return the indexes of all tokens that were found."""
    return {index for each in found for index in range(each.first, each.after)}


def refused_at(text: Text, found: Span, reason: Reason) -> Refused:
    """Return what was found as something that could not be taken, in the user's words."""
    return Refused(said=text.spelled(found.first, found.after), reason=reason)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ShiftMention(Shift):
    """A change told by how much it changes, in the tokens from `first` up to `after`."""

    first: int
    after: int

    @property
    def is_of_days(self) -> bool:
        """Whether it moves a day, which the message itself may tell."""
        return self.count == 0 and bool(self.days or self.months or self.month)

    def is_next_of(self, text: Text) -> bool:
        """Whether it is told by "following", which may be the week after this one as well."""
        return any(text.norm(at) == "following" for at in range(self.first, self.after))

    def told(self, text: Text) -> Shift:
        """Return the change in the words of the message."""
        values: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(Shift)}
        values["said"] = text.spelled(self.first, self.after)
        return Shift(**values)
