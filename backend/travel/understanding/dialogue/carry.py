"""What a message inherits: from the request before it, and the stay from the flight or the other way round.

Flight and stay of one trip are linked: the goal of the one is the city of the other, they share days and
people. A link holds as long as both sides say the same, so whoever changes one changes both; what was set
apart by hand stays apart.
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from ..result import Agent, Alternative, FlightSlots, HotelSlots, Place, Understanding
from .slots import Slots, overlay_flight, overlay_hotel, without

_LINKS = {
    "flight.destination": "hotel.city",
    "flight.departure_date": "hotel.check_in",
    "flight.passengers": "hotel.guests",
}
_ALL_LINKS = {**_LINKS, "flight.return_date": "hotel.check_out"}
_OTHER_END = _ALL_LINKS | {hotel: flight for flight, hotel in _ALL_LINKS.items()}
_ASSUMED = frozenset(
    {
        "flight.departure_date",
        "flight.return_date",
        "flight.passengers",
        "hotel.check_in",
        "hotel.check_out",
        "hotel.guests",
    }
)


def continued(known: Slots, said: Slots, *, spreads: bool) -> Slots:
    """Return what is known after a message that goes on with a request.

    With `spreads`, what is said of the flight holds for the stay where the two agreed before, and vice versa.
    """
    left = without(known, _with_other_ends(said.cleared, known) if spreads else said.cleared)
    flight = overlay_flight(left.flight, said.flight)
    hotel = overlay_hotel(left.hotel, said.hotel)
    if spreads and known.agents == ("flight", "hotel"):
        flight, hotel = _spread(known, said, flight, hotel)
        flight, hotel = _spread_end(known, said, flight, hotel)
    if known.hotel.city and hotel.city and hotel.city.city != known.hotel.city.city:
        hotel = replace(hotel, district=said.hotel.district, name=said.hotel.name)
    flight = replace(
        flight,
        return_date=_kept_apart(
            known.flight.departure_date,
            flight.departure_date,
            flight.return_date,
            said_end=said.flight.return_date,
        ),
    )
    check_out = _kept_apart(
        known.hotel.check_in, hotel.check_in, hotel.check_out, said_end=said.hotel.check_out
    )
    hotel = replace(hotel, check_out=check_out)
    return Slots(flight=flight, hotel=hotel)


def _with_other_ends(cleared: Collection[str], known: Slots) -> frozenset[str]:
    """Slots that are cleared, and what is linked to them."""
    linked = {one: _OTHER_END[one] for one in cleared if one in _OTHER_END}
    same = (other for one, other in linked.items() if known.value(one) == known.value(other))
    return frozenset((*cleared, *same))


def _spread(
    known: Slots, said: Slots, flight: FlightSlots, hotel: HotelSlots
) -> tuple[FlightSlots, HotelSlots]:
    for flight_slot, hotel_slot in _LINKS.items():
        before = known.value(flight_slot), known.value(hotel_slot)
        if before[0] is None or before[0] != before[1]:
            continue
        said_of_flight, said_of_hotel = said.value(flight_slot), said.value(hotel_slot)
        if said_of_flight is not None and said_of_hotel is None:
            hotel = replace(hotel, **{_name(hotel_slot): said_of_flight})
        elif said_of_hotel is not None and said_of_flight is None:
            flight = replace(flight, **{_name(flight_slot): said_of_hotel})
    return flight, hotel


def _spread_end(
    known: Slots, said: Slots, flight: FlightSlots, hotel: HotelSlots
) -> tuple[FlightSlots, HotelSlots]:
    """The last day, which a stay may tell by its nights, is linked like the other slots."""
    if known.flight.return_date is None or known.flight.return_date != _last_day(known.hotel):
        return flight, hotel
    if said.flight.return_date is None:
        return replace(flight, return_date=_last_day(hotel)), hotel
    if said.hotel.nights is None and said.hotel.check_out is None:
        return flight, replace(hotel, check_out=said.flight.return_date, nights=None)
    return flight, hotel


def _name(slot: str) -> Any:
    return slot.partition(".")[2]


def _kept_apart(
    old_start: date | None, start: date | None, end: date | None, *, said_end: date | None
) -> date | None:
    """An end that the start has overtaken moves on with it, so that the journey stays as long as it was.

    The same day is an end as well, if it is said.
    """
    if start is None or end is None or end > start or start == end == said_end:
        return end
    length = end - old_start if old_start and end > old_start else timedelta(days=0)
    return start + length if length else end if end == start else None


def left_open(previous: Understanding) -> frozenset[str]:
    """Return the goals that a request for both has still to be told: the other goal was no answer to them."""
    goals = {"flight.destination": previous.flight.destination, "hotel.city": previous.hotel.city}
    still_open = frozenset(slot for slot, place in goals.items() if place is None)
    is_one_told = previous.wanted == ("flight", "hotel") and len(still_open) == 1
    return still_open if is_one_told else frozenset()


def completed(slots: Slots, agents: tuple[Agent, ...], *, open_goals: Collection[str] = ()) -> Slots:
    """Return the slots with what flight and stay can tell each other, where both are wanted.

    The `open_goals` have been said otherwise, and are not to be taken from the other.
    """
    flight, hotel = slots.flight, slots.hotel
    wanted = {*slots.agents, *agents}
    if wanted != {"flight", "hotel"}:
        return slots
    if flight.departure_date is None and hotel.check_in is not None:
        flight = replace(
            flight, departure_date=hotel.check_in, return_date=flight.return_date or _last_day(hotel)
        )
    goal = flight.destination or (None if "flight.destination" in open_goals else hotel.city)
    flight = replace(
        flight,
        destination=goal,
        passengers=flight.passengers or hotel.guests,
    )
    check_in = hotel.check_in or flight.departure_date
    check_out = hotel.check_out
    if (
        check_out is None
        and hotel.nights is None
        and check_in
        and flight.return_date
        and flight.return_date > check_in
    ):
        check_out = flight.return_date
    there = None if "hotel.city" in open_goals else flight.destination
    city = hotel.city or (Place(city=there.city) if there else None)
    hotel = replace(
        hotel, city=city, check_in=check_in, check_out=check_out, guests=hotel.guests or flight.passengers
    )
    return replace(slots, flight=flight, hotel=hotel)


def placed(slots: Slots, agents: tuple[Agent, ...], place: Place) -> Slots:
    """Return the slots with the place that was spoken of before as the goal, where none is said."""
    flight, hotel = slots.flight, slots.hotel
    is_start = flight.origin is not None and flight.origin.city == place.city
    if flight.destination or hotel.city or is_start:
        return slots
    if "flight" in agents:
        flight = replace(flight, destination=place)
    if "hotel" in agents:
        hotel = replace(hotel, city=Place(city=place.city))
    return replace(slots, flight=flight, hotel=hotel)


def assumed_names(result: Slots, said: Slots, previous: Understanding | None = None) -> tuple[str, ...]:
    """Return the names of the days and people that only the other side of the trip tells."""
    known = Slots(flight=previous.flight, hotel=previous.hotel) if previous else Slots()
    settled = known.filled - set(previous.assumed if previous else ()) | said.filled
    return tuple(sorted(slot for slot in result.filled - settled if slot in _ASSUMED))


def _last_day(hotel: HotelSlots) -> date | None:
    if hotel.check_out is None and hotel.check_in is not None and hotel.nights is not None:
        return hotel.check_in + timedelta(days=hotel.nights)
    return hotel.check_out


def carried_names(result: Slots, said: Slots, known: Slots) -> tuple[str, ...]:
    """Return the names of the slots whose value comes from the request before."""
    return tuple(
        sorted(
            slot
            for slot in result.filled - said.filled
            if result.value(slot) in (known.value(slot), known.value(_OTHER_END.get(slot, slot)))
        )
    )


def changed_agents(result: Slots, known: Slots) -> tuple[Agent, ...]:
    """Return the agents whose slots are others than before."""
    flight: tuple[Agent, ...] = ("flight",) if result.flight != known.flight else ()
    return (*flight, "hotel") if result.hotel != known.hotel else flight


def open_alternatives(
    said: Slots, previous: Understanding, result: Slots, carried: tuple[str, ...]
) -> tuple[Alternative, ...]:
    """Return the other readings that still stand: of this message, and earlier ones of what was kept."""
    spoken = {alternative.slot for alternative in said.alternatives}
    kept = (
        alternative
        for alternative in previous.alternatives
        if alternative.slot not in spoken
        and (alternative.slot in carried or (not alternative.taken and alternative.slot not in result.filled))
    )
    return (*said.alternatives, *kept)
