"""The tools that hold, book and cancel: each quotes exactly what it would do, and then does just that.

A user allows what the quote said, total and refund included; if that is no longer true when the call runs,
the provider refuses. A call's id is the provider's idempotency key, so that no call is executed twice.
"""

import copy
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, Self, TypeVar

import orjson

from ...domain.encoding import encode
from ...domain.errors import BadInput, NotOnSale
from ...domain.tool_call import Effect, ToolCall
from ...tasks.ledger.base import Quote, Report, ToolResult, WriteTool
from ..providers.base import BookingProvider
from ..understanding.result import Bookable
from ..values.booking import (
    Booking,
    Cancellation,
    Choice,
    FlightChoice,
    Offer,
    Order,
    RentalChoice,
    StayChoice,
    Wanted,
    choice_of,
    order_from_json,
)
from ..values.travel import CarOffer, FlightOffer, from_json
from . import booking_words as words

T = TypeVar("T")

_NOUNS: Mapping[type[Choice], str] = {FlightChoice: "flight", StayChoice: "hotel", RentalChoice: "car"}


class _BookingWrite:
    """What the writes have in common. A write is never answered from an earlier result."""

    effect: Effect = "write"
    fresh_s = 0.0

    def __init__(self, provider: BookingProvider) -> None:
        self._provider = provider
        self._seen: Offer | None = None

    def after_seeing(self, offer: Offer) -> Self:
        """Return this tool for a user who saw the offer earlier: its quote says what has changed since."""
        # No part of the arguments, which tell one call from another: the same is done, whatever was seen.
        tool = copy.copy(self)
        tool._seen = offer
        return tool

    async def outcome_of(self, user_id: str, call_id: str) -> ToolResult | None:
        """Return the outcome of a call. See `WriteTool`."""
        booking = await self._provider.outcome_of(user_id, call_id)
        return None if booking is None else _result(booking)

    def _quoted(
        self, order: Order, wanted: Wanted, question: str, *, total: str, refund_rule: str, booked: str = ""
    ) -> Quote:
        """Return the quote of an order, beginning with what has changed since the user saw the offer."""
        facts = words.facts_of(
            order,
            total=total,
            refund_rule=refund_rule,
            not_chosen_by=wanted.not_chosen_by,
        )
        already = {"Booked already": booked} if booked else {}
        prompt = f"{question}{words.note(order.offer)} {wanted.beside}".rstrip()
        changes = words.changes(self._seen, order.offer) if self._seen is not None else None
        if changes:
            prompt = f"That has changed since it was found ({'; '.join(changes.values())}). {prompt}"
        return Quote(order, prompt, {**facts, **already, **(changes or {})})


class HoldFlight(_BookingWrite):
    """Keeps the seats and the price of a flight for some minutes, free of charge."""

    name = "hold_flight"

    async def quote(self, user_id: str, arguments: Wanted) -> Quote:
        """Return what would be held. Raises `NotOnSale` if it is sold out; may be cancelled."""
        order = await _ordered(self._provider, user_id, arguments, of=FlightChoice)
        offer = order.offer
        terms = offer.terms if isinstance(offer, FlightOffer) else None
        if terms is not None and terms.held_until is None:
            raise NotOnSale("The airline lets nobody hold this fare: it is booked at once.")
        minutes = f"{self._provider.hold_minutes} minutes"
        until = words.moment(terms.held_until) if terms is not None and terms.held_until else ""
        ends = f"on {until}" if until else f"after {minutes}"
        rule = f"a hold ends by itself {ends}; once booked {words.refund_rule(offer)}"
        total = f"{offer.price_total} if you book; holding is free"
        prompt = f"Shall I hold {words.in_short(offer)} {f'until {until}' if until else f'for {minutes}'}?"
        return self._quoted(order, arguments, prompt, total=total, refund_rule=rule)

    async def run(self, arguments: Mapping[str, Any], report: Report) -> ToolResult:
        """Hold it. See `BookingProvider` for what it raises."""
        order = _read(order_from_json, arguments)
        report.progress(f"holding {words.in_short(order.offer)}", done=0, total=1)
        return _result(await self._provider.hold(report.user_id, report.call_id, order))


class _Book(_BookingWrite):
    """Books an offer of one kind."""

    kind: type[Choice]

    async def quote(self, user_id: str, arguments: Wanted) -> Quote:
        """Return what would be booked. Raises `NotOnSale` if it is sold out; may be cancelled."""
        order = await _ordered(self._provider, user_id, arguments, of=self.kind)
        total = str(order.offer.price_total)
        prompt = f"Shall I book {words.in_short(order.offer)} for {total}?"
        # Somebody who asks twice may have missed the first answer. It is asked, not refused: two of the same
        # room are a sensible wish.
        booked = await self._booked_already(user_id, arguments.choice)
        if booked:
            prompt = f"You have booked just that already, as {booked}. {prompt[:-1]} once more?"
        rule = words.refund_rule(order.offer)
        return self._quoted(order, arguments, prompt, total=total, refund_rule=rule, booked=booked)

    async def _booked_already(self, user_id: str, choice: Choice) -> str:
        """Return the references under which the user has booked the same; "" if there are none."""
        bookings = await self._provider.bookings(user_id)
        same = (each for each in bookings if each.state == "booked" and choice_of(each.offer) == choice)
        return ", ".join(each.reference for each in same)

    async def run(self, arguments: Mapping[str, Any], report: Report) -> ToolResult:
        """Book it. See `BookingProvider` for what it raises."""
        order = _read(order_from_json, arguments)
        report.progress(f"booking {words.in_short(order.offer)}", done=0, total=1)
        return _result(await self._provider.book(report.user_id, report.call_id, order))


