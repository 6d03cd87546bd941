"""What a message changes about a request without telling the new value.

Days are moved, wishes and earlier changes taken back, children left at home, and a place that is only named
may be the start.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, time
from typing import Any

from ...values.places import day_to_leave
from ...values.travel import UNKNOWN_AGE, CarClass
from ..message import Act, AgesOfKnown, Facts, Message, Moved, Nudge, Part, Scope, Shift
from ..result import Agent, FlightSlots, HotelSlots, Place, Refused, Understanding
from ..slot_table import CAR_SIZES, ROWS, SLOTS, linked, links_of, other_end, rows_of, searching
from .prompt import Situation
from .slots import NO_SLOTS, Slots, first_known, held_in, overlay

_NOON = time(12)
_LAST_HOUR = 23
_CAR_CLASS = "car.car_class"
_PLACES = tuple(slot.name for slot in ROWS.values() if slot.type is Place)
_CHILDREN = tuple(slot.name for slot in links_of("children"))
_DAYS = (*(slot.name for link in ("first_day", "last_day") for slot in links_of(link)), "hotel.nights")
_OTHERWISE = {"flight.max_stops": 1, "hotel.stars": 4}
"""What a nudge sets where nothing is known."""


def emptied(read: Message, known: Slots, agents: tuple[Agent, ...]) -> frozenset[str]:
    """Return the slots of `agents` that a message empties: what it takes away, and unwanted places."""
    # Of a city with several airports one may be avoided, and the city stay.
    cities = {place.city for place in read.not_wanted if place.airports == place.city.airports}
    spoken_against = (
        slot for slot in _PLACES if cities and (place := known.value(slot)) and place.city in cities
    )
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
    is_of_days = shift.what in ("journey", "start", "end")
    if is_of_days and not (moved.filled or spoken.filled or any(map(known.value, _DAYS))):
        return (Refused(said=shift.said, reason="not_understood"),)  # no day is known that could move
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


_LIMITS: Mapping[Scope, tuple[str, ...]] = {
    "person": ("flight.max_price",),
    "night": ("hotel.max_price",),
    "total": ("flight.max_total", "hotel.max_total"),
    "stay": ("hotel.max_total",),
}
"""The limits of price that are for each of these."""


def rescoped(scope: Scope, known: Slots, agents: tuple[Agent, ...]) -> Slots:
    """Return the limit of price that is known as one for what a message says that it is for.

    Nothing where no limit is known, or nobody is asked for what it is for.
    """
    names = [name for name in _LIMITS.get(scope, ()) if ROWS[name].agent in agents]
    if not names:
        return NO_SLOTS
    held = {name: known.value(name) for each in _LIMITS.values() for name in each}
    # The limit in all first: it is the one that most often turns out to be for each.
    told = next((held[name] for name in reversed(held) if held[name] and name not in names), None)
    if told is None:
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
    if any(part.facts.are_all for part in read.parts):
        spoken = replace(spoken, cleared=spoken.cleared | {*_CHILDREN})
    elif any(part.facts.are_adults for part in read.parts) and not (spoken.filled | spoken.cleared) & {
        *_CHILDREN
    }:
        for slot in links_of("people"):
            if told := spoken.value(slot.name):
                spoken = spoken.changed(slot.agent, **{slot.field: told + children_in(known)})
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


def children_in(known: Slots) -> int:
    """Return how many children a request knows of."""
    return max(len(known.value(slot.name)) for slot in links_of("children"))


def with_children(spoken: Slots, told: Mapping[str, Any], shift: Shift | None, known: Slots) -> Slots:
    """Return what is said with the children that a change of people brings or leaves at home.

    Who travels alone has none with them. Ages that are `told` of known children make nobody one more.
    """
    slots = links_of("children")
    of_known = next((told[slot.name] for slot in slots if slot.name in told), None)
    if isinstance(of_known, AgesOfKnown):
        return _of_known(spoken, of_known, known)
    is_told = any(spoken.value(slot.name) for slot in slots)
    for slot in slots if is_told else ():
        ages, before = spoken.value(slot.name), known.value(slot.name)
        if ages and shift and shift.what == "people" and shift.count > 0:
            ages = (*before, *ages)
        elif {*ages} == {UNKNOWN_AGE} and len(ages) == len(before):
            ages = before  # "3 adults and the 2 kids" are those whose ages are known
        spoken = spoken.changed(slot.agent, **{slot.field: ages})
        people = next(one for one in links_of("people") if one.agent == slot.agent)
        adults = (known.value(people.name) or 0) - len(before)
        if adults > 0 and ages and spoken.value(people.name) == len(ages):
            spoken = spoken.changed(slot.agent, **{people.field: adults + len(ages)})  # "so only two kids"
    if shift and shift.child:
        for slot in slots:
            ages = sorted(known.value(slot.name))
            if len(ages) > 1:
                at = {"oldest": len(ages) - 1, "youngest": 0, "middle": len(ages) // 2}[shift.child]
                left = tuple(ages[:at] + ages[at + 1 :])
                spoken = spoken.changed(slot.agent, **{slot.field: left})
    is_alone = not is_told and first_known(spoken, "people") == 1
    if is_alone or (shift and shift.is_of_children):
        return replace(spoken, cleared=spoken.cleared | {slot.name for slot in slots})
    return spoken


def _of_known(spoken: Slots, of_known: AgesOfKnown, known: Slots) -> Slots:
    """The ages of the children who are known, and as many people as there must be at least."""
    people = first_known(spoken, "people") or first_known(known, "people")
    for slot in links_of("children"):
        if not spoken.value(slot.name):
            continue
        before: tuple[int, ...] = known.value(slot.name)
        ages = of_known.filling(before)
        spoken = spoken.changed(slot.agent, **{slot.field: ages})
        count = of_known.adults + len(ages) if people is None else people
        count += len(ages) - len(before) if people is not None and people <= len(ages) else 0
        counted = next(one for one in links_of("people") if one.agent == slot.agent)
        spoken = spoken.changed(slot.agent, **{counted.field: count}) if count != people else spoken
    return spoken


def with_further_airlines(spoken: Slots, message: Message, known: Slots) -> Slots:
    """The same with the airlines wanted before, where those of a message come beside them."""
    wanted = known.flight.airlines
    allowed = (name.partition(":") for name in message.removed)
    added = spoken.flight.airlines if message.also_airlines else ()
    added += tuple(one for slot, _, one in allowed if slot == "flight.not_airlines" and one)
    if not wanted or not added:
        return spoken
    names = tuple(dict.fromkeys((*wanted, *added)))
    return spoken.changed("flight", airline=known.flight.airline, airlines=names)


def narrowed(spoken: Slots, message: Message, known: Slots) -> Slots:
    """A place that is only named tells of the start if it is there, or instead: "JFK only", "not Oslo"."""
    named, start = spoken.flight.destination, known.flight.origin
    # "Drive from Chicago, so Chicago flights": nobody flies from there to there.
    if named and start and spoken.flight.origin and spoken.flight.origin.city == named.city:
        return spoken.changed("flight", origin=None)
    is_only_named = any(part.named == named for part in message.parts) and spoken.flight.origin is None
    if not (named and start and is_only_named):
        return spoken
    is_instead = any(place.city == start.city for place in message.not_wanted)
    if named.city != start.city and not is_instead:
        return spoken
    is_of_stay = is_instead and spoken.hotel.city == named and known.hotel.city is not None
    stay = replace(spoken.hotel, city=None) if is_of_stay else spoken.hotel
    return replace(spoken, flight=replace(spoken.flight, origin=named, destination=None), hotel=stay)


def started(spoken: Slots, message: Message, known: Slots, running: tuple[Agent, ...]) -> Slots:
    """A place that is only named where a flight joins a stay, whose city is known: it starts there."""
    named, stay = spoken.flight.destination, known.hotel.city
    joins = "flight" in message.agents and running == ("hotel",) and Act.CHANGE not in message.acts
    is_only_named = any(part.named == named for part in message.parts) and spoken.flight.origin is None
    if not (joins and named and stay and is_only_named and named.city != stay.city):
        return spoken
    return replace(spoken, flight=replace(spoken.flight, origin=named, destination=None))


def arriving(spoken: Slots, message: Message, known: Slots) -> Slots:
    """A flight that leaves in time for the day on which somebody wants to land; back after a stay."""
    day = next((part.arrival for part in message.parts if part.arrival), None)
    flight, before = spoken.flight, known.flight
    origin = flight.origin or before.origin
    goal = flight.destination or before.destination or known.hotel.city
    if not (day and flight.departure_date and origin and goal):
        return spoken
    told = before.departure_date if flight.departure_date == day else flight.departure_date
    is_for_stay = before.departure_date is None and known.hotel.check_in and day <= known.hotel.check_in
    if is_for_stay and flight.return_date is None and "flight.return_date" not in message.removed:
        spoken = spoken.changed("flight", return_date=known.hotel.told_last_day)
    by = flight.arrives_before or time.max
    return spoken.changed("flight", departure_date=day_to_leave(origin.city, goal.city, day, by, told))


_OF_DAYS = ("flight.departure_date", "flight.return_date", "hotel.check_in", "hotel.check_out")
_OF_GOALS = ("flight.destination", "hotel.city")
_OF_STARTS = ("flight.origin",)
_OF_PEOPLE = ("flight.passengers", "hotel.guests")
_OF_HOURS = (
    "flight.departs_after", "flight.departs_before", "flight.arrives_after", "flight.arrives_before",
    "flight.returns_after", "flight.returns_before",
)  # fmt: skip
_OF_PRICES = ("flight.max_price", "flight.max_total", "hotel.max_price", "hotel.max_total", "car.max_price")
_KINDS = {
    "day": _OF_DAYS,
    "place": _OF_GOALS,
    "start": _OF_STARTS,
    "people": _OF_PEOPLE,
    "max_price": _OF_PRICES,
    "departs_after": _OF_HOURS,
    "stars": ("hotel.stars",),
    "last_day": ("flight.return_date",),
    "airline": ("flight.airline", "flight.airlines"),
}


_FACTS = _KINDS.keys() - {"day", "place", "start", "last_day"}


def before_changes(situation: Situation) -> tuple[int, ...]:
    """Return which of the earlier requests were there before the last change, before that one, and so on.

    A repetition is no change, nor is a booking that has been made; one that is open is the last change.
    """
    previous, requests = situation.previous, situation.earlier
    is_booking = situation.is_open and previous is not None and previous.booking is not None
    found: list[int] = []
    for at in situation.history:
        if _differs(requests[at], requests[found[-1]] if found else None if is_booking else previous):
            found.append(at)
    return tuple(found)


def before_all_changes(found: Sequence[int], requests: Sequence[Understanding]) -> int | None:
    """Return which of the requests `found` before changes is the first of the trip that lacks nothing."""
    begun = next((at for at, one in enumerate(found) if requests[one].relation == "new"), len(found))
    return next((one for one in reversed(found[: begun + 1]) if not requests[one].missing), None)


def _differs(one: Understanding, other: Understanding | None) -> bool:
    if other is None:
        return True
    is_same = all(one.of(agent) == other.of(agent) for agent in SLOTS)
    return not is_same or (one.wanted, one.tour) != (other.wanted, other.tour)


def with_what_was_right(
    message: Message, history: Sequence[Understanding], previous: Understanding | None
) -> Message:
    """Return the message as if it told again what it says was right, which earlier requests held.

    The same message where none of them held it, or the last one holds it still.
    """
    right = message.right
    if right is None or previous is None:
        return message
    names = _KINDS.get(right.what, (*_OF_GOALS, *_OF_STARTS, *_OF_DAYS))
    names = (*names, *_OF_PEOPLE) if right.count else names
    told: dict[str, Any] = {}
    for name in names:
        held = [value for one in history if (value := held_in(one).value(name)) is not None]
        value = held_in(previous).value(name)
        others = [each for each in held if not _same(each, value)]
        if not right.is_before:
            others = [each for each in others if each == right.count or _is_told(each, message)]
        if right.is_oldest and held and _same(held[-1], value):
            continue  # the first one holds still
        if others:
            told[name] = others[-1] if right.is_oldest else others[0]
    kept = {name: value for name, value in told.items() if ROWS[name].agent in previous.wanted}
    if not kept:
        return message
    agents: tuple[Agent, ...] = tuple(dict.fromkeys(ROWS[name].agent for name in kept))
    if right.is_beside:
        wished_of = tuple(dict.fromkeys((*message.wished_of, *agents)))
        return replace(
            message,
            slots={**message.slots, **kept},
            wished_of=wished_of,
            acts=(message.acts - {Act.STOP}) | {Act.CHANGE},  # "forget that, keep the first dates" goes on
        )
    # "The 6th was fine, 2 pax": what is right is a day or a place, and the people are told beside it.
    beside = () if right.what in _FACTS else tuple(_facts_alone(message))
    return Message(slots=kept, wished_of=agents, acts=frozenset({Act.CHANGE}), parts=beside)


def _facts_alone(message: Message) -> Iterator[Part]:
    for part in message.parts:
        if part.facts != Facts():
            yield Part(agents=part.agents, facts=part.facts)


def with_moved_days(message: Message, history: Sequence[Understanding], known: Slots) -> Message:
    """Return the message with by how much it moves a journey, all of which is to begin on the day it tells.

    On a day on which it began before, that is as long as it was then.
    """
    if message.shift is None or not message.shift.is_to_a_day:
        return message
    days = {part.start for part in message.parts if part.start}
    start, first = next(iter(days), None), first_known(known, "first_day")
    if start is None or first is None or len(days) > 1 or any(part.end for part in message.parts):
        return replace(message, shift=None)
    before = next((one for one in map(held_in, history) if first_known(one, "first_day") == start), NO_SLOTS)
    again = {name: before.value(name) for name in _DAYS if before.value(name) and known.value(name)}
    return replace(
        message,
        parts=tuple(replace(part, start=None) for part in message.parts),
        shift=replace(message.shift, days=(start - first).days),
        slots={**message.slots, **again},
    )


def with_new_limit(message: Message, previous: Understanding | None) -> Message:
    """Return the message with its bare amount as the limit of price that is known: "make that 170".

    The same message where it tells none, where none is known, or several of those spoken to last have one.
    """
    is_told = any(part.facts.max_price for part in message.parts)
    if message.amount is None or previous is None or is_told:
        return message
    known = held_in(previous)
    limited = [name for name in _OF_PRICES if known.value(name) is not None]
    of_last = [name for name in limited if ROWS[name].agent in previous.agents]
    names = limited if len(limited) == 1 else of_last
    if len(names) != 1:
        return message
    (name,) = names
    return replace(
        message,
        slots={**message.slots, name: replace(known.value(name), amount=message.amount)},
        wished_of=(ROWS[name].agent,),
        acts=message.acts | {Act.CHANGE},
    )


def _is_told(value: Any, message: Message) -> bool:
    places = [place for part in message.parts for place in (part.named, part.origin, part.destination)]
    days = [day for part in message.parts for day in (part.start, part.end)]
    return any(_same(value, each) for each in (*places, message.goal, *days) if each is not None)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Place) and isinstance(other, Place):
        return one.city == other.city
    return one == other


def from_the_start(previous: Understanding | None) -> Understanding:
    """Return the request of whoever starts over: it holds nothing of the one before."""
    known = held_in(previous).filled if previous else frozenset[str]()
    return replace(Understanding(relation="new"), dropped=tuple(sorted(known)))
