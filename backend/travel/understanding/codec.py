"""An understanding as JSON and back, exactly: it is stored with its task and given to the next one.

A city is written out whole, so that what was stored means the same after the city table has changed.
"""

from dataclasses import fields
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from .result import Understanding
from .slot_table import SLOTS, rows_of

# Built at import, which takes 18 ms, so that the first message does not wait for it. Measured over six
# requests: 6 to 27 us to write one and 11 to 56 us to read it, each type checked. A codec written by hand
# took 8 to 27 us and 19 to 74 us, and checked no type.
_ADAPTER = TypeAdapter(Understanding)

_ADDED_LATER = frozenset(
    {"whole_flight", "whole_hotel", "car", "whole_car", "booking", "tour", "unused", "service", "preferred"}
)
"""Fields that requests of earlier versions lack, and mean the same without."""

_CARS = frozenset({"car", "whole_car"})
"""Slots that are left out where they hold nothing."""

_TOLD_SELDOM = ("ordered", "stays")
"""Fields of a tour that are left out where they tell nothing."""

_ALWAYS_WRITTEN = (
    frozenset(each.name for each in fields(Understanding) if each.default is not None) - _ADDED_LATER
)


class Unreadable(ValueError):
    """A stored request that this version cannot read; the message names the field and quotes no words."""


def to_json(understanding: Understanding) -> dict[str, Any]:
    """Return the understanding as JSON-ready values: filled slots only, money and dates as strings.

    Of its own fields those that are None are left out. Empty ones are written: a request without them is
    known to be of a version that did not have the field, and does not pass for one where it was empty.
    """
    empty: dict[str, Any] = {
        holder: {slot.field for slot in rows_of(agent) if getattr(slots, slot.field) == slot.empty == ()}
        for agent in SLOTS
        for holder in (agent, f"whole_{agent}")
        for slots in (getattr(understanding, holder),)
    }
    if understanding.tour is not None:  # an earlier version wrote tours without these
        empty["tour"] = {name for name in _TOLD_SELDOM if not getattr(understanding.tour, name)}
    ambiguous = (at for at, one in enumerate(understanding.alternatives) if not one.is_choice)
    empty["alternatives"] = {at: {"is_choice"} for at in ambiguous}  # an earlier version had just these
    if understanding.period is not None and not understanding.period.is_any:
        empty["period"] = {"is_any"}
    empty |= {name: True for name in ("unused", "service", "preferred") if not getattr(understanding, name)}
    stored = _ADAPTER.dump_python(understanding, mode="json", exclude_none=True, exclude=empty)
    # A request without them is read as one of an earlier version, which had none.
    return {name: value for name, value in stored.items() if name not in _CARS or value}


def from_json(stored: dict[str, Any]) -> Understanding:
    """Return what `to_json` was given. Raises `Unreadable`, and nothing else, for what it did not write.

    Fields that it does not know are ignored: a later version may have stored the request.
    """
    try:
        # Strict, so that "2" does not pass for a number, nor 20261210 for a day of 1970. It reads bytes,
        # since strict reading of Python values takes no strings for days and amounts, and JSON has no other.
        understanding = _ADAPTER.validate_json(orjson.dumps(stored), strict=True)
    except ValidationError as error:
        # Its own text quotes the input, and what a user said does not belong in a log.
        first, *_ = error.errors(include_url=False, include_context=False, include_input=False)
        where = ".".join(map(str, first["loc"])) or "request"
        raise Unreadable(f"{where}: {first['msg']}.") from None
    except TypeError:
        raise Unreadable("request: it is not JSON.") from None
    missing = _ALWAYS_WRITTEN - stored.keys()
    if missing:
        raise Unreadable(f"{min(missing)}: an earlier version did not write it.")
    return understanding
