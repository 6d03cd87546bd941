"""`GET` of what a user holds, has booked and has cancelled, as the provider has it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from fastapi import Response

from ...domain.encoding import embedded, encode, to_wire
from ...domain.errors import NotFound, ProviderError
from ...http.routes.calls import CallRouter
from ...http.wire.bodies import UserIdInPath, json_response
from ...store.base import StateStore
from ..providers.base import BookingProvider
from ..tools.booking_words import in_short, refund_rule
from ..understanding.result import Bookable
from ..values.booking import Booking, Offer
from ..values.travel import CarOffer, FlightOffer, HotelOffer
from .travel_schemas import BookingsAnswer, BookingView, money_view

MOST_BOOKINGS = 100
"""Bookings of a user in one answer, the latest ones."""

ANSWERED_WITHIN_S = 10.0
"""How long the provider may take."""

_KINDS: Mapping[type[Offer], Bookable] = {FlightOffer: "flight", HotelOffer: "hotel", CarOffer: "car"}


def bookings_router(
    provider: BookingProvider, *, store: StateStore, clock: Callable[[], datetime]
) -> CallRouter:
    """Return the route."""
    router = CallRouter("Travel")

    @router.call(
        "GET /bookings/{user_id}", "Get the bookings of a user", BookingsAnswer, (404, 422, 502, 503)
    )
    async def bookings(user_id: UserIdInPath) -> Response:
        """Tell what the user holds, has booked and has cancelled, the latest first; changes nothing.

        A booking that is still being made is not in it.
        """
        if await store.position(user_id) is None:
            raise NotFound(f"Nothing is known of a user {user_id!r}.", code="unknown_user")
        latest = list(reversed(await _bookings_of(provider, user_id)))[:MOST_BOOKINGS]
        return json_response(BookingsAnswer(bookings=[booking_view(each, at=clock()) for each in latest]))

    return router


async def all_bookings(
    provider: BookingProvider, user_id: str, *, clock: Callable[[], datetime]
) -> list[BookingView]:
    """Return everything that a user has booked, the oldest first. Raises `ProviderError`."""
    return [booking_view(each, at=clock()) for each in await _bookings_of(provider, user_id)]


async def _bookings_of(provider: BookingProvider, user_id: str) -> Sequence[Booking]:
    try:
        async with asyncio.timeout(ANSWERED_WITHIN_S):
            return await provider.bookings(user_id)
    except TimeoutError:
        raise ProviderError("The bookings could not be read in time. Please try again.") from None


def booking_view(booking: Booking, *, at: datetime) -> BookingView:
    """Return a booking's answer; one whose trip has begun cannot be cancelled any more."""
    offer = booking.offer
    return {
        "reference": booking.reference,
        "kind": "hold" if booking.state in ("held", "expired") else _KINDS[type(offer)],
        "title": in_short(offer),
        "state": booking.state,
        "price_total": money_view(offer.price_total),
        "expires_at": to_wire(booking.held_until) if booking.state == "held" and booking.held_until else None,
        "cancellable": booking.state in ("held", "booked") and not _has_begun(booking, at),
        "refund_rule": refund_rule(offer),
        "refund": money_view(booking.refund) if booking.refund else None,
        "travellers": booking.travellers,
        "made_at": to_wire(booking.made_at),
        "provider": booking.provider,
        "demo": not booking.live,
        # A dataclass of any kind, which the encoder writes field by field.
        "offer": embedded(encode(offer)),
    }


def _has_begun(booking: Booking, at: datetime) -> bool:
    offer = booking.offer
    if isinstance(offer, FlightOffer):
        return offer.slices[0].segments[0].departs_at <= at
    first = offer.pick_up if isinstance(offer, CarOffer) else offer.check_in
    return first < at.astimezone().date()
