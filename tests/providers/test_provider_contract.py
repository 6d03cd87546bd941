"""What holds of every provider, the demo's and real sellers', however differently each works.

The judge is the seller's own account (`tests/providers/shops.py`), never what the program believes of it.
What only one of them has, as limits, documents or faults of its own, is in the tests of that one.
"""

import asyncio
import re
from contextlib import aclosing
from dataclasses import replace
from datetime import timedelta
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
from backend.domain.tool_call import call_key
from backend.travel.providers.base import CutShort
from backend.travel.values.booking import Order, choice_of
from tests.fakes.waiting import until
from tests.providers.shops import SHOPS, shop_of
from tests.tools.calls import Bench

LOST_FOR_GOOD = timedelta(hours=25)


@pytest.fixture(params=SHOPS)
async def shop(request, tmp_path, inventory_path, monkeypatch):
    async with shop_of(request.param, tmp_path, inventory_path, monkeypatch) as shop:
        yield shop


# --- searching -----------------------------------------------------------------------------------------


@pytest.mark.requirement("REAL-OFFERS-ARRIVE")
async def test_parts_come_as_they_arrive_each_offer_once_and_the_end_once(shop):
    shop.hold_searches()
    async with shop.open() as process, aclosing(process.source.search(shop.query, "ada")) as parts:
        first = asyncio.get_running_loop().create_task(anext(parts))
        await shop.searching()
        assert not first.done()
        shop.release()
        found = [await first]
        second = asyncio.get_running_loop().create_task(anext(parts))
        await shop.searching()
        assert not second.done()
        shop.release_all()
        found += [await second, *[part async for part in parts]]
        assert await anext(parts, None) is None
        assert shop.searches == 1
    assert all(found[:-1]), "no part is empty but for the one that says that there are more"
    assert found[-1] or isinstance(found[-1], CutShort)
    ids = [offer.offer_id for part in found for offer in part]
    assert len(ids) >= 3
    assert len(ids) == len({*ids})


@pytest.mark.requirement("REAL-OFFERS-ARRIVE")
async def test_money_is_decimal_and_has_its_currency(shop):
    async with shop.open() as process, aclosing(process.source.search(shop.query, "ada")) as parts:
        offers = [offer async for part in parts for offer in part]
    of_one = "price_per_person" if shop.kind == "flight" else "price_per_night"
    for money in [each for offer in offers for each in (offer.price_total, getattr(offer, of_one))]:
        assert type(money.amount) is Decimal
        assert money.amount.is_finite()
        assert money.amount > 0
        assert re.fullmatch("[A-Z]{3}", money.currency)
    assert {offer.live for offer in offers} == {False}


@pytest.mark.requirement("A-SEARCH-IS-CLOSED-AT-THE-SELLER")
async def test_interrupted_search_is_closed_at_its_seller(shop):
    async def search(source):
        async with aclosing(source.search(shop.query, "ada")) as parts:
            async for _ in parts:
                raise AssertionError("nothing was let through")

    shop.hold_searches()
    async with shop.open() as process:
        searching = asyncio.get_running_loop().create_task(search(process.source))
        await shop.searching()
        searching.cancel()
        await asyncio.wait([searching])
        await shop.closed()
        assert searching.cancelled()
        assert shop.searches == 1


@pytest.mark.requirement("SEARCHES-GO-ON")
async def test_search_that_the_next_task_adopts_asks_no_seller_again(shop):
    shop.hold_searches()
    bench = await Bench().open()
    async with shop.open() as process:
        tool, key = process.tool, call_key(process.tool.name, shop.query)
        tasks = [await bench.context(turn) for turn in (1, 2, 3)]

        def searched(task):
            return bench.owner.spawn(bench.ledger.call(task, shop.kind, tool, shop.query), name="node")

        def found(task):
            return task.partial_results.to_json().get(shop.kind, [])

        node = searched(tasks[0])
        await shop.searching()
        shop.release()
        await until(lambda: found(tasks[0]))
        asked = shop.searches
        await bench.interrupt(tasks[0], "superseded", node)
        assert bench.ledger.adopt_reads(tasks[1], [key])
        assert found(tasks[1]) == found(tasks[0])
        node = searched(tasks[1])
        shop.release_all()
        assert (await node).outcome == "completed"
        assert len(found(tasks[1])) > len(found(tasks[0]))
        assert (await searched(tasks[2])).outcome == "completed"  # a fresh one, shown again
        assert len(found(tasks[2])) == len(found(tasks[1]))
        assert shop.searches == asked
        await bench.end(tasks[0])


