"""Bookings in PostgreSQL, which several processes share: the last seat is sold once by all of them together.

Whoever takes places locks their rows first, in one order, so that nobody waits in a circle; what is read
after that is what all before have committed. Each process does one thing after the other, on a connection
of its own.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

import asyncpg
import structlog

from ....domain.encoding import encode_exactly
from ....domain.errors import BookingRefused, NotFound, OutcomeUnknown, ProviderError, StoreUnavailable
from ....http.plugin import Database, Lane
from ...values.booking import Booking
from .booking_store import VOID, Call, booking_of, outcome
from .selling import SOLD_OUT, Claim, Place, Sale

_log = structlog.get_logger(__name__)

_BOUNDS = "SET LOCAL idle_in_transaction_session_timeout = '5s'"
"""The database ends a transaction whose process has frozen: others wait for its locks."""

_TAKEN = """
SELECT c.item, c.day, sum(c.count)
FROM detour_demo.claims c JOIN unnest($1::text[], $2::int[]) AS p (item, day) USING (item, day)
WHERE c.until IS NULL OR c.until > $3 GROUP BY c.item, c.day"""

_HELD = """
SELECT document FROM detour_demo.bookings
WHERE user_id = $1 AND subject = $2 AND state = 'held' AND held_until > $3
ORDER BY held_until DESC LIMIT 1"""

_BEGIN_CALL = """
INSERT INTO detour_demo.calls VALUES ($1, $2, $3, $4)
ON CONFLICT (user_id, call_id) DO UPDATE SET call_id = excluded.call_id
RETURNING arguments, document"""
"""Waits for a transaction that carries the same call out, and returns what is there then."""

_MAKE_PLACES = """
INSERT INTO detour_demo.places SELECT item, day FROM unnest($1::text[], $2::int[]) AS p (item, day)
ORDER BY item COLLATE "C", day ON CONFLICT DO NOTHING"""

_LOCK_PLACES = """
SELECT FROM detour_demo.places p JOIN unnest($1::text[], $2::int[]) AS w (item, day) USING (item, day)
ORDER BY p.item, p.day FOR UPDATE OF p"""

_ADD = """
INSERT INTO detour_demo.bookings VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
RETURNING reference"""

_CLAIM = """
INSERT INTO detour_demo.claims SELECT item, day, $4, count, $5
FROM unnest($1::text[], $2::int[], $3::int[]) AS c (item, day, count)"""

Connection = Any
T = TypeVar("T")


class PostgresBookings:
    """Implements `BookingStore` over a database with the tables of `migrations.BOOKINGS`.

    Its connection is made with the first call. Use from one event loop.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lane: Lane | None = None

    async def standing(self, user_id: str, sale: Sale, *, at: datetime) -> tuple[Booking | None, bool]:
        """Return what a user holds of something at a moment, and whether there is room for it once more."""

        async def read(connection: Connection) -> tuple[Booking | None, bool]:
            kept = await connection.fetchval(_HELD, user_id, sale.subject, at)
            taken = await _taken(connection, _places(sale.claims), at)
            return booking_of(kept) if kept else None, _has_room(sale.claims, taken)

        return await self._read(read)

    async def taken(self, places: Iterable[Place], *, at: datetime) -> Mapping[Place, int]:
        """Return how many of these places are taken at a moment."""
        asked = list(dict.fromkeys(places))
        return await self._read(lambda connection: _taken(connection, asked, at)) if asked else {}

    async def booking(self, user_id: str, reference: str, *, at: datetime) -> Booking:
        """Return a booking of a user at a moment. Raises `NotFound`."""
        return await self._read(lambda connection: _booking(connection, user_id, reference, at=at))

    async def bookings(self, user_id: str, *, at: datetime) -> Sequence[Booking]:
        """Return a user's bookings at a moment, the oldest first."""
        query = "SELECT document FROM detour_demo.bookings WHERE user_id = $1 ORDER BY made_at, reference"
        rows = await self._read(lambda connection: connection.fetch(query, user_id))
        return tuple(booking_of(row[0]).as_of(at) for row in rows)

    async def done_before(self, call: Call) -> Booking | None:
        """Return what a call came to if it was made before. Raises `BookingRefused`."""
        query = "SELECT arguments, document FROM detour_demo.calls WHERE user_id = $1 AND call_id = $2"
        row = await self._read(lambda connection: connection.fetchrow(query, call.user_id, call.call_id))
        return outcome(call, row[0], row[1]) if row else None

    async def outcome_of(self, user_id: str, call_id: str) -> Booking | None:
        """Return what a call came to; None where it was not done, and from then on is refused.

        The statement that looks also makes it void, so that no call can come between.
        """
        row = await self._read(lambda to: to.fetchrow(_BEGIN_CALL, user_id, call_id, "", VOID))
        return booking_of(row[1]) if row[1] != VOID else None

    async def order(
        self, call: Call, sale: Sale, decide: Callable[[Booking | None], Booking], *, at: datetime
    ) -> Booking:
        """Keep what `decide` makes of what the user holds. Raises `BookingRefused`, and what it raises."""

        async def ordered(connection: Connection) -> Booking:
            await _lock(connection, sale.claims)
            document = await connection.fetchval(f"{_HELD} FOR UPDATE", call.user_id, sale.subject, at)
            kept = booking_of(document) if document else None
            booking = decide(kept)
            if kept is None:
                while not await _added(connection, call.user_id, sale, booking):
                    booking = decide(None)
                items, days = zip(*_places(sale.claims), strict=True)
                counts = [each.places for each in sale.claims]
                await connection.execute(_CLAIM, items, days, counts, booking.reference, booking.held_until)
            elif booking is not kept:
                await _changed(connection, booking)
            # After it is written: by another clock a hold may be over that is booked here, and its seat sold.
            taken = await _taken(connection, _places(sale.claims), at)
            if not _has_room([each._replace(places=0) for each in sale.claims], taken):
                raise BookingRefused(SOLD_OUT)
            return booking

        return await self._once(call, ordered)

    async def change(
        self, call: Call, reference: str, decide: Callable[[Booking], Booking], *, at: datetime
    ) -> Booking:
        """Keep what `decide` makes of a booking. Raises `NotFound`, and what it raises."""

        async def changed(connection: Connection) -> Booking:
            booking = decide(await _booking(connection, call.user_id, reference, at=at, lock="FOR UPDATE"))
            await _changed(connection, booking)
            return booking

        return await self._once(call, changed)

    async def forget(self, user_id: str) -> None:
        """Delete all of a user, claims included."""

        async def forget(connection: Connection) -> None:
            # Calls first, as a call that is carried out locks them first: else the two could deadlock.
            await connection.execute("DELETE FROM detour_demo.calls WHERE user_id = $1", user_id)
            await connection.execute("DELETE FROM detour_demo.bookings WHERE user_id = $1", user_id)

        await self._write(forget)

    async def close(self) -> None:
        """Do what was handed over, then close the connection."""
        if self._lane is not None:
            await self._lane.close()

    # --- transactions --------------------------------------------------------------------------------

    async def _once(self, call: Call, do: Callable[[Connection], Awaitable[Booking]]) -> Booking:
        """Carry a call out, unless it was made before: then return what it came to."""

        async def once(connection: Connection) -> Booking:
            before = await connection.fetchrow(_BEGIN_CALL, call.user_id, call.call_id, call.digest, None)
            if before[1] is not None:
                return outcome(call, before[0], before[1])
            booking = await do(connection)
            await connection.execute(
                "UPDATE detour_demo.calls SET document = $3 WHERE user_id = $1 AND call_id = $2",
                call.user_id,
                call.call_id,
                encode_exactly(booking),
            )
            return booking

        return await self._write(once)

    async def _read(self, job: Callable[[Connection], Awaitable[T]]) -> T:
        """Do what may be done again: of no consequence if its answer is lost."""
        try:
            return await self._do(job)
        except StoreUnavailable as error:
            raise ProviderError(f"The demo's bookings cannot be reached. {error.message}") from None

    async def _write(self, job: Callable[[Connection], Awaitable[T]]) -> T:
        async def transaction(connection: Connection) -> T:
            async with connection.transaction():
                await connection.execute(_BOUNDS)
                return await job(connection)

        try:
            return await self._do(transaction)
        except StoreUnavailable as error:
            raise OutcomeUnknown(
                f"It cannot be told whether the demo's bookings took it. {error.message}"
            ) from None

    async def _do(self, job: Callable[[Connection], Awaitable[T]]) -> T:
        if self._lane is None:
            self._lane = self._database.lane("demo bookings")
        try:
            return await self._lane.post(job)
        except asyncpg.PostgresError as error:
            # The connection is there, so the database has answered that nothing was done. Its words name
            # tables and rights: they are for operators.
            _log.warning("the database refused the demo's bookings", reason=str(error))
            raise ProviderError("The demo's bookings could not take it.") from None


