"""Prints the table: a row for each phase, a column for each event, and the differences below."""

from collections.abc import Sequence
from typing import cast

from checks.conformance.suite import Result

PASSED, FAILED, NOT_PLAYED, NOT_APPLICABLE = "pass", "FAIL", "-", "n/a"


def as_table(results: Sequence[Result]) -> str:
    """Return the table, and a line that counts."""
    phases = list(dict.fromkeys(each.phase for each in results))
    events = list(dict.fromkeys(each.event for each in results))
    cells = {(each.phase, each.event): _word(each) for each in results}
    rows = [["", *events]]
    rows += [[phase, *(cells.get((phase, event), NOT_PLAYED) for event in events)] for phase in phases]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    played = [each for each in results if not each.not_applicable]
    passed = sum(each.passed for each in played)
    reasons = {each.phase: each.not_applicable for each in results if each.not_applicable}
    left_out = [f"{phase} is not applicable: {reason}." for phase, reason in reasons.items()]
    return "\n".join([*lines, "", f"{passed} of {len(played)} cells pass.", *left_out])


def _word(result: Result) -> str:
    if result.not_applicable:
        return NOT_APPLICABLE
    return PASSED if result.passed else FAILED


def as_differences(results: Sequence[Result]) -> str:
    """Return the differences of each cell that did not pass; "" where all did."""
    return "\n\n".join(_differences(each) for each in results if not each.passed)


def _differences(result: Result) -> str:
    lines = [f"{result.phase}, {result.event}:"]
    if result.error:
        lines.append(f"  {result.error}")
    lines += [
        f"  {name}: expected {told(expected)}, saw {told(seen)}"
        for name, (expected, seen) in result.differences.items()
    ]
    return "\n".join(lines)


def told(value: object) -> str:
    """Return a value of an outcome in words."""
    if isinstance(value, dict | tuple | str) and not value:
        return "none"
    if isinstance(value, dict):
        named = cast("dict[str, object]", value)
        return ", ".join(f"{name} {each}" for name, each in named.items())
    if isinstance(value, tuple):
        listed = cast("tuple[object, ...]", value)
        return ", ".join(map(str, listed))
    return repr(value)
