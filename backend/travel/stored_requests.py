"""Requests as tasks keep them, maybe stored by an earlier version of the server.

What earlier versions left out is filled in. A request that still cannot be read is dropped, and its user is
told: none is worth refusing a message for, and none may be guessed at.

A user goes back and forth along the requests of a conversation: "undo that", "redo". A request that is taken
up by going back stands for an earlier one, so that going back once more leads to the one before that, and not
to and fro between the two.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import structlog

from ..tasks.workflow import Situation
from .understanding.codec import from_json, to_json
from .understanding.result import Understanding

Request = Mapping[str, Any]

DROPPED = "The server was updated and can no longer read the earlier request; this one was read by itself."
"""Enters the conversation after a message that was read without the request before it."""

SAY_IT_AGAIN = "The server was updated and can no longer read what this was about; please ask for it again."
"""Said if a task cannot resume without its request."""


class UnderstoodRequest(dict[str, Any]):
    """A request as it is stored, which remembers what it means.

    The core hands the same object to each of the workflow's methods, so that a message is decoded once: by
    whoever understood it. One that was read back from the store is a plain mapping, and decoded when asked.
    """

    __slots__ = ("understanding",)

    def __init__(self, understanding: Understanding, **more: Any) -> None:
        super().__init__(understanding=to_json(understanding), **more)
        self.understanding = understanding


_log = structlog.get_logger(__name__)


def renewed(
    request: Request | None, understanding: Understanding, *, without: Collection[str], **anew: Any
) -> UnderstoodRequest:
    """Return a request as one that means something else now, with the fields that are made `anew`.

    All its other fields are kept, whoever added them, but those `without` which it is to be stored.
    """
    kept = {name: value for name, value in (request or {}).items() if name not in ("understanding", *without)}
    return UnderstoodRequest(understanding, **{**kept, **anew})


def understanding_in(request: Request | None) -> Understanding | None:
    """Return what a stored request asks for; None if there is none, or none that this version can read."""
    if request is None or isinstance(request, UnderstoodRequest):
        return request.understanding if request is not None else None
    try:
        return from_json(_completed(request["understanding"]))
    except (KeyError, TypeError, ValueError) as error:
        # The error's kind alone: its text may quote what a user said, which does not belong in a log.
        _log.warning("a stored request cannot be read and is dropped", error=type(error).__name__)
        return None


def understandings_in(requests: Sequence[Request], *, first: int = 0) -> dict[int, Understanding]:
    """Return what those of the requests ask for that can be read, by their places, which begin at `first`."""
    read = {place: understanding_in(request) for place, request in enumerate(requests, start=first)}
    return {place: each for place, each in read.items() if each is not None}


def subject_of(understanding: Understanding) -> str | None:
    """Return where a request wants to go, or to stay."""
    if understanding.tour is not None:
        return ", ".join(sorted(place.city.label for place in understanding.tour.cities))
    goal = understanding.flight.destination or understanding.hotel.city
    return goal.city.label if goal is not None else None


def _completed(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored understanding with all that data files of versions 2 and 3 may lack.

    The agents of a message were then all that its request wanted, was about and had searched.
    """
    agents = stored["agents"]
    return {
        "wanted": agents,
        "about": agents,
        "searched": agents,
        "period": None,
        "refused": [],
        "resumes": None,
        "assumed": [],
        "is_elsewhere": False,
        "mentioned": None,
        **stored,
    }


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
