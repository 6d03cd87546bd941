"""Rooms of LiteAPI, booked and cancelled over its stand-in, whose account says what was really done."""

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest

from backend.domain.errors import (
    BookingRefused,
    NotFound,
    NotOnSale,
    OutcomeUnknown,
    ProviderError,
    QuoteChanged,
)
from backend.tasks.task_owner import TaskOwner
from backend.travel.providers.booking_database import SqliteBookings
from backend.travel.providers.liteapi.bookings import LiteapiBookings
from backend.travel.providers.liteapi.search import fault_of
from backend.travel.providers.seller_bookings import SellerBookings
from backend.travel.providers.service import UNREACHED, Service, ServiceError
from backend.travel.providers.travellers import Traveller, Travellers
from backend.travel.values.booking import Booking, Order, choice_of
from backend.travel.values.travel import Money
from tests.fakes import Gate
from tests.fakes.liteapi import Hotel, LiteApi, Rate
from tests.fakes.service import Alter, Drop, Hold, Refuse
from tests.providers.sellers import HOTELS, searched, sellers_of

PREBOOK, BOOK = "POST /rates/prebook", "POST /rates/book"
LIST, READ, CANCEL = "GET /bookings", "GET /bookings/{id}", "PUT /bookings/{id}"
TOKYO = "35.68,139.76"
MARK = "0f3e"
TO_THE_DEADLINE = timedelta(seconds=61)
PEOPLE = [
    Traveller(
        title="ms", given_name=given, family_name="Byron", gender="f", born_on=date(1990, 12, 10),
        email=f"{given.lower()}@example.com", phone="+442080160509",
    )
    for given in ("Ada", "Zoë", "Mary")
]  # fmt: skip


def euros(amount):
    return Money(amount=Decimal(amount), currency="EUR")


def desk_at(liteapi, kind=Service):
    service = kind("LiteAPI", liteapi.book_url, {"X-API-Key": liteapi.key}, fault_of=fault_of)
    return service, LiteapiBookings(service, live=False, clock=lambda: liteapi.now)


@pytest.fixture
async def liteapi():
    async with LiteApi() as liteapi:
        liteapi.script(TOKYO, [[Hotel("Mori", (Rate("480.20", room="Twin Room", board="BB"),))]])
        yield liteapi


@pytest.fixture
async def desk(liteapi):
    service, desk = desk_at(liteapi)
    yield desk
    await service.close()


async def begin():
    """Write nothing down."""


async def found_in(liteapi):
    async with sellers_of(liteapi=liteapi) as sellers:
        (offer,) = (await searched(sellers.hotels, HOTELS)).offers
    return offer


@pytest.fixture
async def offer(liteapi):
    return await found_in(liteapi)


async def book(desk, offer, *, mark=MARK, hold=False):
    return await desk.order(Order(offer=offer), PEOPLE, mark, hold=hold, begin=begin)


DECLINED, UNREAD = "booking not confirmed", "booking failed, provider booking response is invalid"


def failed(description, *, when="before", status=400):
    """2013, which tells of a supplier's no, and of an answer of the supplier's that could not be read."""
    error = {"code": 2013, "message": "booking failed", "description": description}
    return Refuse(status, 2013, when, text=json.dumps({"error": error}))


async def refusal(attempt):
    """What an attempt is refused with, which is nothing of LiteAPI's own words."""
    with pytest.raises(ProviderError) as refused:
        await attempt
    assert "did not work" not in refused.value.message
    return refused.value


def account(liteapi):
    return [(each["clientReference"], each["status"]) for each in liteapi.bookings.values()]


# --- what it costs now ---------------------------------------------------------------------------------


async def test_offer_is_the_one_that_was_seen_as_long_as_nothing_changes(desk, offer):
    assert await desk.offer(offer) == offer


async def test_offer_tells_what_has_changed_since_the_search(liteapi, desk, offer):
    liteapi.change_next(price_by="19.80", cancellation=True, board=True)
    now = await desk.offer(offer)
    assert (now.price_total, now.price_per_night) == (euros("500.00"), euros("125.00"))
    assert offer.free_cancellation_until is not None
    assert (now.free_cancellation_until, now.terms.cancelling) == (None, ())
    assert (offer.terms.name, now.terms.name) == ("Twin Room, with breakfast", "Twin Room, room only")
    assert choice_of(now) == choice_of(offer)


