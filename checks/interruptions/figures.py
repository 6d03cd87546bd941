"""Counts and percentiles of interruptions, and the Markdown tables that show them."""

from collections.abc import Iterable, Sequence

Closing = float | None
"""Seconds from the POST of an interruption to the closed stream; None if the stream ran to its end."""


def lost(closings: Iterable[Closing], *, after_s: float) -> int:
    """Count the interruptions that were lost: the stream ran to its end, or closed later than that."""
    return sum(each is None or each > after_s for each in closings)


def percentile_ms(closings: Iterable[Closing], percent: int) -> float | None:
    """Return a percentile by nearest rank, in milliseconds, of the streams that were closed; None of none."""
    times = sorted(each for each in closings if each is not None)
    return times[max(0, -(-len(times) * percent // 100) - 1)] * 1000 if times else None


def in_ms(value: float | None) -> str:
    """Return milliseconds as a cell."""
    return "-" if value is None else f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def percentiles(closings: Sequence[Closing]) -> list[str]:
    """Return two cells: p50 and p99."""
    return [in_ms(percentile_ms(closings, percent)) for percent in (50, 99)]


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
