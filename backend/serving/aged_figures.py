"""The figures of what was dropped for its age."""

from .metrics import Metrics


class AgedFigures:
    """A `conversation.retention.AgedTally` that is told at `/metrics`."""

    def __init__(self, metrics: Metrics) -> None:
        self._turns = metrics.counter("detour_aged_turns", "Turns that were dropped for their age.")
        self._users = metrics.counter("detour_aged_users", "Users who were deleted for their age.")

    def dropped(self, *, turns: int, users: int) -> None:
        """Count what a step has dropped."""
        self._turns.inc(turns)
        self._users.inc(users)
