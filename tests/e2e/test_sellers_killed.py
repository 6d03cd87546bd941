"""A server that is killed while it deals with real sellers: nothing is booked twice, nothing is lost.

The stand-ins live in the test's process, and their accounts are the judges; the server is killed with -9
while the stand-in holds its answer, before or after it has done what it was asked for. What has come to a
stand-in is done, also for a client that is gone.
"""

from contextlib import AsyncExitStack
from decimal import Decimal

import pytest

from tests.fakes.duffel import Duffel
from tests.fakes.duffel_offers import Flight
from tests.fakes.liteapi import Hotel, LiteApi, Rate
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


async def told(server, since=0):
    """What the server has said, from some message on."""
    said = (await server.history("ada", limit=200))["messages"][since:]
    return " ".join(each["text"] for each in said if each["role"] != "user")


async def bookings(server):
    return (await server.call("GET", "/bookings/ada")).json()["bookings"]


async def tell_who_travels(server):
    told = await server.call("PUT", "/travellers/ada", json={"travellers": [ADA]})
    assert told.status_code == 200, told.text


class AtDuffel:
    """Flights, and what Duffel has: of each order its state, and what is gone from the balance."""

    found, opened = FLIGHT, Duffel
    lookup = "GET /air/orders"
    writes = ("POST /air/orders", "POST /air/payments", "POST /air/order_cancellations/{id}/actions/confirm")

    def __init__(self, duffel):
        self.service, self.before = duffel, duffel.balance
        self.settings = {"duffel_token": duffel.token, "duffel_url": duffel.url}
        duffel.script("BER", "ROM", [[Flight("120.00", refund="30.00")]])

    def account(self):
        spent = self.before - self.service.balance
        return [
            (
                "cancelled" if order["cancelled_at"] else "held" if order["documents"] == [] else "booked",
                spent,
            )
            for order in self.service.orders.values()
        ]

    booked, held, cancelled = [("booked", Decimal(120))], [("held", Decimal(0))], [("cancelled", Decimal(30))]


class AtLiteApi:
    """Rooms, and what LiteAPI has: the status of each booking."""

    found, opened = ROOM, LiteApi
    lookup = "GET /bookings"
    writes = ("POST /rates/book", "PUT /bookings/{id}")

    def __init__(self, liteapi):
        self.service = liteapi
        urls = {"liteapi_url": liteapi.url, "liteapi_book_url": liteapi.book_url}
        self.settings = {"liteapi_key": liteapi.key, **urls}
        liteapi.script("41.89,12.48", [[Hotel("One", (Rate("480.20"),))]])

    def account(self):
        return [each["status"] for each in self.service.bookings.values()]

    booked, cancelled = ["CONFIRMED"], ["CANCELLED"]


ORDER, PAY, CONFIRM = AtDuffel.writes
BOOK, CANCEL = AtLiteApi.writes
AN_ORDER = "GET /air/orders/{id}"
STEPS = [
    (AtDuffel, "hold", "GET /air/offers/{id}", "before"),
    (AtDuffel, "hold", ORDER, "before"),
    (AtDuffel, "hold", ORDER, "after"),
    (AtDuffel, "book", "GET /air/offers/{id}", "before"),
    (AtDuffel, "book", ORDER, "before"),
    (AtDuffel, "book", ORDER, "after"),
    (AtDuffel, "pay", AN_ORDER, "before"),
    (AtDuffel, "pay", PAY, "before"),
    (AtDuffel, "pay", PAY, "after"),
    (AtDuffel, "pay", "then " + AN_ORDER, "before"),
    (AtDuffel, "cancel", "POST /air/order_cancellations", "before"),
    (AtDuffel, "cancel", CONFIRM, "before"),
    (AtDuffel, "cancel", CONFIRM, "after"),
    (AtDuffel, "cancel", "then " + AN_ORDER, "before"),
    (AtLiteApi, "book", "POST /rates/prebook", "before"),
    (AtLiteApi, "book", BOOK, "before"),
    (AtLiteApi, "book", BOOK, "after"),
    (AtLiteApi, "cancel", "GET /bookings/{id}", "before"),
    (AtLiteApi, "cancel", CANCEL, "before"),
    (AtLiteApi, "cancel", CANCEL, "after"),
]
"""Whose, what is being done, and the request under which the server dies; `then` is one after the write."""
SAYS = {
    "hold": "hold the cheapest",
    "book": "book the cheapest",
    "pay": "book it",
    "cancel": "cancel my booking",
}
FIRST = {"hold": [], "book": [], "pay": ["hold"], "cancel": ["book"]}
COMES_TO = {"hold": "held", "book": "booked", "pay": "booked", "cancel": "cancelled"}


