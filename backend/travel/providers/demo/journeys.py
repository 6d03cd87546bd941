"""Ways to get from one place to another on a day, nonstop or with one or two changes, and what a seat costs.

    fare = (24 + 0.13 km^0.93) x carrier x lead time x weekday x season x cabin x noise   (EUR, one person)

0.13 puts 350 km at about 50 EUR and 5,500 km at about 400 before the factors. Lead time makes the last days
dear, falls to a low at about two months and creeps up again: 0.88 + 1.1 e^(-days/10) + 0.12 days/365. Noise
is +-18 % per flight and date, and +-4 % from one today to the next, so a price differs tomorrow, but is the
same however often it is asked for today.

Connections are searched from the route map outwards: first which airports to change at (kept in memory,
judged by the length of the way), then the flights of the few best of them on that day. That keeps the
heaviest search (several airports at both ends) at some milliseconds.

All times are minutes of UTC since the proleptic ordinal 0, so that connections compare across zones.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from ....domain.errors import NotOnSale
from ...values.booking import Departure
from ...values.travel import CabinClass
from .inventory import LONG_HAUL_KM, SHORTEST_KM, Inventory, Pattern
from .world import CARRIERS, NOT_OFFERED, distance_km, noise_bytes, utc_offset_minutes

# --- fares ---------------------------------------------------------------------------------------------

# A connection costs this much of its flights' sum: on one carrier it competes with the nonstop.
_SAME_CARRIER_CONNECTION, _MIXED_CARRIER_CONNECTION = 0.72, 0.95
_SAME_CARRIER_RETURN = 0.92  # of the two directions' sum
_BY_WEEKDAY = (1.03, 0.92, 0.92, 1.02, 1.12, 0.97, 1.12)  # Monday first: Fridays and Sundays are dear
_BY_MONTH = (0.93, 0.92, 0.97, 1.02, 1.00, 1.08, 1.20, 1.20, 1.02, 0.98, 0.90, 1.00)
_AT_CHRISTMAS = 1.4
_LONG_HAUL_CABIN = {"economy": 1.0, "premium_economy": 1.6, "business": 2.9, "first": 4.6}
_SHORT_HAUL_CABIN = {"economy": 1.0, "premium_economy": 1.0, "business": 2.1, "first": 2.1}
_LEAST_NOISE = 0.78
_DAYS_UNDER_WAY = 3
_MINUTE_EUR, _STOP_EUR = 0.45, 60.0


@lru_cache(maxsize=1024)
def _date_factor(day: int, today: date) -> float:
    """Return lead time x weekday x season of a departure day (a proleptic ordinal)."""
    lead, departure = max(0, day - today.toordinal()), date.fromordinal(day)
    season = _BY_MONTH[departure.month - 1]
    if (departure.month, departure.day) >= (12, 19) or (departure.month, departure.day) <= (1, 4):
        season = _AT_CHRISTMAS
    return (0.88 + 1.1 * math.exp(-lead / 10) + 0.12 * lead / 365) * _BY_WEEKDAY[departure.weekday()] * season


def _by_distance(km: float) -> float:
    return 24.0 + 0.13 * km**0.93


def least_fare(km: float, *, days: range, today: date) -> float:
    """Return what no journey over such a distance is sold below that leaves on one of `days` (ordinals).

    In economy, with or without changes: these make the way longer, and the last flight may leave some days
    later than the first.
    """
    level = min(carrier.price_level for carrier in CARRIERS)
    on_best_day = min(_date_factor(day, today) for day in range(days.start, days.stop + _DAYS_UNDER_WAY))
    return _SAME_CARRIER_CONNECTION * _by_distance(km) * level * on_best_day * _LEAST_NOISE


# --- flights and journeys ------------------------------------------------------------------------------


class Leg(NamedTuple):
    """One flight on one day. Minutes of UTC, the day of departure there (ordinal), EUR for one person.

    `seats` (1 to 9) are left at that fare.
    """

    pattern: Pattern
    day: int
    departs: int
    arrives: int
    km: float
    fare: float
    seats: int


class Journey(NamedTuple):
    """Flights in order, from the first departure to the last arrival, with the fare of one person in EUR."""

    legs: tuple[Leg, ...]
    fare: float

    @property
    def departs(self) -> int:
        """The first departure, in minutes of UTC."""
        return self.legs[0].departs

    @property
    def arrives(self) -> int:
        """The last arrival, in minutes of UTC."""
        return self.legs[-1].arrives

    @property
    def score(self) -> float:
        """What the journey costs in EUR if a minute is worth 0.45 and a change 60; the less, the better."""
        return self.fare + _MINUTE_EUR * (self.arrives - self.departs) + _STOP_EUR * (len(self.legs) - 1)

    @property
    def carriers(self) -> set[int]:
        """Positions in `CARRIERS`."""
        return {leg.pattern.carrier for leg in self.legs}

    @property
    def low_cost(self) -> bool:
        """Whether a low-cost carrier flies part of it."""
        return any(CARRIERS[carrier].low_cost for carrier in self.carriers)


def journey_of(legs: tuple[Leg, ...]) -> Journey:
    """Return the journey on these flights, at the fare of one alone or of a connection."""
    journey = Journey(legs, sum(leg.fare for leg in legs))
    if len(legs) == 1:
        return journey
    share = _SAME_CARRIER_CONNECTION if len(journey.carriers) == 1 else _MIXED_CARRIER_CONNECTION
    return Journey(legs, share * journey.fare)


def fare_of(journeys: tuple[Journey, ...]) -> float:
    """Return what one journey, or one there and one back, costs one person, in EUR."""
    fare = sum(journey.fare for journey in journeys)
    carriers = {carrier for journey in journeys for carrier in journey.carriers}
    return _SAME_CARRIER_RETURN * fare if len(journeys) > 1 and len(carriers) == 1 else fare


# --- connections ---------------------------------------------------------------------------------------

_DAY = 24 * 60
_SHORTEST_CHANGE, _LONGEST_CHANGE, _LONGEST_CHANGE_OVERNIGHT = 50, 8 * 60, 15 * 60
# Bounds of the search, the shortest ways first; wider ones cost more time than they find journeys.
_DETOUR_FACTOR, _DETOUR_KM = 1.5, 1_500  # how much longer than the direct way, the second once a change
_ENOUGH_NONSTOP = 3
_ONE_STOP_WAYS, _ENOUGH_ONE_STOP = 14, 4
_TWO_STOP_WAYS, _ENOUGH_TWO_STOP = 24, 16
_GATEWAYS = 24  # airports looked at next to either end of a journey with two changes

_Way = tuple[str, ...]
"""Airports in the order they are flown to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketCounter:
    """What is on sale for one query: flights with seats for all passengers, in a cabin, as sold `today`.

    Lives as long as one search, and remembers the flights it has read.
    """

    inventory: Inventory
    today: date
    passengers: int
    cabin: CabinClass = "economy"
    _legs: dict[tuple[str, str, int], list[Leg]] = field(
        default_factory=dict[tuple[str, str, int], list[Leg]], init=False
    )

    def nonstop(self, origins: Sequence[str], destinations: Sequence[str], *, day: int) -> list[Journey]:
        """Return the nonstop flights that leave on a local day (ordinal)."""
        return [
            journey_of((leg,))
            for origin, destination in product(origins, destinations)
            for leg in self._on_sale(origin, destination, day)
            if self._flown_in_cabin((leg,))
        ]

    def connecting(
        self,
        origins: Sequence[str],
        destinations: Sequence[str],
        *,
        day: int,
        most_stops: int = 2,
        via: frozenset[str] = frozenset(),
        avoided: frozenset[str] = frozenset(),
    ) -> list[Journey]:
        """Return journeys with changes, the first flight leaving on a local day (ordinal).

        Planes are changed at one of the airports `via`, if there are any, and at none of those `avoided`. Two
        changes are tried only where there is little else: few with one, and few nonstop flights.
        """
        banned = avoided.union(origins, destinations)

        def shortest(ways: Iterator[tuple[float, _Way]], count: int) -> list[_Way]:
            return [way for _, way in sorted(each for each in ways if is_wanted(each[1][1:-1]))[:count]]

        def is_wanted(hubs: _Way) -> bool:
            return banned.isdisjoint(hubs) and not (via and via.isdisjoint(hubs))

        found: list[Journey] = []
        if most_stops >= 1:
            for way in shortest(self._one_stop(origins, destinations), _ONE_STOP_WAYS):
                found += self._along(way, day)
        if most_stops >= 2 and len(found) < _ENOUGH_ONE_STOP:
            if len(self.nonstop(origins, destinations, day=day)) >= _ENOUGH_NONSTOP:
                return found
            for way in shortest(self._two_stops(origins, destinations), _TWO_STOP_WAYS):
                found += self._along(way, day)
                if len(found) >= _ENOUGH_TWO_STOP:
                    break
        return found

    def flight(self, chosen: Departure) -> Leg:
        """Return one flight, whether or not there are seats on it. Raises `NotOnSale` for none."""
        for leg in self._read(chosen.origin, chosen.destination, chosen.day.toordinal()):
            pattern = leg.pattern
            if (CARRIERS[pattern.carrier].id, str(pattern.number)) == (chosen.carrier, chosen.number):
                return leg
        raise NotOnSale(NOT_OFFERED)

    def _one_stop(self, origins: Sequence[str], destinations: Sequence[str]) -> Iterator[tuple[float, _Way]]:
        routes = self.inventory.routes
        for origin, destination, limit in self._ends(origins, destinations, changes=1):
            for hub, first in routes[origin].items():
                onward = routes[hub].get(destination)
                if onward and first.connects and onward.connects and first.km + onward.km <= limit:
                    yield first.km + onward.km, (origin, hub, destination)

    def _two_stops(self, origins: Sequence[str], destinations: Sequence[str]) -> Iterator[tuple[float, _Way]]:
        for origin, destination, limit in self._ends(origins, destinations, changes=2):
            back = self._gateways(destination, origin)
            for first_km, first in self._gateways(origin, destination):
                for last_km, last in back:
                    middle = self.inventory.routes[first].get(last)
                    if middle and middle.connects and first_km + middle.km + last_km <= limit:
                        yield first_km + middle.km + last_km, (origin, first, last, destination)

    def _gateways(self, code: str, towards: str) -> list[tuple[float, str]]:
        """Return airports next to one with the way there, those first that lie towards the other end."""
        airports = self.inventory.airports
        near = [(route.km, hub) for hub, route in self.inventory.routes[code].items() if route.connects]
        near.sort(key=lambda way: way[0] + distance_km(airports[way[1]], airports[towards]))
        return near[:_GATEWAYS]

    def _ends(
        self, origins: Sequence[str], destinations: Sequence[str], *, changes: int
    ) -> Iterator[tuple[str, str, float]]:
        """Yield the pairs of airports that are flown between, and how long a way is with so many changes."""
        airports = self.inventory.airports
        for origin, destination in product(origins, destinations):
            if origin in airports and destination in airports:
                km = distance_km(airports[origin], airports[destination])
                if km >= SHORTEST_KM:
                    yield origin, destination, km * _DETOUR_FACTOR + changes * _DETOUR_KM

    def _along(self, way: _Way, day: int) -> Iterator[Journey]:
        for leg in self._network(way[0], way[1], day):
            for legs in self._continued((leg,), way[1:]):
                if self._flown_in_cabin(legs):
                    yield journey_of(legs)

    def _continued(self, so_far: tuple[Leg, ...], way: _Way) -> Iterator[tuple[Leg, ...]]:
        """Yield every sensible way to fly the rest of `way`; of each carrier the first that connects."""
        if len(way) == 1:
            yield so_far
            return
        arrival = so_far[-1].arrives
        local_day = self.local_day(way[0], arrival)
        connected: set[int] = set()
        for leg in (leg for day in (local_day, local_day + 1) for leg in self._network(way[0], way[1], day)):
            # Who arrives in the evening may leave in the morning; who arrives at noon may not wait that long.
            longest = _LONGEST_CHANGE_OVERNIGHT if leg.day > local_day else _LONGEST_CHANGE
            is_sensible = _SHORTEST_CHANGE <= leg.departs - arrival <= longest
            if is_sensible and leg.pattern.carrier not in connected:
                connected.add(leg.pattern.carrier)
                yield from self._continued((*so_far, leg), way[1:])

    def _network(self, origin: str, destination: str, day: int) -> list[Leg]:
        on_sale = self._on_sale(origin, destination, day)
        return [leg for leg in on_sale if not CARRIERS[leg.pattern.carrier].low_cost]

    def _on_sale(self, origin: str, destination: str, day: int) -> list[Leg]:
        key = (origin, destination, day)
        if key not in self._legs:
            self._legs[key] = [leg for leg in self._read(*key) if leg.seats >= self.passengers]
        return self._legs[key]

    def _read(self, origin: str, destination: str, day: int) -> Iterator[Leg]:
        route = self.inventory.routes.get(origin, {}).get(destination)
        if route is None:
            return
        midnight = day * _DAY - self._offset(origin, day)
        for pattern in self.inventory.flights(origin, destination, weekday=(day - 1) % 7):
            if self.cabin == "economy" or not CARRIERS[pattern.carrier].low_cost:
                fare, seats = self._seat(pattern, km=route.km, day=day)
                departs = midnight + pattern.departure
                yield Leg(pattern, day, departs, departs + pattern.block, route.km, fare, seats)

    def _seat(self, pattern: Pattern, *, km: float, day: int) -> tuple[float, int]:
        """Return the fare of a seat, and how many are left at it.

        In a cabin that the flight does not have, the seat is in the next lower one.
        """
        carrier = CARRIERS[pattern.carrier]
        dice = noise_bytes("seat", self.inventory.seed, carrier.id, pattern.number, day)
        noise = _LEAST_NOISE + 0.36 * (dice[0] / 255) + 0.08 * (dice[2 + self.today.toordinal() % 61] / 255)
        cabin = (_LONG_HAUL_CABIN if km >= LONG_HAUL_KM else _SHORT_HAUL_CABIN)[self.cabin]
        fare = _by_distance(km) * carrier.price_level * _date_factor(day, self.today) * cabin * noise
        # Most flights have seats for everybody: nine in 30 % of cases, at least two in 99 %.
        return fare, 1 + int(9 * (dice[1] / 256) ** 0.35)

    def _flown_in_cabin(self, legs: tuple[Leg, ...]) -> bool:
        """Return whether one of the flights has the cabin; premium economy and first are long-haul only."""
        is_long = max(leg.km for leg in legs) >= LONG_HAUL_KM
        return is_long or self.cabin in ("economy", "business")

    def local_day(self, airport: str, at: int) -> int:
        """Return the local day (ordinal) at an airport in some minute of UTC."""
        return (at + self._offset(airport, at // _DAY)) // _DAY

    def _offset(self, airport: str, day: int) -> int:
        return utc_offset_minutes(self.inventory.airports[airport].zone, day)
