"""Every provider that the assistant sells from, as one shop, over what its seller really has.

A `Shop` is a seller and its own account: the stand-in of a service, or the demo's file read past the program.
`open` is a server process over it, composed as the server composes it; another one over the same file is the
next process. What a test says to a shop is what may happen at any seller.
"""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, closing
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest

from backend.http.settings import TravelSettings
from backend.tasks.task_owner import TaskOwner
from backend.travel.providers.base import BookingProvider, Source
from backend.travel.providers.booking_database import SqliteBookings
from backend.travel.providers.bookings import AllBookings
from backend.travel.providers.demo.bookings import sale_of
from backend.travel.providers.demo.provider import DemoProvider
from backend.travel.providers.inventory import Inventory, sellers
from backend.travel.providers.seller_bookings import SellerBookings
from backend.travel.providers.travellers import Traveller, Travellers
from backend.travel.tools.search import SEARCHES, SearchTool, search_tools
from backend.travel.understanding.result import Agent
from backend.travel.values.booking import Offer, Order, choice_of
from backend.travel.values.travel import FlightQuery, HotelQuery
from tests.fakes import Gate
from tests.fakes.duffel import Duffel
from tests.fakes.duffel_offers import Flight
from tests.fakes.liteapi import Hotel, LiteApi, Rate
from tests.fakes.service import Drop, Hold, When
from tests.fakes.waiting import until
from tests.providers.booking_office import NOW, THERE
from tests.providers.markets import SEED
from tests.providers.sellers import FLIGHTS, HOTELS

PEOPLE = [
    Traveller(
        title="ms", given_name=given, family_name="Byron", gender="f", born_on=date(1987, 7, 24),
        email="ada@example.com", phone="+442080160509",
    )
    for given in ("Ada", "Mary", "Zoe")
]  # fmt: skip


@dataclass
class Process:
    """A server process: what it searches with and books at, who it knows, and the tool of its searches."""

    source: Source[Any, Any]
    bookings: BookingProvider
    travellers: Travellers
    tool: SearchTool[Any]


class Shop:
    """What all shops have in common. `kind` is the agent that searches in it, `query` a search."""

    kind: Agent = "flight"
    query: FlightQuery | HotelQuery = FLIGHTS
    holds = True
    """Whether an offer can be held before it is paid."""

    def __init__(self, folder: Path, inventory: Path) -> None:
        self.path = folder / "bookings.sqlite"
        self._inventory = inventory
        self._now = NOW

    @property
    def now(self) -> datetime:
        return self._now

    def advance(self, by: timedelta) -> None:
        """Let time pass, here and at the seller."""
        self._now += by

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Process]:
        """Run a process until it is left; what it has begun is finished then."""
        database, owner = SqliteBookings(self.path), TaskOwner()
        demo = DemoProvider(
            self._inventory, clock=lambda: self.now, today=lambda: self.now.date(), seed=SEED,
            pace=0, database=database,
        )  # fmt: skip
        of_sellers = sellers(TravelSettings(**self._settings()), database, clock=lambda: self.now)
        travellers = Travellers(database)
        for user_id in ("ada", "bob"):
            await travellers.keep(user_id, PEOPLE)
        at_sellers = SellerBookings(
            of_sellers.desks, database, travellers, owner=owner, clock=lambda: self.now
        )
        inventory = Inventory(demo, of_sellers, AllBookings(demo.bookings, at_sellers))
        self._opened(demo)
        source = SEARCHES[self.kind].sources(inventory)[0]
        try:
            yield Process(source, inventory.bookings, travellers, search_tools(inventory)[self.kind])
        finally:
            await owner.finish(grace_s=5)
            await inventory.close()

    async def offer(self, process: Process) -> Offer:
        """Search, and return the first offer."""
        async with aclosing(process.source.search(self.query, "ada")) as batches:
            return (await anext(batches))[0]

    async def order(self, process: Process) -> Order:
        """Return what is ordered where the first offer is."""
        return Order(offer=await self.offer(process), travellers=("Ada Byron",))

    def _settings(self) -> Mapping[str, Any]:
        return {}

    def _opened(self, demo: DemoProvider) -> None:
        """Take hold of what a process has opened."""

    # What a test says. A write is "book", "hold", "pay" or "cancel".

    def hold_searches(self) -> None:
        """Have searches bring nothing before `release`."""
        raise NotImplementedError

    @property
    def is_searching(self) -> bool:
        """Whether a search is open at the seller that has brought what it may, and waits."""
        raise NotImplementedError

    async def searching(self) -> None:
        """Wait until one is."""
        await until(lambda: self.is_searching)

    def release(self) -> None:
        """Let the next part of what is found come."""
        raise NotImplementedError

    def release_all(self) -> None:
        """Let all that is left come, also of later searches."""
        raise NotImplementedError

    async def closed(self) -> None:
        """Wait until none is."""
        await until(lambda: not self.is_searching)

    def lose(self, write: str, when: When) -> None:
        """Lose the next write on its way there ("before") or its answer ("after")."""
        raise NotImplementedError

    def stop(self, write: str) -> Gate:
        """Stop the next write on its way there until the gate is open."""
        raise NotImplementedError

    def move_price(self, offer: Offer) -> None:
        """Have an offer cost something else from now on."""
        raise NotImplementedError

    def expire(self, offer: Offer) -> None:
        """Let time pass until an offer is over."""
        raise NotImplementedError

    # What the seller says of itself

    @property
    def searches(self) -> int:
        """How many searches were asked of the seller."""
        raise NotImplementedError

    def account(self) -> Sequence[str]:
        """Return the state of each order that the seller has, the oldest first."""
        raise NotImplementedError

    def sent(self) -> int:
        """Return how many requests to write the seller has of it, whatever came of them."""
        raise NotImplementedError


