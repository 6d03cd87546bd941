"""The name of a request, by which its user finds it again: "Berlin to Tokyo, 10 December, nonstop"."""

from datetime import date
from typing import Any

from ..requested import requested
from ..result import Agent, Place, Understanding
from ..slot_table import ROWS, Slot, rows_of, searching
from .slot_words import MONTHS, WORDS


def title_of(understanding: Understanding) -> str:
    """Return where the request goes, when, within which limits; "" if it is about no flight, stay or tour."""
    flight, hotel, tour = understanding.flight, understanding.hotel, understanding.tour
    if tour is not None:
        return _named(" and ".join(place.city.name for place in tour.cities), tour.earliest)
    if "flight" in understanding.wanted and flight.destination:
        route = f"{flight.origin.city.name} to {flight.destination.city.name}" if flight.origin else ""
        return _limited(_named(route or _name(flight.destination), flight.departure_date), understanding)
    car = understanding.car
    if "hotel" not in understanding.wanted and car.city:
        return _limited(_named(f"Car in {_name(car.city)}", car.pick_up), understanding)
    return _limited(_named(_name(hotel.city), hotel.check_in), understanding) if hotel.city else ""


def requested_in_words(agent: Agent, understanding: Understanding) -> dict[str, Any]:
    """Return what an agent is asked to find, for clients to show, with `words` for each of its limits.

    So a client can show a limit that it does not know: "with Linden Demo only".
    """
    asked = requested(agent, understanding)
    words = {slot.field: said for slot in rows_of(agent) if (said := _told(slot, understanding))}
    return {**asked, "words": words} if asked else {}


def _limited(name: str, understanding: Understanding) -> str:
    # Two requests for one place and day differ in these alone.
    limits = [_limit(ROWS[slot], understanding) for slot in WORDS]
    if understanding.flight.passengers == understanding.hotel.guests and "flight" in understanding.wanted:
        limits = [limit for limit in limits if limit != _limit(ROWS["hotel.guests"], understanding)]
    return ", ".join([name, *dict.fromkeys(filter(None, limits))])


def _limit(slot: Slot, understanding: Understanding) -> str:
    """Return the words for what a slot narrows; "" for places, days, and what nobody said or searches by."""
    agents: tuple[Agent, ...] = searching(understanding.wanted)
    return _told(slot, understanding) if slot.agent in agents else ""


def _told(slot: Slot, understanding: Understanding) -> str:
    if slot.is_asked or slot.link in ("goal", "first_day", "last_day"):
        return ""
    slots, told = understanding.of(slot.agent), WORDS[slot.name].told
    value = getattr(slots, slot.field)
    if told is None or not slot.is_searched or value in (None, slot.empty, slot.default):
        return ""
    return told(slots, value)


def _name(place: Place) -> str:
    return place.city.name


def _named(where: str, day: date | None) -> str:
    return f"{where}, {day.day} {MONTHS[day.month - 1]}" if day else where
