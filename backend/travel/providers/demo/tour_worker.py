"""Plans one tour in a process of its own: `python -m backend.travel.providers.demo.tour_worker`.

Reads one JSON request in a line on standard input and prints JSON objects, one a line (`TourProgram`). It
ends when it has the cheapest plan, when its time is up, or when its standard input is closed: that is how it
learns that the server has gone, however that went, on any system.
"""

import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import orjson

from ....domain.encoding import encode
from ....domain.errors import DetourError, ProviderError
from ...values.tour import Tour, tour_from_json
from .sales_rules import check_tour
from .store import Inventory, read_inventory
from .tour_fares import TourFares
from .tour_plans import shown_plan
from .tour_search import TourSearch

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
