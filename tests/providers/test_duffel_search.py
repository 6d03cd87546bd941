"""Flights of Duffel, searched for over its stand-in: batches, limits, interruptions, crashes, bad answers."""

import asyncio
from dataclasses import replace
from datetime import date, time, timedelta
from decimal import Decimal

import pytest

from backend.travel.values.travel import Money
from tests.fakes.duffel import Duffel
from tests.fakes.duffel_offers import Flight
from tests.fakes.service import Alter, Drop, Refuse
from tests.providers.sellers import FLIGHTS, searched, sellers_of

BEGIN = "POST /air/batch_offer_requests"
READ = "GET /air/batch_offer_requests/{id}"
LIST = "GET /air/offers"


async def first_batch(duffel, batches):
    """Return the first batch, which is there once a read waits for it."""
    async with asyncio.TaskGroup() as group:
        first = group.create_task(anext(batches))
        await duffel.asked(READ)
        duffel.release(1)
    return first.result()


@pytest.mark.requirement("REAL-OFFERS-ARRIVE")
async def test_offer_tells_money_times_bags_and_terms_as_the_airline_does():
    async with Duffel() as duffel, sellers_of(duffel) as sellers:
        flight = Flight("221.78", departs="23:50", minutes=700, refund="40.00", change="no", bags=1)
        duffel.script("BER", "TYO", [[flight]])
        (offer,) = (await searched(sellers.flights, FLIGHTS)).offers
        assert not duffel.asked_for(LIST)
    (segment,) = offer.slices[0].segments
    assert (offer.provider, offer.live, offer.passengers) == ("duffel", False, 2)
    assert offer.price_total == Money(amount=Decimal("221.78"), currency="EUR")
    assert offer.price_per_person == Money(amount=Decimal("110.89"), currency="EUR")
    assert segment.departs_at.isoformat() == "2027-03-10T23:50:00+01:00"
    assert segment.arrives_at.isoformat() == "2027-03-11T19:30:00+09:00"
    assert (segment.duration_minutes, segment.carrier_name) == (700, "Duffel Airways")
    assert (offer.checked_bags, offer.refundable, offer.changeable) == (1, True, False)
    assert offer.terms.refund_fee == Money(amount=Decimal("40.00"), currency="EUR")
    assert offer.terms.sold_as == offer.offer_id
    assert offer.terms.held_until > offer.terms.expires_at > duffel.now


async def test_what_an_airline_does_not_tell_is_not_made_up():
    async with Duffel() as duffel, sellers_of(duffel) as sellers:
        duffel.script("BER", "TYO", [[Flight(sparse=True, refund=None, change=None, holdable=False)]])
        (offer,) = (await searched(sellers.flights, FLIGHTS)).offers
    assert (offer.refundable, offer.changeable) == (None, None)
    assert (offer.terms.refund_fee, offer.terms.held_until) == (None, None)


@pytest.mark.requirement("REAL-OFFERS-ARRIVE")
async def test_stop_on_the_way_in_the_same_aircraft_is_no_nonstop_flight():
    async with Duffel() as duffel, sellers_of(duffel) as sellers:
        duffel.script("BER", "TYO", [[Flight(halts=1), Flight(stops=0)]])
        with_a_halt, nonstop = (await searched(sellers.flights, FLIGHTS)).offers
    assert (with_a_halt.slices[0].stops, nonstop.slices[0].stops) == (1, 0)
    first, second = with_a_halt.slices[0].segments
    assert first.number == second.number
    assert first.destination == second.origin
    assert first.arrives_at < second.departs_at


async def test_request_has_the_limits_that_duffel_knows():
    query = replace(
        FLIGHTS,
        return_date=date(2027, 3, 20),
        cabin_class="business",
        max_stops=0,
        departs_after=time(6),
        returns_before=time(12),
    )
    async with Duffel() as duffel, sellers_of(duffel) as sellers:
        await searched(sellers.flights, query)
        (asked,) = duffel.asked_for(BEGIN)
    there, back = asked.body["data"]["slices"]
    assert (there["origin"], there["destination"], there["departure_date"]) == ("BER", "TYO", "2027-03-10")
    assert there["departure_time"] == {"from": "06:00", "to": "23:59"}
    assert back["departure_time"] == {"from": "00:00", "to": "12:00"}
    assert (asked.body["data"]["max_connections"], asked.body["data"]["cabin_class"]) == (0, "business")
    assert asked.body["data"]["passengers"] == [{"type": "adult"}] * 2
    assert asked.headers["accept-encoding"] == "gzip"


async def test_more_travellers_than_duffel_takes_are_refused_without_a_request():
    async with Duffel() as duffel, sellers_of(duffel) as sellers:
        found = await searched(sellers.flights, replace(FLIGHTS, passengers=10))
        assert not duffel.requests
    assert found.error is not None
    assert found.error.message == "Duffel sells flights for 1 to 9 travellers at once."


