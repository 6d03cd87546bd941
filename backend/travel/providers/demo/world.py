"""What the demo inventory is made of, and what it sells at all: noise, tables, money, airports, rules.

Every invented detail is a function of named parts ("seat", seed, flight, day), hashed with BLAKE2b. Unlike a
random generator there is no state: a detail can be computed alone, in any order, and again.
"""

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import airportsdata
import orjson

from ....domain.encoding import encode
from ....domain.errors import NotOnSale
from ...values.offers import Filter
from ...values.travel import HOME_CURRENCY, SALES_DAYS, City, FlightQuery, HotelQuery, Money

PROVIDER_NAME = "demo"

# --- noise ---------------------------------------------------------------------------------------------


def noise_bytes(*parts: object, size: int = 64) -> bytes:
    """Return bytes that depend on `parts` alone."""
    return blake2b("|".join(map(str, parts)).encode(), digest_size=size).digest()


def unit(*parts: object) -> float:
    """Return a number in [0, 1) that depends on `parts` alone."""
    return int.from_bytes(noise_bytes(*parts, size=8)) / 2.0**64


def fingerprint(*parts: object) -> str:
    """Return 16 hexadecimal digits that depend on `parts` alone; for identifiers."""
    return noise_bytes(*parts, size=8).hex()


# --- tables --------------------------------------------------------------------------------------------

