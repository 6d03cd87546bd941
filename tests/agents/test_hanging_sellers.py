"""Sellers that take a request and never answer: how long that is borne, what is told, what goes on."""

import pytest

from backend.travel.providers.duffel import orders, search
from backend.travel.providers.liteapi import bookings
from backend.travel.providers.liteapi import search as liteapi_search
from tests.agents.test_real_sellers import ADA, BOTH, SEARCH, now_asked, tell_who_travels, traveller
from tests.fakes.duffel import Duffel
from tests.fakes.duffel_offers import Flight
from tests.fakes.liteapi import LiteApi
from tests.fakes.service import Hold, Refuse
from tests.fakes.waiting import Gate

READ, OFFERS, OFFER, ORDER = (
    "GET /air/batch_offer_requests/{id}", "GET /air/offers", "GET /air/offers/{id}", "POST /air/orders",
)  # fmt: skip
RATES, LISTED, PREBOOK, BOOK = (
    "POST /hotels/rates", "GET /data/hotels", "POST /rates/prebook", "POST /rates/book",
)  # fmt: skip
SHORT_S = 1.0
"""Instead of the limits, which are 10 to 140 s. Who waits for longer waits for good, and so does the test."""


@pytest.fixture
def gate():
    """Where a request stays; nobody passes before the test is over."""
    gate = Gate()
    yield gate
    gate.open()


@pytest.fixture
def short(monkeypatch):
    """Return a function that shortens limits of a module."""

    def shorten(module, *limits):
        for limit in limits:
            monkeypatch.setattr(module, limit, SHORT_S)

    return shorten


@pytest.fixture
async def sellers(tmp_path, gate):
    async with Duffel() as duffel, LiteApi() as liteapi:
        duffel.script("BER", "ROM", [[Flight("120.00")]])
        async with traveller(tmp_path, duffel, liteapi) as guest:
            yield duffel, liteapi, guest
            gate.open()


@pytest.mark.requirement("WHOSE-FAULT-IT-IS")
@pytest.mark.parametrize("routes", [[SEARCH], [READ, OFFERS]])
async def test_flight_search_that_is_never_answered_ends_and_hotels_are_found(sellers, gate, short, routes):
    duffel, _, guest = sellers
    short(search, "READ_S")
    for route in routes:
        duffel.fault(route, Hold(gate), times=None)
    reply = await guest.say("ada", BOTH)
    assert "Duffel did not answer in time" in reply
    assert (await guest.found("ada", "hotel"))[0]["provider"] == "liteapi"


@pytest.mark.requirement("WHOSE-FAULT-IT-IS")
async def test_hotel_search_that_is_never_answered_ends_and_flights_are_found(sellers, gate, short):
    _, liteapi, guest = sellers
    short(liteapi_search, "SEARCH_S")
    liteapi.fault(RATES, Hold(gate), times=None)
    reply = await guest.say("ada", BOTH)
    assert "LiteAPI did not answer in time" in reply
    assert (await guest.found("ada", "flight"))[0]["provider"] == "duffel"


async def test_read_that_is_never_answered_costs_no_offer_where_another_call_tells_them(sellers, gate, short):
    duffel, liteapi, guest = sellers
    short(search, "READ_S")
    short(liteapi_search, "READ_S")
    duffel.fault(READ, Hold(gate), times=None)
    liteapi.fault(LISTED, Hold(gate), times=None)
    reply = await guest.say("ada", BOTH)
    assert "in time" not in reply
    assert [bool(await guest.found("ada", kind)) for kind in ("flight", "hotel")] == [True, True]


@pytest.mark.requirement("A-SELLER-S-LIMITS-ARE-HEARD", "WHOSE-FAULT-IT-IS")
@pytest.mark.parametrize("kind", ["flight", "hotel"])
async def test_seller_that_asks_to_wait_again_and_again_is_left_alone(sellers, monkeypatch, kind):
    duffel, liteapi, guest = sellers
    module = search if kind == "flight" else liteapi_search
    monkeypatch.setattr(module, "SEARCH_S", (3 if kind == "hotel" else 3 + search.LISTING_S) * SHORT_S)
    monkeypatch.setattr(module, "READ_S", 2 * SHORT_S)
    seller, route, name = (duffel, READ, "Duffel") if kind == "flight" else (liteapi, RATES, "LiteAPI")
    seller.fault(route, Refuse(429, reset_s=1), times=None)
    reply = await guest.say("ada", BOTH)
    assert f"{name} asks us to wait again and again" in reply
    assert await guest.found("ada", "hotel" if kind == "flight" else "flight")
    assert len(seller.asked_for(route)) > 1


@pytest.mark.parametrize(("kind", "route"), [("flight", OFFER), ("hotel", PREBOOK)])
async def test_quote_that_is_never_answered_is_told_and_nothing_is_sent(sellers, gate, short, kind, route):
    duffel, liteapi, guest = sellers
    await tell_who_travels(guest, ADA)
    await guest.say("ada", BOTH)
    short(orders if kind == "flight" else bookings, "READ_S")
    seller, name = (duffel, "Duffel") if kind == "flight" else (liteapi, "LiteAPI")
    seller.fault(route, Hold(gate), times=None)
    reply = await guest.say("ada", f"book the cheapest {kind}")
    assert f"I could not book that. {name} did not answer in time." in reply
    assert not duffel.asked_for(ORDER)
    assert not liteapi.asked_for(BOOK)


async def allowed(guest, asks):
    """Allow what is asked, and return what is asked next."""
    given = {"request_id": asks["request_id"], "decision": "allow"}
    assert (await guest.call("POST", "/answer/ada", json=given)).status_code == 202
    return await now_asked(guest, asks["request_id"])


UNKNOWN = "I do not know yet whether that went through"


@pytest.mark.requirement("BOOKED-ONCE-AT-A-SELLER")
@pytest.mark.parametrize("when", ["before", "after"])
async def test_order_that_is_never_answered_is_asked_about_and_the_hotel_is_booked(
    sellers, gate, short, when
):
    duffel, _, guest = sellers
    await tell_who_travels(guest, ADA)
    await guest.say("ada", BOTH)
    short(orders, "READ_S", "ORDER_S")
    duffel.fault(ORDER, Hold(gate, when=when))
    await guest.say("ada", "book the cheapest flight and the cheapest hotel")
    asks = await allowed(guest, await now_asked(guest))
    assert asks["tool"] == "book_hotel"
    reply = await guest.decide("ada", "allow")
    assert "Booked as STAY-" in reply
    # Duffel shows the one order, and may still make the other.
    assert ("Booked as FLY-" in reply, UNKNOWN in reply) == (when == "after", when == "before")
    assert len(duffel.asked_for(ORDER)) == 1


@pytest.mark.requirement("BOOKED-ONCE-AT-A-SELLER")
@pytest.mark.parametrize("when", ["before", "after"])
async def test_room_whose_booking_is_never_answered_is_asked_about(sellers, gate, short, when):
    _, liteapi, guest = sellers
    await tell_who_travels(guest, ADA)
    await guest.say("ada", BOTH)
    short(bookings, "READ_S", "WRITE_S")
    liteapi.fault(BOOK, Hold(gate, when=when))
    await guest.say("ada", "book the cheapest hotel")
    reply = await guest.decide("ada", "allow")
    assert ("Booked as STAY-" in reply, UNKNOWN in reply) == (when == "after", when == "before")
    assert len(liteapi.asked_for(BOOK)) == 1