@pytest.mark.parametrize("fault", [Refuse(408, 4040), Refuse(400, 4002), Refuse(200, 2001)])
async def test_room_that_is_gone_is_not_on_sale(liteapi, desk, offer, fault):
    liteapi.fault(PREBOOK, fault, times=None)
    assert type(await refusal(desk.offer(offer))) is NotOnSale
    assert type(await refusal(book(desk, offer))) is NotOnSale
    assert account(liteapi) == []


@pytest.mark.parametrize(
    "fault",
    [
        Refuse(408, 4016), Refuse(500, 5000), Drop("after"), Alter(lambda _: b"{"), Alter(lambda _: {}),
        Alter(lambda _: {"data": None}), Alter(lambda told: {"data": {**told["data"], "roomTypes": []}}),
        Alter(lambda told: {"data": {**told["data"], "price": None}}),
        Alter(lambda told: {"data": {**told["data"], "prebookId": ""}}),
    ],
)  # fmt: skip
async def test_nothing_is_booked_where_the_price_cannot_be_read(liteapi, desk, offer, fault):
    liteapi.fault(PREBOOK, fault, times=None)
    assert type(await refusal(desk.offer(offer))) is ServiceError
    assert type(await refusal(book(desk, offer))) is ServiceError
    assert liteapi.asked_for(BOOK) == []


async def test_hotel_that_does_not_answer_in_time_is_told_as_such(liteapi, desk, offer):
    liteapi.fault(PREBOOK, Refuse(408, 4016))
    assert (await refusal(desk.offer(offer))).message == "LiteAPI did not answer in time."


# --- booking -------------------------------------------------------------------------------------------


async def test_room_is_booked_once_with_a_guest_in_each(liteapi, desk, offer):
    sold = await book(desk, offer)
    assert account(liteapi) == [(MARK, "CONFIRMED")]
    (booking,) = liteapi.bookings.values()
    assert (sold.seller_id, sold.reference) == (booking["bookingId"], booking["hotelConfirmationCode"])
    assert (sold.state, sold.offer, sold.refund) == ("booked", offer, None)
    body = liteapi.asked_for(BOOK)[0].body
    ada, zoe = (
        {"firstName": name, "lastName": "Byron", "email": f"{name.lower()}@example.com"}
        for name in ("Ada", "Zoë")
    )
    assert body["holder"] == {**ada, "phone": "+442080160509"}
    assert body["guests"] == [{"occupancyNumber": 1, **ada}, {"occupancyNumber": 2, **zoe}]
    assert body["payment"] == {"method": "ACC_CREDIT_CARD"}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"price_by": "5.00"}, "from €480.20 to €485.20. Nothing was booked."),
        ({"cancellation": True}, "rules for cancelling"),
        ({"board": True}, "meals"),
    ],
)
async def test_changed_room_is_not_booked_before_it_is_allowed(liteapi, desk, offer, change, told):
    liteapi.change_next(**change)
    refused = await refusal(book(desk, offer))
    assert type(refused) is QuoteChanged
    assert told in refused.message
    assert account(liteapi) == []
    # LiteAPI goes on telling that it has changed, since the search.
    flags = {"cancellationChanged": True, "boardChanged": True, "priceDifferencePercent": 1}
    liteapi.fault(PREBOOK, Alter(lambda told: {"data": {**told["data"], **flags}}), times=None)
    await book(desk, await desk.offer(offer))
    assert account(liteapi) == [(MARK, "CONFIRMED")]


async def test_room_of_other_days_is_not_booked(liteapi, desk, offer):
    liteapi.fault(PREBOOK, Alter(lambda told: {"data": {**told["data"], "checkout": "2027-03-13"}}))
    assert type(await refusal(book(desk, offer))) is QuoteChanged
    assert account(liteapi) == []


async def test_holding_and_paying_later_are_refused(liteapi, desk, offer):
    assert type(await refusal(book(desk, offer, hold=True))) is BookingRefused
    assert type(await refusal(desk.pay("bkg_1", Order(offer=offer), begin=begin))) is BookingRefused
    assert liteapi.asked_for(PREBOOK) == liteapi.asked_for(BOOK) == []


