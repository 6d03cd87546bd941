"""The slots of each agent that searches, one row each: what is known of a value besides its type.

Searches, the forms of questions, the schemas that models get, what a request inherits and what clients are
shown are derived from these rows. They know no language: how a slot is asked for and told is in
`english/slot_words.py`. docs/understanding.md tells how to add a slot.

Slots are stored with their tasks (`codec.py`): a field that is renamed or removed makes the requests of
earlier versions unreadable, a new one with the default None does not.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date, time, timedelta
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from ..values import offers
from ..values.offers import CANCELLED_FREE, PRICE_IN_ALL, Filter
from ..values.places import nearest_airport
from ..values.travel import MOST_SEATS, CabinClass, CarClass, City, Money, Station, Transmission

Agent = Literal["flight", "hotel", "car", "planner"]
Link = Literal["goal", "first_day", "last_day", "people", "children"]

ASSUMED_LINKS: frozenset[Link] = frozenset({"first_day", "last_day", "people", "children"})
"""What an agent takes from another without anybody having said so. Where to go is said by "there"."""


_SLEEP_IN_A_ROOM, _MOST_ROOMS = 4, 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A city, narrowed to one `airport` (IATA code) where the user named one."""

    city: City
    airport: str = ""

    @property
    def airports(self) -> tuple[str, ...]:
        """The airports that count as this place: its own, or the one nearest to a place without any."""
        if self.airport:
            return (self.airport,)
        nearest = nearest_airport(self.city)
        return (*self.city.airports, nearest.code) if nearest else self.city.airports


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A row: one slot of one agent. `agent`, `field` and `type` are taken from where the row stands.

    - `needed`: an agent cannot search without it. `is_asked`: it is a field of the agent's question.
    - `default`: what a search uses where nothing is said.
    - `least`, `most`: the bounds of a number that a form or a model gives.
    - `link`: the fact of the journey that it is, by which agents of one journey take it from each other.
    - `filter`: what narrows the offers found. With `is_for_sources` sources are asked by it as well, and it
      is a field of their query; without, offers are left out only after they were found.
    - `is_searched`: False for what is understood, but no search takes into account.
    - `instead_of`: the slot of the same agent that it tells in another way; one empties the other. Forms and
      models have this one, clients are shown the other.
    - `is_of_goal`: it is a fact of the goal, and gone once that is another.
    - `is_read_by_models`: a model that reads messages may fill it; one that searches may in any case.
    - `has_airports`: of a place, the airports count, and not the city alone.
    - `adds_up`: of several values, what a message says joins what is known.
    - `opposes`: the slot of the same agent whose values it leaves out; a value is never in both.
    """

    needed: bool = False
    is_asked: bool = False
    default: Any = None
    least: float | None = None
    most: float | None = None
    link: Link | None = None
    filter: Filter[Any] | None = None
    is_for_sources: bool = True
    is_searched: bool = True
    instead_of: str = ""
    is_of_goal: bool = False
    is_read_by_models: bool = True
    has_airports: bool = False
    adds_up: bool = False
    opposes: str = ""
    agent: Agent = "flight"
    field: str = ""
    type: Any = None
    name: str = ""
    """The slot's name: "flight.origin"."""
    empty: Any = None
    """What the field holds where nothing was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlightSlots:
    """What is known of the flight that is wanted; None means not said, and the search uses its default."""

    origin: Annotated[Place | None, Slot(needed=True, is_asked=True, has_airports=True)] = None
    destination: Annotated[Place | None, Slot(needed=True, is_asked=True, link="goal", has_airports=True)] = (
        None
    )
    departure_date: Annotated[date | None, Slot(needed=True, is_asked=True, link="first_day")] = None
    return_date: Annotated[date | None, Slot(link="last_day")] = None
    passengers: Annotated[int | None, Slot(default=1, least=1, most=9, link="people")] = None
    children: Annotated[tuple[int, ...], Slot(link="children", least=-1, most=17)] = ()
    """The ages of the children among them."""
    cabin_class: Annotated[CabinClass | None, Slot(default="economy")] = None
    airline: Annotated[str | None, Slot(is_searched=False)] = None
    airlines: Annotated[tuple[str, ...], Slot(filter=offers.BY_AIRLINES)] = ()
    not_airlines: Annotated[
        tuple[str, ...],
        Slot(filter=offers.NOT_BY_AIRLINES, adds_up=True, opposes="airlines"),
    ] = ()
    max_stops: Annotated[int | None, Slot(least=0, most=3, filter=offers.AT_MOST_STOPS)] = None
    max_price: Annotated[Money | None, Slot(filter=offers.PRICE_OF_A_PERSON)] = None
    max_total: Annotated[Money | None, Slot(filter=PRICE_IN_ALL)] = None
    departs_after: Annotated[time | None, Slot(filter=offers.LEAVES_FROM)] = None
    departs_before: Annotated[time | None, Slot(filter=offers.LEAVES_BY)] = None
    arrives_after: Annotated[time | None, Slot(filter=offers.ARRIVES_FROM)] = None
    arrives_before: Annotated[time | None, Slot(filter=offers.ARRIVES_BY)] = None
    returns_after: Annotated[time | None, Slot(filter=offers.FLIES_BACK_FROM)] = None
    returns_before: Annotated[time | None, Slot(filter=offers.FLIES_BACK_BY)] = None
    max_minutes: Annotated[int | None, Slot(least=30, most=4320, filter=offers.TAKES_AT_MOST)] = None
    max_layover: Annotated[int | None, Slot(least=15, most=1440, filter=offers.WAITS_AT_MOST)] = None
    via: Annotated[tuple[Place, ...], Slot(filter=offers.VIA)] = ()
    avoided: Annotated[
        tuple[Place, ...],
        Slot(filter=offers.AVOIDS, adds_up=True, opposes="via"),
    ] = ()
    bags: Annotated[int | None, Slot(least=0, most=2, filter=offers.AT_LEAST_BAGS)] = None
    refundable: Annotated[bool | None, Slot(filter=offers.REFUNDABLE)] = None
    changeable: Annotated[bool | None, Slot(filter=offers.CHANGEABLE)] = None
    seats: Annotated[tuple[str, ...], Slot(is_for_sources=False, adds_up=True)] = ()
    """Wishes for seats, which are chosen after booking: told, shown, and not searched by."""

    @property
    def last_day(self) -> date | None:
        """The day of the way back, None for a journey one way."""
        return self.return_date

    @property
    def told_last_day(self) -> date | None:
        """The last day as far as it was told, which is the same."""
        return self.return_date


@dataclass(frozen=True, slots=True, kw_only=True)
class HotelSlots:
    """What is known of the stay that is wanted; None means not said, and the search uses its default."""

    city: Annotated[Place | None, Slot(needed=True, is_asked=True, link="goal")] = None
    district: Annotated[
        str | None,
        Slot(default="", filter=offers.IN_DISTRICT, is_of_goal=True, is_read_by_models=False),
    ] = None
    check_in: Annotated[date | None, Slot(needed=True, is_asked=True, link="first_day")] = None
    check_out: Annotated[date | None, Slot(link="last_day")] = None
    nights: Annotated[int | None, Slot(is_asked=True, least=1, most=30, instead_of="check_out")] = None
    rooms: Annotated[int | None, Slot(default=1, least=1, most=_MOST_ROOMS)] = None
    guests: Annotated[int | None, Slot(default=1, least=1, most=20, link="people")] = None
    children: Annotated[tuple[int, ...], Slot(link="children", least=-1, most=17)] = ()
    stars: Annotated[int | None, Slot(least=1, most=5, filter=offers.AT_LEAST_STARS)] = None
    max_price: Annotated[Money | None, Slot(filter=offers.PRICE_OF_A_NIGHT)] = None
    max_total: Annotated[Money | None, Slot(filter=PRICE_IN_ALL)] = None
    name: Annotated[str | None, Slot(filter=offers.CALLED, is_of_goal=True)] = None
    not_names: Annotated[
        tuple[str, ...],
        Slot(filter=offers.NOT_CALLED, is_of_goal=True, adds_up=True, opposes="name"),
    ] = ()
    min_score: Annotated[float | None, Slot(least=1, most=10, filter=offers.AT_LEAST_SCORE)] = None
    amenities: Annotated[tuple[str, ...], Slot(filter=offers.HAS_AMENITIES, adds_up=True)] = ()
    not_districts: Annotated[
        tuple[str, ...],
        Slot(
            filter=offers.NOT_IN_DISTRICTS,
            is_of_goal=True,
            adds_up=True,
            opposes="district",
        ),
    ] = ()
    max_km: Annotated[
        float | None,
        Slot(least=0, most=100, filter=offers.WITHIN_KILOMETRES),
    ] = None
    free_cancellation: Annotated[bool | None, Slot(filter=CANCELLED_FREE)] = None

    @property
    def rooms_needed(self) -> int | None:
        """The rooms as said, or as many as more guests need than sleep in one; None where one will do."""
        needed = -(-(self.guests or 1) // _SLEEP_IN_A_ROOM)
        return min(needed, _MOST_ROOMS) if self.rooms is None and needed > 1 else self.rooms

    @property
    def last_day(self) -> date | None:
        """The day of leaving: as said if it is after `check_in`, else after the nights said, or one."""
        if self.check_in is None:
            return None
        if self.check_out is not None and self.check_out > self.check_in:
            return self.check_out
        return self.check_in + timedelta(days=self.nights or 1)

    @property
    def told_last_day(self) -> date | None:
        """The last day as far as it was told: as a day, or by the nights."""
        if self.check_out is None and self.check_in is not None and self.nights is not None:
            return self.check_in + timedelta(days=self.nights)
        return self.check_out


CAR_SIZES: tuple[CarClass, ...] = ("small", "compact", "estate", "suv", "van")
"""The classes of cars by how much they hold; a convertible holds less than it costs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CarSlots:
    """What is known of the rental car that is wanted, which is returned where it is picked up."""

    city: Annotated[Place | None, Slot(needed=True, is_asked=True, link="goal")] = None
    pick_up: Annotated[date | None, Slot(needed=True, is_asked=True, link="first_day")] = None
    drop_off: Annotated[date | None, Slot(is_asked=True, link="last_day")] = None
    station: Annotated[Station | None, Slot(filter=offers.AT_STATION, is_for_sources=False)] = None
    car_class: Annotated[CarClass | None, Slot(filter=offers.OF_CLASS, is_for_sources=False)] = None
    transmission: Annotated[
        Transmission | None, Slot(filter=offers.WITH_TRANSMISSION, is_for_sources=False)
    ] = None
    seats: Annotated[
        int | None, Slot(filter=offers.AT_LEAST_SEATS, is_for_sources=False, least=1, most=MOST_SEATS)
    ] = None
    max_price: Annotated[Money | None, Slot(filter=offers.PRICE_OF_A_DAY)] = None
    free_cancellation: Annotated[bool | None, Slot(filter=CANCELLED_FREE, is_for_sources=False)] = None

    @property
    def last_day(self) -> date | None:
        """The day of returning it: as said unless it is before `pick_up`, else a day later."""
        if self.pick_up is None:
            return None
        if self.drop_off is not None and self.drop_off >= self.pick_up:
            return self.drop_off
        return self.pick_up + timedelta(days=1)

    @property
    def told_last_day(self) -> date | None:
        """The last day as far as it was told."""
        return self.drop_off


