"""From what is understood to what is searched for: defaults filled in, codes sorted.

Two messages that mean the same search make equal queries; by that a running search is recognised and adopted.

A search is what sources are asked by, and filters, which narrow what they find. `covers` tells of two
searches whether the one finds all that the other asks for.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar, cast

from ..values.offers import Offer
from ..values.travel import (
    ASSUMED_AGE,
    HOME_CURRENCY,
    MOST_DAYS,
    MOST_NIGHTS,
    UNKNOWN_AGE,
    Airports,
    CarQuery,
    FlightQuery,
    HotelQuery,
    Money,
    Stop,
    Tour,
    TourCity,
)
from .places.districts import searched_district
from .result import Agent, HotelSlots, Place, Refused, TourWish, Understanding
from .slot_table import ROWS, SLOTS, AgentSlots, Slot, rows_of, searched_by

Query: TypeAlias = FlightQuery | HotelQuery | CarQuery
QueryT = TypeVar("QueryT", bound=Query)

_NIGHTS_IN_EACH = (2, 4)
_DAYS_IN_FLIGHT = 2
"""Days that a flight may take at most, over night and the date line."""

_NO_LIMIT = Decimal(10**9)
"""More than anything costs, in any currency."""

_NOTICE = timedelta(days=1)
"""A tour whose days nobody said begins tomorrow at the earliest: today's flights may have left."""


def searched_value(slot: Slot, slots: AgentSlots) -> Any:
    """Return what a search uses for a slot: what was said, as far as it is searched by, or the default."""
    if slot.link == "last_day":
        return slots.last_day
    if slot.name == "hotel.rooms" and isinstance(slots, HotelSlots):
        return slots.rooms_needed or slot.default
    value = getattr(slots, slot.field)
    if slot.name == "hotel.district" and isinstance(slots, HotelSlots):
        value = searched_district(value, slots.city.city) if value and slots.city else None
    if slot.name == "hotel.not_districts" and isinstance(slots, HotelSlots) and slots.city:
        city = slots.city.city
        value = tuple(name for each in slots.not_districts if (name := searched_district(each, city)))
    return slot.default if value is None or value == () else value


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
        **_asked_by("flight", flight),
    )


def hotel_query(understanding: Understanding) -> HotelQuery | None:
    """Return the hotel search, for one guest, rooms enough and one night unless said otherwise.

    None if city or check-in is missing. A part of the city that no district is known for is not searched by.
    """
    hotel = understanding.hotel
    if hotel.city is None or hotel.check_in is None:
        return None
    city = hotel.city.city
    return HotelQuery(
        city=city.name, country=city.country, subdivision=city.subdivision, **_asked_by("hotel", hotel)
    )


def car_query(understanding: Understanding) -> CarQuery | None:
    """Return the search for rental cars, for one day unless said otherwise.

    None if city or first day is missing.
    """
    car = understanding.car
    if car.city is None or car.pick_up is None:
        return None
    city = car.city.city
    return CarQuery(
        city=city.name, country=city.country, subdivision=city.subdivision, **_asked_by("car", car)
    )


def _asked_by(agent: Agent, slots: AgentSlots) -> dict[str, Any]:
    """What sources are asked by, besides places, as fields of the agent's query."""
    return {
        slot.field: _for_sources(slot, searched_value(slot, slots))
        for slot in searched_by(agent)
        if slot.type is not Place and slot.is_for_sources
    }


def _for_sources(slot: Slot, value: Any) -> Any:
    """Return a slot's value as it is in queries: of several values the order does not count."""
    if not isinstance(value, tuple):
        return value
    several = cast("tuple[Any, ...]", value)
    if slot.link == "children":  # each age counts, also of twins
        return tuple(sorted(ASSUMED_AGE if age == UNKNOWN_AGE else age for age in several))
    places = [one for one in several if isinstance(one, Place)]
    if places:
        airports = {tuple(sorted(set(place.airports))) for place in places}
        return tuple(Airports(airports=codes) for codes in sorted(airports))
    return tuple(sorted(set(several)))


QUERIES: Mapping[Agent, Callable[[Understanding], Query | None]] = MappingProxyType(
    {"flight": flight_query, "hotel": hotel_query, "car": car_query}
)
"""How each agent that has slots makes a query of them."""

QUERY_TYPES: Mapping[Agent, type[Query]] = MappingProxyType(
    {"flight": FlightQuery, "hotel": HotelQuery, "car": CarQuery}
)
"""What these queries are."""


def base_query(agent: Agent, understanding: Understanding) -> Query | None:
    """Return what sources are asked by apart from what narrows it: places, days, people and class."""
    empty = {slot.field: slot.empty for slot in _limits(agent)}
    changed: dict[str, Any] = {agent: replace(understanding.of(agent), **empty)}
    return QUERIES[agent](replace(understanding, **changed))


def filters(agent: Agent, slots: AgentSlots) -> tuple[tuple[Slot, Any], ...]:
    """Return the limits on what is found, with their values: those that were said and are searched by."""
    values = ((slot, searched_value(slot, slots)) for slot in _limits(agent))
    return tuple((slot, value) for slot, value in values if value != slot.default)


