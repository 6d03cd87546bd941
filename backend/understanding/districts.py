"""The part of a city that a message asks for: a district known by name, or what it wants to be near."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache

from backend.domain.cities import CITIES
from backend.domain.districts import NAMED_DISTRICTS
from backend.domain.travel import City
from backend.understanding.text import Text, phrases, tokenise, word_set

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
_NOWHERE = word_set("there here it me us them that this you noon midnight")
_WORDS_AT_MOST = 4


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
            key = _key(token.norm for token in tokenise(district.name))
            known[key] = (*known.get(key, ()), (district.name, by_label[label]))
    return known


@cache
def _first_words() -> frozenset[str]:
    return frozenset(key[0] for key in _known())


def _key(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(word for word in words if word not in ("-", "the"))


def find_district(text: Text, *, taken: Collection[int] = ()) -> DistrictMention | None:
    """Return the first part of a city that is asked for, outside the tokens already `taken`."""
    for index in range(text.length):
        found = None if index in taken else _by_name(text, index) or _by_nearness(text, index, taken)
        if found and not any(at in taken for at in range(found.first, found.after)):
            return found
    return None


def _by_name(text: Text, index: int) -> DistrictMention | None:
    is_placed = text.norm(index - 1) in _IN
    if not is_placed or not (text.norm(index) in _first_words() or text.norm(index + 1) in _first_words()):
        return None
    for length in range(_WORDS_AT_MOST + 1, 0, -1):
        named = _known().get(_key(text.norm(index + offset) for offset in range(length)))
        if named:
            return DistrictMention(
                first=index, after=index + length, name=named[0][0], cities=tuple(city for _, city in named)
            )
    return None


def _by_nearness(text: Text, index: int, taken: Collection[int]) -> DistrictMention | None:
    length = text.match(_NEAR, index)
    if not length:
        return None
    first = index + length
    if text.norm(first) == "the":
        first += 1
    named = _by_name(text, first)
    if named:
        return named
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