NO_FLIGHT = FlightSlots()
NO_HOTEL = HotelSlots()
NO_CAR = CarSlots()

AgentSlots: TypeAlias = FlightSlots | HotelSlots | CarSlots

SLOTS: Mapping[Agent, type[AgentSlots]] = MappingProxyType(
    {"flight": FlightSlots, "hotel": HotelSlots, "car": CarSlots}
)
"""The agents that search, in the order in which they are told, with their slots.

An agent's name is the field that holds its slots in `Understanding`, and in the `Slots` of a message.
"""

FOLLOWERS: frozenset[Agent] = frozenset({"car"})
"""Agents that join a journey. Those whose own journey is known take nothing from them."""


def _rows(agent: Agent, holder: type[AgentSlots]) -> Mapping[str, Slot]:
    hints = get_type_hints(holder, include_extras=True)
    rows: dict[str, Slot] = {}
    for each in fields(holder):
        hint, row = get_args(hints[each.name])
        # `X | None` is a value of type X, or none; a tuple is never None, but empty.
        types = [one for one in get_args(hint) if one is not type(None)]
        kind = hint if get_origin(hint) is tuple else types[0]
        name = f"{agent}.{each.name}"
        rows[each.name] = replace(row, agent=agent, field=each.name, name=name, type=kind, empty=each.default)
    return MappingProxyType(rows)


