"""Holding, booking and cancelling on the demo inventory: what is done, what is refused, and what is paid."""

import re
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest

from backend.domain.errors import BookingRefused, NotFound, NotOnSale, QuoteChanged
from backend.travel.providers.base import BookingProvider
from backend.travel.providers.booking_database import ALPHABET, new_reference
from backend.travel.providers.demo.bookings import MOST_PAID, sale_of
from backend.travel.values.booking import Cancellation, Order, choice_of
from backend.travel.values.travel import Money
from tests.providers.booking_office import NOW, STAY, THERE, THERE_AND_BACK
from tests.providers.markets import TODAY

FAMILY = replace(THERE, passengers=9, cabin_class="business")


async def test_flight_is_booked_with_a_reference_and_as_a_demo(office):
    provider: BookingProvider = office.bookings
    order = await office.flight(THERE_AND_BACK)
    booking = await provider.book("ann", "call-1", order)
    assert re.fullmatch(f"DEMO-[{ALPHABET}]{{6}}", booking.reference)
    assert (booking.state, booking.offer, booking.made_at) == ("booked", order.offer, NOW)
    assert (booking.provider, booking.live, provider.live) == ("demo", False, False)
    assert list(await provider.bookings("ann")) == [booking]


def test_references_have_no_ambiguous_letter():
    assert not set("01OIL") & set(ALPHABET)
    assert len({new_reference("DEMO") for _ in range(100)}) == 100


async def test_reference_is_not_given_twice(open_office):
    given = iter(["DEMO-AAAAAA", "DEMO-AAAAAA", "DEMO-AAAAAA", "DEMO-BBBBBB"])
    office = open_office(reference=given.__next__)
    order = await office.flight()
    references = [(await office.bookings.book("ann", call, order)).reference for call in ("1", "2")]
    assert references == ["DEMO-AAAAAA", "DEMO-BBBBBB"]


@pytest.mark.requirement("BOOKED-AT-MOST-ONCE")
async def test_same_call_gives_the_same_booking_even_much_later(office):
    order = await office.flight()
    booking = await office.bookings.book("ann", "call", order)
    office.later(days=400)
    office.today += timedelta(days=400)
    assert await office.bookings.book("ann", "call", order) == booking
    assert len(await office.bookings.bookings("ann")) == 1


@pytest.mark.requirement("BOOKED-AT-MOST-ONCE")
async def test_same_call_for_something_else_is_refused(office):
    order, stay = await office.flight(), office.stay()
    booking = await office.bookings.book("ann", "call", order)
    for other in (stay, replace(order, travellers=("Ann Other",))):
        with pytest.raises(BookingRefused, match="something else"):
            await office.bookings.book("ann", "call", other)
    with pytest.raises(BookingRefused, match="something else"):
        await office.bookings.hold("ann", "call", order)
    with pytest.raises(BookingRefused, match="something else"):
        await office.bookings.cancel("ann", "call", Cancellation(reference=booking.reference))
    assert list(await office.bookings.bookings("ann")) == [booking]


async def test_flight_is_refused_once_its_seats_are_gone(office):
    order = await office.flight()
    assert 1 <= await office.sell_out(order) <= 9
    with pytest.raises(NotOnSale, match="sold out"):
        await office.bookings.offer("ann", choice_of(order.offer))


async def test_rooms_are_counted_by_the_night(office):
    order = office.stay()
    count = await office.sell_out(order)
    claims = sale_of(choice_of(order.offer), office.inventory, today=TODAY).claims
    assert count == min(claim.of for claim in claims) >= 1
    for claim in claims:
        night = date.fromordinal(claim.day)
        alone = replace(order.offer, check_in=night, check_out=night + timedelta(days=1))
        if claim.of > count:
            assert (await office.bookings.offer("ann", choice_of(alone))).check_in == night
        else:
            with pytest.raises(NotOnSale, match="sold out"):
                await office.bookings.offer("ann", choice_of(alone))


