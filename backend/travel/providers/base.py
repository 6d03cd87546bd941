"""The seam between the tools and the sellers of flights, hotels and rental cars.

A provider is a handful of *sources* (suppliers, channels) that answer independently and in batches: each
batch is worth showing at once, and a search that is cut short keeps the batches that had arrived. Offers are
values of `values/travel.py`: money is a decimal and a currency, a flight's time is that of its airport with
its UTC offset. A source may ignore limits of a query that it does not know: what is outside is not shown.

Errors are those of `domain/errors.py`, with a sentence fit to be shown and nothing of the supplier's own
words: `NotOnSale` for what cannot be sold, `ProviderError` for who does not answer.

Cancellation: a source is an async generator that the caller closes (`contextlib.aclosing`); once closed,
nothing of its search may continue, no request either. A `BookingProvider` is different: cancelling the caller
never undoes what the provider was asked to do, since a payment cannot be called back by closing a connection.
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol, TypeVar

from ..values.booking import Booking, Cancellation, Choice, Offer, Order
from ..values.travel import (
    CarOffer,
    CarQuery,
    City,
    DayFare,
    FlightOffer,
    FlightQuery,
    GoalFare,
    HotelOffer,
    HotelQuery,
    Tour,
)

Query = TypeVar("Query", contravariant=True)
Found = TypeVar("Found", covariant=True)


class CutShort(tuple[()]):
    """An empty batch, yielded last: the source has more offers than it returns for one search."""


class Notice(tuple[()]):
    """An empty batch that says something of the search: "Duffel asks us to wait 20 s"."""

    text: str

    def __new__(cls, text: str) -> "Notice":
        """Return a batch that says `text`."""
        notice = super().__new__(cls)
        notice.text = text
        return notice


class Source(Protocol[Query, Found]):
    """One supplier of flights, hotels or rental cars."""

    @property
    def name(self) -> str:
        """Short, stable, shown to people: "network carriers"."""
        ...

    @property
    def prices_by_age(self) -> bool:
        """Whether the ages of the children in a query change what is found."""
        ...

    def search(self, query: Query, user_id: str) -> AsyncGenerator[Sequence[Found], None]:
        """Yield batches of offers, no offer twice, then `CutShort` if there are more.

        It is for a user: what a process that died had asked of the seller for them may be read on. Raises
        `NotOnSale`, or `ProviderError` when it cannot answer; what it has yielded before counts.
        """
        ...


class Provider(Protocol):
    """All sources of one inventory; of a kind that it does not sell it has none."""

    @property
    def name(self) -> str:
        """Short and stable: "demo". Each offer tells it as its `provider`."""
        ...

    @property
    def flight_sources(self) -> Sequence[Source[FlightQuery, FlightOffer]]:
        """The suppliers that a flight search asks, all at once."""
        ...

    @property
    def hotel_sources(self) -> Sequence[Source[HotelQuery, HotelOffer]]:
        """The suppliers that a hotel search asks, all at once."""
        ...

    @property
    def car_sources(self) -> Sequence[Source[CarQuery, CarOffer]]:
        """The suppliers that a search for rental cars asks, all at once."""
        ...

    @property
    def bookings(self) -> "BookingProvider":
        """Books what the sources offer."""
        ...


class BookingProvider(Protocol):
    """Holds, books and cancels what a provider offers. Users see their own bookings only.

    `call_id` is the idempotency key of `hold`, `book` and `cancel`: a repeated call returns the booking that
    it made, never a second one; with other arguments it is refused. Each of the three is atomic, even if the
    task that awaits it is cancelled or the process is killed, and ends within a bounded time. They raise
    `OutcomeUnknown` if no answer came in time. If nothing was done they raise `QuoteChanged` (price or rules
    are not those of the order), `BookingRefused`, `NotOnSale` or `NotFound`.
    """

    @property
    def hold_minutes(self) -> int:
        """How long a hold lasts, of offers whose terms do not tell it."""
        ...

    async def offer(self, user_id: str, choice: Choice, seen: Offer | None = None) -> Offer:
        """Return the choice at the price it has now, or at which the user holds it.

        `seen` is the offer of a seller who knows it by an id of its own. Raises `NotOnSale` if it is sold
        out.
        """
        ...

    async def hold(self, user_id: str, call_id: str, order: Order) -> Booking:
        """Reserve seats and price for `hold_minutes`, or as long as its terms tell, free of charge."""
        ...

    async def book(self, user_id: str, call_id: str, order: Order) -> Booking:
        """Book and pay. If the user holds the same, the hold is used, at its price."""
        ...

    async def booking(self, user_id: str, reference: str) -> Booking:
        """Return a booking of the user. Raises `NotFound`."""
        ...

    async def bookings(self, user_id: str) -> Sequence[Booking]:
        """Return all bookings of the user, the oldest first."""
        ...

    async def cancellation(self, user_id: str, reference: str) -> Cancellation:
        """Return what cancelling would refund now.

        Raises `NotFound`, or `BookingRefused` if it can no longer be cancelled.
        """
        ...

    async def cancel(self, user_id: str, call_id: str, cancellation: Cancellation) -> Booking:
        """Cancel a booking, if that still refunds what `cancellation` says."""
        ...

    async def outcome_of(self, user_id: str, call_id: str) -> Booking | None:
        """Return the booking that a call led to; None if it was not executed, and never will be.

        That is final: a call of this id that arrives later is refused. A repeated one has another id.

        Raises `ProviderError` while that is not known: the call may still be running.
        """
        ...

    async def forget(self, user_id: str) -> None:
        """Forget all bookings and calls of a user."""
        ...


# --- what not every provider has -----------------------------------------------------------------------


class FareCalendar(Protocol):
    """What flights cost on the days around one, without a search for each."""

    def cheapest_by_day(self, query: FlightQuery, *, days: int) -> AsyncGenerator[DayFare, None]:
        """Yield the days up to `days` before and after that of the query, in order.

        Each has the price of the cheapest offer that a search for that day finds, with the query's own day
        of return. Days that a search would refuse are left out: those that have passed, are not on sale yet
        or come after the return. Raises `NotOnSale` for what is sold on no day at all, `ProviderError` when
        it cannot answer.
        """
        ...


class GoalFares(Protocol):
    """What flights to many places cost on some days, for who has not chosen."""

    async def cheapest_by_goal(
        self, origins: Sequence[str], goals: Sequence[City], days: Sequence[date], *, passengers: int
    ) -> Sequence[GoalFare]:
        """Return what each goal costs on each day that something is on sale for, cheapest first."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TourProgram:
    """A program that plans tours over an inventory.

    It reads one tour from its standard input, a line as `request` writes it, and ends when that is closed. It
    prints JSON objects, one a line: `{"plan": {...}}` for each plan better than those before, `{"progress":
    {"detail": "...", "done": n, "total": m}}`, and at the end `{"end": {"proven": true, ...}}` or
    `{"error": {"message": "..."}}` with a sentence fit to be shown.
    """

    command: Sequence[str]
    environment: Mapping[str, str]
    request: Callable[[Tour], bytes]
