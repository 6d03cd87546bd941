"""How each slot is asked for and told, in English: one entry for each row of the table of slots.

The order is the one in which a reply tells them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, time
from types import MappingProxyType
from typing import Any

from ...values.travel import Money
from ..result import Agent, FlightSlots, HotelSlots, Place

_SYMBOLS = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥"}
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_CLASSES = {
    "economy": "economy",
    "premium_economy": "premium economy",
    "business": "business class",
    "first": "first class",
}
_STOPS = {0: "nonstop", 1: "at most 1 stop"}

Telling = Callable[[Any, Any], str]
"""Words for a slot's value; the other slots of its agent come first."""

FOUND: Mapping[Agent, str] = {"flight": "flights", "hotel": "hotels"}
"""What an agent looks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotWords:
    """The words for one slot; "" or None where it never needs them.

    `title` is that of its field in a form. `question` asks for it, `of_region` where its city is one of a
    region's, `of_period` where its day is one of a period's. `for_models` describes its value in a schema.
    `told` tells it in a reply: next to what is looked for where it `leads`, else in the list of details.
    `wished` tells it, or each of several, where no search takes it into account. `told_by` is the slot whose
    words tell it too.
    """

    title: str = ""
    question: str = ""
    of_region: str = ""
    of_period: str = ""
    for_models: str = ""
    told: Telling | None = None
    leads: bool = False
    wished: Telling | None = None
    told_by: str = ""


def in_words(day: date) -> str:
    """Return a date in full: "Thu 10 December 2026"."""
    return f"{_WEEKDAYS[day.weekday()]} {day.day} {MONTHS[day.month - 1]} {day.year}"


def price_in_words(money: Money) -> str:
    """Return an amount with its currency: "€900", "900 CHF"."""
    symbol = _SYMBOLS.get(money.currency)
    return f"{symbol}{money.amount:,f}" if symbol else f"{money.amount:,f} {money.currency}"


def place_in_words(place: Place) -> str:
    """Return a place by its name, and by its airport where that was named."""
    return f"{place.city.name} ({place.airport})" if place.airport else place.city.name


def counted(count: int, noun: str) -> str:
    """Return a count of something: "1 night", "2 nights"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _fare(flight: FlightSlots, price: Money) -> str:
    """The most that a flight may cost. It is for one person, which has to be told where more of them fly."""
    return f"up to {price_in_words(price)}{' for each' if (flight.passengers or 1) > 1 else ''}"


def _departure(flight: FlightSlots, first: time) -> str:
    last = flight.departs_before
    return f"leaving between {first:%H:%M} and {last:%H:%M}" if last else f"leaving from {first:%H:%M}"


def _stay(hotel: HotelSlots, check_in: date) -> str:
    check_out = hotel.last_day or check_in
    nights = counted((check_out - check_in).days, "night")
    return f"from {in_words(check_in)} to {in_words(check_out)} ({nights})"


WORDS: Mapping[str, SlotWords] = MappingProxyType(
    {
        "flight.origin": SlotWords(
            title="From",
            question="where you would like to fly from",
            of_region="where in {} you would like to fly from",
            told=lambda _, place: f"from {place_in_words(place)}",
            leads=True,
        ),
        "flight.destination": SlotWords(
            title="To",
            question="where you would like to go",
            of_region="where in {} you would like to go",
            told=lambda _, place: f"to {place_in_words(place)}",
            leads=True,
        ),
        "flight.departure_date": SlotWords(
            title="Leaving on",
            question="on which day you would like to leave",
            of_period="on which day {} you would like to leave",
            told=lambda _, day: f"on {in_words(day)}",
            leads=True,
        ),
        "flight.return_date": SlotWords(told=lambda _, day: f"returning {in_words(day)}"),
        "flight.passengers": SlotWords(told=lambda _, count: counted(count, "passenger")),
        "flight.cabin_class": SlotWords(told=lambda _, cabin: _CLASSES[cabin]),
        "flight.max_stops": SlotWords(told=lambda _, most: _STOPS.get(most, f"at most {most} stops")),
        "flight.max_price": SlotWords(for_models="euros a person", told=_fare),
        "flight.departs_after": SlotWords(
            for_models="earliest local time of the first departure, HH:MM",
            told=_departure,
        ),
        "flight.departs_before": SlotWords(
            for_models="latest local time of the first departure, HH:MM",
            told=lambda flight, last: "" if flight.departs_after else f"leaving by {last:%H:%M}",
        ),
        "flight.airline": SlotWords(wished=lambda _, name: f"the airline ({name})"),
        "hotel.city": SlotWords(
            title="City",
            question="in which city you need a hotel",
            of_region="where in {} you need a hotel",
            told=lambda _, place: f"in {place.city.name}",
            leads=True,
        ),
        "hotel.district": SlotWords(
            told=lambda _, name: f"near {name}",
            leads=True,
            wished=lambda hotel, name: f"nearness to {name}" if hotel.city else "",
        ),
        "hotel.nights": SlotWords(
            title="Nights",
            told=lambda hotel, count: "" if hotel.check_in else f"for {counted(count, 'night')}",
            leads=True,
        ),
        "hotel.check_in": SlotWords(
            title="First night",
            question="from which day you need a hotel",
            of_period="from which day {} you need a hotel",
            told=_stay,
            leads=True,
        ),
        "hotel.check_out": SlotWords(told_by="hotel.check_in"),
        "hotel.guests": SlotWords(told=lambda _, count: counted(count, "guest")),
        "hotel.rooms": SlotWords(told=lambda _, count: counted(count, "room")),
        "hotel.stars": SlotWords(
            for_models="at least so many",
            told=lambda _, least: f"at least {counted(least, 'star')}" if least else "",
        ),
        "hotel.max_price": SlotWords(
            for_models="euros a night and room",
            told=lambda _, price: f"up to {price_in_words(price)} a night",
        ),
        "hotel.min_score": SlotWords(
            for_models="least score by guests, of 10", told=lambda _, least: f"rated {least:g} or better"
        ),
        "hotel.name": SlotWords(wished=lambda _, name: f"the hotel's name ({name})"),
        "hotel.amenities": SlotWords(wished=lambda _, name: name.replace("_", " ")),
    }
)