@pytest.mark.parametrize(
    "fault",
    [
        Refuse(400, 4000), Refuse(400, 4002), Refuse(400, 4010), failed(DECLINED), Refuse(200, 4002),
        failed(DECLINED, status=200), Refuse(401, 401), Refuse(403, 40302), Refuse(429, 4290),
    ],
)  # fmt: skip
async def test_refusal_is_told_as_such(liteapi, desk, offer, fault):
    liteapi.fault(BOOK, fault)
    refused = await refusal(book(desk, offer))
    assert type(refused) is BookingRefused
    assert refused.message.endswith(". Nothing was booked.")
    assert account(liteapi) == []


async def test_booking_that_was_never_sent_is_refused(liteapi, offer):
    class CutOff(Service):
        async def call(self, method, path, **rest):
            if path == "/rates/book":
                raise ServiceError("LiteAPI is out of reach.", fault=UNREACHED)
            return await super().call(method, path, **rest)

    service, desk = desk_at(liteapi, CutOff)
    assert type(await refusal(book(desk, offer))) is BookingRefused
    await service.close()


@pytest.mark.parametrize(
    "fault",
    [
        Drop("after"), Drop("midway"), Refuse(500, 5000, "after"), Refuse(502, when="after", text="<html>"),
        Refuse(500, 4000, "after"), Refuse(400, 2010, "after"), Refuse(400, 2014, "after"),
        Refuse(400, 5000, "after"), Refuse(400, 2013, "after"), failed(UNREAD, when="after"),
        Refuse(408, 4016, "after"), Refuse(200, 2014, "after"),
        Refuse(204, when="after"), Alter(lambda _: b"{"), Alter(lambda _: {}), Alter(lambda _: {"data": {}}),
        Alter(lambda told: {"data": {**told["data"], "status": "PENDING"}}),
        Alter(lambda told: {"data": {**told["data"], "bookingId": ""}}),
    ],
)  # fmt: skip
async def test_lost_answer_is_unknown_and_its_booking_is_found(liteapi, desk, offer, fault):
    liteapi.fault(BOOK, fault)
    assert type(await refusal(book(desk, offer))) is OutcomeUnknown
    sold = await desk.found(MARK, offer, liteapi.now)
    assert [sold.seller_id] == list(liteapi.bookings)
    assert (sold.state, sold.offer) == ("booked", offer)
    assert account(liteapi) == [(MARK, "CONFIRMED")]


async def test_no_of_a_supplier_is_held_against_what_liteapi_has(liteapi, desk, offer):
    liteapi.fault(BOOK, failed(DECLINED, when="after"))
    sold = await book(desk, offer)
    assert (sold.state, [sold.seller_id]) == ("booked", list(liteapi.bookings))


async def test_no_of_a_supplier_is_unknown_while_liteapi_does_not_tell_what_it_has(liteapi, desk, offer):
    liteapi.fault(BOOK, failed(DECLINED))
    liteapi.fault(LIST, Refuse(500))
    assert type(await refusal(book(desk, offer))) is OutcomeUnknown


async def test_mark_finds_its_own_booking_alone(liteapi, desk, offer):
    await book(desk, offer, mark="other")
    assert await desk.found(MARK, offer, liteapi.now) is None
    liteapi.fault(LIST, Alter(lambda _: {"data": list(liteapi.bookings.values())}))
    assert await desk.found(MARK, offer, liteapi.now) is None


@pytest.mark.parametrize("fault", [Refuse(500), Drop(), Refuse(204), Alter(lambda _: {"data": None})])
async def test_nothing_is_told_of_a_mark_where_the_answer_does_not(liteapi, desk, offer, fault):
    liteapi.fault(LIST, fault)
    assert type(await refusal(desk.found(MARK, offer, liteapi.now))) is ServiceError


async def test_duplicate_mark_is_the_booking_that_has_it(liteapi, desk, offer):
    assert await book(desk, offer) == await book(desk, offer)
    assert account(liteapi) == [(MARK, "CONFIRMED")]


@pytest.mark.parametrize("faults", [(), (Refuse(500),)])
async def test_duplicate_mark_that_is_not_found_is_unknown(liteapi, desk, offer, faults):
    liteapi.fault(BOOK, Refuse(400, 4005))
    liteapi.fault(LIST, *faults)
    assert type(await refusal(book(desk, offer))) is OutcomeUnknown


# --- cancelling ----------------------------------------------------------------------------------------


