"""Books, holds and cancels in one process after the other, each of which kills itself one statement later.

The arguments are a folder, in which each has a file of its own, and the inventory. A line on standard output
is a call id and what it came to: "sent" before it is made, then the reference. It ends with the first process
that comes to its end.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from backend.domain.errors import BookingRefused, NotOnSale
from backend.travel.providers.demo.inventory import open_inventory
from backend.travel.values.booking import Order
from tests.providers.booking_office import THERE_AND_BACK, an_office
from tests.providers.markets import SEED

USERS = ("ann", "bob")


async def told(call, attempt):
    say(call, "sent")
    try:
        booking = await attempt
    except (BookingRefused, NotOnSale):
        say(call, "refused")
        return None
    say(call, booking.reference)
    return booking


def say(*words):
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


async def all_kinds_of_calls(office, run):
    offers = await office.flights(THERE_AND_BACK)
    first, second = Order(offer=offers[0]), Order(offer=offers[1])
    book, hold = office.bookings.book, office.bookings.hold
    booking = await told(f"{run}-ann-book", book("ann", f"{run}-ann-book", first))
    await told(f"{run}-bob-hold", hold("bob", f"{run}-bob-hold", second))
    await told(f"{run}-bob-book", book("bob", f"{run}-bob-book", second))
    quoted = await office.bookings.cancellation("ann", booking.reference)
    await told(f"{run}-ann-end", office.bookings.cancel("ann", f"{run}-ann-end", quoted))


def play(path, inventory, run):
    statements = 0

    def count(_cursor, _statement, _bindings):
        nonlocal statements
        statements += 1
        if statements == run + 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return True

    with an_office(path, inventory) as office:
        office.bookings.database._connection.exec_trace = count
        asyncio.run(all_kinds_of_calls(office, run))


if __name__ == "__main__":
    opened = open_inventory(Path(sys.argv[2]), seed=SEED)
    for each in range(1000):
        child = os.fork()
        if child == 0:
            play(Path(sys.argv[1]) / f"{each}.sqlite", opened, each)
            os._exit(0)
        if os.waitpid(child, 0)[1] == 0:
            break
