"""What each agent is asked to find, for clients to show: labels, codes, places on a map, days.

It has what is understood, even if that is not enough to search by yet, with the defaults that a search would
use. It is a plain JSON object; only clients read it.
"""

from typing import Any

from ..values.travel import City
from .details.flexibility import flexible_days
from .queries import searched_value
from .result import Agent, Place, Understanding
from .slot_table import Slot, searched_by


def requested(agent: Agent, understanding: Understanding) -> dict[str, Any]:
    """Return what an agent is asked to find: `None` for what is not known, `{}` for a planner."""
    asked = {slot.field: _shown(slot, understanding) for slot in searched_by(agent)}
    if agent == "flight":
        asked["flexible_days"] = flexible_days(understanding)
    return asked


def _shown(slot: Slot, understanding: Understanding) -> Any:
    value = searched_value(slot, understanding.of(slot.agent))
    if not isinstance(value, Place):
        return value
    codes = {"codes": list(value.airports)} if slot.has_airports else {}
    return {**_city(value.city), **codes}


def _city(city: City) -> dict[str, Any]:
    latitude, longitude = city.centre or (None, None)
    return {"label": city.label, "latitude": latitude, "longitude": longitude}
