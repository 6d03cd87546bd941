"""`GET` of the requests that a user has made, of what was found for each, and of what the user has booked."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from datetime import datetime

from fastapi import Response

from ...domain.encoding import embedded, encode, to_wire
from ...domain.errors import NotFound, ProviderError
from ...http.routes.calls import CallRouter
from ...http.wire.bodies import TaskIdInPath, UserIdInPath, json_response
from ...store.base import StateStore
from ..providers.base import BookingProvider
from ..stored_requests import KeptRequest, KeptRequests, without_repeats
from ..tools.booking_words import in_short, refund_rule
from ..understanding.english.wording import requested_in_words, title_of
from ..values.booking import Booking
from ..values.offers import lowest_price
from .travel_schemas import (
    BookingsAnswer,
    BookingView,
    KeptOffersAnswer,
    KeptRequestsAnswer,
    KeptRequestView,
    money_view,
)


def requests_router(*, store: StateStore) -> CallRouter:
    """Return the routes."""
    router = CallRouter("Travel")
    kept = KeptRequests(store)

    @router.call(
        "GET /requests/{user_id}", "List the requests of a user", KeptRequestsAnswer, (404, 422, 503)
    )
    async def requests(user_id: UserIdInPath) -> Response:
        """Return the requests for which offers are kept, the latest first, none twice."""
        if await store.position(user_id) is None:
            raise NotFound(f"Nothing is known of a user {user_id!r}.", code="unknown_user")
        async with aclosing(kept.latest_first(user_id)) as latest_first:
            found = await without_repeats(latest_first)
        return json_response(KeptRequestsAnswer(user_id=user_id, requests=[_view(each) for each in found]))

    @router.call(
        "GET /requests/{user_id}/{task_id}", "Get the offers of a request", KeptOffersAnswer, (404, 422, 503)
    )
    async def offers(user_id: UserIdInPath, task_id: TaskIdInPath) -> Response:
        """Return the offers that are kept for a request, as they were found: prices may be others by now."""
        found = await kept.of_task(user_id, task_id)
        if found is None:
            raise NotFound(f"No offers are kept of a task {task_id!r}.", code="unknown_task")
        return json_response(KeptOffersAnswer(**_view(found), offers=found.offers))

    return router


def _view(kept: KeptRequest) -> KeptRequestView:
    task, understanding = kept.task, kept.understanding
    wanted = understanding.wanted if understanding else ()
    return {
        "task_id": task.task_id,
        "title": (title_of(understanding) if understanding else "") or task.message,
        "message": task.message,
        "status": task.status,
        "relation": task.relation,
        "from_task_id": task.resumed_task_id or task.previous_task_id,
        "found_at": to_wire(kept.found_at),
        "partial_results": {agent: len(items) for agent, items in kept.offers.items()},
        "cheapest": {
            agent: lowest for agent, items in kept.offers.items() if (lowest := lowest_price(items))
        },
        "requests": {agent: requested_in_words(agent, understanding) for agent in wanted}
        if understanding
        else {},
    }


# --- bookings ------------------------------------------------------------------------------------------


MOST_BOOKINGS = 100
"""Bookings of a user in one answer, the latest ones."""

ANSWERED_WITHIN_S = 10.0
"""How long the provider may take."""


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
        "kind": "hold" if booking.state in ("held", "expired") else booking.kind,
        "title": in_short(offer),
        "state": booking.state,
        "price_total": money_view(offer.price_total),
        "expires_at": to_wire(booking.held_until) if booking.state == "held" and booking.held_until else None,
        "cancellable": booking.state in ("held", "booked")
        and not booking.has_begun(at, at.astimezone().date()),
        "refund_rule": refund_rule(offer),
        "refund": money_view(booking.refund) if booking.refund else None,
        "travellers": booking.travellers,
        "made_at": to_wire(booking.made_at),
        "provider": booking.provider,
        "demo": not booking.live,
        # A dataclass of any kind, which the encoder writes field by field.
        "offer": embedded(encode(offer)),
    }
