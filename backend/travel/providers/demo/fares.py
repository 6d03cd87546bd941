"""What a seat costs: a pure function of the flight, its date, today and the seed.

    fare = (24 + 0.13 km^0.93) x carrier x lead time x weekday x season x cabin x noise   (EUR, one person)

The shape is that of a prototype; 0.13 puts 350 km at about 50 EUR and 5,500 km at about 400 before the
factors. Lead time makes the last days dear, falls to a low at about two months and creeps up again:

    0.88 + 1.1 e^(-days/10) + 0.12 days/365

Noise is +-18 % per flight and date, and +-4 % from one today to the next, so a price differs tomorrow, but is
the same however often it is asked for today.
"""

import math
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from ...values.travel import CabinClass
from .carriers import CARRIERS
from .noise import noise_bytes
from .schedule import LONG_HAUL_KM, Pattern

SAME_CARRIER_CONNECTION = 0.72
"""A connection costs this much of its flights' sum on one carrier: it competes with the nonstop."""

MIXED_CARRIER_CONNECTION = 0.95
"""The same between carriers, which share less."""

SAME_CARRIER_RETURN = 0.92
"""A return costs this much of its two directions' sum on one carrier."""

_BASE_EUR, _EUR_PER_KM, _KM_EXPONENT = 24.0, 0.13, 0.93

_BY_WEEKDAY = (1.03, 0.92, 0.92, 1.02, 1.12, 0.97, 1.12)  # Monday first: Fridays and Sundays are dear
_BY_MONTH = (0.93, 0.92, 0.97, 1.02, 1.00, 1.08, 1.20, 1.20, 1.02, 0.98, 0.90, 1.00)
_AT_CHRISTMAS = 1.4

_LONG_HAUL_CABIN = {"economy": 1.0, "premium_economy": 1.6, "business": 2.9, "first": 4.6}
_SHORT_HAUL_CABIN = {"economy": 1.0, "premium_economy": 1.0, "business": 2.1, "first": 2.1}

_LEAST_NOISE = 0.78
_DAYS_UNDER_WAY = 3
_MOST_SEATS = 9


class SeatPrice(NamedTuple):
    """The fare of one person in EUR, and how many seats are left at it (1 to 9)."""

    fare: float
    seats: int


def cabin_flown(cabin: CabinClass, *, km: float) -> bool:
    """Return whether flights of this length have the cabin; premium economy and first are long-haul only."""
    return km >= LONG_HAUL_KM or cabin in ("economy", "business")


@lru_cache(maxsize=1024)
def date_factor(day: int, today: int) -> float:
    """Return lead time x weekday x season of a departure day, both as proleptic ordinals."""
    lead = max(0, day - today)
    departure = date.fromordinal(day)
    season = _BY_MONTH[departure.month - 1]
    if (departure.month, departure.day) >= (12, 19) or (departure.month, departure.day) <= (1, 4):
        season = _AT_CHRISTMAS
    return (0.88 + 1.1 * math.exp(-lead / 10) + 0.12 * lead / 365) * _BY_WEEKDAY[departure.weekday()] * season


def seat_price(
    pattern: Pattern, *, km: float, day: int, today: int, seed: int, cabin: CabinClass = "economy"
) -> SeatPrice:
    """Return the price of a seat on a flight of `pattern` that leaves on `day` (ordinal), as sold `today`.

    In a cabin that the flight does not have, the seat is in the next lower one.
    """
    carrier = CARRIERS[pattern.carrier]
    dice = noise_bytes("seat", seed, carrier.id, pattern.number, day)
    lasting, passing = dice[0] / 255, dice[2 + today % 61] / 255
    noise = _LEAST_NOISE + 0.36 * lasting + 0.08 * passing
    by_cabin = _LONG_HAUL_CABIN if km >= LONG_HAUL_KM else _SHORT_HAUL_CABIN
    fare = _by_distance(km) * carrier.price_level * date_factor(day, today) * by_cabin[cabin] * noise
    # Most flights have seats for everybody: nine in 30 % of cases, at least two in 99 %.
    seats = 1 + int(_MOST_SEATS * (dice[1] / 256) ** 0.35)
    return SeatPrice(fare, seats)


def least_fare(km: float, *, days: range, today: int) -> float:
    """Return what no journey over such a distance is sold below that leaves on one of `days` (ordinals).

    In economy, with or without changes: these make the way longer, and the last flight may leave some days
    later than the first.
    """
    level = min(carrier.price_level for carrier in CARRIERS)
    on_best_day = min(date_factor(day, today) for day in range(days.start, days.stop + _DAYS_UNDER_WAY))
    return SAME_CARRIER_CONNECTION * _by_distance(km) * level * on_best_day * _LEAST_NOISE


def _by_distance(km: float) -> float:
    return _BASE_EUR + _EUR_PER_KM * km**_KM_EXPONENT
