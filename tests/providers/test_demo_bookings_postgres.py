"""Bookings of several processes in one database: who waits for whom, and who freezes or is cut off.

Bookings are locked here by a transaction of the test's own, so that what waits for them stands still.
"""

import asyncio
import contextlib

import asyncpg
import pytest

from backend.domain.errors import BookingRefused, OutcomeUnknown, ProviderError, StoreUnavailable
from backend.migrate import migrate
from backend.store.postgres.store import PostgresStateStore
from backend.tasks.task_owner import TaskOwner
from backend.travel.providers.booking_database import PostgresBookings
from backend.travel.providers.demo.bookings import sale_of
from backend.travel.providers.demo.migrations import BOOKINGS
from backend.travel.values.booking import Order, choice_of
from tests.fakes import Gate
from tests.fakes.waiting import until
from tests.postgres import as_owner
from tests.providers.booking_office import THERE_AND_BACK, Office
from tests.providers.markets import TODAY

pytestmark = pytest.mark.postgres

BOUND_S = 30.0
SOLD_OUT = "That is sold out by now."


@pytest.fixture
async def connection(booking_database):
    """A connection beside those of the offices."""
    opened = await asyncpg.connect(as_owner(booking_database))
    yield opened
    await opened.close()


@contextlib.asynccontextmanager
async def locked(connection):
    """Let nobody book until this ends, as a booking does."""
    async with connection.transaction():
        await connection.execute("LOCK TABLE detour_demo.claims IN SHARE ROW EXCLUSIVE MODE")
        yield


def start(work):
    return asyncio.get_running_loop().create_task(work)


async def waiting(address, count=1):
    """Return once so many connections wait for a lock."""
    watching = await asyncpg.connect(as_owner(address))
    query = """SELECT count(*) >= $1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'"""
    await until(lambda: watching.fetchval(query, count))
    await watching.close()


def sale(office, order):
    return sale_of(choice_of(order.offer), office.inventory, today=TODAY)


async def all_but_one(office, order):
    """Sell all but the last."""
    for each in range(sale(office, order).claims[0].of - 1):
        await office.bookings.book("crowd", str(each), order)


def told(ended):
    """How many of these have booked, and what the others were told."""
    refused = [each for each in ended if isinstance(each, Exception)]
    return len(ended) - len(refused), {str(each) for each in refused}


@pytest.mark.requirement("THE-LAST-SEAT-ONCE")
async def test_last_seat_goes_to_one_of_twenty_buyers_at_two_replicas(
    open_postgres_office, booking_database, connection
):
    offices = [open_postgres_office(), open_postgres_office()]
    order = await offices[0].flight()
    await all_but_one(offices[0], order)
    async with locked(connection):
        buying = [
            start(offices[number % 2].bookings.book(f"user-{number}", "call", order)) for number in range(20)
        ]
        await waiting(booking_database, 2)
    assert told(await asyncio.gather(*buying, return_exceptions=True)) == (1, {SOLD_OUT})


@pytest.mark.requirement("BOOKED-AT-MOST-ONCE")
async def test_call_that_another_replica_carries_out_is_waited_for(
    open_postgres_office, booking_database, connection
):
    office, survivor = open_postgres_office(), open_postgres_office()
    order = await office.flight()
    async with locked(connection):
        buying = start(office.bookings.book("ann", "call", order))
        await waiting(booking_database)
        asking = start(survivor.bookings.outcome_of("ann", "call"))
        await waiting(booking_database, 2)
    assert await asking == await buying
    assert await survivor.bookings.book("ann", "call", order) == await buying
    assert len(await survivor.bookings.bookings("ann")) == 1


@pytest.mark.requirement("A-KILLED-BOOKING-IS-WHOLE")
async def test_booking_whose_connection_breaks_is_unknown_and_was_not_made(
    open_postgres_office, booking_database, connection
):
    office = open_postgres_office()
    order = await office.flight()
    async with locked(connection):
        buying = start(office.bookings.book("ann", "call", order))
        await waiting(booking_database)
        await connection.execute(
            """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'"""
        )
        with pytest.raises(OutcomeUnknown, match="cannot be told"):
            await buying
    assert await office.bookings.outcome_of("ann", "call") is None
    assert await office.bookings.bookings("ann") == ()
    assert await connection.fetchval("SELECT count(*) FROM detour_demo.claims") == 0
    with pytest.raises(BookingRefused, match="came after"):
        await office.bookings.book("ann", "call", order)


async def test_process_that_freezes_while_booking_delays_others_only_briefly(
    open_postgres_office,
):
    office, other = open_postgres_office(), open_postgres_office()
    order = await office.flight()
    gate = Gate()

    async def freeze(connection):
        assert await connection.fetchval("SHOW idle_in_transaction_session_timeout") == "5s"
        await connection.execute("SET LOCAL idle_in_transaction_session_timeout = 1")  # the bound is over
        await gate.wait()
        await connection.execute("SELECT")

    freezing = start(office.bookings.database._transact(freeze))
    await asyncio.wait({freezing, start(gate.arrived(1))}, return_when=asyncio.FIRST_COMPLETED)
    assert not freezing.done()
    assert (await other.bookings.book("bob", "call", order)).state == "booked"
    gate.open()
    with pytest.raises(OutcomeUnknown):
        await freezing


