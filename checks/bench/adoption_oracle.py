"""Judges what a task was given without having searched for it, from what its user meant and the offers alone.

It knows nothing of keys, calls or how messages are read. An answer is right if it is exactly what the same
wish, searched for anew, would find, and if each offer in it is one that the wish admits. A search that was
cut short may have found less, never anything else.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from backend.travel.values.travel import FlightQuery, HotelQuery, Money
from checks.bench.market import FLIGHT_PAUSES_S, HOTEL_PAUSES_S, flights, hotels
from checks.bench.mind_changes import AIRPORTS, COUNTRIES, Trip

Items = Sequence[Mapping[str, Any]]


def is_right(trip: Trip, agent: str, items: Items, *, whole: bool) -> bool:
    """Whether an agent's results, all of them or those so far, are what somebody with this in mind is due."""
    if agent not in trip.agents:
        return False
    shown = [item["offer_id"] for item in items]
    due = searched_anew(trip, agent)
    complete = set(shown) == due if whole else set(shown) <= due
    admits = _admits_flight if agent == "flight" else _admits_hotel
    return complete and len(set(shown)) == len(shown) and all(admits(trip, item) for item in items)


def searched_anew(trip: Trip, agent: str) -> set[str]:
    """The ids of all offers that a search for it finds, whatever was searched before."""
    if agent == "flight":
        query = FlightQuery(
            origins=(AIRPORTS[trip.home],),
            destinations=(AIRPORTS[trip.goal],),
            departure_date=trip.leaves,
            passengers=trip.people,
            cabin_class=trip.cabin,
            max_stops=trip.stops,
            max_price=_money(trip.flight_price),
        )
        return {offer.offer_id for source in FLIGHT_PAUSES_S for offer in flights(query, source)}
    stay = HotelQuery(
        city=trip.goal,
        country=COUNTRIES[trip.goal],
        check_in=trip.leaves,
        check_out=trip.leaves + timedelta(days=trip.nights),
        guests=trip.people,
        stars=trip.stars,
        max_price=_money(trip.hotel_price),
    )
    return {offer.offer_id for source in HOTEL_PAUSES_S for offer in hotels(stay, source)}


def _admits_flight(trip: Trip, offer: Mapping[str, Any]) -> bool:
    [journey] = offer["slices"]
    segments = journey["segments"]
    return (
        segments[0]["origin"] == AIRPORTS[trip.home]
        and segments[-1]["destination"] == AIRPORTS[trip.goal]
        and date.fromisoformat(segments[0]["departs_at"][:10]) == trip.leaves
        and offer["passengers"] == trip.people
        and offer["cabin_class"] == trip.cabin
        and (trip.stops is None or len(segments) - 1 <= trip.stops)
        and _affordable(offer["price_per_person"], trip.flight_price)
    )


def _admits_hotel(trip: Trip, offer: Mapping[str, Any]) -> bool:
    check_in, check_out = (date.fromisoformat(offer[name]) for name in ("check_in", "check_out"))
    return (
        offer["city"] == trip.goal
        and check_in == trip.leaves
        and (check_out - check_in).days == trip.nights
        and offer["guests"] == trip.people
        and offer["stars"] >= (trip.stars or 0)
        and _affordable(offer["price_per_night"], trip.hotel_price)
    )


def _affordable(price: Mapping[str, Any], most: int | None) -> bool:
    return most is None or Decimal(price["amount"]) <= most


def _money(amount: int | None) -> Money | None:
    return None if amount is None else Money(amount=Decimal(amount))
