"""Feasts and other days that have a name, and the days people have off around them."""

from dataclasses import dataclass

from ..language.text import Phrases, Text, phrases
from .days import Day, MonthDay
from .parts import skip
from .special_days import EasterDay, NthWeekday, Over, Soonest, WeekendOf

_MONDAY, _THURSDAY = 0, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Feast:
    """A day by its names. "Over" it lasts from `before` days before it to `after` days after it."""

    names: Phrases
    day: Day
    before: int = 1
    after: int = 1


_EARLY_MAY = NthWeekday(nth=1, weekday=_MONDAY, month=5)
_LATE_MAY = NthWeekday(nth=-1, weekday=_MONDAY, month=5)
_LATE_AUGUST = NthWeekday(nth=-1, weekday=_MONDAY, month=8)
_BANK_HOLIDAYS: tuple[Day, ...] = (EasterDay(offset=1), _EARLY_MAY, _LATE_MAY, _LATE_AUGUST)
"""Those of the United Kingdom that make a long weekend, but for Christmas and New Year, which people name."""


def _on_a_monday(day: Day, *names: str) -> Feast:
    """A feast that gives a long weekend: people have the Saturday and the Sunday before it off as well."""
    return Feast(names=phrases(*names), day=day, before=2, after=0)


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
    Feast(
        names=phrases(
            "st patrick's day", "saint patrick's day", "st patricks day", "st patrick's", "st patricks",
            "saint patrick's", "st. patrick's day", "st. patricks day", "st. patrick's", "st paddy's day",
            "st paddys day", "paddy's day", "paddys day",
        ),
        day=MonthDay(month=3, day=17),
    ),
    Feast(names=phrases("australia day"), day=MonthDay(month=1, day=26)),
    Feast(names=phrases("king's day", "kings day"), day=MonthDay(month=4, day=27)),
    Feast(names=phrases("juneteenth"), day=MonthDay(month=6, day=19)),
    Feast(names=phrases("canada day"), day=MonthDay(month=7, day=1)),
    Feast(
        names=phrases("fourth of july", "july fourth", "july 4th", "4th of july", "independence day"),
        day=MonthDay(month=7, day=4),
    ),
    Feast(names=phrases("bastille day"), day=MonthDay(month=7, day=14)),
    Feast(names=phrases("halloween"), day=MonthDay(month=10, day=31)),
    Feast(names=phrases("all saints day", "all saints' day", "all saints"), day=MonthDay(month=11, day=1)),
    Feast(names=phrases("veterans day", "veteran's day", "veterans' day"), day=MonthDay(month=11, day=11)),
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
    _on_a_monday(
        NthWeekday(nth=3, weekday=_MONDAY, month=1),
        "mlk day", "mlk", "martin luther king day", "martin luther king jr day", "martin luther king",
    ),
    _on_a_monday(
        NthWeekday(nth=3, weekday=_MONDAY, month=2), "presidents day", "presidents' day", "president's day"
    ),
    _on_a_monday(
        _EARLY_MAY,
        "early may bank holiday", "may day bank holiday", "may bank holiday", "first may bank holiday",
        "bank holiday in may", "first bank holiday in may", "may day",
    ),
    _on_a_monday(
        _LATE_MAY,
        "spring bank holiday", "late may bank holiday", "second may bank holiday",
        "second bank holiday in may", "whitsun bank holiday", "end of may bank holiday", "memorial day",
    ),
    _on_a_monday(_LATE_AUGUST, "august bank holiday", "summer bank holiday", "bank holiday in august"),
    _on_a_monday(NthWeekday(nth=1, weekday=_MONDAY, month=9), "labor day", "labour day"),
    _on_a_monday(
        NthWeekday(nth=2, weekday=_MONDAY, month=10),
        "columbus day", "indigenous peoples day", "indigenous peoples' day", "canadian thanksgiving",
        "thanksgiving in canada",
    ),
    _on_a_monday(
        Soonest(days=_BANK_HOLIDAYS), "bank holiday", "bank hol", "uk bank holiday", "next bank holiday"
    ),
)  # fmt: skip

BEGINNINGS = frozenset(first for feast in _FEASTS for first in feast.names)
"""The words a feast can begin with."""


def find_feast(text: Text, index: int) -> tuple[Feast, int] | None:
    """Return the feast that is named at that token and the index after it; the longest name counts."""
    if text.norm(index) not in BEGINNINGS:
        return None
    found = [(feast.names, feast) for feast in _FEASTS if text.match(feast.names, index)]
    if not found:
        return None
    names, feast = max(found, key=lambda each: text.match(each[0], index))
    return feast, index + text.match(names, index)


def read_feast(text: Text, index: int) -> tuple[Day, int] | None:
    """Return the days of a feast, and the index after: "Christmas", "over Easter", "Easter weekend"."""
    is_over = text.norm(index) == "over"
    found = find_feast(text, skip(text, index + 1, "the") if is_over else index)
    if found is None:
        return None
    feast, after = found
    if text.norm(after) == "weekend" and not is_over:
        weekend = WeekendOf(day=feast.day) if isinstance(feast.day, MonthDay) else None
        return weekend or Over(day=feast.day, before=feast.before, after=feast.after), after + 1
    return (Over(day=feast.day, before=feast.before, after=feast.after) if is_over else feast.day), after
