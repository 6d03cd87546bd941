"""Asks for the facts that the flight and the hotel agent lack: one question each, as a form.

The form is filled in with what is known. What is missing must be given, unless a sensible default exists.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from langgraph.types import interrupt

from ...graphs.pausing import WAITS_FOR_ANOTHER
from ..understanding.places.gazetteer import in_full
from ..understanding.result import Agent, Alternative, Place, Understanding
from ..understanding.wording import ask_for, refusals, why_no_flight
from .state import TravelRun

FIELDS: Mapping[Agent, Mapping[str, Mapping[str, Any]]] = {
    "flight": {
        "origin": {"type": "string", "title": "From", "minLength": 1},
        "destination": {"type": "string", "title": "To", "minLength": 1},
        "departure_date": {"type": "string", "format": "date", "title": "Leaving on"},
    },
    "hotel": {
        "city": {"type": "string", "title": "City", "minLength": 1},
        "check_in": {"type": "string", "format": "date", "title": "First night"},
        "nights": {"type": "integer", "title": "Nights", "minimum": 1, "maximum": 30},
    },
}
_KNOWN_FROM_FLIGHT = {"hotel.city": "flight.destination", "hotel.check_in": "flight.departure_date"}


def ask_what_is_missing(agent: Agent, run: TravelRun) -> None:
    """Return if the agent knows all that it needs; else ask, which ends this run of its node.

    An answer changes the run's understanding, and the node runs again with it. A stopped agent asks nothing,
    and no agent waits for its answer.
    """
    active = tuple(each for each in run.understanding.agents if not run.context.stopped(each))
    question = question_about(agent, replace(run.understanding, agents=active), today=run.today)
    while question is not None:
        interrupt(question)


def question_about(agent: Agent, understanding: Understanding, *, today: date) -> dict[str, Any] | None:
    """Return an agent's question for `interrupt()`; None if it lacks nothing.

    None as well if no such flight is possible, which the reply explains. A hotel agent that lacks only what
    the flight agent asks for waits for that answer.
    """
    missing = missing_of(agent, understanding)
    if not missing or (agent == "flight" and why_no_flight(understanding.flight)):
        return None
    if agent == "hotel" and question_about("flight", understanding, today=today) is not None:
        asked = missing_of("flight", understanding)
        if all(_KNOWN_FROM_FLIGHT[slot] in asked for slot in missing):
            return dict(WAITS_FOR_ANOTHER)
    defaults = facts_of(agent, understanding) | _fallbacks(agent, understanding, missing, today)
    fields = {name: dict(field) for name, field in FIELDS[agent].items()}
    for alternative in understanding.alternatives:
        holder, _, name = alternative.slot.partition(".")
        if holder == agent and name in ("origin", "destination", "city"):
            fields[name] = {
                "title": fields[name]["title"],
                "oneOf": _choices(alternative, defaults.get(name)),
            }
    asked = ask_for(missing, alternatives=understanding.alternatives, period=understanding.period)
    return {
        "agent": agent,
        "prompt": " ".join(filter(None, [refusals(understanding), asked])),
        "schema": {
            "type": "object",
            "properties": fields,
            "required": [name for name in fields if f"{agent}.{name}" in missing and name not in defaults],
            "additionalProperties": False,
        },
        "defaults": defaults,
    }


def missing_of(agent: Agent, understanding: Understanding) -> tuple[str, ...]:
    """Return the slots without which an agent cannot search."""
    return tuple(slot for slot in understanding.missing if slot.startswith(f"{agent}."))


def facts_of(agent: Agent, understanding: Understanding) -> dict[str, Any]:
    """Return what is known of an agent's fields, as an answer gives it."""
    flight, hotel = understanding.flight, understanding.hotel
    known: dict[str, Any] = (
        {"origin": flight.origin, "destination": flight.destination, "departure_date": flight.departure_date}
        if agent == "flight"
        else {"city": hotel.city, "check_in": hotel.check_in, "nights": _nights(understanding)}
    )
    return {name: _written(value) for name, value in known.items() if value is not None}


def _nights(understanding: Understanding) -> int:
    hotel = understanding.hotel
    last_day = hotel.last_day
    return (last_day - hotel.check_in).days if hotel.check_in and last_day else hotel.nights or 1


def _written(value: Place | date | int) -> Any:
    if isinstance(value, Place):
        return in_full(value.city)
    return value.isoformat() if isinstance(value, date) else value


def _fallbacks(
    agent: Agent, understanding: Understanding, missing: tuple[str, ...], today: date
) -> dict[str, Any]:
    """Return the first day of the named period as the default for a missing day."""
    first_day = "departure_date" if agent == "flight" else "check_in"
    period = understanding.period
    if period is None or period.end < today or f"{agent}.{first_day}" not in missing:
        return {}
    return {first_day: max(period.start, today).isoformat()}


def _choices(alternative: Alternative, known: str | None) -> list[dict[str, str]]:
    labels = dict.fromkeys(filter(None, (known, *alternative.others)))
    return [{"const": label, "title": label} for label in labels]
