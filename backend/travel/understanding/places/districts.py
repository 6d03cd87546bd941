"""The part of a city that a message asks for: a district or a sight by name, or what it wants to be near.

What a user wants to be near is kept in the user's words; which district is searched for it is a second
question (`searched_district`), for a hotel knows its district and not every church around it.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache

from ...values.cities import CITIES
from ...values.districts import NAMED_DISTRICTS, districts_of
from ...values.landmarks import LANDMARKS
from ...values.travel import City
from ..language.numbers import whole_number
from ..language.text import Text, phrases, tokenise, word_set

_NEAR = phrases(
    "near", "near to", "close to", "next to", "around", "nearby", "walking distance of", "walking distance to"
)
_IN = word_set("in at the near around to by of")
_ENDS = word_set(
    """
    . , ; : ! ? ( ) and or from to in on for with at by under below between until please that which
    where i we next this tomorrow today tonight preferably ideally if but instead max maximum less
    cheaper within hotel hotels
    """
)
_IN_A_DISTRICT = word_set("in at near around by")
_DISTRICT_NOUNS = word_set("area district quarter neighbourhood neighborhood")
_NOWHERE = word_set("there here it me us them that this you noon midnight")
_WORDS_AT_MOST = 4
_TOKENS_AT_MOST = 8
_CENTRE = phrases(
    "centre", "center", "city centre", "city center", "town centre", "town center", "downtown", "centrum",
    "the middle of town", "city-centre", "centrally located",
)  # fmt: skip
_CALLED_CENTRE = word_set("centre centro centrum downtown mitte altstadt innere")


@dataclass(frozen=True, slots=True, kw_only=True)
class DistrictMention:
    """Part of a city, the tokens from `first` up to `after`, and the cities that have one so called."""

    first: int
    after: int
    name: str
    cities: tuple[City, ...] = ()


@cache
def _known() -> dict[tuple[str, ...], tuple[tuple[str, City], ...]]:
    by_label = {city.label: city for city in CITIES}
    known: dict[tuple[str, ...], tuple[tuple[str, City], ...]] = {}
    for label, districts in NAMED_DISTRICTS.items():
        for district in districts if label in by_label else ():
            key = _key_of(district.name)
            known[key] = (*known.get(key, ()), (district.name, by_label[label]))
    for landmark in LANDMARKS:
        for name in landmark.names:
            known.setdefault(_key_of(name), ((name, by_label[landmark.city]),))
    return known


def searched_district(name: str, city: City) -> str:
    """Return the district of that city in which a search for a place by that name looks, "" if none is known.

    The middle of a city is the district that is called so, or else the one nearest to its centre.
    """
    districts = districts_of(city)
    for district in districts:
        if _key_of(district.name) == _key_of(name):
            return district.name
    for landmark in LANDMARKS:
        if landmark.city == city.label and _key_of(name) in map(_key_of, landmark.names):
            return landmark.district
    if not districts or not city.centre or not Text(name).has(_CENTRE):
        return ""
    called_so = (one.name for one in districts if not _CALLED_CENTRE.isdisjoint(_key_of(one.name)))
    latitude, longitude = city.centre
    nearest = min(districts, key=lambda one: abs(one.latitude - latitude) + abs(one.longitude - longitude))
    return next(called_so, nearest.name)


@cache
def _first_words() -> frozenset[str]:
    return frozenset(key[0] for key in _known())


def _key_of(name: str) -> tuple[str, ...]:
    return _key(token.norm for token in tokenise(name))


def _key(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(word for word in words if word not in ("-", "the"))


def find_district_of(text: Text, city: City) -> DistrictMention | None:
    """Return the first district of that city which the message names in full, None if it names none.

    A name that is a city's as well ("Salamanca"), or any district's ("Old Town"), is taken for the one there
    only with a word for it behind: "in the Salamanca area".
    """
    keys = {_key_of(district.name): district.name for district in districts_of(city)}
    are_named = city.label in NAMED_DISTRICTS
    for index in range(text.length):
        if text.norm(index - 1 - (text.norm(index - 1) == "the")) not in _IN_A_DISTRICT:
            continue
        for after in range(min(text.length, index + _TOKENS_AT_MOST), index, -1):
            name = keys.get(_key(text.norm(at) for at in range(index, after)))
            if not name or text.norm(after - 1) == "-":
                continue
            if text.norm(after) in _DISTRICT_NOUNS:
                return DistrictMention(first=index, after=after + 1, name=name)
            if are_named and not (_goes_on(text, after) or _is_a_city(name)):
                return DistrictMention(first=index, after=after, name=name)
    return None


@cache
def _is_a_city(name: str) -> bool:
    return any(_key_of(name) in map(_key_of, (city.name, *city.aliases)) for city in CITIES)


def find_district(text: Text, *, taken: Collection[int] = ()) -> DistrictMention | None:
    """Return the first part of a city that is asked for, outside the tokens already `taken`."""
    for index in range(text.length):
        found = (
            None
            if index in taken
            else _by_name(text, index) or _by_centre(text, index) or _by_nearness(text, index, taken)
        )
        if found and not any(at in taken for at in range(found.first, found.after)):
            return found
    return None


def _by_name(text: Text, index: int) -> DistrictMention | None:
    is_placed = text.norm(index - 1) in _IN
    if not is_placed or not (text.norm(index) in _first_words() or text.norm(index + 1) in _first_words()):
        return None
    for length in range(_WORDS_AT_MOST + 1, 0, -1):
        named = _known().get(_key(text.norm(index + offset) for offset in range(length)))
        if named and not _goes_on(text, index + length):
            return DistrictMention(
                first=index, after=index + length, name=named[0][0], cities=tuple(city for _, city in named)
            )
    return None


def _goes_on(text: Text, after: int) -> bool:
    """Whether a name goes on after what is known of it: there is a Soho, but not in "Soho Gardens"."""
    return text[after].is_capitalised and not text[after].raw.isupper() and text.norm(after) not in _ENDS


def _by_centre(text: Text, index: int) -> DistrictMention | None:
    """ "near the centre", "in the city centre", "downtown"."""
    length = text.match(_CENTRE, index)
    before = index - 2 if text.norm(index - 1) == "the" else index - 1
    if not length or not (text.norm(before) in _IN or text.norm(index) == "downtown"):
        return None
    return DistrictMention(first=index, after=index + length, name="the centre")


def _by_nearness(text: Text, index: int, taken: Collection[int]) -> DistrictMention | None:
    length = text.match(_NEAR, index)
    if not length:
        return None
    first = index + length
    if text.norm(first) == "the":
        first += 1
    named = _by_name(text, first) or _by_centre(text, first)
    if named:
        return named
    if _is_of_stars(text, first):
        return None
    after = first
    while (
        after < min(text.length, first + _WORDS_AT_MOST)
        and after not in taken
        and text.norm(after) not in _ENDS
    ):
        after += 1
    if after == first or not text[first].is_word or text.norm(first) in _NOWHERE:
        return None
    return DistrictMention(first=first, after=after, name=text.spelled(first, after))


def _is_of_stars(text: Text, index: int) -> bool:
    """Whether a number of stars begins there: "a nearby four star hotel"."""
    read = whole_number(text, index)
    return read is not None and "star" in (text.norm(read[1]), text.norm(read[1] + 1))
