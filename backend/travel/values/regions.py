"""Regions people name where a city is needed, and the cities of ours one goes to there.

Countries and the states of those countries that have them in the city table need no row: their cities are
known from there. A row is `names|labels of cities`, the city most visited first.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .cities import CITIES
from .countries import COUNTRIES
from .travel import City

_AT_MOST = 5
"""Cities that a person is asked to choose among."""

_ROWS = """
Canary Islands, Canaries|Tenerife, ES; Gran Canaria, ES; Lanzarote, ES; Fuerteventura, ES
Balearic Islands, Balearics|Palma de Mallorca, ES; Ibiza, ES; Menorca, ES
Andalusia, Andalucía|Seville, ES; Málaga, ES; Granada, ES
Catalonia|Barcelona, ES
Basque Country|Bilbao, ES; San Sebastián, ES
Galicia|Santiago de Compostela, ES
Tuscany, Toscana|Florence, IT; Pisa, IT
Sicily, Sicilia|Catania, IT; Palermo, IT
Sardinia, Sardegna|Cagliari, IT; Olbia, IT
Lombardy|Milan, IT
Italian Lakes, Lake Como|Milan, IT
Lake Garda|Verona, IT
Crete, Kreta|Heraklion, GR; Chania, GR
Greek islands|Santorini, GR; Mykonos, GR; Rhodes, GR; Corfu, GR; Heraklion, GR
Cyclades|Santorini, GR; Mykonos, GR
Dalmatia, Dalmatian coast|Split, HR; Dubrovnik, HR
Bavaria|Munich, DE; Nuremberg, DE
Saxony|Leipzig, DE; Dresden, DE
Tyrol, Tirol|Innsbruck, AT
Provence|Marseille, FR; Nice, FR
Alsace|Strasbourg, FR
Brittany|Nantes, FR
England|London, GB; Manchester, GB; Birmingham, GB; Liverpool, GB; Bristol, GB
Scotland|Edinburgh, GB; Glasgow, GB; Inverness, GB; Aberdeen, GB
Scottish Highlands, Highlands|Inverness, GB
Wales|Cardiff, GB
Northern Ireland|Belfast, GB
Scandinavia|Copenhagen, DK; Stockholm, SE; Oslo, NO
Nordics, Nordic countries|Copenhagen, DK; Stockholm, SE; Oslo, NO; Helsinki, FI; Reykjavik, IS
Baltics, Baltic states|Riga, LV; Tallinn, EE; Vilnius, LT
Balkans|Belgrade, RS; Zagreb, HR; Sarajevo, BA; Tirana, AL; Skopje, MK
Transylvania|Cluj-Napoca, RO
Flanders|Brussels, BE; Bruges, BE
New England|Boston, Massachusetts, US; Hartford, Connecticut, US; Portland, Maine, US
Southern California, SoCal|Los Angeles, California, US; San Diego, California, US
Northern California|San Francisco, California, US; San Jose, California, US; Sacramento, California, US
Yucatan, Yucatan Peninsula|Cancún, Quintana Roo, MX; Mérida, Yucatán, MX
Caribbean|San Juan, Puerto Rico, US; Punta Cana, DO; Montego Bay, JM; Nassau, BS; Aruba, AW
Central America|San José, CR; Panama City, PA; Guatemala City, GT
South America|São Paulo, BR; Buenos Aires, AR; Lima, PE; Bogotá, CO; Santiago, CL
Patagonia|Bariloche, AR; Ushuaia, AR; Punta Arenas, CL
Kansai|Osaka, JP; Kyoto, JP
Southeast Asia, South East Asia|Bangkok, TH; Singapore, SG; Bali, ID; Kuala Lumpur, MY; Hanoi, VN
Rajasthan|Jaipur, IN
Punjab|Amritsar, IN
South Pacific|Tahiti, PF; Nadi, FJ; Apia, WS
Middle East|Dubai, AE; Doha, QA; Istanbul, TR; Amman, JO
North Africa|Marrakesh, MA; Cairo, EG; Tunis, TN
East Africa|Nairobi, KE; Zanzibar, TZ; Addis Ababa, ET
Africa|Cape Town, ZA; Cairo, EG; Marrakesh, MA; Nairobi, KE; Johannesburg, ZA
Asia|Tokyo, JP; Bangkok, TH; Singapore, SG; Hong Kong, HK; Seoul, KR
Europe|London, GB; Paris, FR; Rome, IT; Barcelona, ES; Amsterdam, NL
"""


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


def _parse(row: str, by_label: dict[str, City]) -> Region:
    names, labels = row.split("|")
    return Region(
        names=tuple(name.strip() for name in names.split(",")),
        cities=tuple(by_label[label.strip()] for label in labels.split(";")),
    )


def _regions() -> Iterator[Region]:
    by_label = {city.label: city for city in CITIES}
    yield from (_parse(row, by_label) for row in _ROWS.split("\n") if row)
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
