"""The seam between the tools and whoever sells flights and hotels.

A provider is a handful of *sources* (suppliers, channels) that answer independently and in batches: each
batch is worth showing at once, and a search that is cut short keeps the batches that had arrived.

Cancellation: a source is an async generator; the caller closes it (`contextlib.aclosing`), and nothing
of the search may go on after that. Who books is another matter (`BookingProvider`): what was asked of it is
never taken back by cancelling.
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..values.booking import Booking, Cancellation, Choice, Offer, Order
from ..values.tour import Tour
from ..values.travel import DayFare, FlightOffer, FlightQuery, HotelOffer, HotelQuery


class FlightSource(Protocol):
    """One supplier of flights."""

    @property
    def name(self) -> str:
        """Short, stable, shown to people: "network carriers"."""
        ...

    def search(self, query: FlightQuery) -> AsyncGenerator[Sequence[FlightOffer], None]:
        """Yield batches of offers, no offer twice. Raises `ProviderError` when it cannot answer."""
        ...


class FareCalendar(Protocol):
    """Whoever can tell at once what flights cost on the days around one; not every provider can."""

    def cheapest_by_day(self, query: FlightQuery, *, days: int) -> AsyncGenerator[DayFare, None]:
        """Yield the days up to `days` before and after that of the query, in order.

        Each has the price of the cheapest offer that a search for that day finds, the return being on the
        query's own day. Left out is what a search would refuse: days that have passed, are not on sale yet
        or come after the return. Raises `NotOnSale` for what is sold on no day at all, `ProviderError` when
        it cannot answer.
        """
        ...


class HotelSource(Protocol):
    """One supplier of hotels."""

    @property
    def name(self) -> str:
        """Short, stable, shown to people: "hotel chains"."""
        ...

    def search(self, query: HotelQuery) -> AsyncGenerator[Sequence[HotelOffer], None]:
        """Yield batches of offers, no offer twice. Raises `ProviderError` when it cannot answer."""
        ...


class BookingProvider(Protocol):
    """Whoever books what a provider offers; it tells nobody of another user's bookings.

    `call_id` is the idempotency key of `hold`, `book` and `cancel`: the same call again gives the booking
    it gave, never a second one, and with other arguments is refused. Each of the three ends within a
    bounded time. It is done whole or not at all, even if whoever waits is cancelled or the process is
    killed. They raise `OutcomeUnknown` where no answer came in time, and where it certainly was not done
    `QuoteChanged` if price or rules are not those of the order, else `BookingRefused`, `NotOnSale` or
    `NotFound`.
    """

    @property
    def name(self) -> str:
        """Short and stable: "demo"."""
        ...

    @property
    def live(self) -> bool:
        """Whether anything is really bought."""
        ...

    @property
    def hold_minutes(self) -> int:
        """How long a hold lasts."""
        ...

    async def offer(self, user_id: str, choice: Choice) -> Offer:
        """Return what is chosen as it is sold to the user at this moment, or as the user holds it.

        Raises `NotOnSale` where it is gone.
        """
        ...

    async def hold(self, user_id: str, call_id: str, order: Order) -> Booking:
        """Keep seats and price for a while, free of charge."""
        ...

    async def book(self, user_id: str, call_id: str, order: Order) -> Booking:
        """Book and pay. What the user holds of the same is used for it, at the price it is held at."""
        ...

    async def booking(self, user_id: str, reference: str) -> Booking:
        """Return a booking of the user. Raises `NotFound`."""
        ...

    async def bookings(self, user_id: str) -> Sequence[Booking]:
        """Return all bookings of the user, the oldest first."""
        ...

    async def cancellation(self, user_id: str, reference: str) -> Cancellation:
        """Return what cancelling would give back at this moment.

        Raises `NotFound`, and `BookingRefused` where it can no longer be cancelled.
        """
        ...

    async def cancel(self, user_id: str, call_id: str, cancellation: Cancellation) -> Booking:
        """Cancel a booking, if that still gives back what `cancellation` says."""
        ...

    async def outcome_of(self, user_id: str, call_id: str) -> Booking | None:
        """Return what a call came to; None where it was never done, nor will be unless it is made again.

        Raises `ProviderError` while that cannot be told: it may be under way still.
        """
        ...

    async def forget(self, user_id: str) -> None:
        """Forget all bookings and calls of a user."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TourProgram:
    """A program that plans tours over an inventory.

    It is told one tour, as `request` writes it, in a line on its standard input, and ends when that is
    closed. It prints one JSON object in each line: `{"plan": {...}}` for each plan that is better than those
    before, `{"progress": {"detail": "...", "done": n, "total": m}}`, and as the last one `{"end": {"proven":
    true, ...}}` or `{"error": {"message": "..."}}` with a sentence fit to be shown.
    """

    command: Sequence[str]
    environment: Mapping[str, str]
    request: Callable[[Tour], bytes]


class Provider(Protocol):
    """All sources of one inventory."""

    @property
    def name(self) -> str:
        """Short and stable: "demo"."""
        ...

    @property
    def flight_sources(self) -> Sequence[FlightSource]:
        """The suppliers that a flight search asks, all at once."""
        ...

    @property
    def hotel_sources(self) -> Sequence[HotelSource]:
        """The suppliers that a hotel search asks, all at once."""
        ...

    @property
    def bookings(self) -> BookingProvider:
        """Who books what the sources offer."""
        ...
