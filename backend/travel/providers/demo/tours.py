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
from functools import cache
from math import factorial
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from ....domain.encoding import encode
from ....domain.errors import DetourError, NotOnSale, ProviderError
from ...values.travel import HOME_CURRENCY, Tour, TourCity, fault_of, from_json
from ..base import TourProgram
from .flights import flight_offer, journeys_one_way
from .inventory import Inventory, read_inventory
from .journeys import Journey, TicketCounter, least_fare
from .world import PROVIDER_NAME, check_flights, distance_km, fingerprint, in_currency

# --- fares ---------------------------------------------------------------------------------------------

NEVER = 10**12
"""Cents that no journey costs: nobody flies there."""


class Hop(NamedTuple):
    """One journey between two cities: its local days as ordinals, and what one person pays in cents.

    Over the date line it may arrive the day before it leaves.
    """

    leaves: int
    arrives: int
    cents: int
    journey: Journey


class TourFares:
    """The hops between the cities of one trip, worked out when they are asked for, and remembered.

    Cities are positions in `cities`. About a millisecond for each pair and day. Of everything on sale, only
    the cheapest journey for each day of arrival counts: who arrives then for less can do all that others can.
    """

    def __init__(self, counter: TicketCounter, cities: Sequence[TourCity]) -> None:
        self._counter = counter
        self._cities = cities
        self.hops = cache(self._hops)

    def _hops(self, origin: int, destination: int, day: int) -> Sequence[Hop]:
        """Return the hops that leave on a local day (ordinal), by day of arrival."""
        ends = (self._cities[origin].airports, self._cities[destination].airports)
        hops = [
            Hop(
                leaves=day,
                arrives=self._counter.local_day(journey.legs[-1].pattern.destination, journey.arrives),
                cents=int(in_currency(journey.fare, HOME_CURRENCY).amount * 100),
                journey=journey,
            )
            for journey in journeys_one_way(self._counter, *ends, day=day)
        ]
        hops.sort(key=lambda hop: (hop.cents, hop.journey.score))
        best = {hop.arrives: hop for hop in reversed(hops)}
        return [best[arrives] for arrives in sorted(best)]

    def least_cents(self, origin: int, destination: int, days: range) -> int:
        """Return what no hop costs less than, by the distance alone."""
        airports = self._counter.inventory.airports
        one, other = (
            [airports[code] for code in self._cities[city].airports if code in airports]
            for city in (origin, destination)
        )
        km = min((distance_km(here, there) for here in one for there in other), default=0.0)
        return int(least_fare(km, days=days, today=self._counter.today) * 100)


# --- the search ----------------------------------------------------------------------------------------


class Plan(NamedTuple):
    """A way to make a tour, or to begin it; `begins` is its first day, `order` its stops by number."""

    cents: int
    begins: int
    order: tuple[int, ...] = ()
    hops: tuple[Hop, ...] = ()

    def then(self, hop: Hop) -> "Plan":
        """Return the plan that goes on with a hop."""
        return self._replace(cents=self.cents + hop.cents, hops=(*self.hops, hop))


_Plans = dict[int, Plan]
"""The cheapest plan so far by the day on which it arrives somewhere."""


