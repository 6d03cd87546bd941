"""Which searches a request makes: those of the request before it, where they find all that is wanted.

Sources are asked by places, days, people and class, and by what narrows these when they are asked first. A
message that only narrows further keeps the search: its offers are there already, or still arrive, and those
that do not fit are left out. Only where a source had cut its answer short is it asked for the rest.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from .stored_requests import Request, understanding_in
from .understanding.queries import flight_query, hotel_query
from .understanding.result import Understanding
from .values.travel import FlightQuery, HotelQuery, Money

HOME_CURRENCY = "EUR"
"""Sources price in it unless a limit names another currency."""

Q = TypeVar("Q")

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
    if made.flight and wanted.flight and _is_kept(made.flight, wanted.flight, flights_cover):
        kept["flight"] = _FLIGHTS.dump_python(made.flight, mode="json")
    if made.hotel and wanted.hotel and _is_kept(made.hotel, wanted.hotel, hotels_cover):
        kept["hotel"] = _HOTELS.dump_python(made.hotel, mode="json")
    return kept


def _wanted(understanding: Understanding) -> Searches:
    return Searches(flight=flight_query(understanding), hotel=hotel_query(understanding))


def _is_kept(made: Q, wanted: Q, covers: Callable[[Q, Q], bool]) -> bool:
    return made != wanted and covers(made, wanted)


def flights_cover(made: FlightQuery, wanted: FlightQuery) -> bool:
    """Return whether a search for flights finds all that another one would."""
    return (
        base_of_flights(made) == base_of_flights(wanted)
        and _reaches(made.max_stops, wanted.max_stops)
        and _pays(made.max_price, wanted.max_price)
    )


def hotels_cover(made: HotelQuery, wanted: HotelQuery) -> bool:
    """Return whether a search for hotels finds all that another one would."""
    return (
        base_of_hotels(made) == base_of_hotels(wanted)
        and made.district in ("", wanted.district)
        and (made.stars or 0) <= (wanted.stars or 0)
        and _pays(made.max_price, wanted.max_price)
    )


def base_of_flights(query: FlightQuery) -> FlightQuery:
    """Return a search for flights without what narrows it."""
    return replace(query, max_stops=None, max_price=None)


def base_of_hotels(query: HotelQuery) -> HotelQuery:
    """Return a search for hotels without what narrows it."""
    return replace(query, district="", stars=None, max_price=None)


def _reaches(made: int | None, wanted: int | None) -> bool:
    return made is None or (wanted is not None and wanted <= made)


def _pays(made: Money | None, wanted: Money | None) -> bool:
    """Whether all offers up to the price `wanted` are among those up to `made`, in the same currency."""
    currencies = {each.currency if each else HOME_CURRENCY for each in (made, wanted)}
    is_less = made is None or (wanted is not None and wanted.amount <= made.amount)
    return len(currencies) == 1 and is_less


def _read(adapter: TypeAdapter[Any], stored: Any) -> Any:
    if stored is None:
        return None
    try:
        return adapter.validate_python(stored)
    except ValidationError:
        return None  # it is then made as the request says
