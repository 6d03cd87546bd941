"""Journeys to several cities in any order: "Rome, Athens and Lisbon from Berlin, 3 nights each, in May".

A list of cities alone is none: one of them is searched for, as ever. It takes words that tell that all are
wanted ("in any order", "multi-city"), or a visit to three of them.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from ....values.tour import MOST_STOPS
from ...message import Tour
from ...places.gazetteer import load_gazetteer
from ...result import Place, Refused, TourWish
from ..dates.dates import DateMention, find_dates
from ..details.people import find_people
from ..language.numbers import whole_number
from ..language.text import Phrases, Text
from ..places.finder import Finder, PlaceMention
from ..places.places import named_places
from ..talk.questions import asks_about
from ..topics.words import HOTEL
from . import words

_WORDS_BEFORE_A_LIST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a message says of a tour besides its cities. `taken` are the tokens that say when and how long."""

    nights: int | None = None
    earliest: date | None = None
    latest: date | None = None
    passengers: int | None = None
    refused: tuple[Refused, ...] = ()
    taken: frozenset[int] = frozenset()
    nights_in_all: int | None = None


def find_tour(text: Text, *, today: date) -> Tour | None:
    """Return the tour that a message asks for, None if it asks for none."""
    if not any(text.has(cue) for cue in (words.ANY_ORDER, words.THROUGH, words.VISITS)):
        return None
    said = read_said(text, today=today)
    places = _with_the_whole_list(text, named_places(text, load_gazetteer(), taken=said.taken), said.taken)
    start = start_of(text, places)
    stops = tuple(
        one for one in places if one.place and one.role not in ("origin", "back") and one.place != start
    )
    if not _is_tour(text, stops, said):
        return None
    cities = list(dict.fromkeys(Place(city=one.place.city) for one in stops if one.place))
    is_round = len(stops) > len(cities) and stops[0].place == stops[-1].place
    if is_round and start is None:
        start = cities.pop(0)
    returns = is_round or (text.has(words.RETURNS) and not text.has(words.DOES_NOT_RETURN))
    too_many = tuple(Refused(said=city.city.name, reason="too_many_cities") for city in cities[MOST_STOPS:])
    unknown = tuple(
        Refused(said=text.spelled(one.first, one.after), reason="unknown_place")
        for one in places
        if one.is_unknown
    )
    wish = TourWish(
        start=start,
        cities=tuple(cities[:MOST_STOPS]),
        nights=said.nights,
        earliest=said.earliest,
        latest=said.latest,
        returns=returns,
        passengers=said.passengers,
    )
    return Tour(wish=wish, refused=(*said.refused, *unknown, *too_many))


def read_said(text: Text, *, today: date, near: date | None = None) -> Said:
    """Return what a message says of a tour besides its cities; `near` is a day known from before."""
    dates = find_dates(text, today=today, near=near)
    each, in_all, counted = _nights(text)
    taken = frozenset(at for day in dates for at in range(day.first, day.after)) | counted
    days = [day for day in dates if day.nights is None and (day.approximate or not day.refused)]
    starts = [day.start for day in days if day.start]
    ends = [day.end for day in days if day.end] + sorted(starts)[1:]
    earliest = min(starts, default=None)
    latest = max(ends, default=None)
    refused = [_refused_day(text, day) for day in dates if day.refused]
    if in_all and earliest and latest is None:
        latest = earliest + timedelta(days=in_all)
    elif in_all and each is None:
        lengths = (day for day in dates if day.nights == in_all)
        refused += [
            Refused(said=text.spelled(day.first, day.after), reason="not_searched_by") for day in lengths
        ]
    return Said(
        nights=each,
        earliest=earliest,
        latest=latest,
        passengers=find_people(text, 0, text.length, taken=taken),
        refused=tuple(one for one in refused if one),
        taken=taken,
        nights_in_all=in_all,
    )


def start_of(text: Text, places: Sequence[PlaceMention]) -> Place | None:
    """Return the city that a tour starts from, else that which it goes back to."""
    for one in places:
        is_start = any(text.match(words.STARTS, one.first - length) == length for length in (2, 3, 4, 5))
        if one.place and (one.role == "origin" or is_start):
            return one.place
    return next((one.place for one in places if one.place and one.role == "back"), None)


def _nights(text: Text) -> tuple[int | None, int | None, frozenset[int]]:
    """The nights in each city, those in all, and the tokens that tell how many in each."""
    in_all: int | None = None
    for at in range(text.length):
        count = whole_number(text, at)
        unit = count[1] + (text.norm(count[1]) == "-") if count else 0
        if count is None or text.norm(unit) not in words.NIGHTS:
            continue
        behind = range(unit + 1, unit + 1 + words.WORDS_TO_EACH)
        each = next((ahead for ahead in behind if text.norm(ahead) in words.EACH), 0)
        if each and not any(text.norm(ahead) in (",", ".", ";") for ahead in range(unit, each)):
            return count[0] or None, None, frozenset(range(at, each + 1))
        in_all = in_all or count[0]
    return None, in_all, frozenset()


def _refused_day(text: Text, day: DateMention) -> Refused | None:
    return Refused(said=text.spelled(day.first, day.after), reason=day.refused) if day.refused else None


def _with_the_whole_list(
    text: Text, places: Sequence[PlaceMention], taken: Collection[int]
) -> tuple[PlaceMention, ...]:
    """The places with those of the list that are words as well ("Nice"), or that nobody knows."""
    found: list[PlaceMention] = []
    known = {one.first: one for one in places}
    at = 0
    while at < text.length:
        one = known.get(at)
        if one is None and found and _goes_on(text, found[-1].after, at) and at not in taken:
            one = Finder(text, load_gazetteer(), at, taken, True, False).exact() or _unknown(text, at)
        if one:
            found.append(one)
        at = one.after if one else at + 1
    return tuple(found)


def _goes_on(text: Text, after: int, at: int) -> bool:
    """Whether nothing but a comma and the like stands between two names of a list."""
    gap = [text.norm(between) for between in range(after, at)]
    return 0 < len(gap) <= 3 and all(word in words.OF_A_LIST for word in gap)


def _unknown(text: Text, at: int) -> PlaceMention | None:
    token = text[at]
    is_name = token.is_word and token.is_capitalised and text.norm(at + 1) in words.ENDS_OF_A_LIST
    if not is_name or len(token.norm) < 3:
        return None
    return PlaceMention(first=at, after=at + 1, place=None, said=token.raw)


def _is_tour(text: Text, stops: Sequence[PlaceMention], said: Said) -> bool:
    """Whether a message that names these cities wants to go to all of them."""
    is_choice = any(text.norm(at) == words.OR for one in stops for at in (one.first - 1, one.after))
    if len(stops) < 2 or is_choice:
        return False
    if text.has(words.ANY_ORDER):
        return True
    if asks_about(text) or text.has(HOTEL) or not _is_list(text, stops):
        return False
    if _is_before(text, words.THROUGH, stops[0].first):
        return True
    is_visit = _is_before(text, words.VISITS, stops[0].first)
    return is_visit and (len(stops) > 2 or said.nights is not None)


def _is_list(text: Text, stops: Sequence[PlaceMention]) -> bool:
    return all(_goes_on(text, one.after, other.first) for one, other in pairwise(stops))


def _is_before(text: Text, cues: Phrases, index: int) -> bool:
    return text.match_before(cues, index, within=_WORDS_BEFORE_A_LIST)
