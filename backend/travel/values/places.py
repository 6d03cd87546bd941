"""The places Detour knows, each kind of them in a table, a tab-separated file beside this module.

Airport data has no notion of a city that people ask for: Newark is no part of New York there, Vancouver's
airport lies in "Richmond", Istanbul's in "Arnavutköy", and nothing says which of 7,884 airports matter.
So names, groups of airports and sizes are ours; codes, coordinates of airports and time zones stay with
the `airportsdata` package, which the tests hold these tables against.

`cities.tsv` and `towns.tsv` have one place a row:

- `country` is ISO 3166 alpha-2 (XK for Kosovo), `subdivision` the state or province in US, CA, AU and MX;
- `tier` is 1 for a world hub, 2 for a large city, 3 for a regional or holiday one;
- `airports` are IATA codes, most used first, none where the city is reached by land only;
- `metro` is the IATA code of the group of airports, where there is one;
- `aliases` are other names people type, spelled as people spell them; capitals throughout mean an
  abbreviation. Accents need no alias, letters that do not decompose (ø, ł, ß) do. An alias may be shared by
  two cities (Saint Petersburg); telling them apart is the reader's business;
- `latitude` and `longitude` are those of the middle of the city, to about a kilometre.

The other tables name what they are about by `City.label`, and list names with the one that is shown first.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, time, timedelta
from functools import cache, lru_cache
from importlib.resources import files

import airportsdata

from .offers import plain
from .travel import City

# --- tables --------------------------------------------------------------------------------------------


_PACKAGE, _, _ = __name__.rpartition(".")


def rows(table: str) -> Iterator[dict[str, str]]:
    """Yield the rows of `<table>.tsv` in order, by column. Raises ValueError for one of other columns."""
    # Read as a resource, since an installed package may lie in an archive and not in a folder.
    text = files(_PACKAGE).joinpath(f"{table}.tsv").read_text("utf-8")
    head, *lines = text.splitlines()
    columns = head.split("\t")
    for line in lines:
        yield dict(zip(columns, line.split("\t"), strict=True))


def listed(cell: str, separator: str = ", ") -> tuple[str, ...]:
    """Return what a cell lists; nothing where it is empty."""
    return tuple(cell.split(separator)) if cell else ()


# --- cities and towns ----------------------------------------------------------------------------------


TIER = 4
"""That of a town, below every city: of two namesakes the city is meant."""


def _city(row: dict[str, str]) -> City:
    return City(
        name=row["name"],
        country=row["country"],
        subdivision=row["subdivision"],
        tier=int(row.get("tier", TIER)),
        airports=listed(row.get("airports", ""), " "),
        centre=(float(row["latitude"]), float(row["longitude"])),
        metro=row.get("metro", ""),
        aliases=listed(row["aliases"]),
    )


CITIES: tuple[City, ...] = tuple(map(_city, rows("cities")))
"""Every city, grouped by region and country; a name alone is not unique, `City.label` is."""

TOWNS: tuple[City, ...] = tuple(map(_city, rows("towns")))
"""Every town that people travel to and that has no airport of its own. Their names decide less than those of
cities: "Essen" and "Tours" are words as well."""


@cache
def _by_name() -> dict[tuple[str, str], list[City]]:
    found: dict[tuple[str, str], list[City]] = {}
    for city in (*CITIES, *TOWNS):
        found.setdefault((plain(city.name), city.country), []).append(city)
    return found


def cities_named(name: str, country: str, subdivision: str = "") -> list[City]:
    """Return the places of a name, in the order of the table: all namesakes where no subdivision is given."""
    namesakes = _by_name().get((plain(name), country), ())
    return [city for city in namesakes if subdivision in ("", city.subdivision)]


# --- countries and regions -----------------------------------------------------------------------------


COUNTRIES: dict[str, tuple[str, ...]] = {row["code"]: listed(row["names"]) for row in rows("countries")}
"""Code to the names of the country, the one that is shown first."""


_AT_MOST = 5
"""Cities that a person is asked to choose among."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A country, a state or a part of either, by its names, and up to five of its cities, largest first.

    `country` and `subdivision` tell what lies in it, where a country or a state is meant.
    """

    names: tuple[str, ...]
    cities: tuple[City, ...]
    country: str = ""
    subdivision: str = ""

    def holds(self, city: City) -> bool:
        """Whether a city lies in it."""
        if city in self.cities:
            return True
        is_in_state = not self.subdivision or city.subdivision == self.subdivision
        return bool(self.country) and city.country == self.country and is_in_state


def _largest(cities: Iterable[City]) -> tuple[City, ...]:
    return tuple(sorted(cities, key=lambda city: city.tier)[:_AT_MOST])


def _region(row: dict[str, str], by_label: dict[str, City]) -> Region:
    return Region(
        names=listed(row["names"]),
        cities=tuple(by_label[label] for label in listed(row["cities"], "; ")),
    )


def _regions() -> Iterator[Region]:
    by_label = {city.label: city for city in CITIES}
    yield from (_region(row, by_label) for row in rows("regions"))
    for code, names in COUNTRIES.items():
        if cities := _largest(city for city in CITIES if city.country == code):
            yield Region(names=names, cities=cities, country=code)
    states = dict.fromkeys((city.country, city.subdivision) for city in CITIES if city.subdivision)
    for country, subdivision in states:
        found = _largest(
            city for city in CITIES if (city.country, city.subdivision) == (country, subdivision)
        )
        yield Region(names=(subdivision,), cities=found, country=country, subdivision=subdivision)


REGIONS: tuple[Region, ...] = tuple(_regions())
"""Every region that has a city of ours. A name may stand for two: Georgia is a country and a state."""


# --- districts and landmarks ---------------------------------------------------------------------------


_KM_PER_DEGREE = 111.2


@dataclass(frozen=True, slots=True, kw_only=True)
class District:
    """A part of a city, with the latitude and longitude of its middle in degrees."""

    name: str
    latitude: float
    longitude: float


# For cities whose districts nobody has listed, so that "near the station" means something there too.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Landmark:
    """A sight by its names, the `City.label` it belongs to, and the district nearest to it."""

    names: tuple[str, ...]
    city: str
    district: str


LANDMARKS: tuple[Landmark, ...] = tuple(
    Landmark(names=listed(row["names"]), city=row["city"], district=row["district"])
    for row in rows("landmarks")
)


# --- airports and climate ------------------------------------------------------------------------------


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
    ways = ((code, served, km_between(centre, at)) for code, (served, at) in _airports().items())
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


def km_between(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the distance of two points, each a latitude and a longitude in degrees, as the crow flies."""
    (latitude, longitude), (other_latitude, other_longitude) = (map(math.radians, at) for at in (one, other))
    half = (
        math.sin((other_latitude - latitude) / 2) ** 2
        + math.cos(latitude) * math.cos(other_latitude) * math.sin((other_longitude - longitude) / 2) ** 2
    )
    return _EARTH_DIAMETER_KM * math.asin(math.sqrt(half))


