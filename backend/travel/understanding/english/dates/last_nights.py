"""Stays for the end of a journey alone: "hotel only for the last night", "the final two nights in Geneva"."""

from ..language.numbers import whole_number
from ..language.text import Text, word_set
from .words import NIGHT_UNITS

_LAST = word_set("last final")
_BEFORE = word_set("the our my for in only just")
_MOST = 30


def last_nights(text: Text) -> int | None:
    """Return how many of the last nights of a journey a message speaks of, None if of none.

    "Last night" alone is yesterday's.
    """
    for at in text.each_of(_LAST):
        if text.norm(at) not in _LAST or text.norm(at - 1) not in _BEFORE:
            continue
        count, after = whole_number(text, at + 1) or (1, at + 1)
        if text.norm(after) in NIGHT_UNITS and 0 < count <= _MOST:
            return count
    return None
