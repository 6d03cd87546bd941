"""Asks for the facts that an agent lacks, and takes the answers: one question each, as a form.

The form is filled in with what is known. What is missing must be given, unless a sensible default exists. An
answer is the fields of the form, or the words of a message; models give the same values.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any, Literal, cast, get_args, get_origin

from langgraph.types import interrupt

from ...domain.errors import BadInput
from ...domain.questions import InputRequest
from ...graphs.pausing import WAITS_FOR_ANOTHER
from ...tasks.input_schema import checked, required
from ..understanding.dialogue import carry
from ..understanding.dialogue.slots import Slots, held_in
from ..understanding.dialogue.whole_requests import still_open
from ..understanding.english.language.tables import phrases_of
from ..understanding.english.language.text import Text, tokenise
from ..understanding.english.places.places import find_places
from ..understanding.english.slot_words import WORDS, in_words
from ..understanding.english.wording import ask_for, describe, noted, others_named, refusals, why_no_flight
from ..understanding.places.gazetteer import in_full, load_gazetteer, name_key
from ..understanding.queries import QUERIES
from ..understanding.result import Agent, Alternative, HotelSlots, Place, Understanding
from ..understanding.slot_table import (
    ROWS,
    SLOTS,
    AgentSlots,
    Slot,
    answered_with,
    linked,
    rows_of,
    searching,
)
from ..values.travel import SALES_DAYS, Money
from .found.wording import in_this_year
from .state import TravelRun

# --- the values of slots, as forms and models give them ------------------------------------------------


_SCHEMAS: Mapping[type, Mapping[str, Any]] = {
    Place: {"type": "string", "minLength": 1},
    str: {"type": "string", "minLength": 1},
    date: {"type": "string", "format": "date"},
    time: {"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"},
    Money: {"type": "number", "exclusiveMinimum": 0},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
}
_MOST_VALUES = 10


def schema_of(slot: Slot) -> dict[str, Any]:
    """Return the JSON Schema of a slot's value. Raises `KeyError` for a type that no form can hold."""
    if get_origin(slot.type) is Literal:
        return {"enum": list(get_args(slot.type))}
    if get_origin(slot.type) is tuple:
        one = dict(_SCHEMAS[get_args(slot.type)[0]])
        if slot.least is not None:
            one |= {"minimum": slot.least, "maximum": slot.most}
        return {"type": "array", "items": one, "maxItems": _MOST_VALUES}
    bounds = {"minimum": slot.least, "maximum": slot.most}
    return {**_SCHEMAS[slot.type], **{name: bound for name, bound in bounds.items() if bound is not None}}


def value_of(slot: Slot, given: Any, today: date) -> tuple[Any, tuple[str, ...]]:
    """Return a value that fits the slot's schema as the slot holds it, and what else it could mean, in full.

    Raises `ValueError` with a sentence for a place that is not known, and a day for which nothing is on sale.
    """
    if get_origin(slot.type) is tuple:
        [kind, *_] = get_args(slot.type)
        several: list[Any] = list(given)
        return tuple(value_of(replace(slot, type=kind), one, today)[0] for one in several), ()
    if slot.type is Place:
        return place_named(given)
    if slot.type is date:
        return day_on_sale(given, today), ()
    if slot.type is time:
        return time.fromisoformat(given), ()
    return Money(amount=Decimal(str(given))) if slot.type is Money else given, ()


def written(value: Any) -> Any:
    """Return a slot's value as a form gives it."""
    if isinstance(value, Place):
        return in_full(value.city)
    return value.isoformat() if isinstance(value, date) else value


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


# --- questions -----------------------------------------------------------------------------------------


_TALK_SAID = phrases_of("talk")

FIELDS: Mapping[Agent, Mapping[str, Mapping[str, Any]]] = {
    agent: {
        slot.field: {**schema_of(slot), "title": WORDS[slot.name].title}
        for slot in rows_of(agent)
        if slot.is_asked
    }
    for agent in SLOTS
}


def ask_what_is_missing(agent: Agent, run: TravelRun, *, ideas: str = "") -> None:
    """Return if the agent knows all that it needs; else ask, which ends this run of its node.

    An answer changes the run's understanding, and the node runs again with it. A stopped agent asks nothing,
    and no agent waits for its answer. `ideas` are told below the question.
    """
    active = tuple(each for each in run.understanding.agents if not run.context.stopped(each))
    question = question_about(agent, replace(run.understanding, agents=active), today=run.today)
    if question is not None and ideas and "prompt" in question:
        asked, _, told = question["prompt"].partition("\n\n")
        question = {**question, "prompt": f"{asked}\n\n{' '.join(filter(None, [ideas, told]))}"}
    while question is not None:
        interrupt(question)


