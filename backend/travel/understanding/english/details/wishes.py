"""What narrows flights, hotels and cars besides counts, prices and hours: "window seat", "under 6 hours".

A wish is a row of `flight_wishes.toml`, `hotel_wishes.toml` or `car_wishes.toml`: a slot, a value, and the
phrases by which it is told. Functions read those that hold a number, or the name of a place.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from ....values.travel import MOST_SEATS, City
from ...message import Nudge
from ...places.districts import CENTRE_NAMES
from ...places.gazetteer import load_gazetteer
from ...result import Agent, Place, Refused
from ...slot_table import ROWS
from ...tokens import fold
from ..dates.points import MONTHS, WEEKDAYS
from ..language.cars import asks_for_car
from ..language.numbers import NUMBERS, whole_number
from ..language.sentences import negation_before, negation_of
from ..language.tables import phrases_of, rows_of, words_of
from ..language.text import Phrases, SlotMention, Text, any_of, phrases, refused_at
from ..places.finder import PlaceMention
from ..places.places import named_places
from .facts import find_scores
from .hotels import BEGIN_AGAINST, is_about, unwanted_districts_at
from .people import find_ages
from .prices import SYMBOLS, find_budget_of_trip, find_budgets, money_at
from .times import find_times_of_day

_CAR_SAID = phrases_of("car_wishes")
_CAR_WORDS = words_of("car_wishes")
_FACTS_SAID = phrases_of("facts")
_FLIGHT_SAID = phrases_of("flight_wishes")
_FLIGHT_WORDS = words_of("flight_wishes")
_HOTEL_SAID = phrases_of("hotel_wishes")
_HOTEL_WORDS = words_of("hotel_wishes")
_LANGUAGE_SAID = phrases_of("language")
_PEOPLE_WORDS = words_of("people")
_TIMES_WORDS = words_of("times")

_BETWEEN = frozenset({"with", "just", "only"})
"""What else may stand between a negation and a wish: "not just hand luggage"."""
_UNWANTED = (("flight.max_stops", _FLIGHT_SAID.stops), ("flight.bags", _FLIGHT_SAID.any_bags))
_WITH = frozenset({"with", "including", "incl", "plus"})
"""Before a bag these ask for it, in a question as well."""
_CENTRE = phrases(*CENTRE_NAMES, "the city", "town", "the action", "middle")
_LONGEST_COMPLAINT = 10
_WORDS_OF_NEGATION = 4
_LEAST_OF_A_WISH = 2
"""Words of which "a bag" alone is no wish yet."""
_LIGHTEST, _HEAVIEST = 15, 40
"""Kilograms of one bag to check in: what is lighter goes into the cabin."""
_LONGEST_NAME = 4
_SHORTEST_FLIGHT, _LONGEST_FLIGHT, _LONGEST_LAYOVER = 30, 72 * 60, 24 * 60
_KILOMETRES = {
    **dict.fromkeys(("km", "kms", "kilometer", "kilometers", "kilometre", "kilometres"), 1.0),
    **dict.fromkeys(("mile", "miles", "mi"), 1.6),
    **dict.fromkeys(("m", "metres", "meters"), 0.001),
}
_WALKED_IN_AN_HOUR_KM = 5.0
_FARTHEST_KM = 100
_NEAR = 4
_LEAST_PRICE = 5
_IN_ANY_CAR = 4
"""People that fit in any car."""

_Reader = Callable[[Text, int], SlotMention | None]
_When = Callable[[Text, int, int], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A row: the phrases that tell a value of a slot, or a `nudge` of it; without either they empty the slot.

    `when` names what must hold besides (`_WHEN`).
    """

    slot: str
    phrases: Phrases
    value: bool | int | float | str | None = None
    nudge: int = 0
    when: str = ""

    @property
    def slots(self) -> Mapping[str, Any]:
        """What the row tells, as readers tell it."""
        if self.nudge:
            return {self.slot: Nudge(direction=self.nudge)}
        is_one_of_several = self.value is not None and ROWS[self.slot].adds_up
        return {self.slot: (self.value,) if is_one_of_several else self.value}


