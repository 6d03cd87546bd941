"""Where airports are, how far apart, and how long a flight between them takes."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

import airportsdata

from ...values.travel import City

_EARTH_DIAMETER_KM = 12_742.0
_LOCAL_NOON = 12

# The further down the list of its city an airport stands, the less of the city's traffic it sees.
_SHARE_OF_CITY = (1.0, 0.6, 0.4, 0.3, 0.25)
_SIZE_OF_TIER = {1: 1.0, 2: 0.3, 3: 0.06}

_TAXI_AND_CLIMB_MINUTES = 32
_KM_PER_MINUTE = 13.6
_WIND = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Airport:
    """A real airport. Degrees, an IANA time zone, and `size`: its pull, 1 for the main one of a world hub.

    `direction` is the unit vector from the middle of the earth, kept since distances are asked for so often.
    """

    code: str
    country: str
    latitude: float
    longitude: float
    zone: str
    size: float
    direction: tuple[float, float, float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        latitude, longitude = math.radians(self.latitude), math.radians(self.longitude)
        level = math.cos(latitude)
        direction = (level * math.cos(longitude), level * math.sin(longitude), math.sin(latitude))
        object.__setattr__(self, "direction", direction)

    @property
    def region(self) -> str:
        """The first part of the time zone's name: "Europe", "America"."""
        return self.zone.split("/", 1)[0]


def airports_of(cities: Iterable[City]) -> dict[str, Airport]:
    """Return the airports of the cities by code; one that two cities share counts for the first."""
    rows = airportsdata.load("IATA")
    airports: dict[str, Airport] = {}
    for city in cities:
        for position, code in enumerate(city.airports):
            row = rows[code]
            airports.setdefault(
                code,
                Airport(
                    code=code,
                    country=city.country,
                    latitude=row["lat"],
                    longitude=row["lon"],
                    zone=row["tz"],
                    size=_SIZE_OF_TIER[city.tier] * _SHARE_OF_CITY[position],
                ),
            )
    return airports


def distance_km(origin: Airport, destination: Airport) -> float:
    """Return the great-circle distance between two airports, on a sphere."""
    return _EARTH_DIAMETER_KM * math.asin(min(1.0, math.dist(origin.direction, destination.direction) / 2))


def block_minutes(origin: Airport, destination: Airport, *, km: float) -> int:
    """Return minutes from gate to gate, in steps of five.

    32 minutes of taxi, climb and approach, then 816 km/h, 5 % faster flying east and slower flying west: the
    constants of a prototype, whose JFK-LHR (5,540 km) takes 7:00 and LHR-JFK 7:40.
    """
    eastward = (destination.longitude - origin.longitude + 540) % 360 - 180
    # Wind needs room: full effect from 30 degrees of longitude on, so that north-south flights see none.
    wind = 1 - _WIND * max(-1.0, min(1.0, eastward / 30))
    return 5 * round((_TAXI_AND_CLIMB_MINUTES + km / _KM_PER_MINUTE * wind) / 5)


@lru_cache(maxsize=20_000)
def utc_offset_minutes(zone: str, day: int) -> int:
    """Return a zone's offset on a day (proleptic ordinal), as it is at noon.

    Clocks change at night, and no demo flight leaves between midnight and half past five, so noon's offset
    is that of every departure of the day.
    """
    on = date.fromordinal(day)
    offset = datetime(on.year, on.month, on.day, _LOCAL_NOON, tzinfo=ZoneInfo(zone)).utcoffset()
    return round(offset.total_seconds() / 60) if offset else 0
