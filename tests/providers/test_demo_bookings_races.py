"""Many at once on the demo's bookings: the last seat, the same call, a wait that is cut, an answer too late.

Proved by planted bugs: without the check of room in the claim's own statement, without the second look for
the call in its transaction, and with a commit between booking and call, tests here fail.
"""

import asyncio
import contextlib
from collections import Counter
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.domain.errors import BookingRefused, NotOnSale, OutcomeUnknown, ProviderError
from backend.travel.providers.demo.bookings import sale_of
from backend.travel.values.booking import Order, choice_of
from tests.fakes import Gate
from tests.providers.booking_office import THERE, THERE_AND_BACK, an_office
from tests.providers.markets import TODAY

FOREVER_S = 3_600.0


@pytest.mark.requirement("THE-LAST-SEAT-ONCE")
async def test_last_seats_are_sold_to_as_many_buyers_as_there_are_seats(office):
    for call, order in {"flight": await office.flight(), "stay": office.stay()}.items():
        room = min(
            claim.of for claim in sale_of(choice_of(order.offer), office.inventory, today=TODAY).claims
        )
        tries = [office.bookings.book(f"user-{each}", call, order) for each in range(30)]
        ended = await asyncio.gather(*tries, return_exceptions=True)
        booked = [each for each in ended if not isinstance(each, Exception)]
        assert len(booked) == len({each.reference for each in booked}) == room
        assert {str(each) for each in ended if isinstance(each, Exception)} == {"That is sold out by now."}


@pytest.mark.requirement("THE-LAST-SEAT-ONCE")
async def test_last_seat_is_sold_once_to_a_holder_and_a_buyer(office):
    order = await office.flight()
    room = sale_of(choice_of(order.offer), office.inventory, today=TODAY).claims[0].of
    for each in range(room - 1):
        await office.bookings.book("crowd", str(each), order)
    ended = await asyncio.gather(
        office.bookings.hold("ann", "call", order),
        office.bookings.book("bob", "call", order),
        return_exceptions=True,
    )
    assert sorted(type(each).__name__ for each in ended) == ["Booking", "BookingRefused"]


@pytest.mark.requirement("BOOKED-AT-MOST-ONCE")
async def test_same_call_many_times_at_once_books_once(office):
    order = await office.flight()
    ended = await asyncio.gather(*(office.bookings.book("ann", "call", order) for _ in range(20)))
    assert len({each.reference for each in ended}) == 1
    assert len(await office.bookings.bookings("ann")) == 1


@pytest.mark.requirement("BOOKED-AT-MOST-ONCE")
async def test_same_call_at_once_for_two_things_does_one(office):
    orders = [await office.flight(), office.stay()]
    ended = await asyncio.gather(
        *(office.bookings.book("ann", "call", order) for order in orders), return_exceptions=True
    )
    assert sorted(type(each).__name__ for each in ended) == ["Booking", "BookingRefused"]
    assert len(await office.bookings.bookings("ann")) == 1


async def test_booking_is_cancelled_once_however_many_cancel_it(office):
    booking = await office.bookings.book("ann", "b", await office.flight())
    quoted = await office.bookings.cancellation("ann", booking.reference)
    ended = await asyncio.gather(
        *(office.bookings.cancel("ann", f"c{each}", quoted) for each in range(5)), return_exceptions=True
    )
    assert sorted(type(each).__name__ for each in ended) == ["Booking", *["BookingRefused"] * 4]


@pytest.mark.requirement("BOOKED-AT-MOST-ONCE")
async def test_wait_that_is_cancelled_at_any_step_leaves_a_whole_booking_or_none(office):
    """And asked after, the office says the same as is in its list, then and ever after."""
    order, done = await office.flight(THERE_AND_BACK), set()
    for steps in range(40):
        call = f"call-{steps}"
        waiting = asyncio.get_running_loop().create_task(office.bookings.book(f"ann-{steps}", call, order))
        for _ in range(steps):
            await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        booking = await office.bookings.outcome_of(f"ann-{steps}", call)
        assert list(await office.bookings.bookings(f"ann-{steps}")) == ([booking] if booking else [])
        assert await office.bookings.outcome_of(f"ann-{steps}", call) == booking
        done.add(booking is not None)
        await office.bookings.forget(f"ann-{steps}")
    assert False in done, "some were cut before they were done"


