"""What a message takes away: "forget the price limit", "not Lufthansa", "cancel the return", "one way".

What is taken away is no wish: readers of wishes get the message without these words.
"""

from dataclasses import dataclass

from ..dates.grammar import read_span
from ..language.numbers import whole_number
from ..language.text import Phrases, Text, phrases, word_set
from .airlines import find_airlines
from .fact_words import AMENITIES, CABINS, STARS

_DROP = phrases(
    "forget", "forget about", "drop", "remove", "ignore", "skip", "cancel", "lose", "scrap", "without", "no",
    "not", "don't need", "dont need", "do not need", "don't want", "dont want", "do not want",
    "don't care about", "do not care about", "doesn't have to be", "does not have to be",
    "doesn't need to be", "no need for", "no more", "leave out", "lift", "any", "take out", "delete",
    "not with", "not on", "not by", "not in", "except", "anything but", "not necessarily", "instead of",
    "not fly with", "not fly", "never mind", "rather than", "not to fly with",
)  # fmt: skip
_DOES_NOT_MATTER = phrases(
    "doesn't matter", "does not matter", "dont matter", "don't matter", "is not important",
    "isn't important", "is no issue", "is not needed", "isn't needed", "no longer matters",
    "is not necessary", "isn't necessary", "not necessary", "not needed", "is irrelevant",
)  # fmt: skip
_ARTICLES = word_set("the my a an our about that any on to be with this")
_OBJECTS: tuple[tuple[tuple[str, ...], Phrases], ...] = (
    (
        ("flight.max_price", "hotel.max_price"),
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
    (("hotel.stars",), phrases("stars", "star rating", "number of stars", "star limit")),
    (("hotel.stars", "hotel.min_score"), phrases("rating", "ratings")),
    (("hotel.min_score",), phrases("score", "scores", "guest score", "guest rating", "minimum score")),
    (
        ("flight.departs_after", "flight.departs_before"),
        phrases(
            "departure time", "departure times", "time of day", "time of departure", "time limit",
            "time of the day", "hour",
        ),
    ),
    (
        ("flight.max_stops",),
        phrases(
            "nonstop", "non-stop", "non stop", "direct", "stop limit", "direct flight", "number of stops",
        ),
    ),
    (("flight.airline",), phrases("airline", "carrier")),
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
    *(((f"hotel.amenities:{name}",), names) for name, names in AMENITIES.items()),
)  # fmt: skip
_ONE_WAY = phrases("one way", "one-way", "oneway", "single ticket", "single tickets")
_STOPS_ARE_FINE = phrases(
    "don't mind stops", "dont mind stops", "don't mind a stop", "don't mind stopovers", "don't mind layovers",
    "stops are fine", "stops are ok", "stops are okay", "a stop is fine", "layovers are fine",
    "stopovers are fine", "don't mind changing", "don't mind changing planes", "stops don't matter",
)  # fmt: skip
_NOT_A_ONE_WAY = word_set("not no or")
_BESIDES = word_set("upcoming another well though also too")
"""With one of these a one-way flight is one that is wanted besides."""


_PARTED = {
    "take": word_set("out off away"),
    "leave": word_set("out off away"),
    "cut": word_set("out"),
    "keep": word_set("out"),
}
"""Verbs whose second part stands behind what they take away."""

_BEGINNINGS = (
    _PARTED.keys() | _ONE_WAY.keys() | _DROP.keys() | {first for _, names in _OBJECTS for first in names}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """The tokens from `first` up to `after`, and the slots that they empty.

    `airline` is one that is spoken against, for which no slot needs to be known.
    """

    first: int
    after: int
    slots: tuple[str, ...] = ()
    airline: str = ""


def find_removals(text: Text) -> tuple[Removal, ...]:
    """Return what the message takes away, in its order."""
    found: list[Removal] = []
    index = 0
    while index < text.length:
        removal = _at(text, index)
        if removal:
            found.append(removal)
        index = removal.after if removal else index + 1
    return tuple(found)


def _at(text: Text, index: int) -> Removal | None:
    if text.norm(index) not in _BEGINNINGS:
        return None
    length = text.match(_ONE_WAY, index)
    if length and text.norm(index - 1) not in _NOT_A_ONE_WAY and text.vocabulary.isdisjoint(_BESIDES):
        return Removal(first=index, after=index + length, slots=("flight.return_date",))
    length = text.match(_STOPS_ARE_FINE, index)
    if length:
        return Removal(first=index, after=index + length, slots=("flight.max_stops",))
    length = text.match(_DROP, index)
    if length:
        return _dropped(text, index, index + length)
    if text.norm(index) in _PARTED:
        return _parted(text, index)
    for slots, names in _OBJECTS:
        length = text.match(names, index)
        trail = text.match(_DOES_NOT_MATTER, index + length) if length else 0
        if trail:
            return Removal(first=index, after=index + length + trail, slots=slots)
    return None


def _parted(text: Text, first: int) -> Removal | None:
    """ "take the return out", "leave the stars off"."""
    at = first + 1
    while text.norm(at) in _ARTICLES:
        at += 1
    for slots, names in _OBJECTS:
        length = text.match(names, at)
        if length and text.norm(at + length) in _PARTED[text.norm(first)]:
            return Removal(first=first, after=at + length + 1, slots=slots)
    return None


def _dropped(text: Text, first: int, at: int) -> Removal | None:
    """What stands behind a word such as "forget"."""
    while text.norm(at) in _ARTICLES:
        at += 1
    number = whole_number(text, at)
    at = number[1] if number and text.norm(number[1]) in STARS else at
    found = [(text.match(names, at), slots) for slots, names in _OBJECTS]
    length, slots = max(found, key=lambda each: each[0])
    is_any_return = text.norm(first) == "any" and slots == ("flight.return_date",)
    if length and text.norm(at + length) != "-" and not is_any_return:
        return Removal(first=first, after=at + length, slots=slots)
    for mention in find_airlines(text):
        if mention.first == at:
            return Removal(first=first, after=mention.after, slots=("flight.airline",), airline=mention.name)
    if text.norm(first) == "not":
        span = read_span(text, at)
        if span and span.start and span.nights is None:
            return Removal(first=first, after=span.after)
    return None