def booked(sold):
    return Booking(
        reference="STAY-234567", provider="liteapi", live=False, state="booked", offer=sold.offer,
        travellers=(), made_at=sold.offer.terms.cancelling[0].since,
    )  # fmt: skip


async def refund_of(desk, sold):
    return await desk.refund(sold.seller_id, booked(sold))


def deadline(liteapi, offer, *, before=timedelta()):
    """Move the clock to where cancelling begins to cost something."""
    liteapi.advance((offer.terms.cancelling[0].since - before - liteapi.now).total_seconds())


async def test_cancelling_in_time_gives_all_back(liteapi, desk, offer):
    sold = await book(desk, offer)
    deadline(liteapi, offer, before=TO_THE_DEADLINE)
    assert await refund_of(desk, sold) == euros("480.20")
    ended = await desk.cancel(sold.seller_id, offer, euros("480.20"), begin=begin)
    assert account(liteapi) == [(MARK, "CANCELLED")]
    assert ended == replace(sold, state="cancelled", refund=euros("480.20"))
    assert await desk.now(sold.seller_id, offer) == ended


async def test_cancelling_late_keeps_the_fee(liteapi, desk, offer):
    sold = await book(desk, offer)
    # From a minute before: the booking may be cancelled by another clock, and a little later.
    deadline(liteapi, offer, before=timedelta(minutes=1))
    assert await refund_of(desk, sold) == euros(0)
    deadline(liteapi, offer)
    ended = await desk.cancel(sold.seller_id, offer, euros(0), begin=begin)
    assert account(liteapi) == [(MARK, "CANCELLED_WITH_CHARGES")]
    assert (ended.state, ended.refund) == ("cancelled", euros(0))
    # A booking that is read tells that something was kept, and not how much.
    assert await desk.now(sold.seller_id, offer) == replace(ended, refund=None)


async def test_room_without_a_refund_gives_nothing_back(liteapi, desk, offer):
    liteapi.change_next(cancellation=True)
    strict = await desk.offer(offer)
    sold = await book(desk, strict)
    refund = await desk.refund(sold.seller_id, booked(replace(sold, offer=offer)))
    assert refund == euros(0)
    assert (await desk.cancel(sold.seller_id, strict, refund, begin=begin)).refund == euros(0)
    assert account(liteapi) == [(MARK, "CANCELLED_WITH_CHARGES")]


def rules(*fees, tag="RFN", currency="EUR"):
    """Have a booking say that cancelling costs so much from a day on."""
    infos = [{"cancelTime": f"{day} 00:00:00", "amount": fee, "currency": currency} for day, fee in fees]
    policies = {"cancelPolicyInfos": infos, "refundableTag": tag}
    return Alter(lambda told: {"data": {**told["data"], "cancellationPolicies": policies}})


@pytest.mark.parametrize(
    ("told", "refund"),
    [
        (rules(("2026-02-01", 200), ("2026-01-01", 100.5), ("2099-01-01", 480.2)), euros("280.20")),
        (rules(("2026-01-01", 999)), euros(0)),
        (rules(("2026-01-01", 100), tag="NRFN"), euros(0)),
        (rules(("2026-01-01", 100), tag=""), None),
        (rules(), None),
        (rules(("2026-01-01", 100), currency="USD"), None),
        (rules(("soon", 100)), None),
    ],
)
async def test_refund_follows_the_rules_of_the_booking(liteapi, desk, offer, told, refund):
    sold = await book(desk, offer)
    liteapi.fault(READ, told)
    assert await refund_of(desk, sold) == refund


async def test_booking_is_not_cancelled_for_another_refund(liteapi, desk, offer):
    sold = await book(desk, offer)
    quoted = await refund_of(desk, sold)
    deadline(liteapi, offer, before=timedelta(minutes=1))
    refused = await refusal(desk.cancel(sold.seller_id, offer, quoted, begin=begin))
    assert type(refused) is QuoteChanged
    assert refused.message == "Cancelling gives back €0.00 now. Nothing was cancelled."
    assert account(liteapi) == [(MARK, "CONFIRMED")]