class Guest:
    """A traveller of one server after the other, at one seller."""

    def __init__(self, process, seller):
        self.server, self.seller, self.service = process(**seller.settings), seller, seller.service
        self.said = 0

    async def asks(self, *acts):
        """Search and do these things; the last of them is asked to be allowed, and is not."""
        await self.server.start()
        await tell_who_travels(self.server)
        await ask(self.server, self.seller.found)
        *before, last = acts
        for act in before:
            await ask(self.server, SAYS[act])
            await self.allows_until(act)
        await ask(self.server, SAYS[last])

    async def dies_under(self, route, when, act):
        """Allow what is asked, and kill the server under a request."""
        gate, write = Gate(), PAY if act == "pay" else CONFIRM
        matches = (lambda _: self.service.asked_for(write)) if "then" in route else (lambda _: True)
        self.service.fault(route.removeprefix("then "), Hold(gate, when=when), when=matches)
        await allow(self.server)
        await self.is_killed_at(gate)

    async def is_killed_at(self, gate):
        await gate.arrived()
        self.said = len((await self.server.history("ada", limit=200))["messages"])
        await self.server.kill()
        gate.open()
        await self.service.settled()

    async def allows_until(self, act):
        """Allow what is asked until it has come to its end, and that is told since the kill."""
        state = COMES_TO[act]

        async def has_come():
            status = await self.server.status("ada")
            if status["input_request"]:
                await allow(self.server)
                return False
            found = [each for each in await bookings(self.server) if each["state"] == state]
            is_told = found and found[0]["reference"] in await told(self.server, self.said)
            return is_told and status["status"] == "completed"

        await until(has_come)


@pytest.fixture
async def at(process):
    """Return a function that opens a seller, and makes a guest of it."""
    async with AsyncExitStack() as stack:

        async def opened(kind):
            return Guest(process, kind(await stack.enter_async_context(kind.opened())))

        yield opened


@pytest.mark.requirement("BOOKED-ONCE-AT-A-SELLER", "CANCELLED-BY-ITS-QUOTE", "A-KILLED-BOOKING-IS-WHOLE")
@pytest.mark.parametrize(("kind", "act", "route", "when"), STEPS)
async def test_killed_server_has_done_once_what_was_allowed_and_the_next_one_tells(
    at, kind, act, route, when
):
    guest = await at(kind)
    await guest.asks(*FIRST[act], act)
    await guest.dies_under(route, when, act)
    await guest.server.start()
    await guest.allows_until(act)
    (booking,) = await bookings(guest.server)
    assert (booking["state"], booking["provider"]) == (
        COMES_TO[act],
        guest.service.__class__.__name__.lower(),
    )
    assert guest.seller.account() == getattr(guest.seller, COMES_TO[act])
    assert all(len(guest.service.asked_for(each)) <= 1 for each in guest.seller.writes)


@pytest.mark.requirement("BOOKED-ONCE-AT-A-SELLER", "A-KILLED-BOOKING-IS-WHOLE")
@pytest.mark.parametrize("kind", [AtDuffel, AtLiteApi])
async def test_server_that_is_killed_while_it_asks_what_became_of_an_order_asks_again(at, kind):
    guest = await at(kind)
    await guest.asks("book")
    await guest.dies_under(guest.seller.writes[0], "after", "book")
    guest.service.fault(guest.seller.lookup, Hold(gate := Gate()))
    await guest.server.start()
    await guest.is_killed_at(gate)
    await guest.server.start()
    await guest.allows_until("book")
    assert guest.seller.account() == guest.seller.booked
    assert len(guest.service.asked_for(guest.seller.writes[0])) == 1


@pytest.mark.requirement("BOOKED-ONCE-AT-A-SELLER", "A-KILLED-BOOKING-IS-WHOLE")
@pytest.mark.parametrize("kind", [AtDuffel, AtLiteApi])
async def test_server_that_is_killed_while_it_waits_to_be_allowed_asks_for_that_still(at, kind):
    guest = await at(kind)
    await guest.asks("book")
    before = (await guest.server.status("ada"))["input_request"]
    await guest.server.kill()
    await guest.server.start()
    assert (await guest.server.status("ada"))["input_request"] == before
    assert guest.seller.account() == []
    await guest.allows_until("book")
    assert guest.seller.account() == guest.seller.booked


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
