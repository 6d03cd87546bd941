"""All bookings of a server: each is made, read and cancelled where its offer is from.

Implements `BookingProvider` over the demo's and the sellers'.
"""

from collections.abc import Sequence
from contextlib import suppress

from ...domain.errors import NotFound
from ..values.booking import Booking, Cancellation, Choice, Offer, Order
from .base import BookingProvider
from .seller_bookings import SellerBookings


class AllBookings:
    """Bookings of the demo and of sellers, told apart by the provider of an offer and by their references."""

    def __init__(self, demo: BookingProvider, sellers: SellerBookings) -> None:
        self._demo = demo
        self._sellers = sellers
        self.hold_minutes = demo.hold_minutes

    async def offer(self, user_id: str, choice: Choice, seen: Offer | None = None) -> Offer:
        """Return the choice at the price it has now, or at which the user holds it."""
        if seen is not None:
            return await self._sellers.offer(user_id, choice, seen)
        return await self._demo.offer(user_id, choice)

    async def hold(self, user_id: str, call_id: str, order: Order) -> Booking:
        """Reserve what is ordered, free of charge."""
        return await self._of(order).hold(user_id, call_id, order)

    async def book(self, user_id: str, call_id: str, order: Order) -> Booking:
        """Book and pay."""
        return await self._of(order).book(user_id, call_id, order)

    async def booking(self, user_id: str, reference: str) -> Booking:
        """Return a booking of the user."""
        with suppress(NotFound):
            return await self._sellers.booking(user_id, reference)
        return await self._demo.booking(user_id, reference)

    async def bookings(self, user_id: str) -> Sequence[Booking]:
        """Return all bookings of the user, the oldest first."""
        all_ = [*await self._demo.bookings(user_id), *await self._sellers.bookings(user_id)]
        return sorted(all_, key=lambda booking: booking.made_at)

    async def cancellation(self, user_id: str, reference: str) -> Cancellation:
        """Return what cancelling would refund now."""
        with suppress(NotFound):
            return await self._sellers.cancellation(user_id, reference)
        return await self._demo.cancellation(user_id, reference)

    async def cancel(self, user_id: str, call_id: str, cancellation: Cancellation) -> Booking:
        """Cancel a booking, if that still refunds what `cancellation` says."""
        with suppress(NotFound):
            return await self._sellers.cancel(user_id, call_id, cancellation)
        return await self._demo.cancel(user_id, call_id, cancellation)

    async def outcome_of(self, user_id: str, call_id: str) -> Booking | None:
        """Return the booking that a call led to; None if it was not executed, and never will be."""
        found = await self._sellers.outcome_of(user_id, call_id)
        return found if found is not None else await self._demo.outcome_of(user_id, call_id)

    async def forget(self, user_id: str) -> None:
        """Forget all bookings and calls of a user."""
        await self._sellers.forget(user_id)
        await self._demo.forget(user_id)

    def _of(self, order: Order) -> "BookingProvider | SellerBookings":
        return self._sellers if self._sellers.sells(order.offer.provider) else self._demo
