"""The kit's graph, whose reads and writes are searches and bookings at stand-ins of real sellers.

The tools are made of what the server itself searches and books with.
"""

import os
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from backend.domain.encoding import encode_exactly, system_clock
from backend.graphs.hosted_tools import Quote, Report, tool
from backend.tasks.task_owner import TaskOwner
from backend.travel.providers.begun_searches import BegunSearches
from backend.travel.providers.booking_database import SqliteBookings
from backend.travel.providers.duffel import search as duffel
from backend.travel.providers.liteapi import search as liteapi
from backend.travel.providers.liteapi.bookings import LiteapiBookings
from backend.travel.providers.seller_bookings import SellerBookings
from backend.travel.providers.service import Service
from backend.travel.providers.travellers import Traveller, Travellers
from backend.travel.values.booking import Order, choice_of, order_from_json
from backend.travel.values.travel import FlightQuery, HotelOffer, HotelQuery
from checks.conformance import graph as kit
from checks.conformance.gates import pass_by

CONFORMANCE_SELLERS = "CONFORMANCE_SELLERS"
"""The environment variable with the `Addresses`, as JSON."""

USER, GATE = "x-conformance-user", "x-conformance-gate"
"""Headers: whose request it is, and the gate at which a room's price waits before it is told."""

FLIGHTS = FlightQuery(origins=("BER",), destinations=("CIA", "FCO"), departure_date=date(2027, 3, 10))
ROOMS = HotelQuery(city="Rome", country="IT", check_in=date(2027, 3, 10), check_out=date(2027, 3, 14))
GUEST = "guest"
"""Whose bookings all are: a call's id alone tells them apart, and whoever asks about one knows no more."""
_ADA = Traveller(
    title="ms", given_name="Ada", family_name="Byron", gender="f", born_on=date(1987, 7, 24),
    email="ada@example.com", phone="+442080160509",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """Where the sellers are, what they take for a key, and the folder for bookings."""

    duffel: str
    token: str
    liteapi: str
    booking: str
    key: str
    folder: str


@cache
def _addresses() -> Addresses:
    return Addresses(**orjson.loads(os.environ[CONFORMANCE_SELLERS]))


@cache
def _database() -> SqliteBookings:
    return SqliteBookings(Path(_addresses().folder) / "bookings.sqlite")


@cache
def _owner() -> TaskOwner:
    return TaskOwner()


@cache
def _flights(user: str) -> duffel.DuffelFlights:
    key = {"Authorization": f"Bearer {_addresses().token}", "Duffel-Version": "v2", USER: user}
    service = Service("Duffel", _addresses().duffel, key, fault_of=duffel.fault_of)
    return duffel.DuffelFlights(service, BegunSearches(_database(), system_clock))


@cache
def _rooms(user: str) -> liteapi.LiteapiHotels:
    service = _liteapi(_addresses().liteapi, user)
    return liteapi.LiteapiHotels(service, nationality="DE", live=False)


@cache
def _bookings(user: str, gate: str = "") -> SellerBookings:
    desk = LiteapiBookings(_liteapi(_addresses().booking, user, gate), live=False, clock=system_clock)
    travellers = Travellers(_database())
    return SellerBookings([desk], _database(), travellers, owner=_owner(), clock=system_clock)


def _liteapi(url: str, user: str, gate: str = "") -> Service:
    headers = {"X-API-Key": _addresses().key, USER: user, **({GATE: gate} if gate else {})}
    return Service("LiteAPI", url, headers, fault_of=liteapi.fault_of)


async def _room(user: str) -> HotelOffer:
    async with aclosing(_rooms(user).search(ROOMS, user)) as parts:
        return (await anext(parts))[0]


@tool(effect="read", fresh_s=60)
async def quick(user: str) -> AsyncGenerator[dict[str, Any], None]:
    """Find one room, at once."""
    await pass_by(user, "quick")
    yield {"found": (await _room(user)).name}


@tool(effect="read")
async def search(user: str) -> AsyncGenerator[dict[str, Any], None]:
    """Find one flight, and another one past the gate."""
    async with aclosing(_flights(user).search(FLIGHTS, user)) as parts:
        async for part in parts:
            for offer in part:
                yield {"found": offer.offer_id}


async def _quoted(user: str, slowly: bool, order: None) -> Quote:
    seen = await _room(user)
    quoted = Order(offer=await _bookings(user).offer(GUEST, choice_of(seen), seen))
    await Travellers(_database()).keep(GUEST, [_ADA])
    arguments = {"user": user, "slowly": slowly, "order": orjson.loads(encode_exactly(quoted))}
    return Quote(arguments, f"Order a room for {quoted.offer.price_total}?", {"What": seen.name})


async def _ordered(call_id: str) -> str | None:
    booking = await _bookings("").outcome_of(GUEST, call_id)
    return booking.reference if booking else None


@tool(effect="write", quote=_quoted, outcome=_ordered)
async def order_room(user: str, slowly: bool, report: Report, order: Any = None) -> str:
    """Order a room, at once or past a gate: it is taken then, and confirmed past another one."""
    bookings = _bookings(user, "sending" if slowly else "")
    return (await bookings.book(GUEST, report.call_id, order_from_json(order))).reference


def graph():
    """Return the compiled graph."""
    return kit.graph(tools=(quick, search, order_room))
