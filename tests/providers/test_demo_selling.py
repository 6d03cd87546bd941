"""An offer that was found is read again from what is in it: the same that day, at another price later."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import orjson
import pytest
from hypothesis import given, settings

from backend.domain.encoding import encode
from backend.domain.errors import NotOnSale
from backend.travel.providers.demo.hotel_search import find_hotels
from backend.travel.providers.demo.selling import sale_of
from backend.travel.values.booking import choice_of
from backend.travel.values.booking_json import offer_from_json
from backend.travel.values.travel import HotelQuery, Money
from tests.providers.booking_office import STAY, THERE_AND_BACK
from tests.providers.conftest import all_flights
from tests.providers.markets import HOTEL_MARKETS, TODAY
from tests.providers.test_demo_flights import queries


def all_hotels(inventory, query, *, today=TODAY):
    return [
        offer
        for market in HOTEL_MARKETS
        for offer in find_hotels(inventory, query, market=market, today=today)
    ]


@settings(max_examples=60)
@given(query=queries())
def test_every_flight_that_a_search_finds_is_sold_as_it_was_found(inventory, query):
    for offer in all_flights(inventory, query):
        sale = sale_of(choice_of(offer), inventory, today=TODAY)
        assert sale.offer == offer
        assert all(claim.places == query.passengers <= claim.of for claim in sale.claims)
        assert len(sale.claims) == sum(len(each.segments) for each in offer.slices)


@pytest.mark.parametrize("rooms", [1, 2, 3])
@pytest.mark.parametrize("currency", ["EUR", "USD", "JPY"])
@pytest.mark.parametrize("city", [("Tokyo", "JP"), ("San Jose", "US"), ("Springfield", "US")])
def test_every_stay_that_a_search_finds_is_sold_as_it_was_found(inventory, rooms, currency, city):
    query = HotelQuery(
        city=city[0],
        country=city[1],
        check_in=STAY.check_in,
        check_out=STAY.check_out,
        rooms=rooms,
        guests=2 * rooms,
        max_price=Money(amount=Decimal(90_000), currency=currency),
    )
    for offer in all_hotels(inventory, query):
        sale = sale_of(choice_of(offer), inventory, today=TODAY)
        assert sale.offer == offer
        assert len(sale.claims) == query.nights
        assert all(claim.places == rooms <= claim.of for claim in sale.claims)


def test_there_are_rooms_left_for_just_as_many_as_a_stay_has_a_price_for(inventory):
    """The claims' `of` is the number of rooms from which on the same night is sold out."""
    one_night = replace(STAY, check_out=STAY.check_in + timedelta(days=1))
    for offer in all_hotels(inventory, one_night):
        most = sale_of(choice_of(offer), inventory, today=TODAY).claims[0].of
        assert sale_of(choice_of(replace(offer, rooms=most)), inventory, today=TODAY).offer.rooms == most
        if most < 9:
            with pytest.raises(NotOnSale, match="sold out"):
                sale_of(choice_of(replace(offer, rooms=most + 1)), inventory, today=TODAY)


def test_on_another_day_it_is_the_same_at_another_price(inventory):
    tomorrow = TODAY + timedelta(days=1)
    changed = 0
    for offer in all_flights(inventory, THERE_AND_BACK) + all_hotels(inventory, STAY):
        later = sale_of(choice_of(offer), inventory, today=tomorrow)
        assert later.subject == sale_of(choice_of(offer), inventory, today=TODAY).subject
        changed += later.offer.price_total != offer.price_total
    assert changed > 10


def test_what_has_passed_or_never_was_is_not_sold(inventory):
    flight, stay = all_flights(inventory, THERE_AND_BACK)[0], all_hotels(inventory, STAY)[0]
    for offer in (flight, stay):
        with pytest.raises(NotOnSale, match="has passed"):
            sale_of(choice_of(offer), inventory, today=TODAY + timedelta(days=60))
    segment = replace(flight.slices[0].segments[0], number="7")
    unknown = replace(flight, slices=(replace(flight.slices[0], segments=(segment,)),))
    for offer in (unknown, replace(stay, name="Grand Nowhere Demo"), replace(stay, city="Nowhere")):
        with pytest.raises(NotOnSale, match="not offered"):
            sale_of(choice_of(offer), inventory, today=TODAY)


def test_terms_that_were_tampered_with_are_not_those_it_is_sold_at(inventory):
    flight = all_flights(inventory, THERE_AND_BACK)[0]
    forged = replace(flight, price_total=Money(amount=Decimal(1)), refundable=not flight.refundable)
    assert sale_of(choice_of(forged), inventory, today=TODAY).offer == flight


@settings(max_examples=30)
@given(query=queries())
def test_an_offer_is_the_same_after_it_was_told_as_json(inventory, query):
    for offer in all_flights(inventory, query) + all_hotels(inventory, STAY):
        told = encode(offer)
        assert offer_from_json(orjson.loads(told)) == offer
        assert encode(offer_from_json(orjson.loads(told))) == told


@pytest.mark.parametrize(
    "damage",
    [
        {"price_total": None},
        {"price_total": {"amount": "many", "currency": "EUR"}},
        {"slices": []},
        {"slices": [{"segments": [], "duration_minutes": 1}]},
        {"slices": [{"segments": [{}], "duration_minutes": 1}]},
        {"surprise": 1},
    ],
    ids=str,
)
def test_what_is_no_offer_is_not_read_as_one(inventory, damage):
    told = orjson.loads(encode(all_flights(inventory, THERE_AND_BACK)[0]))
    with pytest.raises((KeyError, TypeError, ValueError)):
        offer_from_json({**told, **damage})
