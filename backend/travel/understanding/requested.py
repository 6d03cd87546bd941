"""What each agent is asked to find, for clients to show: labels, codes, places on a map, days.

It has what is understood, even if that is not enough to search by yet, with the defaults that a search would
use. It is a plain JSON object; only clients read it.
"""

from typing import Any

from ..values.travel import City
from .details.flexibility import flexible_days
from .places.districts import searched_district
from .result import Agent, Place, Understanding


def requested(agent: Agent, understanding: Understanding) -> dict[str, Any]:
    """Return what an agent is asked to find: `None` for what is not known, `{}` for a planner."""
    if agent == "flight":
        return _flight(understanding)
    return _hotel(understanding) if agent == "hotel" else {}


def _flight(understanding: Understanding) -> dict[str, Any]:
    flight = understanding.flight
    return {
        "origin": _airports(flight.origin),
        "destination": _airports(flight.destination),
        "departure_date": flight.departure_date,
        "return_date": flight.return_date,
        "passengers": flight.passengers or 1,
        "cabin_class": flight.cabin_class or "economy",
        "max_stops": flight.max_stops,
        "max_price": flight.max_price,
        "flexible_days": flexible_days(understanding),
    }


def _hotel(understanding: Understanding) -> dict[str, Any]:
    hotel = understanding.hotel
    return {
        "city": _city(hotel.city.city) if hotel.city else None,
        "district": searched_district(hotel.district, hotel.city.city)
        if hotel.district and hotel.city
        else "",
        "check_in": hotel.check_in,
        "check_out": hotel.last_day,
        "guests": hotel.guests or 1,
        "rooms": hotel.rooms or 1,
        "stars": hotel.stars,
        "max_price": hotel.max_price,
    }


def _airports(place: Place | None) -> dict[str, Any] | None:
    return None if place is None else {**_city(place.city), "codes": list(place.airports)}


def _city(city: City) -> dict[str, Any]:
    latitude, longitude = city.centre or (None, None)
    return {"label": city.label, "latitude": latitude, "longitude": longitude}