class _Table:
    """The rows of an agent, and functions that read what no row tells.

    Each function comes with words without one of which it reads nothing, and those with which it may begin.
    """

    def __init__(self, rows: tuple[Wish, ...], *readers: tuple[_Reader, Set[str], Set[str]]) -> None:
        self.phrases = any_of(*(row.phrases for row in rows))
        self.rows = {first: [row for row in rows if first in row.phrases] for first in self.phrases}
        self.readers = readers
        self.cues = self.phrases.cues.union(*(cues for _, cues, _ in readers))

    def read(self, text: Text) -> Iterator[SlotMention]:
        if text.vocabulary.isdisjoint(self.cues):
            return
        rows = {*text.each_of(self.phrases.begin)} if text.has(self.phrases) else set[int]()
        readers = [
            (read, {*text.each_of(begin)})
            for read, cues, begin in self.readers
            if not text.vocabulary.isdisjoint(cues)
        ]
        after = 0
        for at in sorted(rows.union(*(begun for _, begun in readers))):
            if at >= after:
                read_here = (read for read, begun in readers if at in begun)
                found = next((one for read in read_here if (one := read(text, at))), None)
                if not found and text.match(self.phrases, at):
                    found = self._row(text, at, self.rows[text.norm(at)])
                if found:
                    yield found
                    after = found.after

    def _row(self, text: Text, first: int, rows: Sequence[Wish]) -> SlotMention | None:
        """The longest of the phrases that stand there; a wish behind a negation is none."""
        told: tuple[int, Wish] | None = None
        for row in rows:
            length = text.match(row.phrases, first)
            after = _WHEN[row.when](text, first, first + length) if length else 0
            if after > (told[0] if told else 0):
                told = after, row
        if told is None or negation_of(text, first, _BETWEEN):
            return None
        is_compared = text.norm(told[0]) in ("by", "than") or text[first - 1].is_number
        if told[1].nudge and is_compared:
            return None
        return SlotMention(first=first, after=told[0], slots=told[1].slots)


def find_wishes(text: Text) -> Iterator[SlotMention]:
    """Yield what is wished of cars, of flights and of hotels, each in the order of the message."""
    for table in _TABLES:
        yield from table.read(text)


READERS: tuple[Callable[[Text], Iterable[SlotMention]], ...] = (
    find_budgets,
    find_ages,
    find_times_of_day,
    find_wishes,
    find_scores,
)
"""Who reads slots that tell by themselves whom they are for, wherever they stand in a message."""


def find_mentions(text: Text, agents: Collection[Agent], stay: City | None) -> tuple[SlotMention, ...]:
    """Return what a message says of the slots of `agents` that have a reader of their own.

    `stay` is the city to stay in, as far as it was known before.
    """
    of_trip = (find_budget_of_trip,) if {"flight", "hotel"} <= {*agents} else ()
    found = (
        mention for reader in (*of_trip, *READERS) for mention in reader(text) if agent_of(mention) in agents
    )
    found = (mention for mention in found if not _counts_who_travels(mention, text, agents))
    found = (mention for mention in found if not _is_replaced(mention, text))
    wishes = (mention for mention in found if is_about(mention, text, stay))
    # A hotel alone may be "refundable" as well: beside flights they are meant.
    return tuple(
        one
        for one in wishes
        if not ("flight" in agents and agent_of(one) == "hotel" and text.norm(one.after - 1) == "refundable")
    )


def _is_replaced(mention: SlotMention, text: Text) -> bool:
    """Whether something else comes in its place: "an SUV instead of a van"."""
    before = mention.first - (text.norm(mention.first - 1) in ("a", "an"))
    return agent_of(mention) == "car" and text.match(_LANGUAGE_SAID.in_place_of, before - 2) == 2


def values_of(mentions: Iterable[SlotMention]) -> dict[str, Any]:
    """Return what mentions say by the names of slots; the last one holds, or all where they add up."""
    values: dict[str, Any] = {}
    for mention in mentions:
        for name, value in mention.slots.items():
            known = values.get(name) if ROWS[name].adds_up else None
            values[name] = tuple(dict.fromkeys((*known, *value))) if known and value else value
    return values


