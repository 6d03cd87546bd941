"""How a message answers the permission that its user is asked for: it allows, denies, or leaves it open."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from ..domain.questions import InputRequest
from ..tasks.workflow import Answers, Reading, Situation
from .readings import answer_of, decision_of, left_open
from .spoken_of import spoken_of_in
from .stored_requests import Request
from .tools.booking import BookCar, BookFlight, BookHotel, CancelBooking, HoldFlight
from .understanding.english.talk.decisions import (
    Deed,
    decision_in,
    declined_beside,
    denies_in_passing,
    does_otherwise,
    pauses,
)
from .understanding.english.talk.put_off import says_nothing, without_put_offs
from .understanding.languages.detect import foreign_decision
from .understanding.result import BookingWish, Understanding

_DEEDS: Mapping[str, Deed] = {
    HoldFlight.name: "hold",
    BookFlight.name: "book_flight",
    BookHotel.name: "book_hotel",
    BookCar.name: "book_car",
    CancelBooking.name: "cancel",
}


def decided_by(message: str, asked: Sequence[InputRequest]) -> Answers:
    """Return the decision of a message that only allows or denies the one permission that is open."""
    deed = _deed(asked)
    if deed is None:
        return {}
    decision = decision_in(message, to=deed) or _in_another_language(message, deed)
    if decision is None and does_otherwise(message):
        decision = "deny"
    return {asked[0].request_id: {"decision": decision}} if decision else {}


def decision_or_rest(
    message: str, situation: Situation, asked: Sequence[InputRequest], before: Understanding | None
) -> Reading | str:
    """Read a message that decides the one permission that is open, or leaves it open.

    Of any other, returns what is left to be read without what only puts its answer off. A yes that was
    written before its user can have seen what it would allow leaves it open.
    """
    decided = decided_by(message, asked)
    is_allowed = any(answer["decision"] == "allow" for answer in decided.values())
    if is_allowed and not situation.unseen.isdisjoint(decided):
        return left_open(before, situation, came_early=True)
    rest = without_put_offs(message) if asked and not decided else None
    if rest is not None and (rest.strip(" ,.!").count(" ") or not pauses(message)):  # unlike "no, wait"
        # Never allowed by what is left: "yes, once I have asked my wife".
        decided = {
            each: answer for each, answer in decided_by(rest, asked).items() if answer["decision"] == "deny"
        }
    if not decided:
        return left_open(before, situation) if rest is not None and says_nothing(rest) else rest or message
    only = _without_what_follows(message, asked, before)
    return answer_of(only, decided, before=situation.previous) if only else decision_of(decided)


def agrees_to_book(message: str, beside: Request | None) -> bool:
    """Whether a message is a yes to the reply before it, which told an offer and asked whether to book it."""
    spoken = spoken_of_in(beside)
    return (
        spoken.is_proposed
        and decision_in(message, to=_DEEDS.get(f"book_{spoken.agent}", "book_flight")) == "allow"
    )


def _without_what_follows(
    message: str, asked: Sequence[InputRequest], before: Understanding | None
) -> Understanding | None:
    """Return the request without the booking that would follow, if the message declines that one.

    None if it does not: "yes to the flight, no to the hotel" does.
    """
    deed = _deed(asked)
    if deed is None or before is None or before.booking is None:
        return None
    declined = declined_beside(message, to=deed)
    if not declined:
        return None
    return replace(before, booking=_without(before.booking, declined, behind=deed))


def _without(wish: BookingWish, declined: Collection[Deed], *, behind: Deed) -> BookingWish:
    """The wish without what is declined of all that follows the deed."""
    deeds = [_DEEDS[f"book_{each.kind or 'flight'}"] for each in wish.in_turn]
    asked_for = deeds.index(behind) if behind in deeds else 0
    kept: BookingWish | None = None
    for at, each in reversed(list(enumerate(wish.in_turn))):
        if at <= asked_for or deeds[at] not in declined:
            kept = replace(each, then=kept)
    return kept or wish


def denied_in_passing(message: str, asked: Sequence[InputRequest], understanding: Understanding) -> Answers:
    """Return the no that a message begins with, which wants nothing, to the one permission that is open."""
    is_remark = understanding.relation == "other" and not (understanding.booking or understanding.question)
    is_denied = _deed(asked) is not None and is_remark and denies_in_passing(message)
    return {asked[0].request_id: {"decision": "deny"}} if is_denied else {}


def _in_another_language(message: str, deed: Deed) -> Literal["allow", "deny"] | None:
    decision = foreign_decision(message)
    # Their tables do not tell a bare yes from "book it", which must neither cancel nor hold anything.
    return None if decision == "allow" and not deed.startswith("book_") else decision


def _deed(asked: Sequence[InputRequest]) -> Deed | None:
    """Return what the one open permission allows; None where words cannot decide it.

    Of a tool that has no words here ("book it" may mean something else) only the buttons decide.
    """
    if len(asked) != 1 or asked[0].permission is None:
        return None
    return _DEEDS.get(asked[0].permission.tool)
