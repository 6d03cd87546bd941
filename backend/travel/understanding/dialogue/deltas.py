"""What a message changes about a request without telling the new value: days moved, wishes taken away."""

from datetime import date
from typing import Any

from ..message import Message, Moved, Shift
from ..result import Agent, FlightSlots, HotelSlots, Place, Refused
from ..slot_table import ROWS, SLOTS, linked, rows_of, searching
from .slots import Slots, first_known


def emptied(read: Message, known: Slots, agents: tuple[Agent, ...]) -> frozenset[str]:
    """Return the slots of `agents` that a message empties: what it takes away, and unwanted places."""
    cities = {place.city for place in read.not_wanted}
    places = {slot.name: known.value(slot.name) for slot in ROWS.values() if slot.type is Place}
    spoken_against = (slot for slot, place in places.items() if place and place.city in cities)
    taken_away = (slot for slot in read.removed if slot.partition(".")[0] in agents)
    return frozenset((*spoken_against, *taken_away))


def refused_by(shift: Shift, moved: Slots, known: Slots, *, today: date) -> tuple[Refused, ...]:
    """Return why a change cannot be: it leads into the past, or leaves no night."""
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
    result = Slots()
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
                values[slot.field] = _day(shift, "end", before)
            elif slot.link == "people":
                values[slot.field] = _count(shift, "people", before or people)
        if isinstance(held, FlightSlots) and shift.what == "direction":
            values |= {"origin": held.destination, "destination": held.origin}
        if isinstance(held, HotelSlots):
            values |= {"nights": _nights(shift, held), "rooms": _count(shift, "rooms", held.rooms)}
        result = result.changed(agent, **values)
    return result


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
