"""From an answer to what is understood with it: the fields of a form, or the words of a message."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any, cast

from ...domain.inputs import InputRequest
from ...errors import BadInput
from ...tasks.input_schema import checked, required
from ..understanding.dialogue import carry
from ..understanding.dialogue.slots import Slots
from ..understanding.dialogue.whole_requests import still_open
from ..understanding.language.text import Text, phrases, tokenise
from ..understanding.places.gazetteer import in_full, load_gazetteer, name_key
from ..understanding.places.places import find_places
from ..understanding.queries import flight_query, hotel_query
from ..understanding.result import Agent, Alternative, FlightSlots, HotelSlots, Place, Understanding
from ..understanding.wording import describe, in_words, why_no_flight
from ..values.travel import SALES_DAYS
from .questions import facts_of, missing_of

_PLACES = ("origin", "destination", "city")
_YOU_DECIDE = phrases(
    "you decide", "you choose", "you pick", "your choice", "your call", "up to you", "whatever", "any",
    "any day", "any date", "any time", "anytime", "anything", "either", "skip", "skip this one",
    "skip this question", "skip that question", "skip the question", "i don't mind", "i don't care",
    "i do not mind", "i do not care", "don't mind", "don't care", "doesn't matter", "does not matter",
    "no preference", "no preferences", "i have no preference", "surprise me", "you can decide",
    "you can choose", "decide for me", "choose for me",
)  # fmt: skip
_DOES_NOT_COUNT = phrases(
    "please", "thanks", "thank you", "you", "you like", "you think", "you want", "you prefer", "is best",
    "is fine", "are fine", "is ok", "is okay", "is good", "will do", "works", "would do", "goes", "really",
    "just", "ok", "okay", "oh", "well", "hmm", "then", "it", "that", "it's", "that's", "it is", "that is",
    "to me", "with me", "for me", "by me", "so", ",", ".", "!",
)  # fmt: skip


def with_answer(
    understanding: Understanding, agent: Agent, answer: Mapping[str, Any], *, today: date
) -> Understanding:
    """Return what is understood once an agent's form is filled in. Raises `BadInput` that names the field."""
    known = facts_of(agent, understanding)
    said = {name: value for name, value in answer.items() if known.get(name) != value}
    doubts: list[Alternative] = []
    faults: list[tuple[str, str]] = []
    for name, value in said.items():
        try:
            if name in _PLACES:
                said[name], others = place_named(value)
                if others:
                    doubts.append(
                        Alternative(slot=f"{agent}.{name}", taken=in_full(said[name].city), others=others)
                    )
            elif name != "nights":
                said[name] = day_on_sale(value, today)
        except ValueError as fault:
            faults.append((name, str(fault)))
    if faults:
        raise BadInput.of_fields(*faults)
    slots = Slots(
        flight=FlightSlots(**said) if agent == "flight" else FlightSlots(),
        hotel=HotelSlots(**said) if agent == "hotel" else HotelSlots(),
    )
    before = Slots(flight=understanding.flight, hotel=understanding.hotel)
    result = carry.completed(carry.continued(before, slots, spreads=True), understanding.agents)
    impossible = why_no_flight(result.flight) if agent == "flight" else ""
    if impossible:
        no_airport_there = result.flight.origin is not None and not result.flight.origin.airports
        raise BadInput.of_fields(("origin" if no_airport_there else "destination", impossible))
    settled = {f"{agent}.{name}" for name in said}
    doubts += [
        one
        for one in understanding.alternatives
        if one.slot not in settled and (one.taken or one.slot not in result.filled)
    ]
    answered = {f"{agent}.{name}" for name in answer}
    assumed = carry.assumed_names(result, slots, understanding)
    completed = replace(
        understanding,
        flight=result.flight,
        hotel=result.hotel,
        assumed=tuple(slot for slot in assumed if slot not in answered),
        alternatives=tuple(doubts),
        period=still_open(result, understanding.period),
        refused=(),
    )
    _check_other_search_stands(agent, understanding, completed, said)
    return replace(completed, searched=tuple(sorted({*understanding.searched, *completed.able})))


