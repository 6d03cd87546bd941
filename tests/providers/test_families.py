"""Children, infants and passports at both sellers' stand-ins: searched, priced and booked as such."""

from contextlib import asynccontextmanager
from dataclasses import fields, replace
from datetime import date
from decimal import Decimal

import orjson
import pytest

from backend.domain.encoding import encode, encode_exactly
from backend.domain.errors import BookingRefused, NotOnSale
from backend.domain.tool_call import call_key
from backend.tasks.task_owner import TaskOwner
from backend.travel.providers.booking_database import SqliteBookings
from backend.travel.providers.seller_bookings import SellerBookings
from backend.travel.providers.travellers import Passport, Traveller, Travellers, members
from backend.travel.values.booking import (
    Order,
    Party,
    Wanted,
    choice_of,
    offer_from_json,
    parts_of,
)
from backend.travel.values.travel import from_json
from tests.fakes.duffel import Duffel
from tests.fakes.duffel_offers import Flight
from tests.fakes.liteapi import LiteApi
from tests.providers.sellers import FLIGHTS, HOTELS, searched, sellers_of

SEARCH, ORDER, BOOK = "POST /air/batch_offer_requests", "POST /air/orders", "POST /rates/book"
BACK = date(2027, 3, 14)
FAMILY = replace(FLIGHTS, return_date=BACK, passengers=4, children=(0, 7))


def person(name, born_on, passport=None):
    return Traveller(
        title="ms", given_name=name, family_name="Byron", gender="f", born_on=born_on,
        email="ada@example.com", phone="+442080160509", passport=passport,
    )  # fmt: skip


ADA, BOB = person("Ada", date(1987, 7, 24)), person("Bob", date(1985, 1, 2))
CID, DOT = person("Cid", date(2019, 6, 1)), person("Dot", date(2026, 5, 1))
"""Seven years old and none on the way back."""


def born(one, *day):
    return replace(one, born_on=date(*day))


@asynccontextmanager
async def office(seller, query, *, known=(DOT, ADA, CID, BOB), **settings):
    """Yield the bookings of a server, its travellers, and what a search has found there."""
    async with sellers_of(**settings) as of:
        database = SqliteBookings(None)
        travellers = Travellers(database)
        await travellers.keep("ada", known)
        found = await searched(of.flights or of.hotels, query)
        clock = lambda: seller.now  # noqa: E731
        bookings = SellerBookings(of.desks, database, travellers, owner=TaskOwner(), clock=clock)
        yield bookings, travellers, found
        await database.close()


def at_duffel(duffel, query=FAMILY, **more):
    return office(duffel, query, duffel=duffel, **more)


# --- searching -----------------------------------------------------------------------------------------


@pytest.mark.requirement("CHILDREN-ARE-CHILDREN")
async def test_flights_are_searched_and_priced_by_the_ages_of_children():
    async with Duffel() as duffel, at_duffel(duffel) as (_, _, found):
        (asked,) = duffel.asked_for(SEARCH)
        adult = {"type": "adult"}
        assert asked.body["data"]["passengers"] == [adult, adult, {"age": 0}, {"age": 7}]
        assert {offer.terms.children for offer in found.offers} == {(0, 7)}
        async with sellers_of(duffel) as of:
            of_adults = await searched(of.flights, replace(FAMILY, children=None))
        totals = [min(each.price_total.amount for each in one.offers) for one in (found, of_adults)]
        assert totals[0] < totals[1]


@pytest.mark.requirement("CHILDREN-ARE-CHILDREN")
async def test_rooms_are_searched_and_priced_by_the_ages_of_children():
    family = replace(HOTELS, guests=5, rooms=2, children=(4, 4, 9))
    async with LiteApi() as liteapi, sellers_of(liteapi=liteapi) as of:
        found = await searched(of.hotels, family)
        (asked,) = liteapi.asked_for("POST /hotels/rates")
        assert asked.body["occupancies"] == [
            {"adults": 1, "children": [4]}, {"adults": 1, "children": [4, 9]},
        ]  # fmt: skip
        assert {offer.terms.children for offer in found.offers} == {(4, 4, 9)}
        of_adults = await searched(of.hotels, replace(family, guests=2, children=None))
        totals = [min(each.price_total.amount for each in one.offers) for one in (found, of_adults)]
        assert totals[0] == totals[1] + Decimal(3 * 10 * 2)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"passengers": 1, "children": (7,)}, "how many adults come along"),
        ({"passengers": 3, "children": (0, 1)}, "2 of them need 2 adults"),
        ({"passengers": 10, "children": ()}, "1 to 9 travellers"),
    ],
)
async def test_party_that_no_airline_takes_is_not_asked_for(change, told):
    async with Duffel() as duffel, sellers_of(duffel) as of:
        error = (await searched(of.flights, replace(FAMILY, **change))).error
        assert isinstance(error, NotOnSale)
        assert told in error.message
        assert not duffel.asked_for(SEARCH)


