"""Days that are named by what they are near to or how they are counted: "the second Saturday of May",
"Easter", "the Friday before Christmas", "in summer", "Friday or Saturday".

They resolve as the days in `days` do.
"""

from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from ...calendar import later, valid
from .days import Day, Reading, on

SATURDAY = 5
_A_DAY = timedelta(days=1)


def easter(year: int) -> date:
    """Return Easter Sunday of a year of the Gregorian calendar.

    This is the anonymous algorithm as J. Meeus gives it (Astronomical Algorithms, chapter 8), without loops
    or tables: `moon` is the age of the moon on which the full moon of spring depends.
    """
    golden = year % 19
    century, of_century = divmod(year, 100)
    leap_centuries, century_rest = divmod(century, 4)
    shift = (century - (century + 8) // 25 + 1) // 3
    moon = (19 * golden + century - leap_centuries - shift + 15) % 30
    leaps, leap_rest = divmod(of_century, 4)
    to_sunday = (32 + 2 * century_rest + 2 * leaps - moon - leap_rest) % 7
    late = (golden + 11 * moon + 22 * to_sunday) // 451
    month, day = divmod(moon + to_sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def _years_from(floor: date) -> Iterator[int]:
    return iter(range(floor.year, min(floor.year + 2, 9998) + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class EasterDay:
    """A day so many days after Easter Sunday; before it, if negative."""

    offset: int = 0
    year: int | None = None

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the next such day from `floor`."""
        del today
        years = [self.year] if self.year else _years_from(floor)
        days = (easter(year) + timedelta(days=self.offset) for year in years)
        return next(((on(day),) for day in days if day >= floor or self.year), ())


@dataclass(frozen=True, slots=True, kw_only=True)
class NthWeekday:
    """The `nth` such weekday of a month, the last one if -1. A weekend is told by its Saturday.

    The month has its number, or with 0 lies `ahead` of the running one by so many.
    """

    nth: int
    weekday: int
    month: int = 0
    ahead: int = 0
    year: int | None = None
    is_weekend: bool = False

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the next such day from `floor`; none if the month has no fifth one."""
        if self.month == 0:
            aheads = (self.ahead, self.ahead + 1) if self.ahead == 0 else (self.ahead,)
            months = (later(today.replace(day=1), months=ahead) for ahead in aheads)
            firsts = [first for first in months if first]
        else:
            years = [self.year] if self.year else _years_from(floor)
            firsts = [date(year, self.month, 1) for year in years]
        for first in firsts:
            day = self._in_month(first)
            if day is None and first >= floor.replace(day=1):
                return ()
            if day and (day >= floor or self.year):
                return (Reading(day, day + _A_DAY if self.is_weekend else day),)
        return ()

    def _in_month(self, first: date) -> date | None:
        if self.nth > 0:
            day = 1 + (self.weekday - first.weekday()) % 7 + 7 * (self.nth - 1)
            return valid(first.year, first.month, day)
        last = first.replace(day=monthrange(first.year, first.month)[1])
        return last - timedelta(days=(last.weekday() - self.weekday) % 7)


@dataclass(frozen=True, slots=True, kw_only=True)
class NthWeekendOfPeriod:
    """The `nth` weekend of the month that was told before: "the second weekend then"."""

    nth: int

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return that weekend of the month of the floor."""
        weekend = NthWeekday(
            nth=self.nth, weekday=SATURDAY, month=floor.month, year=floor.year, is_weekend=True
        )
        return weekend.readings(today, floor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """The weekday, weekend or week right before or after another day.

    A weekday is told by its number; of a week the day is still to be said.
    """

    unit: int | Literal["weekend", "week"]
    base: Day
    is_before: bool

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return those days, for each reading of the base."""
        return tuple(self._beside(reading) for reading in self.base.readings(today, floor))

    def _beside(self, base: Reading) -> Reading:
        if self.unit == "week":
            if self.is_before:
                return Reading(base.start - timedelta(days=7), base.start - _A_DAY, approximate=True)
            return Reading(base.end + _A_DAY, base.end + timedelta(days=7), approximate=True)
        weekday = SATURDAY if self.unit == "weekend" else self.unit
        if self.is_before:
            day = base.start - timedelta(days=(base.start.weekday() - weekday - 1) % 7 + 1)
        else:
            day = base.end + timedelta(days=(weekday - base.end.weekday() - 1) % 7 + 1)
        return Reading(day, day + _A_DAY) if self.unit == "weekend" else on(day)


@dataclass(frozen=True, slots=True, kw_only=True)
class OnOrBefore:
    """The weekday on which another day is, or the last such one before it."""

    weekday: int
    base: Day

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return that day, for each reading of the base."""
        bases = (reading.start for reading in self.base.readings(today, floor))
        return tuple(on(day - timedelta(days=(day.weekday() - self.weekday) % 7)) for day in bases)


@dataclass(frozen=True, slots=True, kw_only=True)
class Over:
    """The days around a feast that people have off: "over Easter"."""

    day: Day
    before: int
    after: int

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the days, so many before and after it."""
        found = self.day.readings(today, floor + timedelta(days=self.before))
        days, ahead = timedelta(days=self.before), timedelta(days=self.after)
        return tuple(Reading(one.start - days, one.end + ahead) for one in found)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekendOf:
    """The weekend that is in the same week as another day."""

    day: Day

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the weekend, for each reading of the day."""
        found = self.day.readings(today, floor)
        saturdays = (one.start + timedelta(days=SATURDAY - one.start.weekday()) for one in found)
        return tuple(Reading(saturday, saturday + _A_DAY) for saturday in saturdays)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekendNear:
    """The weekend that is nearest to another day: "in three weeks for the weekend"."""

    day: Day

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the nearest weekend, then that on the other side of the day, if it is one to come."""
        for one in self.day.readings(today, floor):
            behind = one.start - timedelta(days=(one.start.weekday() - SATURDAY) % 7)
            ahead = behind + timedelta(days=7)
            is_behind = one.start - behind < ahead - one.start
            both = (behind, ahead) if is_behind else (ahead, behind)
            return tuple(Reading(day, day + _A_DAY) for day in both if day >= max(today, floor))
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Months:
    """Several months in a row, out of which a day is still to be said: a season, or a year."""

    first: int
    count: int
    years_ahead: int | None = None
    year: int | None = None

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the next such months that have not ended by `floor`, without the days before it."""
        base = max(today, floor)
        if self.year or self.years_ahead is not None:
            years = [self.year or today.year + (self.years_ahead or 0)]
        else:
            years = [base.year - 1, base.year, base.year + 1]
        for year in years:
            start = valid(year, self.first, 1)
            after = start and later(start, months=self.count)
            if start and after and (after > base or self.year):
                return (Reading(min(max(start, base), after - _A_DAY), after - _A_DAY, approximate=True),)
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One day or another: "on Friday or Saturday"."""

    days: tuple[Day, ...]

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the readings of them all, those of the first one first."""
        found = (day.readings(today, floor)[:1] for day in self.days)
        return tuple(dict.fromkeys(reading for some in found for reading in some))


@dataclass(frozen=True, slots=True, kw_only=True)
class Soonest:
    """Whichever of several days comes first: "the bank holiday"."""

    days: tuple[Day, ...]

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the first of their readings from the floor."""
        found = [reading for day in self.days for reading in day.readings(today, floor)[:1]]
        return (min(found, key=lambda one: one.start),) if found else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfTerm:
    """The week off in the middle of an English school term, with the weekends around it.

    In February it begins with the Monday from the 12th to the 18th, in May and October with the last Monday.
    """

    month: int = 0

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return Saturday to Sunday of the next one that has not ended by `floor`."""
        base = max(today, floor)
        for year in _years_from(base):
            for month in (self.month,) if self.month else _HALF_TERMS:
                monday = _monday_of_half_term(year, month)
                first, last = monday - timedelta(days=2), monday + timedelta(days=6)
                if last >= base:
                    return (Reading(max(first, base), last, approximate=True),)
        return ()


_FEBRUARY = 2
_HALF_TERMS = (_FEBRUARY, 5, 10)
_EARLIEST_IN_FEBRUARY = 12


def _monday_of_half_term(year: int, month: int) -> date:
    if month == _FEBRUARY:
        first = date(year, month, _EARLIEST_IN_FEBRUARY)
        return first + timedelta(days=-first.weekday() % 7)
    last = date(year, month, monthrange(year, month)[1])
    return last - timedelta(days=last.weekday())


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """Some weeks around a feast, out of which a day is still to be said: "the Easter holidays"."""

    day: Day
    before: int
    after: int

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the days, so many before and after the feast, from `floor` at the earliest."""
        base = max(today, floor)
        found = self.day.readings(today, base - timedelta(days=self.after))
        first, last = timedelta(days=self.before), timedelta(days=self.after)
        return tuple(
            Reading(max(one.start - first, base), one.start + last, approximate=True) for one in found[:1]
        )
