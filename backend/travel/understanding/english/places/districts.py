"""The part of a city that a message asks for: a district or a sight by name, or what it wants to be near.

What a user wants to be near is kept in the user's words; which district is searched for it is a second
question (`districts.searched_district`), for a hotel knows its district and not every church around it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from ....values.places import NAMED_DISTRICTS, districts_of
from ....values.travel import City
from ...places.districts import (
    CENTRE_NAMES,
    district_key,
    districts_by_key,
    is_a_city,
    key_of,
    named_districts,
)
from ..language.numbers import whole_number
from ..language.tables import phrases_of, words_of
from ..language.text import Text, phrases
from .finder import PlaceMention

_SAID = phrases_of("places")
_WORDS = words_of("places")

_WORDS_AT_MOST = 4
_LONGEST_NAME = 6
_TOKENS_AT_MOST = 8
CENTRE = phrases(*CENTRE_NAMES)
_CUES = CENTRE.begin | _SAID.near.begin


@dataclass(frozen=True, slots=True, kw_only=True)
class DistrictMention:
    """Part of a city, the tokens from `first` up to `after`, and the cities that have one so called."""

    first: int
    after: int
    name: str
    cities: tuple[City, ...] = ()


@cache
def _first_words() -> frozenset[str]:
    return frozenset(key[0] for key in named_districts())


@cache
def _first_words_of_all() -> frozenset[str]:
    return frozenset(key[0] for key in districts_by_key() if key)


@cache
def _keys_in(city: City) -> dict[tuple[str, ...], str]:
    return {key_of(district.name): district.name for district in districts_of(city)}


@cache
def _begin_in(city: City) -> frozenset[str]:
    return frozenset({"-", "the", *(key[0] for key in _keys_in(city))})


def district_at(text: Text, first: int) -> DistrictMention | None:
    """Return the part of any city that is named there, whatever is said of it: "the Baixa area"."""
    start = first + (text.norm(first) == "the")
    name, after = _named_at(text, start)
    after += text.norm(after) in _WORDS.district_nouns
    return DistrictMention(first=first, after=after, name=name) if name else None


def _named_at(text: Text, start: int) -> tuple[str, int]:
    if length := text.match(CENTRE, start):
        return "the centre", start + length
    if text.norm(start) not in _first_words_of_all():
        return "", start
    for after in range(min(text.length, start + _LONGEST_NAME), start, -1):
        name = districts_by_key().get(district_key(text.norm(at) for at in range(start, after)))
        if name and text.norm(after - 1) != "-":
            return name, after
    return "", start


def find_district_of(text: Text, city: City) -> DistrictMention | None:
    """Return the first district of that city which the message names in full, None if it names none.

    A name that is a city's as well ("Salamanca"), or any district's ("Old Town"), is taken for the one there
    only with a word for it behind: "in the Salamanca area".
    """
    is_short = text.length <= _TOKENS_AT_MOST
    if not is_short and text.vocabulary.isdisjoint(_WORDS.in_a_district):
        return None
    keys = _keys_in(city)
    are_named = city.label in NAMED_DISTRICTS
    for index in text.where(_begin_in(city)):
        is_led = text.norm(index - 1 - (text.norm(index - 1) == "the")) in _WORDS.in_a_district
        if not is_led and not (is_short and are_named):
            continue
        for after in range(min(text.length, index + _TOKENS_AT_MOST), index, -1):
            name = keys.get(_key(text, index, after))
            if not name:  # as nearly always
                continue
            # "Alfama", "maybe Alfama instead?"
            rest = (text[at] for at in (*range(index), *range(after, text.length)))
            is_all = all(not one.is_word or one.norm in _WORDS.beside_a_name for one in rest)
            if not (is_led or is_all):
                continue
            is_called_so = text.norm(after) in _WORDS.district_nouns
            if is_called_so or (are_named and not (_goes_on(text, after) or is_a_city(name))):
                return DistrictMention(first=index, after=after + is_called_so, name=name)
    return None


def _key(text: Text, first: int, after: int) -> tuple[str, ...]:
    """The name in these tokens as it is looked up; none begins or ends with a sign."""
    is_name = text.norm(after - 1) != "-"
    return district_key(text.norm(at) for at in range(first, after)) if is_name else ()


def find_district(
    text: Text,
    taken: Collection[int] = (),
    stay: City | None = None,
    places: Collection[PlaceMention] = (),
) -> DistrictMention | None:
    """Return the first part of a city that is asked for, outside the tokens already `taken`.

    During a `stay` "the opera" is the one there, and no district of Paris. Beside one of the `places` of the
    message its parts need no word before them: "hotel in New York, Midtown".
    """
    led = {at + 1 for at in text.where(_WORDS.in_word) if at + 1 < text.length}
    for index in sorted(led.union(text.where(_CUES))):
        found = _by_name(text, index, stay) or _by_nearness(text, index, taken, stay)
        if found and index not in taken and not any(at in taken for at in range(found.first, found.after)):
            return found
    for one in places:  # "near Schiphol": its city is gone to, and that it is to be near is told
        end = one.first - (text.norm(one.first - 1) == "the")
        starts = range(max(0, end - _WORDS_AT_MOST), end)
        is_near = any(text.match(_SAID.near, start) == end - start for start in starts)
        if is_near and one.place and one.place.airport and one.role != "origin":
            return DistrictMention(first=one.first, after=one.after, name=text.spelled(one.first, one.after))
    return _beside_its_city(text, taken, places)


def _beside_its_city(
    text: Text, taken: Collection[int], places: Collection[PlaceMention]
) -> DistrictMention | None:
    """A part of a city that the message goes to, with no more than a hotel, a comma or the city before it."""
    goals = {one.place.city for one in places if one.place and one.role != "origin"}
    ends = {one.after for one in places}
    for index in range(1, text.length) if goals else ():
        is_beside = index in ends or text.norm(index - 1) in _WORDS.beside_a_district
        if not is_beside or index in taken or text.norm(index) not in _first_words():
            continue
        for after in range(min(text.length, index + _WORDS_AT_MOST), index, -1):
            named = named_districts().get(_key(text, index, after), ())
            cities = tuple(city for _, city in named if city in goals)
            is_free = not any(at in taken for at in range(index, after))
            if cities and is_free and not (_goes_on(text, after) or is_a_city(named[0][0])):
                return DistrictMention(first=index, after=after, name=named[0][0], cities=cities)
    return None


def _by_name(text: Text, index: int, stay: City | None) -> DistrictMention | None:
    """A district, a sight, or the centre: "near the centre", "in the city centre", "downtown"."""
    before = text.norm(index - 1)
    length = text.match(CENTRE, index)
    is_placed = text.norm(index - 1 - (before == "the")) in _WORDS.in_word
    if length and (is_placed or text.norm(index) == "downtown"):
        return DistrictMention(first=index, after=index + length, name="the centre")
    if before not in _WORDS.in_word or _first_words().isdisjoint((text.norm(index), text.norm(index + 1))):
        return None
    # "The central station" is one of any city.
    is_adjective = text.norm(index) in _WORDS.also_adjectives
    is_adjective = is_adjective and (
        not text[index].is_capitalised or text.norm(index + 1) in _WORDS.of_any_city
    )
    for after in range(index + _WORDS_AT_MOST + 1, index + is_adjective, -1):
        named = named_districts().get(_key(text, index, after))
        first = index + (text.norm(index) == "the")
        is_the = before == "the" or (named and len(named) == 1 and first > index)  # many have an old town
        if named and stay and is_the and not text[first].is_capitalised:
            named = tuple(one for one in named if one[1] == stay)
        if named and not _goes_on(text, after):
            cities = tuple(city for _, city in named)
            return DistrictMention(first=index, after=after, name=named[0][0], cities=cities)
    return None


def _goes_on(text: Text, after: int) -> bool:
    """Whether a name goes on after what is known of it: there is a Soho, but not in "Soho Gardens"."""
    return (
        text[after].is_capitalised and not text[after].raw.isupper() and text.norm(after) not in _WORDS.ends
    )


def _by_nearness(text: Text, index: int, taken: Collection[int], stay: City | None) -> DistrictMention | None:
    length = text.match(_SAID.near, index)
    if not length:
        return None
    first = index + length
    first += text.norm(first) in ("the", "a", "an")
    if named := _by_name(text, first, stay):
        return named
    stars = whole_number(text, first)  # "a nearby four star hotel"
    is_of_stars = stars is not None and "star" in (text.norm(stars[1]), text.norm(stars[1] + 1))
    after = first
    while (
        after < first + _WORDS_AT_MOST and after not in taken and text.norm(after) not in _WORDS.ends | {""}
    ):
        after += 1
    is_numbered = text.norm(first + 1) in _WORDS.ordinals and text[first + 2].is_word  # "near 5th Avenue"
    is_name = text[first].is_word or is_numbered
    if is_of_stars or after == first or not is_name or text.norm(first) in _WORDS.nowhere:
        return None
    return DistrictMention(first=first, after=after, name=text.spelled(first, after))
