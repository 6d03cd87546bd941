"""Hotels of a query, chosen and priced: what each of the two hotel sources answers.

"hotel chains" and "independent hotels" share nothing. Of what fits the query the best value is kept: the
least price for what guests think of the house and how near to the middle it is.
"""

import math
from datetime import date
from typing import Literal

from ...values.filters import plain
from ...values.places import CITIES, TOWNS
from ...values.travel import CarQuery, City, HotelOffer, HotelQuery, Money
from .cancelling import free_until
from .currencies import HOME_CURRENCY, in_currency
from .flight_offers import PROVIDER_NAME
from .hotels import AMENITIES, Hotel
from .limits import hotel_limits
from .noise import fingerprint
from .room_rates import stay_price
from .sales_rules import check_hotel_query
from .store import Inventory

HotelMarket = Literal["hotel chains", "independent hotels"]

MOST_HOTELS = 20


def find_hotels(
    inventory: Inventory, query: HotelQuery, *, market: HotelMarket, today: date
) -> list[HotelOffer]:
    """Return a source's offers, best first; none where nothing fits. Synchronous, about a millisecond.

    Guests are spread over the rooms; a house whose rooms are too small for them is left out.
    Raises `NotOnSale` for dates in the past or more than a year ahead, and for stays too long or large.
    """
    check_hotel_query(query, today=today)
    district = plain(query.district)
    is_within = hotel_limits(query)
    found: list[tuple[float, HotelOffer]] = []
    for city in cities_meant(query):
        for hotel in inventory.hotels(city.label, chain=market == "hotel chains"):
            if district and plain(hotel.district) != district:
                continue
            if hotel.stars < (query.stars or 0) or hotel.sleeps * query.rooms < query.guests:
                continue
            offer = priced_stay(hotel, query, market=market, today=today, seed=inventory.seed)
            if offer is not None and _affordable(offer, query) and is_within(offer):
                found.append((_value(offer, hotel), offer))
    found.sort(key=lambda entry: (-entry[0], entry[1].offer_id))
    return [offer for _, offer in found[:MOST_HOTELS]]


def priced_stay(
    hotel: Hotel, query: HotelQuery, *, market: HotelMarket, today: date, seed: int
) -> HotelOffer | None:
    """Return a hotel's offer for a stay, whatever its price; None if a night is sold out."""
    one_room = stay_price(
        hotel, check_in=query.check_in, check_out=query.check_out, rooms=query.rooms, today=today, seed=seed
    )
    if one_room is None:
        return None
    currency = query.max_price.currency if query.max_price else HOME_CURRENCY
    # Rounded once, a night at a time, so that what is shown adds up.
    per_night = in_currency(one_room / query.nights, currency)
    stay = (query.check_in, query.check_out, query.rooms, query.guests)
    return HotelOffer(
        offer_id=f"demo-hotel-{fingerprint('hotel', seed, today, hotel.city, hotel.name, stay, per_night)}",
        provider=PROVIDER_NAME,
        source=market,
        live=False,
        name=hotel.name,
        city=query.city,
        country=query.country,
        district=hotel.district,
        latitude=hotel.latitude,
        longitude=hotel.longitude,
        distance_km=hotel.distance_km,
        stars=hotel.stars,
        score=hotel.score,
        amenities=tuple(name for bit, name in enumerate(AMENITIES) if hotel.amenities >> bit & 1),
        check_in=query.check_in,
        check_out=query.check_out,
        rooms=query.rooms,
        guests=query.guests,
        price_total=Money(amount=per_night.amount * query.nights * query.rooms, currency=currency),
        price_per_night=per_night,
        free_cancellation_until=free_until(hotel.free_cancellation_days, query.check_in, today=today),
    )


def _affordable(offer: HotelOffer, query: HotelQuery) -> bool:
    return query.max_price is None or offer.price_per_night.amount <= query.max_price.amount


def _value(offer: HotelOffer, hotel: Hotel) -> float:
    """Return how good an offer is: a point of score counts for 22 % of price, a kilometre for 4 %."""
    return (
        0.22 * hotel.score
        - 0.04 * hotel.distance_km
        - math.log(max(1.0, float(offer.price_per_night.amount)))
    )


def cities_meant(query: HotelQuery | CarQuery) -> list[City]:
    """Return the cities meant: all namesakes where no subdivision is given."""
    name = plain(query.city)
    return [
        city
        for city in _BY_NAME.get((name, query.country), ())
        if query.subdivision in ("", city.subdivision)
    ]


def _by_name() -> dict[tuple[str, str], tuple[City, ...]]:
    """Return the cities by plain name and country, namesakes in the order of the table."""
    found: dict[tuple[str, str], tuple[City, ...]] = {}
    for city in (*CITIES, *TOWNS):
        key = (plain(city.name), city.country)
        found[key] = (*found.get(key, ()), city)
    return found


_BY_NAME = _by_name()