def agent_of(mention: SlotMention) -> Agent:
    """Return the agent that a mention is for."""
    return ROWS[next(iter(mention.slots))].agent


def has_wish(text: Text) -> bool:
    """Return whether a message says how dear a hotel should be, or in which part of a town; no slot does."""
    return text.has(_FACTS_SAID.wishes)


def _mention(first: int, after: int, slot: str, value: object) -> SlotMention:
    return SlotMention(first=first, after=after, slots={slot: value})


# What must hold for a row besides its phrase: the index after the wish, 0 if it does not hold.


def _all_is_said(text: Text, first: int, after: int) -> int:
    """ "Too early", "that's a bit too late for us"."""
    others = (*range(first), *range(after, text.length))
    is_all = all(text.norm(at) in _FLIGHT_WORDS.beside_too for at in others if text[at].is_word)
    return after if is_all and first < _LONGEST_COMPLAINT else 0


def _not_asked(text: Text, first: int, after: int) -> int:
    """ "How much is a checked bag?" asks for none, unlike "which flights are there with a checked bag?"."""
    is_led = text.norm(first) in _WITH or text.norm(first - 1) in _WITH
    return after if is_led or text.norm(0) not in _FLIGHT_WORDS.questions else 0


def _of_the_centre(text: Text, first: int, after: int) -> int:
    """The centre behind it: "walking distance to the centre"."""
    start = after + (text.norm(after) in ("the", "a"))
    for at in (start, after):
        if length := text.match(_CENTRE, at):
            return at + length
    return 0


def _of_a_hotel(text: Text, first: int, after: int) -> int:
    """ "A central hotel", "something central, please"; not "Central Park"."""
    return after if after == text.length or text.norm(after) in _HOTEL_WORDS.of_a_hotel else 0


def _picked_up(text: Text, first: int, after: int) -> int:
    """ "Pick up at the airport", "a car in the centre"; not "a hotel downtown and a car"."""
    is_of_hotel = text.norm(first - 1) in _TIMES_WORDS.hotels
    is_led = text.match_before(_CAR_SAID.pick_up, first, within=_NEAR)
    return after if not is_of_hotel and (is_led or asks_for_car(text, "offered")) else 0


def _named(text: Text, first: int, after: int) -> int:
    """ "Pick up Denver airport", "a car from Florence airport": the airport of the city that is named."""
    is_led = text.has_any(_CAR_WORDS.leads, first - _NEAR + 1, first)
    is_of_car = is_led and not text.has(_CAR_SAID.flights) and asks_for_car(text, "offered")
    is_picked_up = text.match_before(_CAR_SAID.pick_up, first, within=_NEAR + 1)
    is_named = text[first - 1].is_word and text.norm(first - 1) not in _CAR_WORDS.leads
    return after if is_named and (is_picked_up or is_of_car) else 0


_WHEN: Mapping[str, _When] = {
    "": lambda text, first, after: after,
    "all is said": _all_is_said,
    "beside a bed": lambda text, first, after: (
        after * ({text.norm(first - 1), text.norm(after)} & _HOTEL_WORDS.beds > set())
    ),
    "before a gearbox": lambda text, _, after: after * (text.norm(after) in _CAR_WORDS.gearboxes),
    "behind a car": lambda text, first, after: after * (text.norm(first - 1) in _CAR_WORDS.cars),
    "named": _named,
    "not asked": _not_asked,
    "of a hotel": _of_a_hotel,
    "of the centre": _of_the_centre,
    "picked up": _picked_up,
}


# What no row tells of flights.


