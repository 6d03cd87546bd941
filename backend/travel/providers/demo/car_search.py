"""Rental cars of a query, priced: what each of the two car sources answers.

The price of a day depends on the car, and on how long and how soon it is rented.
"""

from datetime import date

from ...values.travel import CarOffer, CarQuery, Money
from .cancelling import free_until
from .cars import Car, CarMarket, cars
from .currencies import HOME_CURRENCY, in_currency
from .flight_offers import PROVIDER_NAME
from .hotel_search import cities_meant
from .noise import fingerprint
from .sales_rules import check_car_query

MOST_CARS = 30
_A_WEEK = 7
_SOON = 14
_FOR_A_WEEK = 0.85
_AT_SHORT_NOTICE = 1.15


def find_cars(query: CarQuery, *, market: CarMarket, today: date, seed: int) -> list[CarOffer]:
    """Return a source's offers, cheapest first; none where nothing fits. Synchronous, about a millisecond.

    Raises `NotOnSale` for days in the past or more than a year ahead, and for longer than a car is rented.
    """
    check_car_query(query, today=today)
    found = [
        priced_car(car, query, market=market, today=today, seed=seed)
        for city in cities_meant(query)
        for car in cars(city, market=market, seed=seed)
    ]
    affordable = [
        offer
        for offer in found
        if query.max_price is None or offer.price_per_day.amount <= query.max_price.amount
    ]
    affordable.sort(key=lambda offer: (offer.price_total.amount, offer.offer_id))
    return affordable[:MOST_CARS]


def priced_car(car: Car, query: CarQuery, *, market: CarMarket, today: date, seed: int) -> CarOffer:
    """Return a car's offer for the days of a query, whatever its price."""
    rate = car.rate * (_FOR_A_WEEK if query.days >= _A_WEEK else 1.0)
    rate *= _AT_SHORT_NOTICE if (query.pick_up - today).days < _SOON else 1.0
    currency = query.max_price.currency if query.max_price else HOME_CURRENCY
    # Rounded once, a day at a time, so that what is shown adds up.
    per_day = in_currency(rate, currency)
    told = (query.city, query.country, query.pick_up, query.drop_off, car, per_day)
    return CarOffer(
        offer_id=f"demo-car-{fingerprint('car', seed, today, told)}",
        provider=PROVIDER_NAME,
        source=market,
        live=False,
        supplier=car.supplier,
        model=car.model,
        car_class=car.car_class,
        transmission=car.transmission,
        seats=car.seats,
        bags=car.bags,
        station=car.station,
        city=query.city,
        country=query.country,
        subdivision=query.subdivision,
        pick_up=query.pick_up,
        drop_off=query.drop_off,
        price_total=Money(amount=per_day.amount * query.days, currency=currency),
        price_per_day=per_day,
        unlimited_mileage=car.unlimited_mileage,
        free_cancellation_until=free_until(car.free_cancellation_days, query.pick_up, today=today),
    )