@pytest.mark.parametrize("end", ["origin", "destination"])
async def test_airport_that_was_not_asked_for_is_left_out_of_its_city(end):
    def elsewhere(answer):
        for offer in answer["data"].get("offers", [])[:1]:
            (flight,) = offer["slices"][0]["segments"]
            flight[end] = {**flight[end], "iata_code": "SXF"}
        return answer

    async with Duffel() as duffel, sellers_of(duffel) as sellers:
        duffel.script("BER", "TYO", [[Flight("500.00"), Flight("300.00")]])
        duffel.fault(READ, Alter(elsewhere))
        found = await searched(sellers.flights, FLIGHTS)
    assert [offer.price_total.amount for offer in found.offers] == [Decimal("300.00")]


@pytest.mark.requirement("A-SEARCH-SURVIVES-A-CRASH")
@pytest.mark.parametrize("later_s", [10, 90])
async def test_search_of_a_process_that_died_is_read_on_and_not_made_again(tmp_path, later_s):
    path = tmp_path / "bookings.sqlite"
    async with Duffel(held=True) as duffel:
        duffel.script("BER", "TYO", [[Flight("500.00")], [Flight("300.00")]])
        async with sellers_of(duffel, path=path) as died:
            batches = died.flights.search(FLIGHTS, "ada")
            await first_batch(duffel, batches)
        duffel.advance(later_s)
        duffel.release()
        duffel.held = False
        async with sellers_of(duffel, path=path) as sellers:
            found = await searched(sellers.flights, FLIGHTS)
            (asked,) = duffel.asked_for(BEGIN)
            # Within the minute the request brings what was not read yet, later the list has all.
            assert len(found.offers) == (1 if later_s == 10 else 2)
            assert asked.at <= duffel.now - timedelta(seconds=later_s)
            assert len((await searched(sellers.flights, FLIGHTS)).offers) == 2
        assert len(duffel.asked_for(BEGIN)) == 2
        await batches.aclose()


@pytest.mark.requirement("A-SEARCH-SURVIVES-A-CRASH")
async def test_search_of_somebody_else_is_not_read_on(tmp_path):
    path = tmp_path / "bookings.sqlite"
    async with Duffel(held=True) as duffel:
        async with sellers_of(duffel, path=path) as died:
            batches = died.flights.search(FLIGHTS, "ada")
            await first_batch(duffel, batches)
        duffel.release()
        duffel.held = False
        async with sellers_of(duffel, path=path) as sellers:
            await searched(sellers.flights, FLIGHTS, user_id="bob")
        assert len(duffel.asked_for(BEGIN)) == 2
        await batches.aclose()


@pytest.mark.parametrize("fault", [Drop("after"), Refuse(500), Drop("midway"), Alter(lambda _: b"{]")])
async def test_offers_of_a_read_that_was_lost_are_found_in_the_list(fault):
    async with Duffel() as duffel, sellers_of(duffel) as sellers:
        duffel.script("BER", "TYO", [[Flight("500.00")], [Flight("300.00")]])
        duffel.fault(READ, fault)
        found = await searched(sellers.flights, FLIGHTS)
        assert sorted(offer.price_total.amount for offer in found.offers) == [Decimal(300), Decimal(500)]
        assert found.error is None
        assert len(duffel.asked_for(BEGIN)) == 1


async def test_request_that_has_expired_is_read_from_its_list():
    async with Duffel(held=True) as duffel, sellers_of(duffel) as sellers:
        duffel.script("BER", "TYO", [[Flight("500.00")], [Flight("300.00")]])
        async with asyncio.TaskGroup() as group:
            search = group.create_task(searched(sellers.flights, FLIGHTS))
            await duffel.asked(READ)
            duffel.release(1)
            await duffel.asked(READ, 2)
            duffel.release()
            duffel.advance(61)
    assert len(search.result().offers) == 2


async def test_long_list_is_read_page_by_page_and_cut_at_its_end():
    async with Duffel() as duffel, sellers_of(duffel) as sellers:
        duffel.script("BER", "TYO", [[Flight(f"{100 + number}.00") for number in range(620)]])
        duffel.fault(READ, Drop("before"))
        found = await searched(sellers.flights, FLIGHTS)
        assert len(duffel.asked_for(LIST)) == 3
    assert found.is_cut_short
    assert len(found.offers) == 600


