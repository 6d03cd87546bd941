"""What "it" and "both" mean: the offers that were spoken of last, by their ids and their days."""

from dataclasses import replace
from datetime import date

import pytest

from backend.travel.agents.choosing import chosen
from backend.travel.stored_requests import NOTHING, Order, SpokenOf, after, spoken_of_in, to_stored, with_it
from backend.travel.understanding.result import BookingWish, Understanding
from backend.travel.understanding.slot_table import FlightSlots, HotelSlots


def stay(offer_id, price, *, name="Hilton", day=4):
    return {
        "offer_id": offer_id,
        "name": name,
        "district": "Ginza",
        "check_in": f"2026-12-{day:02}",
        "check_out": f"2026-12-{day + 5:02}",
        "price_total": {"amount": price, "currency": "EUR"},
    }


def flight(offer_id, price, *, carrier="Aurora"):
    leg = {"carrier_name": carrier, "number": "1", "departs_at": "2026-12-04T09:05:00"}
    return {
        "offer_id": offer_id,
        "slices": [{"segments": [leg]}],
        "price_total": {"amount": price, "currency": "EUR"},
    }


REFUNDABLE = stay("refundable", "500")


HOTELS = [stay("cheap", "400"), REFUNDABLE]


BOOK = BookingWish(action="book")


BOTH = BookingWish(action="book", kind="flight", then=BookingWish(action="book", kind="hotel"))


def spoken(*offers):
    told = NOTHING
    for offer in offers:
        told = told.of("flight" if "slices" in offer else "hotel", [offer])
    return told


def test_it_is_the_offer_spoken_of_and_no_cheaper_one_that_looks_alike():
    told = spoken(REFUNDABLE)
    it = with_it(BOOK, told)
    assert it.kind == "hotel"
    assert chosen(HOTELS, it, kind="hotel", spoken_of=told.offer_id_of(it)) == REFUNDABLE
    assert chosen(HOTELS[:1], it, kind="hotel", spoken_of=told.offer_id_of(it)) == HOTELS[0]


def test_both_are_the_offers_of_each_kind_spoken_of():
    told = spoken(flight("dear", "900", carrier="Sable"), REFUNDABLE)
    in_turn = with_it(BOTH, told).in_turn
    assert [each.name for each in in_turn] == ["Sable", "Hilton"]
    assert [told.offer_id_of(each) for each in in_turn] == ["dear", "refundable"]


@pytest.mark.parametrize(
    "wish",
    [
        BookingWish(action="book", kind="hotel", pick="cheapest"),
        BookingWish(action="book", kind="hotel", number=2),
        BookingWish(action="book", kind="hotel", name="Swan"),
        BookingWish(action="book", kind="hotel", is_earlier=True),
        BookingWish(action="book", reference="DEMO-7K2Q4M"),
        BookingWish(action="cancel", is_latest=True),
        BookingWish(action="book", kind="flight"),
    ],
)
def test_wish_that_names_its_offer_otherwise_is_not_it(wish):
    told = spoken(REFUNDABLE)
    assert with_it(wish, told) == wish
    assert told.offer_id_of(wish) is None


def test_it_needs_one_offer_spoken_of():
    assert [each.name for each in with_it(BOTH, spoken(REFUNDABLE)).in_turn] == [None, "Hilton"]
    assert with_it(BOOK, spoken(REFUNDABLE).of("hotel", HOTELS)) == BOOK
    assert with_it(BOOK, SpokenOf(agent="flight")).kind == "flight"
    assert with_it(BOOK, SpokenOf()).kind is None


def test_stored_form_is_read_back_also_from_an_earlier_version():
    told = spoken(flight("dear", "900"), REFUNDABLE)
    assert spoken_of_in(to_stored(told)) == told
    before = {"spoken_of": {"agent": "hotel", "wish": {"action": "book", "kind": "hotel", "name": "Hilton"}}}
    assert spoken_of_in(before) == SpokenOf(agent="hotel")


REQUEST = Understanding(
    relation="new",
    wanted=("flight", "hotel"),
    flight=FlightSlots(departure_date=date(2026, 12, 4)),
    hotel=HotelSlots(check_in=date(2026, 12, 4), nights=5),
)


DEAREST = Order(descending=True)


def both_spoken_of():
    flights = [flight("dear", "900"), flight("cheap", "90")]
    of_flights = NOTHING.of("flight", flights).of("flight", flights[:1])
    return of_flights.of("hotel", HOTELS).of("hotel", HOTELS[:1]).in_order("flight", DEAREST)


def kinds_told(told):
    return [sorted(each) for each in (told.offer_ids, told.wishes, told.compared)]


def test_change_of_one_search_forgets_its_offers():
    narrowed = replace(REQUEST, relation="refine", flight=replace(REQUEST.flight, max_stops=0))
    told = after(both_spoken_of(), narrowed, REQUEST)
    assert kinds_told(told) == [["hotel"]] * 3
    assert (told.agent, told.orders) == ("flight", {"flight": DEAREST})


@pytest.mark.parametrize(
    ("request_now", "before"),
    [
        (REQUEST, REQUEST),
        (replace(REQUEST, relation="refine", resumes=0), REQUEST),
        (replace(REQUEST, relation="refine"), None),
    ],
    ids=["new", "resumed", "the first"],
)
def test_other_request_forgets_all_but_the_order(request_now, before):
    assert after(both_spoken_of(), request_now, before) == SpokenOf(orders={"flight": DEAREST})
