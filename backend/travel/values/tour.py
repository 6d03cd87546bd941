"""A trip through several cities, in whatever order is cheapest or in the one told. Pure values."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date
from typing import Any

MOST_STOPS = 8
"""Cities that one trip may visit: 40,320 orders of them can be searched through in seconds."""

MOST_DAYS = 62
"""Days between the first and the last that a trip may choose from: two months."""

MOST_NIGHTS = 30
"""Nights that a trip may stay in one city."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TourCity:
    """A city that a trip begins in or visits: its name for people, and its IATA airport codes."""

    name: str
    country: str
    airports: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A city to visit, for so many nights: any number from the least to the most.

    Where a day `on` is told, it is no earlier than the arrival, and no later than the leaving.
    """

    city: TourCity
    least_nights: int
    most_nights: int
    on: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tour:
    """One trip to be planned.

    Its `stops` are visited as they stand if it is `ordered`; else their order means nothing, and they are
    sorted by name. It begins in `start`, which is no stop, or, without one, with the arrival in any of its
    stops, and on the day `begins`, if there is one. Its first and last days are no earlier than `earliest`
    and no later than `latest`. Where it `returns`, its last flight goes back to where it began; else it ends
    with the nights in its last stop.
    """

    start: TourCity | None
    stops: tuple[Stop, ...]
    earliest: date
    latest: date
    returns: bool
    passengers: int = 1
    ordered: bool = False
    begins: date | None = None

    def __post_init__(self) -> None:
        if self.ordered:
            return
        by_name = sorted(self.stops, key=lambda stop: (stop.city.name, stop.city.country))
        object.__setattr__(self, "stops", tuple(by_name))

    def key_parts(self) -> Mapping[str, Any]:
        """Return what a call's key is made of.

        The fields of told orders and days were added later. They are left out where nothing is told, so that
        a tour without them has the key of the plans that an earlier version has stored.
        """
        parts = _without_untold(self, {"ordered": False, "begins": None})
        return {**parts, "stops": [_without_untold(stop, {"on": None}) for stop in self.stops]}


def _without_untold(value: Tour | Stop, untold: Mapping[str, Any]) -> dict[str, Any]:
    """The fields in their order, by which keys are made, without those that have the value of `untold`."""
    named = ((each.name, getattr(value, each.name)) for each in fields(value))
    return {name: now for name, now in named if name not in untold or now != untold[name]}


def fault_of(tour: Tour) -> str:
    """Return in a sentence why nobody could plan such a trip, whoever sells the flights; "" if one could."""
    names = [stop.city.name for stop in tour.stops]
    if not 2 <= len(names) <= MOST_STOPS:
        return f"A trip is planned through 2 to {MOST_STOPS} cities; this one has {len(names)}."
    cities = [stop.city for stop in tour.stops] + ([tour.start] if tour.start else [])
    for city in cities:
        if not city.airports:
            return f"{city.name} has no airport."
        if cities.count(city) > 1:
            return f"{city.name} is in the trip twice."
    for stop in tour.stops:
        if not 1 <= stop.least_nights <= stop.most_nights <= MOST_NIGHTS:
            return f"The nights in {stop.city.name} must be 1 to {MOST_NIGHTS}."
    if tour.passengers < 1:
        return "A trip needs at least one passenger."
    days = (tour.latest - tour.earliest).days
    if days < 0:
        return "The last day of the trip is before its first."
    if days > MOST_DAYS:
        return f"A trip is planned within {MOST_DAYS} days; these are {days}."
    return _fault_of_days(tour, days)


def _fault_of_days(tour: Tour, days: int) -> str:
    nights = sum(stop.least_nights for stop in tour.stops)
    if nights > days:
        return f"{nights} nights do not fit between {_said(tour.earliest)} and {_said(tour.latest)}."
    if tour.begins is not None and not tour.earliest <= tour.begins <= tour.latest:
        return f"A trip that begins on {_said(tour.begins)} is not within its days."
    for stop in tour.stops:
        if stop.on is not None and not tour.earliest <= stop.on <= tour.latest:
            return f"{_said(stop.on)} in {stop.city.name} is not within the days of the trip."
    return ""


def _said(day: date) -> str:
    return f"{day.day} {day:%B}"


def tour_from_json(given: Mapping[str, Any]) -> Tour:
    """Return the tour whose JSON this is. Raises KeyError, TypeError or ValueError for what is none."""
    # By hand: the worker process reads one tour and imports no pydantic, which alone takes 68 ms.
    return Tour(
        start=_city(given["start"]) if given["start"] is not None else None,
        stops=tuple(
            Stop(
                city=_city(stop["city"]),
                least_nights=int(stop["least_nights"]),
                most_nights=int(stop["most_nights"]),
                on=_day(stop.get("on")),
            )
            for stop in given["stops"]
        ),
        earliest=date.fromisoformat(given["earliest"]),
        latest=date.fromisoformat(given["latest"]),
        returns=bool(given["returns"]),
        passengers=int(given["passengers"]),
        ordered=bool(given.get("ordered")),
        begins=_day(given.get("begins")),
    )


def _day(given: Any) -> date | None:
    return date.fromisoformat(given) if given is not None else None


def _city(given: Mapping[str, Any]) -> TourCity:
    return TourCity(
        name=str(given["name"]), country=str(given["country"]), airports=tuple(map(str, given["airports"]))
    )
