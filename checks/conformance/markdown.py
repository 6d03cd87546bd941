"""Writes the tables of several servers side by side into a page, with a note on each cell that differs."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checks.conformance.report import NOT_PLAYED, told
from checks.conformance.suite import Result

NOTES = Path(__file__).with_name("notes.toml")
BEGIN, END = "<!-- Written by the kit from here on. -->", "<!-- Up to here. -->"
PASSES, NOT_APPLICABLE = "✓", "n/a"


@dataclass(frozen=True, slots=True)
class Played:
    """A server with its versions, and the result of each cell."""

    server: str
    results: Sequence[Result]


def write(page: Path, played: Sequence[Played], day: str) -> None:
    """Replace the kit's part of a page. Raises ValueError if the page has no place for it."""
    before, begin, rest = page.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{page} has no place for the tables: a line {BEGIN}, and a line {END}")
    page.write_text(f"{before}{BEGIN}\n{side_by_side(played, day)}{END}{after}", "utf-8")


def side_by_side(played: Sequence[Played], day: str) -> str:
    """Return the table with the meaning of each letter; each cell has a mark for every server, in order.

    Phases with the same cells share a row.
    """
    notes = _Notes()
    marks = [{(each.phase, each.event): notes.mark(each) for each in server.results} for server in played]
    phases = list(dict.fromkeys(phase for phase, _ in marks[0]))
    events = list(dict.fromkeys(event for _, event in marks[0]))
    alike: dict[tuple[str, ...], list[str]] = {}
    for phase in phases:
        cells = (" ".join(each.get((phase, event), NOT_PLAYED) for each in marks) for event in events)
        alike.setdefault(tuple(cells), []).append(phase)
    rows = [["", *events], ["---"] * (len(events) + 1)]
    rows += [["; ".join(named), *cells] for cells, named in alike.items()]
    return "\n".join(
        [
            f"Played on {day}. In each cell, from left to right:",
            "",
            *(f"{at}. {each.server}: {_count(each.results)}." for at, each in enumerate(played, 1)),
            "",
            *(f"| {' | '.join(row)} |" for row in rows),
            "",
            f"{PASSES} as in the table; {NOT_APPLICABLE} not applicable; {NOT_PLAYED} not played; "
            "a letter: differs.",
            "",
            *notes.lines(),
            "",
        ]
    )


def _count(results: Sequence[Result]) -> str:
    applicable = [each for each in results if not each.not_applicable]
    return f"{sum(each.passed for each in applicable)} of {len(applicable)} cells as in the table"


class _Notes:
    """Gives a letter to each note when a cell first needs it."""

    def __init__(self) -> None:
        self._notes: list[Mapping[str, Any]] = tomllib.loads(NOTES.read_text("utf-8"))["note"]
        self._first: dict[str, Result] = {}

    def mark(self, result: Result) -> str:
        if result.not_applicable:
            return NOT_APPLICABLE
        if result.passed:
            return PASSES
        text = next((each["text"] for each in self._notes if _is_about(each, result)), "")
        key = text or f"{_differences(result)}."
        self._first.setdefault(key, result)
        return chr(ord("a") + list(self._first).index(key))

    def lines(self) -> list[str]:
        """Return the meaning of each letter, with the differences of the first of its cells."""
        return [
            f"- **{chr(ord('a') + at)}** {text} In *{first.phase}, {first.event}*: {_differences(first)}."
            if text != f"{_differences(first)}."
            else f"- **{chr(ord('a') + at)}** {text}"
            for at, (text, first) in enumerate(self._first.items())
        ]


def _is_about(note: Mapping[str, Any], result: Result) -> bool:
    fields = ["error"] if result.error else list(result.differences)
    return (
        result.phase in note.get("phases", [result.phase])
        and result.event in note.get("events", [result.event])
        and sorted(fields) == sorted(note.get("fields", fields))
    )


def _differences(result: Result) -> str:
    return result.error or "; ".join(
        f"`{name}`: the table has {told(expected)}, seen was {told(seen)}"
        for name, (expected, seen) in result.differences.items()
    )
