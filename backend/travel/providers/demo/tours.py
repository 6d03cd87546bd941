"""Plans tours over the inventory in a process of its own: `python -m backend.travel.providers.demo.tours`.

It reads one JSON request in a line on standard input and prints JSON objects, one a line (`TourProgram`). It
ends when it has the cheapest plan, when its time is up, or when its standard input is closed: that is how it
learns that the server has gone, however that went, on any system.
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
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from ....domain.encoding import encode
from ....domain.errors import DetourError, ProviderError
from ...values.tour import Tour, TourCity, tour_from_json
from ...values.travel import HOME_CURRENCY, FlightOffer, FlightQuery, Money
from ..base import TourProgram
from .flights import FlightMarket, flight_offer, journeys_one_way
from .inventory import Inventory, read_inventory
from .journeys import Journey, TicketCounter, least_fare
from .rules import check_tour
from .tour_search import Hop, Plan, TourSearch
from .world import PROVIDER_NAME, distance_km, fingerprint, in_currency, utc_offset_minutes

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
                tour=tour_from_json(given["tour"]),
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
