"""Hotels of LiteAPI, searched for over its stand-in: streams, names that come last, terms, bad answers."""

from dataclasses import replace
from decimal import Decimal

import orjson
import pytest

from backend.clients.cli.narrator import offer_words
from backend.domain.encoding import encode
from backend.travel.agents.found.wording import conditions
from backend.travel.tools.booking_words import refund_rule
from backend.travel.values.booking import whole_offer
from backend.travel.values.offers import CANCELLED_FREE, Untold
from backend.travel.values.travel import Money
from tests.fakes.liteapi import Hotel, LiteApi, Rate
from tests.fakes.service import Alter, Drop, Refuse
from tests.providers.sellers import HOTELS, searched, sellers_of

RATES = "POST /hotels/rates"
LISTED = "GET /data/hotels"
TOKYO = "35.68,139.76"
"""How the stand-in names the middle of Tokyo, around which a search looks."""


@pytest.mark.requirement("REAL-OFFERS-ARRIVE")
async def test_offer_tells_price_room_and_fees_as_the_hotel_does():
    rate = Rate("480.20", room="Twin Room", board="BB", free_days=2, tax_at_hotel="3.20")
    async with LiteApi() as liteapi, sellers_of(liteapi=liteapi) as sellers:
        liteapi.script(TOKYO, [[Hotel("One", (rate,), stars=4, rating=8.5)]])
        (offer,) = (await searched(sellers.hotels, HOTELS)).offers
    assert (offer.provider, offer.live, offer.rooms, offer.guests) == ("liteapi", False, 2, 3)
    assert offer.price_total == Money(amount=Decimal("480.20"), currency="EUR")
    assert offer.price_per_night.amount == Decimal("120.05")  # and room
    assert (offer.stars, offer.score, offer.amenities) == (4, 8.5, None)
    assert offer.terms.name.startswith("Twin Room, ")
    assert offer.terms.paid_there == Money(amount=Decimal("6.40"), currency="EUR")
    (fee,) = offer.terms.cancelling
    assert fee.fee.amount == Decimal("480.20")
    assert (fee.since.date() - offer.free_cancellation_until).days == 2


async def test_rate_that_gives_nothing_back_has_no_free_day():
    async with LiteApi() as liteapi, sellers_of(liteapi=liteapi) as sellers:
        liteapi.script(TOKYO, [[Hotel("One", (Rate(free_days=None, tax_at_hotel=None),))]])
        (offer,) = (await searched(sellers.hotels, HOTELS)).offers
    assert offer.free_cancellation_until is None
    assert offer.terms.paid_there is None


async def test_request_has_the_limits_that_liteapi_knows():
    query = replace(
        HOTELS, stars=4, free_cancellation=True, max_price=Money(amount=Decimal(90), currency="GBP")
    )
    async with LiteApi() as liteapi, sellers_of(liteapi=liteapi) as sellers:
        await searched(sellers.hotels, query)
        (asked,) = liteapi.asked_for(RATES)
    body = asked.body
    assert (body["checkin"], body["checkout"], body["currency"]) == ("2027-03-10", "2027-03-12", "GBP")
    assert body["occupancies"] == [{"adults": 2, "children": []}, {"adults": 1, "children": []}]
    assert (body["starRating"], body["refundableRatesOnly"], body["stream"]) == ([4.0, 5.0], True, True)
    assert (body["latitude"], body["longitude"]) == (35.68, 139.76)


async def test_namesake_is_looked_for_where_it_is_and_a_district_nearby():
    async with LiteApi() as liteapi, sellers_of(liteapi=liteapi) as sellers:
        await searched(sellers.hotels, replace(HOTELS, city="Portland", country="US", subdivision="Maine"))
        await searched(sellers.hotels, replace(HOTELS, district="Shinjuku"))
        maine, shinjuku = (each.body for each in liteapi.asked_for(RATES))
    assert round(maine["latitude"]) == 44
    assert shinjuku["radius"] < maine["radius"]


