"""From what a message says to the slots of a flight and of a stay.

A part of a message that is about both fills both: the same people travel and sleep, the day of departure
is the day of check-in. A price is for the flight unless it is said to be per night.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date, timedelta
from functools import cached_property
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Self

from ...values.offers import choices_in
from ...values.travel import City, Money
from ..message import Choice, Part
from ..result import Agent, Alternative, CarSlots, FlightSlots, HotelSlots, Period, Place, Understanding
from ..slot_table import (
    NO_CAR,
    NO_FLIGHT,
    NO_HOTEL,
    NOTHING,
    ROWS,
    SLOTS,
    AgentSlots,
    Link,
    Slot,
    linked,
    links_of,
    rows_of,
)

_PLACE_SLOTS = tuple(slot.name for slot in ROWS.values() if slot.type is Place)
_COUNTS = ("flight.passengers", "hotel.guests", "hotel.rooms", "hotel.nights")
_DAYS = frozenset(slot.name for slot in ROWS.values() if slot.link in ("first_day", "last_day"))

# What a part of a message tells of a journey, by the agent that it is for.
_SLOT_OF: dict[tuple[Agent, str], str] = {
    ("flight", "origin"): "flight.origin",
    **{(agent, "destination"): linked(agent, "goal").name for agent in SLOTS},
    **{(agent, "start"): linked(agent, "first_day").name for agent in SLOTS},
    **{(agent, "end"): linked(agent, "last_day").name for agent in SLOTS},
}


def _fact(slot: Slot) -> str:
    """The fact of a message that fills a slot: the people, or one of its own name."""
    return "people" if slot.link == "people" else slot.field


_KNOWN_FACTS = frozenset(each.name for each in fields(Part().facts))

# A price is told for either, which depends on more than its name.
_FACTS: dict[Agent, dict[str, str]] = {
    agent: {
        slot.field: _fact(slot)
        for slot in rows_of(agent)
        if _fact(slot) in _KNOWN_FACTS and slot.type is not Money
    }
    for agent in SLOTS
}


@dataclass(frozen=True, kw_only=True)
class Slots:
    """All slots, of each agent, with the other readings of those that have some.

    `cleared` are slots that hold nothing any more, whatever they held before; for `unplaced` ones
    something was said that is no city, or none that is known. Of `period` the day of departure, or of
    check-in, is still to be said. A journey takes `length` nights from its first day.
    """

    flight: FlightSlots = NO_FLIGHT
    hotel: HotelSlots = NO_HOTEL
    car: CarSlots = NO_CAR
    alternatives: tuple[Alternative, ...] = ()
    cleared: frozenset[str] = frozenset()
    unplaced: frozenset[str] = frozenset()
    period: Period | None = None
    length: int | None = None

    @property
    def agents(self) -> tuple[Agent, ...]:
        """The agents for which anything is known."""
        return tuple(agent for agent in SLOTS if not _is_empty(agent, self.of(agent)))

    @cached_property
    def filled(self) -> frozenset[str]:
        """Names of the slots that hold something, as "flight.origin"; a message asks some ten times."""
        return frozenset([name for agent in SLOTS for name in _names_in(agent, getattr(self, agent))])

    @property
    def by_agent(self) -> dict[str, Any]:
        """The slots of all agents, as fields of an `Understanding`."""
        return {agent: self.of(agent) for agent in SLOTS}

    def only(self, agents: Collection[Agent]) -> Self:
        """Return the same without what is held for other agents."""
        others: dict[str, Any] = {agent: NOTHING[agent] for agent in SLOTS if agent not in agents}
        return replace(self, **others)

    def of(self, agent: Agent) -> AgentSlots:
        """Return the slots of one agent that has some. Raises `AttributeError` for one that has none."""
        return getattr(self, agent)

    def changed(self, agent: Agent, **values: Any) -> Self:
        """Return the same with other values, by their fields, in the slots of an agent."""
        held = self.of(agent)
        changed = {field: value for field, value in values.items() if getattr(held, field) != value}
        return self.with_slots(agent, replace(held, **changed)) if changed else self

    def with_slots(self, agent: Agent, held: AgentSlots) -> Self:
        """Return the same with all slots of an agent replaced."""
        if held is self.of(agent):
            return self
        changed: dict[str, Any] = {agent: held}
        return replace(self, **changed)

    def value(self, slot: str) -> Any:
        """Return what a slot holds, comparable across a link: of a place only the city counts."""
        value = _VALUE[slot](self)
        return Place(city=value.city) if isinstance(value, Place) else value


NO_SLOTS = Slots()

_VALUE = {name: attrgetter(name) for name in ROWS}
_NAMES = {agent: [(slot.name, slot.empty) for slot in rows_of(agent)] for agent in SLOTS}
_VALUES = {agent: attrgetter(*(slot.field for slot in rows_of(agent))) for agent in SLOTS}
_FIELDS = {agent: [(slot.field, slot.empty) for slot in rows_of(agent)] for agent in SLOTS}
_SETTLED_TOGETHER = {
    agent: [slot for slot in rows_of(agent) if slot.adds_up or slot.instead_of] for agent in SLOTS
}


def _is_empty(agent: Agent, held: AgentSlots) -> bool:
    return held is NOTHING[agent] or held == NOTHING[agent]


def _names_in(agent: Agent, held: AgentSlots) -> list[str]:
    """The names of the slots of an agent that hold something."""
    if held is NOTHING[agent]:
        return []
    pairs = zip(_NAMES[agent], _VALUES[agent](held), strict=True)
    return [name for (name, empty), value in pairs if value is not empty and value != empty]


def _values_in(agent: Agent, held: AgentSlots) -> dict[str, Any]:
    """The fields of an agent that hold something, with what they hold."""
    if held is NOTHING[agent]:
        return {}
    pairs = zip(_FIELDS[agent], _VALUES[agent](held), strict=True)
    return {field: value for (field, empty), value in pairs if value is not empty and value != empty}


def held_in(understood: Understanding | None) -> Slots:
    """Return all slots of a request, without its other readings; none without a request."""
    if understood is None:
        return NO_SLOTS
    return Slots(flight=understood.flight, hotel=understood.hotel, car=understood.car)


def counts_told(known: Slots, assumed: Collection[str]) -> tuple[str, ...]:
    """Return the slots of counts whose number somebody has told, and that are not only `assumed`."""
    return tuple(slot for slot in _COUNTS if known.value(slot) and slot not in assumed)


def first_known(slots: Slots, link: Link) -> Any:
    """Return a fact of the journey from the first agent of which it is known, None if it is of none."""
    for slot in links_of(link) if slots is not NO_SLOTS else ():
        value = slots.value(slot.name)
        if value is not None:
            return value
    return None


def slots_of(
    parts: tuple[Part, ...],
    agents: tuple[Agent, ...],
    *,
    asked: tuple[str, ...] = (),
    departure: date | None = None,
    pick_up: date | None = None,
    hotel_name: str | None = None,
    told: Mapping[str, Any] = MappingProxyType({}),
) -> Slots:
    """Return what the parts of a message say, for `agents` where a part does not tell whom it is about.

    `asked` are the slots that were missing before: a place that is just named goes where one is missing.
    `departure` is the day of departure known from before, from which a length of stay counts, and `pick_up`
    the day from which that of a rental does, unless a part before tells one. What is `told` by the names of
    slots replaces what was said before.
    """
    said = NO_SLOTS
    for part in parts:
        rented_from = first_known(said, "first_day") or pick_up
        said = overlay(said, _of_part(part, part.agents or agents, asked, departure, rented_from))
    if any(part.end and "flight" in (part.agents or agents) for part in parts):
        said = replace(said, length=None)  # "back on the 14th, hotel 2 nights": the nights move no return
    said = said.changed("hotel", name=hotel_name) if hotel_name else said
    for slot in (ROWS[name] for name in told):
        said = said.changed(slot.agent, **{slot.field: told[slot.name]})
    if not told:
        return said
    # What adds up must not empty what it is added to.
    replaced = (name for name in told if not (ROWS[name].adds_up and told[name]))
    return replace(said, cleared=said.cleared.union(replaced))


def overlay(below: Slots, above: Slots) -> Slots:
    """Return `below` with everything that `above` holds."""
    if above is NO_SLOTS:
        return below
    if below is NO_SLOTS:
        return above
    laid: dict[str, Any] = {agent: overlaid(agent, below.of(agent), above.of(agent)) for agent in SLOTS}
    return Slots(
        **laid,
        alternatives=(*below.alternatives, *above.alternatives),
        cleared=below.cleared | above.cleared,
        unplaced=below.unplaced | above.unplaced,
        period=above.period or below.period,
        length=above.length or below.length,
    )


def overlaid(agent: Agent, below: AgentSlots, above: AgentSlots) -> AgentSlots:
    """Return `below` with everything that `above` holds; of two slots that tell the same, the one above."""
    told = _values_in(agent, above)
    if not told:
        return below
    held = dict(told)
    for slot in _SETTLED_TOGETHER[agent]:
        if slot.adds_up and slot.field in held:
            held[slot.field] = tuple(dict.fromkeys((*getattr(below, slot.field), *held[slot.field])))
        if slot.instead_of in held:
            held.setdefault(slot.field, slot.empty)
        elif slot.instead_of and slot.field in held:
            held[slot.instead_of] = ROWS[f"{agent}.{slot.instead_of}"].empty
    return above if below is NOTHING[agent] and held == told else replace(below, **held)


def _of_part(
    part: Part,
    agents: tuple[Agent, ...],
    asked: tuple[str, ...],
    departure: date | None,
    rented_from: date | None,
) -> Slots:
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
    rented_in = destination or (origin if agents == ("car",) else None)  # "a car from Malaga airport"
    car = _car(part, rented_in, agents, rented_from) if "car" in agents else NO_CAR
    named_as = "origin" if is_origin else "destination"
    alternatives = tuple(
        Alternative(
            slot=_SLOT_OF[agent, what],
            taken=other.taken,
            others=other.others,
            said=other.said,
            is_choice=other.is_choice,
        )
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
        car=car,
        alternatives=alternatives,
        cleared=open_days | chosen_from,
        unplaced=chosen_from
        | frozenset(_SLOT_OF[agent, "destination"] for agent in agents if part.has_unknown_goal),
        period=part.period,
        length=None if part.end else stays,
    )


def without(slots: Slots, cleared: Collection[str]) -> Slots:
    """Return the slots without those; "hotel.amenities:pool" takes a value and its choices out of several."""
    left = slots
    for name in cleared:
        slot, _, one = name.partition(":")
        row = ROWS[slot]
        held = getattr(left.of(row.agent), row.field)
        kept = tuple(each for each in held if one not in (each, *choices_in(each))) if one else row.empty
        left = left.changed(row.agent, **{row.field: kept}) if kept != held else left
    return left


def _flight(part: Part, origin: Place | None, destination: Place | None, back: date | None) -> FlightSlots:
    return FlightSlots(
        origin=origin,
        destination=destination,
        departure_date=part.start,
        return_date=back,
        **_facts_for("flight", part),
        max_price=None if part.facts.is_per_night else part.facts.max_price,
    )


def _hotel(part: Part, destination: Place | None, agents: tuple[Agent, ...]) -> HotelSlots:
    is_for_flight = "flight" in agents and not part.facts.is_per_night
    start = part.arrival or part.start
    if start is None and part.end and part.nights and "flight" not in agents:
        start = _later(part.end, -part.nights)  # "3 nights till Monday"
    return HotelSlots(
        city=_without_airport(destination) or _city_of_district(part),
        district=part.district.name if part.district else None,
        check_in=start,
        check_out=part.end,
        nights=part.nights if part.end is None or _later(part.start, part.nights) == part.end else None,
        **_facts_for("hotel", part),
        max_price=None if is_for_flight else part.facts.max_price,
    )


def _car(
    part: Part, destination: Place | None, agents: tuple[Agent, ...], rented_from: date | None
) -> CarSlots:
    is_its_own = agents == ("car",) and not part.facts.is_per_night
    return CarSlots(
        city=_without_airport(destination),
        pick_up=part.start,
        drop_off=part.end or _later(part.start or rented_from, part.nights),
        max_price=part.facts.max_price if is_its_own else None,
    )


def _facts_for(agent: Agent, part: Part) -> dict[str, Any]:
    return {field: getattr(part.facts, fact) for field, fact in _FACTS[agent].items()}


def _later(start: date | None, nights: int | None) -> date | None:
    return start + timedelta(days=nights) if start and nights else None


def _without_airport(place: Place | None) -> Place | None:
    return Place(city=place.city) if place else None


def _city_of_district(part: Part) -> Place | None:
    """The city of a district that only one city has: a hotel in Shinjuku is one in Tokyo."""
    cities: tuple[City, ...] = part.district.cities if part.district else ()
    return Place(city=cities[0]) if len(cities) == 1 else None


def chosen(choices: Iterable[Choice]) -> Slots:
    """Return the slots that the choices fill."""
    slots = NO_SLOTS
    for choice in choices:
        row = ROWS[choice.slot]
        slots = slots.changed(row.agent, **{row.field: choice.value})
    return slots
