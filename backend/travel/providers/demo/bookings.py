"""Bookings on the demo inventory: nothing is bought, but all else is as with a real provider.

Seats, rooms and cars are finite, what is held expires, prices may have changed since they were seen, and the
card that pays takes no more than `booking_rules.MOST_PAID`: whoever orders above that sees a payment fail.
What is booked is kept in a file of its own and survives a kill at any instant.

A request takes its time to arrive and its answer takes its time to come back; between the two lies one
transaction. Whoever waits in vain cannot know which of the two it was, as with a real provider.
"""

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar

import apsw

from ....domain.clock import Clock
from ....errors import BookingRefused, DetourError, NotOnSale, OutcomeUnknown, ProviderError
from ...values.booking import Booking, Cancellation, Choice, Offer, Order, choice_of
from ...values.travel import CarOffer, FlightOffer, HotelOffer
from . import booking_records as records
from .booking_file import BookingFile
from .booking_rules import check_payment, check_refund, check_terms, check_travellers, refund_of
from .flight_offers import PROVIDER_NAME
from .noise import unit
from .selling import SOLD_OUT, Place, Sale, places_of, sale_of
from .store import Inventory

ANSWERED_WITHIN_S = 10.0

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""What references are made of: nothing that is taken for something else when read out or copied."""

_REFERENCE_LENGTH = 6

OfferT = TypeVar("OfferT", FlightOffer, HotelOffer, CarOffer)

_Deed = Callable[[apsw.Connection], Booking]
"""What is done in a transaction; all that it needs of the inventory was read before, on the event loop."""


def new_reference() -> str:
    """Return a reference at random, one of 887 million."""
    return "DEMO-" + "".join(secrets.choice(ALPHABET) for _ in range(_REFERENCE_LENGTH))


class DemoBookings:
    """Implements `backend.travel.providers.base.BookingProvider` over the file at `path`.

    The file is opened or created at once, which blocks for milliseconds; without a path, all is forgotten
    with the process. `pace` is the time, in seconds, that a request takes to arrive, and an answer to come
    back, give or take a third; `answered_within_s` how long a call waits for both. Use from one thread.
    """

    name = PROVIDER_NAME
    live = False
    hold_minutes = 20

    def __init__(
        self,
        path: Path | None,
        inventory: Inventory,
        *,
        clock: Clock,
        today: Callable[[], date],
        pace: float,
        answered_within_s: float = ANSWERED_WITHIN_S,
        reference: Callable[[], str] = new_reference,
    ) -> None:
        self._file = BookingFile(path)
        self._inventory = inventory
        self._clock = clock
        self._today = today
        self._pace = pace
        self._answered_within_s = answered_within_s
        self._reference = reference
        self._under_way = Counter[tuple[str, str]]()
        # What searches go by; the file's own thread puts a new list here with each change.
        self._claims = self._file.read_at_first(records.all_claims)

    def close(self) -> None:
        """Finish what was handed over and close the file; nothing can be booked afterwards."""
        self._file.close()

    # --- reading -------------------------------------------------------------------------------------

    async def offer(self, user_id: str, choice: Choice) -> Offer:
        """Return what is chosen as it is sold now, or as the user holds it. Raises `NotOnSale`.

        May be cancelled.
        """
        sale, at = sale_of(choice, self._inventory, today=self._today()), self._clock()

        def read(connection: apsw.Connection) -> Offer:
            kept = records.held(connection, user_id, subject=sale.subject, at=at)
            if kept is None and not records.has_room(connection, sale.claims, at=at):
                raise NotOnSale(SOLD_OUT)
            return kept.offer if kept else sale.offer

        return await self._file.transact(read)

    def with_room(self, offers: Sequence[OfferT]) -> Sequence[OfferT]:
        """Return those offers for which there is room now. Quick: only what somebody has booked is read."""
        at = self._clock().timestamp()
        taken = {place for place, _, until in self._claims if until > at}
        return [offer for offer in offers if self._has_room(offer, taken, at=at)] if taken else offers

    async def booking(self, user_id: str, reference: str) -> Booking:
        """Return a booking of the user. Raises `NotFound`. May be cancelled."""
        at = self._clock()
        return await self._file.transact(
            lambda connection: records.booking_of(connection, user_id, reference, at=at)
        )

    async def bookings(self, user_id: str) -> Sequence[Booking]:
        """Return all bookings of the user, the oldest first. May be cancelled."""
        at = self._clock()
        return await self._file.transact(lambda connection: records.bookings_of(connection, user_id, at=at))

    async def cancellation(self, user_id: str, reference: str) -> Cancellation:
        """Return what cancelling gives back now. Raises `NotFound`, `BookingRefused`. May be cancelled."""
        booking = await self.booking(user_id, reference)
        refund = refund_of(booking, at=self._clock(), today=self._today())
        return Cancellation(reference=reference, refund=refund)

    def _has_room(self, offer: Offer, taken: Set[Place], *, at: float) -> bool:
        choice = choice_of(offer)
        if taken.isdisjoint(places_of(choice, seed=self._inventory.seed)):
            return True
        claims = sale_of(choice, self._inventory, today=self._today()).claims
        left = {(claim.item, claim.day): claim.of - claim.places for claim in claims}
        for place, count, until in self._claims:
            if until > at and place in left:
                left[place] -= count
        return min(left.values()) >= 0

    # --- writing -------------------------------------------------------------------------------------

    async def hold(self, user_id: str, call_id: str, order: Order) -> Booking:
        """Keep a flight for `hold_minutes`. See `BookingProvider` for errors and cancellation."""
        deed = partial(self._order, user_id, order, state="held")
        return await self._once(user_id, call_id, ("hold", order), deed)

    async def book(self, user_id: str, call_id: str, order: Order) -> Booking:
        """Book and pay, from what is held where the user holds it. See `BookingProvider` for the rest."""
        deed = partial(self._order, user_id, order, state="booked")
        return await self._once(user_id, call_id, ("book", order), deed)

    async def cancel(self, user_id: str, call_id: str, cancellation: Cancellation) -> Booking:
        """Cancel a booking for the refund that was quoted. See `BookingProvider` for the rest."""
        deed = partial(self._cancellation, user_id, cancellation)
        return await self._once(user_id, call_id, ("cancel", cancellation), deed)

    async def outcome_of(self, user_id: str, call_id: str) -> Booking | None:
        """Return what a call came to; None where it was not done, which is final: later it is refused.

        Raises `ProviderError` while it is on its way, or the file cannot be read. May be cancelled.
        """
        if (user_id, call_id) in self._under_way:
            raise ProviderError("It is on its way still; nobody knows yet what becomes of it.")
        return await self._file.transact(lambda connection: records.outcome_of(connection, user_id, call_id))

    async def forget(self, user_id: str) -> None:
        """Forget all of a user; what is forgotten is overwritten in the file."""

        def forget(connection: apsw.Connection) -> None:
            records.forget(connection, user_id)
            self._claims = records.all_claims(connection)

        await self._file.transact(forget)

    async def _once(
        self, user_id: str, call_id: str, arguments: object, prepared: Callable[[], _Deed]
    ) -> Booking:
        """Do something in one transaction, unless the call was made before: then return what it came to."""
        self._under_way[user_id, call_id] += 1
        try:
            async with asyncio.timeout(self._answered_within_s):
                await self._on_the_way("there", call_id)
                try:
                    booking = await self._done(user_id, call_id, arguments, prepared)
                except DetourError:
                    await self._on_the_way("back", call_id)
                    raise
                await self._on_the_way("back", call_id)
                return booking
        except TimeoutError:
            raise OutcomeUnknown("The demo's booking office did not answer in time.") from None
        finally:
            self._under_way -= Counter([(user_id, call_id)])  # which drops those of which none is left

    async def _done(
        self, user_id: str, call_id: str, arguments: object, prepared: Callable[[], _Deed]
    ) -> Booking:
        def before(connection: apsw.Connection) -> Booking | None:
            return records.done_before(connection, user_id, call_id, arguments)

        def once(connection: apsw.Connection) -> Booking:
            booking = before(connection)  # the same call may be under way twice
            if booking is None:
                booking = deed(connection)
                records.record_call(connection, user_id, call_id, arguments, booking)
                self._claims = records.all_claims(connection)
            return booking

        booking = await self._file.transact(before)
        if booking is not None:
            return booking
        deed = prepared()
        return await self._file.transact(once)

    async def _on_the_way(self, direction: str, call_id: str) -> None:
        await asyncio.sleep(self._pace * (0.7 + 0.6 * unit("on the way", direction, call_id)))

    # --- what is done, in a transaction, with what was read for it -----------------------------------

    def _order(self, user_id: str, order: Order, *, state: Literal["held", "booked"]) -> _Deed:
        if state == "held" and not isinstance(order.offer, FlightOffer):
            noun = "room" if isinstance(order.offer, HotelOffer) else "car"
            raise BookingRefused(f"The demo inventory holds flights only; a {noun} is booked at once.")
        check_travellers(order)
        sale = sale_of(choice_of(order.offer), self._inventory, today=self._today())
        at = self._clock()

        def deed(connection: apsw.Connection) -> Booking:
            kept = records.held(connection, user_id, subject=sale.subject, at=at)
            check_terms(order.offer, kept.offer if kept else sale.offer)
            if state == "booked":
                check_payment(order.offer.price_total)
            if kept is None:
                return self._added(connection, user_id, order, sale, state=state, at=at)
            if state == "held":
                return kept
            booked = replace(kept, state="booked", travellers=order.travellers or kept.travellers)
            records.change(connection, booked)
            return booked

        return deed

    def _added(
        self,
        connection: apsw.Connection,
        user_id: str,
        order: Order,
        sale: Sale,
        *,
        state: Literal["held", "booked"],
        at: datetime,
    ) -> Booking:
        reference = self._reference()
        while not records.is_free(connection, reference):
            reference = self._reference()
        booking = Booking(
            reference=reference,
            provider=self.name,
            live=self.live,
            state=state,
            offer=sale.offer,
            travellers=order.travellers,
            made_at=at,
            held_until=at + timedelta(minutes=self.hold_minutes) if state == "held" else None,
        )
        records.add(connection, user_id, booking, subject=sale.subject, claims=sale.claims)
        return booking

    def _cancellation(self, user_id: str, cancellation: Cancellation) -> _Deed:
        at, today = self._clock(), self._today()

        def deed(connection: apsw.Connection) -> Booking:
            booking = records.booking_of(connection, user_id, cancellation.reference, at=at)
            refund = refund_of(booking, at=at, today=today)
            check_refund(booking, cancellation.refund, refund)
            cancelled = replace(booking, state="cancelled", refund=refund)
            records.change(connection, cancelled)
            return cancelled

        return deed
