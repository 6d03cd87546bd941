"""What a message takes away: "forget the price limit", "not Lufthansa", "cancel the return", "one way".

What is taken away is no wish: readers of wishes get the message without these words.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..dates.grammar import read_span
from ..language.numbers import whole_number
from ..language.tables import lists_of, phrases_of, words_of
from ..language.text import FIGURES, Phrases, Text, phrases, word_set
from .airline_names import PHRASES as AIRLINES
from .airlines import (
    AirlineMention,
    disliked_airline,
    find_airlines,
    is_allowed_again,
    unwanted_airlines,
)
from .any_hour import ANY_HOUR_BEGINS, any_hour_at
from .fact_words import CABINS

_FACTS_WORDS = words_of("facts")
_SAID = phrases_of("changes")
_WORDS = words_of("changes")

_HOURS = tuple(
    f"flight.{what}_{end}" for what in ("departs", "arrives", "returns") for end in ("after", "before")
)
_OBJECTS: tuple[tuple[tuple[str, ...], Phrases], ...] = (
    (
        ("flight.max_price", "flight.max_total", "hotel.max_price", "hotel.max_total", "car.max_price"),
        phrases(
            "price limit", "price", "budget", "limit", "maximum price", "price cap", "max price",
            "price range", "maximum", "cap", "upper limit", "budget limit", "price restriction",
        ),
    ),
    (
        ("flight.return_date",),
        phrases(
            "return", "return flight", "way back", "return date", "return leg", "return trip",
            "return ticket", "flight back", "inbound", "inbound flight", "journey back",
        ),
    ),
    (("hotel.name", "hotel.not_names"), phrases("hotel name", "hotel's name", "chain", "brand")),
    (("hotel.max_km",), phrases("distance", "distance limit", "walking distance", "distance to the centre")),
    (("hotel.free_cancellation",), phrases("free cancellation", "free cancelation", "cancellation")),
    (("hotel.stars",), phrases("stars", "star rating", "number of stars", "star limit")),
    (("hotel.stars", "hotel.min_score"), phrases("rating", "ratings")),
    (("hotel.min_score",), phrases("score", "scores", "guest score", "guest rating", "minimum score")),
    (
        _HOURS,
        phrases(
            "departure time", "departure times", "time of day", "time of departure", "time limit",
            "time of the day", "hour", "times", "arrival time", "arrival times", "hours",
        ),
    ),
    (("flight.max_minutes",), phrases("duration", "duration limit", "flight time", "length of the flight")),
    (("flight.max_layover",), phrases("layover limit", "length of the layover", "layover time")),
    (("flight.via", "flight.avoided"), phrases("connecting airport", "connecting airports")),
    (("flight.refundable",), phrases("refundable", "refund")),
    (("flight.changeable",), phrases("changeable", "flexible ticket")),
    (("flight.seats",), phrases("window seat", "aisle seat", "seat wish", "seat wishes")),
    (
        ("flight.max_stops",),
        phrases(
            "nonstop", "non-stop", "non stop", "direct", "stop limit", "direct flight", "number of stops",
        ),
    ),
    (
        ("flight.airline", "flight.airlines", "flight.not_airlines"),
        phrases("airline", "carrier", "airlines", "carriers"),
    ),
    (("flight.cabin_class",), phrases("class", "cabin class", "cabin", "business", "first class")),
    (
        ("hotel.district",),
        phrases("district", "area", "neighbourhood", "neighborhood", "part of town", "location"),
    ),
    (
        ("flight.departure_date", "flight.return_date", "hotel.check_in", "hotel.check_out"),
        phrases("dates", "date"),
    ),
    *((("flight.cabin_class",), cabin) for _, cabin in CABINS),
    *(((f"hotel.amenities:{name}",), names) for name, names in lists_of("amenities").items()),
    # Alone these are places to eat: "no restaurant" is not about the hotel.
    (("hotel.amenities:restaurant",), phrases("restaurant needed")),
    (("hotel.amenities:bar",), phrases("bar needed")),
)  # fmt: skip
_OBJECTS_BY_FIRST = {
    first: tuple((slots, names) for slots, names in _OBJECTS if first in names)
    for _, some in _OBJECTS
    for first in some
}
_LIFTED: tuple[tuple[Phrases, tuple[str, ...]], ...] = (
    (_SAID.stops_are_fine, ("flight.max_stops",)),
    (_SAID.any_hotel, ("hotel.name", "hotel.not_names")),
)


_PARTED = {
    "take": word_set("out off away"),
    "leave": word_set("out off away"),
    "cut": word_set("out"),
    "keep": word_set("out"),
}
"""Verbs whose second part stands behind what they take away."""

_BEGINNINGS = (
    _PARTED.keys()
    | _SAID.one_way.keys()
    | _SAID.drop.keys()
    | _SAID.against_airlines.keys()
    | AIRLINES.keys()
    | {first for _, names in _OBJECTS for first in names}
    | {first for names, _ in _LIFTED for first in names}
    | ANY_HOUR_BEGINS
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """The tokens from `first` up to `after`, and the slots that they empty.

    `airlines` are those that are spoken against, for which no slot needs to be known.
    """

    first: int
    after: int
    slots: tuple[str, ...] = ()
    airlines: tuple[str, ...] = ()


def find_removals(text: Text) -> tuple[Removal, ...]:
    """Return what the message takes away, in its order."""
    found: list[Removal] = []
    index = 0
    begin = _BEGINNINGS | {FIGURES} if "way" in text.vocabulary else _BEGINNINGS  # "1 way"
    while (index := text.next_of(begin, index)) < text.length:
        removal = _at(text, index)
        if removal:
            found.append(removal)
        index = removal.after if removal else index + 1
    return tuple(found)


def allowed_again(text: Text) -> tuple[str, ...]:
    """Return what is no longer left out: "Ryanair is fine"."""
    return tuple(
        f"flight.not_airlines:{one.name}" for one in find_airlines(text) if is_allowed_again(text, one)
    )


def _is_beside(text: Text, index: int) -> bool:
    """Whether the one-way flight there is a further one: "also a one way ticket", not "one way as well"."""
    before = {text.norm(at) for at in range(index)} | ({"another"} & text.vocabulary)
    return not text.vocabulary.isdisjoint(_WORDS.besides) and not before.isdisjoint(_WORDS.a_further)


def _at(text: Text, index: int) -> Removal | None:
    length = text.match(_SAID.one_way, index)
    if length and text.norm(index - 1) not in _WORDS.not_a_one_way and not _is_beside(text, index):
        return Removal(first=index, after=index + length, slots=("flight.return_date",))
    unminded = any_hour_at(text, index) if text.norm(index) in ANY_HOUR_BEGINS else None
    if unminded:
        return Removal(first=index, after=unminded[0], slots=unminded[1])
    for names, slots in _LIFTED:
        length = text.match(names, index)
        if length:
            return Removal(first=index, after=index + length, slots=slots)
    against = _spoken_against(text, index)
    if against:
        return against
    length = text.match(_SAID.drop, index)
    if length:
        return _dropped(text, index, index + length)
    if text.norm(index) in _PARTED:
        return _parted(text, index)
    for slots, names in _OBJECTS_BY_FIRST.get(text.norm(index), ()):
        length = text.match(names, index)
        trail = text.match(_SAID.does_not_matter, index + length) if length else 0
        if trail:
            return Removal(first=index, after=index + length + trail, slots=slots)
    return None


def _spoken_against(text: Text, index: int) -> Removal | None:
    """ "KLM is always late", "stop suggesting KLM"."""
    disliked = disliked_airline(text, index)
    if disliked:
        return _without_airlines(index, (disliked,))
    length = text.match(_SAID.against_airlines, index)
    start = index + length
    while text.norm(start) in _WORDS.articles:
        start += 1
    unwanted = unwanted_airlines(text, start) if length else ()
    return _without_airlines(index, unwanted) if unwanted else None


def _without_airlines(first: int, unwanted: Sequence[AirlineMention]) -> Removal:
    names = tuple(one.name for one in unwanted)
    slots = ("flight.airline", *(f"flight.airlines:{name}" for name in names))
    return Removal(first=first, after=unwanted[-1].after, slots=slots, airlines=names)


def _parted(text: Text, first: int) -> Removal | None:
    """ "take the return out", "leave the stars off"."""
    at = first + 1
    while text.norm(at) in _WORDS.articles:
        at += 1
    for slots, names in _OBJECTS_BY_FIRST.get(text.norm(at), ()):
        length = text.match(names, at)
        end = at + length + (text.norm(at + length) in _WORDS.fillers)
        if length and text.norm(end) in _PARTED[text.norm(first)]:
            return Removal(first=first, after=end + 1, slots=slots)
    return None


def _dropped(text: Text, first: int, at: int) -> Removal | None:
    """What stands behind a word such as "forget"."""
    if text.norm(first) == "any" and text.norm(at) == "with":
        return None  # "any with parking?" looks for some
    while text.norm(at) in _WORDS.articles:
        at += 1
    number = whole_number(text, at)
    at = number[1] if number and text.norm(number[1]) in _FACTS_WORDS.stars else at
    found = [(text.match(names, at), slots) for slots, names in _OBJECTS]
    length, slots = max(found, key=lambda each: each[0])
    is_any = text.norm(first) == "any" and text.match(_SAID.drop, first) == 1
    is_of_some = slots == ("flight.return_date",) or text.norm(at) in _WORDS.dimensions_only
    is_of_some = is_of_some or text.norm(at + length) == "but"  # "any district but Baixa"
    if length and text.norm(at + length) != "-" and not (is_any and is_of_some):
        return Removal(first=first, after=at + length, slots=slots)
    # "Are there any with KLM?" looks for some.
    unwanted = () if is_any else unwanted_airlines(text, at)
    if unwanted:
        return _without_airlines(first, unwanted)
    if text.norm(first) in _WORDS.before_a_day:
        span = read_span(text, at)
        if span and span.start and span.nights is None:
            return Removal(first=first, after=span.after)
    return None
