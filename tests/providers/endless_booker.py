"""Books, holds and cancels without end in the folder that is given, telling before and after each call.

A line on standard output is a call id and what it came to: "sent" before it is made, then the reference.
"""

import asyncio
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from backend.domain.errors import BookingRefused, NotOnSale
from backend.travel.providers.demo.store import open_inventory
from backend.travel.values.booking import Order
from tests.providers.booking_office import STAY, THERE, an_office
from tests.providers.markets import SEED

USERS = ("ann", "bob", "cyd")


async def book_for_ever(office, started):
    flights = [
        offer
        for days in range(30)
        for offer in await office.flights(
            replace(THERE, departure_date=THERE.departure_date + timedelta(days=days))
        )
    ]
    offers = [*flights, *office.hotels(STAY)]

    async def book(user_id, shift):
        for number in range(10_000):
            call = f"{started}-{user_id}-{number}"
            order = Order(offer=offers[(number + shift) % len(offers)])
            make = office.bookings.hold if number % 3 == 1 and number % 2 else office.bookings.book
            booking = await told(call, make(user_id, call, order))
            if booking is not None and number % 4 == 3:
                quoted = await office.bookings.cancellation(user_id, booking.reference)
                await told(f"{call}c", office.bookings.cancel(user_id, f"{call}c", quoted))

    await asyncio.gather(*(book(user_id, 7 * shift) for shift, user_id in enumerate(USERS)))


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


if __name__ == "__main__":
    folder, inventory, started = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    with an_office(folder / "bookings.sqlite", open_inventory(inventory, seed=SEED)) as opened:
        asyncio.run(book_for_ever(opened, started))
