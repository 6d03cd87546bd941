"""A process that is killed while it books: each of its calls is there whole or not at all, and never twice.

Proved by a planted bug: with a commit between a booking and its call, a killed run leaves bookings that no
call made.
"""

import asyncio
import sqlite3
import subprocess
import sys
from collections import Counter

import pytest

from backend.travel.providers.demo.bookings import sale_of
from backend.travel.values.booking import Order, choice_of
from tests.conventions import ROOT
from tests.providers.booking_office import an_office
from tests.providers.killed_booker import USERS
from tests.providers.markets import TODAY


@pytest.mark.requirement("A-KILLED-BOOKING-IS-WHOLE", "BOOKED-AT-MOST-ONCE")
def test_kill_before_any_statement_leaves_each_call_whole_or_never_made(inventory, inventory_path, tmp_path):
    killed = [sys.executable, "-m", "tests.providers.killed_booker", str(tmp_path), str(inventory_path)]
    said = subprocess.run(killed, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout.decode()
    runs = {}
    for call, outcome in map(str.split, said.splitlines()):
        runs.setdefault(call.partition("-")[0], {}).setdefault(call, []).append(outcome)
    assert len(runs) > 20
    for run, told in runs.items():
        with an_office(tmp_path / f"{run}.sqlite", inventory) as office:
            asyncio.run(check(office, told))


async def check(office, told):
    listed = {user_id: await office.bookings.bookings(user_id) for user_id in USERS}
    there = {booking.reference: booking for bookings in listed.values() for booking in bookings}
    assert len(there) == sum(map(len, listed.values()))
    made = set()
    for call, outcomes in told.items():
        user_id = call.split("-")[1]
        booking = await office.bookings.outcome_of(user_id, call)
        if outcomes[-1] == "refused":
            assert booking is None
        elif outcomes[-1] != "sent":
            assert booking is not None, "what was told is there"
            assert booking.reference == outcomes[-1]
        if booking is None:
            continue
        assert there[booking.reference] in listed[user_id]
        if booking.state == "cancelled":
            assert there[booking.reference].state == "cancelled"
        elif booking.state == "booked" and booking.held_until is None:
            assert booking.reference not in made, "no two calls made one booking"
            assert await office.bookings.book(user_id, call, Order(offer=booking.offer)) == booking
        made.add(booking.reference)
    assert set(there) == made, "nothing is there that no call made"
    assert claimed(office) == expected(there.values(), office)


def expected(bookings, office):
    claims = Counter()
    for booking in bookings:
        if booking.state in ("booked", "held"):
            for claim in sale_of(choice_of(booking.offer), office.inventory, today=TODAY).claims:
                claims[claim.item, claim.day] += claim.places
                assert claims[claim.item, claim.day] <= claim.of
    return claims


def claimed(office):
    path = office.bookings.database._connection.filename
    with sqlite3.connect(path) as file:
        rows = file.execute("SELECT item, day, sum(count) FROM claims GROUP BY item, day").fetchall()
    file.close()
    return Counter({(item, day): count for item, day, count in rows})
