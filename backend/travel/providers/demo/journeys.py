"""Ways to get from one place to another on a day: nonstop, with one change, with two.

Connections are searched from the route map outwards: first which airports to change at (kept in memory,
judged by the length of the way), then the flights of the few best of them on that day. That keeps the
heaviest search (several airports at both ends) at some milliseconds.

All times are minutes of UTC since the proleptic ordinal 0, so that connections compare across zones.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ...values.travel import CabinClass
from .carriers import CARRIERS
from .fares import MIXED_CARRIER_CONNECTION, SAME_CARRIER_CONNECTION, cabin_flown, seat_price
from .geography import distance_km, utc_offset_minutes
from .routes import SHORTEST_KM
from .schedule import Pattern
from .store import Inventory

_DAY = 24 * 60
_SHORTEST_CHANGE = 50
_LONGEST_CHANGE = 8 * 60
_LONGEST_CHANGE_OVERNIGHT = 15 * 60

# Bounds of the search, the shortest ways first; wider ones cost more time than they find journeys.
_DETOUR_FACTOR, _DETOUR_KM = 1.5, 1_500  # how much longer than the direct way, the second once a change
_ONE_STOP_WAYS = 14
_ENOUGH_ONE_STOP = 4
_GATEWAYS = 24  # airports looked at next to either end of a journey with two changes
_TWO_STOP_WAYS = 24
_ENOUGH_TWO_STOP = 16

_MINUTE_EUR = 0.45
_STOP_EUR = 60.0


class Leg(NamedTuple):
    """One flight on one day. Minutes of UTC, the day of departure there (ordinal), EUR for one person."""

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
        return any(CARRIERS[leg.pattern.carrier].low_cost for leg in self.legs)


def journey_of(legs: tuple[Leg, ...]) -> Journey:
    """Return the journey on these flights, at the fare of one alone or of a connection."""
    whole = sum(leg.fare for leg in legs)
    if len(legs) == 1:
        return Journey(legs, whole)
    same = len({leg.pattern.carrier for leg in legs}) == 1
    return Journey(legs, (SAME_CARRIER_CONNECTION if same else MIXED_CARRIER_CONNECTION) * whole)


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
        may_be: Callable[[Sequence[str]], bool] = lambda hubs: True,
    ) -> list[Journey]:
        """Return journeys with changes, the first flight leaving on a local day (ordinal).

        Two changes are tried only where there is little else: few with one, and, as the caller knows,
        `scarce` nonstop flights. Of the ways to fly, those are tried that `may_be` by their changes.
        """
        found: list[Journey] = []
        if most_stops >= 1:
            for way in self._one_stop_ways(origins, destinations, may_be):
                found += self._along(way, day)
        if most_stops >= 2 and scarce and len(found) < _ENOUGH_ONE_STOP:
            for way in self._two_stop_ways(origins, destinations, may_be):
                found += self._along(way, day)
                if len(found) >= _ENOUGH_TWO_STOP:
                    break
        return found

    def flight(self, carrier: str, number: str, *, origin: str, destination: str, day: int) -> Leg | None:
        """Return one flight of a carrier (by id) on a local day, seats or not; None if there is none."""
        for leg in self._read((origin, destination, day)):
            if (CARRIERS[leg.pattern.carrier].id, str(leg.pattern.number)) == (carrier, number):
                return leg
        return None

    def _one_stop_ways(
        self, origins: Sequence[str], destinations: Sequence[str], may_be: Callable[[Sequence[str]], bool]
    ) -> list[tuple[str, ...]]:
        routes = self._inventory.routes
        ways: list[tuple[float, tuple[str, ...]]] = []
        for origin, destination, direct in self._ends(origins, destinations):
            limit = direct * _DETOUR_FACTOR + _DETOUR_KM
            for hub, first in routes[origin].items():
                onward = routes[hub].get(destination)
                if onward is None or not (first.connects and onward.connects):
                    continue
                is_short = first.km + onward.km <= limit
                if is_short and hub not in origins and hub not in destinations and may_be((hub,)):
                    ways.append((first.km + onward.km, (origin, hub, destination)))
        return _shortest(ways, _ONE_STOP_WAYS)

    def _two_stop_ways(
        self, origins: Sequence[str], destinations: Sequence[str], may_be: Callable[[Sequence[str]], bool]
    ) -> list[tuple[str, ...]]:
        airports, routes = self._inventory.airports, self._inventory.routes
        ways: list[tuple[float, tuple[str, ...]]] = []
        for origin, destination, direct in self._ends(origins, destinations):
            limit = direct * _DETOUR_FACTOR + 2 * _DETOUR_KM
            ends = {*origins, *destinations}
            start, end = airports[origin], airports[destination]
            out = [(route.km, hub) for hub, route in routes[origin].items() if route.connects]
            back = [(route.km, hub) for hub, route in routes[destination].items() if route.connects]
            # Of many gateways, those that lie towards the other end.
            out = sorted(out, key=lambda way: way[0] + distance_km(airports[way[1]], end))[:_GATEWAYS]
            back = sorted(back, key=lambda way: way[0] + distance_km(start, airports[way[1]]))[:_GATEWAYS]
            for first_km, first in out:
                for last_km, last in back:
                    middle = routes[first].get(last)
                    if middle is None or not middle.connects or {first, last} & ends:
                        continue
                    if first_km + middle.km + last_km <= limit and may_be((first, last)):
                        ways.append((first_km + middle.km + last_km, (origin, first, last, destination)))
        return _shortest(ways, _TWO_STOP_WAYS)

    def _ends(self, origins: Sequence[str], destinations: Sequence[str]) -> Iterator[tuple[str, str, float]]:
        airports = self._inventory.airports
        for origin in origins:
            for destination in destinations:
                if origin not in airports or destination not in airports:
                    continue
                km = distance_km(airports[origin], airports[destination])
                if km >= SHORTEST_KM:
                    yield origin, destination, km

    def _along(self, way: tuple[str, ...], day: int) -> Iterator[Journey]:
        for legs in self._continued((), way, day):
            if self._flown_in_cabin(legs):
                yield journey_of(legs)

    def _continued(
        self, so_far: tuple[Leg, ...], way: tuple[str, ...], day: int
    ) -> Iterator[tuple[Leg, ...]]:
        """Yield every sensible way to fly the rest of `way`; of each carrier the first that connects."""
        if len(way) == 1:
            yield so_far
            return
        if not so_far:
            for leg in self._network(way[0], way[1], day):
                yield from self._continued((leg,), way[1:], day)
            return
        arrival = so_far[-1].arrives
        local = arrival + self._offset(way[0], arrival // _DAY)
        connected: set[int] = set()
        for leg in self._next_flights(way[0], way[1], local // _DAY):
            wait = leg.departs - arrival
            if wait < _SHORTEST_CHANGE or leg.pattern.carrier in connected:
                continue
            # Who arrives in the evening may leave in the morning; who arrives at noon may not wait that long.
            overnight = leg.day > local // _DAY
            if wait > (_LONGEST_CHANGE_OVERNIGHT if overnight else _LONGEST_CHANGE):
                continue
            connected.add(leg.pattern.carrier)
            yield from self._continued((*so_far, leg), way[1:], day)

    def _next_flights(self, origin: str, destination: str, day: int) -> Iterable[Leg]:
        yield from self._network(origin, destination, day)
        yield from self._network(origin, destination, day + 1)

    def _network(self, origin: str, destination: str, day: int) -> list[Leg]:
        return [
            leg
            for leg in self._on_sale(origin, destination, day)
            if not CARRIERS[leg.pattern.carrier].low_cost
        ]

    def _on_sale(self, origin: str, destination: str, day: int) -> list[Leg]:
        key = (origin, destination, day)
        if key not in self._legs:
            self._legs[key] = [leg for leg in self._read(key) if leg.seats >= self._passengers]
        return self._legs[key]

    def _read(self, key: tuple[str, str, int]) -> Iterator[Leg]:
        origin, destination, day = key
        route = self._inventory.routes.get(origin, {}).get(destination)
        if route is None:
            return
        midnight = day * _DAY - self._offset(origin, day)
        for pattern in self._inventory.flights(origin, destination, weekday=(day - 1) % 7):
            if self._cabin != "economy" and CARRIERS[pattern.carrier].low_cost:
                continue
            price = seat_price(
                pattern, km=route.km, day=day, today=self._today, seed=self._inventory.seed, cabin=self._cabin
            )
            departs = midnight + pattern.departure
            yield Leg(pattern, day, departs, departs + pattern.block, route.km, price.fare, price.seats)

    def _flown_in_cabin(self, legs: tuple[Leg, ...]) -> bool:
        return cabin_flown(self._cabin, km=max(leg.km for leg in legs))

    def _offset(self, airport: str, day: int) -> int:
        return utc_offset_minutes(self._inventory.airports[airport].zone, day)


def _shortest(ways: list[tuple[float, tuple[str, ...]]], count: int) -> list[tuple[str, ...]]:
    return [way for _, way in sorted(ways)[:count]]