def question_about(agent: Agent, understanding: Understanding, *, today: date) -> dict[str, Any] | None:
    """Return an agent's question for `interrupt()`; None if it lacks nothing.

    None as well if no such flight is possible, which the reply explains. An agent that lacks only what
    another asks for waits for that answer.
    """
    missing = missing_of(agent, understanding)
    if not missing or (agent == "flight" and why_no_flight(understanding.flight)):
        return None
    if _is_asked_by_another(missing, understanding, today):
        return dict(WAITS_FOR_ANOTHER)
    defaults = facts_of(agent, understanding) | _fallbacks(agent, understanding, missing, today)
    fields = {name: dict(field) for name, field in FIELDS[agent].items()}
    for alternative in understanding.alternatives:
        holder, _, name = alternative.slot.partition(".")
        # Days that are proposed leave all others open.
        is_open = not (alternative.taken or alternative.is_proposed)
        is_asked = name in fields and (ROWS[alternative.slot].type is Place or is_open)
        if holder == agent and is_asked:
            fields[name] = {
                "title": fields[name]["title"],
                "oneOf": _choices(alternative, defaults.get(name)),
            }
    asked = ask_for(missing, alternatives=understanding.alternatives, period=understanding.period)
    told = " ".join(
        filter(None, [noted(understanding), refusals(understanding), others_named(understanding)])
    )
    return {
        "agent": agent,
        # One line to answer, and what was taken from the message below it.
        "prompt": in_this_year("\n\n".join(filter(None, [asked, told])), today),
        "schema": {
            "type": "object",
            "properties": fields,
            "required": [name for name in fields if f"{agent}.{name}" in missing and name not in defaults],
            "additionalProperties": False,
        },
        "defaults": defaults,
    }


def asked_again(questions: Iterable[InputRequest], before: Understanding | None) -> list[str]:
    """Return what is still asked, as sentences, without what the questions told when they were put first."""
    return [_asked_again(each, before) or each.question.prompt for each in questions]


def _asked_again(question: InputRequest, before: Understanding | None) -> str:
    if before is None or question.permission is not None:
        return ""
    wanted = replace(before, agents=before.wanted)
    missing = tuple(slot for slot in wanted.missing if slot.startswith(f"{question.question.agent}."))
    return ask_for(missing, alternatives=before.alternatives, period=before.period)


def _is_asked_by_another(missing: tuple[str, ...], understanding: Understanding, today: date) -> bool:
    """Whether the question of an earlier agent is for all that is missing."""
    sources = [answered_with(ROWS[slot]) for slot in missing]
    for agent in searching([slot.agent for slots in sources for slot in slots]):
        asked = missing_of(agent, understanding)
        is_for_all = all(any(slot.name in asked for slot in slots) for slots in sources)
        if is_for_all and question_about(agent, understanding, today=today) is not None:
            return True
    return False


def missing_of(agent: Agent, understanding: Understanding) -> tuple[str, ...]:
    """Return the slots without which an agent cannot search."""
    return tuple(slot for slot in understanding.missing if slot.startswith(f"{agent}."))


def facts_of(agent: Agent, understanding: Understanding) -> dict[str, Any]:
    """Return what is known of an agent's fields, as an answer gives it."""
    values = {name: _known(ROWS[f"{agent}.{name}"], understanding.of(agent)) for name in FIELDS[agent]}
    return {name: written(value) for name, value in values.items() if value is not None}


def _known(slot: Slot, slots: AgentSlots) -> Any:
    return (
        _nights(slots)
        if isinstance(slots, HotelSlots) and slot.field == "nights"
        else getattr(slots, slot.field)
    )


def _nights(hotel: HotelSlots) -> int:
    last_day = hotel.last_day
    return (last_day - hotel.check_in).days if hotel.check_in and last_day else hotel.nights or 1


def _fallbacks(
    agent: Agent, understanding: Understanding, missing: tuple[str, ...], today: date
) -> dict[str, Any]:
    """Return the first day of the named period as the default for a missing day."""
    first_day = linked(agent, "first_day").field
    period = understanding.period
    if period is None or period.end < today or f"{agent}.{first_day}" not in missing:
        return {}
    return {first_day: max(period.start, today).isoformat()}


def _choices(alternative: Alternative, known: str | None) -> list[dict[str, str]]:
    labels = dict.fromkeys(filter(None, (known, *alternative.others)))
    return [{"const": label, "title": label} for label in labels]


# --- answers -------------------------------------------------------------------------------------------


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
    assumed = carry.assumed_names(result, slots, held_in(understanding), understanding.assumed)
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
        decides = text.match(_TALK_SAID.you_decide, at)
        length = decides or text.match(_TALK_SAID.beside_you_decide, at)
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
