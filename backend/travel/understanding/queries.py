"""From what is understood to what is searched for: defaults filled in, codes sorted.

Two messages that mean the same search make equal queries; by that a running search is recognised and adopted.
"""

from datetime import date, timedelta

from ..values.tour import MOST_DAYS, Stop, Tour, TourCity
from ..values.travel import FlightQuery, HotelQuery
from .places.districts import searched_district
from .result import Agent, Place, Understanding

_NIGHTS_IN_EACH = (2, 4)
_NOTICE = timedelta(days=1)
"""A tour whose days nobody said begins tomorrow at the earliest: today's flights may have left."""


def flight_query(understanding: Understanding) -> FlightQuery | None:
    """Return the flight search, for one adult in economy unless said otherwise.

    None if origin, destination or departure is missing, or if there is no flying between the two: they
    share their airports, or one has none.
    """
    flight = understanding.flight
    if flight.origin is None or flight.destination is None or flight.departure_date is None:
        return None
    origins, destinations = set(flight.origin.airports), set(flight.destination.airports)
    if not origins or not destinations or origins & destinations:
        return None
    return FlightQuery(
        origins=tuple(sorted(origins)),
        destinations=tuple(sorted(destinations)),
        departure_date=flight.departure_date,
        return_date=flight.return_date,
        passengers=flight.passengers or 1,
        cabin_class=flight.cabin_class or "economy",
        max_stops=flight.max_stops,
        max_price=flight.max_price,
    )


def hotel_query(understanding: Understanding) -> HotelQuery | None:
    """Return the hotel search, for one guest, one room and one night unless said otherwise.

    None if city or check-in is missing. A part of the city that no district is known for is not searched by.
    """
    hotel = understanding.hotel
    check_out = hotel.last_day
    if hotel.city is None or hotel.check_in is None or check_out is None:
        return None
    city = hotel.city.city
    return HotelQuery(
        city=city.name,
        country=city.country,
        subdivision=city.subdivision,
        check_in=hotel.check_in,
        check_out=check_out,
        district=searched_district(hotel.district, city) if hotel.district else "",
        guests=hotel.guests or 1,
        rooms=hotel.rooms or 1,
        stars=hotel.stars,
        max_price=hotel.max_price,
    )


def tour_query(understanding: Understanding, *, today: date) -> Tour | None:
    """Return the tour to be planned, None without one: two to four nights in each city unless said otherwise.

    The days not said are the next ones that can be searched through, or the last ones before the day said.
    """
    wish = understanding.tour
    if wish is None:
        return None
    days = timedelta(days=MOST_DAYS)
    earliest = wish.earliest or (max(today, wish.latest - days) if wish.latest else today + _NOTICE)
    least, most = (wish.nights, wish.nights) if wish.nights else _NIGHTS_IN_EACH
    return Tour(
        start=_tour_city(wish.start) if wish.start else None,
        stops=tuple(
            Stop(city=_tour_city(city), least_nights=least, most_nights=most) for city in wish.cities
        ),
        earliest=earliest,
        latest=wish.latest or earliest + days,
        returns=wish.returns,
        passengers=wish.passengers or 1,
    )


def _tour_city(place: Place) -> TourCity:
    airports = tuple(sorted(set(place.airports)))
    return TourCity(name=place.city.name, country=place.city.country, airports=airports)


def invalidated(before: Understanding, after: Understanding) -> tuple[Agent, ...]:
    """Return the agents whose earlier search no longer answers the request: it was called off, or differs.

    What these found is out of date. Queries are compared, not slots: a change that leaves the search the same
    ("1 passenger", where one was the default) keeps what was found.
    """
    searches = {"flight": flight_query, "hotel": hotel_query}
    agents: tuple[Agent, ...] = ("flight", "hotel")
    outdated: tuple[Agent, ...] = tuple(
        agent
        for agent in agents
        if searches[agent](before) is not None
        and (agent not in after.wanted or searches[agent](before) != searches[agent](after))
    )
    return outdated if before.tour in (None, after.tour) else (*outdated, "planner")