def _duration(text: Text, at: int) -> tuple[int, int] | None:
    """Minutes as they are told there, and the index after: "6 hours", "5h", "7h30", "2 hours 30 minutes"."""
    read = whole_number(text, at)
    if read is None:
        return None
    count, (part, after) = read[0], _fraction(text, read[1])
    half = round(part * 60)
    if text.says(after, "and", "a", "half"):
        half, after = 30, after + 3
    after += text.norm(after) == "-"
    if text.norm(after) in _FLIGHT_WORDS.minutes and text.norm(after) != "m":
        return count, after + 1
    if text.norm(after) not in _FLIGHT_WORDS.hours:
        return None
    minutes, after = count * 60 + half, after + 1
    rest = whole_number(text, after + (text.norm(after) == "and"))
    if rest and (text.norm(rest[1]) in _FLIGHT_WORDS.minutes or text.is_glued(after)):
        return minutes + rest[0], rest[1] + (text.norm(rest[1]) in _FLIGHT_WORDS.minutes)
    return minutes, after


def _fraction(text: Text, at: int) -> tuple[float, int]:
    """What stands behind the point of a number, and the index after it; 0 where nothing does."""
    is_told = text.norm(at) in (".", ",") and text[at + 1].is_number and text.is_glued(at + 1)
    return (float(f"0.{text[at + 1].raw}"), at + 2) if is_told else (0.0, at)


def _takes(text: Text, first: int) -> SlotMention | None:
    """ "under 6 hours", "max 2 h layover", "layovers of at most 2 hours", "8 hours max"."""
    is_of_layover = text.norm(first) in _FLIGHT_WORDS.layovers
    at = text.skip(_FLIGHT_WORDS.between, first + 1) if is_of_layover else first
    led = text.match(_FLIGHT_SAID.at_most, at)
    over = text.match(_LANGUAGE_SAID.over, at)
    if (led or over) and negation_before(text, at) >= 0:
        led = over  # "nothing over 12 hours" is a limit, "not under 10 hours" is none
    at += led
    at += text.norm(at) in ("a", "an") and text.norm(at + 1) not in _FLIGHT_WORDS.hours
    minutes, after = _duration(text, at) or (0, at)
    trailed = text.match(_FLIGHT_SAID.or_less, after)
    after += trailed
    noun = text.skip(_FLIGHT_WORDS.between, after)
    if not minutes or not (led or trailed):
        return None
    if is_of_layover or text.norm(noun) in _FLIGHT_WORDS.layovers:
        after = after if is_of_layover else noun + 1
        return _mention(first, after, "flight.max_layover", minutes) if minutes <= _LONGEST_LAYOVER else None
    is_flight = text.norm(after) not in _FLIGHT_WORDS.of_something_else
    if not is_flight or not _SHORTEST_FLIGHT <= minutes <= _LONGEST_FLIGHT:
        return None
    return _mention(first, text.skip(_FLIGHT_WORDS.flight_time, after), "flight.max_minutes", minutes)


def _bags(text: Text, first: int) -> SlotMention | None:
    """ "2 suitcases", "a bag each", "23 kg of luggage"; "can I check in two bags?" asks for an answer."""
    read = whole_number(text, first)
    is_one = text.norm(first) in _FLIGHT_WORDS.one and text.length > _LEAST_OF_A_WISH
    if text.norm(0) in _FLIGHT_WORDS.questions or not (read or is_one):
        return None
    count, start = read or (1, first + 1)
    if read and text.norm(start) in _FLIGHT_WORDS.kilos:
        after = start + 1 + (text.norm(start + 1) == "of")
        is_bag = {text.norm(after), text.norm(first - 1)} & _FLIGHT_WORDS.luggage
        if is_bag and _LIGHTEST <= count <= _HEAVIEST and "hand" not in text.vocabulary:
            return _mention(first, after + (text.norm(after) in _FLIGHT_WORDS.luggage), "flight.bags", 1)
    length = text.match(_FLIGHT_SAID.with_bags, start)
    if count and not _are_asked_about(text, first):
        length = length or text.match(_FLIGHT_SAID.bags, start)
    is_told = length > 0 and not negation_of(text, first, _BETWEEN)
    return _mention(first, start + length, "flight.bags", min(count, 2)) if is_told else None