class TourSearch:
    """One search for a tour without fault (`fault_of`).

    Of all its `orders`, so many are `done` with: found, or ruled out.
    """

    def __init__(self, tour: Tour, fares: TourFares) -> None:
        self._tour = tour
        self._fares = fares
        self._stops = frozenset(range(len(tour.stops)))
        self._start = len(tour.stops) if tour.start else None
        self._on = [stop.on.toordinal() if stop.on else 0 for stop in tour.stops]
        self._days = range(tour.earliest.toordinal(), tour.latest.toordinal() + 1)
        self._first_days = [tour.begins.toordinal()] if tour.begins else self._days
        self.orders = 1 if tour.ordered else factorial(len(self._stops))
        self.done = 0
        cities = range(len(self._stops) + (tour.start is not None))
        pairs = ((one, other) for one in cities for other in cities if one != other)
        self._least = {pair: fares.least_cents(*pair, self._days) for pair in pairs}
        self._is_read: set[tuple[int, int]] = set()
        self._reached: dict[tuple[frozenset[int], int, int], dict[int, int]] = {}
        self._best = NEVER
        self._rest = cache(self._least_rest)

    def steps(self) -> Iterator[Plan | None]:
        """Yield after each part of the work, of some tens of milliseconds; the end proves the best plan.

        What is yielded is a plan that is better than all before, or None.
        """
        order = self._shortest_order()
        # A day told for a stop is heeded below only; that search is short, for few ways keep it.
        for day in self._first_days if not any(self._on) else ():
            if plan := self._better(self._plan_from(day, order)):
                yield plan
        yield from self._explore((), {day: Plan(0, day) for day in self._first_days})

    def _better(self, plan: Plan | None) -> Plan | None:
        """Return a plan that is better than all before, which is the best from then on."""
        if plan is None or plan.cents >= self._best:
            return None
        self._best = plan.cents
        return plan

    # --- orders --------------------------------------------------------------------------------------

    def _explore(self, order: tuple[int, ...], arrived: _Plans) -> Iterator[Plan | None]:
        """Go through all orders that begin so, with the plans that have arrived at the last stop of it."""
        left = sorted(self._stops.difference(order))
        if not left:
            if self._tour.returns and self._read(order, self._home(order)):
                yield None
            self.done += 1
            yield self._better(self._finished(order, arrived))
            return
        # An order that is told leaves no choice.
        for stop in left[:1] if self._tour.ordered else sorted(left, key=lambda at: self._bound(order, at)):
            if self._may_win(order, arrived, stop) and self._read(order, stop):
                yield None
            further = self._extended(order, arrived, stop) if self._may_win(order, arrived, stop) else None
            if further:
                yield from self._explore((*order, stop), further)
            else:
                self.done += 1 if self._tour.ordered else factorial(len(left) - 1)
                yield None

    def _extended(self, order: tuple[int, ...], arrived: _Plans, stop: int) -> _Plans:
        """Go on to a stop: the plans that may still win, and had not been found in another order."""
        order = (*order, stop)
        home, left = self._home(order), self._stops.difference(order)
        rest = self._rest(stop, left, home)
        # The nights left at least, less a day for each flight: it may cross the date line.
        nights = sum(self._tour.stops[each].least_nights for each in (stop, *left))
        latest = min(self._days[-1] - nights + len(left) + self._tour.returns, self._on[stop] or NEVER)
        reached = self._reached.setdefault((left, stop, home), {})
        plans: _Plans = {}
        for day, plan in self._flown(order[:-1], arrived, stop):
            is_beaten = plan.cents + rest >= self._best or plan.cents >= reached.get(day, NEVER)
            if day <= latest and not is_beaten:
                plans[day] = plan
                reached[day] = plan.cents
        return plans

    def _finished(self, order: tuple[int, ...], arrived: _Plans) -> Plan | None:
        """Return the best plan in this order."""
        if self._tour.returns:
            plans = [plan for _, plan in self._flown(order, arrived, self._home(order))]
        else:
            plans = [plan for day, plan in arrived.items() if self._leaving_days(order[-1], day)]
        best = min(plans, key=lambda plan: plan.cents, default=None)
        return best and best._replace(order=order)

    def _flown(self, order: tuple[int, ...], arrived: _Plans, city: int) -> Iterator[tuple[int, Plan]]:
        """Yield the plans that go on to a city by day of arrival, the last stop being left as it may be."""
        origin = self._origin(order)
        if origin is None:
            yield from arrived.items()
            return
        leaving: _Plans = {}
        for arrives, plan in arrived.items():
            for day in self._leaving_days(order[-1], arrives) if order else (arrives,):
                if day not in leaving or plan.cents < leaving[day].cents:
                    leaving[day] = plan
        for day, plan in leaving.items():
            for hop in self._fares.hops(origin, city, day):
                if hop.arrives <= self._days[-1]:
                    yield hop.arrives, plan.then(hop)

    def _leaving_days(self, last: int, arrives: int) -> range:
        """Return when a stop may be left, where one arrives on a day: in time, and not before its own day."""
        stop, on = self._tour.stops[last], self._on[last]
        until = min(arrives + stop.most_nights, self._days[-1], on if stop.is_left_then else NEVER)
        return range(max(arrives + stop.least_nights, on), until + 1)

    # --- bounds --------------------------------------------------------------------------------------

    def _may_win(self, order: tuple[int, ...], arrived: _Plans, stop: int) -> bool:
        """Whether going on to a stop might lead to a better plan."""
        spent = min((plan.cents for plan in arrived.values()), default=0)
        return spent + self._bound(order, stop) < self._best

    def _bound(self, order: tuple[int, ...], stop: int) -> int:
        """Return what going on to a stop, and from there to the end, costs at least."""
        origin, order = self._origin(order), (*order, stop)
        hop = 0 if origin is None else self._least[origin, stop]
        return hop + self._rest(stop, self._stops.difference(order), self._home(order))

    def _least_rest(self, last: int, left: frozenset[int], home: int) -> int:
        """Return what the way from a stop through all others that are left costs at least."""
        if not left:
            return self._least[last, home] if self._tour.returns else 0
        return min(self._least[last, to] + self._rest(to, left - {to}, home) for to in left)

    def _read(self, order: tuple[int, ...], city: int) -> bool:
        """Read all fares to a city, if they were not; return whether they were read now."""
        origin = self._origin(order)
        if origin is None or (origin, city) in self._is_read:
            return False
        self._is_read.add((origin, city))
        cents = [hop.cents for day in self._days for hop in self._fares.hops(origin, city, day)]
        self._least[origin, city] = min(cents, default=NEVER)
        self._rest.cache_clear()
        return True

    def _origin(self, order: tuple[int, ...]) -> int | None:
        """Return where the next flight leaves; None where the tour begins with its first stop."""
        return order[-1] if order else self._start

    def _home(self, order: tuple[int, ...]) -> int:
        """Return where the last flight goes; any one place, where there is no such flight."""
        if not self._tour.returns:
            return -1
        return order[0] if self._start is None else self._start

    # --- the first plans -----------------------------------------------------------------------------

    def _shortest_order(self) -> tuple[int, ...]:
        """Return the order that is told, or the shortest on the map, which has the least bound at first."""
        if self._tour.ordered:
            return tuple(range(len(self._stops)))
        order: tuple[int, ...] = ()
        while left := sorted(self._stops.difference(order)):
            order = (*order, min(left, key=lambda stop, order=order: self._bound(order, stop)))
        return order

    def _plan_from(self, begins: int, order: tuple[int, ...]) -> Plan | None:
        """Return the plan that stays as short as can be and takes the cheapest flight of each day."""
        plan, day, origin = Plan(0, begins, order), begins, self._start
        for city in [*order, self._home(order)] if self._tour.returns else order:
            if origin is not None:
                day += self._tour.stops[origin].least_nights if origin != self._start else 0
                on_day = self._fares.hops(origin, city, day) if day <= self._days[-1] else ()
                hop = min(on_day, key=lambda hop: hop.cents, default=None)
                if hop is None:
                    return None
                plan, day = plan.then(hop), hop.arrives
            origin = city
        nights = 0 if self._tour.returns else self._tour.stops[order[-1]].least_nights
        return plan if day + nights <= self._days[-1] else None


