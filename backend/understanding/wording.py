"""What was understood, in words for a person. Dates are always told in full, defaults are told too.

Nobody can see what "next Friday" was taken for unless the reply says so; hence every reply echoes it.
"""

from collections.abc import Iterable
from datetime import date

from backend.domain.travel import Money
from backend.understanding.result import Alternative, FlightSlots, HotelSlots, Place, Understanding

_SYMBOLS = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥"}
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = (
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
_CITY_AND_DAY = "in which city you need a hotel, and from which day"
_ANSWERED_BY = {"hotel.city": "flight.destination", "hotel.check_in": "flight.departure_date"}


def in_words(day: date) -> str:
    """Return a date in full: "Thu 10 December 2026"."""
    return f"{_WEEKDAYS[day.weekday()]} {day.day} {_MONTHS[day.month - 1]} {day.year}"


def price_in_words(money: Money) -> str:
    """Return an amount with its currency: "€900", "900 CHF"."""
    symbol = _SYMBOLS.get(money.currency)
    return f"{symbol}{money.amount:,f}" if symbol else f"{money.amount:,f} {money.currency}"


def describe(understanding: Understanding) -> str:
    """Return what the agents of a message are about to look for, with what was assumed; "" without agents."""
    parts: list[str] = []
    if "flight" in understanding.agents:
        parts.append(_flight_in_words(understanding.flight))
    if "hotel" in understanding.agents:
        parts.append(_hotel_in_words(understanding.hotel))
    wanted = "; and ".join(parts)
    doubts = _doubts(
        one for one in understanding.alternatives if one.slot.partition(".")[0] in understanding.agents
    )
    return f"{wanted} ({doubts})" if doubts and wanted else wanted


def ask_for(missing: tuple[str, ...]) -> str:
    """Return one sentence that asks for the missing slots, "" if nothing is missing.

    The city and the first day of a stay are not asked for along with those of the flight.
    """
    asked = [slot for slot in missing if slot in _QUESTIONS and _ANSWERED_BY.get(slot) not in missing]
    questions = [_QUESTIONS[slot] for slot in asked]
    if asked[-2:] == ["hotel.city", "hotel.check_in"]:
        questions[-2:] = [_CITY_AND_DAY]
    return f"Please tell me {_listed(questions)}." if questions else ""


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
    """Return one sentence that names what was understood but no search takes into account, "" if nothing."""
    wishes = [
        f"the airline ({understanding.flight.airline})"
        if understanding.flight.airline and "flight" in understanding.agents
        else "",
        f"the hotel's name ({understanding.hotel.name})"
        if understanding.hotel.name and "hotel" in understanding.agents
        else "",
        _listed([name.replace("_", " ") for name in understanding.hotel.amenities])
        if "hotel" in understanding.agents
        else "",
    ]
    wishes = [wish for wish in wishes if wish]
    return f"I cannot search by {_listed(wishes)} yet, so look for it in the list." if wishes else ""


def _listed(items: list[str]) -> str:
    return " and ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


def _flight_in_words(flight: FlightSlots) -> str:
    route = [
        "flights",
        f"from {_place(flight.origin)}" if flight.origin else "",
        f"to {_place(flight.destination)}" if flight.destination else "",
        f"on {in_words(flight.departure_date)}" if flight.departure_date else "",
    ]
    details = [
        " ".join(filter(None, route)),
        f"returning {in_words(flight.return_date)}" if flight.return_date else "",
        _counted(flight.passengers or 1, "adult"),
        _CLASSES[flight.cabin_class or "economy"],
        _NUMBERS.get(flight.max_stops, f"at most {flight.max_stops} stops")
        if flight.max_stops is not None
        else "",
        f"up to {price_in_words(flight.max_price)}" if flight.max_price else "",
    ]
    return ", ".join(filter(None, details))


def _hotel_in_words(hotel: HotelSlots) -> str:
    details = [
        " ".join(filter(None, ["hotels", _where(hotel), _when(hotel)])),
        _counted(hotel.guests or 1, "guest"),
        _counted(hotel.rooms or 1, "room"),
        f"at least {_counted(hotel.stars, 'star')}" if hotel.stars else "",
        f"up to {price_in_words(hotel.max_price)} a night" if hotel.max_price else "",
    ]
    return ", ".join(filter(None, details))


def _place(place: Place) -> str:
    return f"{place.city.name} ({place.airport})" if place.airport else place.city.name


def _where(hotel: HotelSlots) -> str:
    in_city = f"in {hotel.city.city.name}" if hotel.city else ""
    return " ".join(filter(None, [in_city, f"near {hotel.district}" if hotel.district else ""]))


def _when(hotel: HotelSlots) -> str:
    check_out = hotel.last_day
    if hotel.check_in is None or check_out is None:
        return f"for {_counted(hotel.nights, 'night')}" if hotel.nights else ""
    nights = _counted((check_out - hotel.check_in).days, "night")
    return f"from {in_words(hotel.check_in)} to {in_words(check_out)} ({nights})"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _doubts(alternatives: Iterable[Alternative]) -> str:
    """What was taken and what it could have been, each pair once: flight and stay share most of them."""
    told: dict[str, None] = {}
    for alternative in alternatives:
        others = " or ".join(_readable(other) for other in alternative.others)
        taken = _readable(alternative.taken)
        told[f"taking {taken}, not {others}" if taken else f"the day is still open: {others}"] = None
    return "; ".join(told)


def _readable(value: str) -> str:
    try:
        return in_words(date.fromisoformat(value))
    except ValueError:
        return value
