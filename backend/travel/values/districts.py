"""Districts of cities: where in a city somebody may want to sleep.

About sixty cities have their districts by name, each with the coordinates of its middle (from general
knowledge, to a few hundred metres). Every other city has the same few generic ones, laid around its centre,
so that "near the station" means something there too.

The rows of `districts.tsv` are the `City.label`, the name, and the latitude and longitude in degrees.
"""

import math
from dataclasses import dataclass

from .tables import rows
from .travel import City

_KM_PER_DEGREE = 111.2


@dataclass(frozen=True, slots=True, kw_only=True)
class District:
    """A part of a city, with the latitude and longitude of its middle in degrees."""

    name: str
    latitude: float
    longitude: float


_GENERIC = (  # name, kilometres north and east of the centre
    ("Centre", 0.0, 0.0),
    ("Old Town", 0.6, -0.4),
    ("Station", -0.9, 0.7),
    ("University", 1.3, 1.1),
    ("Riverside", -0.5, -1.2),
    ("Business District", 1.1, -1.6),
)


def _named() -> dict[str, tuple[District, ...]]:
    found: dict[str, list[District]] = {}
    for row in rows("districts"):
        district = District(
            name=row["name"], latitude=float(row["latitude"]), longitude=float(row["longitude"])
        )
        found.setdefault(row["city"], []).append(district)
    return {label: tuple(districts) for label, districts in found.items()}


NAMED_DISTRICTS: dict[str, tuple[District, ...]] = _named()
"""The districts of the cities that have theirs by name, by `City.label`."""


def districts_of(city: City) -> tuple[District, ...]:
    """Return the districts of a city: its own, or generic ones around its centre; none without a centre."""
    if named := NAMED_DISTRICTS.get(city.label):
        return named
    if city.centre is None:
        return ()
    latitude, longitude = city.centre
    east_scale = _KM_PER_DEGREE * math.cos(math.radians(latitude))
    return tuple(
        District(
            name=name,
            latitude=round(latitude + north / _KM_PER_DEGREE, 4),
            longitude=round(longitude + east / east_scale, 4),
        )
        for name, north, east in _GENERIC
    )
