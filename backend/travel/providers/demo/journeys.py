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
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from ...values.travel import CabinClass
from .inventory import LONG_HAUL_KM, SHORTEST_KM, Inventory, Pattern
from .world import CARRIERS, distance_km, noise_bytes, utc_offset_minutes

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
def _date_factor(day: int, today: int) -> float:
    """Return lead time x weekday x season of a departure day, both as proleptic ordinals."""
    lead, departure = max(0, day - today), date.fromordinal(day)
    season = _BY_MONTH[departure.month - 1]
    if (departure.month, departure.day) >= (12, 19) or (departure.month, departure.day) <= (1, 4):
        season = _AT_CHRISTMAS
    return (0.88 + 1.1 * math.exp(-lead / 10) + 0.12 * lead / 365) * _BY_WEEKDAY[departure.weekday()] * season


def _by_distance(km: float) -> float:
    return 24.0 + 0.13 * km**0.93


def least_fare(km: float, *, days: range, today: int) -> float:
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
_ONE_STOP_WAYS, _ENOUGH_ONE_STOP = 14, 4
_TWO_STOP_WAYS, _ENOUGH_TWO_STOP = 24, 16
_GATEWAYS = 24  # airports looked at next to either end of a journey with two changes

_Way = tuple[str, ...]
"""Airports in the order they are flown to."""

MayBe = Callable[[Sequence[str]], bool]
"""Tells of the airports at which planes are changed whether one may fly that way."""


