"""What the hotel sources answer: every offer obeys its query."""

from collections import Counter
from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.domain.errors import NotOnSale
from backend.travel.providers.demo.hotels import find_hotels
from backend.travel.values.places import CITIES, districts_of
from backend.travel.values.travel import HotelQuery, Money
from tests.providers.markets import HOTEL_MARKETS, TODAY

BY_LABEL = {city.label: city for city in CITIES}


def search(inventory, query, *, today=TODAY):
    return [
        offer
        for market in HOTEL_MARKETS
        for offer in find_hotels(query, market=market, today=today, seed=inventory.seed)
    ]


def stay(city, country, **more):
    fields = {"city": city, "country": country, "check_in": date(2026, 12, 4), "check_out": date(2026, 12, 7)}
    return HotelQuery(**fields | more)


@st.composite
def queries(draw):
    city = draw(st.sampled_from(CITIES))
    check_in = TODAY + timedelta(days=draw(st.integers(0, 330)))
    limit = draw(st.none() | st.tuples(st.integers(20, 500), st.sampled_from(["EUR", "USD", "JPY"])))
    return HotelQuery(
        city=city.name,
        country=city.country,
        subdivision=city.subdivision,
        check_in=check_in,
        check_out=check_in + timedelta(days=draw(st.integers(1, 30))),
        district=draw(st.just("") | st.sampled_from([district.name for district in districts_of(city)])),
        guests=draw(st.integers(1, 8)),
        rooms=draw(st.integers(1, 4)),
        stars=draw(st.none() | st.integers(1, 5)),
        max_price=limit and Money(amount=Decimal(limit[0]), currency=limit[1]),
    )


@settings(max_examples=150)
@given(queries())
def test_offers_obey_the_query_and_none_comes_twice(inventory, query):
    offers = search(inventory, query)
    for offer in offers:
        assert offer.provider == "demo"
        assert offer.live is False
        assert "Demo" in offer.name
        assert (offer.city, offer.country) == (query.city, query.country)
        assert (offer.check_in, offer.check_out) == (query.check_in, query.check_out)
        assert (offer.rooms, offer.guests) == (query.rooms, query.guests)
        assert query.district in ("", offer.district)
        assert (query.stars or 1) <= offer.stars <= 5
        assert 0 < offer.score <= 10
        assert offer.price_per_night.amount > 0
        assert offer.price_total.amount == offer.price_per_night.amount * query.nights * query.rooms
        if query.max_price is not None:
            assert offer.price_per_night.currency == query.max_price.currency
            assert offer.price_per_night.amount <= query.max_price.amount
        if offer.free_cancellation_until is not None:
            assert TODAY <= offer.free_cancellation_until < query.check_in
    assert [key for key, count in Counter(offer.offer_id for offer in offers).items() if count > 1] == []
    assert [key for key, count in Counter(offer.name for offer in offers).items() if count > 1] == []
    assert len(offers) <= 40
    assert offers == search(inventory, query)


@settings(max_examples=30)
@given(st.sampled_from(CITIES), st.integers(1, 300))
def test_stay_is_offered_only_if_each_of_its_nights_is(inventory, city, days):
    check_in = TODAY + timedelta(days=days)
    place = {"subdivision": city.subdivision, "stars": 4}
    long = stay(city.name, city.country, check_in=check_in, check_out=check_in + timedelta(days=5), **place)
    for offset in range(5):
        night = check_in + timedelta(days=offset)
        one = stay(city.name, city.country, check_in=night, check_out=night + timedelta(days=1), **place)
        free = {hotel.name for market in HOTEL_MARKETS for hotel in _all(inventory, one, market)}
        assert {hotel.name for market in HOTEL_MARKETS for hotel in _all(inventory, long, market)} <= free


def _all(inventory, query, market):
    """Every hotel of a source, whose answer is cut at 20, district by district."""
    city = next(
        c
        for c in CITIES
        if (c.name, c.country, c.subdivision) == (query.city, query.country, query.subdivision)
    )
    found = []
    for district in districts_of(city):
        in_district = HotelQuery(
            city=query.city, country=query.country, subdivision=query.subdivision, district=district.name,
            check_in=query.check_in, check_out=query.check_out, stars=query.stars,
        )  # fmt: skip
        found += find_hotels(in_district, market=market, today=TODAY, seed=inventory.seed)
    return found


def test_districts_are_found_without_accents_and_case(inventory):
    exact = search(inventory, stay("São Paulo", "BR", district="Jardins"))
    loose = search(inventory, stay("sao paulo", "BR", district="JARDINS"))
    assert [offer.name for offer in loose] == [offer.name for offer in exact] != []
    assert search(inventory, stay("Lisbon", "PT", district="belem"))


def test_unknown_places_have_no_hotels(inventory):
    assert search(inventory, stay("Atlantis", "GR")) == []
    assert search(inventory, stay("Tokyo", "US")) == []
    assert search(inventory, stay("Tokyo", "JP", district="Montmartre")) == []


def test_subdivision_tells_namesakes_apart(inventory):
    missouri = search(inventory, stay("Springfield", "US", subdivision="Missouri"))
    illinois = search(inventory, stay("Springfield", "US", subdivision="Illinois"))
    assert {offer.latitude for offer in missouri}.isdisjoint({offer.latitude for offer in illinois})
    assert missouri
    assert illinois


def test_guests_that_the_rooms_cannot_take_find_nothing(inventory):
    assert search(inventory, stay("Paris", "FR", guests=5, rooms=1)) == []
    assert search(inventory, stay("Paris", "FR", guests=5, rooms=2))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"check_in": TODAY - timedelta(days=1)}, "has passed"),
        ({"check_out": TODAY + timedelta(days=366)}, "sales reach to 20 November 2027"),
        ({"check_out": date(2026, 12, 4)}, "1 to 60 nights"),
        ({"check_out": date(2027, 2, 3)}, "1 to 60 nights"),
        ({"guests": 0}, "at least one guest"),
        ({"max_price": Money(amount=Decimal(500), currency="XTS")}, "no prices in XTS"),
    ],
)
def test_query_that_is_never_sold_is_refused_with_a_sentence(inventory, changes, sentence):
    with pytest.raises(NotOnSale, match=sentence):
        find_hotels(stay("Paris", "FR", **changes), market="hotel chains", today=TODAY, seed=inventory.seed)
