"""Airports and flights of the demo inventory: who flies where and when in a week, and the file that has it.

A gravity model: demand is the product of the airports' sizes, greater within a country or region, falling
with distance. Exponents and thresholds are tuned by eye, for about as many routes per airport as there are
in life: some two hundred from a world hub, a handful from a regional airport. Flights leave their base
spread from 06:00 to 22:00, long-haul ones in fixed banks; the aircraft turns round and flies back, in a bank
again or, short-haul, at once; what would leave between 22:30 and 05:30 stays the night.

Nothing of the file is shipped. It is built at first start, and again when its stamp (generator version,
seed, tables it was made from) is not that of the running code. It is built under another name and renamed, so
that a crash leaves either the old file, the new one, or none, never half a one.
"""

import itertools
import math
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from ...values.places import CITIES
from .world import CARRIERS, Airport, airports_of, distance_km, fingerprint, unit, utc_offset_minutes

SHORTEST_KM = 150
"""Nobody flies shorter, nonstop or otherwise."""

LONG_HAUL_KM = 3_500

# --- routes --------------------------------------------------------------------------------------------

_LOW_COST_LONGEST_KM = 3_500
_NORTH_AFRICA_LATITUDE = 25
_DOMESTIC_BONUS, _REGIONAL_BONUS, _TRUNK_BONUS = 2.2, 1.3, 1.7  # trunk: between world hubs of two regions
_LEAST_DEMAND, _LEAST_LOW_COST_DEMAND = 0.055, 0.09
_LOW_COST_SHARE = 0.35
_FLIGHTS_PER_DEMAND, _DEMAND_EXPONENT = 130, 1.1
_LEAST_PER_WEEK, _MOST_PER_WEEK = 7, 56
_HUBS_PER_AIRPORT = 5
_MOST_CARRIERS = 3


class Service(NamedTuple):
    """One carrier's flights between two airports: `weekly` there, and as many back. It is based at `base`."""

    carrier: int
    base: Airport
    other: Airport
    km: float
    weekly: int


class _Pair(NamedTuple):
    one: Airport
    other: Airport
    km: float
    demand: float


def services(airports: Mapping[str, Airport], *, seed: int) -> Iterator[Service]:
    """Yield every service, in a fixed order."""
    at_hub: dict[str, list[int]] = {}
    for index, carrier in enumerate(CARRIERS):
        for code in carrier.hubs:
            at_hub.setdefault(code, []).append(index)
    hubs = [airports[code] for code in at_hub]
    low_cost_at = {code: _low_cost_carrier(airport) for code, airport in airports.items()}
    for pair in _pairs(airports):
        one, other, km, demand = pair
        low_cost = low_cost_at[one.code]
        is_one_region = low_cost == low_cost_at[other.code]
        if not is_one_region or km > _LOW_COST_LONGEST_KM or demand < _LEAST_LOW_COST_DEMAND:
            low_cost = None
        # The carriers with a hub at either end; between two spokes that of the nearest hub, if nobody else.
        network = sorted(
            {*at_hub.get(one.code, ()), *at_hub.get(other.code, ())},
            key=lambda index, ends=(one.code, other.code): unit("on pair", index, *ends),
        )[:_MOST_CARRIERS]
        if not network and low_cost is None:
            nearest = min(hubs, key=lambda hub, airport=one: distance_km(airport, hub))
            network = at_hub[nearest.code][:1]
        weekly = _FLIGHTS_PER_DEMAND * demand**_DEMAND_EXPONENT
        weekly *= 0.8 + 0.4 * unit("weekly", seed, one.code, other.code)
        weekly = min(_MOST_PER_WEEK, weekly)
        share = 1 - _LOW_COST_SHARE if low_cost is not None else 1.0
        for carrier in network:
            yield _service(carrier, pair, weekly * share / len(network))
        if low_cost is not None:
            yield _service(low_cost, pair, weekly * _LOW_COST_SHARE)


