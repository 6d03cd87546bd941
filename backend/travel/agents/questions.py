"""Asks for the facts that the flight and the hotel agent lack: one question each, as a form.

The form is filled in with what is known. What is missing must be given, unless a sensible default exists.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from langgraph.types import interrupt

from ...domain.questions import InputRequest
from ...graphs.pausing import WAITS_FOR_ANOTHER
from ..understanding.english.slot_words import WORDS
from ..understanding.english.wording import ask_for, noted, others_named, refusals, why_no_flight
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
from .found.wording import in_this_year
from .slot_values import schema_of, written
from .state import TravelRun

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
        is_asked = name in fields and (ROWS[alternative.slot].type is Place or not alternative.taken)
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
