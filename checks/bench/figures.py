"""A measured figure, the goals it has to meet, and the table that shows both."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Figure:
    """Samples of one quantity, by server. Its value for a server is the median of that server's samples."""

    scenario: str
    name: str
    unit: str
    samples: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    def add(self, server: str, *samples: float) -> None:
        self.samples.setdefault(server, []).extend(samples)

    def value(self, server: str) -> float | None:
        return statistics.median(self.samples[server]) if self.samples.get(server) else None

    def ratio(self, server: str, floor: str) -> float | None:
        """The server's value over the floor's: the median over the rounds that both took part in.

        Within a round the two were measured a moment apart, so the machine's drift over the run cancels out.
        """
        pairs = self._pairs(server, floor)
        if not pairs or not all(other for _, other in pairs):
            return None
        return statistics.median(own / other for own, other in pairs)

    def difference(self, server: str, floor: str) -> float | None:
        """The server's value less the floor's, in the same way."""
        pairs = self._pairs(server, floor)
        return statistics.median(own - other for own, other in pairs) if pairs else None

    def _pairs(self, server: str, floor: str) -> list[tuple[float, float]]:
        theirs, ours = self.samples.get(floor, []), self.samples.get(server, [])
        return list(zip(ours, theirs, strict=True)) if len(ours) == len(theirs) else []


def percentile(samples: Sequence[float], percent: float) -> float:
    """The nearest-rank percentile; `samples` must not be empty."""
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]
