"""`python -m checks.real_inventory`: the stories of the tests over the test modes of Duffel and LiteAPI.

It takes the keys of the environment (`DETOUR_DUFFEL_TOKEN`, `DETOUR_LITEAPI_KEY`), searches, books, settles
and cancels with the code of the server, and prints what each step came to. Nothing is bought: keys of a live
mode are refused. It exits with 1 if a step did not do what is known of the service, with 2 without a key.
"""

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from backend.domain.encoding import Clock, system_clock
from backend.domain.errors import DetourError
from backend.http.settings import TravelSettings, WrongSettingsError, read_settings
from backend.tasks.task_owner import TaskOwner
from backend.travel.providers.base import Source
from backend.travel.providers.booking_database import SqliteBookings
from backend.travel.providers.inventory import Sellers, sellers
from backend.travel.providers.seller_bookings import SellerBookings
from backend.travel.providers.travellers import Traveller, Travellers
from backend.travel.values.booking import Cancellation, Offer, Order, choice_of
from backend.travel.values.travel import FlightQuery, HotelQuery

USER = "trial"
_AHEAD = timedelta(days=60)
_DUFFEL_AIRWAYS = "ZZ"
"""The airline of Duffel's own, whose offers can be booked and held in the test mode."""

_PERSON = Traveller(
    title="ms",
    given_name="Ada",
    family_name="Byron",
    gender="f",
    born_on=date(1987, 7, 24),
    email="ada@example.com",
    phone="+442080160509",
)


class Trial:
    """Prints what each step came to; `failed` are those that did not work."""

    def __init__(self) -> None:
        self.failed: list[str] = []

    async def step(self, name: str, work: Awaitable[str]) -> None:
        """Do a step and print what it returns, or why it failed."""
        try:
            said = await work
        except (DetourError, AssertionError, LookupError) as error:
            self.failed.append(name)
            said = f"FAILED: {error}"
        print(f"{name:34} {said}", flush=True)


async def search(source: Source[Any, Any], query: Any) -> tuple[list[Any], str]:
    """Search to the end; return the offers, and in how many batches they came by when."""
    loop, began, times, found = asyncio.get_running_loop(), 0.0, list[float](), list[Any]()
    began = loop.time()
    async with aclosing(source.search(query, USER)) as batches:
        async for batch in batches:
            if batch:
                times.append(loop.time() - began)
                found += batch
    took = loop.time() - began
    assert found, f"nothing was found in {took:.1f} s"
    ids = {offer.offer_id for offer in found}
    assert len(ids) == len(found), "an offer came twice"
    return (
        found,
        f"{len(found)} offers in {len(times)} batches, the first after {times[0]:.1f} of {took:.1f} s",
    )


async def close_early(source: Source[Any, Any], query: Any) -> str:
    """Close a search after its first batch, and return how long that took."""
    loop = asyncio.get_running_loop()
    async with aclosing(source.search(query, USER)) as batches:
        async for batch in batches:
            if batch:
                break
        began = loop.time()
    return f"closed in {(loop.time() - began) * 1000:.0f} ms"


async def try_bookings(trial: Trial, bookings: SellerBookings, offer: Offer, *, holds: bool) -> None:
    """Quote, hold and pay or book, repeat, and cancel an offer."""
    kind = offer.provider
    made: dict[str, Any] = {}

    async def quote() -> str:
        made["offer"] = now = await bookings.offer(USER, choice_of(offer), offer)
        return f"{now.price_total} ({offer.price_total} when found), {now.terms}"

    async def book() -> str:
        order = Order(offer=made["offer"])
        if holds:
            held = await bookings.hold(USER, f"{kind}-hold", order)
            assert held.state == "held", held.state
        made["booking"] = booked = await bookings.book(USER, f"{kind}-book", order)
        assert booked.state == "booked", booked.state
        return f"{booked.reference}, {booked.seller_reference}" + (" after a hold" if holds else "")

    async def repeat() -> str:
        known = await bookings.outcome_of(USER, f"{kind}-book")
        assert known is not None
        assert known.reference == made["booking"].reference, known.reference
        return "the same booking"

    async def cancel() -> str:
        quoted: Cancellation = await bookings.cancellation(USER, made["booking"].reference)
        cancelled = await bookings.cancel(USER, f"{kind}-cancel", quoted)
        assert cancelled.state == "cancelled", cancelled.state
        return f"{quoted.refund} quoted, {cancelled.refund} given back"

    steps: Sequence[tuple[str, Callable[[], Awaitable[str]]]] = (
        ("quote", quote),
        ("hold and pay" if holds else "book", book),
        ("outcome of the same call", repeat),
        ("cancel", cancel),
    )
    for name, step in steps:
        await trial.step(f"{kind}: {name}", step())


