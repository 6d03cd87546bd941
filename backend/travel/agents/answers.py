"""From an answer to what is understood with it: the fields of a form, or the words of a message."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, cast

from ...domain.errors import BadInput
from ...domain.questions import InputRequest
from ...tasks.input_schema import checked, required
from ..understanding.dialogue import carry
from ..understanding.dialogue.slots import Slots, held_in
from ..understanding.dialogue.whole_requests import still_open
from ..understanding.english.language.text import Text, phrases
from ..understanding.english.wording import describe, why_no_flight
from ..understanding.places.gazetteer import in_full
from ..understanding.queries import QUERIES
from ..understanding.result import Agent, Alternative, Understanding
from ..understanding.slot_table import ROWS, SLOTS, Slot, answered_with
from .questions import facts_of, missing_of
from .slot_values import value_of

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
            said[name], others = value_of(ROWS[f"{agent}.{name}"], value, today)
            if others:
                doubts.append(
                    Alternative(slot=f"{agent}.{name}", taken=in_full(said[name].city), others=others)
                )
        except ValueError as fault:
            faults.append((name, str(fault)))
    if faults:
        raise BadInput.of_fields(*faults)
    slots = Slots().changed(agent, **said)
    result = carry.completed(
        carry.continued(held_in(understanding), slots, spreads=True), understanding.agents
    )
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
        **{each: result.of(each) for each in SLOTS},
        assumed=tuple(slot for slot in assumed if slot not in answered),
        alternatives=tuple(doubts),
        period=still_open(result, understanding.period),
        length=None if "nights" in answer else understanding.length,
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
    for other in SLOTS:
        searched = QUERIES[other](before)
        if other == agent or other not in before.wanted or searched in (None, QUERIES[other](after)):
            continue
        trip = describe(replace(before, agents=(other,)))
        reason = f"that does not go with the {trip}; to change the whole trip, please say so in a message"
        moving = (name for name in said if _is_shared(ROWS[f"{agent}.{name}"]))
        raise BadInput.of_fields(*((name, reason) for name in moving))


def _is_shared(slot: Slot) -> bool:
    """Whether a slot tells other agents something, too."""
    return slot.link is not None or bool(slot.instead_of)


def answers_in(
    understanding: Understanding, before: Understanding, asked: Sequence[InputRequest]
) -> dict[str, dict[str, Any]]:
    """Return the answers to open questions that a message gives, which changed what is understood so.

    None where it changes what an agent looks for that has asked nothing: that one would have to begin anew.
    """
    asking = {request.question.agent for request in asked}
    for agent in SLOTS:
        waits = any(answered_with(ROWS[slot]) for slot in missing_of(agent, before))
        changes = QUERIES[agent](understanding) != QUERIES[agent](before)
        if agent not in asking and not waits and changes:
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


def no_answer(understanding: Understanding, before: Understanding) -> Understanding:
    """Return what a message means that answers no question: a change, a new request, or neither.

    A mere "yes" to a question that wants more than that is neither.
    """
    said, known = (
        (each.flight, each.hotel, each.car, each.period, each.length) for each in (understanding, before)
    )
    says_nothing = said == known
    if says_nothing and understanding.missing:
        return replace(understanding, relation="other", agents=())
    return replace(understanding, relation="refine" if understanding.carried else "new")