# --- parts of a transaction --------------------------------------------------------------------------


def _places(claims: Iterable[Claim]) -> list[Place]:
    return [(each.item, each.day) for each in claims]


def _has_room(claims: Iterable[Claim], taken: Mapping[Place, int]) -> bool:
    return all(taken.get((each.item, each.day), 0) + each.places <= each.of for each in claims)


async def _taken(connection: Connection, places: Sequence[Place], at: datetime) -> Mapping[Place, int]:
    items, days = zip(*places, strict=True)
    return {(row[0], row[1]): row[2] for row in await connection.fetch(_TAKEN, items, days, at)}


async def _lock(connection: Connection, claims: Iterable[Claim]) -> None:
    """Let nobody else take these places until the transaction has ended."""
    items, days = zip(*_places(claims), strict=True)
    await connection.execute(_MAKE_PLACES, items, days)
    await connection.execute(_LOCK_PLACES, items, days)


async def _booking(
    connection: Connection, user_id: str, reference: str, *, at: datetime, lock: str = ""
) -> Booking:
    query = f"SELECT document FROM detour_demo.bookings WHERE reference = $1 AND user_id = $2 {lock}"
    document = await connection.fetchval(query, reference, user_id)
    if document is None:
        raise NotFound(f"You have no booking {reference}.")
    return booking_of(document).as_of(at)


async def _added(connection: Connection, user_id: str, sale: Sale, booking: Booking) -> bool:
    """Keep a new booking, and return whether its reference was free."""
    added = await connection.fetchval(
        _ADD,
        booking.reference,
        user_id,
        sale.subject,
        booking.state,
        booking.made_at,
        booking.held_until,
        encode_exactly(booking),
    )
    return added is not None


async def _changed(connection: Connection, booking: Booking) -> None:
    """Keep a booking as it is now: a cancelled one takes nothing any more, a booked one for good."""
    await connection.execute(
        "UPDATE detour_demo.bookings SET state = $2, document = $3 WHERE reference = $1",
        booking.reference,
        booking.state,
        encode_exactly(booking),
    )
    if booking.state == "cancelled":
        query = "DELETE FROM detour_demo.claims WHERE reference = $1"
    else:
        query = "UPDATE detour_demo.claims SET until = NULL WHERE reference = $1"
    await connection.execute(query, booking.reference)
