"""Stays for the end of a journey alone: "hotel only for the last night", "the final two nights in Geneva"."""

from ..language.numbers import whole_number
from ..language.tables import words_of
from ..language.text import Text
from .words import NIGHT_UNITS

_WORDS = words_of("dates")

_MOST = 30


def last_nights(text: Text) -> int | None:
    """Return how many of the last nights of a journey a message speaks of, None if of none.

    "Last night" alone is yesterday's.
    """
    for at in text.each_of(_WORDS.last):
        if text.norm(at) not in _WORDS.last or text.norm(at - 1) not in _WORDS.before:
            continue
        count, after = whole_number(text, at + 1) or (1, at + 1)
        if text.norm(after) in NIGHT_UNITS and 0 < count <= _MOST:
            return count
    return None
