"""Questions about what was found, in their conversation: they leave the request as it is."""

from collections.abc import Collection
from dataclasses import replace
from datetime import date

from ..found import KINDS, FoundQuestion
from ..message import Act, Background, Message, Reader
from ..result import Agent, Refused, Understanding
from ..tokens import tokenise
from .slots import held_in

_ASKS = {Act.ASK, Act.ASK_ON, Act.ASK_OF_SHOWN, Act.ASK_OF_FOUND}
_PLACES = frozenset({"flight.origin", "flight.destination", "hotel.city"})
_STARTS = frozenset({"flight.departure_date", "hotel.check_in"})
_LEAVES = frozenset({"flight.departs_after", "flight.departs_before"})
_DAYS = _STARTS | {"flight.return_date", "hotel.check_out"}
_SEARCHED_BY = (
    _PLACES
    | _DAYS
    | {
        "flight.passengers",
        "flight.cabin_class",
        "hotel.nights",
        "hotel.guests",
        "hotel.rooms",
        "hotel.stars",
    }
)
"""Slots whose value changes the search. Limits are none of them: "which has a pool?" asks for no search."""
_PRICED = frozenset({"price", "total", "which"})
_TELL_THEIR_DAY = frozenset({"departure", "arrival"})
"""The answers tell the day as well, so that "does it land on the 4th?" is answered."""
_ASKED_ITSELF = {"cabin": "flight.cabin_class", "stars": "hotel.stars"}


def agents_found(previous: Understanding | None) -> tuple[Agent, ...]:
    """Return the agents whose offers may have been found for a request."""
    if previous is None:
        return ()
    return tuple(agent for agent in previous.wanted if agent in previous.searched and agent in KINDS)


def words_of_places(previous: Understanding | None) -> Collection[str]:
    """Return the folded words of the places of a request: who names them again says nothing new."""
    if previous is None:
        return ()
    places = (previous.flight.origin, previous.flight.destination, previous.hotel.city)
    return {token.norm for place in places if place for token in tokenise(place.city.name)}


def left_as_it_is(previous: Understanding | None) -> Understanding:
    """Return the request before, unchanged, for a message that asks for nothing."""
    if previous is None:
        return Understanding(relation="other")
    return replace(
        previous,
        relation="other",
        agents=(),
        carried=tuple(sorted(held_in(previous).filled)),
        dropped=(),
        refused=(),
        resumes=None,
        booking=None,
        about=previous.agents or previous.about,
        question=None,
    )


def about_what_was_found(question: FoundQuestion, previous: Understanding | None) -> Understanding:
    """Return the request before, unchanged, with the question about what was found for it."""
    return replace(left_as_it_is(previous), question=question)


def with_step(
    step: FoundQuestion | None,
    understood: Understanding,
    before: Understanding | None,
    *,
    is_complaint: bool = False,
) -> Understanding:
    """Return a message with the `step` to another offer that it asks for, unless it changes the search.

    The same search, made again, would find what was found: the reply tells which of that is meant. A
    complaint ("too early") moves an hour that was told before; without one it is about the offer shown.
    """
    if step is None or before is None:
        return understood
    then, now = held_in(before), held_in(understood)
    changed = {slot for slot in then.filled | now.filled if then.value(slot) != now.value(slot)}
    if is_complaint and changed and changed <= _LEAVES - then.filled:
        return about_what_was_found(step, before)
    if changed:
        return understood
    if not understood.agents:
        return about_what_was_found(step, before) if understood.relation == "other" else understood
    kinds = [kind for kind in KINDS if kind in understood.agents]
    return replace(
        understood, question=replace(step, agent=step.agent or (kinds[0] if len(kinds) == 1 else None))
    )


def with_order(
    order: tuple[FoundQuestion, Collection[str]] | None, understood: Understanding
) -> Understanding:
    """Return a search with the order that its message wants beside it, whose words are not told as unused."""
    kinds = [kind for kind in KINDS if kind in understood.agents]
    if order is None or understood.question or understood.booking or not kinds:
        return understood
    question, said = order
    is_usual = question.by == "price" and not question.descending and understood.relation == "new"
    refused = tuple(
        one
        for one in understood.refused
        if one.reason != "not_understood" or not {token.norm for token in tokenise(one.said)} <= {*said}
    )
    asked = replace(question, agent=kinds[0] if len(kinds) == 1 else None)
    return replace(understood, question=None if is_usual else asked, refused=refused)


def as_told(read: Reader, question: FoundQuestion | None) -> Reader:
    """Return a reader that takes what is asked as told: "how much for 3 people?" is for 3 people.

    All words of a `question` are accounted for; only that its order ("fastest") is not kept is to be told.
    """
    is_read = question is not None and question.which.by in (None, "price")
    tells_its_day = question is not None and question.topic in _TELL_THEIR_DAY
    asks = set[Act]() if tells_its_day else _ASKS

    def told(message: str, background: Background) -> Message:
        said = read(message, background)
        unread = tuple[Refused, ...] if is_read else said.unread
        return replace(said, acts=said.acts - asks, unread=unread)

    return told


def searches_otherwise(changed: Understanding, before: Understanding, question: FoundQuestion | None) -> bool:
    """Return whether a message, taken as a change, needs another search than the request before it.

    An answer from the offers at hand would then be false: they are of other days, people or cabins. What
    the `question` asks itself is no change ("is it business class?"), nor are the places in a name.
    """
    itself, days = set[str](), set[date | None]()
    then, now = (held_in(one) for one in (before, changed))
    if question is not None:
        if question.topic not in _PRICED:  # "when is the flight on the 14th?" is about the way back
            days = {then.value(slot) for slot in _DAYS}
        itself |= {_ASKED_ITSELF[question.topic]} if question.topic in _ASKED_ITSELF else set()
        is_on_the_way = question.topic in ("stops", "layover")  # "is the stop in Frankfurt?"
        itself |= _PLACES if question.which.name or is_on_the_way else set()
    if any(now.value(slot) in days - {then.value(slot), None} for slot in _STARTS):
        itself |= _DAYS
    if _nights(before) == _nights(changed):
        itself |= {"hotel.check_out", "hotel.nights"}
    # What is only taken away is no other search: "until when can I cancel the hotel?".
    return any(now.value(slot) not in (None, then.value(slot)) for slot in _SEARCHED_BY - itself)


def _nights(understood: Understanding) -> int | None:
    """The nights of a stay, however they are told."""
    stay = understood.hotel
    return (stay.check_out - stay.check_in).days if stay.check_in and stay.check_out else stay.nights