# --- plans ---------------------------------------------------------------------------------------------


def shown_plan(plan: Plan, tour: Tour, counter: TicketCounter) -> dict[str, Any]:
    """Return a plan as JSON.

    `legs` are flight offers in the order they are flown, each with its price for all passengers; `stays`
    tell how long each stop is stayed in, from the day of arrival to that of leaving.
    """
    legs = [flight_offer((hop.journey,), counter, currency=HOME_CURRENCY) for hop in plan.hops]
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
        "price_total": in_currency(plan.cents * tour.passengers / 100, HOME_CURRENCY),
        "price_per_person": in_currency(plan.cents / 100, HOME_CURRENCY),
    }


def _stays(plan: Plan, tour: Tour) -> Iterator[dict[str, Any]]:
    leavings: list[int | None] = [hop.leaves for hop in plan.hops]
    arrivals = [hop.arrives for hop in plan.hops]
    if tour.start:
        del leavings[0]
    else:
        arrivals.insert(0, plan.begins)
    for number, arrives, flies in zip(plan.order, arrivals, [*leavings, None], strict=False):
        stop = tour.stops[number]
        leaves = flies or max(arrives + stop.least_nights, stop.on.toordinal() if stop.on else 0)
        yield {
            "city": stop.city.name,
            "country": stop.city.country,
            "arrive": date.fromordinal(arrives),
            "leave": date.fromordinal(leaves),
            "nights": leaves - arrives,
        }


# --- the program ---------------------------------------------------------------------------------------

SEARCH_S = 20.0
"""How long the worker searches before it makes do with the best plan it has; eight cities take it three."""

PROGRESS_EVERY_S = 0.1
MOST_PAUSES = 12
"""Plans after which there is a pause, so that people see each: the first ones differ most."""