_ROWS: Mapping[Agent, Mapping[str, Slot]] = {agent: _rows(agent, holder) for agent, holder in SLOTS.items()}

ROWS: Mapping[str, Slot] = MappingProxyType(
    {slot.name: slot for rows in _ROWS.values() for slot in rows.values()}
)
"""All rows by their names, in the order of the table."""

NOTHING: Mapping[Agent, AgentSlots] = MappingProxyType({agent: holder() for agent, holder in SLOTS.items()})
"""An agent's slots while nothing is known."""

_ALL = tuple(SLOTS)
_ROWS_IN_ORDER = {agent: tuple(rows.values()) for agent, rows in _ROWS.items()}
_LINKS = {link: tuple(slot for slot in ROWS.values() if slot.link == link) for link in get_args(Link)}
_LINKED: Mapping[tuple[Agent, Link], Slot] = {
    (slot.agent, slot.link): slot for slot in ROWS.values() if slot.link is not None
}
_INSTEAD = {f"{slot.agent}.{slot.instead_of}": slot for slot in ROWS.values() if slot.instead_of}


_OTHER_ENDS = {"after": "before", "before": "after"}


def searching(agents: Collection[Agent]) -> tuple[Agent, ...]:
    """Return those of the agents that have slots, in the order of the table."""
    return tuple([agent for agent in _ALL if agent in agents])


