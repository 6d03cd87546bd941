"""Plans tours over the inventory in a process of its own: `python -m backend.travel.providers.demo.tours`.

It reads one JSON request in a line on standard input and prints JSON objects, one a line (`TourProgram`). It
ends when it has the cheapest plan, when its time is up, or when its standard input is closed: that is how it
learns that the server has gone, however that went, on any system.

The search has a first plan at once, then better ones, and in the end the cheapest: branch and bound over the
orders of the stops, dynamic programming over the days. An order is built stop by stop; of one begun, the
cheapest way to arrive on each day is kept. It is given up

- where even with the least fares for the rest of the way (a table over sets of stops, as in Held and Karp, "A
  dynamic programming approach to sequencing problems", 1962) it cannot beat the best plan so far;
- day by day, where the same stops in another order had led there by that day for no more.

At first the least fares are those that the distance allows. All fares of a pair are read when an order needs
them that might win; from then on its true least fare counts. So when the search ends, nothing is cheaper.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from math import factorial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import orjson

from ....domain.encoding import encode
from ....domain.errors import DetourError, ProviderError
from ...values.travel import HOME_CURRENCY, FlightOffer, FlightQuery, Money, Tour, TourCity, from_json
from ..base import TourProgram
from .flights import FlightMarket, flight_offer, journeys_one_way
from .inventory import Inventory, read_inventory
from .journeys import Journey, TicketCounter, least_fare
from .world import PROVIDER_NAME, check_tour, distance_km, fingerprint, in_currency, utc_offset_minutes

# --- the search ----------------------------------------------------------------------------------------


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
        self._until = [
            on if stop.is_left_then else NEVER for on, stop in zip(self._on, tour.stops, strict=True)
        ]
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
        return leaves <= min(arrives + self._most_nights[last], self._until[last], self._days[-1])

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
            for day in range(
                first, min(arrives + self._most_nights[last], self._until[last], self._days[-1]) + 1
            ):
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


# --- starting it ---------------------------------------------------------------------------------------


# --- starting it ---------------------------------------------------------------------------------------

SEARCH_S = 20.0
"""How long the worker searches before it makes do with the best plan it has; eight cities take it three."""

_HANDED_ON = ("PATH", "PYTHONHOME", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "TZ")
_PACKAGE = __package__ or ""
_FOLDER_OF_PACKAGES = Path(__file__).resolve().parents[_PACKAGE.count(".") + 1]


def demo_tour_program(
    inventory: Path, *, today: Callable[[], date], seed: int, pace: float, search_s: float = SEARCH_S
) -> TourProgram:
    """Return the program that plans tours over the inventory file at a path, which is there already.

    `pace` is the pause after each plan in seconds, so that people see the plans get better.
    """

    def request(tour: Tour) -> bytes:
        asked = {
            "inventory": os.fspath(inventory.resolve()),
            "seed": seed,
            "today": today(),
            "pace": pace,
            "budget_s": search_s,
            "tour": tour,
        }
        return encode(asked) + b"\n"

    environment = {name: value for name, value in os.environ.items() if name in _HANDED_ON}
    path = [os.fspath(_FOLDER_OF_PACKAGES), os.environ.get("PYTHONPATH", "")]
    return TourProgram(
        command=(sys.executable, "-m", f"{_PACKAGE}.tours"),
        environment={**environment, "PYTHONPATH": os.pathsep.join(filter(None, path))},
        request=request,
    )


# --- fares ---------------------------------------------------------------------------------------------


class _Ticket(NamedTuple):
    market: FlightMarket
    journey: Journey


class TourFares:
    """The hops between the cities of one trip, worked out when they are asked for, and remembered.

    Cities are positions in `cities`. About a millisecond for each pair and day. Of everything on sale, only
    the cheapest journey for each day of arrival counts: who arrives then for less can do all that others can.
    """

    def __init__(
        self, inventory: Inventory, cities: Sequence[TourCity], *, passengers: int, today: date
    ) -> None:
        self._airports = inventory.airports
        self._cities = cities
        self._today = today.toordinal()
        self._counter = TicketCounter(inventory, today=self._today, cabin="economy", passengers=passengers)
        self._hops: dict[tuple[int, int, int], Sequence[Hop]] = {}

    def hops(self, origin: int, destination: int, day: int) -> Sequence[Hop]:
        """Return the hops that leave on a local day (ordinal), by day of arrival."""
        key = (origin, destination, day)
        if key not in self._hops:
            best: dict[int, Hop] = {}
            ends = (self._cities[origin].airports, self._cities[destination].airports)
            for market, journey in journeys_one_way(self._counter, *ends, day=day):
                cents = int(in_currency(journey.fare, HOME_CURRENCY).amount * Decimal(100))
                hop = Hop(day, self._arrival_day(journey), cents, _Ticket(market, journey))
                known = best.get(hop.arrives)
                if known is None or (cents, journey.score) < (known.cents, known.ticket.journey.score):
                    best[hop.arrives] = hop
            self._hops[key] = [best[arrives] for arrives in sorted(best)]
        return self._hops[key]

    def least_cents(self, origin: int, destination: int, days: range) -> int:
        """Return what no hop costs less than, by the distance alone."""
        one, other = (
            [self._airports[code] for code in self._cities[city].airports if code in self._airports]
            for city in (origin, destination)
        )
        km = min((distance_km(here, there) for here in one for there in other), default=0.0)
        return int(least_fare(km, days=days, today=self._today) * 100)

    def _arrival_day(self, journey: Journey) -> int:
        day_min = 24 * 60
        zone = self._airports[journey.legs[-1].pattern.destination].zone
        return (journey.arrives + utc_offset_minutes(zone, journey.arrives // day_min)) // day_min


# --- plans ---------------------------------------------------------------------------------------------


def shown_plan(plan: Plan, tour: Tour, *, inventory: Inventory, today: date) -> dict[str, Any]:
    """Return a plan as JSON.

    `legs` are flight offers in the order they are flown, each with its price for all passengers; `stays`
    tell how long each stop is stayed in, from the day of arrival to that of leaving.
    """
    legs = [_offer(hop, tour, inventory, today) for hop in plan.hops]
    per_person = Decimal(plan.cents) / 100
    stays = list(_stays(plan, tour))
    return {
        "offer_id": f"demo-tour-{fingerprint('tour', plan.begins, [leg.offer_id for leg in legs])}",
        "provider": PROVIDER_NAME,
        "live": False,
        "start": tour.start.name if tour.start else None,
        "order": [stay["city"] for stay in stays],
        "returns": tour.returns,
        "first_day": date.fromordinal(plan.begins),
        "last_day": date.fromordinal(plan.hops[-1].arrives) if tour.returns else stays[-1]["leave"],
        "stays": stays,
        "legs": legs,
        "passengers": tour.passengers,
        "price_total": _money(per_person * tour.passengers),
        "price_per_person": _money(per_person),
    }


def _stays(plan: Plan, tour: Tour) -> Iterator[dict[str, Any]]:
    arrivals = [hop.arrives for hop in plan.hops]
    leavings = [hop.leaves for hop in plan.hops]
    arrivals, leavings = (arrivals, leavings[1:]) if tour.start else ([plan.begins, *arrivals], leavings)
    for position, number in enumerate(plan.order):
        stop, arrives = tour.stops[number], arrivals[position]
        least = max(arrives + stop.least_nights, stop.on.toordinal() if stop.on else 0)
        leaves = leavings[position] if position < len(leavings) else least
        yield {
            "city": stop.city.name,
            "country": stop.city.country,
            "arrive": date.fromordinal(arrives),
            "leave": date.fromordinal(leaves),
            "nights": leaves - arrives,
        }


def _offer(hop: Hop, tour: Tour, inventory: Inventory, today: date) -> FlightOffer:
    ticket: _Ticket = hop.ticket
    journey, patterns = ticket.journey, [leg.pattern for leg in ticket.journey.legs]
    query = FlightQuery(
        origins=(patterns[0].origin,),
        destinations=(patterns[-1].destination,),
        departure_date=date.fromordinal(hop.leaves),
        passengers=tour.passengers,
    )
    return flight_offer(
        (journey,), journey.fare, query=query, source=ticket.market, inventory=inventory, today=today
    )


def _money(amount: Decimal) -> Money:
    return Money(amount=amount.quantize(Decimal("0.01")), currency=HOME_CURRENCY)


# --- the program ---------------------------------------------------------------------------------------

PROGRESS_EVERY_S = 0.1
MOST_PAUSES = 12
"""Plans after which there is a pause, so that people see each: the first ones differ most."""

LONGEST_PAUSE_S = 5.0
_LONGEST_REQUEST = 64 * 1024
_STDIN = 0

Say = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of the worker. `pace` is the pause after each plan, `budget_s` the time to search."""

    inventory: Path
    seed: int
    today: date
    pace: float
    budget_s: float
    tour: Tour

    @classmethod
    def from_line(cls, line: bytes) -> "Request":
        """Read a request. Raises `ProviderError` where it is none."""
        try:
            given = orjson.loads(line)
            return cls(
                inventory=Path(given["inventory"]),
                seed=int(given["seed"]),
                today=date.fromisoformat(given["today"]),
                pace=float(given["pace"]),
                budget_s=float(given["budget_s"]),
                tour=from_json(Tour, given["tour"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as fault:
            raise ProviderError(f"The request to plan a tour cannot be read: {fault!r}.") from None


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds that pass, and waiting for them to."""

    now: Callable[[], float] = time.monotonic
    wait: Callable[[float], None] = time.sleep


def plan_tour(request: Request, inventory: Inventory, say: Say, clock: Clock) -> None:
    """Say each better plan, how far the search is, and how it ended. Raises `NotOnSale`."""
    tour = request.tour
    check_tour(tour, today=request.today)
    cities = [*(stop.city for stop in tour.stops), *([tour.start] if tour.start else [])]
    fares = TourFares(inventory, cities, passengers=tour.passengers, today=request.today)
    search = TourSearch(tour, fares)
    until = clock.now() + request.budget_s
    next_progress = 0.0
    plans, done, proven = 0, 0, True
    for step in search.steps():
        done = step.done
        if step.better is not None:
            plans += 1
            say({"plan": shown_plan(step.better, tour, inventory=inventory, today=request.today)})
            if request.pace > 0 and plans <= MOST_PAUSES:
                pause = min(request.pace, LONGEST_PAUSE_S)
                until += pause
                say(_progress(done, search.orders))
                clock.wait(pause)
        now = clock.now()
        if now >= until:
            proven = done == search.orders
            break
        if now >= next_progress:
            next_progress = now + PROGRESS_EVERY_S
            say(_progress(done, search.orders))
    say(_progress(done, search.orders))
    say({"end": {"proven": proven, "plans": plans, "done": done, "orders": search.orders}})


def _progress(done: int, orders: int) -> dict[str, Any]:
    return {"progress": {"detail": f"{done:,} of {orders:,} orders", "done": done, "total": orders}}


def _read_line() -> bytes:
    """Return the first line of standard input, or what there is of it; unbuffered, since it is watched."""
    line = b""
    while b"\n" not in line and len(line) <= _LONGEST_REQUEST:
        more = os.read(_STDIN, _LONGEST_REQUEST)
        if not more:
            break
        line += more
    return line.partition(b"\n")[0]


def _end_with_standard_input() -> None:
    while os.read(_STDIN, _LONGEST_REQUEST):
        pass
    os._exit(1)


def _print(said: dict[str, Any]) -> None:
    sys.stdout.buffer.write(encode(said) + b"\n")
    sys.stdout.buffer.flush()


def main() -> int:
    """Answer one request; return the exit code: 0, or 2 where it cannot be answered."""
    line = _read_line()
    threading.Thread(target=_end_with_standard_input, daemon=True).start()
    try:
        request = Request.from_line(line)
        inventory = read_inventory(request.inventory, seed=request.seed)
        if inventory is None:
            raise ProviderError("The demo inventory is not there.")
        with closing(inventory):
            plan_tour(request, inventory, _print, Clock())
    except DetourError as error:
        _print({"error": {"message": error.message}})
        return 2
    return 0


if __name__ == "__main__":
    os.nice(5)  # the server goes first
    sys.exit(main())
