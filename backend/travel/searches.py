"""Which searches a request makes: those of the request before it, where they find all that is wanted.

Sources are asked by places, days, people and class, and by what narrows these when they are asked first. A
message that only narrows further keeps the search: its offers are there already, or still arrive, and those
that do not fit are left out. Only where a source had cut its answer short is it asked for the rest.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from .stored_requests import Request, understanding_in
from .understanding.queries import Query, flight_query, hotel_query, query_covers
from .understanding.result import Agent, Understanding
from .values.travel import FlightQuery, HotelQuery

_FLIGHTS, _HOTELS = TypeAdapter(FlightQuery), TypeAdapter(HotelQuery)


@dataclass(frozen=True, slots=True, kw_only=True)
class Searches:
    """The searches that a request makes; None where it does not search, or not enough is known."""

    flight: FlightQuery | None = None
    hotel: HotelQuery | None = None


def searches_of(request: Request | None) -> Searches:
    """Return the searches of a stored request."""
    understanding = understanding_in(request)
    if request is None or understanding is None:
        return Searches()
    kept: Mapping[str, Any] = request.get("searches", {})
    wanted = _wanted(understanding)
    return Searches(
        flight=_read(_FLIGHTS, kept.get("flight")) or wanted.flight,
        hotel=_read(_HOTELS, kept.get("hotel")) or wanted.hotel,
    )


def kept_searches(understanding: Understanding, before: Request | None) -> dict[str, Any]:
    """Return the searches of the request `before` that find all that is wanted now, to be stored with it.

    Those that are just what is wanted are left out.
    """
    made, wanted = searches_of(before), _wanted(understanding)
    kept: dict[str, Any] = {}
    if made.flight and wanted.flight and _is_kept("flight", made.flight, wanted.flight):
        kept["flight"] = _FLIGHTS.dump_python(made.flight, mode="json")
    if made.hotel and wanted.hotel and _is_kept("hotel", made.hotel, wanted.hotel):
        kept["hotel"] = _HOTELS.dump_python(made.hotel, mode="json")
    return kept


def _wanted(understanding: Understanding) -> Searches:
    return Searches(flight=flight_query(understanding), hotel=hotel_query(understanding))


def _is_kept(agent: Agent, made: Query, wanted: Query) -> bool:
    return made != wanted and query_covers(agent, made, wanted)


def _read(adapter: TypeAdapter[Any], stored: Any) -> Any:
    if stored is None:
        return None
    try:
        return adapter.validate_python(stored)
    except ValidationError:
        return None  # it is then made as the request says
