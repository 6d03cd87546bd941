"""Bookings in the file: each call is one transaction of the file's thread."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import apsw

from ....domain.errors import BookingRefused
from ...values.booking import Booking
from . import booking_records as records
from .booking_file import BookingFile
from .booking_store import Call
from .selling import SOLD_OUT, Place, Sale


class FileBookings:
    """Implements `BookingStore` over the file at `path`.

    The file is opened or created at once, which blocks for milliseconds, and raises `StoreUnavailable`;
    without a path, all is forgotten with the process. Use from one thread.
    """

    def __init__(self, path: Path | None) -> None:
        self.file = BookingFile(path)
        # What searches go by; the file's own thread puts a new list here with each change.
        self._claims = self.file.read_at_first(records.all_claims)

    async def standing(self, user_id: str, sale: Sale, *, at: datetime) -> tuple[Booking | None, bool]:
        """Return what a user holds of something at a moment, and whether there is room for it once more."""
        return await self.file.transact(
            lambda connection: (
                records.held(connection, user_id, subject=sale.subject, at=at),
                records.has_room(connection, sale.claims, at=at),
            )
        )

    async def taken(self, places: Iterable[Place], *, at: datetime) -> Mapping[Place, int]:
        """Return how many of all places are taken, by what is in memory."""
        moment, taken = at.timestamp(), dict[Place, int]()
        for place, count, until in self._claims:
            if until > moment:
                taken[place] = taken.get(place, 0) + count
        return taken

    async def booking(self, user_id: str, reference: str, *, at: datetime) -> Booking:
        """Return a booking of a user at a moment. Raises `NotFound`."""
        return await self.file.transact(
            lambda connection: records.a_booking(connection, user_id, reference, at=at)
        )

    async def bookings(self, user_id: str, *, at: datetime) -> Sequence[Booking]:
        """Return a user's bookings at a moment, the oldest first."""
        return await self.file.transact(lambda connection: records.bookings_of(connection, user_id, at=at))

    async def done_before(self, call: Call) -> Booking | None:
        """Return what a call came to if it was made before. Raises `BookingRefused`."""
        return await self.file.transact(lambda connection: records.done_before(connection, call))

    async def outcome_of(self, user_id: str, call_id: str) -> Booking | None:
        """Return what a call came to; None where it was not done, and from then on is refused."""
        return await self.file.transact(lambda connection: records.outcome_of(connection, user_id, call_id))

    async def order(
        self, call: Call, sale: Sale, decide: Callable[[Booking | None], Booking], *, at: datetime
    ) -> Booking:
        """Keep what `decide` makes of what the user holds. Raises `BookingRefused`, and what it raises."""

        def ordered(connection: apsw.Connection) -> Booking:
            kept = records.held(connection, call.user_id, subject=sale.subject, at=at)
            booking = decide(kept)
            if kept is None:
                while not records.is_free(connection, booking.reference):
                    booking = decide(None)
                records.add(connection, call.user_id, booking, subject=sale.subject, claims=sale.claims)
            elif booking is not kept:
                records.change(connection, booking)
                # By another clock the hold may be over, and its seat sold.
                if not records.has_room(connection, [each._replace(places=0) for each in sale.claims], at=at):
                    raise BookingRefused(SOLD_OUT)
            return booking

        return await self._once(call, ordered)

    async def change(
        self, call: Call, reference: str, decide: Callable[[Booking], Booking], *, at: datetime
    ) -> Booking:
        """Keep what `decide` makes of a booking. Raises `NotFound`, and what it raises."""

        def changed(connection: apsw.Connection) -> Booking:
            booking = decide(records.a_booking(connection, call.user_id, reference, at=at))
            records.change(connection, booking)
            return booking

        return await self._once(call, changed)

    async def forget(self, user_id: str) -> None:
        """Delete all of a user; what is forgotten is overwritten in the file."""

        def forget(connection: apsw.Connection) -> None:
            records.forget(connection, user_id)
            self._claims = records.all_claims(connection)

        await self.file.transact(forget)

    async def close(self) -> None:
        """Do what was handed over, then close the file. Blocks until then."""
        self.file.close()

    async def _once(self, call: Call, do: Callable[[apsw.Connection], Booking]) -> Booking:
        def once(connection: apsw.Connection) -> Booking:
            booking = records.done_before(connection, call)  # the same call may be under way twice
            if booking is None:
                booking = do(connection)
                records.record_call(connection, call, booking)
                self._claims = records.all_claims(connection)
            return booking

        return await self.file.transact(once)