_CRUISE_KMH, _STARTS_AND_LANDS_H = 800.0, 1.0
_NONSTOP_KM, _ONE_STOP_H = 9000.0, 3.0
_DEGREES_AN_HOUR = 15.0
_FIRST_FLIGHT_H, _FIRST_LONG_FLIGHT_H, _NOON_H = 6.0, 8.0, 12.0
_LONG_H = 5.0
"""A flight that takes so long may well be one of a night."""


def day_to_leave(origin: City, goal: City, arrival: date, by: time, told: date | None) -> date:
    """Return the day on which to leave so as to be there on another, by an hour of it.

    That is the last one whose first flights land in time, by the distance and the hour of the sun; or the
    evening before, where that was `told` and the flight takes long.
    """
    is_long = _hours(origin, goal) >= _LONG_H
    if is_long and told and told == arrival - timedelta(days=1):
        return told
    lands = _lands(origin, goal, _FIRST_LONG_FLIGHT_H if is_long else _FIRST_FLIGHT_H)
    return arrival - timedelta(days=max(0, math.ceil((lands - by.hour - by.minute / 60) / 24)))


def nights_on_the_way(origin: City, goal: City) -> int:
    """Return how many days after its own a flight that leaves at noon lands, by the distance and the sun."""
    return max(0, int(_lands(origin, goal, _NOON_H) // 24))


def _hours(origin: City, goal: City) -> float:
    km = km_between(origin.centre, goal.centre) if origin.centre and goal.centre else 0.0
    return km / _CRUISE_KMH + _STARTS_AND_LANDS_H + (_ONE_STOP_H if km > _NONSTOP_KM else 0)


def _lands(origin: City, goal: City, leaves: float) -> float:
    """The hour at which a flight lands that leaves at an hour of its day, by the clocks of both cities."""
    east = goal.centre[1] - origin.centre[1] if origin.centre and goal.centre else 0.0
    return leaves + _hours(origin, goal) + east / _DEGREES_AN_HOUR


WARM = 17.0
"""The mean high, in °C, from which a place is called warm."""

_AT_THE_EQUATOR, _BY_LATITUDE, _SEASON = 38.0, 0.5, 0.22
_MONTHS, _WARMEST = 12, 7.2


def mean_high(city: City, month: int) -> float | None:
    """Return about how warm it gets by day in a month (1 to 12), in °C; None for a place without a centre.

    By the latitude alone, without seas, mountains and deserts, so whoever tells of it says what it goes by.
    For January it gives Gran Canaria 18 °C, Bangkok 28 °C and Berlin 0 °C.
    """
    if city.centre is None:
        return None
    latitude = city.centre[0]
    season = math.cos(2 * math.pi * (month - _WARMEST) / _MONTHS)
    return _AT_THE_EQUATOR - _BY_LATITUDE * abs(latitude) + _SEASON * latitude * season


def is_warm(city: City, month: int) -> bool:
    """Return whether a place is warm in a month."""
    high = mean_high(city, month)
    return high is not None and high >= WARM
