"""What a booking is made of in the file: each function is a part of one transaction, or reads.

Room is what there is less what others have claimed: claims of what is held count until it expires, so that
an expired hold frees its seats by the clock alone, with nothing to run.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import apsw

from ....domain.encoding import encode_exactly
from ....domain.errors import BookingRefused, NotFound
from ...values.booking import Booking
from .booking_store import VOID, Call, booking_of, outcome
from .selling import SOLD_OUT, Claim, Place


def done_before(connection: apsw.Connection, call: Call) -> Booking | None:
    """Return what a call came to if it was made before. Raises `BookingRefused` as `outcome` does."""
    found = _call(connection, call.user_id, call.call_id)
    return outcome(call, *found) if found else None


def outcome_of(connection: apsw.Connection, user_id: str, call_id: str) -> Booking | None:
    """Return what a call came to; None where it was not done, which is final: from then on it is refused.

    In the same transaction: a call that is still on its way, perhaps from another process, may come any time.
    """
    found = _call(connection, user_id, call_id)
    if found is None:
        connection.execute("INSERT INTO call VALUES (?, ?, ?, ?)", (user_id, call_id, "", VOID))
    return booking_of(found[1]) if found and found[1] != VOID else None


def record_call(connection: apsw.Connection, call: Call, booking: Booking) -> None:
    """Keep what a call came to."""
    values = (call.user_id, call.call_id, call.digest, encode_exactly(booking))
    connection.execute("INSERT INTO call VALUES (?, ?, ?, ?)", values)


def is_free(connection: apsw.Connection, reference: str) -> bool:
    """Return whether no booking has this reference."""
    return connection.execute("SELECT 1 FROM booking WHERE reference = ?", (reference,)).fetchone() is None


def add(
    connection: apsw.Connection, user_id: str, booking: Booking, *, subject: str, claims: Iterable[Claim]
) -> None:
    """Keep a new booking and claim what it takes. Raises `BookingRefused` where that is not there."""
    until = booking.held_until.timestamp() if booking.held_until else None
    made_at = booking.made_at.timestamp()
    connection.execute(
        "INSERT INTO booking VALUES (?, ?, ?, ?, ?, ?, ?)",
        (booking.reference, user_id, subject, booking.state, made_at, until, encode_exactly(booking)),
    )
    for claim in claims:
        connection.execute(
            "INSERT INTO claim SELECT ?1, ?2, ?3, ?4, ?5 WHERE ?4 + (SELECT ifnull(sum(count), 0) FROM claim"
            " WHERE item = ?1 AND day = ?2 AND (until IS NULL OR until > ?6)) <= ?7",
            (claim.item, claim.day, booking.reference, claim.places, until, made_at, claim.of),
        )
        if connection.changes() == 0:
            raise BookingRefused(SOLD_OUT)


def all_claims(connection: apsw.Connection) -> list[tuple[Place, int, float]]:
    """Return all that is claimed: of what, how many, and until when (seconds since 1970)."""
    rows = connection.execute("SELECT item, day, count, ifnull(until, 9e999) FROM claim")
    return [((str(item), int(day)), int(count), float(until)) for item, day, count, until in rows]


def has_room(connection: apsw.Connection, claims: Iterable[Claim], *, at: datetime) -> bool:
    """Return whether there is room for all of these at a moment."""
    return all(
        claim.places + _taken(connection, claim.item, claim.day, at=at) <= claim.of for claim in claims
    )


def held(connection: apsw.Connection, user_id: str, *, subject: str, at: datetime) -> Booking | None:
    """Return what a user holds of something at a moment; of several the one that is held longest."""
    found = connection.execute(
        "SELECT document FROM booking WHERE user_id = ? AND subject = ? AND state = 'held' AND held_until > ?"
        " ORDER BY held_until DESC LIMIT 1",
        (user_id, subject, at.timestamp()),
    ).fetchone()
    return booking_of(found[0]) if found else None


def change(connection: apsw.Connection, booking: Booking) -> None:
    """Keep a booking as it is now: a cancelled one takes nothing any more, a booked one for good."""
    connection.execute(
        "UPDATE booking SET state = ?, document = ? WHERE reference = ?",
        (booking.state, encode_exactly(booking), booking.reference),
    )
    if booking.state == "cancelled":
        connection.execute("DELETE FROM claim WHERE reference = ?", (booking.reference,))
    else:
        connection.execute("UPDATE claim SET until = NULL WHERE reference = ?", (booking.reference,))


def a_booking(connection: apsw.Connection, user_id: str, reference: str, *, at: datetime) -> Booking:
    """Return a booking of a user at a moment. Raises `NotFound`, for another user's as for none at all."""
    found = connection.execute(
        "SELECT document FROM booking WHERE reference = ? AND user_id = ?", (reference, user_id)
    ).fetchone()
    if found is None:
        raise NotFound(f"You have no booking {reference}.")
    return booking_of(found[0]).as_of(at)


def bookings_of(connection: apsw.Connection, user_id: str, *, at: datetime) -> tuple[Booking, ...]:
    """Return a user's bookings at a moment, the oldest first."""
    found = connection.execute(
        "SELECT document FROM booking WHERE user_id = ? ORDER BY made_at, reference", (user_id,)
    )
    return tuple(booking_of(document).as_of(at) for (document,) in found)


def forget(connection: apsw.Connection, user_id: str) -> None:
    """Delete all of a user; what it had claimed is there for others again."""
    connection.execute(
        "DELETE FROM claim WHERE reference IN (SELECT reference FROM booking WHERE user_id = ?)", (user_id,)
    )
    connection.execute("DELETE FROM booking WHERE user_id = ?", (user_id,))
    connection.execute("DELETE FROM call WHERE user_id = ?", (user_id,))


def _taken(connection: apsw.Connection, item: str, day: int, *, at: datetime) -> int:
    found = connection.execute(
        "SELECT ifnull(sum(count), 0) FROM claim WHERE item = ? AND day = ? AND (until IS NULL OR until > ?)",
        (item, day, at.timestamp()),
    ).fetchone()
    return int(found[0]) if found else 0


def _call(connection: apsw.Connection, user_id: str, call_id: str) -> tuple[str, bytes] | None:
    row: Any = connection.execute(
        "SELECT arguments, document FROM call WHERE user_id = ? AND call_id = ?", (user_id, call_id)
    ).fetchone()
    return None if row is None else (row[0], row[1])
