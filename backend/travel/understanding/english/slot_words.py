"""How each slot is asked for and told, in English: one entry for each row of the table of slots.

The order is the one in which a reply tells them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time
from types import MappingProxyType
from typing import Any

from ...values.offers import choices_in
from ...values.travel import UNKNOWN_AGE, Money
from ..places.districts import searched_district
from ..result import Agent, CarSlots, FlightSlots, HotelSlots, Place
from ..slot_table import ROWS, AgentSlots, Slot, other_end
from .language.tables import rows_of

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_AMENITIES = {"pets": "pets allowed", "step_free": "step-free access"} | {
    name: f"a {name}" for name in ("pool", "gym", "spa", "kitchen", "bar", "restaurant")
}
_SEATS = {
    "window": "a window seat", "aisle": "an aisle seat", "together": "seats together",
    "legroom": "extra legroom",
}  # fmt: skip

Telling = Callable[[Any, Any], str]
"""Words for a slot's value; the other slots of its agent come first."""

FOUND: Mapping[Agent, str] = {"flight": "flights", "hotel": "hotels", "car": "rental cars"}
"""What an agent looks for."""


def in_words(day: date) -> str:
    """Return a date in full: "Thu 10 December 2026"."""
    return f"{_WEEKDAYS[day.weekday()]} {day.day} {MONTHS[day.month - 1]} {day.year}"


def price_in_words(money: Money) -> str:
    """Return an amount with its currency: "€900", "900 CHF"."""
    return str(money)


def place_in_words(place: Place) -> str:
    """Return a place by its name, and by its airport where that was named."""
    return f"{place.city.name} ({place.airport})" if place.airport else place.city.name


