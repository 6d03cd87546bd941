"""A day as people name it ("the 12th", "next Friday", "in May"), and which days of the calendar it can be.

Each kind of naming resolves against `today` and a `floor`, the earliest day that makes sense: today, or
for a return the day of departure. Readings come best first. What people leave out rolls forward: a date
without a year is the next such date, a weekday the next one.
"""

from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal, Protocol

from ...calendar import later, valid

Part = Literal[
    "whole", "early", "middle", "late", "first half", "second half", "week 1", "week 2", "week 3", "week 4",
    "last week",
]  # fmt: skip
Which = Literal["coming", "this", "next", "following"]

_PARTS: dict[Part, tuple[int, int]] = {
    "whole": (1, 31),
    "early": (1, 10),
    "middle": (11, 20),
    "late": (21, 31),
    "first half": (1, 15),
    "second half": (16, 31),
    "week 1": (1, 7),
    "week 2": (8, 14),
    "week 3": (15, 21),
    "week 4": (22, 28),
    "last week": (25, 31),
}


SATURDAY = 5
_A_DAY, _A_WEEK = timedelta(days=1), timedelta(days=7)
_DAYS_OF_A_WEEK: dict[Part, tuple[int, int]] = {"early": (0, 2), "middle": (1, 3), "late": (3, 6)}


@dataclass(frozen=True, slots=True)
class Reading:
    """The days that are meant: one, two for a weekend, or a period out of which one is still to be said."""

    start: date
    end: date
    approximate: bool = False


class Day(Protocol):
    """Any way to name a day."""

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the days that can be meant, best first; none if the calendar has no such day."""
        ...


def on(day: date) -> Reading:
    """Return the reading of a single day."""
    return Reading(day, day)


def _from(base: date, first: date, last: date) -> Reading:
    """A period, of which the days before `base` are over."""
    return Reading(min(max(first, base), last), last, approximate=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """So much after another day, which is today unless `base` says otherwise: "tomorrow", "in 3 weeks"."""

    days: int = 0
    months: int = 0
    base: Day | None = None

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return that day, for each reading of the base."""
        bases = [reading.start for reading in self.base.readings(today, floor)] if self.base else [today]
        days = [later(base, days=self.days, months=self.months) for base in bases]
        return tuple(on(day) for day in days if day)