async def test_stay_is_booked_for_all_its_nights_or_none(office):
    """One night in the middle is gone: the nights around it stay free, and nothing of the call is kept."""
    order = office.stay()
    day = STAY.check_in + timedelta(days=2)
    middle = replace(order.offer, check_in=day, check_out=day + timedelta(days=1))
    night = Order(offer=await office.bookings.offer("ann", choice_of(middle)))
    await office.sell_out(night)
    with pytest.raises(BookingRefused, match="sold out"):
        await office.bookings.book("ann", "call", order)
    assert await office.bookings.bookings("ann") == ()
    day = STAY.check_in
    first = replace(order.offer, check_in=day, check_out=day + timedelta(days=1))
    order_of_first = Order(offer=await office.bookings.offer("ann", choice_of(first)))
    assert await office.sell_out(order_of_first, calls="ABCDEFGHIJKLMNOP") >= 1


async def test_cancellation_gives_the_room_back(office):
    order = office.stay()
    count = await office.sell_out(order)
    assert count >= 1
    booking = (await office.bookings.bookings("crowd"))[0]
    quoted = await office.bookings.cancellation("crowd", booking.reference)
    await office.bookings.cancel("crowd", "cancel", quoted)
    assert (await office.bookings.book("ann", "call", order)).state == "booked"
    assert await office.sell_out(order, calls=["again"]) == 0


async def test_changed_price_is_refused_with_both_prices(office):
    order = await office.flight()
    office.today += timedelta(days=1)
    now = await office.bookings.offer("ann", choice_of(order.offer))
    assert now.price_total != order.offer.price_total
    with pytest.raises(QuoteChanged) as refused:
        await office.bookings.book("ann", "b", order)
    assert str(order.offer.price_total.amount) in refused.value.message
    assert str(now.price_total.amount) in refused.value.message
    assert await office.bookings.bookings("ann") == ()
    assert (await office.bookings.book("ann", "b", Order(offer=now))).offer == now


async def test_forged_price_or_rule_is_refused(office):
    order = await office.flight()
    for forged in (
        replace(order.offer, price_total=Money(amount=Decimal(1))),
        replace(order.offer, refundable=not order.offer.refundable),
    ):
        with pytest.raises(QuoteChanged, match="changed"):
            await office.bookings.book("ann", "b", Order(offer=forged))
    stay = office.stay()
    until = date(2027, 1, 1)
    forged = replace(stay.offer, free_cancellation_until=until)
    with pytest.raises(QuoteChanged, match="rules for cancelling"):
        await office.bookings.book("ann", "b", Order(offer=forged))


@pytest.mark.requirement("A-PAYMENT-CAN-FAIL")
async def test_order_above_the_limit_of_the_demo_card_is_declined(office):
    dear = next(
        Order(offer=each)
        for each in await office.flights(FAMILY)
        if each.price_total.amount > MOST_PAID.amount
    )
    with pytest.raises(
        BookingRefused, match=r"declined: the demo card pays up to €5,000. Nothing was booked"
    ):
        await office.bookings.book("ann", "b", dear)
    assert await office.bookings.bookings("ann") == ()
    assert await office.bookings.outcome_of("ann", "b") is None


async def test_limit_of_the_card_is_the_same_in_every_currency(office):
    query = replace(THERE, max_price=Money(amount=Decimal(10_000_000), currency="JPY"))
    order = await office.flight(query)
    assert order.offer.price_total.amount > MOST_PAID.amount
    assert (await office.bookings.book("ann", "b", order)).state == "booked"