def _check_other_search_stands(
    agent: Agent, before: Understanding, after: Understanding, said: Collection[str]
) -> None:
    """Raise `BadInput` where a form moves the whole trip though the other agent has begun to search.

    That search would have to begin anew, for which an answer does not interrupt; a message does.
    """
    other: Agent = "hotel" if agent == "flight" else "flight"
    searched, to_search = (
        (hotel_query(before), hotel_query(after))
        if other == "hotel"
        else (flight_query(before), flight_query(after))
    )
    if other not in before.wanted or searched is None or searched == to_search:
        return
    trip = describe(replace(before, agents=(other,)))
    reason = f"that does not go with the {trip}; to change the whole trip, please say so in a message"
    raise BadInput.of_fields(*((name, reason) for name in said if name != "origin"))


def answers_in(
    understanding: Understanding, before: Understanding, asked: Sequence[InputRequest]
) -> dict[str, dict[str, Any]]:
    """Return the answers to open questions that a message gives, which changed what is understood so.

    None where it changes what an agent looks for that has asked nothing: that one would have to begin anew.
    """
    asking = {request.question.agent for request in asked}
    if "flight" not in asking and flight_query(understanding) != flight_query(before):
        return {}
    waits = bool(missing_of("hotel", before))
    if "hotel" not in asking and not waits and hotel_query(understanding) != hotel_query(before):
        return {}
    answered: dict[str, dict[str, Any]] = {}
    for request in asked:
        agent = cast("Agent", request.question.agent)
        if set(missing_of(agent, understanding)) < set(missing_of(agent, before)):
            answered[request.request_id] = facts_of(agent, understanding)
    return answered


def left_to_us(message: str, asked: Sequence[InputRequest]) -> tuple[InputRequest, ...]:
    """Return the questions that a message leaves to us to decide: those that need no answer."""
    if not leaves_it_to_us(message):
        return ()
    return tuple(request for request in asked if not required(request.question))


def leaves_it_to_us(message: str) -> bool:
    """Whether a message says that we may decide, and nothing else: "any hotels there?" wants something."""
    text = Text(message)
    is_left, at = False, 0
    while at < text.length:
        decides = text.match(_YOU_DECIDE, at)
        length = decides or text.match(_DOES_NOT_COUNT, at)
        if not length:
            return False
        is_left, at = is_left or decides > 0, at + length
    return is_left


def with_defaults(
    understanding: Understanding, left: Sequence[InputRequest], *, today: date
) -> tuple[Understanding, dict[str, dict[str, Any]]]:
    """Return what is understood, and the answers, where questions are left to us to decide."""
    answers: dict[str, dict[str, Any]] = {}
    for request in left:
        answers[request.request_id] = checked(request.question, {})
        agent = cast("Agent", request.question.agent)
        understanding = with_answer(understanding, agent, answers[request.request_id], today=today)
    return understanding, answers


def place_named(text: str) -> tuple[Place, tuple[str, ...]]:
    """Return the place that a field names: in full, by its name or an airport's code; and in full the
    others that it could name. Raises `ValueError` with the reason.
    """
    gazetteer = load_gazetteer()
    first = text.partition(",")[0]
    words = (token.norm for token in tokenise(first) if token.is_word or token.is_number)
    for place in gazetteer.names.get(name_key(words), ()):
        if in_full(place.city).casefold() == text.strip().casefold():
            return place, ()
    said = text.strip().upper() if len(text.strip()) == 3 else text
    mention = next(iter(find_places(Text(f"in {said}"), gazetteer).mentions), None)
    if mention is None or mention.first != 1:
        raise ValueError(f"I do not know a place called {text!r}")
    if mention.place is None:
        raise ValueError(f"{text} has several cities; please name one ({', '.join(mention.others)})")
    return mention.place, mention.others


def day_on_sale(text: str, today: date) -> date:
    """Return the day that a field names. Raises `ValueError` where nothing can be on sale for it."""
    day = date.fromisoformat(text)
    if day < today:
        raise ValueError("that day has passed")
    last = today + timedelta(days=SALES_DAYS)
    if day > last:
        raise ValueError(f"nothing is on sale yet for that day; sales reach to {in_words(last)}")
    return day
