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
SEARCH = "POST /air/batch_offer_requests"
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


def child(name, born_on, **more):
    return {**ADA, "given_name": name, "born_on": born_on, **more}


BOB, CID, DOT = child("Bob", "1985-01-02"), child("Cid", "2019-06-01"), child("Dot", "2026-05-01")
FAMILY = "Flights from Berlin to Rome on 10 March and back on 14 March for 2 adults, a baby and a 7-year-old"
ASKED = "4 people (2 adults, a child under 1, a child of 7)"


async def now_asked(guest, before=None):
    """What a guest is asked next, once that is another question than before."""

    async def is_asked():
        now = (await guest.status("ada"))["input_request"]
        return now if now and now["request_id"] != before else None

    return await until(is_asked)


async def tell_and_answer(guest, *travellers):
    """Tell who travels where that is asked, and return what is asked then."""
    await tell_who_travels(guest, *travellers)
    question = (await now_asked(guest))["request_id"]
    given = {"request_id": question, "answer": {"travellers": True}}
    assert (await guest.call("POST", "/answer/ada", json=given)).status_code == 202
    return await now_asked(guest, before=question)


@pytest.mark.requirement("CHILDREN-ARE-CHILDREN")
async def test_family_is_found_asked_for_allowed_and_booked_with_its_ages(tmp_path):
    async with Duffel() as duffel, traveller(tmp_path, duffel) as guest:
        duffel.script("BER", "ROM", [[Flight("320.00")]])
        reply = await guest.say("ada", FAMILY)
        assert "4 passengers, 2 of them children (aged under 1 and 7)" in reply
        assert "€320.00 (€80.00 a person on average)" in reply
        assert "adult fares" not in reply
        (offer,) = await guest.found("ada", "flight")
        assert offer["terms"]["children"] == [0, 7]
        assert ASKED in await guest.say("ada", "book the cheapest flight")
        asks = await tell_and_answer(guest, ADA, BOB, CID, child("Dot", "2025-05-01"))
        assert "One of those who travel must be under 1 on 14 March 2027" in asks["prompt"]
        assert "tell me, and I search again" in asks["prompt"]
        asks = await tell_and_answer(guest, ADA, BOB, CID, DOT)
        assert asks["facts"]["Who"] == "4 passengers (2 adults, a child under 1, a child of 7)"
        assert not duffel.orders
        assert (await guest.decide("ada", "allow")).startswith("Booked as FLY-")
        (order,) = duffel.orders.values()
        assert sorted(str(each["age"]) for each in order["passengers"]) == ["0", "7", "None", "None"]


@pytest.mark.requirement("CHILDREN-ARE-CHILDREN")
async def test_age_that_nobody_told_is_assumed_and_said_until_it_is_told(tmp_path):
    async with Duffel() as duffel, LiteApi() as liteapi, traveller(tmp_path, duffel, liteapi) as guest:
        reply = await guest.say("ada", f"{BOTH} for 2 adults and 2 kids")
        assert "You have not told how old 2 children are, and prices depend on it: I took 8 years" in reply
        assert duffel.asked_for(SEARCH)[0].body["data"]["passengers"][2:] == [{"age": 8}, {"age": 8}]
        assert liteapi.asked_for("POST /hotels/rates")[0].body["occupancies"] == [
            {"adults": 2, "children": [8, 8]}
        ]
        reply = await guest.say("ada", "4 and 9")
        assert "You have not told" not in reply
        assert duffel.asked_for(SEARCH)[1].body["data"]["passengers"][2:] == [{"age": 4}, {"age": 9}]
        assert await guest.found("ada", "flight")


@pytest.mark.requirement("CHILDREN-ARE-CHILDREN")
async def test_party_that_no_airline_takes_is_told_why(tmp_path):
    async with Duffel() as duffel, traveller(tmp_path, duffel) as guest:
        assert "tell me how many adults come along" in await guest.say("ada", f"{FLIGHT} for my 7 year old")
        assert "2 of them need 2 adults" in await guest.say("ada", f"{FLIGHT} for 1 adult and 2 babies")