def without_preferences(agent: Agent, understanding: Understanding) -> Understanding | None:
    """Return the request without the limits of an agent that are only preferred, which it then tells.

    None where none are.
    """
    wished = [one for one in understanding.preferred if ROWS[one.slot].agent == agent]
    if not wished:
        return None
    empty: dict[str, Any] = {ROWS[one.slot].field: ROWS[one.slot].empty for one in wished}
    empty |= {"airline": None} if "airlines" in empty else {}
    said = Refused(said=" and ".join(one.said for one in wished), reason="only_preferred")
    changed: dict[str, Any] = {agent: replace(understanding.of(agent), **empty)}
    kept = tuple(one for one in understanding.preferred if one not in wished)
    return replace(understanding, **changed, preferred=kept, refused=(*understanding.refused, said))


def fits(agent: Agent, slots: AgentSlots, offer: Offer) -> bool:
    """Return whether an offer, in its JSON form, is within all limits that were said."""
    return not missed_limits(agent, slots, offer)


def missed_limits(agent: Agent, slots: AgentSlots, offer: Offer) -> list[Slot]:
    """Return the slots whose limits an offer is not within."""
    limits = filters(agent, slots)
    return [slot for slot, value in limits if slot.filter and not slot.filter.fits(offer, value)]


def covers(agent: Agent, made: Query, wanted: Query) -> bool:
    """Return whether all that a `wanted` search finds is among what a complete search that was `made` finds.

    It is where both ask for the same places, days, people and class, and each limit that sources are asked by
    is as narrow or narrower. Of a source that shows only the best of what it has, a search with narrower
    limits may still find more.
    """
    return without_limits(agent, made) == without_limits(agent, wanted) and all(
        _narrows(slot, getattr(wanted, slot.field), getattr(made, slot.field))
        for slot in _limits(agent)
        if slot.is_for_sources
    )


def without_limits(agent: Agent, query: QueryT) -> QueryT:
    """Return the search for all that there is: by places, days, people and class alone.

    A limit on the price tells the currency that prices are asked in, which is kept.
    """
    open_to_all: dict[str, Any] = {slot.field: slot.default for slot in _limits(agent) if slot.is_for_sources}
    limit = query.max_price or (None if isinstance(query, CarQuery) else query.max_total)
    if limit is not None and limit.currency != HOME_CURRENCY:
        open_to_all["max_price"] = Money(amount=_NO_LIMIT, currency=limit.currency)
    return replace(query, **open_to_all)


def _limits(agent: Agent) -> tuple[Slot, ...]:
    return tuple(slot for slot in rows_of(agent) if slot.filter is not None)


def _narrows(slot: Slot, value: Any, before: Any) -> bool:
    """Whether a limit lets no more pass than the one before it."""
    if value == before or slot.filter is None:
        return True
    return value != slot.default and slot.filter.narrows(value, None if before == slot.default else before)


def tour_query(understanding: Understanding, *, today: date) -> Tour | None:
    """Return the tour to be planned, None without one: two to four nights in each city unless said otherwise.

    The days not said are the next ones that can be searched through, or the last ones before the day said.
    """
    wish = understanding.tour
    if wish is None:
        return None
    days = timedelta(days=MOST_DAYS)
    stops = tuple(_stop(wish, city) for city in wish.cities)
    earliest = wish.earliest or (max(today, wish.latest - days) if wish.latest else today + _NOTICE)
    latest = wish.latest or earliest + days
    if wish.first_day is not None:
        earliest = wish.first_day
        longest = sum(stop.most_nights for stop in stops) + _DAYS_IN_FLIGHT * (len(stops) + 1)
        latest = wish.latest or min(latest, earliest + timedelta(days=longest))
    return Tour(
        start=_tour_city(wish.start) if wish.start else None,
        stops=stops,
        earliest=earliest,
        latest=latest,
        returns=wish.returns,
        passengers=wish.passengers or 1,
        ordered=wish.ordered,
        begins=wish.first_day,
    )


def _stop(wish: TourWish, city: Place) -> Stop:
    stay = wish.stay_in(city)
    nights = stay.nights or wish.nights
    least, most = (nights, nights) if nights else _NIGHTS_IN_EACH
    if stay.is_left_then:  # how long the flight there takes is not known
        least, most = max(1, least - 1), min(MOST_NIGHTS, most + 1)
    return Stop(
        city=_tour_city(city),
        least_nights=least,
        most_nights=most,
        on=stay.on,
        is_left_then=stay.is_left_then,
    )


def _tour_city(place: Place) -> TourCity:
    airports = tuple(sorted(set(place.airports)))
    return TourCity(name=place.city.name, country=place.city.country, airports=airports)


def invalidated(before: Understanding, after: Understanding) -> tuple[Agent, ...]:
    """Return the agents whose earlier search no longer answers the request: it was called off, or differs.

    What these found is out of date. Queries are compared, not slots: a change that leaves the search as it
    was ("1 passenger", where one was the default) keeps what was found.
    """
    outdated: tuple[Agent, ...] = tuple(
        agent
        for agent in SLOTS
        if (query := QUERIES[agent](before)) is not None
        and (agent not in after.wanted or query != QUERIES[agent](after))
    )
    return outdated if before.tour in (None, after.tour) else (*outdated, "planner")
