"""Travel values: places, what is searched for, what is found, and tours through several cities.

Queries are normalised (codes sorted, defaults filled in), so two messages that mean the same search make
equal queries; offers are what a provider answers and what travels to clients as partial results.
Money is a decimal and a currency, never a float. Flight times are local wall times of their airport
with the UTC offset attached.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from functools import cache
from types import NoneType
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

CabinClass = Literal["economy", "premium_economy", "business", "first"]
CarClass = Literal["small", "compact", "estate", "suv", "convertible", "van"]
Transmission = Literal["manual", "automatic"]
Station = Literal["airport", "centre"]
Papers = Literal["none", "passports", "others"]

HOME_CURRENCY = "EUR"
"""The currency of prices where nobody names another."""

_SYMBOLS = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥"}

UNKNOWN_AGE = -1
"""The age of a child that nobody told."""

ASSUMED_AGE = 8
"""The age with which such a child is searched for: past an infant's fare, and a child's everywhere."""

OLDEST_INFANT = 1
"""Who is no older flies on the lap of an adult, each on another one."""

ADULT_AGE = 18
"""From which age on sellers take a traveller for an adult."""

SALES_DAYS = 365
"""Days ahead of today up to which flights and rooms are on sale."""


LATER: Mapping[str, Any] = {"later": True}
"""The metadata of a field that values which an earlier version has stored do not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """An amount of a currency (ISO 4217)."""

    amount: Decimal
    currency: str = HOME_CURRENCY

    def __str__(self) -> str:
        """Return it for people: "€1,234.50", "900 CHF"."""
        symbol = _SYMBOLS.get(self.currency)
        return f"{symbol}{self.amount:,f}" if symbol else f"{self.amount:,f} {self.currency}"


