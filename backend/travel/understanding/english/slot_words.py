"""How each slot is asked for and told, in English: one entry for each row of the table of slots.

The order is the one in which a reply tells them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from types import MappingProxyType
from typing import Any

from ...values.offers import AMENITIES, choices_in
from ...values.travel import UNKNOWN_AGE, Money
from ..places.districts import searched_district
from ..result import Agent, CarSlots, FlightSlots, HotelSlots, Place
from ..slot_table import ROWS, AgentSlots, Slot

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_CLASSES = {
    "economy": "economy",
    "premium_economy": "premium economy",
    "business": "business class",
    "first": "first class",
}
_AMENITIES = {
    "pool": "a pool",
    "gym": "a gym",
    "spa": "a spa",
    "kitchen": "a kitchen",
    "pets": "pets allowed",
    "bar": "a bar",
    "restaurant": "a restaurant",
    "step_free": "step-free access",
}
_SEATS = {
    "window": "a window seat", "aisle": "an aisle seat", "together": "seats together",
    "legroom": "extra legroom",
}  # fmt: skip
_STATIONS = {"airport": "at the airport", "centre": "in the city centre"}
_CAR_CLASSES = {
    "small": "small",
    "compact": "compact",
    "suv": "SUVs",
    "van": "vans",
    "estate": "estates",
    "convertible": "convertibles",
}
_STOPS = {0: "nonstop", 1: "at most 1 stop"}

Telling = Callable[[Any, Any], str]
"""Words for a slot's value; the other slots of its agent come first."""

