"""The result of understanding a message: the contract between the readers of language, rules or a model, and
everything that acts on a message.

Slots hold all that is known after the message: what it says itself, and what is carried over from the request
before it. `carried` names the latter ("flight.origin"); `dropped` names slots that the request before held
and this one does not. A `context_transfer` event publishes both. What was said and fills no slot is not
ignored: it is in `refused`, in the user's own words.

These values are stored with their tasks (`codec.py`): a field that is renamed, removed or added without a
default makes the requests of earlier versions unreadable.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from ..values.travel import Station, Transmission
from .found import FoundQuestion, Kind, Which
from .slot_table import (
    NO_CAR,
    NO_FLIGHT,
    NO_HOTEL,
    Agent,
    AgentSlots,
    CarSlots,
    FlightSlots,
    HotelSlots,
    Place,
    rows_of,
)

Relation = Literal["new", "refine", "add", "answer", "stop", "other"]
Reason = Literal[
    "no_children_known",
    "unknown_place", "no_such_day", "day_has_passed", "ends_before_it_begins", "impossible_count",
    "cannot_be_excluded", "other_currency", "kind_of_lodging", "not_searched_by", "one_city_at_a_time",
    "one_booking_at_a_time", "too_many_cities", "open_jaw", "adult_fare", "other_days", "other_service",
    "not_understood", "one_way_rental", "no_names", "part_of_party", "arrive_by", "not_compared",
    "of_another_city", "only_preferred", "too_few_cities", "tour_of_flights", "one_class", "booking_stays",
    "one_car_class",
    "asked_of_airline", "asked_of_rental", "not_searched_there", "no_day_back", "one_thing_asked",
]  # fmt: skip
BookingAction = Literal["hold", "book", "cancel", "list"]
Pick = Literal["cheapest", "fastest", "best"]
Bookable = Kind
"""The agents whose offers are booked: all that is found."""


CHEAPEST_FIRST = "cheapest first"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """Another reading of one slot: what was taken, and what it could have meant as well, in words.

    With `taken` empty nothing was taken: the slot is to be filled from the `others` ("Japan": Tokyo, Osaka,
    ...). `said` are the user's words where they spell something else than what was taken ("Barcalona").
    With `is_choice` the user named the others as well: "Paris or Rome". Of places and days that we proposed
    with what they cost `said` is `CHEAPEST_FIRST`: "the cheapest" is the first of them.
    """

    slot: str
    taken: str
    others: tuple[str, ...]
    said: str = ""
    is_choice: bool = False

    @property
    def is_proposed(self) -> bool:
        """Whether we have proposed the values, the cheapest first."""
        return self.said == CHEAPEST_FIRST


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """The days, `start` to `end`, out of which the first of the journey is yet to be said: "early June".

    `is_any` tells that it is left to us: "the cheapest day in June".
    """

    said: str
    start: date
    end: date
    is_any: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Words of the user's that fill no slot, and why not.

    Where they tell of other days than those named, `days` is by how many the named ones may be others.
    """

    said: str
    reason: Reason
    days: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """A limit of the name `slot` without which it will do, and how it is told: "with a pool"."""

    slot: str
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDirection:
    """One direction of a flight as it is shown: its flights, carrier and number ("Lufthansa 716"), in order,
    and when the first of them leaves, by the clock of its airport: "2026-12-10T09:05".
    """

    flights: tuple[str, ...]
    leaves: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownStay:
    """A stay as it is shown: the hotel's name, its district ("" if not told) and its days."""

    hotel: str
    district: str = ""
    check_in: date | None = None
    check_out: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRental:
    """A rental car as it is shown: its model with its supplier ("Finch, Kestrel Demo"), its gearbox and
    station, and its days; None for what is not told.
    """

    car: str
    transmission: Transmission | None = None
    station: Station | None = None
    pick_up: date | None = None
    drop_off: date | None = None


Shown = tuple[ShownDirection, ...] | ShownStay | ShownRental


