"""The search for the cheapest tour: a first plan at once, then better ones, and in the end the cheapest.

Branch and bound over the orders of the stops, dynamic programming over the days. An order is built stop by
stop; of one begun, the cheapest way to arrive on each day is kept. It is given up

- where even with the least fares for the rest of the way (a table over sets of stops, as in Held and Karp, "A
  dynamic programming approach to sequencing problems", 1962) it cannot beat the best plan so far;
- day by day, where the same stops in another order had led there by that day for no more.

At first the least fares are those that the distance allows. All fares of a pair are read when an order needs
them that might win; from then on its true least fare counts. So when the search ends, nothing is cheaper.
"""

from collections.abc import Iterator, Sequence
from math import factorial
from typing import Any, NamedTuple, Protocol

from ...values.tour import Tour

NEVER = 10**12
"""Cents that no journey costs: nobody flies there."""


class Hop(NamedTuple):
    """One journey between two cities: its local days as ordinals, and what one person pays in cents.

    Over the date line it may arrive the day before it leaves. `ticket` is whatever it is sold as.
    """

    leaves: int
    arrives: int
    cents: int
    ticket: Any = None


class Fares(Protocol):
    """What the search asks. Cities are numbers: the stops of the tour from 0 on, then its start, if any."""

    def hops(self, origin: int, destination: int, day: int) -> Sequence[Hop]:
        """Return the hops of a day that are worth taking: the cheapest for each day of arrival."""
        ...

    def least_cents(self, origin: int, destination: int, days: range) -> int:
        """Return at once what no hop on any of the days costs less than."""
        ...


class Plan(NamedTuple):
    """A way to make the whole tour; `begins` is its first day, `order` its stops by number."""

    cents: int
    begins: int
    order: tuple[int, ...]
    hops: tuple[Hop, ...]


class Step(NamedTuple):
    """How far the search is: orders done with, found or ruled out; and a plan, if it is better than all."""

    done: int
    better: Plan | None = None


class _Way(NamedTuple):
    """A way to a city, as a chain back to the beginning of the tour."""

    cents: int
    begins: int
    last: Hop | None = None
    before: "_Way | None" = None

    def then(self, hop: Hop) -> "_Way":
        return _Way(self.cents + hop.cents, self.begins, hop, self)

    def hops(self) -> tuple[Hop, ...]:
        return () if self.last is None or self.before is None else (*self.before.hops(), self.last)


_Ways = dict[int, _Way]
"""The cheapest way by day: of arrival, or of leaving."""


class _Branch(NamedTuple):
    """An order begun: its stops, the same as a set of bits, and the ways to its last stop by arrival."""

    order: tuple[int, ...] = ()
    seen: int = 0
    arrivals: _Ways = {}  # noqa: RUF012 - a tuple's default is not changed


