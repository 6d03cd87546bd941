"""Which airports have flights between them, how many a week, and by whom.

A gravity model: demand is the product of the airports' sizes, greater within a country or region, falling
with distance. Exponents and thresholds are tuned by eye, for about as many routes per airport as there are in
life: some two hundred from a world hub, a handful from a regional airport.
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .carriers import CARRIERS
from .geography import Airport, distance_km
from .noise import unit

SHORTEST_KM = 150
"""Nobody flies shorter, nonstop or otherwise."""

_LONGEST_KM = 15_500
_LOW_COST_LONGEST_KM = 3_500
_NORTH_AFRICA_LATITUDE = 25

_DOMESTIC_BONUS = 2.2
_REGIONAL_BONUS = 1.3
_TRUNK_BONUS = 1.7  # between world hubs of two regions
_LEAST_DEMAND = 0.055
_LEAST_LOW_COST_DEMAND = 0.09
_LOW_COST_SHARE = 0.35

_FLIGHTS_PER_DEMAND = 130
_DEMAND_EXPONENT = 1.1
_MOST_PER_WEEK = 56
_LEAST_PER_WEEK = 7
_HUBS_PER_AIRPORT = 5
_MOST_CARRIERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """One carrier's flights between two airports: `weekly` there, and as many back. It is based at `base`."""

    carrier: int
    base: Airport
    other: Airport
    km: float
    weekly: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    one: Airport
    other: Airport
    km: float
    demand: float


def longest_km(one: Airport, other: Airport) -> float:
    """Return how far apart two airports may be for a nonstop flight: the smaller, the nearer."""
    smaller, larger = sorted((one.size, other.size))
    if smaller < 0.1:
        return 1_500 if larger < 0.1 else 3_000 if larger < 0.4 else 6_500
    if smaller < 0.4:
        return 5_000 if larger < 0.4 else 11_000
    return _LONGEST_KM


def services(airports: Mapping[str, Airport], *, seed: int) -> Iterator[Service]:
    """Yield every service, in a fixed order."""
    home = _HomeCarriers(airports)
    low_cost_at = {code: _low_cost_carrier(airport) for code, airport in airports.items()}
    for pair in _pairs(airports):
        low_cost = low_cost_at[pair.one.code]
        if (
            low_cost != low_cost_at[pair.other.code]
            or pair.km > _LOW_COST_LONGEST_KM
            or pair.demand < _LEAST_LOW_COST_DEMAND
        ):
            low_cost = None
        network = home.carriers(pair, otherwise_none=low_cost is not None)
        weekly = _FLIGHTS_PER_DEMAND * pair.demand**_DEMAND_EXPONENT
        weekly = min(
            _MOST_PER_WEEK, weekly * (0.8 + 0.4 * unit("weekly", seed, pair.one.code, pair.other.code))
        )
        share = 1 - _LOW_COST_SHARE if low_cost is not None else 1.0
        for carrier in network:
            yield _service(carrier, pair, weekly * share / len(network))
        if low_cost is not None:
            yield _service(low_cost, pair, weekly * _LOW_COST_SHARE)


def _service(carrier: int, pair: _Pair, weekly: float) -> Service:
    base, other = pair.one, pair.other
    hubs = CARRIERS[carrier].hubs
    if (other.code in hubs, other.size) > (base.code in hubs, base.size):
        base, other = other, base
    return Service(
        carrier=carrier, base=base, other=other, km=pair.km, weekly=max(_LEAST_PER_WEEK, round(weekly))
    )


def _pairs(airports: Mapping[str, Airport]) -> list[_Pair]:
    """Return the pairs with enough demand, and for each airport at least its best links to hubs."""
    hubs = {code for carrier in CARRIERS for code in carrier.hubs}
    chosen: dict[tuple[str, str], _Pair] = {}
    links: dict[str, list[_Pair]] = {code: [] for code in airports}
    for one, other in itertools.combinations(airports.values(), 2):
        limit = longest_km(one, other)
        # A degree of latitude is 111 km: this spares the trigonometry for most pairs.
        if abs(one.latitude - other.latitude) * 111 > limit:
            continue
        km = distance_km(one, other)
        if not SHORTEST_KM <= km <= limit:
            continue
        demand = _demand(one, other, km)
        to_hub = other.code in hubs or one.code in hubs
        if demand < _LEAST_DEMAND and not to_hub:
            continue
        pair = _Pair(one=one, other=other, km=km, demand=demand)
        if demand >= _LEAST_DEMAND:
            chosen[one.code, other.code] = pair
        if to_hub:
            links[one.code].append(pair)
            links[other.code].append(pair)
    for code, of_airport in links.items():
        if code not in hubs:
            of_airport.sort(key=lambda pair: (-pair.demand, pair.one.code, pair.other.code))
            chosen |= {(pair.one.code, pair.other.code): pair for pair in of_airport[:_HUBS_PER_AIRPORT]}
    return [chosen[key] for key in sorted(chosen)]


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


class _HomeCarriers:
    """Who flies a pair: the carriers with a hub at either end, else that of the nearest hub."""

    def __init__(self, airports: Mapping[str, Airport]) -> None:
        self._at_hub: dict[str, list[int]] = {}
        for carrier, offered in enumerate(CARRIERS):
            for code in offered.hubs:
                self._at_hub.setdefault(code, []).append(carrier)
        hubs = [airports[code] for code in self._at_hub]
        self._nearest = {
            code: self._at_hub[min(hubs, key=lambda hub: distance_km(airport, hub)).code][0]
            for code, airport in airports.items()
        }

    def carriers(self, pair: _Pair, *, otherwise_none: bool) -> list[int]:
        """Return the network carriers of a pair; between two spokes none, if `otherwise_none`."""
        at_ends = {*self._at_hub.get(pair.one.code, ()), *self._at_hub.get(pair.other.code, ())}
        if at_ends:
            return sorted(
                at_ends, key=lambda carrier: unit("on pair", carrier, pair.one.code, pair.other.code)
            )[:_MOST_CARRIERS]
        return [] if otherwise_none else [self._nearest[pair.one.code]]
