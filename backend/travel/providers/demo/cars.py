"""The rental cars of the demo inventory: who rents out what, where, and what a day costs.

    rate = class x country level x size of city x the car's own +-25 %      (EUR a day)

No supplier and no model here exists; every supplier's name contains "Demo". What there is in a city depends
on its name and the seed alone, so nothing is stored.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from ...values.travel import CarClass, City, Station, Transmission
from .cancelling import NEVER
from .hotels import price_level
from .noise import noise_bytes

CarMarket = Literal["rental chains", "local rentals"]

_SUPPLIERS: dict[CarMarket, tuple[str, ...]] = {
    "rental chains": ("Rollwell Demo", "Kestrel Demo", "Greenaxle Demo"),
    "local rentals": ("Old Garage Demo", "Two Keys Demo"),
}
_RATES: dict[CarClass, float] = {
    "small": 27.0, "compact": 34.0, "estate": 46.0, "suv": 61.0, "convertible": 78.0, "van": 72.0,
}  # fmt: skip
_SEATS: dict[CarClass, tuple[int, int]] = {
    "small": (4, 1), "compact": (5, 2), "estate": (5, 4), "suv": (5, 4), "convertible": (4, 1), "van": (8, 5),
}  # fmt: skip
"""Seats, and the suitcases that fit."""
_MODELS: dict[CarClass, tuple[str, ...]] = {
    "small": ("Wren", "Pip", "Dot"),
    "compact": ("Finch", "Tango", "Arlo"),
    "estate": ("Finch Estate", "Longford"),
    "suv": ("Bramble", "Ridgeway"),
    "convertible": ("Breeze", "Corniche"),
    "van": ("Haul 8", "Caravel"),
}
_LEVEL_OF_TIER = {1: 1.15, 2: 1.0, 3: 0.9, 4: 0.85}
MOST_OF_A_CAR = 4
_HIRED_OUT = 40
"""Of 256 cars that could be there, so many are not."""


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
    for supplier in _SUPPLIERS[market]:
        for station in (*at_airport, "centre"):
            for car_class in _RATES:
                for transmission in ("manual", "automatic"):
                    dice = noise_bytes("car", seed, city.label, supplier, station, car_class, transmission)
                    if dice[0] >= _HIRED_OUT:
                        yield _car(city, supplier, station, car_class, transmission, dice)


def _car(
    city: City,
    supplier: str,
    station: Station,
    car_class: CarClass,
    transmission: Transmission,
    dice: bytes,
) -> Car:
    rate = _RATES[car_class] * price_level(city.country) * _LEVEL_OF_TIER[city.tier]
    rate *= (1.2 if transmission == "automatic" else 1.0) * (1.1 if station == "airport" else 1.0)
    seats, bags = _SEATS[car_class]
    models = _MODELS[car_class]
    return Car(
        supplier=supplier,
        model=models[dice[1] % len(models)],
        car_class=car_class,
        transmission=transmission,
        seats=seats,
        bags=bags,
        station=station,
        rate=round(rate * (0.75 + 0.5 * dice[2] / 255), 2),
        unlimited_mileage=dice[3] % 4 > 0,
        free_cancellation_days=(NEVER, 1, 2, 2, 3)[dice[4] % 5],
        at_most=1 + dice[5] % MOST_OF_A_CAR,
    )