async def test_rooms_for_children_alone_are_not_asked_for():
    async with LiteApi() as liteapi, sellers_of(liteapi=liteapi) as of:
        error = (await searched(of.hotels, replace(HOTELS, guests=1, children=(7,)))).error
        assert isinstance(error, NotOnSale)
        assert "how many adults come along" in error.message
        assert not liteapi.asked_for("POST /hotels/rates")


# --- booking -------------------------------------------------------------------------------------------


@pytest.mark.requirement("CHILDREN-ARE-CHILDREN")
async def test_family_is_booked_each_at_their_age_and_the_infant_with_an_adult():
    async with Duffel() as duffel, at_duffel(duffel) as (bookings, _, found):
        await bookings.book("ada", "call-1", Order(offer=found.offers[0]))
        (order,) = duffel.orders.values()
        ages = {each["given_name"]: each["age"] for each in order["passengers"]}
        assert ages == {"Ada": None, "Bob": None, "Cid": 7, "Dot": 0}
        ids = {each["given_name"]: each["id"] for each in order["passengers"]}
        assert [
            each.get("infant_passenger_id") for each in order["passengers"] if each["given_name"] == "Ada"
        ] == [ids["Dot"]]


@pytest.mark.requirement("CHILDREN-ARE-CHILDREN")
@pytest.mark.parametrize(
    ("known", "told"),
    [
        ((ADA, BOB, CID), "Who travels is not known"),
        ((ADA, BOB, CID, born(DOT, 2026, 3, 14)), "must be under 1"),
        ((ADA, BOB, born(CID, 2019, 3, 14), DOT), "must be 7 on 14 March 2027"),
        ((ADA, born(BOB, 2009, 3, 15), CID, DOT), "2 of those who travel must be 18 or older"),
    ],
)
async def test_births_that_are_not_those_of_the_search_send_no_order(known, told):
    async with Duffel() as duffel, at_duffel(duffel, known=known) as (bookings, _, found):
        with pytest.raises(BookingRefused, match=told) as refused:
            await bookings.book("ada", "call-1", Order(offer=found.offers[0]))
        assert refused.value.message.endswith("Nothing was booked.")
        assert not {"Ada", "Bob", "Cid", "Dot"} & {*refused.value.message.split()}
        assert not duffel.asked_for(ORDER)


@pytest.mark.parametrize("birthday", [(2019, 3, 15), (2020, 3, 14)])
async def test_age_is_that_of_the_day_of_the_last_flight(birthday):
    known = (ADA, born(BOB, 2009, 3, 14), born(CID, *birthday), born(DOT, 2026, 3, 15))
    async with Duffel() as duffel, at_duffel(duffel, known=known) as (bookings, _, found):
        assert (await bookings.book("ada", "call-1", Order(offer=found.offers[0]))).state == "booked"


async def test_hold_for_adults_is_not_that_of_a_family():
    two, pair = replace(FAMILY, passengers=2, children=None), replace(FAMILY, passengers=2, children=(7,))
    async with Duffel() as duffel:
        duffel.script("BER", "TYO", [[Flight("200.00")]])
        async with at_duffel(duffel, two) as (bookings, _, found):
            await bookings.hold("ada", "call-1", Order(offer=found.offers[0]))
            async with sellers_of(duffel) as of:
                (other,) = (await searched(of.flights, pair)).offers
            assert choice_of(other) != choice_of(found.offers[0])
            await bookings.book("ada", "call-2", Order(offer=other))
        assert len(duffel.orders) == 2


async def test_room_is_booked_by_an_adult_for_each_whatever_the_number_of_guests():
    family = replace(HOTELS, guests=12, rooms=2, children=(7,))
    async with LiteApi() as liteapi:
        async with office(liteapi, family, liteapi=liteapi, known=(CID, ADA, BOB)) as (bookings, _, found):
            booking = await bookings.book("ada", "call-1", Order(offer=found.offers[0]))
            assert booking.state == "booked"
        (asked,) = liteapi.asked_for(BOOK)
        assert [each["firstName"] for each in asked.body["guests"]] == ["Ada", "Bob"]


# --- passports -----------------------------------------------------------------------------------------


def with_passport(one, number, expires_on=date(2030, 1, 1)):
    return replace(one, passport=Passport(number=number, country="DE", expires_on=expires_on))