@pytest.mark.requirement("A-SELLER-S-LIMITS-ARE-HEARD")
@pytest.mark.parametrize("route", [BEGIN, READ])
async def test_traveller_is_told_of_a_wait_that_duffel_asks_for(route, monkeypatch):
    waited = list[float]()
    monkeypatch.setattr("backend.travel.providers.service.sleep", recorded(waited))
    async with Duffel() as duffel, sellers_of(duffel) as sellers:
        duffel.fault(route, Refuse(429, "rate_limit_exceeded", reset_s=20))
        found = await searched(sellers.flights, FLIGHTS)
    assert found.notices == ["Duffel asks us to wait 20 s"]
    assert [round(wait) for wait in waited] == [20]
    assert found.offers


@pytest.mark.requirement("A-SELLER-S-LIMITS-ARE-HEARD")
async def test_wait_that_is_too_long_ends_the_search_with_its_reason(monkeypatch):
    monkeypatch.setattr("backend.travel.providers.service.sleep", recorded([]))
    async with Duffel() as duffel, sellers_of(duffel) as sellers:
        duffel.fault(BEGIN, Refuse(429, "rate_limit_exceeded", reset_s=50))
        found = await searched(sellers.flights, FLIGHTS)
        assert len(duffel.requests) == 1
    assert found.error is not None
    assert found.error.message == "Duffel takes no questions for 50 s. Please try again then."


def recorded(waits):
    """Return what waits for no time, and keeps for how long it was asked to."""

    async def sleep(seconds):
        waits.append(seconds)

    return sleep


@pytest.mark.requirement("WHOSE-FAULT-IT-IS")
@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (Refuse(401, "access_token_not_found"), "Duffel does not accept this server's key."),
        (Refuse(403, "unavailable_feature"), "Duffel does not accept this server's key."),
        (Refuse(422, "validation_format"), "Duffel refused the request."),
        (Refuse(500, "internal_server_error"), "Duffel has a fault of its own."),
        (Refuse(504, "gateway_timeout_error"), "Duffel has a fault of its own."),
        (Refuse(502, text="<h1>Bad <b>gateway</b></h1>"), "Duffel has a fault of its own."),
        (Drop("before"), "Duffel is out of reach."),
        (Drop("midway"), "Duffel is out of reach."),
        (Alter(lambda _: b"<html>"), "Duffel answered what cannot be read."),
        (Alter(lambda _: {"data": []}), "Duffel answered what cannot be read."),
        (Alter(lambda _: []), "Duffel answered what cannot be read."),
    ],
)
async def test_traveller_is_told_whose_fault_it_is(fault, told):
    async with Duffel() as duffel, sellers_of(duffel) as sellers:
        duffel.fault(BEGIN, fault)
        found = await searched(sellers.flights, FLIGHTS)
        assert duffel.open_connections <= 1
    assert found.error is not None
    assert found.error.message == told
    assert found.offers == []


@pytest.mark.parametrize(
    "spoiled",
    [
        {"total_amount": None},
        {"total_amount": "NaN"},
        {"total_amount": "Infinity"},
        {"total_amount": "-1.00"},
        {"total_amount": 221.78},
        {"slices": []},
        {"id": None},
        {"passengers": []},
        {"total_currency": "euro"},
    ],
)
async def test_offer_that_cannot_be_one_is_left_out(spoiled):
    def spoil(answer):
        for offer in answer["data"].get("offers", [])[:1]:
            offer.update(spoiled)
        return answer

    async with Duffel() as duffel, sellers_of(duffel) as sellers:
        duffel.script("BER", "TYO", [[Flight("500.00"), Flight("300.00")]])
        duffel.fault(READ, Alter(spoil), times=None)
        found = await searched(sellers.flights, FLIGHTS)
    assert [offer.price_total.amount for offer in found.offers] == [Decimal("300.00")]


async def test_name_of_an_airline_is_no_markup_and_no_second_line():
    def rename(answer):
        for offer in answer["data"].get("offers", []):
            for flight in offer["slices"][0]["segments"]:
                flight["marketing_carrier"]["name"] = "Evil\nAir: allowed\u202e" + "x" * 5000
        return answer

    async with Duffel() as duffel, sellers_of(duffel) as sellers:
        duffel.fault(READ, Alter(rename), times=None)
        offers = (await searched(sellers.flights, FLIGHTS)).offers
    names = {flight.carrier_name for offer in offers for flight in offer.slices[0].segments}
    assert names
    assert all("\n" not in name and "\u202e" not in name and len(name) <= 120 for name in names)


async def test_wait_that_a_header_asks_for_is_bounded(monkeypatch):
    monkeypatch.setattr("backend.travel.providers.service.sleep", recorded([]))
    async with Duffel() as duffel, sellers_of(duffel) as sellers:
        duffel.fault(BEGIN, Refuse(429, headers={"retry-after": "9" * 400}))
        found = await searched(sellers.flights, FLIGHTS)
    assert found.error is not None
    assert found.error.message == "Duffel takes no questions for 600 s. Please try again then."
