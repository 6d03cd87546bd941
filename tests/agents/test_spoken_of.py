"""What "it" and "both" mean: the offers that were spoken of last, by their ids and their days."""

from dataclasses import replace
from datetime import date

import pytest

from backend.travel.agents.choosing import chosen, shown_as
from backend.travel.spoken_of import NOTHING, Order, SpokenOf, after, spoken_of_in, to_stored, with_it
from backend.travel.understanding.result import BookingWish, ShownStay, Understanding
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


def test_it_is_the_offer_that_was_spoken_of_and_no_cheaper_one_that_is_shown_alike():
    told = spoken(REFUNDABLE)
    it = with_it(BOOK, told)
    assert it.kind == "hotel"
    assert chosen(HOTELS, it, kind="hotel", spoken_of=told.offer_id_of(it)) == REFUNDABLE
    assert chosen(HOTELS[:1], it, kind="hotel", spoken_of=told.offer_id_of(it)) == HOTELS[0]


def test_it_is_no_stay_of_other_days_in_the_same_hotel():
    it = with_it(BOOK, spoken(REFUNDABLE))
    assert it.shown == ShownStay(
        hotel="Hilton", district="Ginza", check_in=date(2026, 12, 4), check_out=date(2026, 12, 9)
    )
    assert shown_as([stay("later", "100", day=11)], it.shown) is None


def test_both_are_those_of_each_kind_that_were_spoken_of():
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
def test_what_is_told_otherwise_is_not_it(wish):
    told = spoken(REFUNDABLE)
    assert with_it(wish, told) == wish
    assert told.offer_id_of(wish) is None


def test_one_of_both_of_which_nothing_was_spoken_stays_as_it_is():
    assert [each.name for each in with_it(BOTH, spoken(REFUNDABLE)).in_turn] == [None, "Hilton"]


def test_many_that_are_spoken_of_at_once_are_not_it():
    assert with_it(BOOK, spoken(REFUNDABLE).of("hotel", HOTELS)) == BOOK


def test_what_was_spoken_of_is_stored_whole_and_that_of_an_earlier_version_read():
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


def test_after_a_change_of_the_one_search_only_offers_of_the_other_are_spoken_of():
    narrowed = replace(REQUEST, relation="refine", flight=replace(REQUEST.flight, max_stops=0))
    told = after(both_spoken_of(), narrowed, REQUEST)
    assert kinds_told(told) == [["hotel"]] * 3
    assert (told.agent, told.orders) == ("flight", {"flight": DEAREST})


def test_after_a_change_that_leaves_both_searches_all_is_spoken_of_still():
    assert after(both_spoken_of(), replace(REQUEST, relation="refine"), REQUEST) == both_spoken_of()


@pytest.mark.parametrize(
    ("request_now", "before"),
    [
        (REQUEST, REQUEST),
        (replace(REQUEST, relation="refine", resumes=0), REQUEST),
        (replace(REQUEST, relation="refine"), None),
    ],
    ids=["new", "resumed", "the first"],
)
def test_after_another_request_nothing_is_spoken_of_though_it_is_searched_alike(request_now, before):
    assert after(both_spoken_of(), request_now, before) == SpokenOf(orders={"flight": DEAREST})


def test_a_remark_leaves_all_spoken_of_and_proposes_no_more():
    spoken_of = both_spoken_of()
    remark = replace(REQUEST, relation="other")
    assert after(replace(spoken_of, is_proposed=True), remark, REQUEST) == spoken_of
