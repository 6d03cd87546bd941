"""Feasts and other days that have a name, and the days people have off around them."""

from dataclasses import dataclass

from ..language.text import Phrases, Text, phrases
from .days import Day, MonthDay
from .special_days import EasterDay, NthWeekday

_MONDAY, _THURSDAY = 0, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Feast:
    """A day by its names. "Over" it lasts from `before` days before it to `after` days after it."""

    names: Phrases
    day: Day
    before: int = 1
    after: int = 1


_FEASTS = (
    Feast(names=phrases("christmas eve", "xmas eve"), day=MonthDay(month=12, day=24)),
    Feast(names=phrases("christmas", "christmas day", "xmas", "x-mas"), day=MonthDay(month=12, day=25)),
    Feast(names=phrases("boxing day"), day=MonthDay(month=12, day=26)),
    Feast(
        names=phrases("new year's eve", "new years eve", "nye", "silvester"), day=MonthDay(month=12, day=31)
    ),
    Feast(
        names=phrases("new year", "new years", "new year's", "new year's day", "new years day"),
        day=MonthDay(month=1, day=1),
    ),
    Feast(
        names=phrases("valentine's day", "valentines day", "valentine's", "valentines"),
        day=MonthDay(month=2, day=14),
    ),
    Feast(names=phrases("st patrick's day", "saint patrick's day"), day=MonthDay(month=3, day=17)),
    Feast(names=phrases("independence day"), day=MonthDay(month=7, day=4)),
    Feast(names=phrases("halloween"), day=MonthDay(month=10, day=31)),
    Feast(names=phrases("easter", "easter sunday"), day=EasterDay(), before=2, after=1),
    Feast(names=phrases("good friday"), day=EasterDay(offset=-2)),
    Feast(names=phrases("easter monday"), day=EasterDay(offset=1)),
    Feast(names=phrases("ascension day"), day=EasterDay(offset=39)),
    Feast(names=phrases("pentecost", "whitsun", "whit sunday"), day=EasterDay(offset=49)),
    Feast(
        names=phrases("thanksgiving", "thanksgiving day"),
        day=NthWeekday(nth=4, weekday=_THURSDAY, month=11),
        before=0,
        after=3,
    ),
    Feast(names=phrases("memorial day"), day=NthWeekday(nth=-1, weekday=_MONDAY, month=5), before=2, after=0),
    Feast(
        names=phrases("labor day", "labour day"),
        day=NthWeekday(nth=1, weekday=_MONDAY, month=9),
        before=2,
        after=0,
    ),
)

BEGINNINGS = frozenset(first for feast in _FEASTS for first in feast.names)
"""The words a feast can begin with."""


def find_feast(text: Text, index: int) -> tuple[Feast, int] | None:
    """Return the feast that is named at that token and the index after it; the longest name counts."""
    found = [(feast.names, feast) for feast in _FEASTS if text.match(feast.names, index)]
    if not found:
        return None
    names, feast = max(found, key=lambda each: text.match(each[0], index))
    return feast, index + text.match(names, index)