async def test_hotel_of_no_list_waits_for_its_name_and_keeps_its_id_without_one():
    async with LiteApi() as liteapi, sellers_of(liteapi=liteapi) as sellers:
        liteapi.script(TOKYO, [[Hotel("Late", listed=False)], [Hotel("Listed")]])
        named = await searched(sellers.hotels, HOTELS)
        liteapi.ends = ("done",)
        unnamed = await searched(sellers.hotels, HOTELS)
    assert [batch[0].name for batch in named.batches] == ["Listed", "Late"]
    last = min(unnamed.offers, key=lambda offer: offer.name)
    assert last.name.startswith("Hotel lp")
    # Nobody knows where it is: neither in the middle of the city nor off Africa.
    assert (last.latitude, last.longitude, last.distance_km) == (None, None, None)
    assert None not in {offer.latitude for offer in named.offers}
    assert whole_offer(orjson.loads(encode(last))) == last


async def test_hotel_of_a_city_without_a_known_middle_is_where_it_says_or_nowhere():
    nowhere = replace(HOTELS, city="Nowhere on Sea", country="GB")
    async with LiteApi() as liteapi, sellers_of(liteapi=liteapi) as sellers:
        liteapi.script("Nowhere on Sea", [[Hotel("Late", listed=False)]])
        (named,) = (await searched(sellers.hotels, nowhere)).offers
        liteapi.ends = ("done",)
        (unnamed,) = (await searched(sellers.hotels, nowhere)).offers
    assert (named.name, named.distance_km) == ("Late", None)
    assert named.latitude
    assert (unnamed.latitude, unnamed.longitude, unnamed.distance_km) == (None, None, None)


async def test_free_cancellation_that_is_not_told_is_not_taken_for_none():
    rates = {"Strict": Rate(free_days=None), "Free": Rate(), "Silent": Rate(rules=False)}
    async with LiteApi() as liteapi, sellers_of(liteapi=liteapi) as sellers:
        liteapi.script(TOKYO, [[Hotel(name, (rate,)) for name, rate in rates.items()]])
        offers = {offer.name: offer for offer in (await searched(sellers.hotels, HOTELS)).offers}
    assert {name: offer.terms.refundable for name, offer in offers.items()} == {
        "Strict": False, "Free": True, "Silent": None,
    }  # fmt: skip
    silent = offers["Silent"]
    assert refund_rule(silent) == "the hotel tells it when you cancel, before anything is cancelled"
    assert refund_rule(offers["Strict"]) == "not refundable"
    told = {name: orjson.loads(encode(offer)) for name, offer in offers.items()}
    assert conditions(told["Strict"]) == "not refundable"
    with pytest.raises(Untold):
        conditions(told["Silent"])
    assert [CANCELLED_FREE.fits(told[name], True) for name in rates] == [False, True, False]
    lines = {name: offer_words(offer).more for name, offer in told.items()}
    assert "no free cancellation" in lines["Strict"]
    assert "what cancelling costs is told later" in lines["Silent"]


@pytest.mark.parametrize("fault", [Refuse(500), Drop("before"), Alter(lambda _: b"{")])
async def test_names_that_cannot_be_read_before_are_those_of_the_stream(fault):
    async with LiteApi() as liteapi, sellers_of(liteapi=liteapi) as sellers:
        liteapi.script(TOKYO, [[Hotel("One")]])
        liteapi.fault(LISTED, fault)
        found = await searched(sellers.hotels, HOTELS)
    assert found.offers[0].name == "One"
    assert found.error is None


async def test_hotels_of_a_place_are_read_once():
    async with LiteApi() as liteapi, sellers_of(liteapi=liteapi) as sellers:
        await searched(sellers.hotels, HOTELS)
        await searched(sellers.hotels, HOTELS)
        assert len(liteapi.asked_for(LISTED)) == 1


@pytest.mark.parametrize("status", [200, 204])
async def test_nothing_free_is_an_answer(status):
    async with LiteApi() as liteapi, sellers_of(liteapi=liteapi) as sellers:
        liteapi.empty_status = status
        liteapi.script(TOKYO, [])
        found = await searched(sellers.hotels, HOTELS)
    assert (found.offers, found.error) == ([], None)