@pytest.mark.requirement("BOOKED-AT-MOST-ONCE")
async def test_request_that_was_reported_as_never_made_is_refused_when_it_arrives(open_office):
    office = open_office(pace=FOREVER_S, answered_within_s=0)
    order = await office.flight()
    with pytest.raises(OutcomeUnknown, match="did not answer in time"):
        await office.bookings.book("ann", "call", order)
    assert await office.bookings.outcome_of("ann", "call") is None
    late = open_office()  # another process, at which the request arrives only now
    with pytest.raises(BookingRefused, match="came after somebody had been told"):
        await late.bookings.book("ann", "call", order)
    assert await office.bookings.outcome_of("ann", "call") is None
    booking = await late.bookings.book("ann", "call-2", order)
    assert list(await office.bookings.bookings("ann")) == [booking]


@pytest.mark.requirement("BOOKED-AT-MOST-ONCE")
@pytest.mark.parametrize("what", ["book", "cancel"])
async def test_request_that_is_reported_as_never_made_while_it_runs_does_nothing(open_office, what):
    """Another process tells it, at the last moment before the one that makes it begins to."""
    slow, quick = open_office(), open_office()
    booking = await quick.bookings.book("ann", "before", quick.stay())
    quoted = await quick.bookings.cancellation("ann", booking.reference)
    read, gate = slow.bookings.database.read, Gate()

    async def read_and_wait(steps):
        found = await read(steps)
        await gate.wait()
        return found

    slow.bookings.database.read = read_and_wait
    given = await slow.flight() if what == "book" else quoted
    making = asyncio.get_running_loop().create_task(getattr(slow.bookings, what)("ann", "call", given))
    await gate.arrived(1)
    assert await quick.bookings.outcome_of("ann", "call") is None
    gate.open()
    with pytest.raises(BookingRefused, match="came after somebody had been told"):
        await making
    assert await quick.bookings.outcome_of("ann", "call") is None
    assert list(await quick.bookings.bookings("ann")) == [booking]


@pytest.mark.requirement("THE-LAST-SEAT-ONCE")
async def test_hold_that_is_over_by_another_clock_sells_its_seat_once(open_office):
    slow, fast = open_office(), open_office()
    order = await slow.flight()
    await slow.bookings.hold("ann", "h", order)
    fast.later(minutes=20)
    slow.later(minutes=19)
    assert await fast.sell_out(order) >= 1
    with pytest.raises(BookingRefused, match="sold out"):
        await slow.bookings.book("ann", "b", order)
    assert [each.state for each in await slow.bookings.bookings("ann")] == ["held"]


async def test_late_answer_is_unknown_until_it_is_asked_for(office, monkeypatch):
    order, answer = await office.flight(), gate(office, "back")
    waiting = asyncio.get_running_loop().create_task(office.bookings.book("ann", "call", order))
    await answer.arrived(1)
    in_an_hour(monkeypatch)
    with pytest.raises(OutcomeUnknown, match="did not answer in time"):
        await waiting
    booking = await office.bookings.outcome_of("ann", "call")
    assert [booking] == list(await office.bookings.bookings("ann"))


async def test_late_refusal_is_unknown_and_did_nothing(office, monkeypatch):
    order, answer = await office.flight(), gate(office, "back")
    office.today += timedelta(days=1)
    waiting = asyncio.get_running_loop().create_task(office.bookings.book("ann", "call", order))
    await answer.arrived(1)
    in_an_hour(monkeypatch)
    with pytest.raises(OutcomeUnknown):
        await waiting
    assert await office.bookings.outcome_of("ann", "call") is None
    assert await office.bookings.bookings("ann") == ()


