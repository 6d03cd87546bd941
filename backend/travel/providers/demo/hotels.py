"""The invented hotels of the demo inventory: who they are, where, and what a night costs before its date.

    rate = stars x country level x size of city x district x the hotel's own +-20 %      (EUR a room and
    night)

No hotel here exists; every name contains "Demo". Half are of invented chains, half independent.
"""

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...values.places import NAMED_DISTRICTS, District, districts_of
from ...values.travel import City
from .cancelling import NEVER
from .noise import noise_bytes, unit

AMENITIES = (
    "wifi", "breakfast", "gym", "pool", "spa", "parking", "air conditioning", "restaurant", "bar",
    "kitchen", "pets allowed", "step-free access",
)  # fmt: skip

_HOTELS_OF_TIER = {1: 48, 2: 36, 3: 24, 4: 8}
_HOTELS_PER_NAMED_DISTRICT = 16
_RATE_OF_STARS = {2: 46.0, 3: 74.0, 4: 122.0, 5: 235.0}
_LEVEL_OF_TIER = {1: 1.2, 2: 1.0, 3: 0.88, 4: 0.8}

_LEVEL_OF_COUNTRIES = {
    1.45: "CH NO IS DK SG BM KY BB",
    1.25: "US GB IE SE FI AU HK LU NL IL AE QA BS MV PF SC AW SX",
    1.10: "FR DE AT BE IT CA NZ KW BH JP FJ AG LC GP MQ RE MT CY",
    0.65: "PL CZ HU RO BG RS BA MK AL XK MD UA BY TR MX BR AR CO PE EC CL ZA MA TN TH MY CN VN PH ID GE AM",
    0.50: "AZ KZ IN PK BD NP LK KH LA MM EG DZ BO PY VE NI HN GT UZ KG MN KE TZ UG ET RW GH SN MG ZM",
}
_LEVELS = {country: level for level, names in _LEVEL_OF_COUNTRIES.items() for country in names.split()}

_CHAINS = (  # name, stars
    ("Pebblestay", 2), ("Nightjar", 2), ("Lanternhouse", 3), ("Wayfold", 3), ("Copperleaf", 4),
    ("Harbourlight", 4), ("Alderbrook", 4), ("Quillon", 5),
)  # fmt: skip
_KINDS = {
    2: ("Hostel", "Guesthouse"),
    3: ("Inn", "House"),
    4: ("Hotel", "Residence"),
    5: ("Palace", "Grand Hotel"),
}
_COLOURS = (
    "Amber", "Blue", "Copper", "Crimson", "Golden", "Green", "Indigo", "Ivory", "Jade", "Quiet", "Red",
    "Scarlet", "Silver", "Velvet", "White", "Winter",
)  # fmt: skip
_THINGS = (
    "Acorn", "Anchor", "Bell", "Chestnut", "Compass", "Crane", "Fig Tree", "Fox", "Harp", "Heron", "Key",
    "Lantern", "Magpie", "Mill", "Otter", "Owl", "Pear", "Quill", "Sparrow", "Swan",
)  # fmt: skip


class Hotel(NamedTuple):
    """One hotel.

    `rate` is in EUR; `amenities` has a bit for each of `AMENITIES`; `sleeps` is the guests that a room takes;
    `free_cancellation_days` are before arrival, `NEVER` where cancelling is never free.
    """

    name: str
    city: str
    chain: bool
    district: str
    latitude: float
    longitude: float
    distance_km: float
    stars: int
    score: float
    rate: float
    amenities: int
    sleeps: int
    free_cancellation_days: int


class _Quarter(NamedTuple):
    """A district, how far it is from the centre, and how sought after (0 to 1)."""

    district: District
    from_centre: float
    luck: float


def price_level(country: str) -> float:
    """Return how dear a country is, 1 being the middle."""
    return _LEVELS.get(country, 0.8)


def hotels(cities: Iterable[City], *, seed: int) -> Iterator[Hotel]:
    """Yield the hotels of all cities, in a fixed order; names are unique in a city."""
    for city in cities:
        taken: set[str] = set()
        quarters = [_quarter(city, district, seed=seed) for district in districts_of(city)]
        for position in range(_count(city)):
            yield _hotel(city, quarters, position=position, taken=taken, seed=seed)


def _count(city: City) -> int:
    if named := NAMED_DISTRICTS.get(city.label):
        return _HOTELS_PER_NAMED_DISTRICT * len(named)
    return _HOTELS_OF_TIER[city.tier] if districts_of(city) else 0


def _hotel(city: City, quarters: list[_Quarter], *, position: int, taken: set[str], seed: int) -> Hotel:
    dice = noise_bytes("hotel", seed, city.label, position)
    # Chains and independents in turn, district after district, so that none goes without either.
    chain, turn = position % 2 == 0, position // 2
    district, from_centre, luck = quarters[turn % len(quarters)]
    if chain:
        # A chain comes to a district a second time only after all the others.
        brand, stars = _CHAINS[(int(luck * len(_CHAINS)) + turn // len(quarters)) % len(_CHAINS)]
        name = f"{brand} Demo {district.name}"
    else:
        stars = (2, 3, 3, 3, 4, 4, 4, 5)[dice[0] % 8]
        kind = _KINDS[stars][dice[1] % 2]
        name = f"{_COLOURS[dice[2] % len(_COLOURS)]} {_THINGS[dice[3] % len(_THINGS)]} Demo {kind}"
    name = _distinct(name, taken)

    latitude = district.latitude + (dice[4] - 127.5) / 127.5 * 0.006
    longitude = district.longitude + (dice[5] - 127.5) / 127.5 * 0.006 / max(
        0.2, math.cos(math.radians(latitude))
    )
    central = 1.15 - 0.3 * min(1.0, from_centre / 10)
    fashionable = 0.85 + 0.4 * luck
    rate = _RATE_OF_STARS[stars] * price_level(city.country) * _LEVEL_OF_TIER[city.tier]
    rate *= central * fashionable * (0.8 + 0.4 * dice[6] / 255)
    return Hotel(
        name=name,
        city=city.label,
        chain=chain,
        district=district.name,
        latitude=round(latitude, 5),
        longitude=round(longitude, 5),
        distance_km=round(from_centre, 1),
        stars=stars,
        score=round(5.2 + 0.55 * stars + 1.6 * dice[7] / 255, 1),
        rate=round(rate, 2),
        amenities=_amenities(stars, dice),
        sleeps=(2, 2, 2, 3, 4)[dice[8] % 5],
        free_cancellation_days=(NEVER, 1, 1, 2, 3, 7)[dice[9] % 6],
    )


def _distinct(name: str, taken: set[str]) -> str:
    distinct, count = name, 1
    while distinct in taken:
        count += 1
        distinct = f"{name} {count}"
    taken.add(distinct)
    return distinct


def _amenities(stars: int, dice: bytes) -> int:
    bits = 1  # there is wifi everywhere
    for position in range(1, len(AMENITIES)):
        # A five-star hotel has about five in six of them, a two-star one about one in three.
        if dice[16 + position] < 256 * stars / 6:
            bits |= 1 << position
    return bits


def _quarter(city: City, district: District, *, seed: int) -> _Quarter:
    luck = unit("district", seed, city.label, district.name)
    return _Quarter(district, _kilometres_from_centre(city, district), luck)


def _kilometres_from_centre(city: City, district: District) -> float:
    if city.centre is None:
        return 0.0
    north = (district.latitude - city.centre[0]) * 111.2
    east = (district.longitude - city.centre[1]) * 111.2 * math.cos(math.radians(city.centre[0]))
    return math.hypot(north, east)