async def try_flights(trial: Trial, of: Sellers, bookings: SellerBookings, today: date) -> None:
    """Try Duffel."""
    source = of.flights
    assert source is not None
    day = today + _AHEAD
    query = FlightQuery(origins=("LHR",), destinations=("JFK",), departure_date=day)
    found: list[Any] = []

    async def all_found() -> str:
        offers, said = await search(source, query)
        found.extend(offers)
        return said

    await trial.step("duffel: search", all_found())
    await trial.step("duffel: search that is closed", close_early(source, replace(query, passengers=2)))
    await trial.step(
        "duffel: nothing on sale", _nothing(source, replace(query, origins=("PVD",), destinations=("RAI",)))
    )
    of_duffel = [each for each in found if each.slices[0].segments[0].carrier == _DUFFEL_AIRWAYS]
    print(f"{'duffel: Duffel Airways':34} {len(of_duffel)} of {len(found)} offers")
    for offer in of_duffel[:1]:
        await try_bookings(trial, bookings, offer, holds=offer.terms.held_until is not None)


async def try_hotels(trial: Trial, of: Sellers, bookings: SellerBookings, today: date) -> None:
    """Try LiteAPI."""
    source = of.hotels
    assert source is not None
    day = today + _AHEAD
    query = HotelQuery(city="Rome", country="IT", check_in=day, check_out=day + timedelta(days=2))
    found: list[Any] = []

    async def all_found() -> str:
        offers, said = await search(source, query)
        found.extend(offers)
        unnamed = sum(offer.name.startswith("Hotel lp") for offer in offers)
        return f"{said}; {unnamed} without a name"

    await trial.step("liteapi: search", all_found())
    await trial.step("liteapi: search that is closed", close_early(source, replace(query, guests=2)))
    refundable = [each for each in found if each.free_cancellation_until] or found
    for offer in sorted(refundable, key=lambda each: each.price_total.amount)[:1]:
        await try_bookings(trial, bookings, offer, holds=False)


async def _nothing(source: Source[Any, Any], query: Any) -> str:
    async with aclosing(source.search(query, USER)) as batches:
        count = sum([len(batch) async for batch in batches])
    return f"{count} offers, where the documents say 0"


@asynccontextmanager
async def opened(settings: TravelSettings, clock: Clock) -> AsyncGenerator[tuple[Sellers, SellerBookings]]:
    """Yield the sellers of the settings and their bookings, kept in memory."""
    database = SqliteBookings(None)
    of, travellers = sellers(settings, database, clock=clock), Travellers(database)
    await travellers.keep(USER, [_PERSON])
    try:
        yield of, SellerBookings(of.desks, database, travellers, owner=TaskOwner(), clock=clock)
    finally:
        for service in of.services:
            await service.close()
        await database.close()


async def tried(settings: TravelSettings, clock: Clock = system_clock) -> int:
    """Try the sellers of the settings; return the exit code."""
    trial, today = Trial(), clock().date()
    async with opened(settings, clock) as (of, bookings):
        if of.flights is not None:
            await try_flights(trial, of, bookings, today)
        if of.hotels is not None:
            await try_hotels(trial, of, bookings, today)
    print(
        f"{len(trial.failed)} steps failed."
        if trial.failed
        else "All steps did what is known of the services."
    )
    return 1 if trial.failed else 0


def main() -> None:
    """Try what there are keys for, and exit."""
    try:
        settings = read_settings(TravelSettings)
    except WrongSettingsError as error:
        raise SystemExit(str(error)) from None
    assert isinstance(settings, TravelSettings)
    if settings.live:
        raise SystemExit("DETOUR_LIVE is set: this books, so it takes keys of test modes alone.")
    if not (settings.duffel_token or settings.liteapi_key):
        print("There is no key: set DETOUR_DUFFEL_TOKEN or DETOUR_LITEAPI_KEY (docs/providers.md).")
        sys.exit(2)
    sys.exit(asyncio.run(tried(settings)))


if __name__ == "__main__":
    main()