class BookFlight(_Book):
    """Books a flight, from the user's hold if there is one."""

    name = "book_flight"
    kind = FlightChoice


class BookHotel(_Book):
    """Books a stay."""

    name = "book_hotel"
    kind = StayChoice


class BookCar(_Book):
    """Books a rental car."""

    name = "book_car"
    kind = RentalChoice


class CancelBooking(_BookingWrite):
    """Cancels a booking, or ends a hold."""

    name = "cancel_booking"

    async def quote(self, user_id: str, arguments: Cancellation) -> Quote:
        """Return what cancelling refunds. Raises `NotFound` or `BookingRefused`; may be cancelled."""
        booking = await self._provider.booking(user_id, arguments.reference)
        quoted = await self._provider.cancellation(user_id, arguments.reference)
        offer = booking.offer
        paid = str(offer.price_total) if booking.state == "booked" else "nothing was paid for the hold"
        back = words.given_back(quoted.refund, offer)
        facts = {
            "Booking": booking.reference,
            **words.facts_of(
                Order(offer=offer, travellers=booking.travellers),
                total=paid,
                refund_rule=words.refund_rule(offer) if booking.state == "booked" else "a hold costs nothing",
            ),
            "Given back": back,
        }
        facts.pop(words.PRICE_HOLDS, None)  # it is paid, or held
        gives = f", with {back} given back?" if quoted.refund else f"? {words.untold_refund(offer)}"
        prompt = f"Shall I cancel {booking.reference}, {words.in_short(offer)}{gives}"
        return Quote(quoted, f"{prompt}{words.note(offer)}", facts)

    async def run(self, arguments: Mapping[str, Any], report: Report) -> ToolResult:
        """Cancel it. See `BookingProvider` for what it raises."""
        cancellation = _read(partial(from_json, Cancellation), arguments)
        report.progress(f"cancelling {cancellation.reference}", done=0, total=1)
        return _result(await self._provider.cancel(report.user_id, report.call_id, cancellation))


class ListBookings:
    """Lists what the user holds, has booked and has cancelled; its arguments are empty."""

    name = "list_bookings"
    effect: Effect = "read"
    fresh_s = 0.0

    def __init__(self, provider: BookingProvider) -> None:
        self._provider = provider

    async def run(self, arguments: Mapping[str, Any], report: Report) -> ToolResult:
        """Return the bookings as `value`, the oldest first: each `booking`, and a `line` for people."""
        bookings = await self._provider.bookings(report.user_id)
        count = len(bookings)
        value = [{"booking": _plain(booking), "line": words.listed(booking)} for booking in bookings]
        return ToolResult(f"{count} booking{'' if count == 1 else 's'}", value)


class WantedWrite(NamedTuple):
    """A write that a message wants: the tool that makes it, and what is wanted of that tool."""

    tool: WriteTool[Any]
    wanted: Wanted | Cancellation


class BookingTools:
    """All tools over one provider of bookings; `writes` are those that change something."""

    def __init__(self, provider: BookingProvider) -> None:
        self.hold_flight = HoldFlight(provider)
        self.book_flight = BookFlight(provider)
        self.book_hotel = BookHotel(provider)
        self.book_car = BookCar(provider)
        self.cancel_booking = CancelBooking(provider)
        self.list_bookings = ListBookings(provider)
        self.writes: tuple[WriteTool[Any], ...] = (
            self.hold_flight,
            self.book_flight,
            self.book_hotel,
            self.book_car,
            self.cancel_booking,
        )

    def books(self, kind: Bookable) -> "BookFlight | BookHotel | BookCar":
        """Return the tool that books what an agent found."""
        return {"flight": self.book_flight, "hotel": self.book_hotel, "car": self.book_car}[kind]

    def wanted_by(self, call: ToolCall) -> WantedWrite | None:
        """Return what a call that was quoted is to write; None for any other call."""
        tool = next((each for each in self.writes if each.name == call.tool), None)
        if tool is None:
            return None
        try:
            if isinstance(tool, CancelBooking):
                reference = from_json(Cancellation, call.arguments).reference
                return WantedWrite(tool, Cancellation(reference=reference))
            order = order_from_json(call.arguments)
        except (KeyError, TypeError, ValueError):
            return None  # refused before it had a quote: its arguments are the wish, and not an order
        return WantedWrite(tool, wanted_of(order.offer, travellers=order.travellers))


def wanted_of(offer: Offer, *, travellers: tuple[str, ...] = ()) -> Wanted:
    """Return the wish for an offer: of a seller's, with what its seller knows it by."""
    seen = None if isinstance(offer, CarOffer) or offer.terms is None else offer
    return Wanted(choice=choice_of(offer), travellers=travellers, seen=seen)


async def _ordered(provider: BookingProvider, user_id: str, wanted: Wanted, *, of: type[Choice]) -> Order:
    if not isinstance(wanted.choice, of):
        raise BadInput(f"choice: this is no {_NOUNS[of]}.")
    offer = await provider.offer(user_id, wanted.choice, wanted.seen)
    return Order(offer=offer, travellers=wanted.travellers)


def _read(read: Callable[[Mapping[str, Any]], T], arguments: Mapping[str, Any]) -> T:
    # A write runs on the arguments that were stored with its quote, not on the values that were quoted: a
    # server that was restarted in between executes exactly what the user allowed.
    try:
        return read(arguments)
    except (KeyError, TypeError, ValueError):
        raise BadInput("arguments: they are not those of a quote.") from None


def _result(booking: Booking) -> ToolResult:
    return ToolResult(words.done(booking), _plain(booking))


def _plain(booking: Booking) -> dict[str, Any]:
    """Return a booking as JSON's own values, the same whether it is fresh or was read back from a store."""
    return orjson.loads(encode(booking))