@pytest.mark.parametrize("direction", ["there", "back"])
async def test_outcome_of_a_call_is_not_told_while_it_is_on_its_way(office, direction):
    order, way = await office.flight(), gate(office, direction)
    waiting = asyncio.get_running_loop().create_task(office.bookings.book("ann", "call", order))
    await way.arrived(1)
    with pytest.raises(ProviderError, match="on its way"):
        await office.bookings.outcome_of("ann", "call")
    way.open()
    booking = await waiting
    assert await office.bookings.outcome_of("ann", "call") == booking


def gate(office, direction):
    """Hold what is on its way to the office ("there") or from it ("back") until the gate is opened."""
    held = Gate()

    async def on_the_way(going, _call_id):
        if going == direction:
            await held.wait()

    office.bookings._on_the_way = on_the_way
    return held


def in_an_hour(monkeypatch):
    """Let the loop's clock jump, so that what waits for less is over."""
    loop = asyncio.get_running_loop()
    now = loop.time() + FOREVER_S
    monkeypatch.setattr(loop, "time", lambda: now)


USERS = ("ann", "bob", "cyd")
STEPS = st.one_of(
    st.tuples(st.sampled_from(["hold", "book"]), st.sampled_from(USERS), st.integers(0, 3)),
    st.tuples(st.just("cancel"), st.sampled_from(USERS), st.integers(0, 5)),
    st.tuples(st.just("later"), st.just(""), st.integers(1, 30)),
    st.tuples(st.just("forget"), st.sampled_from(USERS), st.just(0)),
)


@settings(max_examples=60)
@given(steps=st.lists(STEPS, max_size=40))
def test_places_are_never_sold_twice_and_every_cent_is_accounted_for(inventory, tmp_path_factory, steps):
    """Places taken are those of live bookings, at most those there are; given back is what was paid."""
    path = tmp_path_factory.mktemp("bookings") / "bookings.sqlite"

    async def play(office):
        flights = await office.flights(THERE)
        offers = [*flights[:2], *office.hotels()[:2]]
        for number, (what, user_id, which) in enumerate(steps):
            with contextlib.suppress(BookingRefused, NotOnSale):  # what is, is the other tests' matter
                await do(office, what, user_id, which, offers=offers, call=str(number))
            await check(office, offers)

    with an_office(path, inventory) as office:
        asyncio.run(play(office))


async def do(office, what, user_id, which, *, offers, call):
    if what == "later":
        office.later(minutes=which)
    elif what == "forget":
        await office.bookings.forget(user_id)
    elif what == "cancel":
        mine = await office.bookings.bookings(user_id)
        if mine:
            quoted = await office.bookings.cancellation(user_id, mine[which % len(mine)].reference)
            await office.bookings.cancel(user_id, call, quoted)
    else:
        make = office.bookings.hold if what == "hold" else office.bookings.book
        await make(user_id, call, Order(offer=offers[which]))


async def check(office, offers):
    live, references = Counter(), []
    for user_id in USERS:
        for booking in await office.bookings.bookings(user_id):
            references.append(booking.reference)
            if booking.state in ("booked", "held"):
                for claim in sale_of(choice_of(booking.offer), office.inventory, today=TODAY).claims:
                    live[claim.item, claim.day] += claim.places
            paid = booking.offer.price_total
            assert booking.refund is None or booking.refund.currency == paid.currency
            assert (booking.refund is None) == (booking.state != "cancelled")
            assert booking.refund is None or booking.refund.amount in (0, paid.amount)
    assert len(references) == len(set(references))
    for offer in offers:
        claims = sale_of(choice_of(offer), office.inventory, today=TODAY).claims
        assert all(live[claim.item, claim.day] <= claim.of for claim in claims)
        is_full = any(live[claim.item, claim.day] + claim.places > claim.of for claim in claims)
        try:
            await office.bookings.offer("nobody", choice_of(offer))
            assert not is_full
        except NotOnSale:
            assert is_full
