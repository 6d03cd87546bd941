"""What the demo inventory sells at all, checked before a search, and which limits a search has.

A search outside these rules is refused with a sentence, rather than answered with nothing: an empty answer
means "nobody flies there that day", and would be false.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from ....domain.errors import NotOnSale
from ...values.filters import Filter
from ...values.tour import Tour, fault_of
from ...values.travel import SALES_DAYS, CarQuery, FlightQuery, HotelQuery, Money
from .world import quotable

MOST_PASSENGERS = MOST_ROOMS = 9
_MOST_NIGHTS = _MOST_DAYS_OF_A_CAR = 60
_HOW_MANY = (
    f"Flights are sold to 1 to {MOST_PASSENGERS} passengers together. Larger groups need two bookings "
    f'or more: say "{MOST_PASSENGERS} passengers" for the first, then how many are left.'
)


def check_flight_query(query: FlightQuery, *, today: date) -> None:
    """Raise `NotOnSale` if no such flight is sold."""
    _check_days(query.departure_date, query.return_date, today=today)
    if query.return_date is not None and query.return_date < query.departure_date:
        raise NotOnSale("The return flight would leave before the outbound one.")
    if not 1 <= query.passengers <= MOST_PASSENGERS:
        raise NotOnSale(_HOW_MANY)
    _check_currency(query.max_price)


def check_hotel_query(query: HotelQuery, *, today: date) -> None:
    """Raise `NotOnSale` if no such stay is sold."""
    _check_days(query.check_in, query.check_out, today=today)
    if not 1 <= query.nights <= _MOST_NIGHTS:
        raise NotOnSale(f"Stays are sold for 1 to {_MOST_NIGHTS} nights.")
    if not 1 <= query.rooms <= MOST_ROOMS:
        raise NotOnSale(f"Stays are sold for 1 to {MOST_ROOMS} rooms together.")
    if query.guests < 1:
        raise NotOnSale("Stays are sold to at least one guest.")
    _check_currency(query.max_price)


def check_car_query(query: CarQuery, *, today: date) -> None:
    """Raise `NotOnSale` if no car is rented like that."""
    _check_days(query.pick_up, query.drop_off, today=today)
    if not query.pick_up <= query.drop_off or query.days > _MOST_DAYS_OF_A_CAR:
        raise NotOnSale(f"Cars are rented for 1 to {_MOST_DAYS_OF_A_CAR} days.")
    _check_currency(query.max_price)


def check_tour(tour: Tour, *, today: date) -> None:
    """Raise `NotOnSale` if no such tour can be planned."""
    if fault := fault_of(tour):
        raise NotOnSale(fault)
    _check_days(tour.earliest, tour.latest, today=today)
    if tour.passengers > MOST_PASSENGERS:
        raise NotOnSale(_HOW_MANY)


def _check_days(*days: date | None, today: date) -> None:
    last = today + timedelta(days=SALES_DAYS)
    for day in filter(None, days):
        if day < today:
            raise NotOnSale(f"{day.day} {day:%B %Y} has passed.")
        if day > last:
            reach = f"sales reach to {last.day} {last:%B %Y}"
            raise NotOnSale(f"Nothing is on sale yet for {day.day} {day:%B %Y}; {reach}.")


def _check_currency(limit: Money | None) -> None:
    if limit is not None and not quotable(limit.currency):
        raise NotOnSale(f"The demo inventory quotes no prices in {limit.currency}.")


_HONOURED_ANYHOW = frozenset({"max_stops", "max_price", "district", "stars"})


def limits_of(query: FlightQuery | HotelQuery, known: Mapping[str, Filter[Any]]) -> Mapping[str, Any]:
    """Return the limits that a query has by their fields, but for those that the searches honour anyhow.

    They are the predicates by which requests narrow what was found (`values/filters.py`), asked over the form
    in which offers travel. So a source leaves out just what would not be shown.
    """
    values = {name: getattr(query, name) for name in known.keys() - _HONOURED_ANYHOW}
    return {name: value for name, value in values.items() if value not in (None, "")}
