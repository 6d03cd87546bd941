"""Messages that tell why before they tell what: "a wedding on the 17th came up, change it to the 8th-12th".

Behind words of change stands what is wanted; the days and places told before them are the story.
"""

from typing import Protocol, TypeVar

from backend.understanding.text import Text, phrases, word_set

_CHANGE = phrases(
    "change", "move", "switch", "reschedule", "postpone", "push", "schedule", "modify", "shift", "update",
)  # fmt: skip
_CHANGED = word_set(
    "date dates day days reservation reservations booking bookings stay it them that trip flight check"
)
_WORDS_BETWEEN = 4


class Mention(Protocol):
    """Something that a message names, the tokens from `first` on."""

    @property
    def first(self) -> int:
        """Index of its first token."""
        ...


_M = TypeVar("_M", bound=Mention)


def change_at(text: Text) -> int:
    """Return where the last words of change stand that have an object ("change the dates"), -1 if none do."""
    at, found = text.find(_CHANGE), -1
    while at >= 0:
        if any(text.norm(at + ahead) in _CHANGED for ahead in range(1, _WORDS_BETWEEN + 1)):
            found = at
        at = text.find(_CHANGE, at + 1)
    return found


def wanted_after(mentions: tuple[_M, ...], at: int) -> tuple[_M, ...]:
    """Return the mentions behind the words of change at `at`; all of them if none stands there."""
    return tuple(mention for mention in mentions if mention.first > at) or mentions