class TicketCounter:
    """What is on sale for one query: flights with seats for all passengers, in a cabin, as sold `today`.

    Lives as long as one search, and remembers the flights it has read.
    """

    def __init__(self, inventory: Inventory, *, today: int, cabin: CabinClass, passengers: int) -> None:
        self._inventory = inventory
        self._today = today
        self._cabin: CabinClass = cabin
        self._passengers = passengers
        self._legs: dict[tuple[str, str, int], list[Leg]] = {}

    def nonstop(self, origins: Sequence[str], destinations: Sequence[str], *, day: int) -> list[Journey]:
        """Return the nonstop flights that leave on a local day (ordinal)."""
        return [
            journey_of((leg,))
            for origin in origins
            for destination in destinations
            for leg in self._on_sale(origin, destination, day)
            if self._flown_in_cabin((leg,))
        ]

    def connecting(
        self,
        origins: Sequence[str],
        destinations: Sequence[str],
        *,
        day: int,
        most_stops: int,
        scarce: bool,
        may_be: MayBe = lambda hubs: True,
    ) -> list[Journey]:
        """Return journeys with changes, the first flight leaving on a local day (ordinal).

        Two changes are tried only where there is little else: few with one, and, as the caller knows,
        `scarce` nonstop flights. Of the ways to fly, those are tried that `may_be` by their changes.
        """
        found: list[Journey] = []
        if most_stops >= 1:
            for way in self._ways(self._one_stop(origins, destinations, may_be), _ONE_STOP_WAYS):
                found += self._along(way, day)
        if most_stops >= 2 and scarce and len(found) < _ENOUGH_ONE_STOP:
            for way in self._ways(self._two_stops(origins, destinations, may_be), _TWO_STOP_WAYS):
                found += self._along(way, day)
                if len(found) >= _ENOUGH_TWO_STOP:
                    break
        return found

    def flight(self, carrier: str, number: str, *, origin: str, destination: str, day: int) -> Leg | None:
        """Return one flight of a carrier (by id) on a local day, seats or not; None if there is none."""
        for leg in self._read(origin, destination, day):
            if (CARRIERS[leg.pattern.carrier].id, str(leg.pattern.number)) == (carrier, number):
                return leg
        return None

    def _ways(self, ways: Iterator[tuple[float, _Way]], count: int) -> list[_Way]:
        return [way for _, way in sorted(ways)[:count]]

    def _one_stop(
        self, origins: Sequence[str], destinations: Sequence[str], may_be: MayBe
    ) -> Iterator[tuple[float, _Way]]:
        routes, ends = self._inventory.routes, {*origins, *destinations}
        for origin, destination, direct in self._ends(origins, destinations):
            limit = direct * _DETOUR_FACTOR + _DETOUR_KM
            for hub, first in routes[origin].items():
                onward = routes[hub].get(destination)
                if onward is None or not (first.connects and onward.connects):
                    continue
                km = first.km + onward.km
                if km <= limit and hub not in ends and may_be((hub,)):
                    yield km, (origin, hub, destination)

    def _two_stops(
        self, origins: Sequence[str], destinations: Sequence[str], may_be: MayBe
    ) -> Iterator[tuple[float, _Way]]:
        routes, ends = self._inventory.routes, {*origins, *destinations}
        for origin, destination, direct in self._ends(origins, destinations):
            limit = direct * _DETOUR_FACTOR + 2 * _DETOUR_KM
            back = self._gateways(destination, origin)
            for first_km, first in self._gateways(origin, destination):
                for last_km, last in back:
                    middle = routes[first].get(last)
                    if middle is None or not middle.connects or {first, last} & ends:
                        continue
                    km = first_km + middle.km + last_km
                    if km <= limit and may_be((first, last)):
                        yield km, (origin, first, last, destination)

    def _gateways(self, code: str, towards: str) -> list[tuple[float, str]]:
        """Return airports next to one with the way there, those first that lie towards the other end."""
        airports = self._inventory.airports
        near = [(route.km, hub) for hub, route in self._inventory.routes[code].items() if route.connects]
        near.sort(key=lambda way: way[0] + distance_km(airports[way[1]], airports[towards]))
        return near[:_GATEWAYS]

    def _ends(self, origins: Sequence[str], destinations: Sequence[str]) -> Iterator[tuple[str, str, float]]:
        airports = self._inventory.airports
        for origin in filter(airports.__contains__, origins):
            for destination in filter(airports.__contains__, destinations):
                km = distance_km(airports[origin], airports[destination])
                if km >= SHORTEST_KM:
                    yield origin, destination, km

    def _along(self, way: _Way, day: int) -> Iterator[Journey]:
        for legs in self._continued((), way, day):
            if self._flown_in_cabin(legs):
                yield journey_of(legs)

    def _continued(self, so_far: tuple[Leg, ...], way: _Way, day: int) -> Iterator[tuple[Leg, ...]]:
        """Yield every sensible way to fly the rest of `way`; of each carrier the first that connects."""
        if len(way) == 1:
            yield so_far
            return
        if not so_far:
            for leg in self._network(way[0], way[1], day):
                yield from self._continued((leg,), way[1:], day)
            return
        arrival = so_far[-1].arrives
        local_day = (arrival + self._offset(way[0], arrival // _DAY)) // _DAY
        connected: set[int] = set()
        days = (self._network(way[0], way[1], day) for day in (local_day, local_day + 1))
        for leg in chain.from_iterable(days):
            wait = leg.departs - arrival
            if wait < _SHORTEST_CHANGE or leg.pattern.carrier in connected:
                continue
            # Who arrives in the evening may leave in the morning; who arrives at noon may not wait that long.
            if wait > (_LONGEST_CHANGE_OVERNIGHT if leg.day > local_day else _LONGEST_CHANGE):
                continue
            connected.add(leg.pattern.carrier)
            yield from self._continued((*so_far, leg), way[1:], day)

    def _network(self, origin: str, destination: str, day: int) -> list[Leg]:
        on_sale = self._on_sale(origin, destination, day)
        return [leg for leg in on_sale if not CARRIERS[leg.pattern.carrier].low_cost]

    def _on_sale(self, origin: str, destination: str, day: int) -> list[Leg]:
        key = (origin, destination, day)
        if key not in self._legs:
            self._legs[key] = [leg for leg in self._read(*key) if leg.seats >= self._passengers]
        return self._legs[key]

    def _read(self, origin: str, destination: str, day: int) -> Iterator[Leg]:
        route = self._inventory.routes.get(origin, {}).get(destination)
        if route is None:
            return
        midnight = day * _DAY - self._offset(origin, day)
        for pattern in self._inventory.flights(origin, destination, weekday=(day - 1) % 7):
            if self._cabin == "economy" or not CARRIERS[pattern.carrier].low_cost:
                fare, seats = self._seat(pattern, km=route.km, day=day)
                departs = midnight + pattern.departure
                yield Leg(pattern, day, departs, departs + pattern.block, route.km, fare, seats)

    def _seat(self, pattern: Pattern, *, km: float, day: int) -> tuple[float, int]:
        """Return the fare of a seat, and how many are left at it.

        In a cabin that the flight does not have, the seat is in the next lower one.
        """
        carrier = CARRIERS[pattern.carrier]
        dice = noise_bytes("seat", self._inventory.seed, carrier.id, pattern.number, day)
        noise = _LEAST_NOISE + 0.36 * (dice[0] / 255) + 0.08 * (dice[2 + self._today % 61] / 255)
        cabin = (_LONG_HAUL_CABIN if km >= LONG_HAUL_KM else _SHORT_HAUL_CABIN)[self._cabin]
        fare = _by_distance(km) * carrier.price_level * _date_factor(day, self._today) * cabin * noise
        # Most flights have seats for everybody: nine in 30 % of cases, at least two in 99 %.
        return fare, 1 + int(9 * (dice[1] / 256) ** 0.35)

    def _flown_in_cabin(self, legs: tuple[Leg, ...]) -> bool:
        """Return whether one of the flights has the cabin; premium economy and first are long-haul only."""
        is_long = max(leg.km for leg in legs) >= LONG_HAUL_KM
        return is_long or self._cabin in ("economy", "business")

    def _offset(self, airport: str, day: int) -> int:
        return utc_offset_minutes(self._inventory.airports[airport].zone, day)
