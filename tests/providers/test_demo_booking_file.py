"""The file of the demo's bookings: full, none, of something else, and what is in it of who was forgotten."""

from dataclasses import replace

import pytest

from backend.domain.errors import ProviderError, StoreUnavailable
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
    file = office.bookings._store.file._connection
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
