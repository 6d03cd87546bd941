"""The tables that `python -m checks.bench` prints."""

from collections.abc import Sequence

from checks.bench.figures import Figure
from checks.bench.goals import Goal

FLOORS = ("thin with saver", "thin", "empty page")
"""What the others are compared with: the first of these that a figure has."""


def number(value: float | None) -> str:
    if value is None:
        return "-"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


def cell(figure: Figure, server: str) -> str:
    """The median, its range in brackets if there are several samples, and its ratio to the floor's."""
    value = figure.value(server)
    if value is None:
        return ""
    samples = figure.samples[server]
    text = number(value)
    if len(samples) > 1:
        text += f" [{number(min(samples))}-{number(max(samples))}]"
    floor = next((each for each in FLOORS if each in figure.samples), None)
    ratio = None if floor is None or server == floor else figure.ratio(server, floor)
    return text if ratio is None else f"{text} x{ratio:.2f}"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def figures_table(figures: Sequence[Figure]) -> str:
    """One row a figure, one column a server; x is the ratio to the floor."""
    servers = list(dict.fromkeys(server for figure in figures for server in figure.samples))
    rows = [["", "unit", *servers]]
    for figure in figures:
        rows.append([figure.name, figure.unit, *(cell(figure, server) for server in servers)])
    return aligned(rows)


def goals_table(goals: Sequence[Goal], figures: Sequence[Figure]) -> str:
    rows: list[list[str]] = []
    for goal in goals:
        reached = goal.reached(figures)
        if reached is None:
            rows.append(["not measured", str(goal), ""])
        else:
            value, met = reached
            rows.append(["met" if met else "NOT MET", str(goal), number(value)])
    return aligned(rows)