async def test_demo_sells_to_heads_and_says_so(tmp_path):
    async with traveller(tmp_path) as guest:
        reply = await guest.say("ada", f"{FLIGHT} for 2 adults and 2 kids")
        assert "I search at adult fares, also for 2 kids." in reply
        assert "You have not told" not in reply


PASSPORT = {"number": "C01X00T47", "country": "DE", "expires_on": "2031-01-01"}


@pytest.mark.requirement("PASSPORTS-WHERE-WANTED", "TRAVELLERS-ARE-KEPT-APART")
async def test_passports_are_asked_for_and_kept_apart(tmp_path, capfd):
    async with Duffel() as duffel, traveller(tmp_path, duffel, log_level="debug") as guest:
        duffel.script("BER", "ROM", [[Flight("120.00", documents=True)]])
        await tell_who_travels(guest, ADA)
        await guest.say("ada", FLIGHT)
        asks = await guest.say("ada", "book the cheapest flight")
        assert "phone number, and their passports." in asks
        assert (await now_asked(guest))["schema"]["properties"]["travellers"]["x-passports"] is True
        asks = await tell_and_answer(guest, {**ADA, "passport": {**PASSPORT, "expires_on": "2027-03-09"}})
        assert "The airline wants a passport of each that is valid on 10 March 2027" in asks["prompt"]
        asks = await tell_and_answer(guest, {**ADA, "passport": PASSPORT})
        assert asks["facts"]["Passports"] == "the airline wants one of each"
        assert "Booked as FLY-" in await guest.decide("ada", "allow")
        (order,) = duffel.orders.values()
        assert order["passengers"][0]["identity_documents"][0]["unique_identifier"] == PASSPORT["number"]
        told = (await guest.call("GET", "/travellers/ada")).json()
        assert told == {"travellers": [{**ADA, "passport": PASSPORT}]}
        kept = (await guest.call("GET", "/users/ada/export")).text
        kept += (await guest.call("GET", "/history/ada")).text
    assert PASSPORT["number"] not in kept + "".join(capfd.readouterr())


@pytest.mark.requirement("PASSPORTS-WHERE-WANTED")
async def test_offer_that_wants_other_papers_is_refused_before_anything_is_asked(tmp_path):
    async with Duffel() as duffel, traveller(tmp_path, duffel) as guest:
        duffel.script("BER", "ROM", [[Flight("120.00", documents=True, papers=("tax_id",))]])
        await guest.say("ada", FLIGHT)
        reply = await guest.say("ada", "book the cheapest flight")
        assert "The airline wants papers of each traveller that are no passports" in reply
        assert not (await guest.status("ada"))["input_request"]


async def test_room_is_asked_for_with_one_adult_whatever_the_party(tmp_path):
    async with LiteApi() as liteapi, traveller(tmp_path, liteapi=liteapi) as guest:
        await guest.say("ada", "a hotel in Rome from 10 to 14 March for 2 adults, a baby and a 7-year-old")
        assert "who travels: 1 person," in await guest.say("ada", "book the cheapest hotel")
        asks = await tell_and_answer(guest, ADA)
        assert asks["facts"]["Who"] == "4 guests (2 adults, a child under 1, a child of 7)"
        assert "Booked as STAY-" in await guest.decide("ada", "allow")


async def test_travellers_are_checked_field_by_field_and_go_with_the_user(tmp_path):
    async with Duffel() as duffel, traveller(tmp_path, duffel) as guest:
        for field, wrong in {
            "given_name": "A" * 21, "family_name": "<b>", "born_on": "2999-01-01", "phone": "0301234",
            "email": "ada", "title": "sir", "gender": "x", "passport": {"number": "C01X00T47"},
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
