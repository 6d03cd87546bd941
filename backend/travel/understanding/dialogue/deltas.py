"""What a message changes about a request without telling the new value: days moved, wishes taken away."""

from dataclasses import replace
from datetime import date

from ..details.shifts import Moved, Shift
from ..message import Message
from ..result import Agent, HotelSlots, Refused
from .slots import NO_FLIGHT, NO_HOTEL, Slots


def emptied(read: Message, known: Slots, agents: tuple[Agent, ...]) -> frozenset[str]:
    """Return the slots of `agents` that a message empties: what it takes away, and unwanted places."""
    cities = {place.city for place in read.not_wanted}
    places = {
        "flight.origin": known.flight.origin,
        "flight.destination": known.flight.destination,
        "hotel.city": known.hotel.city,
    }
    spoken_against = (slot for slot, place in places.items() if place and place.city in cities)
    taken_away = (slot for slot in read.removed if slot.partition(".")[0] in agents)
    return frozenset((*spoken_against, *taken_away))


def refused_by(shift: Shift, moved: Slots, known: Slots, *, said: str, today: date) -> tuple[Refused, ...]:
    """Return why a change cannot be: it leads into the past, or leaves no night."""
    starts = [day for day in (moved.flight.departure_date, moved.hotel.check_in) if day]
    if any(day < today for day in starts):
        return (Refused(said=said, reason="day_has_passed"),)
    pairs = (
        (moved.flight.departure_date or known.flight.departure_date, moved.flight.return_date),
        (moved.hotel.check_in or known.hotel.check_in, moved.hotel.check_out),
    )
    if shift.what == "end" and any(start and end and end <= start for start, end in pairs):
        return (Refused(said=said, reason="ends_before_it_begins"),)
    return ()


def shifted(shift: Shift, known: Slots, agents: tuple[Agent, ...]) -> Slots:
    """Return the slots that a change gives new values, for those of `agents` of which they are known."""
    flight, hotel = NO_FLIGHT, NO_HOTEL
    first_day = known.flight.departure_date or known.hotel.check_in
    if "flight" in agents:
        before = known.flight
        is_turned = shift.what == "direction"
        flight = replace(
            flight,
            origin=before.destination if is_turned else None,
            destination=before.origin if is_turned else None,
            departure_date=_day(shift, "start", before.departure_date or first_day),
            return_date=_day(shift, "end", before.return_date),
            passengers=_count(shift, "people", before.passengers or known.hotel.guests),
        )
    if "hotel" in agents:
        stay = known.hotel
        hotel = replace(
            hotel,
            check_in=_day(shift, "start", stay.check_in or first_day),
            check_out=_day(shift, "end", stay.check_out),
            nights=_nights(shift, stay),
            guests=_count(shift, "people", stay.guests or known.flight.passengers),
            rooms=_count(shift, "rooms", stay.rooms),
        )
    return Slots(flight=flight, hotel=hotel)


def _day(shift: Shift, what: Moved, known: date | None) -> date | None:
    return shift.day(known) if known and shift.what in (what, "journey") else None


def _nights(shift: Shift, stay: HotelSlots) -> int | None:
    """The nights of a stay whose last day was not said, which is one night unless more were."""
    if stay.check_in is None:
        return 1 if shift.is_night else None
    is_length = shift.what == "end" and shift.weekday is None and stay.check_out is None
    return max(1, (stay.nights or 1) + shift.days) if is_length else None


def _count(shift: Shift, what: Moved, known: int | None) -> int | None:
    count = (known or 1) + shift.count
    return count if shift.what == what and count > 0 else None