def rows_of(agent: Agent) -> tuple[Slot, ...]:
    """Return the rows of an agent, in the order of its fields; none for one without slots."""
    return _ROWS_IN_ORDER.get(agent, ())


def holds(agent: Agent, link: Link) -> bool:
    """Return whether an agent has a slot for a fact of the journey."""
    return (agent, link) in _LINKED


def linked(agent: Agent, link: Link) -> Slot:
    """Return the slot in which an agent holds a fact of the journey. Raises `KeyError` if it has none."""
    return _LINKED[agent, link]


def links_of(link: Link) -> tuple[Slot, ...]:
    """Return the slots of all agents that hold one fact of the journey."""
    return _LINKS[link]


def answered_with(slot: Slot) -> tuple[Slot, ...]:
    """Return the needed slots of earlier agents that hold the same fact: their answer is this one's."""
    if not slot.needed or slot.link is None:
        return ()
    same = links_of(slot.link)
    return tuple(other for other in same[: same.index(slot)] if other.needed)


def told_instead(slot: Slot) -> Slot | None:
    """Return the slot by which forms and models tell this one, None if they tell it as it is."""
    return _INSTEAD.get(slot.name)


def other_end(slot: Slot) -> Slot:
    """Return the last hour that belongs to a first one, and the other way round.

    Raises `KeyError` for a slot that is no end of a span of hours.
    """
    what, _, end = slot.name.rpartition("_")
    return ROWS[f"{what}_{_OTHER_ENDS[end]}"]


def searched_by(agent: Agent) -> tuple[Slot, ...]:
    """Return the slots of an agent that its search takes into account, each fact once."""
    return tuple(slot for slot in rows_of(agent) if slot.is_searched and not slot.instead_of)


def given_by(agent: Agent) -> tuple[Slot, ...]:
    """Return the same slots as forms and models give them: the nights of a stay, not its last day."""
    return tuple(slot for slot in rows_of(agent) if slot.is_searched and told_instead(slot) is None)
