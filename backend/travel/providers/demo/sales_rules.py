"""What the demo inventory sells at all, checked before a search.

A search outside these rules is refused with a sentence, rather than answered with nothing: an empty answer
means "nobody flies there that day", and would be false.
"""

from datetime import date, timedelta

from ....domain.errors import NotOnSale
from ...values.tour import Tour, fault_of
from ...values.travel import SALES_DAYS, CarQuery, FlightQuery, HotelQuery, Money
from .currencies import quotable

MOST_PASSENGERS = 9
MOST_NIGHTS = 60
MOST_ROOMS = 9
MOST_DAYS_OF_A_CAR = 60


_HOW_MANY = (
    f"Flights are sold to 1 to {MOST_PASSENGERS} passengers together. Larger groups need two bookings "
    f'or more: say "{MOST_PASSENGERS} passengers" for the first, then how many are left.'
)


def check_flight_query(query: FlightQuery, *, today: date) -> None:
    """Raise `NotOnSale` if no such flight is sold."""
    _check_day(query.departure_date, today=today)
    if query.return_date is not None:
        _check_day(query.return_date, today=today)
        if query.return_date < query.departure_date:
            raise NotOnSale("The return flight would leave before the outbound one.")
    if not 1 <= query.passengers <= MOST_PASSENGERS:
        raise NotOnSale(_HOW_MANY)
    _check_currency(query.max_price)


def check_hotel_query(query: HotelQuery, *, today: date) -> None:
    """Raise `NotOnSale` if no such stay is sold."""
    _check_day(query.check_in, today=today)
    _check_day(query.check_out, today=today)
    if not 1 <= query.nights <= MOST_NIGHTS:
        raise NotOnSale(f"Stays are sold for 1 to {MOST_NIGHTS} nights.")
    if not 1 <= query.rooms <= MOST_ROOMS:
        raise NotOnSale(f"Stays are sold for 1 to {MOST_ROOMS} rooms together.")
    if query.guests < 1:
        raise NotOnSale("Stays are sold to at least one guest.")
    _check_currency(query.max_price)


def check_car_query(query: CarQuery, *, today: date) -> None:
    """Raise `NotOnSale` if no car is rented like that."""
    _check_day(query.pick_up, today=today)
    _check_day(query.drop_off, today=today)
    if not query.pick_up <= query.drop_off or query.days > MOST_DAYS_OF_A_CAR:
        raise NotOnSale(f"Cars are rented for 1 to {MOST_DAYS_OF_A_CAR} days.")
    _check_currency(query.max_price)


def check_tour(tour: Tour, *, today: date) -> None:
    """Raise `NotOnSale` if no such tour can be planned."""
    fault = fault_of(tour)
    if fault:
        raise NotOnSale(fault)
    _check_day(tour.earliest, today=today)
    _check_day(tour.latest, today=today)
    if tour.passengers > MOST_PASSENGERS:
        raise NotOnSale(_HOW_MANY)


def _check_day(day: date, *, today: date) -> None:
    if day < today:
        raise NotOnSale(f"{day.day} {day:%B %Y} has passed.")
    last = today + timedelta(days=SALES_DAYS)
    if day > last:
        raise NotOnSale(
            f"Nothing is on sale yet for {day.day} {day:%B %Y}; sales reach to {last.day} {last:%B %Y}."
        )


def _check_currency(limit: Money | None) -> None:
    if limit is not None and not quotable(limit.currency):
        raise NotOnSale(f"The demo inventory quotes no prices in {limit.currency}.")
