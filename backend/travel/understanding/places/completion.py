"""The places that a name may become while it is typed, the likeliest first."""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cache
from heapq import nsmallest
from itertools import islice

from ...values.travel import City
from ..result import Place
from ..tokens import tokenise
from .gazetteer import Gazetteer, in_full, load_gazetteer, name_key

_CODE_LETTERS = 3


def complete_place(
    text: str, *, most: int, accepts: Callable[[Place], bool] = lambda _place: True
) -> list[Place]:
    """Return up to `most` places whose name, or IATA code, begins with a text.

    A slip is forgiven if none does. `accepts` is asked of the likeliest places only, in their order, until
    there are enough of them.
    An airport is returned for itself only where its city has others: elsewhere the city says as much.
    What follows a comma tells namesakes apart: "Paris, T" is in Texas or Tennessee.
    """
    gazetteer = load_gazetteer()
    first, comma, _ = text.partition(",")
    key = name_key(token.norm for token in tokenise(first) if token.is_word or token.is_number)
    if not key:
        return []
    code = gazetteer.codes.get(key.upper()) if len(key) == _CODE_LETTERS else None
    found = {} if code is None else {_identity(code): code}
    names = list(_beginning_with(key))
    if not names and code is None and (meant := gazetteer.closest(key)):
        names = [meant]
    ranked = (
        (_rank(place, name, key, gazetteer), place)
        for name in names
        for place in gazetteer.names[name]
        if not comma or _is_spelled_so(place.city, text)
    )
    for _, place in nsmallest(4 * most, ranked, key=lambda each: each[0]):
        found.setdefault(_identity(place), place)
    return list(islice(filter(accepts, found.values()), most))


def words_for(place: Place) -> str:
    """Return what names a place in a message, and no other: "Lisbon, Portugal", "LHR"."""
    return place.airport if _is_one_of_several(place) else in_full(place.city)


def _beginning_with(key: str) -> Iterator[str]:
    names = _sorted_names()
    for at in range(bisect_left(names, key), len(names)):
        if not names[at].startswith(key):
            return
        yield names[at]


@cache
def _sorted_names() -> list[str]:
    return sorted(load_gazetteer().names)


def _rank(place: Place, name: str, key: str, gazetteer: Gazetteer) -> tuple[int, bool, int, str]:
    """Rank by size; a name that is typed in full counts as one size larger: Bari before Bariloche."""
    is_lesser = place.city not in gazetteer.cities  # 7 of 8 names are those of an airfield alone
    return place.city.tier + is_lesser - (name == key), bool(place.airport), len(name), name


def _is_spelled_so(city: City, text: str) -> bool:
    said = text.strip().casefold()
    return any(full.casefold().startswith(said) for full in (in_full(city), city.label))


def _identity(place: Place) -> tuple[City, str]:
    return place.city, place.airport if _is_one_of_several(place) else ""


def _is_one_of_several(place: Place) -> bool:
    return bool(place.airport) and len(place.city.airports) > 1
