"""Regions people name where a city is needed, and the cities of ours one goes to there.

Countries and the states of those countries that have them in the city table need no row: their cities are
known from there. The others are in `regions.tsv`: the names, and the labels of cities, most visited first.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .cities import CITIES
from .countries import COUNTRIES
from .tables import listed, rows
from .travel import City

_AT_MOST = 5
"""Cities that a person is asked to choose among."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A country, a state or a part of either, by its names, and up to five of its cities, largest first.

    `country` and `subdivision` tell what lies in it, where a country or a state is meant.
    """

    names: tuple[str, ...]
    cities: tuple[City, ...]
    country: str = ""
    subdivision: str = ""

    def holds(self, city: City) -> bool:
        """Whether a city lies in it."""
        if city in self.cities:
            return True
        is_in_state = not self.subdivision or city.subdivision == self.subdivision
        return bool(self.country) and city.country == self.country and is_in_state


def _largest(cities: Iterable[City]) -> tuple[City, ...]:
    return tuple(sorted(cities, key=lambda city: city.tier)[:_AT_MOST])


def _region(row: dict[str, str], by_label: dict[str, City]) -> Region:
    return Region(
        names=listed(row["names"]),
        cities=tuple(by_label[label] for label in listed(row["cities"], "; ")),
    )


def _regions() -> Iterator[Region]:
    by_label = {city.label: city for city in CITIES}
    yield from (_region(row, by_label) for row in rows("regions"))
    for code, names in COUNTRIES.items():
        if cities := _largest(city for city in CITIES if city.country == code):
            yield Region(names=names, cities=cities, country=code)
    states = dict.fromkeys((city.country, city.subdivision) for city in CITIES if city.subdivision)
    for country, subdivision in states:
        found = _largest(
            city for city in CITIES if (city.country, city.subdivision) == (country, subdivision)
        )
        yield Region(names=(subdivision,), cities=found, country=country, subdivision=subdivision)


REGIONS: tuple[Region, ...] = tuple(_regions())
"""Every region that has a city of ours. A name may stand for two: Georgia is a country and a state."""
