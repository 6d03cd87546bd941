"""What a reader finds in a message: the tokens from one index up to another."""

from collections.abc import Iterable
from typing import Protocol

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