async def test_search_that_finds_more_than_is_taken_is_cut_there_and_closed(shop, monkeypatch):
    monkeypatch.setattr("backend.travel.tools.search.MOST_OF_A_SOURCE", 1)
    shop.hold_searches()
    bench = await Bench().open()
    async with shop.open() as process:
        task = await bench.context()
        call = bench.ledger.call(task, shop.kind, process.tool, shop.query)
        node = bench.owner.spawn(call, name="node")
        while not node.done():
            await until(lambda: shop.is_searching or node.done())
            shop.release()
            await asyncio.sleep(0)
        ended = await node
        sources = [each["source"] for each in task.partial_results.to_json()[shop.kind]]
        assert sorted(ended.result["cut_short"]) == sorted(sources)
        assert len(sources) == len({*sources})
        await shop.closed()


# --- booking -------------------------------------------------------------------------------------------


@pytest.mark.requirement("BOOKED-AT-MOST-ONCE", "BOOKED-ONCE-AT-A-SELLER", "CANCELLED-BY-ITS-QUOTE")
async def test_what_is_quoted_is_booked_read_and_cancelled_once_each(shop):
    async with shop.open() as process:
        bookings, order = process.bookings, await shop.order(process)
        quoted = await bookings.offer("ada", choice_of(order.offer), seen_of(order.offer))
        assert quoted.price_total == order.offer.price_total
        assert shop.account() == []
        booking = await bookings.book("ada", "call-1", order)
        assert (booking.state, booking.live, booking.offer) == ("booked", False, order.offer)
        assert await bookings.book("ada", "call-1", order) == booking
        assert await bookings.booking("ada", booking.reference) == booking
        assert [*await bookings.bookings("ada")] == [booking]
        assert await bookings.outcome_of("ada", "call-1") == booking
        assert (shop.account(), shop.sent()) == (["booked"], 1)
        quote = await bookings.cancellation("ada", booking.reference)
        assert shop.account() == ["booked"]
        cancelled = await bookings.cancel("ada", "call-2", quote)
        assert (cancelled.state, cancelled.refund) == ("cancelled", quote.refund)
        assert cancelled.reference == booking.reference
        assert await bookings.cancel("ada", "call-2", quote) == cancelled
        with pytest.raises(BookingRefused):
            await bookings.cancel("ada", "call-3", quote)
        with pytest.raises(BookingRefused, match="cancelled already"):
            await bookings.cancellation("ada", booking.reference)
        assert (shop.account(), shop.sent()) == (["cancelled"], 2)


def seen_of(offer):
    """An offer as it was seen, where its seller knows it by an id of its own."""
    return offer if offer.terms is not None else None


@pytest.mark.requirement("A-HOLD-IS-PAID-BY-A-SECOND-PERMISSION")
async def test_hold_is_paid_at_its_price_or_refused_where_nothing_is_held(shop):
    async with shop.open() as process:
        bookings, order = process.bookings, await shop.order(process)
        if not shop.holds:
            with pytest.raises(BookingRefused, match="at once"):
                await bookings.hold("ada", "call-1", order)
            assert (shop.account(), shop.sent()) == ([], 0)
            return
        held = await bookings.hold("ada", "call-1", order)
        assert (held.state, shop.account()) == ("held", ["held"])
        assert held.held_until > shop.now
        quoted = await bookings.offer("ada", choice_of(order.offer), seen_of(order.offer))
        assert quoted.price_total == order.offer.price_total
        paid = await bookings.book("ada", "call-2", order)
        assert (paid.reference, paid.state) == (held.reference, "booked")
        assert (shop.account(), shop.sent()) == (["booked"], 2)


