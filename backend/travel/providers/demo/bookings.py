"""Bookings on the demo inventory: nothing is bought, but all else is as with a real provider.

Seats, rooms and cars are finite, what is held expires, prices may have changed since they were seen, and the
card that pays takes no more than `booking_rules.MOST_PAID`: whoever orders above that sees a payment fail.
What is booked is kept in a store of its own and survives a kill at any instant.

A request takes its time to arrive and its answer takes its time to come back; between the two lies one
transaction. Whoever waits in vain cannot know which of the two it was, as with a real provider.
"""

import asyncio
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Literal, TypeVar

from ....domain.encoding import Clock
from ....domain.errors import BookingRefused, DetourError, NotOnSale, OutcomeUnknown, ProviderError
from ...values.booking import Booking, Cancellation, Choice, Offer, Order, choice_of
from ...values.travel import CarOffer, FlightOffer, HotelOffer
from .booking_rules import check_payment, check_refund, check_terms, check_travellers, refund_of
from .booking_store import BookingStore, Call
from .flight_offers import PROVIDER_NAME
from .noise import unit
from .selling import SOLD_OUT, Place, Sale, places_of, sale_of
from .store import Inventory

ANSWERED_WITHIN_S = 10.0

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""What references are made of: nothing that is taken for something else when read out or copied."""

_REFERENCE_LENGTH = 6

OfferT = TypeVar("OfferT", FlightOffer, HotelOffer, CarOffer)

_Deed = Callable[[], Awaitable[Booking]]
"""What is done in one transaction of the store."""


def new_reference() -> str:
    """Return a reference at random, one of 887 million."""
    return "DEMO-" + "".join(secrets.choice(ALPHABET) for _ in range(_REFERENCE_LENGTH))


class DemoBookings:
    """Implements `backend.travel.providers.base.BookingProvider` over a store of bookings.

    `pace` is the time, in seconds, that a request takes to arrive, and an answer to come
    back, give or take a third; `answered_within_s` how long a call waits for both. Use from one thread.
    """

    name = PROVIDER_NAME
    live = False
    hold_minutes = 20

    def __init__(
        self,
        store: BookingStore,
        inventory: Inventory,
        *,
        clock: Clock,
        today: Callable[[], date],
        pace: float,
        answered_within_s: float = ANSWERED_WITHIN_S,
        reference: Callable[[], str] = new_reference,
    ) -> None:
        self._store = store
        self._inventory = inventory
        self._clock = clock
        self._today = today
        self._pace = pace
        self._answered_within_s = answered_within_s
        self._reference = reference
        self._under_way = Counter[tuple[str, str]]()

    async def close(self) -> None:
        """Finish what was handed over and close the store; nothing can be booked afterwards."""
        await self._store.close()

    # --- reading -------------------------------------------------------------------------------------

    async def offer(self, user_id: str, choice: Choice) -> Offer:
        """Return what is chosen as it is sold now, or as the user holds it. Raises `NotOnSale`.

        May be cancelled.
        """
        sale = sale_of(choice, self._inventory, today=self._today())
        kept, has_room = await self._store.standing(user_id, sale, at=self._clock())
        if kept is None and not has_room:
            raise NotOnSale(SOLD_OUT)
        return kept.offer if kept else sale.offer

    async def with_room(self, offers: Sequence[OfferT]) -> Sequence[OfferT]:
        """Return those offers for which there is room now. Raises `ProviderError`. May be cancelled."""
        places = (place for offer in offers for place in self._places(offer))
        taken = await self._store.taken(places, at=self._clock())
        return [offer for offer in offers if self._has_room(offer, taken)] if taken else offers

    async def booking(self, user_id: str, reference: str) -> Booking:
        """Return a booking of the user. Raises `NotFound`. May be cancelled."""
        return await self._store.booking(user_id, reference, at=self._clock())

    async def bookings(self, user_id: str) -> Sequence[Booking]:
        """Return all bookings of the user, the oldest first. May be cancelled."""
        return await self._store.bookings(user_id, at=self._clock())

    async def cancellation(self, user_id: str, reference: str) -> Cancellation:
        """Return what cancelling gives back now. Raises `NotFound`, `BookingRefused`. May be cancelled."""
        booking = await self.booking(user_id, reference)
        refund = refund_of(booking, at=self._clock(), today=self._today())
        return Cancellation(reference=reference, refund=refund)

    def _places(self, offer: Offer) -> list[Place]:
        return places_of(choice_of(offer), seed=self._inventory.seed)

    def _has_room(self, offer: Offer, taken: Mapping[Place, int]) -> bool:
        if taken.keys().isdisjoint(self._places(offer)):
            return True
        claims = sale_of(choice_of(offer), self._inventory, today=self._today()).claims
        return all(taken.get((each.item, each.day), 0) + each.places <= each.of for each in claims)

    # --- writing -------------------------------------------------------------------------------------

    async def hold(self, user_id: str, call_id: str, order: Order) -> Booking:
        """Keep a flight for `hold_minutes`. See `BookingProvider` for errors and cancellation."""
        call = Call(user_id, call_id, ("hold", order))
        return await self._once(call, lambda: self._order(call, order, state="held"))

    async def book(self, user_id: str, call_id: str, order: Order) -> Booking:
        """Book and pay, from what is held where the user holds it. See `BookingProvider` for the rest."""
        call = Call(user_id, call_id, ("book", order))
        return await self._once(call, lambda: self._order(call, order, state="booked"))

    async def cancel(self, user_id: str, call_id: str, cancellation: Cancellation) -> Booking:
        """Cancel a booking for the refund that was quoted. See `BookingProvider` for the rest."""
        call = Call(user_id, call_id, ("cancel", cancellation))
        return await self._once(call, lambda: self._cancel(call, cancellation))

    async def outcome_of(self, user_id: str, call_id: str) -> Booking | None:
        """Return what a call came to; None where it was not done, which is final: later it is refused.

        Raises `ProviderError` while it is on its way, or the file cannot be read. May be cancelled.
        """
        if (user_id, call_id) in self._under_way:
            raise ProviderError("It is on its way still; nobody knows yet what becomes of it.")
        return await self._store.outcome_of(user_id, call_id)

    async def forget(self, user_id: str) -> None:
        """Forget all of a user. Raises `ProviderError`."""
        await self._store.forget(user_id)

    async def _once(self, call: Call, do: _Deed) -> Booking:
        """Do something in one transaction, unless the call was made before: then return what it came to."""
        under_way = (call.user_id, call.call_id)
        self._under_way[under_way] += 1
        try:
            async with asyncio.timeout(self._answered_within_s):
                await self._on_the_way("there", call.call_id)
                try:
                    # Before anything else: what was booked once may be sold no more.
                    booking = await self._store.done_before(call) or await do()
                except DetourError:
                    await self._on_the_way("back", call.call_id)
                    raise
                await self._on_the_way("back", call.call_id)
                return booking
        except TimeoutError:
            raise OutcomeUnknown("The demo's booking office did not answer in time.") from None
        finally:
            self._under_way -= Counter([under_way])  # which drops those of which none is left

    async def _on_the_way(self, direction: str, call_id: str) -> None:
        await asyncio.sleep(self._pace * (0.7 + 0.6 * unit("on the way", direction, call_id)))

    # --- what is done, in a transaction, with what was read of the inventory before --------------------

    async def _order(self, call: Call, order: Order, *, state: Literal["held", "booked"]) -> Booking:
        if state == "held" and not isinstance(order.offer, FlightOffer):
            noun = "room" if isinstance(order.offer, HotelOffer) else "car"
            raise BookingRefused(f"The demo inventory holds flights only; a {noun} is booked at once.")
        check_travellers(order)
        sale = sale_of(choice_of(order.offer), self._inventory, today=self._today())
        at = self._clock()

        def decide(kept: Booking | None) -> Booking:
            check_terms(order.offer, kept.offer if kept else sale.offer)
            if state == "booked":
                check_payment(order.offer.price_total)
            if kept is None:
                return self._new(order, sale, state=state, at=at)
            if state == "held":
                return kept
            return replace(kept, state="booked", travellers=order.travellers or kept.travellers)

        return await self._store.order(call, sale, decide, at=at)

    def _new(self, order: Order, sale: Sale, *, state: Literal["held", "booked"], at: datetime) -> Booking:
        return Booking(
            reference=self._reference(),
            provider=self.name,
            live=self.live,
            state=state,
            offer=sale.offer,
            travellers=order.travellers,
            made_at=at,
            held_until=at + timedelta(minutes=self.hold_minutes) if state == "held" else None,
        )

    async def _cancel(self, call: Call, cancellation: Cancellation) -> Booking:
        at, today = self._clock(), self._today()

        def decide(booking: Booking) -> Booking:
            refund = refund_of(booking, at=at, today=today)
            check_refund(booking, cancellation.refund, refund)
            return replace(booking, state="cancelled", refund=refund)

        return await self._store.change(call, cancellation.reference, decide, at=at)
