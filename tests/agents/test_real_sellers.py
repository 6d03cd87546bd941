"""A traveller with real sellers behind the assistant: their stand-ins, over the whole server."""

from contextlib import asynccontextmanager

import httpx2
import pytest

from backend.main import Detour
from tests.agents.booking_guest import Guests
from tests.api.live import base_url, refusal, settings
from tests.fakes.duffel import Duffel
from tests.fakes.duffel_offers import Flight
from tests.fakes.liteapi import LiteApi
from tests.fakes.service import Drop, Refuse
from tests.fakes.waiting import until

ADA = {
    "title": "ms", "given_name": "Ada", "family_name": "Byronsson", "gender": "f", "born_on": "1987-07-24",
    "email": "ada@byronsson.example", "phone": "+442080160509",
}  # fmt: skip
BOTH = "Flights from Berlin to Rome on 10 March and a hotel there until 14 March"
FLIGHT = "Flights from Berlin to Rome on 10 March"
READ = "GET /air/batch_offer_requests/{id}"


@asynccontextmanager
async def traveller(folder, duffel=None, liteapi=None, **changes):
    """Yield a guest of a server whose sellers these are."""
    if duffel is not None:
        changes |= {"duffel_token": duffel.token, "duffel_url": duffel.url}
    if liteapi is not None:
        urls = {"liteapi_url": liteapi.url, "liteapi_book_url": liteapi.book_url}
        changes |= {"liteapi_key": liteapi.key, **urls}
    detour = Detour(settings(folder, graph="", **changes))
    transport = httpx2.ASGITransport(app=detour.app)
    async with detour.life(), httpx2.AsyncClient(transport=transport, base_url=base_url(8000)) as http:
        yield Guests(http, detour)


async def tell_who_travels(guest, *travellers):
    told = await guest.call("PUT", "/travellers/ada", json={"travellers": [*travellers]})
    assert told.status_code == 200, told.text


@pytest.mark.requirement("REAL-OFFERS-ARRIVE")
async def test_both_kinds_are_real_and_only_demo_offers_are_called_invented(tmp_path):
    async with Duffel() as duffel, LiteApi() as liteapi:
        async with traveller(tmp_path / "both", duffel, liteapi) as guest:
            reply = await guest.say("ada", BOTH)
            (flight, *_), (hotel, *_) = [await guest.found("ada", kind) for kind in ("flight", "hotel")]
            assert (flight["provider"], hotel["provider"]) == ("duffel", "liteapi")
            assert "invented" not in reply
            fares = await guest.call("GET", "/fares?origins=BER&destinations=FCO&departure_date=2027-03-10")
            assert fares.json() == {"days": []}
        async with traveller(tmp_path / "one", duffel) as guest:
            assert "all invented" in await guest.say("ada", BOTH)
            assert {each["provider"] for each in await guest.found("ada", "hotel")} == {"demo"}
            assert {each["provider"] for each in await guest.found("ada", "flight")} == {"duffel"}


@pytest.mark.requirement("A-SEARCH-IS-CLOSED-AT-THE-SELLER")
async def test_change_of_mind_closes_the_search_and_keeps_what_came(tmp_path):
    async with Duffel(held=True) as duffel, traveller(tmp_path, duffel) as guest:
        duffel.script("BER", "ROM", [[Flight("120.00")], [Flight("99.00")]])
        await guest.chat("ada", FLIGHT)
        await duffel.asked(READ)
        duffel.release(1)
        waits = await duffel.asked(READ, 2)
        duffel.script("BER", "LIS", [[Flight("80.00")]])
        await guest.chat("ada", "make it Lisbon instead")
        await waits.cut()
        await duffel.asked(READ, 3)
        duffel.release()
        await completed(guest)
        (found,) = await guest.found("ada", "flight")
        assert found["price_total"]["amount"] == "80.00"
        assert found["slices"][0]["segments"][-1]["destination"] == "LIS"


async def completed(guest):
    async def is_completed():
        return (await guest.status("ada"))["status"] == "completed"

    await until(is_completed)