@dataclass(frozen=True, slots=True, kw_only=True)
class City:
    """A city that can be flown to or slept in.

    `name` is the display name and, with `country` (ISO 3166 alpha-2) and `subdivision` (where one is
    needed to tell namesakes apart, else ""), its identity. `airports` are IATA codes, most used first;
    empty where the city has hotels only. `tier` is 1 (world hub) to 3 (regional). `centre` is latitude and
    longitude in degrees, where known.
    """

    name: str
    country: str
    airports: tuple[str, ...]
    tier: int
    subdivision: str = ""
    metro: str = ""
    aliases: tuple[str, ...] = ()
    centre: tuple[float, float] | None = None

    @property
    def label(self) -> str:
        """The name with what tells it apart, for people: "Tokyo, JP"."""
        parts = (self.name, self.subdivision, self.country)
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Query:
    """What the searches have in common.

    The limits that not every source knows are left out of the `repr`, by which the demo varies its delays,
    and of the key where there is none: so a search without any is the one that it was before there were such
    limits.
    """

    def key_parts(self) -> Mapping[str, Any]:
        """Return what a call's key is made of."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        limits = {each.name for each in fields(self) if not each.repr}
        return {name: value for name, value in values.items() if value is not None or name not in limits}


@dataclass(frozen=True, slots=True, kw_only=True)
class Airports:
    """The airports (IATA codes, sorted) of a place where planes are changed, or are not."""

    airports: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlightQuery(_Query):
    """One flight search. `origins` and `destinations` are IATA airport codes, sorted.

    `children` are the ages of those of the `passengers` who are no adults, sorted; not every source prices by
    them. `max_price` is per person, for the whole journey. The limits after it are those of `filters`; a
    source that does not know them returns offers outside of them, which are not shown.
    """

    origins: tuple[str, ...]
    destinations: tuple[str, ...]
    departure_date: date
    return_date: date | None = None
    passengers: int = 1
    children: tuple[int, ...] | None = field(default=None, repr=False)
    cabin_class: CabinClass = "economy"
    max_stops: int | None = None
    max_price: Money | None = None
    max_total: Money | None = field(default=None, repr=False)
    airlines: tuple[str, ...] | None = field(default=None, repr=False)
    not_airlines: tuple[str, ...] | None = field(default=None, repr=False)
    departs_after: time | None = field(default=None, repr=False)
    departs_before: time | None = field(default=None, repr=False)
    arrives_after: time | None = field(default=None, repr=False)
    arrives_before: time | None = field(default=None, repr=False)
    returns_after: time | None = field(default=None, repr=False)
    returns_before: time | None = field(default=None, repr=False)
    max_minutes: int | None = field(default=None, repr=False)
    max_layover: int | None = field(default=None, repr=False)
    via: tuple[Airports, ...] | None = field(default=None, repr=False)
    avoided: tuple[Airports, ...] | None = field(default=None, repr=False)
    bags: int | None = field(default=None, repr=False)
    refundable: bool | None = field(default=None, repr=False)
    changeable: bool | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class HotelQuery(_Query):
    """One hotel search in a city, for `nights` = check_out - check_in.

    `children` are the ages of those of the `guests` who are no adults, sorted; not every source prices by
    them. `stars` is the least number of stars; `max_price` is per night and room. The limits after it are
    those of `filters`; a source that does not know them returns offers outside of them, which are not shown.
    """

    city: str
    country: str
    check_in: date
    check_out: date
    subdivision: str = ""
    district: str = ""
    guests: int = 1
    children: tuple[int, ...] | None = field(default=None, repr=False)
    rooms: int = 1
    stars: int | None = None
    max_price: Money | None = None
    max_total: Money | None = field(default=None, repr=False)
    name: str | None = field(default=None, repr=False)
    not_names: tuple[str, ...] | None = field(default=None, repr=False)
    min_score: float | None = field(default=None, repr=False)
    amenities: tuple[str, ...] | None = field(default=None, repr=False)
    not_districts: tuple[str, ...] | None = field(default=None, repr=False)
    max_km: float | None = field(default=None, repr=False)
    free_cancellation: bool | None = field(default=None, repr=False)

    @property
    def nights(self) -> int:
        """Nights between check-in and check-out."""
        return (self.check_out - self.check_in).days


@dataclass(frozen=True, slots=True, kw_only=True)
class CarQuery:
    """One search for rental cars, which are returned where they are picked up. `max_price` is for a day."""

    city: str
    country: str
    pick_up: date
    drop_off: date
    subdivision: str = ""
    max_price: Money | None = None

    @property
    def days(self) -> int:
        """Days that are paid for: one where a car is returned on the day it is picked up."""
        return max(1, (self.drop_off - self.pick_up).days)


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelFee:
    """What is kept of the price by a seller if a stay is cancelled at that moment or later."""

    since: datetime
    fee: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """On what terms a real seller sells an offer; None and "" are what the seller does not tell.

    `sold_as` is the seller's own id of the offer, and `name` that of the fare or the room. The seller takes
    orders until `expires_at`, and would hold the offer until `held_until`, None where it has to be paid at
    once. The fees are what is kept of a fare that is refundable or changeable; `cancelling` has those of a
    stay, the earliest first, and `refundable` whether cancelling it gives anything back. `paid_there` is due
    at the hotel, beside the price. `children` are the ages, sorted, of those whom the price takes for such.
    The seller wants `papers` of each traveller; those that are no passports cannot be given here.
    """

    sold_as: str
    name: str = ""
    expires_at: datetime | None = None
    held_until: datetime | None = None
    refund_fee: Money | None = None
    change_fee: Money | None = None
    carry_on_bags: int | None = None
    cancelling: tuple[CancelFee, ...] = ()
    paid_there: Money | None = None
    refundable: bool | None = field(default=None, metadata=LATER)
    children: tuple[int, ...] = field(default=(), metadata=LATER)
    papers: Papers = field(default="none", metadata=LATER)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlightSegment:
    """One take-off and one landing. `duration_minutes` is block time."""

    carrier: str
    carrier_name: str
    number: str
    origin: str
    destination: str
    departs_at: datetime
    arrives_at: datetime
    duration_minutes: int
    aircraft: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlightSlice:
    """One direction of a journey: its segments in order, and the minutes from take-off to last landing."""

    segments: tuple[FlightSegment, ...]
    duration_minutes: int

    @property
    def stops(self) -> int:
        """Landings between the first take-off and the last landing."""
        return len(self.segments) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FlightOffer:
    """A priced journey: one slice one-way, two for a return. `live` is false where nothing real is sold.

    Of a real seller's, what it does not tell is None, and `terms` are told.
    """

    offer_id: str
    provider: str
    source: str
    live: bool
    slices: tuple[FlightSlice, ...]
    passengers: int
    cabin_class: CabinClass
    price_total: Money
    price_per_person: Money
    checked_bags: int | None
    refundable: bool | None
    changeable: bool | None
    terms: Terms | None = field(default=None, metadata=LATER)


@dataclass(frozen=True, slots=True, kw_only=True)
class DayFare:
    """The least that a journey costs in all if it begins on a day; None where nothing is found then."""

    date: date
    price_total: Money | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalFare:
    """The least that one person pays to fly to a city on a day, one way."""

    city: City
    date: date
    price: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class HotelOffer:
    """A priced stay for all rooms and nights asked for. `distance_km` is from the city's centre.

    Of a real seller's, what it does not tell is None, where the hotel is included, and `terms` are told.
    """

    offer_id: str
    provider: str
    source: str
    live: bool
    name: str
    city: str
    country: str
    district: str
    latitude: float | None
    longitude: float | None
    distance_km: float | None
    stars: int | None
    score: float | None
    amenities: tuple[str, ...] | None
    check_in: date
    check_out: date
    rooms: int
    guests: int
    price_total: Money
    price_per_night: Money
    free_cancellation_until: date | None
    terms: Terms | None = field(default=None, metadata=LATER)


@dataclass(frozen=True, slots=True, kw_only=True)
class CarOffer:
    """A priced rental car, for all days asked for. `station` is where in the city it is."""

    offer_id: str
    provider: str
    source: str
    live: bool
    supplier: str
    model: str
    car_class: CarClass
    transmission: Transmission
    seats: int
    bags: int
    station: Station
    city: str
    country: str
    subdivision: str
    pick_up: date
    drop_off: date
    price_total: Money
    price_per_day: Money
    unlimited_mileage: bool
    free_cancellation_until: date | None


# --- tours ---------------------------------------------------------------------------------------------


MOST_SEATS = 9
"""Seats of the largest rental car, the driver's among them."""

