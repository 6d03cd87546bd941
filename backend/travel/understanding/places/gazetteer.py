"""Every place that can be named, by name and by airport code.

Built from the hand-made city table and, for everywhere else, from airportsdata's airports; the latter become
cities of the lowest tier. A name may stand for several places; the most likely one comes first.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from heapq import nsmallest
from itertools import islice

import airportsdata
from rapidfuzz import process
from rapidfuzz.distance import OSA

from ...values.places import CITIES, COUNTRIES, REGIONS, TOWNS, Region
from ...values.travel import City
from ..result import Place
from ..tokens import tokenise


def _table(rows: str) -> dict[str, str]:
    """Parse `key=value, key=value,` over several lines."""
    pairs = (row.split("=") for row in " ".join(rows.split()).split(",") if row)
    return {key.strip(): value.strip() for key, value in pairs}


STATES = _table(
    """
    Alabama=al, Alaska=ak, Arizona=az, Arkansas=ar, California=ca, Colorado=co, Connecticut=ct,
    Delaware=de, District of Columbia=dc, Florida=fl, Georgia=ga, Hawaii=hi, Idaho=id, Illinois=il,
    Indiana=in, Iowa=ia, Kansas=ks, Kentucky=ky, Louisiana=la, Maine=me, Maryland=md, Massachusetts=ma,
    Michigan=mi, Minnesota=mn, Mississippi=ms, Missouri=mo, Montana=mt, Nebraska=ne, Nevada=nv,
    New Hampshire=nh, New Jersey=nj, New Mexico=nm, New York=ny, North Carolina=nc, North Dakota=nd,
    Ohio=oh, Oklahoma=ok, Oregon=or, Pennsylvania=pa, Rhode Island=ri, South Carolina=sc,
    South Dakota=sd, Tennessee=tn, Texas=tx, Utah=ut, Vermont=vt, Virginia=va, Washington=wa,
    West Virginia=wv, Wisconsin=wi, Wyoming=wy, Ontario=on, Quebec=qc, British Columbia=bc, Alberta=ab,
    New South Wales=nsw, Victoria=vic, Queensland=qld,
    """
)
"""Subdivision to its abbreviation, which counts only in capitals: "Portland, OR"."""

AIRPORT_NAMES = _table(
    """
    heathrow=LHR, gatwick=LGW, stansted=STN, luton=LTN, london city=LCY, ohare=ORD, midway=MDW,
    laguardia=LGA, la guardia=LGA, newark=EWR, narita=NRT, haneda=HND, kansai=KIX, itami=ITM,
    schiphol=AMS, charles de gaulle=CDG, orly=ORY, dulles=IAD, fiumicino=FCO, malpensa=MXP, linate=LIN,
    changi=SIN, sheremetyevo=SVO, arlanda=ARN, gardermoen=OSL, ataturk=ISL, suvarnabhumi=BKK,
    don mueang=DMK, sky harbor=PHX, sea tac=SEA, seatac=SEA, hartsfield=ATL, hartsfield jackson=ATL,
    logan airport=BOS, sabiha gokcen=SAW, tegel=BER, brandenburg=BER, barajas=MAD, el prat=BCN,
    sabiha=SAW, orio al serio=BGY, milan bergamo=BGY, bergamo airport=BGY, ciampino=CIA,
    venice treviso=TSF, treviso airport=TSF, marco polo airport=VCE, paris beauvais=BVA,
    beauvais airport=BVA, brussels charleroi=CRL, brussels south=CRL, charleroi airport=CRL, zaventem=BRU,
    frankfurt hahn=HHN, niederrhein=NRN, skavsta=NYO, bromma=BMA, torp=TRF, kastrup=CPH, vantaa=HEL,
    prestwick=PIK, roissy=CDG, modlin=WMI, chopin airport=WAW, okecie=WAW, balice=KRK, pyrzowice=KTW,
    ruzyne=PRG, ferihegy=BUD, liszt ferenc=BUD, otopeni=OTP, schoenefeld=BER, schonefeld=BER,
    capodichino=NAP, caselle=TRN, domodedovo=DME, vnukovo=VKO, esenboga=ESB, ben gurion=TLV, incheon=ICN,
    gimpo=GMP, noi bai=HAN, tan son nhat=SGN, klia=KUL, tullamarine=MEL, guarulhos=GRU, congonhas=CGH,
    galeao=GIG, santos dumont=SDU, ezeiza=EZE, aeroparque=AEP, burbank=BUR, love field=DAL,
    hobby airport=HOU, reagan airport=DCA, reagan national=DCA, pearson airport=YYZ, findel=LUX,
    """
)
"""Airports people call by name, folded, to their codes."""


_HAS_SUBDIVISIONS = frozenset({"US", "CA", "AU", "MX"})
_WORDS_AT_MOST = 5
_LOWEST_TIER = 3
_TWO_SLIPS_FROM = 9
"""Letters from which on two slips are forgiven: Atlantis is two away from Atlanta, and is not meant so."""


_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})


_SAINT = {"st": "saint", "ste": "saint"}


def name_key(words: Iterable[str]) -> str:
    """Return the form under which folded words are looked up: "st" and "saint" are the same."""
    return " ".join([_SAINT.get(word, word) for word in words])


def _key_of(name: str) -> str:
    return name_key(token.norm for token in tokenise(name) if token.is_word or token.is_number)


def _keys_of(name: str) -> tuple[str, ...]:
    """The keys of a name: without its umlauts, and with them spelt out, as in "Muenster"."""
    if name.isascii():  # 99 of 100 names: a second key of each would take a start 40 ms
        return (_key_of(name),)
    return tuple(dict.fromkeys((_key_of(name), _key_of(name.translate(_UMLAUTS)))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Gazetteer:
    """Look-up tables. `names` maps folded names to places, best first; `longest` the first word of a name
    to the number of words of the longest name beginning so; `abbreviations` are names that count only in
    capitals or where a place must stand. `known` are the names out of the hand-made table, whose cities are
    `cities`; `spellings` are those that typing errors are measured against, by first letter and the length of
    the word that may be one. `regions` are countries, states and the like by their names.
    """

    names: dict[str, tuple[Place, ...]]
    codes: dict[str, Place]
    longest: dict[str, int]
    abbreviations: frozenset[str]
    known: frozenset[str]
    cities: frozenset[City]
    spellings: dict[tuple[str, int], list[str]]
    regions: dict[str, tuple[Region, ...]]

    def lies_in(self, city: City, region: str) -> bool:
        """Return whether a city lies in the region of that name, which is given as its `name_key`."""
        return any(one.holds(city) for one in self.regions.get(region.removeprefix("the "), ()))

    def all_of(self, region: str) -> Place | None:
        """Return the airports of the country or state of that name as one place, None if there is none."""
        found = (one for one in self.regions.get(region.removeprefix("the "), ()) if one.country)
        if (one := next(found, None)) is None:
            return None
        codes = tuple(code for city in CITIES if one.holds(city) for code in city.airports)
        return Place(city=City(name=one.names[0], country=one.country, airports=codes, tier=1))

    def closest(self, key: str) -> str | None:
        """Return the name that `key` is a typing error away from: one slip, or two in a long name.

        Slips are looked for in known names only; an umlaut that is spelt out is none: "Goettingen".
        """
        plain = key.replace("ue", "u").replace("oe", "o").replace("ae", "a")
        if plain != key and plain in self.names:
            return plain
        names = self.spellings.get((key[:1], len(key)), ())
        found = process.extract(key, names, scorer=OSA.distance, score_cutoff=_slips(len(key)), limit=None)
        if not found:
            return None

        def likely(one: tuple[str, float, int]) -> tuple[float, bool, int, str]:
            """A letter is rather left out than mistaken, and of two cities the larger one is meant."""
            name, slips, _ = one
            return slips, len(name) <= len(key), self.names[name][0].city.tier, name

        return min(found, key=likely)[0]


@cache
def qualifiers(city: City) -> tuple[tuple[str, bool], ...]:
    """Return what may be said after a city's name to tell it apart, folded, and whether only in capitals."""
    regions = [name for region in REGIONS if city in region.cities for name in region.names]
    british = ("england", "scotland", "wales") if city.country == "GB" else ()
    spelled = (*COUNTRIES.get(city.country, ()), *regions, *british)
    names = [(name, False) for name in dict.fromkeys(_key_of(name) for name in spelled)]
    if city.subdivision:
        names.append((_key_of(city.subdivision), False))
        if city.subdivision in STATES:
            names.append((STATES[city.subdivision], True))
    return tuple(names)


