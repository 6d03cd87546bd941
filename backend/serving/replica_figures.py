"""The figures of one replica among several; a server that is alone has none of them."""

from collections.abc import Callable

from ..log.ownership.tally import TakenBecause, Where
from .metrics import Metrics

REPLY_BUCKETS_S = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0)
"""From a command over a near database to the longest wait for an owner that has died."""


class ReplicaFigures:
    """A `Tally` that is told at `/metrics`; `name` and `tenures` are read at each scrape."""

    def __init__(self, metrics: Metrics, *, name: Callable[[], str], tenures: Callable[[], int]) -> None:
        metrics.gauge("detour_replica_info", "This replica's name.", lambda: {name(): 1}, label="replica")
        metrics.gauge("detour_tenures", "Users in memory, all owned here.", lambda: {"": tenures()})
        self._takeovers = metrics.counter(
            "detour_takeovers",
            "Users taken over with something unfinished: `asked` by something of theirs, or `neglected`.",
            "cause",
            ("asked", "neglected"),
        )
        self._fenced = metrics.counter(
            "detour_fenced", "Users let go because another replica owns them, or may: nothing was stored."
        )
        self._commands = metrics.counter(
            "detour_commands",
            "What users asked of another replica than their owner, by what this replica did with it.",
            "where",
            ("forwarded", "carried_out"),
        )
        self._replied = metrics.histogram(
            "detour_hint_seconds",
            "From leaving a command for a user's owner until its reply was here.",
            REPLY_BUCKETS_S,
        )

    def took_over(self, because: TakenBecause) -> None:
        """Count a user who was taken over with something unfinished."""
        self._takeovers.labels(because).inc()

    def let_go(self) -> None:
        """Count a user who was let go because another replica owns it, or may."""
        self._fenced.inc()

    def commanded(self, where: Where) -> None:
        """Count a command."""
        self._commands.labels(where).inc()

    def replied(self, seconds: float) -> None:
        """Note how long a command took, from leaving it to its reply."""
        self._replied.observe(seconds)
