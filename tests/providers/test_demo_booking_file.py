"""The file of the demo's bookings: full, none, of something else, and what is in it of who was forgotten."""

import contextlib
import sqlite3
from dataclasses import replace

import pytest

from backend.domain.errors import BookingRefused, ProviderError, StoreUnavailable
from backend.travel.values.booking import Order
from tests.providers.booking_office import THERE_AND_BACK, an_office


@pytest.fixture
def office(open_file_office):
    return open_file_office()


@pytest.mark.requirement("DELETE-FORGETS")
async def test_forgotten_user_leaves_nothing_in_the_file(open_file_office, tmp_path):
    office = open_file_office()
    order = replace(await office.flight(), travellers=("Xanthippe Quux",))
    await office.bookings.book("ann", "1", order)
    await office.bookings.book("bob", "b", office.stay())
    files = list(tmp_path.glob("bookings.sqlite*"))
    assert any(b"Xanthippe" in file.read_bytes() for file in files)
    await office.bookings.forget("ann")
    for file in files:
        assert not file.exists() or b"Xanthippe" not in file.read_bytes(), file.name


async def test_office_without_a_file_works_until_the_process_ends(inventory, tmp_path):
    with an_office(None, inventory) as office:
        order = await office.flight()
        booking = await office.bookings.book("ann", "1", order)
        assert await office.bookings.outcome_of("ann", "1") == booking
    with an_office(None, inventory) as office:
        assert await office.bookings.bookings("ann") == ()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.requirement("FULL-DISK-ACCEPTS-NOTHING")
async def test_full_disk_books_nothing_and_room_is_all_it_takes(office):
    file = office.bookings.database._connection
    file.pragma("max_page_count", file.pragma("page_count"))
    orders = [Order(offer=offer) for offer in await office.flights(THERE_AND_BACK)]
    made = []

    async def book_until_it_is_full():
        for call, order in enumerate(orders):
            made.append(await office.bookings.book("ann", str(call), order))

    with pytest.raises(ProviderError, match="could not take it"):
        await book_until_it_is_full()
    failed = len(made)
    assert await office.bookings.outcome_of("ann", str(failed)) is None
    assert list(await office.bookings.bookings("ann")) == made
    file.pragma("max_page_count", 1_000_000)
    made.append(await office.bookings.book("ann", "again", orders[failed]))
    assert list(await office.bookings.bookings("ann")) == made


def test_file_that_has_no_bookings_is_refused(open_file_office, tmp_path):
    (tmp_path / "bookings.sqlite").write_bytes(b"Dear reader, " * 1000)
    with pytest.raises(StoreUnavailable, match="cannot be opened"):
        open_file_office()


EARLIER = """
CREATE TABLE booking (reference TEXT PRIMARY KEY, user_id TEXT NOT NULL, subject TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('held', 'booked', 'cancelled')), made_at REAL NOT NULL,
    held_until REAL, document BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX booking_of_user ON booking (user_id, made_at);
CREATE TABLE claim (item TEXT, day INTEGER, reference TEXT NOT NULL, count INTEGER NOT NULL CHECK (count > 0),
    until REAL, PRIMARY KEY (item, day, reference)) WITHOUT ROWID;
CREATE INDEX claim_of_booking ON claim (reference);
CREATE TABLE call (user_id TEXT, call_id TEXT, arguments TEXT NOT NULL, document BLOB NOT NULL,
    PRIMARY KEY (user_id, call_id)) WITHOUT ROWID;
"""
"""The tables of the versions 1 and 2."""


@pytest.mark.parametrize("version", [1, 2])
async def test_bookings_in_a_file_of_an_earlier_version_are_kept(inventory, tmp_path, version):
    now, earlier = tmp_path / "now.sqlite", tmp_path / "earlier.sqlite"
    with an_office(now, inventory) as office:
        order = await office.flight()
        booking = await office.bookings.book("ann", "1", order)
        room = await office.sell_out(order)
    with contextlib.closing(sqlite3.connect(earlier)) as file:
        file.executescript(EARLIER)
        file.execute("ATTACH ? AS now", (str(now),))
        for table in ("booking", "claim", "call"):
            file.execute(f"INSERT INTO main.{table} SELECT * FROM now.{table}s")
        file.execute(f"PRAGMA user_version = {version}")
        file.commit()
    for _ in range(2):
        with an_office(earlier, inventory) as office:
            assert list(await office.bookings.bookings("ann")) == [booking]
            assert len(await office.bookings.bookings("crowd")) == room
            assert await office.bookings.book("ann", "1", order) == booking
            with pytest.raises(BookingRefused, match="sold out"):
                await office.bookings.book("bob", "1", order)


def test_file_of_a_later_version_is_refused(inventory, tmp_path):
    path = tmp_path / "bookings.sqlite"
    with an_office(path, inventory):
        pass
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA user_version = 5")
    with pytest.raises(StoreUnavailable, match="version 5, this program reads 1 to 4"):
        an_office(path, inventory).__enter__()
