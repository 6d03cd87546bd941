"""The invented hotels: who they are and where, what a night costs, and what the two hotel sources answer.

    rate  = stars x country level x size of city x district x the hotel's own +-20 %
    price = rate x weekday x season x lead time x noise                     (EUR, a room and night)

No hotel here exists; every name contains "Demo". Half are of invented chains, half independent. Season is
warm months in the temperate zones (turned round in the south), dry winter months in the tropics, Christmas
everywhere. Noise is +-10 % a night; 4 % of nights are sold out, whatever the price.
"""

import math
from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from ....domain.errors import NotOnSale
from ...values.offers import HOTEL_LIMITS
from ...values.places import NAMED_DISTRICTS, District, cities_named, districts_of
from ...values.travel import City, HotelOffer, HotelQuery, Money, shared
from .world import (
    NEVER,
    PROVIDER_NAME,
    TABLES,
    asked_currency,
    check_days,
    fingerprint,
    free_until,
    in_currency,
    is_within,
    limits_of,
    noise_bytes,
    price_level,
    unit,
)

HotelMarket = Literal["hotel chains", "independent hotels"]

# --- what there is -------------------------------------------------------------------------------------

_TABLES: dict[str, Any] = TABLES["hotels"]
AMENITIES: tuple[str, ...] = tuple(_TABLES["amenities"])
_HOTELS_OF_TIER = {1: 48, 2: 36, 3: 24, 4: 8}
_HOTELS_PER_NAMED_DISTRICT = 16
_LEVEL_OF_TIER = {1: 1.2, 2: 1.0, 3: 0.88, 4: 0.8}


class Hotel(NamedTuple):
    """One hotel.

    `label` is its city's; `rate` is in EUR; `sleeps` is the guests that a room takes;
    `free_cancellation_days` are before arrival, `NEVER` where cancelling is never free.
    """

    name: str
    label: str
    source: HotelMarket
    district: str
    latitude: float
    longitude: float
    distance_km: float
    stars: int
    score: float
    rate: float
    amenities: tuple[str, ...]
    sleeps: int
    free_cancellation_days: int


@lru_cache(maxsize=256)
def hotels(city: City, *, seed: int) -> tuple[Hotel, ...]:
    """Return the hotels of a city, in a fixed order; names are unique in it. About a millisecond, once."""
    taken: set[str] = set()
    districts = districts_of(city)
    count = _HOTELS_PER_NAMED_DISTRICT * len(NAMED_DISTRICTS.get(city.label, ()))
    positions = range(count or _HOTELS_OF_TIER[city.tier] * bool(districts))
    return tuple(_hotel(city, districts, position=each, taken=taken, seed=seed) for each in positions)


def _km_from_centre(city: City, district: District) -> float:
    if city.centre is None:
        return 0.0
    north = (district.latitude - city.centre[0]) * 111.2
    east = (district.longitude - city.centre[1]) * 111.2 * math.cos(math.radians(city.centre[0]))
    return math.hypot(north, east)