def counted(count: int, noun: str) -> str:
    """Return a count of something: "1 night", "2 nights"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(items: Sequence[str], joined_by: str = "and") -> str:
    """Return several words as a list: "a, b and c"."""
    return f" {joined_by} ".join(filter(None, [", ".join(items[:-1]), items[-1]])) if items else ""


def amenity_in_words(name: str) -> str:
    """Return an amenity as it is told: "air conditioning", "a pool or breakfast"."""
    return " or ".join(_AMENITIES.get(one, one.replace("_", " ")) for one in choices_in(name))


def _fare(flight: FlightSlots, price: Money) -> str:
    """The most that a flight may cost. It is for one person, which has to be told where more of them fly."""
    return f"up to {price_in_words(price)}{' for each' if (flight.passengers or 1) > 1 else ''}"


def _near(hotel: HotelSlots, name: str) -> str:
    """Where a hotel is looked for; "" for what no search knows, which is told as not searched by."""
    is_searched = hotel.city is None or searched_district(name, hotel.city.city)
    return f"near {name}" if is_searched else ""


def _guests(hotel: HotelSlots, count: int) -> str:
    """The guests, with the rooms for them where nobody said how many and one would be too small."""
    is_told = hotel.rooms is not None or hotel.rooms_needed is None
    return counted(count, "guest") + ("" if is_told else f" in {counted(hotel.rooms_needed or 1, 'room')}")


def _children(_: Any, ages: Sequence[int]) -> str:
    """Children among those who are counted: "2 of them children (4 and 9)"."""
    told = sorted(age for age in ages if age != UNKNOWN_AGE)
    among = f"{len(ages)} of them {'a child' if len(ages) == 1 else 'children'}"
    in_words = [str(age) if age else "under 1" for age in told]
    some = "" if len(told) == len(ages) else "one " if len(told) == 1 else "some "
    return f"{among} ({some}aged {listed(in_words)})" if told else among


def _hour(name: str) -> Telling:
    """How an hour of a flight is told: a first one together with the last, which alone is told by itself."""
    what, _, end = name.rpartition("_")
    doing, other = _DOING[what], other_end(ROWS[name]).field

    def told(flight: Any, hour: time) -> str:
        beside: time | None = getattr(flight, other)
        if end == "before":
            return "" if beside else f"{doing} by {hour:%H:%M}"
        return f"{doing} between {hour:%H:%M} and {beside:%H:%M}" if beside else f"{doing} from {hour:%H:%M}"

    return told


def _days(noun: str, *, least: int = 0) -> Telling:
    """How the first day is told, together with the last one, which counts the nights or days between."""

    def told(slots: HotelSlots | CarSlots, first: date) -> str:
        last = slots.last_day or first
        return (
            f"from {in_words(first)} to {in_words(last)} ({counted(max(least, (last - first).days), noun)})"
        )

    return told


def _duration(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    return " ".join(
        filter(None, [counted(hours, "hour") if hours else "", f"{rest} minutes" if rest else ""])
    )


_DOING = {"flight.departs": "leaving", "flight.arrives": "arriving", "flight.returns": "flying back"}
_FILLED: Mapping[str, Callable[[Any], str]] = {
    "value": str,
    "least": "{:g}".format,
    "place": place_in_words,
    "city": lambda place: place.city.name,
    "day": in_words,
    "price": price_in_words,
    "duration": _duration,
    "names": lambda names: listed(names, "or"),
    "places": lambda places: listed(list(map(place_in_words, places)), "or"),
    "seats": lambda seats: listed([_SEATS.get(seat) or seat for seat in seats]),
    "amenities": lambda names: listed([amenity_in_words(name) for name in names]),
}
"""What may stand in braces in a pattern; any other word is a noun that is counted."""
_TOLD: Mapping[str, Telling] = {
    "flight.max_price": _fare,
    "flight.children": _children,
    "hotel.children": _children,
    "hotel.district": _near,
    "hotel.nights": lambda hotel, count: "" if hotel.check_in else f"for {counted(count, 'night')}",
    "hotel.check_in": _days("night"),
    "hotel.guests": _guests,
    # A car that is back on the same day is rented for a day.
    "car.pick_up": _days("day", least=1),
    **{name: _hour(name) for name in ROWS if name.rpartition("_")[0] in _DOING},
}
"""What depends on the other slots of the agent."""


class _Value(dict[str, str]):
    def __init__(self, value: Any) -> None:
        self._value = value

    def __missing__(self, name: str) -> str:
        return _FILLED[name](self._value) if name in _FILLED else counted(self._value, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotWords:
    """The words for one slot, a row of `slots.toml`; "" for what it never needs.

    `title` is that of its field in a form. `question` asks for it, `of_region` where its city is one of a
    region's, `of_period` where its day is one of a period's. `for_models` describes its value in a schema.
    A reply tells it by the words for single `values`, else by a `pattern`: next to what is looked for where
    it `leads`, else in the list of details. `told_by` is the slot whose words tell it too.
    """

    slot: str
    title: str = ""
    question: str = ""
    of_region: str = ""
    of_period: str = ""
    for_models: str = ""
    pattern: str = ""
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    leads: bool = False
    told_by: str = ""

    @property
    def told(self) -> Telling | None:
        """How a value is told, None where it is not."""
        if self.slot in _TOLD or not (self.pattern or self.values):
            return _TOLD.get(self.slot)
        return lambda _, value: self.values.get(str(value).lower(), self.pattern.format_map(_Value(value)))

    @property
    def wished(self) -> Telling | None:
        """How a value is told, or each of several, where no search takes it into account."""
        return _nearness if self.slot == "hotel.district" else None


def _nearness(hotel: HotelSlots, name: str) -> str:
    return f"nearness to {name}" if hotel.city else ""


WORDS: Mapping[str, SlotWords] = MappingProxyType(
    {row.slot: row for row in rows_of("slots", "slots", SlotWords)}
)


def limit_in_words(slots: AgentSlots, limit: Slot) -> str:
    """Return a limit as it is told: "up to €900"; a last hour with the first one: "leaving between ..."."""
    by = limit.name if WORDS[limit.name].told else WORDS[limit.name].told_by
    for name in (by, by.replace("_before", "_after")):
        told, value = WORDS[name].told, getattr(slots, ROWS[name].field)
        if told and value is not None and (words := told(slots, value)):
            return words
    return ""
