"""The airport by which a place is reached that has none, or only an airfield."""

import math
from dataclasses import dataclass
from functools import cache, lru_cache

import airportsdata

from .cities import CITIES
from .travel import City

_EARTH_DIAMETER_KM = 12_742.0
_FARTHEST_KM = 300.0
"""Nobody flies to a place to go on by land for longer than this."""

_NO_FARTHER_THAN_AN_AIRFIELD_KM = 80.0
"""Airport data tells no airfield from an airport: this near to a large one, any counts as a field."""

_ABROAD = 2
"""An airport abroad counts as twice as far: from Cádiz, Tangier is nearer than Seville, but over the sea."""

_OF_THE_TABLE = frozenset(city.label for city in CITIES if city.airports)


@dataclass(frozen=True, slots=True)
class NearestAirport:
    """The airport nearest to a place: its code, its city, and kilometres to it in a straight line."""

    code: str
    city: City
    km: float


@lru_cache(maxsize=1024)
def nearest_airport(city: City) -> NearestAirport | None:
    """Return the airport by which a city is reached that the table knows no airport of.

    None for a city of the table with airports, and where none is near enough.
    """
    if city.centre is None or city.label in _OF_THE_TABLE:
        return None
    centre, country = city.centre, city.country
    ways = ((code, served, _km(centre, at)) for code, (served, at) in _airports().items())
    code, served, km = min(ways, key=lambda way: way[2] * (1 if way[1].country == country else _ABROAD))
    farthest = _NO_FARTHER_THAN_AN_AIRFIELD_KM if city.airports else _FARTHEST_KM
    return NearestAirport(code, served, km) if km <= farthest else None


@cache
def _airports() -> dict[str, tuple[City, tuple[float, float]]]:
    """The airports of the table, each with its city, its latitude and its longitude."""
    known = airportsdata.load("IATA")
    return {
        code: (city, (known[code]["lat"], known[code]["lon"]))
        for city in reversed(CITIES)  # an airport that two cities share is told by the first of them
        for code in city.airports
    }


def _km(one: tuple[float, float], other: tuple[float, float]) -> float:
    (latitude, longitude), (other_latitude, other_longitude) = (map(math.radians, at) for at in (one, other))
    half = (
        math.sin((other_latitude - latitude) / 2) ** 2
        + math.cos(latitude) * math.cos(other_latitude) * math.sin((other_longitude - longitude) / 2) ** 2
    )
    return _EARTH_DIAMETER_KM * math.asin(math.sqrt(half))
