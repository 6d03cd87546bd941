"""Offers as they are stored, and requests with any limits, for properties of what fits."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import time
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from backend.travel.understanding.result import Agent, Place, Understanding
from backend.travel.understanding.slot_table import ROWS
from backend.travel.values.places import CITIES
from backend.travel.values.travel import Money

moneys = st.builds(
    Money,
    amount=st.integers(1, 9).map(Decimal),
    currency=st.sampled_from(["EUR", "EUR", "USD"]),
)
times = st.builds(time, st.integers(0, 23), st.sampled_from([0, 30]))


def some_of(*values: str) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(values), unique=True).map(tuple)


def places_of(*airports: str) -> st.SearchStrategy[tuple[Place, ...]]:
    return some_of(*airports).map(lambda codes: tuple(named_place(code) for code in codes))


def named_place(airport: str) -> Place:
    city = next(city for city in CITIES if airport in city.airports)
    return Place(city=city, airport=airport)


LIMITS: Mapping[str, st.SearchStrategy[Any]] = {
    "flight.max_stops": st.integers(0, 3),
    "flight.max_price": moneys,
    "flight.max_total": moneys,
    "hotel.max_total": moneys,
    "flight.departs_after": times,
    "flight.departs_before": times,
    "flight.arrives_after": times,
    "flight.arrives_before": times,
    "flight.returns_after": times,
    "flight.returns_before": times,
    "flight.max_minutes": st.sampled_from([60, 120, 300]),
    "flight.max_layover": st.sampled_from([60, 120, 300]),
    "flight.via": places_of("CDG", "ZRH"),
    "flight.avoided": places_of("CDG", "ZRH", "FCO"),
    "flight.bags": st.integers(0, 2),
    "flight.refundable": st.booleans(),
    "flight.changeable": st.booleans(),
    "hotel.district": st.sampled_from(["Trastevere", "Centro Storico", "Nowhere"]),
    "hotel.stars": st.integers(0, 5),
    "hotel.max_price": moneys,
    "hotel.min_score": st.sampled_from([7.0, 8.0, 8.5]),
    "flight.airlines": some_of("Swiss", "Linden Demo", "Pogo Demo"),
    "flight.not_airlines": some_of("Swiss", "Linden Demo", "Pogo Demo"),
    "hotel.name": st.sampled_from(["Heron", "Amber Heron", "Hilton"]),
    "hotel.not_names": some_of("Heron", "Hilton"),
    "hotel.amenities": some_of("pool", "pets", "wifi", "pool or wifi"),
    "hotel.not_districts": some_of("Trastevere", "the centre", "Nowhere"),
    "hotel.max_km": st.sampled_from([0.5, 2.0, 10.0]),
    "hotel.free_cancellation": st.booleans(),
    "car.station": st.sampled_from(["airport", "centre"]),
    "car.car_class": st.sampled_from(["small", "suv"]),
    "car.transmission": st.sampled_from(["manual", "automatic"]),
    "car.seats": st.integers(1, 9),
    "car.max_price": moneys,
    "car.free_cancellation": st.booleans(),
}


def limited(agent: Agent, base: Understanding) -> st.SearchStrategy[Understanding]:
    """The request with any limits, each said or not."""
    limits = {
        ROWS[name].field: st.just(ROWS[name].empty) | values
        for name, values in LIMITS.items()
        if ROWS[name].agent == agent
    }

    def with_limits(values: dict[str, Any]) -> Understanding:
        changed: dict[str, Any] = {agent: replace(base.of(agent), **values)}
        return replace(base, **changed)

    return st.fixed_dictionaries(limits).map(with_limits)


def written(money: Money) -> dict[str, str]:
    return {"amount": str(money.amount), "currency": money.currency}


flight_offers = st.builds(
    lambda stops, price, leaves, carrier, via, minutes, bags, is_free: {
        "slices": [
            {
                "segments": [
                    {
                        "departs_at": f"2027-05-03T{leaves:%H:%M}:00+02:00",
                        "arrives_at": f"2027-05-03T{leaves:%H:%M}:00+01:00",
                        "origin": via,
                        "destination": via,
                        "carrier_name": carrier,
                        "carrier": "X1",
                    }
                ]
                * (stops + 1),
                "duration_minutes": minutes,
            }
        ]
        * 2,
        "price_per_person": written(price),
        "price_total": written(price),
        "checked_bags": bags,
        "refundable": is_free,
        "changeable": is_free,
    },
    st.integers(0, 4),
    moneys,
    times,
    st.sampled_from(["Swiss", "Linden Demo", "Larch Demo"]),
    st.sampled_from(["CDG", "ZRH", "FCO"]),
    st.sampled_from([60, 90, 240]),
    st.integers(0, 2),
    st.booleans(),
)
hotel_offers = st.builds(
    lambda stars, score, price, district, name, kilometres, amenities, until: {
        "stars": stars,
        "score": score,
        "price_per_night": written(price),
        "price_total": written(price),
        "district": district,
        "name": name,
        "distance_km": kilometres,
        "amenities": amenities,
        "free_cancellation_until": until,
    },
    st.integers(0, 5),
    st.floats(5, 10),
    moneys,
    st.sampled_from(["Trastevere", "trastevere", "Centro Storico", "Prati"]),
    st.sampled_from(["Amber Heron Demo Inn", "Heron Demo", "Quillon Demo"]),
    st.floats(0, 12),
    st.lists(st.sampled_from(["pool", "pets allowed", "wifi"])),
    st.none() | st.just("2027-05-01"),
)
car_offers = st.builds(
    lambda station, kind, gears, seats, price, until: {
        "station": station,
        "car_class": kind,
        "transmission": gears,
        "seats": seats,
        "price_per_day": written(price),
        "price_total": written(price),
        "free_cancellation_until": until,
    },
    st.sampled_from(["airport", "centre"]),
    st.sampled_from(["small", "suv", "van"]),
    st.sampled_from(["manual", "automatic"]),
    st.integers(2, 9),
    moneys,
    st.none() | st.just("2027-05-01"),
)