def _neither(text: Text, first: int) -> SlotMention | None:
    """ "No stops or checked bags", "without bags or stopovers": neither is wanted."""
    after = first + text.match(_FLIGHT_SAID.neither, first)
    slots: dict[str, int] = {}
    at = after if after > first else text.length
    while told := next((one for one in _UNWANTED if text.match(one[1], at)), None):
        slots[told[0]], after = 0, at + text.match(told[1], at)
        at = after + 1 if text.norm(after) in ("or", "nor") else text.length
    return SlotMention(first=first, after=after, slots=slots) if len(slots) > 1 else None


def _are_asked_about(text: Text, first: int) -> bool:
    """Whether bags are asked about, or not wanted: "how much is a bag", "I don't need a bag".

    "2 bags to check in" without the bags would be about a hotel.
    """
    asks = _FLIGHT_WORDS.spoken_against | _FLIGHT_WORDS.asks_of_bags
    is_asked = text.norm(0) in _FLIGHT_WORDS.may_one and "add" not in text.vocabulary
    is_told = text.has_any({"check", "checked"}) or text.has_any(asks, first - _WORDS_OF_NEGATION, first)
    return is_asked or is_told


def _by_way_of(text: Text, first: int) -> SlotMention | None:
    """ "via Istanbul", "not via Paris or London", "avoid connecting in Frankfurt", "avoid Stansted"."""
    negated = text.match(_FLIGHT_SAID.not_word, first)
    start = first + negated
    length = text.match(_FLIGHT_SAID.via, start)
    if length and (text.norm(start) != "through" or negated):
        places, after = _places(text, start + length)
        spoken_against = text.has_any(_FLIGHT_WORDS.spoken_against, first - _WORDS_OF_NEGATION, start)
        if places:
            slot = "avoided" if negated or spoken_against else "via"
            return _mention(first, after, f"flight.{slot}", places)
    if negated and not text.vocabulary.isdisjoint(_FLIGHT_WORDS.layovers):  # "no US stopover"
        places, after = _places(text, start)
        if places and text.norm(after) in _FLIGHT_WORDS.layovers:
            return _mention(first, after + 1, "flight.avoided", places)
    length = text.match(_FLIGHT_SAID.not_an_airport, first)
    is_other = text.says(first, "but") and text.norm(first + length - 1) == "but"
    is_answer = first == 0 and text.norm(first) == "no"  # "no Italy" may as well correct
    if is_answer or (is_other and text.norm(first - 1) not in _FLIGHT_WORDS.airports):
        return None
    places, after = _places(text, first + length) if length else ((), first)
    is_on_the_way = bool(places) and all(place.airport or _is_country(place) for place in places)
    return _mention(first, after, "flight.avoided", places) if is_on_the_way else None


def _is_country(place: Place) -> bool:
    return place.city.tier == 1 and place.city not in load_gazetteer().cities


def _places(text: Text, at: int) -> tuple[tuple[Place, ...], int]:
    """The places that are named side by side from there on, and the index after them."""
    places: list[Place] = []
    joint = at
    while (joint > at or not places) and (named := _place(text, joint)):
        places.append(named[0])
        at = named[1]
        joint = text.skip(_FLIGHT_WORDS.joints, at, 2)
    return tuple(places), at


def _place(text: Text, at: int) -> tuple[Place, int] | None:
    """The city, airport or country that is named there, and the index after it."""
    at += text.norm(at) == "the"
    end = at
    while end < at + _LONGEST_NAME and text[end].is_word:
        end += 1
    # In capitals "us" is a country: nobody flies through us. BAG is an airport of the Philippines.
    is_place = end > at and text.norm(at) not in _FLIGHT_WORDS.luggage
    names = (text.spelled(at, end), text.spelled(at, end).upper()) if is_place else ()
    for one in (one for name in names for one in named_places(Text(f"in {name}"), load_gazetteer())):
        place = one.place or load_gazetteer().all_of(fold(one.said))
        if one.first == 1 and place and place.airports:
            return place, at + one.after - 1
    return None


# What no row tells of hotels and cars.


