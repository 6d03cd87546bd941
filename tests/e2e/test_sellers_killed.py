"""A server that is killed while it deals with real sellers: nothing is booked twice, nothing is lost.

The stand-ins live in the test's process, and their accounts are the judges; the server is killed with -9
while the stand-in holds its answer, before or after it has done what it was asked for.
"""

import pytest

from tests.fakes.duffel import Duffel
from tests.fakes.duffel_offers import Flight
from tests.fakes.liteapi import LiteApi
from tests.fakes.service import Hold
from tests.fakes.waiting import Gate, until

ADA = {
    "title": "ms", "given_name": "Ada", "family_name": "Byron", "gender": "f", "born_on": "1987-07-24",
    "email": "ada@example.com", "phone": "+442080160509",
}  # fmt: skip
FLIGHT = "Flights from Berlin to Rome on 10 March"
ROOM = "Hotels in Rome from 10 to 14 March"


async def allow(server):
    """Allow what is asked."""
    request = (await server.status("ada"))["input_request"]
    body = {"request_id": request["request_id"], "decision": "allow"}
    assert (await server.call("POST", "/answer/ada", json=body)).status_code == 202


async def rests(server):
    """Wait until nothing is at work, and return the status."""

    def at_rest(status):
        return status["status"] in ("completed", "failed", "interrupted") or status["input_request"]

    return await server.until_status("ada", at_rest)


async def ask(server, message):
    await server.chat("ada", message)
    return await rests(server)


async def told(server):
    return " ".join(each["text"] for each in (await server.history("ada", limit=200))["messages"])


async def bookings(server):
    return (await server.call("GET", "/bookings/ada")).json()["bookings"]


async def tell_who_travels(server):
    told = await server.call("PUT", "/travellers/ada", json={"travellers": [ADA]})
    assert told.status_code == 200, told.text


async def flight_found(process, duffel):
    """Return a server that has found a flight and knows who travels."""
    duffel.script("BER", "ROM", [[Flight("120.00")]])
    server = process(duffel_token=duffel.token, duffel_url=duffel.url)
    await server.start()
    await tell_who_travels(server)
    await ask(server, FLIGHT)
    return server


@pytest.mark.requirement("BOOKED-ONCE-AT-A-SELLER", "A-KILLED-BOOKING-IS-WHOLE")
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("route", ["POST /air/orders", "POST /air/payments"])
async def test_flight_of_a_killed_server_is_booked_once_and_told_by_the_next(process, route, when):
    gate = Gate()
    async with Duffel() as duffel:
        server = await flight_found(process, duffel)
        await ask(
            server, "hold the cheapest flight" if route == "POST /air/payments" else "book the cheapest"
        )
        if route == "POST /air/payments":
            await allow(server)
            await rests(server)
            await ask(server, "book it")
        duffel.fault(route, Hold(gate, when=when))
        await allow(server)
        await gate.arrived()
        await server.kill()
        gate.open()  # what has arrived is done, also for a client that is gone
        await duffel.settled()
        await server.start()
        booked = await until(lambda: settled(server))
        (order,) = duffel.orders.values()
        assert [each["state"] for each in booked] == ["booked"]
        assert order["payment_status"]["paid_at"]
        assert len(duffel.asked_for(route)) == 1
        assert booked[0]["reference"] in await told(server)


async def settled(server):
    """The bookings of the user, once one is booked and told."""
    found, said = await bookings(server), await told(server)
    is_booked = any(each["state"] == "booked" for each in found)
    return found if is_booked and all(each["reference"] in said for each in found) else None


@pytest.mark.requirement("BOOKED-ONCE-AT-A-SELLER", "A-KILLED-BOOKING-IS-WHOLE")
async def test_server_that_is_killed_before_it_sends_an_order_has_booked_once_in_the_end(process):
    gate = Gate()
    async with Duffel() as duffel:
        server = await flight_found(process, duffel)
        await ask(server, "book the cheapest")
        duffel.fault("GET /air/offers/{id}", Hold(gate))
        await allow(server)
        await gate.arrived()
        await server.kill()
        gate.open()
        await server.start()
        if (await rests(server))["input_request"]:
            await allow(server)
        assert [each["state"] for each in await until(lambda: settled(server))] == ["booked"]
        assert len(duffel.orders) == 1


@pytest.mark.requirement("BOOKED-ONCE-AT-A-SELLER", "A-KILLED-BOOKING-IS-WHOLE")
async def test_room_of_a_killed_server_is_booked_once_and_told_by_the_next(process):
    gate = Gate()
    async with LiteApi() as liteapi:
        urls = {"liteapi_url": liteapi.url, "liteapi_book_url": liteapi.book_url}
        server = process(liteapi_key=liteapi.key, **urls)
        await server.start()
        await tell_who_travels(server)
        await ask(server, ROOM)
        await ask(server, "book the cheapest")
        liteapi.fault("POST /rates/book", Hold(gate, when="after"))
        await allow(server)
        await gate.arrived()
        await server.kill()
        gate.open()
        await server.start()
        booked = await until(lambda: settled(server))
        assert [each["state"] for each in booked] == ["booked"]
        assert len(liteapi.bookings) == len(liteapi.asked_for("POST /rates/book")) == 1


@pytest.mark.requirement("A-SEARCH-SURVIVES-A-CRASH")
async def test_search_of_a_killed_server_is_read_on_by_the_next(process):
    async with Duffel(held=True) as duffel:
        duffel.script("BER", "ROM", [[Flight("120.00")], [Flight("99.00")]])
        server = process(duffel_token=duffel.token, duffel_url=duffel.url)
        await server.start()
        await server.chat("ada", FLIGHT)
        search = await duffel.searched()
        search.release(1)
        await server.until_found("ada", 1, "flight")
        await server.kill()
        search.release()
        await server.start()
        await rests(server)
        found = (await server.partial_results("ada"))["partial_results"]["flight"]
        assert sorted(each["price_total"]["amount"] for each in found)[-1:] == ["99.00"]
        assert len(duffel.asked_for("POST /air/batch_offer_requests")) == 1


@pytest.mark.requirement("CANCELLED-BY-ITS-QUOTE", "A-KILLED-BOOKING-IS-WHOLE")
async def test_cancellation_of_a_killed_server_is_made_once_and_told_by_the_next(process):
    route, gate = "POST /air/order_cancellations/{id}/actions/confirm", Gate()
    async with Duffel() as duffel:
        server = await flight_found(process, duffel)
        await ask(server, "book the cheapest")
        await allow(server)
        await until(lambda: settled(server))
        await ask(server, "cancel my booking")
        duffel.fault(route, Hold(gate, when="after"))
        await allow(server)
        await gate.arrived()
        await server.kill()
        gate.open()
        await duffel.settled()
        await server.start()

        async def is_cancelled():
            return [each["state"] for each in await bookings(server)] == ["cancelled"]

        await until(is_cancelled)
        await rests(server)
        assert len(duffel.asked_for(route)) == 1
        assert "ancelled FLY-" in await told(server)