async def test_offer_that_is_sold_out_at_one_replica_is_not_found_at_another(open_postgres_office):
    office, other = open_postgres_office(), open_postgres_office()
    order = await office.flight()
    offers = [order.offer, *await office.flights(THERE_AND_BACK)]
    assert list(await other.bookings.with_room(offers)) == offers
    await all_but_one(office, order)
    assert list(await other.bookings.with_room([order.offer])) == [order.offer]
    await office.sell_out(order)
    assert list(await other.bookings.with_room(offers)) == [
        each for each in offers if sale(office, order).claims[0] not in sale(office, Order(offer=each)).claims
    ]


@pytest.mark.requirement("DELETE-FORGETS")
async def test_forgotten_user_is_in_no_table(open_postgres_office, connection):
    office = open_postgres_office()
    await office.bookings.hold("ann", "h", await office.flight())
    booking = await office.bookings.book("ann", "b", office.stay())
    quoted = await office.bookings.cancellation("ann", booking.reference)
    await office.bookings.cancel("ann", "c", quoted)
    await office.bookings.outcome_of("ann", "never")
    await office.bookings.book("bob", "b", office.stay())

    async def rows(table):
        return await connection.fetchval(f"SELECT count(*) FROM detour_demo.{table}")

    before = {table: await rows(table) for table in ("bookings", "claims", "calls")}
    await office.bookings.forget("ann")
    nights = len(sale(office, office.stay()).claims)
    assert {table: await rows(table) for table in before} == {"bookings": 1, "claims": nights, "calls": 1}
    assert before == {"bookings": 3, "claims": nights + 1, "calls": 5}


@pytest.mark.requirement("BACKUP-WHILE-SERVING")
async def test_dump_of_both_schemas_has_the_bookings(
    open_postgres_office, booking_database, postgres, inventory
):
    office = open_postgres_office()
    order = await office.flight()
    booking = await office.bookings.book("ann", "call", order)
    dump, restored = str(postgres.folder / "bookings.dump"), postgres.empty_database()
    # As docs/data.md tells.
    schemas = ("--schema=detour", "--schema=detour_demo")
    postgres.run("pg_dump", "--format=custom", *schemas, f"--file={dump}", as_owner(booking_database))
    postgres.run("pg_restore", "--exit-on-error", f"--dbname={restored}", dump)
    owner = TaskOwner()
    database = PostgresStateStore(restored, owner.spawn, apply_migrations=False, beside=[BOOKINGS])
    await database.open(lambda _user_id, _events: None)
    again = Office(PostgresBookings(database), inventory)
    assert await again.bookings.book("ann", "call", order) == booking
    assert await again.sell_out(order) == sale(office, order).claims[0].of - 1
    await again.bookings.close()
    await database.close()
    await owner.finish(grace_s=5)


async def test_database_without_the_tables_is_refused_where_migrations_are_not_applied(postgres):
    address, owner = postgres.empty_database(), TaskOwner()
    await migrate(address)
    database = PostgresStateStore(address, owner.spawn, apply_migrations=False, beside=[BOOKINGS])
    with pytest.raises(StoreUnavailable, match="lacks migrations"):
        await database.open(lambda _user_id, _events: None)
    await migrate(address, [BOOKINGS])
    await database.open(lambda _user_id, _events: None)
    await database.close()
    await owner.finish(grace_s=5)


async def test_unreachable_database_books_nothing_and_says_so(inventory, tmp_path):
    owner = TaskOwner()
    database = PostgresStateStore(f"postgresql://detour@/none?host={tmp_path}", owner.spawn)
    office = Office(PostgresBookings(database), inventory)
    order = await office.flight()
    for attempt in (
        office.bookings.book("ann", "call", order),
        office.bookings.outcome_of("ann", "call"),
        office.bookings.bookings("ann"),
        office.bookings.with_room([order.offer]),
    ):
        with pytest.raises(ProviderError, match="cannot be reached"):
            await attempt
    with pytest.raises(ProviderError):
        await office.bookings.forget("ann")
    await office.bookings.close()
    await owner.finish(grace_s=5)


async def test_server_may_change_rows_of_bookings_and_no_table(booking_database):
    server = await asyncpg.connect(booking_database)
    for statement in (
        "DROP TABLE detour_demo.claims",
        "CREATE TABLE detour_demo.more ()",
        "DELETE FROM detour_demo.migrations",
        "TRUNCATE detour_demo.bookings",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await server.execute(statement)
    await server.close()
