"""Whether offers fit what a request narrows them to, and what sources are asked by apart from that."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from .searches import base_of_flights, base_of_hotels
from .understanding.places.districts import searched_district
from .understanding.queries import flight_query, hotel_query
from .understanding.result import Agent, Understanding
from .values.travel import FlightQuery, HotelQuery, Money


def base_query(agent: Agent, understanding: Understanding) -> FlightQuery | HotelQuery | None:
    """Return what sources are asked by: places, days, people and class."""
    if agent == "flight":
        flights = flight_query(understanding)
        return flights and base_of_flights(flights)
    hotels = hotel_query(understanding)
    return hotels and base_of_hotels(hotels)


def fits(agent: Agent, understanding: Understanding, offer: Mapping[str, Any]) -> bool:
    """Return whether an offer, in its JSON form, fits all that narrows the request."""
    if agent == "flight":
        flight = understanding.flight
        most = flight.max_stops
        stops = max((len(each["segments"]) - 1 for each in offer["slices"]), default=0)
        return (most is None or stops <= most) and _is_within(flight.max_price, offer["price_per_person"])
    hotel = understanding.hotel
    district = searched_district(hotel.district, hotel.city.city) if hotel.district and hotel.city else ""
    is_there = not district or offer["district"] == district
    is_good = hotel.stars is None or offer["stars"] >= hotel.stars
    return is_there and is_good and _is_within(hotel.max_price, offer["price_per_night"])


def _is_within(most: Money | None, price: Mapping[str, str]) -> bool:
    return most is None or most.currency != price["currency"] or Decimal(price["amount"]) <= most.amount