def in_full(city: City) -> str:
    """Return a city's name with what tells it apart, in words: "Saint Petersburg, Florida"."""
    country, *_ = COUNTRIES.get(city.country, (city.country,))
    apart = city.subdivision if city.subdivision not in ("", city.name) else country
    return f"{city.name}, {apart}" if apart != city.name else city.name


@cache
def load_gazetteer() -> Gazetteer:
    """Build the gazetteer, once; takes about a fifth of a second."""
    codes: dict[str, Place] = {}
    by_identity: dict[tuple[str, str, str], City] = {}
    for city in sorted(CITIES, key=lambda city: city.tier):
        by_identity.setdefault((_key_of(city.name), city.country, city.subdivision), city)
        for code in city.airports:
            codes.setdefault(code, Place(city=city, airport=code))
    for town in TOWNS:  # of an airfield that only airportsdata knows, the town is still this one
        by_identity.setdefault((_key_of(town.name), town.country, town.subdivision), town)
    beside: dict[str, Place] = {}
    others = _cities_of_other_airports(by_identity, codes, beside)
    for city in CITIES:
        if city.metro:
            codes[city.metro] = Place(city=city)
    names: dict[str, list[Place]] = {}
    _enter(names, sorted(CITIES, key=lambda city: city.tier))
    known = frozenset(name for name in names if name)
    _enter(names, TOWNS)
    for city, spelled in others:
        for name in spelled:
            names.setdefault(name, []).append(Place(city=city))
    for town, place in beside.items():
        names.setdefault(town, [place])
    for name, code in AIRPORT_NAMES.items():
        if code in codes:
            names.setdefault(name, [codes[code]])
    names.pop("", None)
    regions = _regions()
    abbreviations = {_key_of(alias) for city in CITIES for alias in city.aliases if alias.isupper()}
    return Gazetteer(
        names={name: tuple(places) for name, places in names.items()},
        codes=codes,
        longest=_longest((*names, *regions)),
        abbreviations=frozenset(abbreviations - {_key_of(city.name) for city in CITIES}),
        known=known | AIRPORT_NAMES.keys(),
        cities=frozenset(CITIES),
        spellings=_spellings(known),
        regions=regions,
    )