@dataclass(frozen=True, slots=True, kw_only=True)
class BookingWish:
    """What a message wants done about an offer that is or will be found, or about a booking there is.

    `kind` is whose, None where that is open: "what have I booked?". Of the offers the one that is wanted is
    told by a `pick`, by its `number` as they are shown, counted from 1, or by the `name` of its carrier or
    hotel, in the user's words; by several of these, or by none: "book it". Where just one can be meant, it is
    told as it is `shown`: as a stay, as a car, or as a flight with all its directions. With `is_earlier` it
    is one of those found for the request before the last one: "the cheapest one from before".
    What neither tells is told by `which`: "the last one", "the 9:15 flight".
    `reference` is that of a booking, as the provider writes it: "DEMO-7K2Q4M"; with `is_latest` it is
    whatever the request before has booked. With `is_same` the house, the flight or the car of a booking is
    meant. `then` is what is wanted after it: an offer of another kind ("book both"), or that a booking is
    cancelled, of which several are told apart by `name`.
    """

    action: BookingAction
    kind: Bookable | None = None
    pick: Pick | None = None
    number: int | None = None
    name: str | None = None
    shown: Shown | None = None
    which: Which | None = None
    reference: str | None = None
    is_earlier: Literal[True] | None = None
    is_latest: Literal[True] | None = None
    is_same: Literal[True] | None = None
    then: "BookingWish | None" = None

    @property
    def in_turn(self) -> "tuple[BookingWish, ...]":
        """This and what is wanted after it, each with a permission of its own."""
        return (self, *self.then.in_turn) if self.then else (self,)

    @property
    def offers(self) -> "tuple[BookingWish, ...]":
        """Those of it that book or hold an offer, in order."""
        return tuple(each for each in self.in_turn if each.action in ("book", "hold"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TourStay:
    """What is told of one city of a tour alone: its nights, or a day to be there, or to leave it."""

    city: Place
    nights: int | None = None
    on: date | None = None
    is_left_then: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TourWish:
    """A journey to several cities, in any order, or as they stand if it is `ordered`.

    `start` is where it begins, None where that is open; it is none of the `cities`, of which there are two
    to eight, each once. `nights` are those in each city. The journey lies within the days `earliest` to
    `latest`. It `returns` to where it began unless that is not wanted.
    Where a day is told on which it begins, that is the `first_day`, too. `stays` are those cities of which
    more is told than of the others.
    """

    start: Place | None = None
    cities: tuple[Place, ...] = ()
    nights: int | None = None
    earliest: date | None = None
    latest: date | None = None
    returns: bool = False
    passengers: int | None = None
    ordered: bool = False
    first_day: date | None = None
    stays: tuple[TourStay, ...] = ()

    def stay_in(self, city: Place) -> TourStay:
        """Return what is told of one of the cities alone."""
        return next((stay for stay in self.stays if stay.city == city), TourStay(city=city))


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenGoal:
    """Where to fly is left open: whether it has to be warm there, and the places that it must not be."""

    is_warm: bool = False
    left_out: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Understanding:
    """One message, understood.

    `agents` are those that must act on it: whom it asks for, and those whose earlier search no longer
    answers the request; none for small talk. `wanted` are all agents of the request as it stands after the
    message, of which some may have nothing to do now. `resumes` tells which of the interrupted requests
    the message takes up again, as an index into `recent` of `understand`.

    `assumed` names slots that nobody said: days and people that a stay takes from its flight, or the other
    way round. They are searched by, but hold only until something is said.

    Small talk does not change what the conversation is about: `about` are the agents that it was with last,
    and `is_elsewhere` is set once it has moved to something else than flights and hotels. `service` names
    the service of others that was spoken of last, unless something was understood since. `mentioned` is the
    place that was spoken of last, for whatever reason: what "there" means. `searched` are the agents that
    have had enough to search by. `whole_flight`, `whole_hotel` and `whole_car` are what the request held when
    one of its agents was taken out of it: "flights after all" resumes that.

    A `question` is about the offers that were found; it is answered from them, and changes nothing.

    `length` is how many nights a journey was said to take. `open_goal` is set as long as the user leaves open
    where to fly.

    `preferred` are limits of this message that are left out where nothing is within them.

    `unused` are wishes of this message and of those before it that nothing is searched by, in the user's
    words.

    A `booking` is wanted by this message, and by none after it: `agents` are then those whose offers are
    picked from, or none. A `tour` is what the planner works on; flight and stay hold nothing beside it.
    """

    relation: Relation
    agents: tuple[Agent, ...] = ()
    flight: FlightSlots = NO_FLIGHT
    hotel: HotelSlots = NO_HOTEL
    car: CarSlots = NO_CAR
    carried: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    wanted: tuple[Agent, ...] = ()
    period: Period | None = None
    length: int | None = None
    refused: tuple[Refused, ...] = ()
    resumes: int | None = None
    assumed: tuple[str, ...] = ()
    about: tuple[Agent, ...] = ()
    is_elsewhere: bool = False
    service: str = ""
    mentioned: Place | None = None
    searched: tuple[Agent, ...] = ()
    whole_flight: FlightSlots = NO_FLIGHT
    whole_hotel: HotelSlots = NO_HOTEL
    whole_car: CarSlots = NO_CAR
    booking: BookingWish | None = None
    tour: TourWish | None = None
    question: FoundQuestion | None = None
    unused: tuple[str, ...] = ()
    preferred: tuple[Preference, ...] = ()
    open_goal: OpenGoal | None = None

    def of(self, agent: Agent) -> AgentSlots:
        """Return the slots of an agent that has some. Raises `AttributeError` for one that has none."""
        return getattr(self, agent)

    def whole(self, agent: Agent) -> AgentSlots:
        """Return what the request held of an agent when one of its agents was taken out of it."""
        return getattr(self, f"whole_{agent}")

    @property
    def missing(self) -> tuple[str, ...]:
        """Names of the slots without which an agent of this message cannot search, most important first."""
        return tuple(
            slot.name
            for agent in self.agents
            for slot in rows_of(agent)
            if slot.needed and getattr(self.of(agent), slot.field) is None
        )

    @property
    def flexible_days(self) -> int | None:
        """By how many days those of the message may be others, None where it does not tell."""
        return next((one.days for one in self.refused if one.reason == "other_days"), None)

    @property
    def able(self) -> tuple[Agent, ...]:
        """The agents of this message that know enough to search."""
        lacking = {slot.partition(".")[0] for slot in self.missing}
        return tuple(agent for agent in self.agents if agent not in lacking)


def as_whole(held: Mapping[Agent, AgentSlots]) -> dict[str, Any]:
    """Return the slots of agents as the fields of an `Understanding` that keep them."""
    return {f"whole_{agent}": slots for agent, slots in held.items()}
