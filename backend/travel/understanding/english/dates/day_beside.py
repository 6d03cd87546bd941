"""Days right before or after one that was told: "the night before", "two days before", "the day after"."""

from ..language.numbers import whole_number
from ..language.tables import words_of
from ..language.text import Text
from . import words
from .days import Ahead, Day, SameDay

_WORDS = words_of("dates")

_BESIDE = {"previous": -1, "prior": -1, "preceding": -1, "following": 1, "next": 1}


def read_day_beside(text: Text, at: int) -> tuple[Day, int] | None:
    """Return the day that begins at that token, counted from one told before, and the index after."""
    word, behind = text.norm(at), text.norm(at + 1)
    if word in _WORDS.parts and behind in _WORDS.before_a_day:
        return _counted(text, at + 2, -1)
    if word in _WORDS.parts and behind in _WORDS.later - {"later"}:
        return None if _is_asked(text, at) else _counted(text, at + 2, 1)
    if word in _BESIDE and behind in _WORDS.parts and text.norm(at - 1) == "the":
        return None if _is_asked(text, at) else _counted(text, at + 2, _BESIDE[word])
    count, after = whole_number(text, at) or ((1, at + 1) if word == "a" else (0, at))
    unit = words.DAY_UNITS.get(text.norm(after), words.NIGHT_UNITS.get(text.norm(after), 0))
    if count and unit and text.norm(after + 1) in _WORDS.earlier:
        return _counted(text, after + 2, -count * unit)
    return None


def _counted(text: Text, after: int, days: int) -> tuple[Day, int] | None:
    """The day, unless another follows from which it is counted: "the evening before Christmas"."""
    noun = after + (text.norm(after) in _WORDS.articles)
    end = noun + 1 if text.norm(noun) in _WORDS.it else after
    is_end = end > after or text.norm(end) in words.BOUNDS or text.norm(end) in words.AFTER_A_SPELLED_DAY
    return (Ahead(days=days, base=SameDay()), end) if is_end else None


def _is_asked(text: Text, at: int) -> bool:
    """Whether it is asked when a flight lands: "do I arrive the same day or the day after?"."""
    before = at - 1 - (text.norm(at - 1) == "the")
    return text.norm(before) in _WORDS.landing