@pytest.mark.parametrize(
    "fault",
    [
        Drop("after"), Drop("midway"), Refuse(500, 5000, "after"), Refuse(304, when="after", text=""),
        Refuse(204, when="after"), Alter(lambda _: b"{"), Alter(lambda _: {"data": {}}),
        Alter(lambda told: {"data": {**told["data"], "status": "?"}}),
    ],
)  # fmt: skip
async def test_lost_answer_of_a_cancellation_is_unknown_and_read_again(liteapi, desk, offer, fault):
    sold = await book(desk, offer)
    liteapi.fault(CANCEL, fault)
    assert (
        type(await refusal(desk.cancel(sold.seller_id, offer, euros("480.20"), begin=begin)))
        is OutcomeUnknown
    )
    now = await desk.now(sold.seller_id, offer)
    assert (now.state, now.refund) == ("cancelled", euros("480.20"))
    assert len(liteapi.asked_for(CANCEL)) == 1


async def test_cancellation_that_is_refused_has_done_nothing(liteapi, desk, offer):
    sold = await book(desk, offer)
    liteapi.fault(CANCEL, Refuse(400, 4000))
    refused = await refusal(desk.cancel(sold.seller_id, offer, euros("480.20"), begin=begin))
    assert type(refused) is BookingRefused
    assert refused.message.endswith("Nothing was cancelled.")
    assert account(liteapi) == [(MARK, "CONFIRMED")]


async def test_booking_is_cancelled_once(liteapi, desk, offer):
    sold = await book(desk, offer)
    await desk.cancel(sold.seller_id, offer, euros("480.20"), begin=begin)
    assert type(await refusal(refund_of(desk, sold))) is BookingRefused
    assert (
        type(await refusal(desk.cancel(sold.seller_id, offer, euros("480.20"), begin=begin)))
        is BookingRefused
    )
    assert len(liteapi.asked_for(CANCEL)) == 1


@pytest.mark.parametrize("faults", [[], [Refuse(204)], [Refuse(200, 204)]])
async def test_unknown_booking_is_not_found(liteapi, desk, offer, faults):
    liteapi.fault(READ, *faults)
    with pytest.raises(NotFound):
        await desk.now("bkg?1", offer)
    assert liteapi.asked_for(READ)[0].ids == ["bkg?1"]


# --- as users book -------------------------------------------------------------------------------------


@asynccontextmanager
async def process(liteapi, path=None):
    """The bookings of one process; with the same path another one goes on where it ended."""
    database, owner = SqliteBookings(path), TaskOwner()
    service, desk = desk_at(liteapi)
    travellers = Travellers(database)
    await travellers.keep("ada", PEOPLE)
    yield SellerBookings([desk], database, travellers, owner=owner, clock=lambda: liteapi.now)
    await owner.finish(grace_s=5)
    await service.close()
    await database.close()


async def test_another_call_is_another_booking(liteapi, offer):
    async with process(liteapi) as bookings:
        await bookings.book("ada", "call", Order(offer=offer))
        await bookings.book("ada", "another", Order(offer=offer))
    assert [status for _, status in account(liteapi)] == ["CONFIRMED", "CONFIRMED"]
    assert len(liteapi.asked_for(BOOK)) == 2


async def test_booking_of_a_process_that_ended_is_found_by_the_next(liteapi, offer, tmp_path):
    path, gate = tmp_path / "bookings.sqlite", Gate()
    liteapi.fault(BOOK, Hold(gate, "after"))
    async with process(liteapi, path) as killed, asyncio.TaskGroup() as group:
        late = group.create_task(killed.book("ada", "call", Order(offer=offer)))
        await gate.arrived()
        async with process(liteapi, path) as bookings:
            booking = await bookings.outcome_of("ada", "call")
            assert await bookings.book("ada", "call", Order(offer=offer)) == booking
        gate.open()
        assert await late == booking
    assert len(account(liteapi)) == len(liteapi.asked_for(BOOK)) == 1


async def test_order_that_never_arrived_is_void_after_its_time(liteapi, offer, tmp_path):
    liteapi.fault(BOOK, Drop("before"))
    path = tmp_path / "bookings.sqlite"
    async with process(liteapi, path) as killed:
        assert type(await refusal(killed.book("ada", "call", Order(offer=offer)))) is OutcomeUnknown
    async with process(liteapi, path) as bookings:
        liteapi.advance(3599)
        assert type(await refusal(bookings.outcome_of("ada", "call"))) is ProviderError
        liteapi.advance(1)
        assert await bookings.outcome_of("ada", "call") is None
        assert type(await refusal(bookings.book("ada", "call", Order(offer=offer)))) is BookingRefused
    assert account(liteapi) == []
