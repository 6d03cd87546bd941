"""Journeys through several cities for tests: told in messages, shown as their cities and nights."""

from datetime import date

from backend.travel.understanding.result import TourWish
from tests.understanding.conversation import TODAY, told


def wish(*messages: str, today: date = TODAY) -> TourWish:
    """Return the journey that the last of the messages leaves."""
    tour = told(*messages, today=today).tour
    assert tour is not None
    return tour


def way(tour: TourWish) -> list[str]:
    """Return its cities in their order, with where it begins, and again where it returns."""
    start = [tour.start.city.name] if tour.start else []
    home = tour.start or tour.cities[0]
    return [*start, *(city.city.name for city in tour.cities), *([home.city.name] if tour.returns else [])]


def nights(tour: TourWish) -> list[int | None]:
    """Return the nights in each city, None where that is open."""
    return [tour.stay_in(city).nights or tour.nights for city in tour.cities]
