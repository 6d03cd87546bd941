"""What a replica counts of its part in the cluster, for whoever runs it."""

from typing import Literal, Protocol

TakenBecause = Literal["asked", "neglected"]
"""Its user did something here, or nobody owned it while something was unfinished."""

Where = Literal["forwarded", "carried_out"]
"""A command was left for another replica, or was left by another and carried out here."""


class Tally(Protocol):
    """Counts; never waits and never fails."""

    def took_over(self, because: TakenBecause) -> None:
        """Count a user who was taken over with something unfinished."""
        ...

    def let_go(self) -> None:
        """Count a user who was let go because another replica owns it, or may."""
        ...

    def commanded(self, where: Where) -> None:
        """Count a command."""
        ...

    def replied(self, seconds: float) -> None:
        """Note how long a command took, from leaving it to its reply."""
        ...


class Uncounted:
    """Counts nothing."""

    def took_over(self, because: TakenBecause) -> None:
        """Count nothing."""

    def let_go(self) -> None:
        """Count nothing."""

    def commanded(self, where: Where) -> None:
        """Count nothing."""

    def replied(self, seconds: float) -> None:
        """Note nothing."""
