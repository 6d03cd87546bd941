"""What a message changes about a request without telling the new value: days moved, wishes taken away."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, time
from typing import Any

from ...values.travel import CarClass
from ..message import Message, Moved, Nudge, Scope, Shift
from ..result import Agent, FlightSlots, HotelSlots, Place, Refused
from ..slot_table import CAR_SIZES, ROWS, SLOTS, linked, links_of, other_end, rows_of, searching
from .children import children_in
from .slots import NO_SLOTS, Slots, first_known, overlay

_NOON = time(12)
_LAST_HOUR = 23
_CAR_CLASS = "car.car_class"
_OTHERWISE = {"flight.max_stops": 1, "hotel.stars": 4}
"""What a nudge sets where nothing is known."""


def emptied(read: Message, known: Slots, agents: tuple[Agent, ...]) -> frozenset[str]:
    """Return the slots of `agents` that a message empties: what it takes away, and unwanted places."""
    # Of a city with several airports one may be avoided, and the city stay.
    cities = {place.city for place in read.not_wanted if place.airports == place.city.airports}
    places = {slot.name: known.value(slot.name) for slot in ROWS.values() if slot.type is Place}
    spoken_against = (slot for slot, place in places.items() if place and place.city in cities)
    taken_away = (slot for slot in read.removed if slot.partition(".")[0] in agents)
    return frozenset((*spoken_against, *taken_away))


def refused_by(
    shift: Shift, moved: Slots, known: Slots, spoken: Slots, *, today: date
) -> tuple[Refused, ...]:
    """Return why a change cannot be: it leads into the past, leaves no night, or nobody is there to leave.

    `spoken` is what the message says besides: it may tell how many travel without children that nobody knew.
    """
    people = [spoken.value(slot.name) for slot in links_of("people")]
    if shift.is_of_children and not children_in(known) and not any(people):
        return (Refused(said=shift.said, reason="no_children_known"),)
    days = [
        (moved.value(first), known.value(first), moved.value(last))
        for first, last in (
            (linked(agent, "first_day").name, linked(agent, "last_day").name) for agent in SLOTS
        )
    ]
    if any(start and start < today for start, _, _ in days):
        return (Refused(said=shift.said, reason="day_has_passed"),)
    ends = [(start or before, end) for start, before, end in days]
    if shift.what == "end" and any(start and end and end <= start for start, end in ends):
        return (Refused(said=shift.said, reason="ends_before_it_begins"),)
    return ()


def shifted(shift: Shift, known: Slots, agents: tuple[Agent, ...]) -> Slots:
    """Return the slots that a change gives new values, for those of `agents` of which they are known."""
    result = NO_SLOTS
    shift = replace(shift, count=-children_in(known)) if shift.is_of_children else shift
    first_day = first_known(known, "first_day")
    people = first_known(known, "people")
    for agent in searching(agents):
        held = known.of(agent)
        values: dict[str, Any] = {}
        for slot in rows_of(agent):
            before = getattr(held, slot.field)
            if slot.link == "first_day":
                values[slot.field] = _day(shift, "start", before or first_day)
            elif slot.link == "last_day":
                values[slot.field] = _day(shift, "end", before or _counted_from(shift, known, first_day))
            elif slot.link == "people":
                values[slot.field] = _count(shift, "people", before or people)
        if isinstance(held, FlightSlots) and shift.what == "direction":
            values |= {"origin": held.destination, "destination": held.origin}
        if isinstance(held, HotelSlots):
            values |= {"nights": _nights(shift, held), "rooms": _count(shift, "rooms", held.rooms)}
        result = result.changed(agent, **values)
    return overlay(shifted(shift.also, known, agents), result) if shift.also else result


def nudged(told: Mapping[str, Any], known: Slots) -> dict[str, Any]:
    """Return what is told by the names of slots, with values in the place of nudges.

    An hour moves past the limit on its other side, or else by an hour; without any limit it is noon.
    """
    values = dict(told)
    for name, nudge in told.items():
        if isinstance(nudge, Nudge):
            values |= _nudged(name, nudge.direction, known)
    return values


def _nudged(name: str, direction: int, known: Slots) -> dict[str, Any]:
    row, held = ROWS[name], known.value(name)
    if row.name == _CAR_CLASS:
        return {name: _sized(held, direction)}
    if row.type is not time:
        otherwise = _OTHERWISE[name]
        moved = otherwise if held is None else held + direction
        return {name: max(int(row.least or 0), min(int(row.most or moved), moved))}
    opposite = other_end(row).name
    bound = known.value(opposite)
    if bound is not None:
        return {name: bound, opposite: None}
    if held is None:
        return {name: _NOON}
    return {name: held.replace(hour=max(0, min(_LAST_HOUR, held.hour + direction)))}


def _sized(held: CarClass | None, direction: int) -> CarClass:
    """The next larger or smaller class of cars; beside none that has a size, one that most would call so."""
    if held not in CAR_SIZES:
        return CAR_SIZES[2] if direction > 0 else CAR_SIZES[0]
    return CAR_SIZES[max(0, min(len(CAR_SIZES) - 1, CAR_SIZES.index(held) + direction))]


def rescoped(scope: Scope, known: Slots, agents: tuple[Agent, ...]) -> Slots:
    """Return the limit of price that is known as one for what a message says that it is for.

    Nothing where no limit is known, or nobody is asked for what it is for.
    """
    limits: dict[Scope, tuple[str, ...]] = {
        "person": ("flight.max_price",),
        "night": ("hotel.max_price",),
        "total": ("flight.max_total", "hotel.max_total"),
        "stay": ("hotel.max_total",),
    }
    names = [name for name in limits.get(scope, ()) if ROWS[name].agent in agents]
    held = {name: known.value(name) for each in limits.values() for name in each}
    # The limit in all first: it is the one that most often turns out to be for each.
    told = next((held[name] for name in reversed(held) if held[name] and name not in names), None)
    if not names or told is None:
        return NO_SLOTS
    result = Slots(cleared=frozenset(name for name, value in held.items() if value == told))
    for name in names:
        result = result.changed(ROWS[name].agent, **{ROWS[name].field: told})
    return result


def of_whole_party(spoken: Slots, read: Message, known: Slots) -> Slots:
    """Return what is said without the people that it only names among those who are known to come.

    Whoever is left alone needs one room: "just me now".
    """
    if any(part.facts.are_at_least for part in read.parts):
        for slot in links_of("people"):
            told, before = spoken.value(slot.name), known.value(slot.name) or first_known(known, "people")
            if told and before and told < before:
                spoken = spoken.changed(slot.agent, **{slot.field: slot.empty})
    is_left_alone = spoken.hotel.guests == 1 and any(part.facts.is_alone for part in read.parts)
    has_rooms = known.hotel.rooms is not None and spoken.hotel.rooms is None
    return spoken.changed("hotel", rooms=1) if is_left_alone and has_rooms else spoken


def _day(shift: Shift, what: Moved, known: date | None) -> date | None:
    return shift.day(known) if known and shift.what in (what, "journey") else None


def _counted_from(shift: Shift, known: Slots, first_day: date | None) -> date | None:
    """The day from which a return that nobody has told yet is counted: "back a week later"."""
    return first_day if shift.is_counted_on and known.hotel.check_in is None else None


def _nights(shift: Shift, stay: HotelSlots) -> int | None:
    """The nights of a stay whose last day was not said, which is one night unless more were."""
    if stay.check_in is None:
        return 1 if shift.is_night else None
    is_length = shift.what == "end" and shift.weekday is None and stay.check_out is None
    return max(1, (stay.nights or 1) + shift.days) if is_length else None


def _count(shift: Shift, what: Moved, known: int | None) -> int | None:
    count = (known or 1) + shift.count
    return count if shift.what == what and count > 0 else None