TABLES: dict[str, Any] = tomllib.loads(files(__package__ or "").joinpath("demo.toml").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class Carrier:
    """An invented airline. It is low-cost without hubs: then it sells seats only, on single flights."""

    id: str
    name: str
    price_level: float
    hubs: tuple[str, ...]
    regions: tuple[str, ...]
    low_cost: bool


def _carrier(row: dict[str, Any]) -> Carrier:
    hubs, regions = (tuple(row.get(kind, "").split()) for kind in ("hubs", "regions"))
    if bool(hubs) == bool(regions) or not 0 < row["level"] < 3:
        raise ValueError(f"demo.toml: {row['name']} needs a level, and either hubs or regions.")
    name = row["name"]
    return Carrier(f"demo-{name.casefold()}", f"{name} Demo", row["level"], hubs, regions, not hubs)


CARRIERS: tuple[Carrier, ...] = tuple(map(_carrier, TABLES["carriers"]))
"""All airlines; the position is what the inventory stores."""

_LEVELS = {code: row["level"] for row in TABLES["countries"] for code in row["codes"].split()}


def price_level(country: str) -> float:
    """Return how dear a country is, 1 being the middle."""
    return _LEVELS.get(country, 0.8)


# --- money ---------------------------------------------------------------------------------------------

_PER_EUR: dict[str, float] = TABLES["per_eur"]


def asked_currency(*limits: Money | None) -> str:
    """Return the currency that prices are quoted in: that of the first price limit which somebody gives.

    Raises `NotOnSale` where none are quoted in it.
    """
    return quoted(next((limit.currency for limit in limits if limit is not None), HOME_CURRENCY))


def quoted(currency: str) -> str:
    """Return a currency (ISO 4217). Raises `NotOnSale` if no prices are quoted in it."""
    if currency not in _PER_EUR:
        raise NotOnSale(f"The demo inventory quotes no prices in {currency}.")
    return currency


def in_currency(eur: float, currency: str) -> Money:
    """Return an amount of EUR in a currency, rounded to its smallest common unit."""
    digits = 0 if currency in TABLES["without_cents"] else 2
    return Money(amount=Decimal(f"{eur * _PER_EUR[currency]:.{digits}f}"), currency=currency)


def in_eur(money: Money) -> Decimal:
    """Return an amount of a currency that is quoted in, in EUR, not rounded."""
    return money.amount / Decimal(str(_PER_EUR[money.currency]))


NEVER = -1
"""In place of the days before the first one, where cancelling is never free."""


def free_until(days_before: int, first_day: date, *, today: date) -> date | None:
    """Return the last day on which cancelling is free; None if it never was, or that day is over."""
    until = first_day - timedelta(days=days_before)
    return until if days_before != NEVER and until >= today else None


# --- airports ------------------------------------------------------------------------------------------

_EARTH_DIAMETER_KM = 12_742.0
# The further down the list of its city an airport stands, the less of the city's traffic it sees.
_SHARE_OF_CITY = (1.0, 0.6, 0.4, 0.3, 0.25)
_SIZE_OF_TIER = {1: 1.0, 2: 0.3, 3: 0.06}


class Airport(NamedTuple):
    """A real airport. Degrees, an IANA time zone, and `size`: its pull, 1 for the main one of a world hub.

    `x`, `y` and `z` lead there from the middle of the earth, whose radius is 1.
    """

    code: str
    country: str
    latitude: float
    longitude: float
    zone: str
    size: float
    x: float
    y: float
    z: float

    @property
    def region(self) -> str:
        """The first part of the time zone's name: "Europe", "America"."""
        return self.zone.split("/", 1)[0]


def airports_of(cities: Iterable[City]) -> dict[str, Airport]:
    """Return the airports of the cities by code; one that two cities share counts for the first."""
    rows, airports = airportsdata.load("IATA"), dict[str, Airport]()
    for city in cities:
        for position, code in enumerate(city.airports):
            row, size = rows[code], _SIZE_OF_TIER[city.tier] * _SHARE_OF_CITY[position]
            north, east = math.radians(row["lat"]), math.radians(row["lon"])
            level = math.cos(north)
            there = (level * math.cos(east), level * math.sin(east), math.sin(north))
            airport = Airport(code, city.country, row["lat"], row["lon"], row["tz"], size, *there)
            airports.setdefault(code, airport)
    return airports


def distance_km(origin: Airport, destination: Airport) -> float:
    """Return the great-circle distance between two airports, on a sphere."""
    return _EARTH_DIAMETER_KM * math.asin(min(1.0, math.dist(origin[-3:], destination[-3:]) / 2))


@lru_cache(maxsize=20_000)
def utc_offset_minutes(zone: str, day: int) -> int:
    """Return a zone's offset on a day (proleptic ordinal), as it is at noon.

    Clocks change at night, and no demo flight leaves between midnight and half past five, so noon's offset
    is that of every departure of the day.
    """
    on = date.fromordinal(day)
    offset = datetime(on.year, on.month, on.day, 12, tzinfo=ZoneInfo(zone)).utcoffset()
    return round(offset.total_seconds() / 60) if offset else 0


# --- what is sold at all -------------------------------------------------------------------------------


NOT_OFFERED = "That is no longer on sale."
MOST_PASSENGERS = 9
_HOW_MANY = (
    f"Flights are sold to 1 to {MOST_PASSENGERS} passengers together. Larger groups need two bookings "
    f'or more: say "{MOST_PASSENGERS} passengers" for the first, then how many are left.'
)


def check_flights(there: date, back: date | None, *, passengers: int, today: date) -> None:
    """Raise `NotOnSale` if no flights are sold on these days, or not to so many."""
    check_days(there, back, today=today)
    if back is not None and back < there:
        raise NotOnSale("The return flight would leave before the outbound one.")
    if not 1 <= passengers <= MOST_PASSENGERS:
        raise NotOnSale(_HOW_MANY)


def check_days(*days: date | None, today: date) -> None:
    """Raise `NotOnSale` for a day that has passed, or that nothing is on sale for yet."""
    last = today + timedelta(days=SALES_DAYS)
    for day in filter(None, days):
        if day < today:
            raise NotOnSale(f"{day.day} {day:%B %Y} has passed.")
        if day > last:
            reach = f"sales reach to {last.day} {last:%B %Y}"
            raise NotOnSale(f"Nothing is on sale yet for {day.day} {day:%B %Y}; {reach}.")


def limits_of(query: FlightQuery | HotelQuery, known: Mapping[str, Filter[Any]]) -> dict[str, Any]:
    """Return the limits that a query has, by their fields."""
    values = {name: getattr(query, name) for name in known}
    return {name: value for name, value in values.items() if value not in (None, "")}


def is_within(offer: object, limits: Mapping[str, Any], known: Mapping[str, Filter[Any]]) -> bool:
    """Return whether an offer is within limits.

    The predicates are those by which requests narrow what was found (`values/offers.py`), asked over the form
    in which offers travel. So a source leaves out just what would not be shown.
    """
    form: dict[str, Any] = orjson.loads(encode(offer)) if limits else {}
    return all(known[name].fits(form, limit) for name, limit in limits.items())