# --- the demo ------------------------------------------------------------------------------------------


class _Parts:
    """Stands where the demo waits between two parts of what it finds."""

    def __init__(self) -> None:
        self.waiting: list[asyncio.Future[None]] = []
        self.is_open = False

    async def sleep(self, _delay: float) -> None:
        if self.is_open:
            return
        part = asyncio.get_running_loop().create_future()
        self.waiting.append(part)
        try:
            await part
        finally:
            self.waiting.remove(part)


class DemoShop(Shop):
    """The demo's booking office. Its file, read past the program, is its account."""

    _demo: DemoProvider

    def __init__(self, folder: Path, inventory: Path, kind: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(folder, inventory)
        self.kind, self._monkeypatch, self._searches, self._parts = kind, monkeypatch, 0, _Parts()
        self.query, self.holds = (HOTELS, False) if kind == "hotel" else (replace(THERE, passengers=2), True)

    def _opened(self, demo: DemoProvider) -> None:
        self._demo = demo
        for source in (*demo.flight_sources, *demo.hotel_sources):
            object.__setattr__(source, "find", self._counted(source.find))

    def _counted(self, find: Any) -> Any:
        async def counted(query: Any) -> Any:
            self._searches += 1
            return await find(query)

        return counted

    def hold_searches(self) -> None:
        self._monkeypatch.setattr("backend.travel.providers.demo.provider.asyncio", self._parts)

    @property
    def is_searching(self) -> bool:
        return bool(self._parts.waiting)

    def release(self) -> None:
        for part in self._parts.waiting:
            if not part.done():
                part.set_result(None)

    def release_all(self) -> None:
        self._parts.is_open = True
        self.release()

    def lose(self, write: str, when: When) -> None:
        async def lost(call_id: str) -> None:
            raise TimeoutError

        self._on_the_way({"before": "there", "after": "back"}[when], lost)

    def stop(self, write: str) -> Gate:
        gate = Gate()
        self._on_the_way("there", lambda _: gate.wait())
        return gate

    def _on_the_way(self, befalls: str, fault: Callable[[str], Awaitable[None]]) -> None:
        async def once(direction: str, call_id: str) -> None:
            if direction == befalls:
                del self._demo.bookings._on_the_way
                await fault(call_id)

        self._demo.bookings._on_the_way = once

    def move_price(self, offer: Offer) -> None:
        while (
            sale_of(choice_of(offer), self._demo._inventory, today=self.now.date()).offer.price_total
            == offer.price_total
        ):
            self.advance(timedelta(days=1))

    def expire(self, offer: Offer) -> None:
        self.advance(timedelta(days=150))

    @property
    def searches(self) -> int:
        return self._searches

    def account(self) -> Sequence[str]:
        return [state for (state,) in self._rows("SELECT state FROM bookings ORDER BY made_at, reference")]

    def sent(self) -> int:
        return len(self._rows("SELECT call_id FROM calls"))

    def _rows(self, query: str) -> Sequence[Any]:
        with closing(sqlite3.connect(self.path)) as file:
            return file.execute(query).fetchall()


# --- sellers -------------------------------------------------------------------------------------------


class SellerShop(Shop):
    """A real seller's stand-in, whose routes for writes are `routes`."""

    routes: ClassVar[Mapping[str, str]]
    search_route = ""

    def __init__(self, folder: Path, inventory: Path, service: Any) -> None:
        super().__init__(folder, inventory)
        self.service = service

    @property
    def now(self) -> datetime:
        return self.service.now

    def advance(self, by: timedelta) -> None:
        self.service.advance(by.total_seconds())

    def hold_searches(self) -> None:
        self.service.held = True

    @property
    def is_searching(self) -> bool:
        return any(search.waiting for search in self.service.searches)

    def release(self) -> None:
        self.service.release(1)

    def release_all(self) -> None:
        self.service.held = False
        self.service.release()

    def lose(self, write: str, when: When) -> None:
        self.service.fault(self.routes[write], Drop(when))

    def stop(self, write: str) -> Gate:
        self.service.fault(self.routes[write], Hold(gate := Gate()))
        return gate

    @property
    def searches(self) -> int:
        return len(self.service.asked_for(self.search_route))

    def sent(self) -> int:
        return sum(len(self.service.asked_for(each)) for each in {*self.routes.values()})


class DuffelShop(SellerShop):
    """Flights of Duffel; the second part tells the first flight again."""

    search_route = "POST /air/batch_offer_requests"
    routes: ClassVar = {
        "book": "POST /air/orders",
        "hold": "POST /air/orders",
        "pay": "POST /air/payments",
        "cancel": "POST /air/order_cancellations/{id}/actions/confirm",
    }

    def __init__(self, folder: Path, inventory: Path, service: Duffel) -> None:
        super().__init__(folder, inventory, service)
        parts = [[Flight("221.78")], [Flight(same_as=0), Flight("300.00", carrier="XY")], [Flight("99.00")]]
        service.script("BER", "TYO", parts)

    def _settings(self) -> Mapping[str, Any]:
        return {"duffel_token": self.service.token, "duffel_url": self.service.url}

    def move_price(self, offer: Offer) -> None:
        self.service.raise_price(offer.offer_id, "5.00")

    def expire(self, offer: Offer) -> None:
        self.advance(timedelta(seconds=Flight().life_s))

    def account(self) -> Sequence[str]:
        return [
            "cancelled" if order["cancelled_at"]
            else "held" if order["payment_status"]["awaiting_payment"] else "booked"
            for order in self.service.orders.values()
        ]  # fmt: skip


class LiteApiShop(SellerShop):
    """Rooms of LiteAPI; the second frame tells the first hotel again."""

    kind = "hotel"
    query = HOTELS
    holds = False
    search_route = "POST /hotels/rates"
    routes: ClassVar = {
        "book": "POST /rates/book",
        "hold": "POST /rates/book",
        "cancel": "PUT /bookings/{id}",
    }

    def __init__(self, folder: Path, inventory: Path, service: LiteApi) -> None:
        super().__init__(folder, inventory, service)
        room = (Rate("480.20"),)
        parts = [[Hotel("One", room)], [Hotel("One", room), Hotel("Two")], [Hotel("Three")]]
        service.script("35.68,139.76", parts)

    def _settings(self) -> Mapping[str, Any]:
        urls = {"liteapi_url": self.service.url, "liteapi_book_url": self.service.book_url}
        return {"liteapi_key": self.service.key, **urls}

    def move_price(self, offer: Offer) -> None:
        self.service.change_next(price_by="5.00")

    def expire(self, offer: Offer) -> None:
        self.advance(timedelta(seconds=self.service.offer_life_s))

    def account(self) -> Sequence[str]:
        states = {"CONFIRMED": "booked", "CANCELLED": "cancelled", "CANCELLED_WITH_CHARGES": "cancelled"}
        return [states[each["status"]] for each in self.service.bookings.values()]


SHOPS = ("demo flights", "demo rooms", "duffel", "liteapi")


@asynccontextmanager
async def shop_of(
    name: str, folder: Path, inventory: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[Shop]:
    """Yield a shop by its name; its seller is there until it is left."""
    if name.startswith("demo"):
        yield DemoShop(folder, inventory, "hotel" if name == "demo rooms" else "flight", monkeypatch)
    elif name == "duffel":
        async with Duffel(now=NOW) as duffel:
            yield DuffelShop(folder, inventory, duffel)
    else:
        async with LiteApi(now=NOW) as liteapi:
            yield LiteApiShop(folder, inventory, liteapi)
