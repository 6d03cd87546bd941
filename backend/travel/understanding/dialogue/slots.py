"""From what a message says to the slots of a flight and of a stay.

A part of a message that is about both fills both: the same people travel and sleep, the day of departure
is the day of check-in. A price is for the flight unless it is said to be per night.
"""

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from datetime import date, timedelta
from typing import Any

from ...values.travel import City
from ..message import Part
from ..result import Agent, Alternative, FlightSlots, HotelSlots, Period, Place

FLIGHT_SLOTS = tuple(field.name for field in fields(FlightSlots))
HOTEL_SLOTS = tuple(field.name for field in fields(HotelSlots))

NO_FLIGHT = FlightSlots()
NO_HOTEL = HotelSlots()

_PLACE_SLOTS = ("flight.origin", "flight.destination", "hotel.city")
_SLOT_OF = {
    ("flight", "origin"): "flight.origin",
    ("flight", "destination"): "flight.destination",
    ("flight", "start"): "flight.departure_date",
    ("flight", "end"): "flight.return_date",
    ("hotel", "destination"): "hotel.city",
    ("hotel", "start"): "hotel.check_in",
    ("hotel", "end"): "hotel.check_out",
}
_DAYS = frozenset({"flight.departure_date", "flight.return_date", "hotel.check_in", "hotel.check_out"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """All slots, of the flight and of the stay, with the other readings of those that have some.

    `cleared` are slots that hold nothing any more, whatever they held before; for `unplaced` ones
    something was said that is no city, or none that is known. Of `period` the day of departure, or of
    check-in, is still to be said.
    """

    flight: FlightSlots = NO_FLIGHT
    hotel: HotelSlots = NO_HOTEL
    alternatives: tuple[Alternative, ...] = ()
    cleared: frozenset[str] = frozenset()
    unplaced: frozenset[str] = frozenset()
    period: Period | None = None

    @property
    def agents(self) -> tuple[Agent, ...]:
        """The agents for which anything is known."""
        flight: tuple[Agent, ...] = ("flight",) if self.flight != NO_FLIGHT else ()
        return (*flight, "hotel") if self.hotel != NO_HOTEL else flight

    @property
    def filled(self) -> frozenset[str]:
        """Names of the slots that hold something, as "flight.origin"."""
        flight = (f"flight.{name}" for name in FLIGHT_SLOTS if getattr(self.flight, name) is not None)
        hotel = (f"hotel.{name}" for name in HOTEL_SLOTS if getattr(self.hotel, name) not in (None, ()))
        return frozenset((*flight, *hotel))

    def value(self, slot: str) -> Any:
        """Return what a slot holds, comparable across a link: of a place only the city counts."""
        holder, _, name = slot.partition(".")
        value = getattr(self.flight if holder == "flight" else self.hotel, name)
        return Place(city=value.city) if isinstance(value, Place) else value


def slots_of(
    parts: tuple[Part, ...],
    agents: tuple[Agent, ...],
    *,
    asked: tuple[str, ...] = (),
    departure: date | None = None,
    hotel_name: str | None = None,
) -> Slots:
    """Return what the parts of a message say, for `agents` where a part does not tell whom it is about.

    `asked` are the slots that were missing before: a place that is just named goes where one is missing.
    `departure` is the day of departure known from before, from which a length of stay counts.
    """
    said = Slots()
    for part in parts:
        said = overlay(said, _of_part(part, part.agents or agents, asked, departure))
    return replace(said, hotel=replace(said.hotel, name=hotel_name)) if hotel_name else said


def overlay(below: Slots, above: Slots) -> Slots:
    """Return `below` with everything that `above` holds."""
    return Slots(
        flight=overlay_flight(below.flight, above.flight),
        hotel=overlay_hotel(below.hotel, above.hotel),
        alternatives=(*below.alternatives, *above.alternatives),
        cleared=below.cleared | above.cleared,
        unplaced=below.unplaced | above.unplaced,
        period=above.period or below.period,
    )


def overlay_flight(below: FlightSlots, above: FlightSlots) -> FlightSlots:
    """Return `below` with everything that `above` holds."""
    if above == NO_FLIGHT:
        return below
    held = {name: getattr(above, name) for name in FLIGHT_SLOTS}
    return replace(below, **{name: value for name, value in held.items() if value is not None})


def overlay_hotel(below: HotelSlots, above: HotelSlots) -> HotelSlots:
    """Return `below` with everything that `above` holds; nights and a check-out exclude each other."""
    if above == NO_HOTEL:
        return below
    held = {name: getattr(above, name) for name in HOTEL_SLOTS}
    laid = replace(below, **{name: value for name, value in held.items() if value not in (None, ())})
    if above.check_out is not None:
        return replace(laid, nights=above.nights)
    return replace(laid, check_out=None) if above.nights is not None else laid


def _of_part(part: Part, agents: tuple[Agent, ...], asked: tuple[str, ...], departure: date | None) -> Slots:
    place_asked = next((slot for slot in asked if slot in _PLACE_SLOTS), "")
    is_origin = place_asked == "flight.origin" and part.origin is None and part.destination is None
    origin = part.origin or (part.named if is_origin else None)
    destination = part.destination or (None if is_origin else part.named)
    is_there_a_bed = part.nights_in_hotel and "hotel" in agents
    stays = None if is_there_a_bed else part.nights
    back = part.end or _later(part.start or departure, stays)
    is_of_hotel = not part.agents and "hotel.city" in asked and "flight.destination" not in asked
    goal = destination if part.origin or not is_of_hotel else None
    flight = _flight(part, origin, goal, back) if "flight" in agents else NO_FLIGHT
    hotel = _hotel(part, destination, agents) if "hotel" in agents else NO_HOTEL
    named_as = "origin" if is_origin else "destination"
    alternatives = tuple(
        Alternative(slot=_SLOT_OF[agent, what], taken=other.taken, others=other.others, said=other.said)
        for other in part.others
        for what in [named_as if other.what == "named" else other.what]
        for agent in agents
        if (agent, what) in _SLOT_OF
    )
    open_days = _DAYS if part.period and not part.end else frozenset[str]()
    chosen_from = frozenset(one.slot for one in alternatives if not one.taken)
    return Slots(
        flight=flight,
        hotel=hotel,
        alternatives=alternatives,
        cleared=open_days | chosen_from,
        unplaced=chosen_from
        | frozenset(_SLOT_OF[agent, "destination"] for agent in agents if part.has_unknown_goal),
        period=part.period,
    )


def without(slots: Slots, cleared: Collection[str]) -> Slots:
    """Return the slots without those; "hotel.amenities:pool" takes one value out of several."""
    emptied = {field.name: field.default for field in fields(HotelSlots)}
    flight = {name: None for name in FLIGHT_SLOTS if f"flight.{name}" in cleared}
    hotel = {name: emptied[name] for name in HOTEL_SLOTS if f"hotel.{name}" in cleared}
    left = tuple(one for one in slots.hotel.amenities if f"hotel.amenities:{one}" not in cleared)
    stay = replace(slots.hotel, **{"amenities": left, **hotel})
    return replace(slots, flight=replace(slots.flight, **flight), hotel=stay)


def _flight(part: Part, origin: Place | None, destination: Place | None, back: date | None) -> FlightSlots:
    facts = part.facts
    return FlightSlots(
        origin=origin,
        destination=destination,
        departure_date=part.start,
        return_date=back,
        passengers=facts.people,
        cabin_class=facts.cabin_class,
        airline=facts.airline,
        max_stops=facts.max_stops,
        max_price=None if facts.is_per_night else facts.max_price,
    )


def _hotel(part: Part, destination: Place | None, agents: tuple[Agent, ...]) -> HotelSlots:
    facts = part.facts
    is_for_flight = "flight" in agents and not facts.is_per_night
    return HotelSlots(
        city=_without_airport(destination) or _city_of_district(part),
        district=part.district.name if part.district else None,
        check_in=part.start,
        check_out=part.end,
        nights=part.nights if part.end is None or _later(part.start, part.nights) == part.end else None,
        rooms=facts.rooms,
        guests=facts.people,
        stars=facts.stars,
        max_price=None if is_for_flight else facts.max_price,
        amenities=facts.amenities,
    )


def _later(start: date | None, nights: int | None) -> date | None:
    return start + timedelta(days=nights) if start and nights else None


def _without_airport(place: Place | None) -> Place | None:
    return Place(city=place.city) if place else None


def _city_of_district(part: Part) -> Place | None:
    """The city of a district that only one city has: a hotel in Shinjuku is one in Tokyo."""
    cities: tuple[City, ...] = part.district.cities if part.district else ()
    return Place(city=cities[0]) if len(cities) == 1 else None
