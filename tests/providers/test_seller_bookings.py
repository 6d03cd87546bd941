"""Flights of Duffel, held, booked, paid and cancelled over its stand-in, whose account is the judge."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from pydantic import SecretStr

from backend.domain.errors import (
    BookingRefused,
    NotOnSale,
    OutcomeUnknown,
    ProviderError,
    QuoteChanged,
)
from backend.store.postgres.store import PostgresStateStore
from backend.tasks.task_owner import TaskOwner
from backend.travel.providers.begun_searches import BegunSearches
from backend.travel.providers.booking_database import PostgresBookings, SqliteBookings
from backend.travel.providers.seller_bookings import SellerBookings
from backend.travel.providers.travellers import Traveller, Travellers
from backend.travel.values.booking import Order, choice_of
from backend.travel.values.travel import Money
from tests.fakes.duffel import Duffel
from tests.fakes.duffel_offers import Flight
from tests.fakes.service import Alter, Drop, Hold, Refuse
from tests.fakes.waiting import Gate
from tests.providers.sellers import FLIGHTS, searched, sellers_of

ORDER, PAY, QUOTE = "POST /air/orders", "POST /air/payments", "POST /air/order_cancellations"
CONFIRM = "POST /air/order_cancellations/{id}/actions/confirm"

ADA = Traveller(
    title="ms", given_name="Ada", family_name="Byron", gender="f", born_on=date(1987, 7, 24),
    email="ada@example.com", phone="+442080160509",
)  # fmt: skip
BOB = replace(ADA, title="mr", given_name="Bob", gender="m")


class Office:
    """The bookings of one server process at Duffel."""

    def __init__(self, bookings, travellers, found):
        self.bookings, self.travellers, self.later = bookings, travellers, timedelta(0)
        self.offer = found.offers[0] if found.offers else None

    @property
    def order(self):
        return Order(offer=self.offer, travellers=("Ada Byron", "Bob Byron"))


@asynccontextmanager
async def office(duffel, path=None, flight=None, database=None):
    """Yield an office that has found a flight, and knows who travels."""
    if flight is not None:
        duffel.script("BER", "TYO", [[flight]])
    async with sellers_of(duffel) as sellers:
        database = database or SqliteBookings(path)
        travellers = Travellers(database)
        await travellers.keep("ada", [ADA, BOB])
        made = Office(None, travellers, await searched(sellers.flights, FLIGHTS))
        clock = lambda: datetime.now(UTC) + made.later  # noqa: E731, TID251
        made.bookings = SellerBookings(sellers.desks, database, travellers, owner=TaskOwner(), clock=clock)
        yield made
        await database.close()


@pytest.mark.requirement("BOOKED-ONCE-AT-A-SELLER")
async def test_flight_is_booked_paid_and_listed():
    async with Duffel() as duffel, office(duffel, flight=Flight("221.78")) as ada:
        booking = await ada.bookings.book("ada", "call-1", ada.order)
        (order,) = duffel.orders.values()
        assert booking.seller_reference == order["booking_reference"]
        assert (booking.state, booking.live, booking.reference[:4]) == ("booked", False, "FLY-")
        assert order["payment_status"]["paid_at"]
        assert [person["given_name"] for person in order["passengers"]] == ["Ada", "Bob"]


@pytest.mark.requirement("A-HOLD-IS-PAID-BY-A-SECOND-PERMISSION")
async def test_hold_costs_nothing_and_is_paid_at_its_price():
    async with Duffel() as duffel, office(duffel, flight=Flight("221.78")) as ada:
        before = duffel.balance
        held = await ada.bookings.hold("ada", "call-1", ada.order)
        assert (held.state, held.held_until, duffel.balance) == ("held", ada.offer.terms.held_until, before)
        quoted = await ada.bookings.offer("ada", choice_of(ada.offer), ada.offer)
        assert quoted.terms.expires_at == held.held_until
        paid = await ada.bookings.book("ada", "call-2", replace(ada.order, offer=quoted))
        assert (paid.reference, paid.state) == (held.reference, "booked")
        assert before - duffel.balance == Decimal("221.78")
        assert len(duffel.orders) == len(duffel.payments) == 1


async def test_hold_that_has_ended_is_told_so():
    async with Duffel() as duffel, office(duffel) as ada:
        held = await ada.bookings.hold("ada", "call-1", ada.order)
        ada.later = timedelta(days=3)
        assert (await ada.bookings.booking("ada", held.reference)).state == "expired"
        with pytest.raises(BookingRefused, match="expired"):
            await ada.bookings.cancellation("ada", held.reference)


@pytest.mark.requirement("BOOKED-ONCE-AT-A-SELLER")
@pytest.mark.parametrize("fault", [Refuse(500, when="after"), Alter(lambda _: b"{"), Refuse(504)])
async def test_order_without_an_answer_is_asked_about_and_not_sent_again(fault):
    async with Duffel() as duffel, office(duffel) as ada:
        duffel.fault(ORDER, fault)
        with pytest.raises(OutcomeUnknown):
            await ada.bookings.book("ada", "call-1", ada.order)
        if fault == Refuse(504):
            with pytest.raises(ProviderError, match="cannot tell yet"):
                await ada.bookings.outcome_of("ada", "call-1")
            ada.later = timedelta(hours=25)
            assert await ada.bookings.outcome_of("ada", "call-1") is None
        else:
            booking = await ada.bookings.outcome_of("ada", "call-1")
            assert booking is not None
            assert booking.state == "booked"
            assert await ada.bookings.outcome_of("ada", "call-1") == booking
        assert len(duffel.asked_for(ORDER)) == 1


@pytest.mark.requirement("BOOKED-ONCE-AT-A-SELLER")
@pytest.mark.parametrize("created", [True, False])
async def test_order_that_duffel_has_only_accepted_stays_unknown_until_it_is_there(created):
    async with Duffel() as duffel, office(duffel) as ada:
        duffel.next_order(202)
        with pytest.raises(OutcomeUnknown):
            await ada.bookings.book("ada", "call-1", ada.order)
        with pytest.raises(ProviderError):
            await ada.bookings.outcome_of("ada", "call-1")
        duffel.settle(created=created)
        if created:
            assert (await ada.bookings.outcome_of("ada", "call-1")).state == "booked"
        else:
            with pytest.raises(ProviderError):
                await ada.bookings.outcome_of("ada", "call-1")
        assert len(duffel.asked_for(ORDER)) == 1


@pytest.mark.requirement("BOOKED-ONCE-AT-A-SELLER")
async def test_process_that_died_on_its_way_leaves_an_order_that_the_next_one_finds(tmp_path):
    path, gate = tmp_path / "bookings.sqlite", Gate()
    async with Duffel() as duffel:
        async with office(duffel, path) as died, asyncio.TaskGroup() as group:
            duffel.fault(ORDER, Hold(gate, when="after"))
            call = group.create_task(died.bookings.book("ada", "call-1", died.order))
            await gate.arrived()
            call.cancel()
            with pytest.raises(ProviderError, match="on its way still"):
                await died.bookings.outcome_of("ada", "call-1")
            # The next process opens the file as the first one has left it.
            (tmp_path / "left.sqlite").write_bytes(path.read_bytes())
            gate.open()
        async with office(duffel, tmp_path / "left.sqlite") as ada:
            booking = await ada.bookings.outcome_of("ada", "call-1")
            assert (booking.state, booking.travellers) == ("booked", ("Ada Byron", "Bob Byron"))
        assert len(duffel.asked_for(ORDER)) == len(duffel.orders) == 1


async def test_cancelled_caller_does_not_undo_the_order():
    gate = Gate()
    async with Duffel() as duffel, office(duffel) as ada, asyncio.TaskGroup() as group:
        duffel.fault(ORDER, Hold(gate))
        call = group.create_task(ada.bookings.book("ada", "call-1", ada.order))
        await gate.arrived()
        call.cancel()
        gate.open()
        await duffel.settled()
        await until_known(ada, "call-1")
        assert len(await ada.bookings.bookings("ada")) == len(duffel.orders) == 1


async def until_known(ada, call_id):
    async with asyncio.timeout(60):
        while True:
            try:
                return await ada.bookings.outcome_of("ada", call_id)
            except ProviderError:
                await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("fault", "error", "told"),
    [
        (Refuse(422, "insufficient_balance"), BookingRefused, "The balance at Duffel does not suffice."),
        (Refuse(422, "invalid_passenger_name"), BookingRefused, "does not accept a traveller's name"),
        (Refuse(422, "offer_no_longer_available"), NotOnSale, "no longer sold"),
        (Refuse(503), BookingRefused, "Nothing was booked."),
        (Refuse(429, reset_s=5), BookingRefused, "Nothing was booked."),
        (Refuse(422, "something_new"), BookingRefused, "Duffel refused the request. Nothing was booked."),
    ],
)
async def test_refusal_is_told_in_a_sentence_of_ours_and_books_nothing(fault, error, told):
    async with Duffel() as duffel, office(duffel) as ada:
        duffel.fault(ORDER, fault)
        with pytest.raises(error, match=told):
            await ada.bookings.book("ada", "call-1", ada.order)
        assert await ada.bookings.outcome_of("ada", "call-1") is None
        assert not duffel.orders


async def test_offer_that_is_gone_or_has_ended_is_not_on_sale():
    async with Duffel() as duffel, office(duffel) as ada:
        duffel.withdraw(ada.offer.offer_id)
        with pytest.raises(NotOnSale, match="no longer sold"):
            await ada.bookings.offer("ada", choice_of(ada.offer), ada.offer)


async def test_nobody_is_booked_of_whom_nothing_is_known():
    async with Duffel() as duffel, office(duffel) as ada:
        await ada.travellers.keep("ada", [ADA])
        with pytest.raises(BookingRefused, match="Who travels is not known"):
            await ada.bookings.book("ada", "call-1", ada.order)
        assert not duffel.asked_for(ORDER)


@pytest.mark.requirement("CANCELLED-BY-ITS-QUOTE")
async def test_booking_is_cancelled_for_what_was_quoted():
    async with Duffel() as duffel, office(duffel, flight=Flight("221.78", refund="40.00")) as ada:
        booking = await ada.bookings.book("ada", "call-1", ada.order)
        quote = await ada.bookings.cancellation("ada", booking.reference)
        assert quote.refund == Money(amount=Decimal("181.78"), currency="EUR")
        (order,) = duffel.orders.values()
        assert order["cancelled_at"] is None
        other = replace(quote, refund=Money(amount=Decimal(200), currency="EUR"))
        with pytest.raises(QuoteChanged, match="nothing was cancelled"):
            await ada.bookings.cancel("ada", "call-2", other)
        assert order["cancelled_at"] is None
        cancelled = await ada.bookings.cancel("ada", "call-3", quote)
        assert (cancelled.state, cancelled.refund) == ("cancelled", quote.refund)
        assert order["cancelled_at"]
        assert await ada.bookings.outcome_of("ada", "call-3") == cancelled
        with pytest.raises(BookingRefused, match="cancelled already"):
            await ada.bookings.cancellation("ada", booking.reference)


@pytest.mark.requirement("BOOKED-ONCE-AT-A-SELLER")
async def test_order_that_cannot_be_written_down_is_not_sent():
    async with Duffel() as duffel, office(duffel) as ada:
        write = ada.bookings._database.write

        async def full(steps):
            raise ProviderError("The file of bookings could not take it: disk full.")

        ada.bookings._database.write = full
        with pytest.raises(BookingRefused, match="nothing was sent"):
            await ada.bookings.book("ada", "call-1", ada.order)
        ada.bookings._database.write = write
        assert not duffel.asked_for(ORDER)
        assert await ada.bookings.outcome_of("ada", "call-1") is None


async def test_user_who_is_deleted_in_the_middle_of_an_order_does_not_come_back():
    gate = Gate()
    async with Duffel() as duffel, office(duffel) as ada, asyncio.TaskGroup() as group:
        duffel.fault(ORDER, Hold(gate))
        call = group.create_task(ada.bookings.book("ada", "call-1", ada.order))
        await gate.arrived()
        await ada.bookings.forget("ada")
        gate.open()
        await call
        assert await ada.bookings.bookings("ada") == []


async def test_booking_outlives_the_key_and_says_that_it_is_gone(tmp_path):
    path = tmp_path / "bookings.sqlite"
    async with Duffel() as duffel, office(duffel, path) as ada:
        booking = await ada.bookings.book("ada", "call-1", ada.order)
        duffel.fault(CONFIRM, Drop("after"))
        quote = await ada.bookings.cancellation("ada", booking.reference)
        with pytest.raises(OutcomeUnknown):
            await ada.bookings.cancel("ada", "call-2", quote)
        ada.bookings._desks = {}
        assert await ada.bookings.bookings("ada") == [booking]
        for asked in (
            ada.bookings.cancellation("ada", booking.reference),
            ada.bookings.outcome_of("ada", "call-2"),
            ada.bookings.offer("ada", choice_of(ada.offer), ada.offer),
        ):
            with pytest.raises(ProviderError, match="has no key for duffel any more"):
                await asked


@pytest.mark.postgres
@pytest.mark.requirement("BOOKED-ONCE-AT-A-SELLER")
async def test_any_replica_settles_an_order_and_its_search_in_postgresql(booking_database):
    owner = TaskOwner()
    replicas = [PostgresBookings(PostgresStateStore(booking_database, owner.spawn)) for _ in range(2)]
    async with Duffel() as duffel:
        async with office(duffel, database=replicas[0]) as first:
            duffel.fault(ORDER, Drop("after"))
            with pytest.raises(OutcomeUnknown):
                await first.bookings.book("ada", "call-1", first.order)
        async with office(duffel, database=replicas[1]) as second:
            booking = await second.bookings.outcome_of("ada", "call-1")
            assert booking.state == "booked"
            assert await second.bookings.bookings("ada") == [booking]
            quote = await second.bookings.cancellation("ada", booking.reference)
            assert (await second.bookings.cancel("ada", "call-2", quote)).state == "cancelled"
            begun = BegunSearches(replicas[1], lambda: NOW)
            await begun.begin("ada", FLIGHTS, "orq_1")
            assert await begun.take("ada", FLIGHTS) == "orq_1"
            assert await begun.take("ada", FLIGHTS) is None
            await second.bookings.forget("ada")
            assert await second.bookings.bookings("ada") == []
            assert await second.travellers.known("ada") == ()
    await owner.finish(grace_s=5)


NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.requirement("TRAVELLERS-ARE-KEPT-APART")
async def test_travellers_are_sealed_where_there_is_a_key(tmp_path):
    path, key = tmp_path / "bookings.sqlite", SecretStr("c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ=")
    database = SqliteBookings(path)
    await Travellers(database, key=key).keep("ada", [ADA])
    assert b"Byron" not in path.read_bytes()
    assert await Travellers(database, key=key).known("ada") == [ADA]
    assert "Byron" not in repr(ADA)
    for other in (None, SecretStr("b3RoZXItb3RoZXItb3RoZXItb3RoZXItb3RoZXItMTI=")):
        with pytest.raises(ProviderError, match="sealed"):
            await Travellers(database, key=other).known("ada")
    await database.close()
