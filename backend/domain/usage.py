"""What a task's model calls have used so far, reported by the service or estimated.

The service never reports a call that is cut short: its usage is estimated from the characters sent and
received until then. An estimate can be made at any moment, so a cancellation needs no clean-up.
"""

from collections.abc import Callable
from dataclasses import dataclass

from .model_step import NO_USAGE, Usage

CHARACTERS_PER_TOKEN = 4
"""For estimates; what OpenAI's documentation gives as a rule of thumb for English."""


@dataclass(slots=True)
class MeteredCall:
    """One call of a model: characters sent and received, and `reported`, its usage by the service.

    `provider`, `model` and `agent` are names, "" where nobody knows them: of the service, of its model, and
    of the agent or node that asks.
    """

    sent: int
    received: int = 0
    reported: Usage | None = None
    provider: str = ""
    model: str = ""
    agent: str = ""
    on_end: "OnCallEnd | None" = None

    def end(self, reported: Usage | None, *, failed: bool = False) -> None:
        """Note what it has used by the service, None if that did not say, and tell who watches it.

        A call that is cut short with its task need not be ended.
        """
        self.reported = reported
        on_end, self.on_end = self.on_end, None
        if on_end is not None:
            on_end(self, failed)

    @property
    def usage(self) -> Usage:
        """What it has used: as the service reported it, else estimated."""
        if self.reported is not None:
            return self.reported
        return Usage(_tokens(self.sent), _tokens(self.received), 1, estimated=True)


OnCallEnd = Callable[[MeteredCall, bool], None]
"""Called with a call that has ended, and whether it failed."""

OnCallBegin = Callable[[MeteredCall], OnCallEnd]
"""Called in the thread of a call that is about to be made; returns what to call once it has ended."""


class UsageMeter:
    """All calls of a task; `before` is what it had used before its process was lost, or before it paused.

    `on_begin`, if it is set, is told of each call.
    """

    def __init__(self, before: Usage = NO_USAGE) -> None:
        self._before = before
        self._calls: list[MeteredCall] = []
        self.on_begin: OnCallBegin | None = None

    def begin(self, sent: int, *, provider: str = "", model: str = "", agent: str = "") -> MeteredCall:
        """Return the meter of a call that is about to be made, with so many characters."""
        call = MeteredCall(sent, provider=provider, model=model, agent=agent)
        self._calls.append(call)
        if self.on_begin is not None:
            call.on_end = self.on_begin(call)
        return call

    def total(self) -> Usage:
        """Return what has been used so far."""
        return sum((call.usage for call in self._calls), self._before)


def _tokens(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)