@pytest.mark.requirement("WHOSE-FAULT-IT-IS")
@pytest.mark.parametrize(
    ("is_dropped", "told"),
    [(True, "LiteAPI is out of reach."), (False, "The answer of LiteAPI was cut short.")],
)
async def test_stream_that_is_cut_keeps_what_came_and_says_so(is_dropped, told):
    async with LiteApi() as liteapi, sellers_of(liteapi=liteapi) as sellers:
        liteapi.script(TOKYO, [[Hotel("One")], [Hotel("Two")]])
        if is_dropped:
            liteapi.fault(RATES, Drop("midway", pieces=1))
        else:
            liteapi.ends = ("hotels",)
        found = await searched(sellers.hotels, HOTELS)
    assert "One" in {offer.name for offer in found.offers}
    assert found.error is not None
    assert found.error.message == told


@pytest.mark.requirement("WHOSE-FAULT-IT-IS")
@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (Refuse(401, 401), "LiteAPI does not accept this server's key."),
        (Refuse(400, 4000), "LiteAPI refused the request."),
        (Refuse(500, 5000), "LiteAPI has a fault of its own."),
        (Refuse(503, text="<h1>No</h1>"), "LiteAPI has a fault of its own."),
        (Drop("before"), "LiteAPI is out of reach."),
    ],
)
async def test_traveller_is_told_whose_fault_it_is(fault, told):
    async with LiteApi() as liteapi, sellers_of(liteapi=liteapi) as sellers:
        liteapi.fault(RATES, fault)
        found = await searched(sellers.hotels, HOTELS)
    assert found.error is not None
    assert found.error.message == told


@pytest.mark.requirement("A-SELLER-S-LIMITS-ARE-HEARD")
async def test_traveller_is_told_of_a_wait_that_liteapi_asks_for(monkeypatch):
    waited = list[float]()

    async def sleep(seconds):
        waited.append(seconds)

    monkeypatch.setattr("backend.travel.providers.service.sleep", sleep)
    async with LiteApi() as liteapi, sellers_of(liteapi=liteapi) as sellers:
        liteapi.fault(RATES, Refuse(429, 429, reset_s=7))
        found = await searched(sellers.hotels, HOTELS)
    assert found.notices == ["LiteAPI asks us to wait 7 s"]
    assert [round(wait) for wait in waited] == [7]
    assert found.offers


def told(number, price, **room):
    """A frame with one room of a hotel, as the service would tell it."""
    rate = {"name": "King Room", "boardType": "RO", "boardName": "Room Only"}
    room = {"offerId": f"offer-{number}", "rates": [rate], "offerRetailRate": price, **room}
    return {"rates": [{"hotelId": f"lp{number}", "roomTypes": [room]}]}


@pytest.mark.parametrize(
    ("price", "found"),
    [
        ([{"amount": 480.2, "currency": "EUR"}], [Decimal("480.20")]),
        ({"amount": 480.2, "currency": "EUR"}, [Decimal("480.20")]),
        (None, []),
        ({"amount": -1, "currency": "EUR"}, []),
        ({"amount": "NaN", "currency": "EUR"}, []),
        ({"amount": 480.2, "currency": "euro"}, []),
        ({"amount": 480.2, "currency": None}, []),
        ([], []),
    ],
)
async def test_price_is_read_in_both_forms_and_a_room_without_one_is_left_out(price, found):
    async with LiteApi() as liteapi, sellers_of(liteapi=liteapi) as sellers:
        liteapi.script(TOKYO, [told(1, price), told(2, {"amount": 500, "currency": "EUR"})])
        offers = (await searched(sellers.hotels, HOTELS)).offers
    assert sorted(offer.price_total.amount for offer in offers) == [*found, Decimal("500.00")]


async def test_id_of_megabytes_is_none():
    price = {"amount": 500, "currency": "EUR"}
    async with LiteApi() as liteapi, sellers_of(liteapi=liteapi) as sellers:
        liteapi.script(TOKYO, [told(1, price, offerId="x" * 2_000_000), told(2, price)])
        offers = (await searched(sellers.hotels, HOTELS)).offers
    assert [offer.terms.sold_as for offer in offers] == ["offer-2"]


async def test_markup_in_a_name_is_no_markup():
    async with LiteApi() as liteapi, sellers_of(liteapi=liteapi) as sellers:
        liteapi.script(TOKYO, [[Hotel("<script>alert(1)</script>The &amp; Inn\nBooked as")]])
        (offer, *_) = (await searched(sellers.hotels, HOTELS)).offers
    assert offer.name == "alert(1) The & Inn Booked as"
