"""Days counted on in the calendar that Python has, which ends in the year 9999."""

from calendar import monthrange
from datetime import date, timedelta

_LAST_YEAR = 9998
_DAYS_AT_MOST = 40_000


def valid(year: int, month: int, day: int) -> date | None:
    """Return that date, or None if the calendar (or Python's) does not have it."""
    if 1 <= year <= _LAST_YEAR and 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]:
        return date(year, month, day)
    return None


def later(day: date, *, days: int = 0, months: int = 0) -> date | None:
    """Return the day so much later, the last of a shorter month; None beyond the year 9998."""
    month = day.month - 1 + months
    year, month = day.year + month // 12, month % 12 + 1
    if not 1 <= year <= _LAST_YEAR or abs(days) > _DAYS_AT_MOST:
        return None
    moved = day.replace(year=year, month=month, day=min(day.day, monthrange(year, month)[1]))
    return moved + timedelta(days=days) if moved.year + abs(days) // 365 < _LAST_YEAR else None
