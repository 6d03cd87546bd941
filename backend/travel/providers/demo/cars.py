"""The invented rental cars: who rents out what and where, what a day costs, and what the two sources answer.

    rate = class x country level x size of city x the car's own +-25 %      (EUR a day)

No supplier and no model here exists; every supplier's name contains "Demo". What there is in a city depends
on its name and the seed alone, so nothing is stored. The price of a day depends on the car, and on how long
and how soon it is rented.
"""

from collections.abc import Iterator
from datetime import date
from typing import Any, Literal, NamedTuple

from ....domain.errors import NotOnSale
from ...values.places import cities_named
from ...values.travel import CarClass, CarOffer, CarQuery, City, Money, Station, Transmission, shared
from .world import (
    NEVER,
    PROVIDER_NAME,
    TABLES,
    asked_currency,
    check_days,
    fingerprint,
    free_until,
    in_currency,
    noise_bytes,
    price_level,
)

CarMarket = Literal["rental chains", "local rentals"]
MOST_CARS = 30
MOST_OF_A_CAR = 4
_MOST_DAYS = 60
_CLASSES: dict[CarClass, dict[str, Any]] = TABLES["cars"]
_LEVEL_OF_TIER = {1: 1.15, 2: 1.0, 3: 0.9, 4: 0.85}
_HIRED_OUT = 40  # of 256 cars that could be there, so many are not
_A_WEEK, _FOR_A_WEEK = 7, 0.85
_SOON, _AT_SHORT_NOTICE = 14, 1.15


class Car(NamedTuple):
    """One car that can be rented.

    `rate` is in EUR a day; `free_cancellation_days` are before it is picked up, `NEVER` where cancelling is
    never free. `at_most` is how many of it the supplier rents out there.
    """

    supplier: str
    model: str
    car_class: CarClass
    transmission: Transmission
    seats: int
    bags: int
    station: Station
    rate: float
    unlimited_mileage: bool
    free_cancellation_days: int
    at_most: int


def cars(city: City, *, market: CarMarket, seed: int) -> Iterator[Car]:
    """Yield the cars of one market in a city, in a fixed order; chains are at its airport as well."""
    at_airport: tuple[Station, ...] = ("airport",) if city.airports and market == "rental chains" else ()
    transmissions: tuple[Transmission, ...] = ("manual", "automatic")
    for supplier in TABLES["suppliers"][market]:
        for station in (*at_airport, "centre"):
            for car_class, kind in _CLASSES.items():
                for transmission in transmissions:
                    dice = noise_bytes("car", seed, city.label, supplier, station, car_class, transmission)
                    if dice[0] < _HIRED_OUT:
                        continue
                    dearer = 1.2 if transmission == "automatic" else 1.0
                    dearer *= 1.1 if station == "airport" else 1.0
                    rate = kind["rate"] * price_level(city.country) * _LEVEL_OF_TIER[city.tier] * dearer
                    yield Car(
                        supplier=supplier,
                        model=kind["models"][dice[1] % len(kind["models"])],
                        car_class=car_class,
                        transmission=transmission,
                        seats=kind["seats"],
                        bags=kind["bags"],
                        station=station,
                        rate=round(rate * (0.75 + 0.5 * dice[2] / 255), 2),
                        unlimited_mileage=dice[3] % 4 > 0,
                        free_cancellation_days=(NEVER, 1, 2, 2, 3)[dice[4] % 5],
                        at_most=1 + dice[5] % MOST_OF_A_CAR,
                    )


def check_rental(query: CarQuery, *, today: date) -> None:
    """Raise `NotOnSale` if no car is rented like that."""
    check_days(query.pick_up, query.drop_off, today=today)
    if not query.pick_up <= query.drop_off or query.days > _MOST_DAYS:
        raise NotOnSale(f"Cars are rented for 1 to {_MOST_DAYS} days.")


def find_cars(query: CarQuery, *, market: CarMarket, today: date, seed: int) -> list[CarOffer]:
    """Return a source's offers, cheapest first; none where nothing fits. Synchronous, about a millisecond.

    Raises `NotOnSale` for days in the past or more than a year ahead, and for longer than a car is rented.
    """
    check_rental(query, today=today)
    currency = asked_currency(query.max_price)
    found = [
        priced_car(car, query, market=market, currency=currency, today=today, seed=seed)
        for city in cities_named(query.city, query.country, query.subdivision)
        for car in cars(city, market=market, seed=seed)
    ]
    limit = query.max_price
    found = [offer for offer in found if limit is None or offer.price_per_day.amount <= limit.amount]
    return sorted(found, key=lambda offer: (offer.price_total.amount, offer.offer_id))[:MOST_CARS]


def priced_car(
    car: Car, query: CarQuery, *, market: CarMarket, currency: str, today: date, seed: int
) -> CarOffer:
    """Return a car's offer for the days of a query, whatever its price."""
    rate = car.rate * (_FOR_A_WEEK if query.days >= _A_WEEK else 1.0)
    rate *= _AT_SHORT_NOTICE if (query.pick_up - today).days < _SOON else 1.0
    # Rounded once, a day at a time, so that what is shown adds up.
    per_day = in_currency(rate, currency)
    told = (query.city, query.country, query.pick_up, query.drop_off, car, per_day)
    return CarOffer(
        offer_id=f"demo-car-{fingerprint('car', seed, today, told)}",
        provider=PROVIDER_NAME,
        source=market,
        live=False,
        price_total=Money(amount=per_day.amount * query.days, currency=currency),
        price_per_day=per_day,
        free_cancellation_until=free_until(car.free_cancellation_days, query.pick_up, today=today),
        **shared(CarOffer, car, query),
    )
