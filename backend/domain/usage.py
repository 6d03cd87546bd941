"""What a task's model calls have used so far, reported by the service or estimated.

The service never reports a call that is cut short: its usage is estimated from the characters sent and
received until then. An estimate can be made at any moment, so a cancellation needs no clean-up.
"""

from dataclasses import dataclass

from .model_step import NO_USAGE, Usage

CHARACTERS_PER_TOKEN = 4
"""For estimates; what OpenAI's documentation gives as a rule of thumb for English."""


@dataclass(slots=True)
class MeteredCall:
    """One call of a model: characters sent and received, and `reported`, its usage by the service."""

    sent: int
    received: int = 0
    reported: Usage | None = None

    @property
    def usage(self) -> Usage:
        """What it has used: as the service reported it, else estimated."""
        if self.reported is not None:
            return self.reported
        return Usage(_tokens(self.sent), _tokens(self.received), 1, estimated=True)


class UsageMeter:
    """All calls of a task; `before` is what it had used before its process was lost, or before it paused."""

    def __init__(self, before: Usage = NO_USAGE) -> None:
        self._before = before
        self._calls: list[MeteredCall] = []

    def begin(self, sent: int) -> MeteredCall:
        """Return the meter of a call that is about to be made, with so many characters."""
        call = MeteredCall(sent)
        self._calls.append(call)
        return call

    def total(self) -> Usage:
        """Return what has been used so far."""
        return sum((call.usage for call in self._calls), self._before)


def _tokens(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)
