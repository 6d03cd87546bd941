"""What each agent is asked to find, for clients to show: labels, codes, places on a map, days.

It has what is understood, even if that is not enough to search by yet, with the defaults that a search would
use, and what nothing is searched by: the user's own words, and names that no search knows. It is a plain
JSON object; only clients read it.
"""

from collections.abc import Iterator, Mapping
from datetime import date, time
from typing import Any, Literal, cast, get_args, get_origin

from ..values.travel import City, Money
from .queries import searched_value
from .result import Agent, Place, Understanding
from .slot_table import Slot, rows_of, searched_by, searching

_NULL: Mapping[str, Any] = {"type": "null"}
_WORDS: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}}
_SHOWN_AS: Mapping[type, Mapping[str, Any]] = {
    Place: {"$ref": "#/components/schemas/Spot"},
    Money: {"$ref": "#/components/schemas/Money"},
    date: {"type": "string"},
    time: {"type": "string"},
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
}


def requested(agent: Agent, understanding: Understanding) -> dict[str, Any]:
    """Return what an agent is asked to find: `None` for what is not known, `{}` for a planner.

    `unused` are the wishes of the whole request that nothing is searched by, in the user's words where they
    filled no slot; `assumed` names the fields that nobody said.
    """
    asked = {slot.field: _shown(slot, understanding) for slot in searched_by(agent)}
    if not asked:
        return {}
    if agent == "flight":
        asked["flexible_days"] = understanding.flexible_days
    return {
        **asked,
        "unused": list(unused_of(understanding)),
        "assumed": assumed_of(agent, understanding),
    }


def request_schema(agent: Agent) -> dict[str, Any]:
    """Return the JSON Schema of what clients get for an agent that has slots: `requested`, with its `words`.

    Places and money are references, `Spot` and `Money`, which the clients' types define.
    """
    properties = {slot.field: _shown_schema(slot) for slot in searched_by(agent)}
    if agent == "flight":
        properties["flexible_days"] = {"anyOf": [{"type": "integer"}, _NULL]}
    properties |= dict.fromkeys(("unused", "assumed"), _WORDS)
    properties["words"] = {"type": "object", "additionalProperties": {"type": "string"}}
    return {"type": "object", "properties": properties, "required": list(properties)}


def _shown_schema(slot: Slot) -> dict[str, Any]:
    is_choice = get_origin(slot.type) is Literal
    if get_origin(slot.type) is tuple:
        shown: Mapping[str, Any] = {"type": "array", "items": _SHOWN_AS[get_args(slot.type)[0]]}
    else:
        shown = {"enum": list(get_args(slot.type))} if is_choice else _SHOWN_AS[slot.type]
    return dict(shown) if slot.default is not None else {"anyOf": [shown, _NULL]}


def _shown(slot: Slot, understanding: Understanding) -> Any:
    value = searched_value(slot, understanding.of(slot.agent))
    if isinstance(value, tuple):
        return [_shown_value(slot, one) for one in cast("tuple[Any, ...]", value)]
    return _shown_value(slot, value)


def _shown_value(slot: Slot, value: Any) -> Any:
    if isinstance(value, time):
        return f"{value:%H:%M}"
    if not isinstance(value, Place):
        return value
    codes = {"codes": list(value.airports)} if slot.has_airports else {}
    return {**_city(value.city), **codes}


def _city(city: City) -> dict[str, Any]:
    latitude, longitude = city.centre or (None, None)
    return {"label": city.label, "latitude": latitude, "longitude": longitude}


def unused_of(understanding: Understanding) -> tuple[str, ...]:
    """Return the wishes of a request that are not used, for clients to show beside what is.

    Those of earlier messages are among them, as long as the request is the same.
    """
    agents = searching(understanding.wanted or understanding.agents)
    values = (value for agent in agents for value in _unsearched(agent, understanding))
    return tuple(dict.fromkeys((*understanding.unused, *values)))


def assumed_of(agent: Agent, understanding: Understanding) -> list[str]:
    """Return the fields of an agent's request that nobody said: taken from the other agent, or by default."""
    slots = understanding.of(agent)
    by_default = [
        slot.field
        for slot in rows_of(agent)
        if slot.default not in (None, "") and getattr(slots, slot.field) == slot.empty
    ]
    if agent == "hotel" and slots.last_day is not None and slots.told_last_day is None:
        by_default.append("check_out")
    others = [name.partition(".")[2] for name in understanding.assumed if name.startswith(f"{agent}.")]
    return sorted({*by_default, *others})


def _unsearched(agent: Agent, understanding: Understanding) -> Iterator[str]:
    """Names that no search takes, as that of a part of a city that it does not know."""
    slots = understanding.of(agent)
    for slot in searched_by(agent):
        value = getattr(slots, slot.field)
        if slot.type is str and value and searched_value(slot, slots) == slot.default:
            yield value