@dataclass(frozen=True, slots=True)
class SameDay:
    """The day that was named before: "back the same evening"."""

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the floor, which is the day of departure where this is a return."""
        del today
        return (on(floor),)


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthDay:
    """A day of a month: "10 December". With `or_swapped` ("10/12") month and day may be exchanged.

    Where a `weekday` is told that it is not ("Friday 12 December"), the day counts, and the weekday nearest
    to it is another reading.
    """

    month: int
    day: int
    year: int | None = None
    or_swapped: bool = False
    weekday: int | None = None

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the next such day from `floor`; of two readings the one that does not lie behind."""
        del today
        day = self._next(self.month, self.day, floor)
        swapped = self._next(self.day, self.month, floor) if self.or_swapped else None
        days = dict.fromkeys(found for found in (day, swapped) if found)
        ahead = [found for found in days if found >= floor] or list(days)[:1]
        return tuple(on(found) for found in (*ahead, *self._by_weekday(ahead, floor)))

    def _by_weekday(self, days: list[date], floor: date) -> list[date]:
        """The weekday that was told, nearest to the day, where it is another day."""
        if not days or self.weekday is None or days[0].weekday() == self.weekday:
            return []
        ahead = (self.weekday - days[0].weekday() + 3) % 7 - 3
        nearest = later(days[0], days=ahead)
        return [nearest] if nearest and nearest >= floor else []

    def _next(self, month: int, day: int, floor: date) -> date | None:
        if self.year is not None:
            return valid(self.year, month, day)
        # A leap day may be eight years away (from 1896 to 1904, from 2096 to 2104).
        candidates = (valid(floor.year + ahead, month, day) for ahead in range(9))
        return next((found for found in candidates if found and found >= floor), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class DayOfMonth:
    """A bare day: "the 12th". With `months_ahead` that of this month (0), or of the next (1).

    With `is_following` ("of the following month") the months count from the floor instead of today. With a
    `weekday` ("Mon 14") it is in the first month that has it on that day, if one of the next twelve has.
    """

    day: int
    months_ahead: int | None = None
    is_following: bool = False
    weekday: int | None = None

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the next day from `floor` that bears this number, or the one of the month that is said."""
        if self.months_ahead is not None:
            base = floor if self.is_following else today
            first = later(base.replace(day=1), months=self.months_ahead)
            named = first and valid(first.year, first.month, self.day)
            return (on(named),) if named else ()
        found: tuple[Reading, ...] = ()
        for ahead in range(12):
            first = later(floor.replace(day=1), months=ahead)
            day = first and valid(first.year, first.month, self.day)
            if day and day >= floor:
                if self.weekday in (None, day.weekday()):
                    return (on(day),)
                found = found or (on(day),)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Weekday:
    """A day of the week, 0 for Monday.

    "Friday" is the next one. "Next Friday" is the one of next week, unless this week's has passed, when it
    is the next one as well; the other reading is given along with it. It counts from today, whatever the
    floor, and "the following Friday" likewise from the floor.
    """

    weekday: int
    which: Which = "coming"

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the days that are meant, best first."""
        if self.which == "next" and floor > today:
            return tuple(on(self._from(reading.start, floor)) for reading in self.readings(today, today))
        base = floor if self.which == "following" else max(today, floor)
        ahead = (self.weekday - base.weekday()) % 7
        soonest = base + timedelta(days=ahead)
        coming = soonest + timedelta(days=7) if ahead == 0 else soonest
        if self.which == "this":
            return (on(soonest),)
        same_week = ahead > 0 and self.weekday > base.weekday()
        if self.which == "following" and same_week and floor > today:
            return on(coming), on(coming + timedelta(days=7))  # the one that follows the day that was told
        if self.which in ("next", "following") and same_week:
            return on(coming + timedelta(days=7)), on(coming)
        if self.which == "coming" and ahead == 0 and base == today:
            return on(coming), on(today)
        return (on(coming),)

    def _from(self, day: date, floor: date) -> date:
        """The same day of the week, as many weeks later as it takes to reach the floor."""
        weeks = max(0, -(-(floor - day).days // 7))
        return day + timedelta(weeks=weeks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weekend:
    """Saturday to Sunday: the coming ones, or so many `weeks` later; then those before may be meant, too."""

    weeks: int = 0

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the weekend, from today if it has begun."""
        base = max(today, floor)
        sunday = base + timedelta(days=6 - base.weekday(), weeks=self.weeks)
        before = sunday - _A_WEEK
        weekends = [sunday, before] if self.weeks else [sunday]
        return tuple(Reading(max(last - _A_DAY, base), last) for last in weekends)


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """A week, or its beginning or end, out of which a day is still to be said.

    `weeks` counts from the running one.
    """

    weeks: int
    part: Part = "whole"

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return Monday to Sunday of that week, from `floor` at the earliest."""
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=self.weeks)
        first, last = (monday + timedelta(days=day) for day in _DAYS_OF_A_WEEK.get(self.part, (0, 6)))
        return (_from(max(today, floor), first, last),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """A month, or part of it, out of which a day is still to be said.

    Named by its number, or if `month` is 0 by how many months it lies `ahead` of the running one.
    """

    month: int = 0
    ahead: int = 0
    year: int | None = None
    part: Part = "whole"

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the next such period that has not ended by `floor`, without the days before it."""
        base = max(today, floor)
        if self.month == 0:
            first = later(today.replace(day=1), months=self.ahead)
            firsts = [first] if first else []
        else:
            years = (base.year, base.year + 1) if self.year is None else (self.year,)
            firsts = [first for year in years if (first := valid(year, self.month, 1))]
        for first in firsts:
            from_day, to_day = _PARTS[self.part]
            start = first.replace(day=from_day)
            last_day = monthrange(first.year, first.month)[1]
            end = first.replace(day=min(to_day, last_day))
            start = end.replace(day=last_day - 6) if self.part == "last week" else start
            if end >= base or self.year is not None:
                return (_from(base, start, end),)
        return ()


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


def _years_from(floor: date) -> range:
    return range(floor.year, min(floor.year + 2, 9998) + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class EasterDay:
    """A day so many days after Easter Sunday; before it, if negative."""

    offset: int = 0

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the next such day from `floor`."""
        del today
        days = (easter(year) + timedelta(days=self.offset) for year in _years_from(floor))
        return next(((on(day),) for day in days if day >= floor), ())


@dataclass(frozen=True, slots=True, kw_only=True)
class NthWeekday:
    """The `nth` such weekday of a month, the last one if -1; day of it, without one.

    A weekend is told by its Saturday. The month has its number, or with 0 lies `ahead` of the running one by
    so many. The weekdays are counted `since` a day of it.
    """

    nth: int
    weekday: int | None
    month: int = 0
    ahead: int = 0
    year: int | None = None
    is_weekend: bool = False
    since: int = 1

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the next such day from `floor`; none if the month has no fifth one."""
        if self.month == 0:
            aheads = (0, 1) if self.ahead == 0 else (self.ahead,)
            running = today if self.ahead else max(today, floor)
            months = (later(running.replace(day=1), months=ahead) for ahead in aheads)
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
        last = first.replace(day=monthrange(first.year, first.month)[1])
        if self.weekday is None:
            return last if self.nth < 0 else first + timedelta(days=self.nth - 1)
        if self.nth > 0:
            counted = first.replace(day=self.since)
            day = self.since + (self.weekday - counted.weekday()) % 7 + 7 * (self.nth - 1)
            return valid(first.year, first.month, day)
        return last - timedelta(days=(last.weekday() - self.weekday) % 7)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfPeriod:
    """Part of the month that was told before, or one of its weekends: "the second weekend then"."""

    of: Month | NthWeekday

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return what it is in the month of the floor."""
        return replace(self.of, month=floor.month, year=floor.year).readings(today, floor)


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
            first = base.start - _A_WEEK if self.is_before else base.end + _A_DAY
            return Reading(first, first + 6 * _A_DAY, approximate=True)
        weekday = SATURDAY if self.unit == "weekend" else self.unit
        if self.is_before:
            day = base.start - timedelta(days=(base.start.weekday() - weekday - 1) % 7 + 1)
        else:
            day = base.end + timedelta(days=(weekday - base.end.weekday() - 1) % 7 + 1)
        return Reading(day, day + _A_DAY) if self.unit == "weekend" else on(day)


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """Days around another, from so many before to so many after it: those off at a feast, "over Easter".

    Of a period ("the Easter holidays") one is still to be said.
    """

    day: Day
    before: int
    after: int
    is_period: bool = False

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the days; of a period the next that has not ended, from `floor` at the earliest."""
        before, after = timedelta(days=self.before), timedelta(days=self.after)
        if not self.is_period:
            found = self.day.readings(today, floor + before)
            return tuple(Reading(one.start - before, one.end + after) for one in found)
        base = max(today, floor)
        found = self.day.readings(today, base - after)[:1]
        return tuple(_from(base, one.start - before, one.start + after) for one in found)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekendAt:
    """The weekend in the week of another day; with `is_near` the nearest, or that on its other side."""

    day: Day
    is_near: bool = False

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the weekend, for each reading of the day; the nearest one of those to come."""
        found = [one.start for one in self.day.readings(today, floor)]
        saturdays = [day + timedelta(days=SATURDAY - day.weekday()) for day in found]
        if self.is_near:
            several = (saturday + _A_WEEK * weeks for saturday in saturdays[:1] for weeks in (-1, 0, 1))
            ahead = [saturday for saturday in several if saturday >= max(today, floor)]
            saturdays = sorted(ahead, key=lambda saturday: abs(saturday - found[0]))[:2]
        return tuple(Reading(saturday, saturday + _A_DAY) for saturday in saturdays)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekAt:
    """The week in which another day lies, out of which one is still to be said: "the week of 18 January"."""

    day: Day

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return Monday to Sunday of it, for each reading of the day."""
        found = [one.start for one in self.day.readings(today, floor)]
        mondays = [day - timedelta(days=day.weekday()) for day in found]
        return tuple(_from(max(today, floor), monday, monday + 6 * _A_DAY) for monday in mondays)


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
                return (_from(base, start, after - _A_DAY),)
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One day or another: "on Friday or Saturday"; or whichever comes first: "the bank holiday"."""

    days: tuple[Day, ...]
    is_soonest: bool = False

    def readings(self, today: date, floor: date) -> tuple[Reading, ...]:
        """Return the readings of them all, those of the first one first; or only the soonest."""
        found = [reading for day in self.days for reading in day.readings(today, floor)[:1]]
        several = tuple(dict.fromkeys(found))
        return tuple(sorted(several, key=lambda one: one.start)[:1]) if self.is_soonest else several
