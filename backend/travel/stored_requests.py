"""Requests as tasks keep them, maybe stored by an earlier version of the server.

What earlier versions left out is filled in. A request that still cannot be read is dropped, and its user is
told: none is worth refusing a message for, and none may be guessed at.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import structlog

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