MOST_STOPS = 8
"""Cities that one trip may visit: 40,320 orders of them can be searched through in seconds."""

MOST_DAYS = 62
"""Days between the first and the last that a trip may choose from: two months."""

MOST_NIGHTS = 30
"""Nights that a trip may stay in one city."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TourCity:
    """A city that a trip begins in or visits: its name for people, and its IATA airport codes."""

    name: str
    country: str
    airports: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A city to visit, for so many nights: any number from the least to the most.

    Where a day `on` is told, it is no earlier than the arrival, and no later than the leaving; or the day of
    the leaving itself.
    """

    city: TourCity
    least_nights: int
    most_nights: int
    on: date | None = None
    is_left_then: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tour:
    """One trip to be planned.

    Its `stops` are visited as they stand if it is `ordered`; else their order means nothing, and they are
    sorted by name. It begins in `start`, which is no stop, or, without one, with the arrival in any of its
    stops, and on the day `begins`, if there is one. Its first and last days are no earlier than `earliest`
    and no later than `latest`. Where it `returns`, its last flight goes back to where it began; else it ends
    with the nights in its last stop.
    """

    start: TourCity | None
    stops: tuple[Stop, ...]
    earliest: date
    latest: date
    returns: bool
    passengers: int = 1
    ordered: bool = False
    begins: date | None = None

    def __post_init__(self) -> None:
        if self.ordered:
            return
        by_name = sorted(self.stops, key=lambda stop: (stop.city.name, stop.city.country))
        object.__setattr__(self, "stops", tuple(by_name))

    def key_parts(self) -> Mapping[str, Any]:
        """Return what a call's key is made of.

        The fields of told orders and days were added later. They are left out where nothing is told, so that
        a tour without them has the key of the plans that an earlier version has stored.
        """
        parts = _without_untold(self, {"ordered": False, "begins": None})
        untold = {"on": None, "is_left_then": False}
        return {**parts, "stops": [_without_untold(stop, untold) for stop in self.stops]}


def _without_untold(value: Tour | Stop, untold: Mapping[str, Any]) -> dict[str, Any]:
    """The fields in their order, by which keys are made, without those that have the value of `untold`."""
    named = ((each.name, getattr(value, each.name)) for each in fields(value))
    return {name: now for name, now in named if name not in untold or now != untold[name]}


