"""What was understood, in words for a person, with dates in full and defaults included.

Users cannot know which day "next Friday" was taken for unless the reply says so; hence every reply does.
"""

from collections.abc import Iterable
from datetime import date

from ..values.tour import MOST_STOPS
from ..values.travel import Money
from .places.districts import searched_district
from .result import Alternative, FlightSlots, HotelSlots, Period, Place, Reason, TourWish, Understanding

_SYMBOLS = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥"}
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
_NUMBERS = {0: "nonstop", 1: "at most 1 stop"}
_QUESTIONS = {
    "flight.origin": "where you would like to fly from",
    "flight.destination": "where you would like to go",
    "flight.departure_date": "on which day you would like to leave",
    "hotel.city": "in which city you need a hotel",
    "hotel.check_in": "from which day you need a hotel",
}
_CHOICES = {
    "flight.origin": "where in {} you would like to fly from",
    "flight.destination": "where in {} you would like to go",
    "hotel.city": "where in {} you need a hotel",
}
_DAYS = {
    "flight.departure_date": "on which day {} you would like to leave",
    "hotel.check_in": "from which day {} you need a hotel",
}
_REFUSALS: dict[Reason, str] = {
    "unknown_place": "I know no place called {}.",
    "no_such_day": "There is no such day as {}.",
    "day_has_passed": "I left out {}: that day has passed.",
    "ends_before_it_begins": "I left out {}: that is not after the first day.",
    "impossible_count": "I cannot search for {}.",
    "cannot_be_excluded": "I cannot leave out {}, so please look for it in the list.",
    "not_searched_by": 'I cannot search by "{}", so please look for it in the list.',
    "one_city_at_a_time": "I search for one city at a time, and left out {}.",
    "one_booking_at_a_time": "I book one thing at a time, and left out {}.",
    "other_days": 'I search one day at a time, and left out "{}"; name another day, and I look there.',
    "adult_fare": "I search at adult fares, also for {}.",
    "too_many_cities": f"A tour can have at most {MOST_STOPS} cities, so I left out {{}}.",
}
_CITY_AND_DAY = "in which city you need a hotel, and from which day"
_ANSWERED_BY = {"hotel.city": "flight.destination", "hotel.check_in": "flight.departure_date"}


def in_words(day: date) -> str:
    """Return a date in full: "Thu 10 December 2026"."""
    return f"{_WEEKDAYS[day.weekday()]} {day.day} {MONTHS[day.month - 1]} {day.year}"


def price_in_words(money: Money) -> str:
    """Return an amount with its currency: "€900", "900 CHF"."""
    symbol = _SYMBOLS.get(money.currency)
    return f"{symbol}{money.amount:,f}" if symbol else f"{money.amount:,f} {money.currency}"


def describe(understanding: Understanding) -> str:
    """Return what the agents of a message are about to look for, with what was assumed; "" without agents."""
    parts: list[str] = []
    if "flight" in understanding.agents:
        parts.append(_flight_in_words(understanding.flight, understanding.period))
    if "hotel" in understanding.agents:
        parts.append(_hotel_in_words(understanding.hotel, understanding.period))
    if understanding.tour is not None and "planner" in understanding.agents:
        parts.append(_tour_in_words(understanding.tour))
    return "; and ".join(parts)


def doubts(understanding: Understanding) -> str:
    """Return what was taken for what the agents look for, and what it could have been instead, in sentences.

    Each is told once: flight and stay share most of them. "" where nothing is in doubt.
    """
    told: dict[str, None] = {}
    for one in understanding.alternatives:
        if not one.taken or one.slot.partition(".")[0] not in understanding.agents:
            continue
        taken = f'"{one.said}" for {_readable(one.taken)}' if one.said else _readable(one.taken)
        others = _listed([_readable(other) for other in one.others], "or")
        told[f"I took {taken}; did you mean {others}?" if others else f"I took {taken}."] = None
    return " ".join(told)


def ask_for(
    missing: tuple[str, ...], *, alternatives: Iterable[Alternative] = (), period: Period | None = None
) -> str:
    """Return one sentence that asks for the missing slots, "" if nothing is missing.

    The city and the first day of a stay are not asked for along with those of the flight. Where a region was
    named the question offers its cities, which are among the `alternatives`; where a `period`, its days.
    """
    asked = [slot for slot in missing if slot in _QUESTIONS and _ANSWERED_BY.get(slot) not in missing]
    choices = {one.slot: one for one in alternatives if not one.taken}
    # What is open for the stay is open for the flight of the same trip.
    choices = {_ANSWERED_BY.get(slot, slot): one for slot, one in choices.items()} | choices
    questions = [_question(slot, choices.get(slot), period) for slot in asked]
    if asked[-2:] == ["hotel.city", "hotel.check_in"] and not period and "hotel.city" not in choices:
        questions[-2:] = [_CITY_AND_DAY]
    return f"Please tell me {_listed(questions)}." if questions else ""


def _question(slot: str, choice: Alternative | None, period: Period | None) -> str:
    if choice and slot in _CHOICES:
        return f"{_CHOICES[slot].format(choice.said)} ({_listed(_named_apart(choice.others), 'or')})"
    if period and slot in _DAYS:
        return _DAYS[slot].format(_between(period))
    return _QUESTIONS[slot]


def _named_apart(cities: tuple[str, ...]) -> list[str]:
    """The cities without their countries, unless two of them bear one name."""
    names = [city.partition(",")[0] for city in cities]
    return names if len(set(names)) == len(names) else list(cities)


