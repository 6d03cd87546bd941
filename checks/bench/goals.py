"""What Detour has to reach, as a bound on a figure or on its ratio to a floor's."""

from collections.abc import Iterable
from dataclasses import dataclass

from checks.bench.figures import Figure

DETOUR, THIN, THIN_WITH_SAVER = "detour", "thin", "thin with saver"
SQLITE, POSTGRES = "SQLite", "PostgreSQL"
OWNER, ELSEWHERE, THIRD = "owner", "elsewhere", "heard at a third"


@dataclass(frozen=True, slots=True)
class Goal:
    """Detour's value of a figure, divided by the floor's if there is one, is at least or at most `bound`.

    `of` names whose value it is; `beyond` takes the floor's value away instead of dividing by it.
    """

    figure: str
    bound: float
    at_least: bool
    floor: str | None = None
    of: str = DETOUR
    beyond: bool = False

    def reached(self, figures: Iterable[Figure]) -> tuple[float, bool] | None:
        """The value compared and whether it meets the bound; None if something was not measured."""
        for figure in figures:
            if figure.name == self.figure:
                value = self._compared(figure)
                if value is None:
                    return None
                return value, value >= self.bound if self.at_least else value <= self.bound
        return None

    def _compared(self, figure: Figure) -> float | None:
        if self.floor is None:
            return figure.value(self.of)
        compare = figure.difference if self.beyond else figure.ratio
        return compare(self.of, self.floor)

    def __str__(self) -> str:
        sign = "at least" if self.at_least else "at most"
        floor = f" {'more than' if self.beyond else 'x'} {self.floor}" if self.floor else ""
        of = "" if self.of == DETOUR else f"{self.of}, "
        return f"{of}{self.figure}: {sign} {self.bound:g}{floor}"


def replicas_goals() -> Iterable[Goal]:
    """What PostgreSQL may cost beside SQLite, and another replica beside the owner."""
    for figure, bound, at_least in (
        ("completed tasks a second", 0.9, True),
        ("CPU of a task: server", 1.0, False),
        ("POST to its answer, p50", 2.0, False),
        ("POST to the new graph's first own event, p50", 2.0, False),
    ):
        of = OWNER if figure.startswith("POST") else POSTGRES
        yield Goal(f"replicas: {figure}", bound, at_least=at_least, floor=SQLITE, of=of)
    yield Goal("replicas: CPU of a task: database", 0.5, at_least=False, of=POSTGRES)
    for figure, of, bound in (
        ("the old code's end", ELSEWHERE, 4.0),
        ("its answer", ELSEWHERE, 4.0),
        ("the new task's first event", THIRD, 3.0),
    ):
        name = f"replicas: POST to {figure}, p50"
        yield Goal(name, bound, at_least=False, floor=OWNER, of=of, beyond=True)


GOALS = (
    Goal("server CPU of a task", 1.0, at_least=False, floor=THIN_WITH_SAVER),
    Goal("completed tasks a second, 50 users", 1.0, at_least=True, floor=THIN_WITH_SAVER),
    *(
        Goal(f"{alive}: POST to {what}, p50", 1.5, at_least=False, floor=THIN_WITH_SAVER)
        for alive in ("alone", "1000 alive")
        for what in ("its answer", "the old code's end", "the new graph's first own event")
    ),
    Goal("alone: POST to the old code's end, p99", 5.0, at_least=False),
    Goal("1000 alive: POST to the old code's end, p99", 5.0, at_least=False),
    Goal("memory per alive task", 1.15, at_least=False, floor=THIN_WITH_SAVER),
    Goal("memory per idle socket", 1.0, at_least=False, floor=THIN_WITH_SAVER),
    Goal("items delivered a second, 200 subscribers", 0.7, at_least=True, floor=THIN),
    Goal("200 users: tokens a second", 1.0, at_least=True, floor=THIN),
    *(
        Goal(f"{users} users: {figure}", bound, at_least=False, floor=THIN)
        for users in (50, 200)
        for figure, bound in (
            ("server CPU per token", 1.0),
            ("a token's delay, p50", 2.0),
            ("a token's delay, p99", 1.5),
        )
    ),
    Goal("searches taken over wrongly", 0.0, at_least=False),
    Goal("first load at 1.6 Mbit/s, 150 ms: largest paint", 1500.0, at_least=False),
    Goal("first load: over the wire", 120.0, at_least=False),
    Goal("reload: requests that reach the server", 1.0, at_least=False),
    Goal("key press to the message painted, p50", 150.0, at_least=False),
    Goal("key press to the fates painted, p50", 100.0, at_least=False),
    Goal("5000 events, from opening the socket until painted", 1000.0, at_least=False),
    *replicas_goals(),
)