def _enter(names: dict[str, list[Place]], cities: Iterable[City]) -> None:
    """Enter cities by all their names, after those of the same name that are there."""
    for city in cities:
        keys = (key for name in (city.name, *city.aliases) for key in _keys_of(name))
        for key in dict.fromkeys(keys):
            names.setdefault(key, []).append(Place(city=city))


def _cities_of_other_airports(
    by_identity: dict[tuple[str, str, str], City], codes: dict[str, Place], beside: dict[str, Place]
) -> list[tuple[City, tuple[str, ...]]]:
    """Return the cities that only airportsdata knows, with their names.

    Adds all airports to `codes`, and to `beside` the towns that share one with a city of the table, as
    Rockford does with Chicago.
    """
    groups: dict[tuple[str, str, str], list[str]] = {}
    spelled: dict[tuple[str, str, str], list[str]] = {}
    centres: dict[tuple[str, str, str], tuple[float, float]] = {}
    for code, airport in airportsdata.load("IATA").items():
        name = airport["city"] or airport["name"].removesuffix(" Airport")
        parts = [part.strip() for part in re.split(r"[/()]", name) if part.strip()]
        if code in codes or not parts:
            continue
        country = airport["country"]
        subdivision = airport["subd"] if country in _HAS_SUBDIVISIONS else ""
        identity = (_key_of(parts[0]), country, subdivision)
        if identity in by_identity:
            codes[code] = Place(city=by_identity[identity], airport=code)
            for part in parts[1:]:
                beside[_key_of(part)] = Place(city=_town(part, code, airport))
            continue
        groups.setdefault(identity, []).append(code)
        spelled.setdefault(identity, parts)
        centres.setdefault(identity, (airport["lat"], airport["lon"]))
    found: list[tuple[City, tuple[str, ...]]] = []
    for identity, airports in groups.items():
        city = City(
            name=spelled[identity][0],
            country=identity[1],
            subdivision=identity[2],
            airports=tuple(airports),
            tier=_LOWEST_TIER,
            centre=centres[identity],
        )
        for code in airports:
            codes[code] = Place(city=city, airport=code)
        found.append((city, tuple(key for part in spelled[identity] for key in _keys_of(part))))
    return found


def _town(name: str, code: str, airport: airportsdata.Airport) -> City:
    """The town of that name which has the airport."""
    return City(
        name=name,
        country=airport["country"],
        subdivision=airport["subd"] if airport["country"] in _HAS_SUBDIVISIONS else "",
        airports=(code,),
        tier=_LOWEST_TIER,
        centre=(airport["lat"], airport["lon"]),
    )


def _regions() -> dict[str, tuple[Region, ...]]:
    regions: dict[str, tuple[Region, ...]] = {}
    for region in REGIONS:
        for name in map(_key_of, region.names):
            regions[name] = (*regions.get(name, ()), region)
    return regions


def _longest(names: Iterable[str]) -> dict[str, int]:
    longest: dict[str, int] = {}
    for name in names:
        words = name.split()
        if words and len(words) <= _WORDS_AT_MOST:
            longest[words[0]] = max(longest.get(words[0], 0), len(words))
    return longest | dict.fromkeys(("st", "ste"), longest["saint"])  # as `name_key` has it


def _slips(letters: int) -> int:
    return 1 if letters < _TWO_SLIPS_FROM else 2


def _spellings(names: Iterable[str]) -> dict[tuple[str, int], list[str]]:
    """The names that a word may be a slip of. A name of another length is so many slips away at least."""
    spellings: dict[tuple[str, int], list[str]] = {}
    for name in names:
        lengths = range(len(name) - 2, len(name) + 3) if len(name) >= 5 else ()
        for length in lengths:
            if abs(len(name) - length) <= _slips(length):
                spellings.setdefault((name[0], length), []).append(name)
    return spellings


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
