"""Plays the whole table against one server, and compares each cell with its outcomes."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, cast

from checks.conformance.phases import EVENTS, PHASES, Phase
from checks.conformance.play import Cell
from checks.conformance.server import Server
from checks.conformance.table import Outcome, Table
from checks.conformance.world import World

KILLED = "process killed"
AT_ONCE = "both at once"
STEERED = "steered"
SIDE_BY_SIDE = 12
"""How many cells are played at the same time."""

PATIENCE_S = 10.0
"""How long to wait for anything that has to happen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of a cell; `error` is set where it could not be played to its end.

    `not_applicable` is the reason for which the server cannot be brought to its phase: it was not played.
    """

    phase: str
    event: str
    expected: tuple[Outcome, ...]
    seen: Outcome | None = None
    error: str = ""
    not_applicable: str = ""

    @property
    def differences(self) -> dict[str, tuple[Any, Any]]:
        """The differences from the closest outcome: by field, the expected value and the seen one."""
        if self.seen is None:
            return {}
        differences = [each.differences(self.seen) for each in self.expected]
        return min(differences, key=lambda each: ("old" in each, len(each)))

    @property
    def passed(self) -> bool:
        """Whether it matches one of its outcomes."""
        return not self.error and not self.differences

    def to_json(self) -> dict[str, Any]:
        """Return it as values for JSON."""
        return {
            "phase": self.phase,
            "event": self.event,
            "passed": self.passed,
            "error": self.error,
            "not_applicable": self.not_applicable,
            "differences": {
                name: {"expected": expected, "seen": seen}
                for name, (expected, seen) in self.differences.items()
            },
            "seen": self.seen.to_json() if self.seen else None,
        }


async def play_all(
    server: Server,
    table: Table,
    *,
    phases: Collection[str] = (),
    events: Collection[str] = (),
    patience_s: float = PATIENCE_S,
) -> list[Result]:
    """Play every cell, or those of some phases and events; start the server, and close it at the end.

    Cells without a killed process are played side by side, each by a user of its own; one of two things at
    once by two, for either order in which they are sent. For the others all tasks are brought to their
    phases, and the process is then killed once. What does not happen within `patience_s` fails its cell.
    """
    chosen = [
        (phase, event)
        for phase in PHASES
        for event in EVENTS
        if (not phases or phase.name in phases) and (not events or event in events)
        if event != STEERED or server.steers
    ]
    async with World() as world:
        cells = [
            Cell(
                server=server,
                world=world,
                phase=phase,
                event=event,
                expected=_translated(server, table, phase, event),
                patience_s=patience_s,
                stop_first=stop_first,
            )
            for phase, event in chosen
            if phase.name not in server.not_applicable
            for stop_first in ((False, True) if event == AT_ONCE else (False,))
        ]
        try:
            await server.start(world.address)
            living = await _each([each for each in cells if each.event != KILLED], _play)
            killed = await _play_killed(server, world, [each for each in cells if each.event == KILLED])
        finally:
            await server.close()
    results: dict[tuple[str, str], Result] = {}
    for each in [*living, *killed]:
        if (place := (each.phase, each.event)) not in results or results[place].passed:
            results[place] = each
    for phase, event in chosen:
        if reason := server.not_applicable.get(phase.name):
            results[phase.name, event] = Result(
                phase=phase.name, event=event, expected=table[phase.name, event], not_applicable=reason
            )
    return [results[phase.name, event] for phase, event in chosen]


def _translated(server: Server, table: Table, phase: Phase, event: str) -> Sequence[Outcome]:
    return [told for each in table[phase.name, event] for told in server.translated(phase, event, each)]


async def _play(cell: Cell) -> Outcome:
    await cell.reach()
    return await cell.happen()


async def _play_killed(server: Server, world: World, cells: Sequence[Cell]) -> list[Result]:
    if not cells:
        return []
    # All are at work at once. What holds threads comes last: a server may need one to begin a run.
    cells = sorted(cells, key=lambda cell: bool(cell.phase.outlives))
    lost = await _each(cells, Cell.reach)
    await server.kill()
    ready = [cell for cell, result in zip(cells, lost, strict=True) if not result.error]
    await _each(ready, Cell.lose_its_server)
    await server.start(world.address)
    return [*(each for each in lost if each.error), *await _each(ready, Cell.go_on)]


async def _each(cells: Sequence[Cell], do: Callable[[Cell], Awaitable[Outcome | None]]) -> list[Result]:
    """Do something with each cell, some at a time; an error of one does not stop the others."""
    room = asyncio.Semaphore(SIDE_BY_SIDE)

    async def one(cell: Cell) -> Result:
        seen, error = None, ""
        try:
            async with room:
                seen = await do(cell)
        except Exception as raised:  # noqa: BLE001 - any error is the result of its cell
            error = _words_of(raised)
        return Result(
            phase=cell.phase.name, event=cell.event, expected=tuple(cell.expected), seen=seen, error=error
        )

    async with asyncio.TaskGroup() as group:
        playing = [group.create_task(one(cell)) for cell in cells]
    return [each.result() for each in playing]


def _words_of(error: BaseException) -> str:
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return "; ".join(map(_words_of, group.exceptions))
    return str(error) or type(error).__name__
