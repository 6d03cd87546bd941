"""An offer that was found is read again from what is in it: the same that day, at another price later."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import orjson
import pytest
from hypothesis import given, settings

from backend.domain.encoding import encode
from backend.domain.errors import NotOnSale
from backend.travel.providers.demo.bookings import sale_of
from backend.travel.providers.demo.hotels import find_hotels
from backend.travel.values.booking import choice_of, offer_from_json
from backend.travel.values.travel import HotelQuery, Money
from tests.providers.booking_office import STAY, THERE_AND_BACK
from tests.providers.conftest import all_flights
from tests.providers.markets import HOTEL_MARKETS, TODAY
from tests.providers.test_demo_flights import queries


def all_hotels(inventory, query, *, today=TODAY):
    return [
        offer
        for market in HOTEL_MARKETS
        for offer in find_hotels(query, market=market, today=today, seed=inventory.seed)
    ]


@settings(max_examples=60)
@given(query=queries())
def test_flight_is_sold_as_it_was_found(inventory, query):
    for offer in all_flights(inventory, query):
        sale = sale_of(choice_of(offer), inventory, today=TODAY)
        assert sale.offer == offer
        assert all(claim.places == query.passengers <= claim.of for claim in sale.claims)
        assert len(sale.claims) == sum(len(each.segments) for each in offer.slices)


@pytest.mark.parametrize(
    ("rooms", "currency", "city"), [(1, "EUR", ("Tokyo", "JP")), (3, "JPY", ("Springfield", "US"))]
)
def test_stay_is_sold_as_it_was_found(inventory, rooms, currency, city):
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


def test_rooms_of_a_stay_are_those_that_have_a_price(inventory):
    """The claims' `of` is the number of rooms from which on the same night is sold out."""
    one_night = replace(STAY, check_out=STAY.check_in + timedelta(days=1))
    for offer in all_hotels(inventory, one_night):
        most = sale_of(choice_of(offer), inventory, today=TODAY).claims[0].of
        assert sale_of(choice_of(replace(offer, rooms=most)), inventory, today=TODAY).offer.rooms == most
        if most < 9:
            with pytest.raises(NotOnSale, match="sold out"):
                sale_of(choice_of(replace(offer, rooms=most + 1)), inventory, today=TODAY)


def test_offer_has_another_price_on_another_day(inventory):
    tomorrow = TODAY + timedelta(days=1)
    changed = 0
    for offer in all_flights(inventory, THERE_AND_BACK) + all_hotels(inventory, STAY):
        later = sale_of(choice_of(offer), inventory, today=tomorrow)
        assert later.subject == sale_of(choice_of(offer), inventory, today=TODAY).subject
        changed += later.offer.price_total != offer.price_total
    assert changed > 10


def test_offer_that_has_passed_or_never_was_is_not_sold(inventory):
    flight, stay = all_flights(inventory, THERE_AND_BACK)[0], all_hotels(inventory, STAY)[0]
    for offer in (flight, stay):
        with pytest.raises(NotOnSale, match="has passed"):
            sale_of(choice_of(offer), inventory, today=TODAY + timedelta(days=60))
    segment = replace(flight.slices[0].segments[0], number="7")
    unknown = replace(flight, slices=(replace(flight.slices[0], segments=(segment,)),))
    for offer in (unknown, replace(stay, name="Grand Nowhere Demo"), replace(stay, city="Nowhere")):
        with pytest.raises(NotOnSale, match="no longer on sale"):
            sale_of(choice_of(offer), inventory, today=TODAY)


@settings(max_examples=30)
@given(query=queries())
def test_offer_is_read_back_from_its_json(inventory, query):
    for offer in all_flights(inventory, query) + all_hotels(inventory, STAY):
        told = encode(offer)
        assert offer_from_json(orjson.loads(told)) == offer
        assert encode(offer_from_json(orjson.loads(told))) == told


@pytest.mark.parametrize(
    "damage",
    [
        {"price_total": {"amount": "many", "currency": "EUR"}},
        {"slices": []},
        {"slices": [{"segments": [{}], "duration_minutes": 1}]},
        {"surprise": 1},
    ],
    ids=str,
)
def test_json_that_is_no_offer_is_refused(inventory, damage):
    told = orjson.loads(encode(all_flights(inventory, THERE_AND_BACK)[0]))
    with pytest.raises((KeyError, TypeError, ValueError)):
        offer_from_json({**told, **damage})
