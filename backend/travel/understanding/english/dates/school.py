"""Weeks off school, out of which a day is still to be said: "February half term", "the Easter holidays"."""

from ..language.tables import phrases_of, words_of
from ..language.text import Text, word_set
from .days import Day, MonthDay
from .parts import month_name, skip
from .special_days import Around, EasterDay, HalfTerm, Months

_SAID = phrases_of("dates")
_WORDS = words_of("dates")

_MONTHS_OF_HALF_TERMS = {2: 2, 5: 5, 6: 5, 10: 10, 11: 10}
_SEASONS = {"winter": 2, "spring": 2, "summer": 5, "whitsun": 5, "may": 5, "autumn": 10, "fall": 10}
_SPRING_BREAK = Months(first=3, count=1)
BEGINNINGS = word_set(
    "half halfterm feb february may june oct october nov november whitsun winter spring summer"
) | (word_set("autumn fall easter christmas xmas school"))


def read_school_holidays(text: Text, index: int) -> tuple[Day, int] | None:
    """Return the weeks off school that are named at that token, and the index after."""
    if (
        text.vocabulary.isdisjoint(_WORDS.tell) or "wait" in text.vocabulary
    ):  # "I can't wait for spring break"
        return None
    at = skip(text, skip(text, index, "over"), "the")
    return _half_term(text, at) or _holidays(text, at)


def _half_term(text: Text, at: int) -> tuple[Day, int] | None:
    """ "half term", "the October half term", "half term in February"."""
    name = month_name(text, at)
    season = _SEASONS.get(text.norm(at))
    start = name[1] if name else at + 1 if season else at
    length = text.match(_SAID.half_term, start)
    if not length:
        return None
    after = start + length
    after += text.norm(after) in ("week", "holiday", "holidays", "break")
    behind = month_name(text, after + 1) if text.norm(after) in ("in", "of") else None
    told = name or behind
    month = _MONTHS_OF_HALF_TERMS.get(told[0], 0) if told else season or 0
    return HalfTerm(month=month), behind[1] if behind and not name else after


def _holidays(text: Text, at: int) -> tuple[Day, int] | None:
    if text.norm(at + 1) not in _WORDS.holidays:
        return None
    name = text.norm(at)
    if name == "easter":
        return Around(day=EasterDay(), before=9, after=14), at + 2
    if name in ("christmas", "xmas"):
        return Around(day=MonthDay(month=12, day=25), before=6, after=10), at + 2
    if name == "spring" and text.norm(at + 1) == "break":
        return _SPRING_BREAK, at + 2
    return None