@pytest.mark.requirement("SEARCHES-GO-ON")
async def test_search_that_still_fits_goes_on_at_the_seller(tmp_path):
    async with (
        Duffel(held=True) as duffel,
        LiteApi() as liteapi,
        traveller(tmp_path, duffel, liteapi) as guest,
    ):
        await guest.chat("ada", BOTH)
        read = await duffel.asked(READ)
        await guest.chat("ada", "make the hotel at least 4 stars")
        duffel.release()
        await read.ended()
        await completed(guest)
        assert await guest.found("ada", "flight")
        assert len(duffel.asked_for("POST /air/batch_offer_requests")) == 1


@pytest.mark.requirement("WHOSE-FAULT-IT-IS")
async def test_seller_that_fails_is_named_and_the_other_kind_goes_on(tmp_path):
    async with Duffel() as duffel, LiteApi() as liteapi, traveller(tmp_path, duffel, liteapi) as guest:
        duffel.fault("POST /air/batch_offer_requests", Refuse(401, "access_token_not_found"), times=None)
        reply = await guest.say("ada", BOTH)
        assert "Duffel does not accept this server's key" in reply
        assert await guest.found("ada", "hotel")
        liteapi.fault("POST /hotels/rates", Drop("midway", pieces=1))
        reply = await guest.say("ada", "hotels in Vienna from 10 to 14 March")
        assert "LiteAPI" in reply


@pytest.mark.requirement("A-HOLD-IS-PAID-BY-A-SECOND-PERMISSION", "TRAVELLERS-ARE-KEPT-APART")
async def test_flight_is_held_paid_and_cancelled_each_once_it_is_allowed(tmp_path, capfd):
    async with Duffel() as duffel, traveller(tmp_path, duffel, log_level="debug") as guest:
        duffel.script("BER", "ROM", [[Flight("120.00", refund="30.00")]])
        await guest.say("ada", FLIGHT)
        asks = await guest.say("ada", "hold the cheapest flight")
        assert "Duffel wants to know who travels: 1 person" in asks
        await tell_who_travels(guest, ADA)
        question = (await guest.status("ada"))["input_request"]
        given = {"request_id": question["request_id"], "answer": {"travellers": True}}
        assert (await guest.call("POST", "/answer/ada", json=given)).status_code == 202

        async def facts_asked():
            return ((await guest.status("ada"))["input_request"] or {}).get("facts")

        facts = await until(facts_asked)
        assert facts["Total"] == "€120.00 if you book; holding is free"
        assert "Price holds until" in facts
        assert not duffel.orders
        held = await guest.decide("ada", "allow")
        assert held.startswith("Held as FLY-")
        asks = await guest.say("ada", "book it")
        assert asks == "Shall I book Duffel Airways, BER to CIA on Wed 10 March 2027 for €120.00?" + TEST
        assert not duffel.payments
        assert "Booked as FLY-" in await guest.decide("ada", "allow")
        (payment,) = duffel.payments.values()
        assert payment["amount"] == "120.00"
        asks = await guest.say("ada", "cancel my booking")
        assert "with €90.00 given back?" in asks
        assert "€90.00 is given back" in await guest.decide("ada", "allow")
        (order,) = duffel.orders.values()
        assert order["cancelled_at"]
        kept = (await guest.call("GET", "/users/ada/export")).text
        kept += (await guest.call("GET", "/history/ada")).text
    kept += "".join(capfd.readouterr())
    assert "byronsson" not in kept.lower()
    assert ADA["phone"] not in kept


TEST = " (Test mode: nothing is bought.)"


async def test_travellers_are_checked_field_by_field_and_go_with_the_user(tmp_path):
    async with Duffel() as duffel, traveller(tmp_path, duffel) as guest:
        for field, wrong in {
            "given_name": "A" * 21, "family_name": "<b>", "born_on": "2999-01-01", "phone": "0301234",
            "email": "ada", "title": "sir", "gender": "x",
        }.items():  # fmt: skip
            body = {"travellers": [{**ADA, field: wrong}]}
            refused = refusal(await guest.call("PUT", "/travellers/ada", json=body), 422, "bad_input")
            assert f"travellers.0.{field}" in refused["message"]
        await tell_who_travels(guest, ADA)
        told = await guest.call("GET", "/travellers/ada")
        assert told.json() == {"travellers": [ADA]}
        await guest.say("ada", "hello")
        assert (await guest.call("DELETE", "/users/ada")).status_code == 204
        assert (await guest.call("GET", "/travellers/ada")).json() == {"travellers": []}