def _distance(text: Text, first: int) -> SlotMention | None:
    """ "within 2 km of the centre", "10 minutes walk from the centre at most"."""
    at = first + text.match(_HOTEL_SAID.at_most, first)
    at += text.norm(at) in ("a", "an")
    read = whole_number(text, at) or ((1, at) if text.norm(at) in _KILOMETRES else None)
    if read is None:
        return None
    part, after = _fraction(text, read[1])
    amount = read[0] + part
    after += text.norm(after) == "-"
    kilometres = amount * _KILOMETRES.get(text.norm(after), 0)
    if text.norm(after) in _HOTEL_WORDS.minutes:
        after = next((at for at in range(after + 1, after + 4) if text.norm(at) in _HOTEL_WORDS.walk), -1)
        kilometres = amount * _WALKED_IN_AN_HOUR_KM / 60 if after > 0 else 0
    length = text.match(_HOTEL_SAID.from_word, after + 1)
    end = _of_the_centre(text, first, after + 1 + length) if length else 0
    if not end or not 0 < kilometres <= _FARTHEST_KM:
        return None
    end += text.match(_HOTEL_SAID.max_behind, end)
    return _mention(first, end, "hotel.max_km", round(kilometres, 1))


def _seats(text: Text, first: int) -> SlotMention | None:
    """ "5 seats", "a 7-seater", "that fits six"; of a car alone "5 people" and "we're 6" as well."""
    led = text.match(_CAR_SAID.seats_for, first)
    read = whole_number(text, first + led)
    if read is None or not 1 < read[0] <= MOST_SEATS:
        return None
    after = read[1] + (text.norm(read[1]) == "-")
    if text.norm(after) in _CAR_WORDS.seats:
        return _mention(first, after + 1, "car.seats", read[0])
    is_counted = text.norm(after) in _PEOPLE_WORDS.people
    is_told = led and (text.norm(first) != "for" or text.norm(first - 1) in _CAR_WORDS.cars)
    is_over = after == text.length or text.norm(after) in _CAR_WORDS.behind_a_party
    if read[0] <= _IN_ANY_CAR or not (is_counted or (is_told and is_over)):
        return None
    return _mention(first, after + is_counted, "car.seats", read[0])


def _counts_who_travels(mention: SlotMention, text: Text, agents: Collection[Agent]) -> bool:
    """Whether the seats of a car are rather those who travel: beside flights, "5 people" are these."""
    is_of_car = {*agents} == {"car"} or text.said(mention.first, mention.after) & _CAR_WORDS.seated
    return "car.seats" in mention.slots and not is_of_car


def _price_of_a_day(text: Text, first: int) -> SlotMention | None:
    """ "under 40 a day"."""
    at = first + text.match(_FACTS_SAID.at_most, first)
    read = money_at(text, text.skip(SYMBOLS.keys(), at, 1))
    length = text.match(_CAR_SAID.per_day, read.after) if read and read.money.amount >= _LEAST_PRICE else 0
    return _mention(first, read.after + length, "car.max_price", read.money) if read and length else None


_TABLES = (
    _Table(
        rows_of("car_wishes", "wishes", Wish),
        (
            _price_of_a_day,
            _CAR_SAID.per_day.cues,
            _FACTS_SAID.at_most.begin | SYMBOLS.keys() | NUMBERS,
        ),
        (
            _seats,
            _PEOPLE_WORDS.people | _CAR_WORDS.seats | _CAR_SAID.seats_for.cues,
            _CAR_SAID.seats_for.begin | NUMBERS,
        ),
    ),
    _Table(
        rows_of("flight_wishes", "wishes", Wish),
        (
            _takes,
            _FLIGHT_WORDS.hours | _FLIGHT_WORDS.minutes,
            any_of(_FLIGHT_SAID.at_most, _LANGUAGE_SAID.over).begin
            | _FLIGHT_WORDS.layovers
            | NUMBERS
            | {"an"},
        ),
        (_neither, _FLIGHT_SAID.stops.begin, _FLIGHT_SAID.neither.begin),
        (_bags, _FLIGHT_SAID.bags.begin | _FLIGHT_WORDS.kilos, _FLIGHT_WORDS.one | NUMBERS),
        (
            _by_way_of,
            any_of(_FLIGHT_SAID.via, _FLIGHT_SAID.not_an_airport).cues | _FLIGHT_WORDS.layovers,
            any_of(_FLIGHT_SAID.via, _FLIGHT_SAID.not_word, _FLIGHT_SAID.not_an_airport).begin,
        ),
    ),
    _Table(
        rows_of("hotel_wishes", "wishes", Wish),
        (
            _distance,
            _KILOMETRES.keys() | _HOTEL_WORDS.minutes,
            _HOTEL_SAID.at_most.begin | _KILOMETRES.keys() | NUMBERS | {"an"},
        ),
        (unwanted_districts_at, BEGIN_AGAINST, BEGIN_AGAINST),
    ),
)


