"""The name of a request, by which its user finds it again: "Berlin to Tokyo, 10 December"."""

from datetime import date

from ..result import Place, Understanding
from .slot_words import MONTHS


def title_of(understanding: Understanding) -> str:
    """Return where the request goes, and when; "" where it is about neither a flight, a stay nor a tour."""
    flight, hotel, tour = understanding.flight, understanding.hotel, understanding.tour
    if tour is not None:
        return _named(" and ".join(place.city.name for place in tour.cities), tour.earliest)
    if "flight" in understanding.wanted and flight.destination:
        route = f"{flight.origin.city.name} to {flight.destination.city.name}" if flight.origin else ""
        return _named(route or _name(flight.destination), flight.departure_date)
    return _named(_name(hotel.city), hotel.check_in) if hotel.city else ""


def _name(place: Place) -> str:
    return place.city.name


def _named(where: str, day: date | None) -> str:
    return f"{where}, {day.day} {MONTHS[day.month - 1]}" if day else where