def _hotel(city: City, districts: Sequence[District], *, position: int, taken: set[str], seed: int) -> Hotel:
    dice = noise_bytes("hotel", seed, city.label, position)
    # Chains and independents in turn, district after district, so that none goes without either.
    chain, turn = position % 2 == 0, position // 2
    district = districts[turn % len(districts)]
    from_centre = _km_from_centre(city, district)
    fashion = unit("district", seed, city.label, district.name)
    if chain:
        # A chain comes to a district a second time only after all the others.
        brands: list[tuple[str, int]] = _TABLES["chains"]
        brand, stars = brands[(int(fashion * len(brands)) + turn // len(districts)) % len(brands)]
        name = f"{brand} Demo {district.name}"
    else:
        stars = (2, 3, 3, 3, 4, 4, 4, 5)[dice[0] % 8]
        kind = _TABLES["stars"][str(stars)]["kinds"][dice[1] % 2]
        colours, things = _TABLES["colours"], _TABLES["things"]
        name = f"{colours[dice[2] % len(colours)]} {things[dice[3] % len(things)]} Demo {kind}"
    distinct, count = name, 1
    while distinct in taken:
        count += 1
        distinct = f"{name} {count}"
    taken.add(distinct)

    latitude = district.latitude + (dice[4] - 127.5) / 127.5 * 0.006
    east_scale = max(0.2, math.cos(math.radians(latitude)))
    longitude = district.longitude + (dice[5] - 127.5) / 127.5 * 0.006 / east_scale
    rate = _TABLES["stars"][str(stars)]["rate"] * price_level(city.country) * _LEVEL_OF_TIER[city.tier]
    central, fashionable = 1.15 - 0.3 * min(1.0, from_centre / 10), 0.85 + 0.4 * fashion
    rate *= central * fashionable * (0.8 + 0.4 * dice[6] / 255)
    # There is wifi everywhere; of the rest a five-star hotel has five in six, a two-star one one in three.
    has = [name for name, luck in zip(AMENITIES[1:], dice[17:], strict=False) if luck < 256 * stars / 6]
    return Hotel(
        name=distinct,
        label=city.label,
        source="hotel chains" if chain else "independent hotels",
        district=district.name,
        latitude=round(latitude, 5),
        longitude=round(longitude, 5),
        distance_km=round(from_centre, 1),
        stars=stars,
        score=round(5.2 + 0.55 * stars + 1.6 * dice[7] / 255, 1),
        rate=round(rate, 2),
        amenities=(AMENITIES[0], *has),
        sleeps=(2, 2, 2, 3, 4)[dice[8] % 5],
        free_cancellation_days=(NEVER, 1, 1, 2, 3, 7)[dice[9] % 6],
    )


# --- what a stay costs ---------------------------------------------------------------------------------

_BY_WEEKDAY = (0.97, 0.97, 0.98, 1.00, 1.12, 1.14, 0.94)  # the night that begins on that day, Monday first
_TEMPERATE_SEASON = (0.88, 0.90, 0.96, 1.03, 1.08, 1.14, 1.18, 1.18, 1.10, 1.02, 0.90, 0.95)  # northern
_TROPICAL_SEASON = (1.14, 1.12, 1.05, 0.98, 0.92, 0.90, 0.96, 0.98, 0.90, 0.92, 1.00, 1.12)
_TROPICS = 23.4
_AT_CHRISTMAS = 1.25
_SOLD_OUT, _SOLD_OUT_FURTHER_ROOM = 0.04, 0.02  # several rooms are harder to get than one


def rooms_on_sale(hotel: Hotel, night: date, *, seed: int) -> int:
    """Return how many rooms of a night are sold at all: as many as a stay has a price for."""
    luck = _dice(hotel, night, seed)[2 * night.day - 1] / 256
    return sum(luck >= _SOLD_OUT + _SOLD_OUT_FURTHER_ROOM * further for further in range(MOST_ROOMS))


def _dice(hotel: Hotel, night: date, seed: int) -> bytes:
    """Two bytes for each night of a month: one for its price, one for whether it is sold out."""
    return noise_bytes("nights", seed, hotel.label, hotel.name, night.year, night.month)


def _room_price(hotel: Hotel, query: HotelQuery, *, today: date, seed: int) -> float | None:
    """Return the price of a room for all nights, or None if one is sold out for so many rooms."""
    ahead = (query.check_in - today).days
    lead = 1.1 if ahead <= 3 else 0.95 if ahead >= 90 else 1.0
    least_luck = _SOLD_OUT + _SOLD_OUT_FURTHER_ROOM * (query.rooms - 1)
    total, dice, month = 0.0, b"", 0
    for night in (query.check_in + timedelta(days=count) for count in range(query.nights)):
        if night.month != month:
            dice, month = _dice(hotel, night, seed), night.month
        if dice[2 * night.day - 1] / 256 < least_luck:
            return None
        noise = 0.9 + 0.2 * dice[2 * night.day - 2] / 255
        total += hotel.rate * _BY_WEEKDAY[night.weekday()] * _season(night, hotel.latitude) * lead * noise
    return total


def _season(night: date, latitude: float) -> float:
    if (night.month, night.day) >= (12, 22) or (night.month, night.day) <= (1, 2):
        return _AT_CHRISTMAS
    if abs(latitude) < _TROPICS:
        return _TROPICAL_SEASON[night.month - 1]
    return _TEMPERATE_SEASON[(night.month - 1 + (0 if latitude > 0 else 6)) % 12]


def priced_stay(
    hotel: Hotel, query: HotelQuery, *, currency: str, today: date, seed: int
) -> HotelOffer | None:
    """Return a hotel's offer for a stay, whatever its price; None if a night is sold out."""
    one_room = _room_price(hotel, query, today=today, seed=seed)
    if one_room is None:
        return None
    # Rounded once, a night at a time, so that what is shown adds up.
    per_night = in_currency(one_room / query.nights, currency)
    stay = (query.check_in, query.check_out, query.rooms, query.guests)
    return HotelOffer(
        offer_id=f"demo-hotel-{fingerprint('hotel', seed, today, hotel.label, hotel.name, stay, per_night)}",
        provider=PROVIDER_NAME,
        live=False,
        price_total=Money(amount=per_night.amount * query.nights * query.rooms, currency=currency),
        price_per_night=per_night,
        free_cancellation_until=free_until(hotel.free_cancellation_days, query.check_in, today=today),
        **shared(HotelOffer, query, hotel),
    )


# --- what a search finds -------------------------------------------------------------------------------

MOST_HOTELS = 20
MOST_ROOMS = 9
_MOST_NIGHTS = 60


def check_stay(query: HotelQuery, *, today: date) -> None:
    """Raise `NotOnSale` if no such stay is sold."""
    check_days(query.check_in, query.check_out, today=today)
    if not 1 <= query.nights <= _MOST_NIGHTS:
        raise NotOnSale(f"Stays are sold for 1 to {_MOST_NIGHTS} nights.")
    if not 1 <= query.rooms <= MOST_ROOMS:
        raise NotOnSale(f"Stays are sold for 1 to {MOST_ROOMS} rooms together.")
    if query.guests < 1:
        raise NotOnSale("Stays are sold to at least one guest.")


def find_hotels(query: HotelQuery, *, market: HotelMarket, today: date, seed: int) -> list[HotelOffer]:
    """Return a source's offers, best value first; none where nothing fits. Synchronous, about a millisecond.

    Guests are spread over the rooms; a house whose rooms are too small for them is left out.
    Raises `NotOnSale` for dates in the past or more than a year ahead, and for stays too long or large.
    """
    check_stay(query, today=today)
    currency, limits = asked_currency(query.max_price, query.max_total), limits_of(query, HOTEL_LIMITS)
    offers = (
        priced_stay(hotel, query, currency=currency, today=today, seed=seed)
        for city in cities_named(query.city, query.country, query.subdivision)
        for hotel in hotels(city, seed=seed)
        if hotel.source == market and hotel.sleeps * query.rooms >= query.guests
    )
    found = [offer for offer in offers if offer and is_within(offer, limits, HOTEL_LIMITS)]
    return sorted(found, key=lambda offer: (-_value(offer), offer.offer_id))[:MOST_HOTELS]


def _value(offer: HotelOffer) -> float:
    """Return how good an offer is: a point of score counts for 22 % of price, a kilometre for 4 %."""
    price = max(1.0, float(offer.price_per_night.amount))
    return 0.22 * (offer.score or 0.0) - 0.04 * (offer.distance_km or 0.0) - math.log(price)
