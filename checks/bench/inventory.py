"""How long the demo inventory takes to build, open and search: `python -m checks.bench.inventory`.

A flight search is what its three sources compute; a *step* is what one of them computes without giving the
event loop a turn, which is what other users wait for. Searches are between random cities, warm.
"""

import random
import tempfile
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import TypeVar

from backend.travel.providers.demo.flights import FlightMarket, find_flights
from backend.travel.providers.demo.hotels import HotelMarket, find_hotels
from backend.travel.providers.demo.inventory import Inventory, build_inventory, open_inventory
from backend.travel.values.places import CITIES
from backend.travel.values.travel import FlightQuery, HotelQuery

SEED = 7
TODAY = date(2026, 11, 20)
SEARCHES = 300
FLIGHT_MARKETS: tuple[FlightMarket, ...] = ("network carriers", "low-cost carriers", "connections")
HOTEL_MARKETS: tuple[HotelMarket, ...] = ("hotel chains", "independent hotels")
Result = TypeVar("Result")
BY_LABEL = {city.label: city for city in CITIES}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "inventory.sqlite"
        builds = [timed(lambda: build_inventory(path, seed=SEED))[0] for _ in range(3)]
        print(f"build {min(builds):.2f}-{max(builds):.2f} s, file {path.stat().st_size / 1e6:.1f} MB")
        opening, inventory = timed(lambda: open_inventory(path, seed=SEED))
        print(f"open {opening * 1000:.0f} ms")
        flights(inventory, "one way", stay=None)
        flights(inventory, "return", stay=7)
        flights(
            inventory, "return, London to New York", stay=7, ends=("London, GB", "New York, New York, US")
        )
        hotels()
        inventory.close()


def flights(
    inventory: Inventory, title: str, *, stay: int | None, ends: tuple[str, str] | None = None
) -> None:
    chance = random.Random(11)
    served = [city for city in CITIES if city.airports]
    whole: list[float] = []
    steps: list[float] = []
    counts: list[int] = []
    for warm in (False, True):
        for _ in range(SEARCHES):
            origin, destination = [BY_LABEL[end] for end in ends] if ends else chance.sample(served, 2)
            departure = TODAY + timedelta(days=chance.randrange(1, 330))
            query = FlightQuery(
                origins=tuple(sorted(origin.airports)),
                destinations=tuple(sorted(destination.airports)),
                departure_date=departure,
                return_date=None if stay is None else departure + timedelta(days=stay),
            )
            spent, found = [], 0
            for market in FLIGHT_MARKETS:
                of_source, offers = stepped(inventory, query, market)
                spent += of_source
                found += offers
            if warm:
                whole.append(sum(spent))
                steps.append(max(spent))
                counts.append(found)
    print(f"{title}: whole search {summary(whole)}; longest step {summary(steps)}")
    counts.sort()
    middle, most = counts[len(counts) // 2], counts[-1]
    print(f"  offers: median {middle}, most {most}, none in {counts.count(0)} of {len(counts)}")


def stepped(inventory: Inventory, query: FlightQuery, market: FlightMarket) -> tuple[list[float], int]:
    """Drive a search as an event loop would; return the seconds of each step, and how many offers."""
    search = find_flights(inventory, query, market=market, today=TODAY)
    spent: list[float] = []
    while True:
        begun = time.perf_counter()
        try:
            search.send(None)
        except StopIteration as done:
            spent.append(time.perf_counter() - begun)
            return spent, len(done.value)
        spent.append(time.perf_counter() - begun)


def hotels() -> None:
    chance = random.Random(11)
    spent: list[float] = []
    counts: list[int] = []
    for _ in range(SEARCHES):
        city = chance.choice(CITIES)
        check_in = TODAY + timedelta(days=chance.randrange(1, 330))
        query = HotelQuery(
            city=city.name,
            country=city.country,
            subdivision=city.subdivision,
            check_in=check_in,
            check_out=check_in + timedelta(days=chance.randrange(1, 15)),
            guests=2,
        )
        begun = time.perf_counter()
        counts.append(sum(len(find_hotels(query, market=m, today=TODAY, seed=SEED)) for m in HOTEL_MARKETS))
        spent.append(time.perf_counter() - begun)
    counts.sort()
    print(f"hotels: {summary(spent)}")
    print(f"  offers: median {counts[len(counts) // 2]}, least {counts[0]}, most {counts[-1]}")


def timed(do: Callable[[], Result]) -> tuple[float, Result]:
    begun = time.perf_counter()
    result = do()
    return time.perf_counter() - begun, result


def summary(seconds: list[float]) -> str:
    ordered = sorted(second * 1000 for second in seconds)
    p50, p95 = ordered[len(ordered) // 2], ordered[len(ordered) * 95 // 100]
    return f"p50 {p50:.1f}, p95 {p95:.1f}, max {ordered[-1]:.1f} ms"


if __name__ == "__main__":
    main()