def fault_of(tour: Tour) -> str:
    """Return in a sentence why nobody could plan such a trip, whoever sells the flights; "" if one could."""
    names = [stop.city.name for stop in tour.stops]
    if not 2 <= len(names) <= MOST_STOPS:
        return f"A trip is planned through 2 to {MOST_STOPS} cities; this one has {len(names)}."
    cities = [stop.city for stop in tour.stops] + ([tour.start] if tour.start else [])
    for city in cities:
        if not city.airports:
            return f"{city.name} has no airport."
        if cities.count(city) > 1:
            return f"{city.name} is in the trip twice."
    for stop in tour.stops:
        if not 1 <= stop.least_nights <= stop.most_nights <= MOST_NIGHTS:
            return f"The nights in {stop.city.name} must be 1 to {MOST_NIGHTS}."
    if tour.passengers < 1:
        return "A trip needs at least one passenger."
    days = (tour.latest - tour.earliest).days
    if days < 0:
        return "The last day of the trip is before its first."
    if days > MOST_DAYS:
        return f"A trip is planned within {MOST_DAYS} days; these are {days}."
    return _fault_of_days(tour, days)


def _fault_of_days(tour: Tour, days: int) -> str:
    nights = sum(stop.least_nights for stop in tour.stops)
    if nights > days:
        return f"{nights} nights do not fit between {_said(tour.earliest)} and {_said(tour.latest)}."
    if tour.begins is not None and not tour.earliest <= tour.begins <= tour.latest:
        return f"A trip that begins on {_said(tour.begins)} is not within its days."
    for stop in tour.stops:
        if stop.on is not None and not tour.earliest <= stop.on <= tour.latest:
            return f"{_said(stop.on)} in {stop.city.name} is not within the days of the trip."
    return ""


def _said(day: date) -> str:
    return f"{day.day} {day:%B}"


# --- json ----------------------------------------------------------------------------------------------


T = TypeVar("T")


def from_json(kind: type[T], document: Mapping[str, Any]) -> T:
    """Return the value of a dataclass whose JSON this is. Raises KeyError, TypeError or ValueError for none.

    All fields must be told but those that came `LATER`, and no others. Values of plain types are taken as
    they are. Not by pydantic: it takes 97 to 254 us for a flight with four segments, its times have a zone
    class of their own, and importing it takes a worker 68 ms.
    """
    readers, given = _readers(kind), dict(document)
    if wrong := (given.keys() - readers.keys()) | (_needed(kind) - given.keys()):
        raise KeyError(*wrong)
    return kind(**{name: readers[name](value) for name, value in given.items()})


@cache
def _needed(kind: Any) -> frozenset[str]:
    return frozenset(each.name for each in fields(kind) if not each.metadata)


@cache
def _readers(kind: Any) -> Mapping[str, Callable[[Any], Any]]:
    hints = get_type_hints(kind)
    return {each.name: _reader(hints[each.name]) for each in fields(kind)}


def _reader(of: Any) -> Callable[[Any], Any]:
    """Return what reads a value of a type."""
    optional, kinds = NoneType in get_args(of), [each for each in get_args(of) if each is not NoneType]
    if optional and len(kinds) == 1:
        read = _reader(kinds[0])
        return lambda given: None if given is None else read(given)
    if get_origin(of) is tuple:
        read = _reader(kinds[0])
        return lambda given: tuple(map(read, given))
    if of in _READERS:
        return _READERS[of]
    if is_dataclass(of):
        return lambda given: from_json(cast("type[Any]", of), given)
    return lambda given: given


def _amount(given: Any) -> Decimal:
    try:
        amount = Decimal(given)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or amount < 0:
        raise ValueError("an amount that is no price")
    return amount


_READERS: Mapping[Any, Callable[[Any], Any]] = {
    date: date.fromisoformat,
    datetime: datetime.fromisoformat,
    Decimal: _amount,
}


def shared(kind: type[Any], *values: object) -> dict[str, Any]:
    """Return the fields of a dataclass that other values have by the same names; the later ones count."""
    names = [each.name for each in fields(kind)]
    return {name: getattr(value, name) for value in values for name in names if hasattr(value, name)}