FOUND: Mapping[Agent, str] = {"flight": "flights", "hotel": "hotels", "car": "rental cars"}
"""What an agent looks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotWords:
    """The words for one slot; "" or None where it never needs them.

    `title` is that of its field in a form. `question` asks for it, `of_region` where its city is one of a
    region's, `of_period` where its day is one of a period's. `for_models` describes its value in a schema.
    `told` tells it in a reply: next to what is looked for where it `leads`, else in the list of details.
    `wished` tells it, or each of several, where no search takes it into account. `told_by` is the slot whose
    words tell it too.
    """

    title: str = ""
    question: str = ""
    of_region: str = ""
    of_period: str = ""
    for_models: str = ""
    told: Telling | None = None
    leads: bool = False
    wished: Telling | None = None
    told_by: str = ""


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


def _in_all(_: Any, price: Money) -> str:
    """The most that all of it may cost."""
    return f"up to {price_in_words(price)} in all"


def _seat(seat: str) -> str:
    return _SEATS.get(seat, seat)


def _first_hour(doing: str, latest: str) -> Telling:
    """How a first hour is told, together with the last one."""

    def told(flight: Any, first: time) -> str:
        last: time | None = getattr(flight, latest)
        return f"{doing} between {first:%H:%M} and {last:%H:%M}" if last else f"{doing} from {first:%H:%M}"

    return told


def _last_hour(doing: str, earliest: str) -> Telling:
    """How a last hour is told, "" where it is told with the first one."""

    def told(flight: Any, last: time) -> str:
        return "" if getattr(flight, earliest) else f"{doing} by {last:%H:%M}"

    return told


def _place(towards: str) -> Telling:
    """How the place of a request is told, by its airport where that was named."""
    return lambda _, place: f"{towards} {place_in_words(place)}"


def _duration(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    return " ".join(
        filter(None, [counted(hours, "hour") if hours else "", f"{rest} minutes" if rest else ""])
    )


def _days(noun: str, *, least: int = 0) -> Telling:
    """How the first day is told, together with the last one, which counts the nights or days between."""

    def told(slots: HotelSlots | CarSlots, first: date) -> str:
        last = slots.last_day or first
        return (
            f"from {in_words(first)} to {in_words(last)} ({counted(max(least, (last - first).days), noun)})"
        )

    return told


def _city_for(what: str) -> SlotWords:
    return SlotWords(
        title="City",
        question=f"in which city you need {what}",
        of_region=f"where in {{}} you need {what}",
        told=lambda _, place: f"in {place.city.name}",
        leads=True,
    )


def _first_day_of(what: str, *, title: str, told: Telling) -> SlotWords:
    return SlotWords(
        title=title,
        question=f"from which day you need {what}",
        of_period=f"from which day {{}} you need {what}",
        told=told,
        leads=True,
    )


_CHILDREN = SlotWords(for_models="ages of the children among them, -1 if not told", told=_children)
_MAX_TOTAL = SlotWords(for_models="euros in all", told=_in_all)
_FREE_CANCELLATION = SlotWords(told=lambda _, wanted: "with free cancellation" if wanted else "")

WORDS: Mapping[str, SlotWords] = MappingProxyType(
    {
        "flight.origin": SlotWords(
            title="From",
            question="where to fly from",
            of_region="where in {} to fly from",
            told=_place("from"),
            leads=True,
        ),
        "flight.destination": SlotWords(
            title="To",
            question="where to go",
            of_region="where in {} to go",
            told=_place("to"),
            leads=True,
        ),
        "flight.departure_date": SlotWords(
            title="Leaving on",
            question="on which day to leave",
            of_period="on which day {} to leave",
            told=lambda _, day: f"on {in_words(day)}",
            leads=True,
        ),
        "flight.return_date": SlotWords(told=lambda _, day: f"returning {in_words(day)}"),
        "flight.passengers": SlotWords(told=lambda _, count: counted(count, "passenger")),
        "flight.children": _CHILDREN,
        "flight.cabin_class": SlotWords(told=lambda _, cabin: _CLASSES[cabin]),
        "flight.max_stops": SlotWords(told=lambda _, most: _STOPS.get(most, f"at most {most} stops")),
        "flight.max_price": SlotWords(for_models="euros a person", told=_fare),
        "flight.max_total": _MAX_TOTAL,
        "flight.departs_after": SlotWords(
            for_models="earliest local time of the first departure, HH:MM",
            told=_first_hour("leaving", "departs_before"),
        ),
        "flight.departs_before": SlotWords(
            for_models="latest local time of the first departure, HH:MM",
            told=_last_hour("leaving", "departs_after"),
        ),
        "flight.arrives_after": SlotWords(
            for_models="earliest local time of the arrival, HH:MM",
            told=_first_hour("arriving", "arrives_before"),
        ),
        "flight.arrives_before": SlotWords(
            for_models="latest local time of the arrival, HH:MM",
            told=_last_hour("arriving", "arrives_after"),
        ),
        "flight.returns_after": SlotWords(
            for_models="earliest local time of the flight back, HH:MM",
            told=_first_hour("flying back", "returns_before"),
        ),
        "flight.returns_before": SlotWords(
            for_models="latest local time of the flight back, HH:MM",
            told=_last_hour("flying back", "returns_after"),
        ),
        "flight.max_minutes": SlotWords(
            for_models="minutes of each way at most",
            told=lambda _, most: f"at most {_duration(most)} each way",
        ),
        "flight.max_layover": SlotWords(
            for_models="minutes of each layover at most",
            told=lambda _, most: f"layovers of at most {_duration(most)}",
        ),
        "flight.via": SlotWords(
            for_models="where planes are changed",
            told=lambda _, places: f"via {listed(list(map(place_in_words, places)), 'or')}",
        ),
        "flight.avoided": SlotWords(
            for_models="where planes are not changed; airports that are not used",
            told=lambda _, places: f"not via {listed(list(map(place_in_words, places)), 'or')}",
        ),
        "flight.bags": SlotWords(
            for_models="checked bags that the fare includes, at least",
            told=lambda _, least: f"with {counted(least, 'checked bag')}" if least else "hand luggage only",
        ),
        "flight.refundable": SlotWords(told=lambda _, wanted: "refundable" if wanted else ""),
        "flight.changeable": SlotWords(told=lambda _, wanted: "changeable" if wanted else ""),
        "flight.seats": SlotWords(
            for_models="window, aisle, together or legroom",
            told=lambda _, seats: (
                f"wishing for {listed(list(map(_seat, seats)))} (seats are chosen after booking)"
            ),
        ),
        "flight.airline": SlotWords(told_by="flight.airlines"),
        "flight.airlines": SlotWords(
            for_models="only these airlines, by name",
            told=lambda _, names: f"with {listed(names, 'or')} only",
        ),
        "flight.not_airlines": SlotWords(
            for_models="none of these airlines, by name",
            told=lambda _, names: f"not with {listed(names, 'or')}",
        ),
        "hotel.city": _city_for("a hotel"),
        "hotel.district": SlotWords(
            told=_near,
            leads=True,
            wished=lambda hotel, name: f"nearness to {name}" if hotel.city else "",
        ),
        "hotel.nights": SlotWords(
            title="Nights",
            told=lambda hotel, count: "" if hotel.check_in else f"for {counted(count, 'night')}",
            leads=True,
        ),
        "hotel.check_in": _first_day_of("a hotel", title="First night", told=_days("night")),
        "hotel.check_out": SlotWords(told_by="hotel.check_in"),
        "hotel.guests": SlotWords(told=_guests),
        "hotel.children": _CHILDREN,
        "hotel.rooms": SlotWords(told=lambda _, count: counted(count, "room")),
        "hotel.stars": SlotWords(
            for_models="at least so many",
            told=lambda _, least: f"at least {counted(least, 'star')}" if least else "",
        ),
        "hotel.max_price": SlotWords(
            for_models="euros a night and room",
            told=lambda _, price: f"up to {price_in_words(price)} a night",
        ),
        "hotel.max_total": _MAX_TOTAL,
        "hotel.min_score": SlotWords(
            for_models="least score by guests, of 10", told=lambda _, least: f"rated {least:g} or better"
        ),
        "hotel.name": SlotWords(for_models="words of its name", told=lambda _, name: f"called {name}"),
        "hotel.not_names": SlotWords(
            for_models="none so called", told=lambda _, names: f"not {listed(names, 'or')}"
        ),
        "hotel.amenities": SlotWords(
            for_models=f"all of these: {', '.join(AMENITIES)}",
            told=lambda _, names: f"with {listed([amenity_in_words(name) for name in names])}",
        ),
        "hotel.not_districts": SlotWords(
            for_models="parts of the city that are not wanted",
            told=lambda _, names: f"not in {listed(names, 'or')}",
        ),
        "hotel.max_km": SlotWords(
            for_models="kilometres from the centre at most",
            told=lambda _, most: f"within {most:g} km of the centre",
        ),
        "hotel.free_cancellation": _FREE_CANCELLATION,
        "car.city": _city_for("a car"),
        # A car that is back on the same day is rented for a day.
        "car.pick_up": _first_day_of("a car", title="Picked up on", told=_days("day", least=1)),
        "car.drop_off": SlotWords(title="Returned on", told_by="car.pick_up"),
        "car.station": SlotWords(
            for_models="where in the city it is picked up", told=lambda _, where: _STATIONS[where]
        ),
        "car.car_class": SlotWords(told=lambda _, name: _CAR_CLASSES[name]),
        "car.transmission": SlotWords(told=lambda _, name: name),
        "car.seats": SlotWords(
            for_models="seats at least, the driver's among them",
            told=lambda _, least: f"with at least {counted(least, 'seat')}",
        ),
        "car.max_price": SlotWords(
            for_models="euros a day", told=lambda _, price: f"up to {price_in_words(price)} a day"
        ),
        "car.free_cancellation": _FREE_CANCELLATION,
    }
)


def limit_in_words(slots: AgentSlots, limit: Slot) -> str:
    """Return a limit as it is told: "up to €900"; a last hour with the first one: "leaving between ..."."""
    by = limit.name if WORDS[limit.name].told else WORDS[limit.name].told_by
    for name in (by, by.replace("_before", "_after")):
        told, value = WORDS[name].told, getattr(slots, ROWS[name].field)
        if told and value is not None and (words := told(slots, value)):
            return words
    return ""