async def test_hold_keeps_the_seat_until_it_expires(office):
    order = await office.flight()
    held = [await office.bookings.hold("ann", "h", order)]
    assert (held[0].state, held[0].held_until) == ("held", NOW + timedelta(minutes=20))
    taken = await office.sell_out(order)
    office.later(minutes=19, seconds=59)
    with pytest.raises(BookingRefused, match="sold out"):
        await office.bookings.book("bob", "b1", order)
    office.later(seconds=1)
    assert (await office.bookings.bookings("ann"))[0].state == "expired"
    assert (await office.bookings.book("bob", "b2", order)).state == "booked"
    assert taken >= 0
    with pytest.raises(BookingRefused, match="sold out"):
        await office.bookings.book("ann", "too late", order)


async def test_booking_of_a_hold_uses_its_seat_and_reference(office):
    order = await office.flight()
    held = await office.bookings.hold("ann", "h", order)
    await office.sell_out(order)
    assert await office.bookings.offer("ann", choice_of(order.offer)) == order.offer
    booked = await office.bookings.book("ann", "b", replace(order, travellers=("Ann Lee",)))
    assert (booked.reference, booked.state, booked.travellers) == (held.reference, "booked", ("Ann Lee",))
    assert [each.state for each in await office.bookings.bookings("ann")] == ["booked"]
    office.later(days=1)
    assert [each.state for each in await office.bookings.bookings("ann")] == ["booked"]
    assert await office.bookings.hold("ann", "h", order) == held, "the call still came to what it came to"


async def test_hold_keeps_its_price_over_midnight(office):
    office.now = NOW + timedelta(hours=11, minutes=50)
    order = await office.flight()
    await office.bookings.hold("ann", "h", order)
    office.later(minutes=15)
    office.today += timedelta(days=1)
    assert (await office.bookings.offer("ann", choice_of(order.offer))) == order.offer
    assert (await office.bookings.book("ann", "b", order)).offer == order.offer


async def test_second_hold_of_the_same_takes_no_second_seat(office):
    order = await office.flight()
    first = await office.bookings.hold("ann", "h1", order)
    assert (await office.bookings.hold("ann", "h2", order)).reference == first.reference
    assert len(await office.bookings.bookings("ann")) == 1


async def test_cancelled_hold_gives_nothing_back(office):
    order = await office.flight(THERE, refundable=True)
    held = await office.bookings.hold("ann", "h", order)
    quoted = await office.bookings.cancellation("ann", held.reference)
    assert quoted.refund.amount == 0
    assert (await office.bookings.cancel("ann", "c", quoted)).state == "cancelled"
    with pytest.raises(BookingRefused, match="cancelled already"):
        await office.bookings.cancellation("ann", held.reference)


@pytest.mark.parametrize("refundable", [True, False])
async def test_flight_is_refunded_whole_or_not_at_all(office, refundable):
    order = await office.flight(THERE_AND_BACK, refundable=refundable)
    booking = await office.bookings.book("ann", "b", order)
    quoted = await office.bookings.cancellation("ann", booking.reference)
    total = order.offer.price_total
    assert quoted.refund == (total if refundable else Money(amount=Decimal(0), currency=total.currency))
    cancelled = await office.bookings.cancel("ann", "c", quoted)
    assert (cancelled.reference, cancelled.state) == (booking.reference, "cancelled")
    assert cancelled.refund == quoted.refund
    assert await office.bookings.cancel("ann", "c", quoted) == cancelled
    with pytest.raises(BookingRefused, match="cancelled already"):
        await office.bookings.cancel("ann", "c2", quoted)


async def test_stay_is_free_to_cancel_up_to_its_day(office):
    stay = next(Order(offer=each) for each in office.hotels() if each.free_cancellation_until)
    booking = await office.bookings.book("ann", "b", stay)
    office.today = stay.offer.free_cancellation_until
    quoted = await office.bookings.cancellation("ann", booking.reference)
    assert quoted.refund == stay.offer.price_total
    office.today += timedelta(days=1)
    with pytest.raises(QuoteChanged, match=r"gives back €0.00 now"):
        await office.bookings.cancel("ann", "c", quoted)
    assert (await office.bookings.booking("ann", booking.reference)).state == "booked"
    again = await office.bookings.cancellation("ann", booking.reference)
    assert again.refund.amount == 0
    assert (await office.bookings.cancel("ann", "c2", again)).state == "cancelled"


