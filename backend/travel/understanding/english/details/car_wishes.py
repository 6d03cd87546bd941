"""What is said of a rental car alone: gearbox, class, where it is picked up, the price of a day."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from ....values.travel import City, Money
from ...message import Nudge
from ...result import Refused
from ..language.cars import asks_for_car
from ..language.numbers import NUMBERS, whole_number
from ..language.spans import SlotMention
from ..language.tables import phrases_of, words_of
from ..language.text import Phrases, Text, any_of, phrases, word_set
from ..places.finder import PlaceMention
from . import fact_words as words
from .prices import DEFAULT_CURRENCY, amount_at

_FACTS_SAID = phrases_of("facts")
_PEOPLE_WORDS = words_of("people")
_SAID = phrases_of("car_wishes")
_TIMES_WORDS = words_of("times")
_WORDS = words_of("car_wishes")


_KINDS: tuple[tuple[Phrases, dict[str, Any]], ...] = (
    (
        phrases(
            "manual is fine too", "manual is ok too", "manual is okay too", "manual is also fine",
            "manual too",
            "manual would be fine too", "automatic is fine too", "automatic is ok too", "automatic too",
            "manual or automatic", "automatic or manual", "either is fine", "automatic is also fine",
            "don't mind manual", "don't mind automatic", "manual is ok as well", "manual is fine as well",
        ),
        {"car.transmission": None},
    ),
    (
        phrases(
            "bigger", "a bigger one", "something bigger", "larger", "a larger one", "something larger",
            "roomier", "more spacious", "more space", "more room", "too small", "a size up", "one size up",
        ),
        {"car.car_class": Nudge(direction=1)},
    ),
    (
        phrases(
            "smaller", "a smaller one", "something smaller", "too big", "too large", "a size down",
            "one size down", "more compact",
        ),
        {"car.car_class": Nudge(direction=-1)},
    ),
    (
        phrases(
            "automatic transmission", "automatic gearbox", "automatic gear", "automatic", "automatics",
            "an auto", "auto transmission", "automatic one", "no manual", "not manual", "not a manual",
            "can't drive manual", "cannot drive manual", "can't drive a manual", "can't drive stick",
        ),
        {"car.transmission": "automatic"},
    ),
    (
        phrases(
            "manual transmission", "manual gearbox", "manual", "stick shift", "a stick", "no automatic",
            "not automatic", "not an automatic",
        ),
        {"car.transmission": "manual"},
    ),
    (
        phrases("any transmission", "any gearbox", "either transmission", "either gearbox"),
        {"car.transmission": None},
    ),
    (
        phrases(
            "any station", "either station", "any pick-up point", "any pick up point", "picked up anywhere",
            "pick it up anywhere", "pick up anywhere", "any pick-up",
        ),
        {"car.station": None},
    ),
    (
        phrases("small car", "small cars", "small one", "mini car", "economy car", "city car", "tiny car"),
        {"car.car_class": "small"},
    ),
    (
        phrases("compact", "compact car", "compact cars", "medium car", "standard car", "mid-size car"),
        {"car.car_class": "compact"},
    ),
    (
        phrases("estate", "estate car", "estates", "station wagon", "wagon", "full-size car"),
        {"car.car_class": "estate"},
    ),
    (phrases("suv", "suvs", "4x4", "jeep", "off-roader"), {"car.car_class": "suv"}),
    (phrases("convertible", "convertibles", "cabrio", "cabriolet"), {"car.car_class": "convertible"}),
    (
        phrases(
            "van", "vans", "minivan", "minivans", "people carrier", "seven-seater", "7-seater", "7 seater",
            "8 seater", "seven seater", "minibus", "that fits 6", "that fits 7", "that fits 8", "fits 6",
            "fits 7", "fits 8", "that fits six", "that fits seven", "that fits eight", "seats 6", "seats 7",
            "seats 8", "that seats 6", "that seats 7", "that seats 8", "that seats seven", "that seats eight",
            "room for 6", "room for 7", "room for 8", "big enough for 6", "big enough for 7", "6 seater",
            "big enough for 8", "big enough for six", "big enough for seven", "six seater", "eight seater",
            "9 seater", "people mover",
        ),
        {"car.car_class": "van"},
    ),
    (
        phrases("any class", "any kind of car", "any car", "any size", "any type of car"),
        {"car.car_class": None},
    ),
    (
        phrases(
            "free cancellation", "free cancelation", "cancel for free", "cancelled for free", "cancellable",
        ),
        {"car.free_cancellation": True},
    ),
)  # fmt: skip
_FIT_IN_A_CAR, _FIT_IN_A_VAN = 5, 9
_NEAR = 4
_LEAST = 5


_ANY_KIND = any_of(*(names for names, _ in _KINDS))
_CUES = _ANY_KIND.begin | _SAID.stations.begin | word_set("day daily pd /day airport") | _WORDS.cars
_BEGIN = _ANY_KIND.begin | _SAID.stations.begin | _WORDS.for_word | {"small", "airport"}
_BEGIN_A_PRICE = _FACTS_SAID.at_most.begin | words.SYMBOLS.keys() | NUMBERS


def find_car_wishes(text: Text) -> Iterator[SlotMention]:
    """Yield what is said of a rental car, in the order of the message."""
    at = text.length if text.vocabulary.isdisjoint(_CUES) else 0
    may_be_priced = text.has(_SAID.per_day)
    begin = _BEGIN | _BEGIN_A_PRICE if may_be_priced else _BEGIN
    while (at := text.next_of(begin, at)) < text.length:
        found = (_price(text, at) if may_be_priced else None) or _station(text, at) or _kind(text, at)
        if found:
            yield found
        at = found.after if found else at + 1


def returned_at(text: Text, place: int) -> range:
    """Return the tokens that say that a car is returned at the place named there: "drop it off in" Rome.

    Empty where none do.
    """
    before = place - 1
    if text.norm(before) in _WORDS.at:
        for first in range(max(0, before - _NEAR), before):
            length = text.match(_SAID.returns, first)
            if length and first + length == before:
                return range(first, place)
    return range(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """Places without those to return a car at, the tokens that tell so, and what is refused of them."""

    places: tuple[PlaceMention, ...]
    tokens: set[int]
    refused: tuple[Refused, ...]


def places_returned_at(
    text: Text, places: tuple[PlaceMention, ...], stay: City | None, *, is_alone: bool = False
) -> Returned:
    """Leave out the places to return a car at: it goes back where it was picked up.

    Where a car `is_alone` looked for, "from Tucson" is where it is picked up.
    """
    if is_alone:
        places = tuple(replace(one, role="stay") if one.role == "origin" else one for one in places)
    told = [place for place in places if returned_at(text, place.first)]
    cities = {place.place.city for place in places if place.place and place not in told} | {stay}
    refused = tuple(
        Refused(said=text.spelled(place.first, place.after), reason="one_way_rental")
        for place in told
        if place.place and place.place.city not in cities
    )
    tokens = {at for place in told for at in returned_at(text, place.first)}
    return Returned(places=tuple(one for one in places if one not in told), tokens=tokens, refused=refused)


def cars_refused(text: Text, places: Collection[PlaceMention]) -> Iterator[Refused]:
    """Yield what a message about rental cars asks for and nobody does, or no search takes.

    Offers tell that a car stands at an airport of its city, and not at which.
    """
    for place in places:
        is_airport = place.place is not None and place.place.airport != ""
        is_led = text.norm(place.first - 1) in _WORDS.from_an_airport
        is_of_car = text.norm(place.first - 2) in _WORDS.cars or text.match_before(
            _SAID.pick_up, place.first, within=_NEAR
        )
        if is_airport and is_led and is_of_car:
            yield Refused(said=text.spelled(place.first - 1, place.after), reason="not_searched_by")
    at = text.find(_SAID.one_way)
    if at >= 0:
        yield Refused(said=text.spelled(at, at + text.match(_SAID.one_way, at)), reason="one_way_rental")


def _kind(text: Text, first: int) -> SlotMention | None:
    if text.norm(first) in _WORDS.for_word and text.norm(first - 1) in _WORDS.cars:
        read = whole_number(text, first + 1)
        if read and _FIT_IN_A_CAR < read[0] <= _FIT_IN_A_VAN:
            after = read[1] + (text.norm(read[1]) in _PEOPLE_WORDS.people)
            return SlotMention(first=first, after=after, slots={"car.car_class": "van"})
    if text.norm(first) == "small" and text.norm(first + 1) in _WORDS.gearboxes:
        return SlotMention(first=first, after=first + 1, slots={"car.car_class": "small"})
    for names, slots in _KINDS if text.match(_ANY_KIND, first) else ():
        length = text.match(names, first)
        if length:
            return SlotMention(first=first, after=first + length, slots=slots)
    return None


def _station(text: Text, first: int) -> SlotMention | None:
    if text.norm(first) == "airport":
        return _airport_by_name(text, first)
    for names, station in ((_SAID.at_airport, "airport"), (_SAID.in_centre, "centre")):
        length = text.match(names, first)
        is_of_hotel = text.norm(first - 1) in _TIMES_WORDS.hotels  # "a hotel downtown and a car"
        is_picked_up = (
            not is_of_hotel
            and length
            and (text.match_before(_SAID.pick_up, first, within=_NEAR) or asks_for_car(text, "offered"))
        )
        if is_picked_up:
            return SlotMention(first=first, after=first + length, slots={"car.station": station})
    return None


def _airport_by_name(text: Text, at: int) -> SlotMention | None:
    """ "Pick up Denver airport", "a car from Florence airport": the airport of the city that is named."""
    lead = next(
        (each for each in range(at - 1, max(-1, at - _NEAR), -1) if text.norm(each) in _WORDS.leads), -1
    )
    is_picked_up = text.match_before(_SAID.pick_up, at, within=_NEAR + 1)
    is_of_car = lead >= 0 and not text.has(_SAID.flights) and asks_for_car(text, "offered")
    is_named = text[at - 1].is_word and text.norm(at - 1) not in _WORDS.leads
    if not is_named or not (is_picked_up or is_of_car):
        return None
    return SlotMention(first=at, after=at + 1, slots={"car.station": "airport"})


def _price(text: Text, first: int) -> SlotMention | None:
    """ "under 40 a day"."""
    led = text.match(_FACTS_SAID.at_most, first)
    at = first + led
    symbol = words.SYMBOLS.get(text.norm(at))
    at += symbol is not None
    read = amount_at(text, at) if at < text.length else None
    if read is None or read[0] < _LEAST:
        return None
    value, after = read
    behind = words.SYMBOLS.get(text.norm(after)) or words.CURRENCY_WORDS.get(text.norm(after))
    after += behind is not None
    length = text.match(_SAID.per_day, after)
    if not length:
        return None
    limit = Decimal(value)
    return SlotMention(
        first=first,
        after=after + length,
        slots={"car.max_price": Money(amount=limit, currency=symbol or behind or DEFAULT_CURRENCY)},
    )