@pytest.mark.requirement("PASSPORTS-WHERE-WANTED")
async def test_passports_are_sent_where_the_airline_wants_them_and_only_there():
    known = (with_passport(ADA, "C01X00T47"), with_passport(BOB, "C01X00T48", BACK))
    two = replace(FAMILY, passengers=2, children=None)
    async with Duffel() as duffel:
        duffel.script("BER", "TYO", [[Flight(documents=True)]])
        async with at_duffel(duffel, two, known=known) as (bookings, _, found):
            assert found.offers[0].terms.papers == "passports"
            await bookings.book("ada", "call-1", Order(offer=found.offers[0]))
        documents = [
            each["identity_documents"][0] for each in duffel.asked_for(ORDER)[0].body["data"]["passengers"]
        ]
        assert documents[0] == {
            "type": "passport", "unique_identifier": "C01X00T47", "issuing_country_code": "DE",
            "expires_on": "2030-01-01",
        }  # fmt: skip
        duffel.script("BER", "TYO", [[Flight()]])
        async with at_duffel(duffel, two, known=known) as (bookings, _, found):
            await bookings.book("ada", "call-1", Order(offer=found.offers[0]))
        assert "C01X00T47" not in str(duffel.asked_for(ORDER)[1].body)


@pytest.mark.requirement("PASSPORTS-WHERE-WANTED")
@pytest.mark.parametrize("bob", [BOB, with_passport(BOB, "C01X00T48", date(2027, 3, 13))])
async def test_missing_or_ended_passport_sends_no_order(bob):
    async with Duffel() as duffel:
        duffel.script("BER", "TYO", [[Flight(documents=True)]])
        known, two = (with_passport(ADA, "C01X00T47"), bob), replace(FAMILY, passengers=2, children=None)
        async with at_duffel(duffel, two, known=known) as (bookings, _, found):
            with pytest.raises(BookingRefused, match="a passport of each that is valid on 14 March 2027"):
                await bookings.book("ada", "call-1", Order(offer=found.offers[0]))
        assert not duffel.asked_for(ORDER)


@pytest.mark.requirement("PASSPORTS-WHERE-WANTED")
async def test_offer_that_wants_other_papers_is_refused_before_it_is_allowed():
    async with Duffel() as duffel:
        duffel.script("BER", "TYO", [[Flight(documents=True, papers=("tax_id",))]])
        async with at_duffel(duffel) as (bookings, _, found):
            (offer,) = found.offers
            with pytest.raises(NotOnSale, match="no passports"):
                await bookings.offer("ada", choice_of(offer), offer)


async def test_offer_that_has_come_to_want_passports_is_searched_for_again():
    async with Duffel() as duffel:
        duffel.script("BER", "TYO", [[Flight()]])
        async with at_duffel(duffel) as (bookings, _, found):
            (offer,) = found.offers
            wants = {"passenger_identity_documents_required": True}
            duffel.offers[offer.offer_id].data |= wants
            with pytest.raises(NotOnSale, match="Please search again"):
                await bookings.offer("ada", choice_of(offer), offer)


def test_passport_is_kept_and_not_shown():
    one = with_passport(ADA, "C01X00T47")
    assert from_json(Traveller, orjson.loads(encode_exactly(one))) == one
    assert "C01X00T47" not in repr(one)


# --- what earlier versions have stored -------------------------------------------------------------------


async def test_offers_and_travellers_of_earlier_versions_are_read():
    async with Duffel() as duffel, at_duffel(duffel, FLIGHTS) as (_, _, found):
        told = orjson.loads(encode(found.offers[0]))
        later = {each.name for each in fields(found.offers[0].terms) if each.metadata}
        assert later == {"children", "papers", "refundable"}
        told["terms"] = {name: value for name, value in told["terms"].items() if name not in later}
        assert offer_from_json(told) == replace(
            found.offers[0], terms=replace(found.offers[0].terms, refundable=None, children=(), papers="none")
        )
    known = orjson.loads(encode_exactly(ADA))
    del known["passport"]
    assert from_json(Traveller, known) == ADA


def test_search_and_choice_without_children_have_the_keys_that_they_had():
    assert "children" not in FLIGHTS.key_parts()
    assert call_key("search_flights", FLIGHTS) == call_key("search_flights", replace(FLIGHTS, children=None))
    assert call_key("search_flights", FLIGHTS) != call_key("search_flights", replace(FLIGHTS, children=(7,)))


async def test_choice_of_a_family_tells_its_children():
    async with Duffel() as duffel, at_duffel(duffel) as (_, _, found):
        choice = choice_of(found.offers[0])
        assert (
            parts_of(choice)["children"] == Wanted(choice=choice).key_parts()["choice"]["children"] == (0, 7)
        )
        assert "children" not in parts_of(replace(choice, children=()))


def test_members_of_a_party_are_taken_in_the_order_in_which_they_were_told():
    party = Party(adults=1, children=(7,), on=BACK)
    assert members([DOT, CID, BOB, ADA], party) == [BOB, CID]
