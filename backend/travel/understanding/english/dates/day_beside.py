"""Days right before or after one that was told: "the night before", "two days before", "the day after"."""

from ..language.numbers import whole_number
from ..language.text import Text, word_set
from . import words
from .days import Ahead, Day, SameDay

EARLIER = word_set("before prior beforehand early earlier ahead")
_BEFORE_A_DAY = word_set("before prior beforehand")
_PARTS = words.EVE | word_set("morning afternoon")
_BESIDE = {"previous": -1, "prior": -1, "preceding": -1, "following": 1, "next": 1}
_IT = word_set("it that wedding conference meeting event interview party game match concert race marathon")
_LANDING = word_set("arrive arrives get gets land lands or")
_ARTICLES = word_set("the my our her his their your")


def read_day_beside(text: Text, at: int) -> tuple[Day, int] | None:
    """Return the day that begins at that token, counted from one told before, and the index after."""
    word, behind = text.norm(at), text.norm(at + 1)
    if word in _PARTS and behind in _BEFORE_A_DAY:
        return _counted(text, at + 2, -1)
    if word in _PARTS and behind in words.LATER - {"later"}:
        return None if _is_asked(text, at) else _counted(text, at + 2, 1)
    if word in _BESIDE and behind in _PARTS and text.norm(at - 1) == "the":
        return None if _is_asked(text, at) else _counted(text, at + 2, _BESIDE[word])
    count, after = whole_number(text, at) or ((1, at + 1) if word == "a" else (0, at))
    unit = words.DAY_UNITS.get(text.norm(after), words.NIGHT_UNITS.get(text.norm(after), 0))
    if count and unit and text.norm(after + 1) in EARLIER:
        return _counted(text, after + 2, -count * unit)
    return None


def _counted(text: Text, after: int, days: int) -> tuple[Day, int] | None:
    """The day, unless another follows from which it is counted: "the evening before Christmas"."""
    noun = after + (text.norm(after) in _ARTICLES)
    end = noun + 1 if text.norm(noun) in _IT else after
    is_end = end > after or text.norm(end) in words.BOUNDS or text.norm(end) in words.AFTER_A_SPELLED_DAY
    return (Ahead(days=days, base=SameDay()), end) if is_end else None


def _is_asked(text: Text, at: int) -> bool:
    """Whether it is asked when a flight lands: "do I arrive the same day or the day after?"."""
    before = at - 1 - (text.norm(at - 1) == "the")
    return text.norm(before) in _LANDING
