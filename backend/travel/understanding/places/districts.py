"""Parts of cities by their names: districts, and sights in them, as they are looked up."""

from collections.abc import Iterable
from functools import cache

from ...values.places import CITIES, LANDMARKS, NAMED_DISTRICTS, districts_of
from ...values.travel import City
from ..tokens import tokenise

CENTRE_NAMES = (
    "centre", "center", "city centre", "city center", "town centre", "town center", "downtown", "centrum",
    "the middle of town", "city-centre", "centrally located",
)  # fmt: skip
"""What users call the middle of any city."""

_CALLED_CENTRE = frozenset({"centre", "centro", "centrum", "downtown", "mitte", "altstadt", "innere"})


def district_key(words: Iterable[str]) -> tuple[str, ...]:
    """Return the form under which the folded words of a name are looked up."""
    return tuple(word for word in words if word not in ("-", "the"))


def key_of(name: str) -> tuple[str, ...]:
    """Return the form under which a name is looked up."""
    return district_key(_words(name))


def _words(name: str) -> tuple[str, ...]:
    return tuple(token.norm for token in tokenise(name))


@cache
def named_districts() -> dict[tuple[str, ...], tuple[tuple[str, City], ...]]:
    """Return the districts and sights of a name, by its key: each as it is spelt, with its city."""
    by_label = {city.label: city for city in CITIES}
    known: dict[tuple[str, ...], tuple[tuple[str, City], ...]] = {}
    for label, districts in NAMED_DISTRICTS.items():
        for district in districts if label in by_label else ():
            key = key_of(district.name)
            known[key] = (*known.get(key, ()), (district.name, by_label[label]))
    for landmark in LANDMARKS:
        for name in landmark.names:
            known.setdefault(key_of(name), ((name, by_label[landmark.city]),))
    return known


@cache
def districts_by_key() -> dict[tuple[str, ...], str]:
    """Return every district and sight, the generic ones of most cities among them, as spelt, by its key."""
    names = {key_of(one.name): one.name for city in CITIES for one in districts_of(city)}
    return names | {key: named[0][0] for key, named in named_districts().items()}


@cache
def is_a_city(name: str) -> bool:
    """Return whether a city is called so as well."""
    return any(key_of(name) in map(key_of, (city.name, *city.aliases)) for city in CITIES)


def searched_district(name: str, city: City) -> str:
    """Return the district of that city in which a search for a place by that name looks, "" if none is known.

    The middle of a city is the district that is called so, or else the one nearest to its centre.
    """
    districts = districts_of(city)
    for district in districts:
        if key_of(district.name) == key_of(name):
            return district.name
    for landmark in LANDMARKS:
        if landmark.city == city.label and key_of(name) in map(key_of, landmark.names):
            return landmark.district
    if not districts or not city.centre or not is_centre(name):
        return ""
    called_so = (one.name for one in districts if not _CALLED_CENTRE.isdisjoint(key_of(one.name)))
    latitude, longitude = city.centre
    nearest = min(districts, key=lambda one: abs(one.latitude - latitude) + abs(one.longitude - longitude))
    return next(called_so, nearest.name)


def is_centre(name: str) -> bool:
    """Whether a name holds one for the middle of a city: "the old city centre"."""
    words = _words(name)
    return any(words[at : at + len(one)] == one for one in _CENTRES for at in range(len(words)))


_CENTRES = tuple(map(_words, CENTRE_NAMES))
