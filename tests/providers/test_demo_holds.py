"""Holding a flight: kept for its holder, at its price, until it expires by the clock alone."""

from dataclasses import replace
from datetime import timedelta

import pytest

from backend.domain.errors import BookingRefused
from backend.travel.values.booking import choice_of
from tests.providers.booking_office import NOW, THERE


async def test_what_is_held_is_kept_for_its_holder_until_it_expires(office):
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


async def test_booking_what_is_held_uses_the_hold_and_its_reference(office):
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


async def test_a_hold_keeps_its_price_over_midnight(office):
    office.now = NOW + timedelta(hours=11, minutes=50)
    order = await office.flight()
    await office.bookings.hold("ann", "h", order)
    office.later(minutes=15)
    office.today += timedelta(days=1)
    assert (await office.bookings.offer("ann", choice_of(order.offer))) == order.offer
    assert (await office.bookings.book("ann", "b", order)).offer == order.offer


async def test_holding_the_same_twice_takes_no_second_seat(office):
    order = await office.flight()
    first = await office.bookings.hold("ann", "h1", order)
    assert (await office.bookings.hold("ann", "h2", order)).reference == first.reference
    assert len(await office.bookings.bookings("ann")) == 1


async def test_rooms_are_not_held(office):
    with pytest.raises(BookingRefused, match="flights only"):
        await office.bookings.hold("ann", "h", office.stay())


async def test_a_hold_is_ended_by_cancelling_it_and_gives_nothing_back(office):
    order = await office.flight(THERE, refundable=True)
    held = await office.bookings.hold("ann", "h", order)
    quoted = await office.bookings.cancellation("ann", held.reference)
    assert quoted.refund.amount == 0
    assert (await office.bookings.cancel("ann", "c", quoted)).state == "cancelled"
    with pytest.raises(BookingRefused, match="cancelled already"):
        await office.bookings.cancellation("ann", held.reference)


async def test_an_expired_hold_cannot_be_cancelled(office):
    held = await office.bookings.hold("ann", "h", await office.flight())
    office.later(minutes=20)
    with pytest.raises(BookingRefused, match="expired already"):
        await office.bookings.cancellation("ann", held.reference)