def _service(carrier: int, pair: _Pair, weekly: float) -> Service:
    hubs = CARRIERS[carrier].hubs
    base, other = sorted((pair.one, pair.other), key=lambda end: (end.code not in hubs, -end.size))
    return Service(carrier, base, other, pair.km, max(_LEAST_PER_WEEK, round(weekly)))


def _pairs(airports: Mapping[str, Airport]) -> list[_Pair]:
    """Return the pairs with enough demand, and for each airport at least its best links to hubs."""
    hubs = {code for carrier in CARRIERS for code in carrier.hubs}
    chosen: dict[tuple[str, str], _Pair] = {}
    links: dict[str, list[_Pair]] = {code: [] for code in airports}
    for one, other in itertools.combinations(airports.values(), 2):
        limit = _longest_km(one, other)
        # A degree of latitude is 111 km: this spares the trigonometry for most pairs.
        if abs(one.latitude - other.latitude) * 111 > limit:
            continue
        km = distance_km(one, other)
        if not SHORTEST_KM <= km <= limit:
            continue
        pair = _Pair(one, other, km, _demand(one, other, km))
        if pair.demand >= _LEAST_DEMAND:
            chosen[one.code, other.code] = pair
        if other.code in hubs or one.code in hubs:
            links[one.code].append(pair)
            links[other.code].append(pair)
    for code, of_airport in links.items():
        if code not in hubs:
            of_airport.sort(key=lambda pair: (-pair.demand, pair.one.code, pair.other.code))
            chosen |= {(pair.one.code, pair.other.code): pair for pair in of_airport[:_HUBS_PER_AIRPORT]}
    return [chosen[key] for key in sorted(chosen)]


def _longest_km(one: Airport, other: Airport) -> float:
    """Return how far apart two airports may be for a nonstop flight: the smaller, the nearer."""
    smaller, larger = sorted((one.size, other.size))
    if smaller < 0.1:
        return 1_500 if larger < 0.1 else 3_000 if larger < 0.4 else 6_500
    if smaller < 0.4:
        return 5_000 if larger < 0.4 else 11_000
    return 15_500


def _demand(one: Airport, other: Airport, km: float) -> float:
    bonus = 1.0
    if one.country == other.country:
        bonus = _DOMESTIC_BONUS
    elif one.region == other.region:
        bonus = _REGIONAL_BONUS
    elif min(one.size, other.size) >= 1:
        bonus = _TRUNK_BONUS
    return one.size * other.size * bonus / math.pow(km / 1000 + 0.4, 0.9)


def _low_cost_carrier(airport: Airport) -> int | None:
    if airport.region == "Africa" and airport.latitude < _NORTH_AFRICA_LATITUDE:
        return None
    serving = (index for index, carrier in enumerate(CARRIERS) if airport.region in carrier.regions)
    return next(serving, None)


# --- weeks ---------------------------------------------------------------------------------------------

_DAY = 24 * 60
_FIRST_DEPARTURE, _LAST_DEPARTURE = 6 * 60, 22 * 60
_RESTING_FROM, _RESTING_UNTIL = 22 * 60 + 30, 5 * 60 + 30
_FIRST_NUMBER = 100
# In minutes after midnight: outbound ones in the order they fill up, inbound ones in that of the day.
_LONG_HAUL_BANKS = (620, 1230, 810, 1320, 1005, 520, 1125)
_LONG_HAUL_RETURNS = (525, 665, 815, 970, 1110, 1235, 1325)
_TURN_ROUND = {False: 45, True: 100}  # minutes on the ground, by whether long-haul
_ORDINARY_DAY = date(2026, 1, 14).toordinal()  # whose UTC offsets the rotations are planned with
_EVERY_DAY = 0b111_1111


class Pattern(NamedTuple):
    """A flight that recurs every week.

    `departure` is in minutes after local midnight, `block` in minutes; bit 0 of `weekdays` is Monday;
    `carrier` is a position in `CARRIERS`.
    """

    origin: str
    destination: str
    departure: int
    block: int
    weekdays: int
    carrier: int
    number: int