LONGEST_PAUSE_S = 5.0
_LONGEST_REQUEST = 64 * 1024
_HANDED_ON = ("PATH", "PYTHONHOME", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "TZ")
_PACKAGE = __package__ or ""
_FOLDER_OF_PACKAGES = Path(__file__).resolve().parents[_PACKAGE.count(".") + 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of the worker: a tour over the inventory in a file.

    `pace` is the pause after each plan and `budget_s` the time to search, both in seconds.
    """

    inventory: str
    seed: int
    today: date
    pace: float
    budget_s: float
    tour: Tour


def demo_tour_program(
    inventory: Path, *, today: Callable[[], date], seed: int, pace: float, search_s: float = SEARCH_S
) -> TourProgram:
    """Return the program that plans tours over the inventory file at a path, which is there already.

    `pace` is the pause after each plan in seconds, so that people see the plans get better.
    """
    file = os.fspath(inventory.resolve())

    def request(tour: Tour) -> bytes:
        asked = Request(inventory=file, seed=seed, today=today(), pace=pace, budget_s=search_s, tour=tour)
        return encode(asked) + b"\n"

    environment = {name: value for name, value in os.environ.items() if name in _HANDED_ON}
    path = [os.fspath(_FOLDER_OF_PACKAGES), os.environ.get("PYTHONPATH", "")]
    return TourProgram(
        command=(sys.executable, "-m", f"{_PACKAGE}.tours"),
        environment={**environment, "PYTHONPATH": os.pathsep.join(filter(None, path))},
        request=request,
    )


def plan_tour(
    request: Request,
    inventory: Inventory,
    say: Callable[[dict[str, Any]], None],
    *,
    now: Callable[[], float] = time.monotonic,
    wait: Callable[[float], None] = time.sleep,
) -> None:
    """Say each better plan, how far the search is, and how it ended. Raises `NotOnSale`."""
    tour = request.tour
    if fault := fault_of(tour):
        raise NotOnSale(fault)
    check_flights(tour.earliest, tour.latest, passengers=tour.passengers, today=request.today)
    counter = TicketCounter(inventory=inventory, today=request.today, passengers=tour.passengers)
    cities = [*(stop.city for stop in tour.stops), *([tour.start] if tour.start else [])]
    search = TourSearch(tour, TourFares(counter, cities))

    def say_progress() -> None:
        detail = f"{search.done:,} of {search.orders:,} orders"
        say({"progress": {"detail": detail, "done": search.done, "total": search.orders}})

    until, next_progress = now() + request.budget_s, 0.0
    plans, proven = 0, True
    for better in search.steps():
        if better is not None:
            plans += 1
            say({"plan": shown_plan(better, tour, counter)})
            if request.pace > 0 and plans <= MOST_PAUSES:
                pause = min(request.pace, LONGEST_PAUSE_S)
                until += pause
                say_progress()
                wait(pause)
        if now() >= until:
            proven = search.done == search.orders
            break
        if now() >= next_progress:
            next_progress = now() + PROGRESS_EVERY_S
            say_progress()
    say_progress()
    say({"end": {"proven": proven, "plans": plans, "done": search.done, "orders": search.orders}})


def _print(said: dict[str, Any]) -> None:
    sys.stdout.buffer.write(encode(said) + b"\n")
    sys.stdout.buffer.flush()


def main() -> int:
    """Answer one request; return the exit code: 0, or 2 where it cannot be answered."""
    # Unbuffered, since a thread that reads a buffer holds its lock as the process ends.
    stdin = open(0, "rb", buffering=0, closefd=False)  # noqa: SIM115 - open to the end
    line = stdin.readline(_LONGEST_REQUEST)

    def end_with_input() -> None:
        while stdin.read(_LONGEST_REQUEST):
            pass
        os._exit(1)

    threading.Thread(target=end_with_input, daemon=True).start()
    try:
        try:
            request = from_json(Request, orjson.loads(line))
        except (KeyError, TypeError, ValueError) as fault:
            raise ProviderError(f"The request to plan a tour cannot be read: {fault!r}.") from None
        inventory = read_inventory(Path(request.inventory), seed=request.seed)
        if inventory is None:
            raise ProviderError("The demo inventory is not there.")
        with closing(inventory):
            plan_tour(request, inventory, _print)
    except DetourError as error:
        _print({"error": {"message": error.message}})
        return 2
    return 0


if __name__ == "__main__":
    os.nice(5)  # the server goes first
    sys.exit(main())