@pytest.mark.requirement("BOOKED-AT-MOST-ONCE", "BOOKED-ONCE-AT-A-SELLER")
async def test_call_with_other_arguments_is_refused(shop):
    async with shop.open() as process:
        order = await shop.order(process)
        booking = await process.bookings.book("ada", "call-1", order)
        with pytest.raises(BookingRefused, match=r"other arguments|something else"):
            await process.bookings.book("ada", "call-1", replace(order, travellers=()))
        assert [*await process.bookings.bookings("ada")] == [booking]
        assert (shop.account(), shop.sent()) == (["booked"], 1)


@pytest.mark.requirement("BOOKED-AT-MOST-ONCE", "BOOKED-ONCE-AT-A-SELLER", "CANCELLED-BY-ITS-QUOTE")
@pytest.mark.parametrize("write", ["book", "pay", "cancel"])
async def test_lost_answer_is_settled_by_asking_and_nothing_is_sent_again(shop, write):
    async with shop.open() as process:
        bookings, order, before = process.bookings, await shop.order(process), []
        quote = None
        if write == "book" or (write == "pay" and not shop.holds):
            write, make = "book", lambda: bookings.book("ada", "call-2", order)
        elif write == "pay":
            before = [await bookings.hold("ada", "call-1", order)]
            make = lambda: bookings.book("ada", "call-2", order)  # noqa: E731
        else:
            before = [await bookings.book("ada", "call-1", order)]
            quote = await bookings.cancellation("ada", before[0].reference)
            make = lambda: bookings.cancel("ada", "call-2", quote)  # noqa: E731
        shop.lose(write, "after")
        with pytest.raises(OutcomeUnknown):
            await make()
        state, sent = "cancelled" if write == "cancel" else "booked", shop.sent()
        assert shop.account() == [state]
        settled = await bookings.outcome_of("ada", "call-2")
        assert (settled.state, settled.refund) == (state, quote.refund if quote else None)
        assert all(each.reference == settled.reference for each in before)
        assert await bookings.outcome_of("ada", "call-2") == await make() == settled
        assert [*await bookings.bookings("ada")] == [settled]
        assert (shop.account(), shop.sent()) == ([state], sent)


@pytest.mark.requirement("BOOKED-AT-MOST-ONCE", "BOOKED-ONCE-AT-A-SELLER")
async def test_request_that_never_arrived_is_void_once_that_is_told(shop):
    async with shop.open() as process:
        bookings, order = process.bookings, await shop.order(process)
        shop.lose("book", "before")
        with pytest.raises(OutcomeUnknown):
            await bookings.book("ada", "call-1", order)
        sent = shop.sent()
        try:
            told = await bookings.outcome_of("ada", "call-1")
        except ProviderError:
            shop.advance(LOST_FOR_GOOD)
            told = await bookings.outcome_of("ada", "call-1")
        assert told is None
        with pytest.raises(BookingRefused):
            await bookings.book("ada", "call-1", order)
        assert [*await bookings.bookings("ada")] == shop.account() == []
        assert shop.sent() <= max(sent, 1)


@pytest.mark.requirement("BOOKED-AT-MOST-ONCE", "BOOKED-ONCE-AT-A-SELLER")
async def test_call_that_was_never_made_is_void_once_that_is_told(shop):
    async with shop.open() as process:
        order = await shop.order(process)
        assert await process.bookings.outcome_of("ada", "call-1") is None
        with pytest.raises(BookingRefused):
            await process.bookings.book("ada", "call-1", order)
        assert (shop.account(), await process.bookings.outcome_of("ada", "call-1")) == ([], None)


