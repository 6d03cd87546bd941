"""The seam between the demo's booking office and where its bookings are kept: a file, or PostgreSQL.

What is to be booked is decided by the office, in a plain function that the store calls in the midst of its
transaction: with what it found there, and before anybody else can change that.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any, Protocol

import orjson

from ....domain.encoding import encode_sorted
from ....domain.errors import BookingRefused
from ...values.booking import Booking, booking_from_json
from .selling import Place, Sale

REUSED_CALL = "A call was sent again with something else in it; nothing was done."

TOO_LATE = "The call came after somebody had been told that it was never made; nothing was done."

VOID = b""
"""What stands in the place of a booking where a call must not be carried out any more."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a user, and what is in it."""

    user_id: str
    call_id: str
    arguments: Any

    @property
    def digest(self) -> str:
        """What tells its arguments from others. Raises `TypeError` where a name in them is no text."""
        return blake2b(encode_sorted(self.arguments), digest_size=16).hexdigest()


class BookingStore(Protocol):
    """Bookings, what they take, and what each call came to.

    What a method changes is changed in one transaction, whole or not at all. If whoever awaits it is
    cancelled, it is done all the same. They raise `ProviderError` if nothing was done, `OutcomeUnknown` if
    that cannot be told.
    """

    async def standing(self, user_id: str, sale: Sale, *, at: datetime) -> tuple[Booking | None, bool]:
        """Return what a user holds of something at a moment, and whether there is room for it once more."""
        ...

    async def taken(self, places: Iterable[Place], *, at: datetime) -> Mapping[Place, int]:
        """Return how many are taken at a moment, at least of these places; one that is not there has none."""
        ...

    async def booking(self, user_id: str, reference: str, *, at: datetime) -> Booking:
        """Return a booking of a user at a moment.

        Raises `NotFound`, for another user's as for none at all.
        """
        ...

    async def bookings(self, user_id: str, *, at: datetime) -> Sequence[Booking]:
        """Return a user's bookings at a moment, the oldest first."""
        ...

    async def done_before(self, call: Call) -> Booking | None:
        """Return what a call came to if it was made before. Raises `BookingRefused` as `outcome` does."""
        ...

    async def outcome_of(self, user_id: str, call_id: str) -> Booking | None:
        """Return what a call came to; None where it was not done, which is final: from then on it is refused.

        A call that is being carried out, by any process, is waited for.
        """
        ...

    async def order(
        self, call: Call, sale: Sale, decide: Callable[[Booking | None], Booking], *, at: datetime
    ) -> Booking:
        """Keep what `decide` makes of what the user holds, unless the call was made before.

        It returns a new booking where nothing is held, and is asked again where its reference is taken. What
        it raises undoes all. Raises `BookingRefused` where there is no room.
        """
        ...

    async def change(
        self, call: Call, reference: str, decide: Callable[[Booking], Booking], *, at: datetime
    ) -> Booking:
        """Keep what `decide` makes of a booking of the user, unless the call was made before.

        What it raises undoes all. Raises `NotFound`, for another user's booking as for none at all.
        """
        ...

    async def forget(self, user_id: str) -> None:
        """Delete all of a user; what it had claimed is there for others again."""
        ...

    async def close(self) -> None:
        """Do what was handed over, then close; nothing can be done afterwards."""
        ...


def outcome(call: Call, digest: str, document: bytes) -> Booking:
    """Return what a call came to that was made before, with what was in it then.

    Raises `BookingRefused` if it had other arguments, or must not be carried out any more.
    """
    if document == VOID:
        raise BookingRefused(TOO_LATE)
    if digest != call.digest:
        raise BookingRefused(REUSED_CALL)
    return booking_of(document)


def booking_of(document: bytes) -> Booking:
    """Return the booking that is kept in a document."""
    return booking_from_json(orjson.loads(document))