def timetable(services: Iterable[Service], *, seed: int) -> Iterator[Pattern]:
    """Yield the patterns of all services, outbound and inbound in turn; numbers are unique per carrier."""
    numbers: dict[int, int] = {}
    for service in services:
        whole, rest = divmod(service.weekly, 7)
        start = unit("week", seed, service.carrier, service.base.code, service.other.code)
        some_days = sum({1 << (int(start * 7) + index * 7 // rest) % 7 for index in range(rest)})
        daily = [_EVERY_DAY] * whole + [some_days] * (rest > 0)
        for position, weekdays in enumerate(daily):
            number = numbers.get(service.carrier, _FIRST_NUMBER)
            numbers[service.carrier] = number + 2
            departure = _departure(service, position=position, of=len(daily), phase=start)
            yield from _rotation(service, departure=departure, weekdays=weekdays, number=number)


def block_minutes(origin: Airport, destination: Airport, *, km: float) -> int:
    """Return minutes from gate to gate, in steps of five.

    32 minutes of taxi, climb and approach, then 816 km/h, 5 % faster flying east and slower flying west:
    JFK-LHR (5,540 km) takes 7:00 and LHR-JFK 7:40.
    """
    eastward = (destination.longitude - origin.longitude + 540) % 360 - 180
    # Wind needs room: full effect from 30 degrees of longitude on, so that north-south flights see none.
    wind = 1 - 0.05 * max(-1.0, min(1.0, eastward / 30))
    return 5 * round((32 + km / 13.6 * wind) / 5)


def _departure(service: Service, *, position: int, of: int, phase: float) -> int:
    if service.km >= LONG_HAUL_KM:
        bank = _LONG_HAUL_BANKS[(position + int(phase * 3)) % len(_LONG_HAUL_BANKS)]
        return bank + 5 * int(phase * 61 % 7)
    span = _LAST_DEPARTURE - _FIRST_DEPARTURE
    return _FIRST_DEPARTURE + 5 * int(span * (position + phase) / of / 5)


def _rotation(service: Service, *, departure: int, weekdays: int, number: int) -> Iterator[Pattern]:
    carrier, base, other, km, _ = service
    outbound = block_minutes(base, other, km=km)
    yield Pattern(base.code, other.code, departure, outbound, weekdays, carrier, number)
    shift = utc_offset_minutes(other.zone, _ORDINARY_DAY) - utc_offset_minutes(base.zone, _ORDINARY_DAY)
    ready = departure + outbound + shift + _TURN_ROUND[km >= LONG_HAUL_KM]
    days, minute = _next_departure(ready, long_haul=km >= LONG_HAUL_KM, spread=number % 12)
    later = (weekdays << days % 7 | weekdays >> 7 - days % 7) & _EVERY_DAY
    back = block_minutes(other, base, km=km)
    yield Pattern(other.code, base.code, minute, back, later, carrier, number + 1)


def _next_departure(ready: int, *, long_haul: bool, spread: int) -> tuple[int, int]:
    """Return the days since the aircraft left its base, and the minute, of the flight back."""
    days, minute = divmod(ready, _DAY)
    if long_haul:
        bank = next((bank for bank in _LONG_HAUL_RETURNS if bank >= minute), None)
        return (days + 1, _LONG_HAUL_RETURNS[0]) if bank is None else (days, bank)
    if minute > _RESTING_FROM:
        return days + 1, _RESTING_UNTIL + 5 * spread
    return days, max(minute, _RESTING_UNTIL + 5 * spread)


# --- the file ------------------------------------------------------------------------------------------


GENERATOR_VERSION = 4
"""Raised whenever the generator's code yields something else; its tables are in the stamp anyway."""

_SCHEMA = """
CREATE TABLE meta (stamp);
CREATE TABLE airport (code PRIMARY KEY, country, latitude, longitude, zone, size, x, y, z) WITHOUT ROWID;
CREATE TABLE route (origin, destination, km, connects, PRIMARY KEY (origin, destination)) WITHOUT ROWID;
CREATE TABLE pattern (
    origin, destination, departure, block, weekdays, carrier, number,
    PRIMARY KEY (origin, destination, departure, carrier, number)
) WITHOUT ROWID;
"""


class Route(NamedTuple):
    """Flights from one airport to another: their distance, and whether a network carrier is among them."""

    km: float
    connects: bool


class Inventory:
    """The open file. Airports and routes are held in memory, flights are read when asked for.

    Synchronous: a look-up takes some ten microseconds. One thread at a time.
    """

    def __init__(self, connection: sqlite3.Connection, *, seed: int) -> None:
        self.seed = seed
        self._connection = connection
        self.airports = {row[0]: Airport(*row) for row in connection.execute("SELECT * FROM airport")}
        self.routes: dict[str, dict[str, Route]] = {code: {} for code in self.airports}
        for origin, destination, km, connects in connection.execute("SELECT * FROM route"):
            self.routes[origin][destination] = Route(km, bool(connects))

    def flights(self, origin: str, destination: str, *, weekday: int) -> list[Pattern]:
        """Return the flights between two airports on a weekday (Monday is 0), by time of departure."""
        found = self._connection.execute(
            "SELECT * FROM pattern WHERE origin = ? AND destination = ? AND weekdays & ? ORDER BY departure",
            (origin, destination, 1 << weekday),
        )
        return [Pattern(*row) for row in found]

    def close(self) -> None:
        """Close the file; nothing can be read afterwards."""
        self._connection.close()


def open_inventory(path: Path, *, seed: int) -> Inventory:
    """Open the inventory at `path`; builds it first if there is none, or not this one (under a second)."""
    inventory = read_inventory(path, seed=seed)
    if inventory is None:
        build_inventory(path, seed=seed)
        inventory = read_inventory(path, seed=seed)
    if inventory is None:
        raise RuntimeError(f"The demo inventory at {path} cannot be read after it was built.")
    return inventory


def build_inventory(path: Path, *, seed: int) -> None:
    """Build the inventory at `path`, replacing what is there. The same seed gives the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    os.close(handle)
    unfinished = Path(name)
    try:
        with closing(sqlite3.connect(unfinished)) as file:
            file.execute("PRAGMA journal_mode = OFF")  # what is renamed only when whole needs none
            _generate(file, seed=seed)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def read_inventory(path: Path, *, seed: int) -> Inventory | None:
    """Open the inventory at `path`; None if there is none, or not this one."""
    if not path.exists():
        return None
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True, check_same_thread=False)
    try:
        found = connection.execute("SELECT stamp FROM meta").fetchone()
        if found == (_stamp(seed=seed),):
            return Inventory(connection, seed=seed)
    except sqlite3.DatabaseError:
        pass  # not a database, or a damaged one: built anew like an old one
    connection.close()
    return None


def _stamp(*, seed: int) -> str:
    tables = fingerprint(CITIES, CARRIERS, version("airportsdata"))
    return f"generator {GENERATOR_VERSION}, seed {seed}, tables {tables}"


def _generate(file: sqlite3.Connection, *, seed: int) -> None:
    airports = airports_of(CITIES)
    patterns = sorted(timetable(services(airports, seed=seed), seed=seed))
    connects: dict[tuple[str, str], bool] = {}
    for each in patterns:
        pair = (each.origin, each.destination)
        connects[pair] = connects.get(pair, False) or not CARRIERS[each.carrier].low_cost
    routes = ((a, b, distance_km(airports[a], airports[b]), each) for (a, b), each in connects.items())
    file.executescript(_SCHEMA)
    file.execute("INSERT INTO meta VALUES (?)", (_stamp(seed=seed),))
    file.executemany("INSERT INTO airport VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", airports.values())
    file.executemany("INSERT INTO route VALUES (?, ?, ?, ?)", routes)
    file.executemany("INSERT INTO pattern VALUES (?, ?, ?, ?, ?, ?, ?)", patterns)
    file.commit()