@pytest.mark.requirement("BOOKED-AT-MOST-ONCE", "BOOKED-ONCE-AT-A-SELLER")
async def test_caller_who_is_cancelled_leaves_a_whole_booking_or_none(shop):
    async with shop.open() as process:
        order, gate = await shop.order(process), shop.stop("book")
        call = asyncio.get_running_loop().create_task(process.bookings.book("ada", "call-1", order))
        await gate.arrived()
        call.cancel()
        await asyncio.sleep(0)
        gate.open()
        told = await until(lambda: outcome(process, "call-1"))
        assert shop.account() == ["booked"] * (told != [None])
        assert [*await process.bookings.bookings("ada")] == [each for each in told if each]


async def outcome(process, call_id):
    """What a call came to, in a list; nothing as long as that is not known."""
    try:
        return [await process.bookings.outcome_of("ada", call_id)]
    except ProviderError:
        return None


@pytest.mark.requirement("A-MOVED-PRICE-IS-ASKED-ANEW")
async def test_price_that_moved_is_told_and_books_nothing(shop):
    async with shop.open() as process:
        bookings, order = process.bookings, await shop.order(process)
        seen = order.offer
        shop.move_price(seen)
        with pytest.raises(QuoteChanged) as refused:
            await bookings.book("ada", "call-1", order)
        now = await bookings.offer("ada", choice_of(seen), seen_of(seen))
        assert now.price_total.amount != seen.price_total.amount
        assert str(now.price_total) in refused.value.message
        assert str(seen.price_total) in refused.value.message
        assert (shop.account(), await bookings.outcome_of("ada", "call-1")) == ([], None)
        booking = await bookings.book("ada", "call-2", replace(order, offer=now))
        assert booking.offer.price_total == now.price_total
        assert shop.account() == ["booked"]


async def test_offer_that_is_over_is_told_and_books_nothing(shop):
    async with shop.open() as process:
        order = await shop.order(process)
        shop.expire(order.offer)
        with pytest.raises(NotOnSale):
            await process.bookings.offer("ada", choice_of(order.offer), seen_of(order.offer))
        with pytest.raises(NotOnSale):
            await process.bookings.book("ada", "call-1", order)
        assert (shop.account(), shop.sent()) == ([], 0)


@pytest.mark.requirement("BOOKINGS-ARE-ONES-OWN")
async def test_unknown_booking_and_that_of_another_user_look_the_same(shop):
    async with shop.open() as process:
        booking = await process.bookings.book("ada", "call-1", await shop.order(process))
        quote, told = await process.bookings.cancellation("ada", booking.reference), set()
        for reference in (booking.reference, booking.reference[:-6] + "222222"):
            for attempt in (
                process.bookings.booking("bob", reference),
                process.bookings.cancellation("bob", reference),
                process.bookings.cancel("bob", "call-2", replace(quote, reference=reference)),
            ):
                with pytest.raises(NotFound) as error:
                    await attempt
                told.add(error.value.message.replace(reference, ""))
        assert len(told) == 1
        assert [*await process.bookings.bookings("bob")] == []
        assert shop.account() == ["booked"]


@pytest.mark.requirement("DELETE-FORGETS")
async def test_deleted_user_leaves_no_trace_and_others_keep_theirs(shop):
    async with shop.open() as process:
        booking = await process.bookings.book("ada", "call-1", await shop.order(process))
        kept = await process.bookings.book("bob", "call-1", Order(offer=await shop.offer(process)))
        await process.bookings.forget("ada")
        assert await process.travellers.known("ada") == ()
        assert [*await process.bookings.bookings("ada")] == []
        with pytest.raises(NotFound):
            await process.bookings.booking("ada", booking.reference)
        assert [*await process.bookings.bookings("bob")] == [kept]
        assert await process.bookings.outcome_of("bob", "call-1") == kept
    assert b"Ada Byron" not in shop.path.read_bytes()


async def test_next_process_has_the_same_bookings_and_the_same_calls(shop):
    async with shop.open() as process:
        order = await shop.order(process)
        booking = await process.bookings.book("ada", "call-1", order)
    async with shop.open() as process:
        assert [*await process.bookings.bookings("ada")] == [booking]
        assert await process.bookings.outcome_of("ada", "call-1") == booking
        assert await process.bookings.book("ada", "call-1", order) == booking
        assert (shop.account(), shop.sent()) == (["booked"], 1)
