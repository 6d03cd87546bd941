"""The order of a conversation's requests, along which a user goes back and forth: "undo that", "redo".

A request that is taken up by going back stands for an earlier one, so that going back once more leads to the
one before that, and not to and fro between the two.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..tasks.workflow import Situation
from .stored_requests import understandings_in
from .understanding.result import Understanding

_FIELD = "stands_for"


class PastRequests:
    """The earlier requests of a conversation that can be read, numbered as `understand` counts them.

    Their places are those in `(*situation.recent, *situation.alike)`, by which the core knows them; the two
    differ where a request in between cannot be read.
    """

    def __init__(self, situation: Situation) -> None:
        recent = understandings_in(situation.recent)
        alike = understandings_in(situation.alike, first=len(situation.recent))
        self.recent: Sequence[Understanding] = list(recent.values())
        self.alike: Sequence[Understanding] = list(alike.values())
        self._places = [*recent, *alike]
        self._requests = [*situation.recent, *situation.alike]
        self._turns = situation.turns
        self._now = _turn(situation.previous, None)

    def place(self, number: int) -> int:
        """Return the place of a request."""
        return self._places[number]

    def request(self, number: int) -> Mapping[str, Any]:
        """Return a request as it is stored."""
        return self._requests[self._places[number]]

    def before_the_last(self) -> list[int]:
        """Return the numbers of the requests earlier than the last, latest first."""
        now = self._now
        earlier = [each for each in self._with_turns() if now is None or self._turn_of(each) < now]
        return sorted(earlier, key=lambda each: -self._turn_of(each))

    def after_the_last(self) -> int | None:
        """Return the number of the request after the one that was gone back to; None if none was."""
        now = self._now
        if now is None:
            return None
        later = [
            each
            for each in self._with_turns()
            if self._turn_of(each) > now and _FIELD not in self.request(each)
        ]
        return min(later, key=self._turn_of, default=None)

    def stands_for(self, number: int) -> dict[str, Any]:
        """Return the field of a new request that takes up, by going back or forth, this one."""
        return {_FIELD: _turn(self.request(number), self._turn_of(number))}

    def _with_turns(self) -> list[int]:
        # Situations that are made up, as of a message that is read alone, tell no turns.
        return [number for number, place in enumerate(self._places) if place < len(self._turns)]

    def _turn_of(self, number: int) -> int:
        return self._turns[self._places[number]]


def _turn(request: Mapping[str, Any] | None, turn: int | None) -> int | None:
    """The turn whose request this one stands for; its own `turn` where it stands for itself."""
    return request.get(_FIELD, turn) if request is not None else None
