"""The only place that reads the time; everything else is handed a `Clock`."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Returns the current time, in UTC and aware."""


def system_clock() -> datetime:
    """Return the machine's current time in UTC."""
    return datetime.now(UTC)  # noqa: TID251


def to_wire(at: datetime) -> str:
    """Return a time as the contract writes it: UTC, ISO 8601, milliseconds, `Z`."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