class TourSearch:
    """One search for a tour without fault (`fault_of`). `orders` is how many orders there are in all."""

    def __init__(self, tour: Tour, fares: Fares) -> None:
        self._fares = fares
        self._stops = range(len(tour.stops))
        self._least_nights = [stop.least_nights for stop in tour.stops]
        self._most_nights = [stop.most_nights for stop in tour.stops]
        self._on = [stop.on.toordinal() if stop.on else 0 for stop in tour.stops]
        self._start = len(tour.stops) if tour.start else None
        self._returns = tour.returns
        self._is_ordered = tour.ordered
        self._days = range(tour.earliest.toordinal(), tour.latest.toordinal() + 1)
        begins = tour.begins.toordinal() if tour.begins else None
        self._first_days = self._days if begins is None else range(begins, begins + 1)
        self.orders = 1 if tour.ordered else factorial(len(self._stops))
        cities = range(len(self._stops) + (tour.start is not None))
        pairs = ((one, other) for one in cities for other in cities if one != other)
        self._least = {pair: fares.least_cents(*pair, self._days) for pair in pairs}
        self._is_read: set[tuple[int, int]] = set()
        self._rests: dict[tuple[int, int, int], int] = {}
        self._reached: dict[tuple[int, int, int], dict[int, int]] = {}
        self._best = NEVER
        self._done = 0

    def steps(self) -> Iterator[Step]:
        """Yield after each part of the work, of some tens of milliseconds; the end proves the best plan."""
        order = self._shortest_order()
        # A day told for a stop is heeded below only; that search is short, for few ways keep it.
        for day in self._first_days if not any(self._on) else ():
            if plan := self._better(self._plan_from(day, order)):
                yield Step(0, plan)
        yield from self._explore(_Branch())

    def _better(self, plan: Plan | None) -> Plan | None:
        """Return a plan that is better than all before, which is the best from then on."""
        if plan is None or plan.cents >= self._best:
            return None
        self._best = plan.cents
        return plan

    # --- orders --------------------------------------------------------------------------------------

    def _explore(self, branch: _Branch) -> Iterator[Step]:
        """Go through all orders that begin so."""
        left = self._left(branch.seen)
        if not left:
            if self._returns and self._read(branch, self._home(branch.order)):
                yield Step(self._done)
            self._done += 1
            yield Step(self._done, self._better(self._finished(branch)))
            return
        # An order that is told leaves no choice.
        for stop in left[:1] if self._is_ordered else sorted(left, key=lambda at: self._bound(branch, at)):
            if self._may_win(branch, stop) and self._read(branch, stop):
                yield Step(self._done)
            longer = self._extended(branch, stop) if self._may_win(branch, stop) else None
            if longer and longer.arrivals:
                yield from self._explore(longer)
            else:
                self._done += 1 if self._is_ordered else factorial(len(left) - 1)
                yield Step(self._done)

    def _left(self, seen: int) -> list[int]:
        return [stop for stop in self._stops if not seen >> stop & 1]

    def _extended(self, branch: _Branch, stop: int) -> _Branch:
        """Go on to a stop: the ways there that may still win, and had not been found in another order."""
        order, seen = (*branch.order, stop), branch.seen | 1 << stop
        home = self._home(order)
        rest = self._rest(seen, stop, home)
        left = self._left(seen)
        # The nights left at least, less a day for each flight: it may cross the date line.
        nights = sum(self._least_nights[each] for each in (stop, *left)) - len(left) - self._returns
        latest = min(self._days[-1] - nights, self._on[stop] or NEVER)
        reached = self._reached.setdefault((seen, stop, home), {})
        arrivals: _Ways = {}
        for arrives, way in self._ways_to(branch, stop):
            is_beaten = way.cents + rest >= self._best or way.cents >= reached.get(arrives, NEVER)
            if arrives <= latest and not is_beaten:
                arrivals[arrives] = way
                reached[arrives] = way.cents
        return _Branch(order, seen, arrivals)

    def _finished(self, branch: _Branch) -> Plan | None:
        """Return the best plan in this order."""
        if self._returns:
            ways = [way for _, way in self._ways_to(branch, self._home(branch.order))]
        else:
            ways = [way for day, way in branch.arrivals.items() if self._may_end(branch.order[-1], day)]
        best = min(ways, key=lambda way: way.cents, default=None)
        return Plan(best.cents, best.begins, branch.order, best.hops()) if best else None

    def _may_end(self, last: int, arrives: int) -> bool:
        """Return whether the last stay, begun on that day, can end in time and not before its own day."""
        leaves = max(arrives + self._least_nights[last], self._on[last])
        return leaves <= min(arrives + self._most_nights[last], self._days[-1])

    def _ways_to(self, branch: _Branch, city: int) -> Iterator[tuple[int, _Way]]:
        """Yield the ways to a city by day of arrival, the branch's last stop being left as it may be."""
        origin = self._origin(branch)
        if origin is None:
            yield from ((day, _Way(0, day)) for day in self._first_days)
            return
        for day, way in self._leaving(branch).items():
            for hop in self._fares.hops(origin, city, day):
                if hop.arrives <= self._days[-1]:
                    yield hop.arrives, way.then(hop)

    def _leaving(self, branch: _Branch) -> _Ways:
        """Return the cheapest way to leave the last stop on each day, or the start."""
        if not branch.order:
            return {day: _Way(0, day) for day in self._first_days}
        last, leaving = branch.order[-1], _Ways()
        for arrives, way in branch.arrivals.items():
            first = max(arrives + self._least_nights[last], self._on[last])
            for day in range(first, min(arrives + self._most_nights[last], self._days[-1]) + 1):
                if day not in leaving or way.cents < leaving[day].cents:
                    leaving[day] = way
        return leaving

    # --- bounds --------------------------------------------------------------------------------------

    def _may_win(self, branch: _Branch, stop: int) -> bool:
        """Whether going on to a stop might lead to a better plan."""
        spent = min((way.cents for way in branch.arrivals.values()), default=0)
        return spent + self._bound(branch, stop) < self._best

    def _bound(self, branch: _Branch, stop: int) -> int:
        """Return what going on to a stop, and from there to the end, costs at least."""
        origin = self._origin(branch)
        hop = 0 if origin is None else self._least[origin, stop]
        return hop + self._rest(branch.seen | 1 << stop, stop, self._home((*branch.order, stop)))

    def _rest(self, seen: int, last: int, home: int) -> int:
        """Return what the way from a stop through all others that are not seen costs at least."""
        key = (seen, last, home)
        if key not in self._rests:
            ways = [self._least[last, to] + self._rest(seen | 1 << to, to, home) for to in self._left(seen)]
            is_last_home = not ways and self._returns
            self._rests[key] = self._least[last, home] if is_last_home else min(ways, default=0)
        return self._rests[key]

    def _read(self, branch: _Branch, city: int) -> bool:
        """Read all fares to a city, if they were not; return whether they were read now."""
        origin = self._origin(branch)
        if origin is None or (origin, city) in self._is_read:
            return False
        self._is_read.add((origin, city))
        cents = [hop.cents for day in self._days for hop in self._fares.hops(origin, city, day)]
        self._least[origin, city] = min(cents, default=NEVER)
        self._rests.clear()
        return True

    def _origin(self, branch: _Branch) -> int | None:
        """Return where the next flight leaves; None where the tour begins with its first stop."""
        return branch.order[-1] if branch.order else self._start

    def _home(self, order: Sequence[int]) -> int:
        """Return where the last flight goes; any one place, where there is no such flight."""
        if not self._returns:
            return -1
        return order[0] if self._start is None else self._start

    # --- the first plans -----------------------------------------------------------------------------

    def _shortest_order(self) -> tuple[int, ...]:
        """Return the order that is told, or the shortest on the map, which has the least bound at first."""
        if self._is_ordered:
            return tuple(self._stops)
        branch = _Branch()
        while left := self._left(branch.seen):
            bounds = {stop: self._bound(branch, stop) for stop in left}
            stop = min(left, key=bounds.__getitem__)
            branch = _Branch((*branch.order, stop), branch.seen | 1 << stop)
        return branch.order

    def _plan_from(self, begins: int, order: tuple[int, ...]) -> Plan | None:
        """Return the plan that stays as short as can be and takes the cheapest flight of each day."""
        way, day, origin = _Way(0, begins), begins, self._start
        for city in [*order, self._home(order)] if self._returns else order:
            if origin is not None:
                day += self._least_nights[origin] if origin != self._start else 0
                on_day = self._fares.hops(origin, city, day) if day <= self._days[-1] else ()
                hop = min(on_day, key=lambda hop: hop.cents, default=None)
                if hop is None:
                    return None
                way, day = way.then(hop), hop.arrives
            origin = city
        nights = 0 if self._returns else self._least_nights[order[-1]]
        return Plan(way.cents, begins, order, way.hops()) if day + nights <= self._days[-1] else None