def refusals(understanding: Understanding) -> str:
    """Return what was said but could not be taken, and why, one sentence for each; "" if there is nothing."""
    sentences = (_REFUSALS[one.reason].format(one.said) for one in understanding.refused)
    return " ".join(dict.fromkeys(sentences))


def why_no_flight(flight: FlightSlots) -> str:
    """Return one sentence that tells why there is no flying between the two places, "" where there may be.

    The counterpart of `flight_query`, which yields no query there.
    """
    for place in (flight.origin, flight.destination):
        if place and not place.airports:
            return f"There is no airport in {place.city.name} that I know of."
    if not flight.origin or not flight.destination:
        return ""
    start, end = flight.origin.city, flight.destination.city
    if set(flight.origin.airports).isdisjoint(flight.destination.airports):
        return ""
    if start == end:
        return f"Start and destination are both {start.name}. Where would you like to go?"
    return f"{start.name} and {end.name} share an airport. Where would you like to go?"


def not_searched_by(understanding: Understanding) -> str:
    """Return one sentence that names what was understood but no search takes into account, "" if nothing.

    By the name of what is to be booked nobody searches either, but it is picked by it.
    """
    flight, hotel = understanding.flight, understanding.hotel
    wishes: list[str] = []
    is_picked = understanding.booking is not None and understanding.booking.name is not None
    if "flight" in understanding.agents and flight.airline and not is_picked:
        wishes.append(f"the airline ({flight.airline})")
    if "hotel" in understanding.agents:
        is_nowhere = hotel.city and hotel.district and not searched_district(hotel.district, hotel.city.city)
        wishes += [f"nearness to {hotel.district}"] if is_nowhere else []
        wishes += [f"the hotel's name ({hotel.name})"] if hotel.name and not is_picked else []
        wishes += [name.replace("_", " ") for name in hotel.amenities]
    return f"I cannot search by {_listed(wishes)} yet, so look for it in the list." if wishes else ""


def _listed(items: list[str], joined_by: str = "and") -> str:
    return f" {joined_by} ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


def _flight_in_words(flight: FlightSlots, period: Period | None) -> str:
    route = [
        "flights",
        f"from {_place(flight.origin)}" if flight.origin else "",
        f"to {_place(flight.destination)}" if flight.destination else "",
        f"on {in_words(flight.departure_date)}" if flight.departure_date else _between(period),
    ]
    details = [
        " ".join(filter(None, route)),
        f"returning {in_words(flight.return_date)}" if flight.return_date else "",
        _counted(flight.passengers or 1, "passenger"),
        _CLASSES[flight.cabin_class or "economy"],
        _NUMBERS.get(flight.max_stops, f"at most {flight.max_stops} stops")
        if flight.max_stops is not None
        else "",
        _most(flight.max_price, flight.passengers or 1),
    ]
    return ", ".join(filter(None, details))


def _most(price: Money | None, passengers: int) -> str:
    """The most that a flight may cost. It is for one person, which has to be told where more of them fly."""
    if price is None:
        return ""
    return f"up to {price_in_words(price)}{' for each' if passengers > 1 else ''}"


def _hotel_in_words(hotel: HotelSlots, period: Period | None) -> str:
    details = [
        " ".join(filter(None, ["hotels", _where(hotel), _when(hotel, period)])),
        _counted(hotel.guests or 1, "guest"),
        _counted(hotel.rooms or 1, "room"),
        f"at least {_counted(hotel.stars, 'star')}" if hotel.stars else "",
        f"up to {price_in_words(hotel.max_price)} a night" if hotel.max_price else "",
    ]
    return ", ".join(filter(None, details))


def _tour_in_words(tour: TourWish) -> str:
    details = [
        " ".join(
            filter(
                None,
                [
                    f"a tour of {_listed([_place(city) for city in tour.cities])} in any order",
                    f"from {_place(tour.start)}" if tour.start else "",
                    "and back" if tour.returns else "",
                ],
            )
        ),
        f"{_counted(tour.nights, 'night')} in each" if tour.nights else "",
        _within(tour.earliest, tour.latest),
        _counted(tour.passengers or 1, "passenger"),
    ]
    return ", ".join(filter(None, details))


def _within(earliest: date | None, latest: date | None) -> str:
    if earliest and latest:
        return f"between {in_words(earliest)} and {in_words(latest)}"
    if earliest:
        return f"not before {in_words(earliest)}"
    return f"not after {in_words(latest)}" if latest else ""


def _place(place: Place) -> str:
    return f"{place.city.name} ({place.airport})" if place.airport else place.city.name


def _where(hotel: HotelSlots) -> str:
    in_city = f"in {hotel.city.city.name}" if hotel.city else ""
    return " ".join(filter(None, [in_city, f"near {hotel.district}" if hotel.district else ""]))


def _between(period: Period | None) -> str:
    return f"between {in_words(period.start)} and {in_words(period.end)}" if period else ""


def _when(hotel: HotelSlots, period: Period | None) -> str:
    check_out = hotel.last_day
    if hotel.check_in is None or check_out is None:
        nights = f"for {_counted(hotel.nights, 'night')}" if hotel.nights else ""
        return " ".join(filter(None, [nights, _between(period)]))
    nights = _counted((check_out - hotel.check_in).days, "night")
    return f"from {in_words(hotel.check_in)} to {in_words(check_out)} ({nights})"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _readable(value: str) -> str:
    try:
        return in_words(date.fromisoformat(value))
    except ValueError:
        return value