# Where a car goes back to.


_OF_A_DAY = frozenset({*MONTHS, *WEEKDAYS, *_CAR_WORDS.beside_a_day})


def returned_at(text: Text, place: int) -> range:
    """Return the tokens that say that a car is returned at the place named there: "drop it off in" Rome.

    Empty where none do.
    """
    end = place - (text.norm(place - 1) in _CAR_WORDS.at)
    least = 1 if end < place else 2  # "drop off Rome"; "return Rome" is a way home
    while text[end - 1].is_number or text.norm(end - 1) in _OF_A_DAY:
        end -= 1  # "drop it off on 27 December in Rome"
    starts = range(max(0, end - _NEAR), end)
    told = (first for first in starts if least <= text.match(_CAR_SAID.returns, first) == end - first)
    return range(next(told, place), place)


def places_returned_at(
    text: Text, places: tuple[PlaceMention, ...], stay: City | None, *, is_alone: bool = False
) -> tuple[tuple[PlaceMention, ...], set[int], tuple[Refused, ...]]:
    """Return the places without those to return a car at, the tokens that tell so, and what is refused.

    A car goes back where it was picked up. One that `is_alone` looked for is picked up at the start of a
    route: "from Tucson to Phoenix".
    """
    told = {place: returned for place in places if (returned := returned_at(text, place.first))}
    if is_alone and any(one.role == "origin" for one in places):
        places = tuple(replace(one, role="stay") if one.role == "origin" else one for one in places)
        told |= {one: range(one.first, one.after) for one in places if one.role == "destination"}
    kept = tuple(place for place in places if place not in told)
    cities = {place.place.city for place in kept if place.place} | {stay}
    refused = tuple(
        Refused(said=text.spelled(place.first, place.after), reason="one_way_rental")
        for place in told
        if place.place and place.place.city not in cities
    )
    return kept, {at for span in told.values() for at in span}, refused


def cars_refused(
    text: Text, places: Collection[PlaceMention], mentions: Collection[SlotMention]
) -> Iterator[Refused]:
    """Yield what a message about rental cars asks for and nobody does, or no search takes.

    Offers tell that a car stands at an airport of its city, and not at which. Of "an estate or an SUV" the
    last is searched for.
    """
    classes = [one for one in mentions if "car.car_class" in one.slots]
    for one, other in pairwise(sorted(classes, key=lambda one: one.first)):
        between = text.said(one.after, other.first)
        if between and between <= _CAR_WORDS.either and one.slots != other.slots:
            yield refused_at(text, one, "one_car_class")
    for place in places:
        before = place.first - 1
        is_airport = place.place is not None and place.place.airport != ""
        is_of_car = text.norm(before - 1) in _CAR_WORDS.cars
        is_of_car = is_of_car or text.match_before(_CAR_SAID.pick_up, place.first, within=_NEAR)
        if is_airport and is_of_car and text.norm(before) in _CAR_WORDS.from_an_airport:
            yield Refused(said=text.spelled(before, place.after), reason="not_searched_by")
    at = text.find(_CAR_SAID.one_way)
    if at >= 0:
        yield Refused(said=text.spelled(at, at + text.match(_CAR_SAID.one_way, at)), reason="one_way_rental")