async def test_journey_that_has_begun_cannot_be_cancelled(office):
    flight = await office.bookings.book("ann", "f", await office.flight())
    stay = await office.bookings.book("ann", "s", office.stay())
    office.now = flight.offer.slices[0].segments[0].departs_at
    office.today = STAY.check_in + timedelta(days=1)
    for booking in (flight, stay):
        with pytest.raises(BookingRefused, match="has begun"):
            await office.bookings.cancellation("ann", booking.reference)


@pytest.mark.requirement("BOOKINGS-ARE-ONES-OWN")
async def test_booking_of_another_user_looks_like_none(office):
    order = await office.flight()
    booking = await office.bookings.book("ann", "b", order)
    quoted = await office.bookings.cancellation("ann", booking.reference)
    told = []
    for reference in (booking.reference, "DEMO-222222"):
        for attempt in (
            office.bookings.booking("bob", reference),
            office.bookings.cancellation("bob", reference),
            office.bookings.cancel("bob", f"c{reference}", replace(quoted, reference=reference)),
        ):
            with pytest.raises(NotFound) as error:
                await attempt
            told.append(error.value.message.replace(reference, ""))
    assert len(set(told)) == 1
    assert await office.bookings.bookings("bob") == ()
    assert (await office.bookings.booking("ann", booking.reference)).state == "booked"


@pytest.mark.parametrize("name", ["", "x" * 61, "Ann\nTotal: 0", "‮nnA", "\ud83d"])
async def test_impossible_name_is_refused(office, name):
    order = await office.flight()
    with pytest.raises(BookingRefused, match="name"):
        await office.bookings.book("ann", "b", replace(order, travellers=(name,)))
    with pytest.raises(BookingRefused, match="2 names for 1"):
        await office.bookings.book("ann", "b", replace(order, travellers=("Ann", "Bob")))
    assert await office.bookings.bookings("ann") == ()


@pytest.mark.parametrize(
    "name", ["'; DROP TABLE booking; --", "O\N{RIGHT SINGLE QUOTATION MARK}Brien-Müller 李", 'Robert"); --']
)
async def test_name_is_stored_as_it_is(office, name):
    order = replace(await office.flight(), travellers=(name,))
    await office.bookings.book(name, name, order)
    assert [each.travellers for each in await office.bookings.bookings(name)] == [(name,)]


@pytest.mark.requirement("DELETE-FORGETS")
async def test_forgotten_user_leaves_the_seats_to_others(office):
    order = replace(await office.flight(), travellers=("Xanthippe Quux",))
    for count in range(9):
        try:
            await office.bookings.book("ann", str(count), order)
        except BookingRefused:
            break
    booking = await office.bookings.book("bob", "b", office.stay())
    await office.bookings.forget("ann")
    assert await office.bookings.bookings("ann") == ()
    assert (await office.bookings.book("bob", "b2", replace(order, travellers=()))).state == "booked"
    assert len(await office.bookings.bookings("bob")) == 2
    assert (await office.bookings.booking("bob", booking.reference)) == booking


async def test_bookings_are_there_when_the_office_opens_again(open_office):
    office = open_office()
    order, stay = await office.flight(), office.stay()
    await office.bookings.book("ann", "1", order)
    await office.bookings.hold("ann", "2", await office.flight(THERE_AND_BACK))
    cancelled = await office.bookings.book("ann", "3", stay)
    quoted = await office.bookings.cancellation("ann", cancelled.reference)
    await office.bookings.cancel("ann", "4", quoted)
    before = await office.bookings.bookings("ann")
    assert sorted(each.state for each in before) == ["booked", "cancelled", "held"]
    await office.bookings.close()
    again = open_office()
    assert await again.bookings.bookings("ann") == before
    assert await again.bookings.book("ann", "1", order) in before
