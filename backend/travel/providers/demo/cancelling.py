"""Until when a stay or a rental car can be cancelled free of charge."""

from datetime import date, timedelta

NEVER = -1
"""In place of the days before the first one, where cancelling is never free."""


def free_until(days_before: int, first_day: date, *, today: date) -> date | None:
    """Return the last day on which cancelling is free; None if it never was, or that day is over."""
    if days_before == NEVER:
        return None
    until = first_day - timedelta(days=days_before)
    return until if until >= today else None
