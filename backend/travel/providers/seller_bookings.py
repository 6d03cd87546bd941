"""Bookings at real sellers: each order is written down before it is sent, and sent once.

No seller's own key against repetition is relied on. What was sent and not answered is never sent again: the
seller is asked whether it has an order with our mark, at once after a crash and then again and again, until
that is known.

1. The desk reads what it needs, and then awaits `begin`: `_begin` writes the order down, in a transaction.
2. It sends it at once. All of this is a task that nobody's cancellation reaches.
3. `_finish` writes the booking and that the order is done, together; `_refuse` that nothing was done.

A process that dies after 1 leaves an order that is begun, and `outcome_of` asks the seller about it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any, Literal, NamedTuple, Protocol

import orjson

from ...domain.encoding import Clock, encode_exactly, encode_sorted
from ...domain.errors import (
    BookingRefused,
    DetourError,
    NotFound,
    NotOnSale,
    OutcomeUnknown,
    ProviderError,
)
from ...tasks.task_owner import TaskOwner
from ..values.booking import (
    Booking,
    BookingState,
    Cancellation,
    Choice,
    Offer,
    Order,
    booking_from_json,
    choice_of,
    order_from_json,
)
from ..values.travel import CarOffer, Money, from_json
from .booking_database import BookingDatabase, Steps, new_reference
from .travellers import Traveller, Travellers

# --- what a seller is asked for ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Sold:
    """What a seller has of one order: its own id, and the reference that airline or hotel go by."""

    seller_id: str
    reference: str
    state: BookingState
    offer: Offer
    held_until: datetime | None = None
    refund: Money | None = None


Begin = Callable[[], Awaitable[None]]


class Desk(Protocol):
    """Sends one seller one request at a time. It remembers nothing, and repeats nothing that writes.

    What writes awaits `begin` right before it is sent, which writes it down. It raises `OutcomeUnknown` if it
    may have been done, and any other `DetourError` only if it was not: `QuoteChanged`, `NotOnSale`,
    `BookingRefused`, `ProviderError`.
    """

    @property
    def name(self) -> str:
        """That of its offers' `provider`."""
        ...

    @property
    def prefix(self) -> str:
        """Begins our references: "FLY"."""
        ...

    @property
    def live(self) -> bool:
        """Whether anything is really bought."""
        ...

    @property
    def lost_after(self) -> timedelta:
        """After which time an order that the seller does not have will never arrive."""
        ...

    async def offer(self, seen: Offer) -> Offer:
        """Return an offer as it is sold now. Raises `NotOnSale`, `ProviderError`."""
        ...

    async def order(
        self, order: Order, people: Sequence[Traveller], mark: str, *, hold: bool, begin: Begin
    ) -> Sold:
        """Hold or book for the people of an order's `party`, with our mark on it."""
        ...

    async def pay(self, seller_id: str, order: Order, *, begin: Begin) -> Sold:
        """Pay for what is held."""
        ...

    async def found(self, mark: str, offer: Offer, since: datetime) -> Sold | None:
        """Return what the seller has under a mark, made after a moment. Raises `ProviderError`."""
        ...

    async def now(self, seller_id: str, offer: Offer) -> Sold:
        """Return what the seller has under its id. Raises `NotFound`, `ProviderError`."""
        ...

    async def refund(self, seller_id: str, booking: Booking) -> Money | None:
        """Return what cancelling gives back now, None where that is not told.

        Raises `BookingRefused`, `ProviderError`.
        """
        ...

    async def cancel(self, seller_id: str, offer: Offer, refund: Money | None, *, begin: Begin) -> Sold:
        """Cancel, if that still gives back so much."""
        ...


_OTHER_ARGUMENTS = "The call was made before, with other arguments."
_UNDER_WAY = "It is on its way still; nobody knows yet what becomes of it."
_TOO_LATE = "It is not carried out any more."

Act = Literal["hold", "book", "pay", "cancel"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sent:
    """One request as it is written down before it is sent; of what is booked already it has the ids."""

    user_id: str
    call_id: str
    act: Act
    order: Order
    seller_id: str = ""
    reference: str = ""
    refund: Money | None = None

    @property
    def seller(self) -> str:
        return self.order.offer.provider

    @property
    def key(self) -> tuple[str, str]:
        return (self.user_id, self.call_id)

    @property
    def digest(self) -> str:
        """What tells its arguments from others: a repeated call may find a hold, and is the same call."""
        act = "book" if self.act == "pay" else self.act
        told = [act, self.order, self.refund] if act != "cancel" else [act, self.reference, self.refund]
        return blake2b(encode_sorted(told), digest_size=16).hexdigest()

    @property
    def mark(self) -> str:
        """What the seller keeps with the order: nothing of the user, and the same for the same call alone."""
        return blake2b(f"{self.user_id} {self.call_id}".encode(), digest_size=16).hexdigest()

    @property
    def document(self) -> bytes:
        told = {"act": self.act, "order": self.order, "refund": self.refund}
        return encode_exactly({**told, "seller_id": self.seller_id, "reference": self.reference})


class _Row(NamedTuple):
    """What is kept of a call."""

    arguments: str
    sent: bytes
    begun_at: datetime
    state: Literal["begun", "done", "refused"]
    reference: str | None

    def read(self, user_id: str, call_id: str) -> _Sent:
        document = orjson.loads(self.sent)
        order, told = order_from_json(document.pop("order")), document.pop("refund")
        refund = from_json(Money, told) if told else None
        return _Sent(user_id=user_id, call_id=call_id, order=order, refund=refund, **document)


class _Sale(NamedTuple):
    """A booking, and the seller's own id of it."""

    booking: Booking
    seller_id: str


# --- bookings ------------------------------------------------------------------------------------------


class SellerBookings:
    """Bookings at the desks of sellers, found by the provider of an offer. Use from one event loop.

    Its methods are those of `BookingProvider`, whose errors they raise.
    """

    def __init__(
        self,
        desks: Sequence[Desk],
        database: BookingDatabase,
        travellers: Travellers,
        *,
        owner: TaskOwner,
        clock: Clock,
    ) -> None:
        self._desks: Mapping[str, Desk] = {desk.name: desk for desk in desks}
        self._database = database
        self._travellers = travellers
        self._owner = owner
        self._clock = clock
        self._under_way = set[tuple[str, str]]()

    def sells(self, provider: str) -> bool:
        """Return whether offers of a provider are booked here."""
        return provider in self._desks

    # --- reading -------------------------------------------------------------------------------------

    async def offer(self, user_id: str, choice: Choice, seen: Offer) -> Offer:
        """Return what was seen as it is sold now, or as the user holds it. May be cancelled."""
        held = await self._held(user_id, choice)
        if held is not None:
            return _until(held.booking.offer, held.booking.held_until)
        offer = await self._desk(seen.provider).offer(seen)
        if choice_of(offer) != choice:
            raise NotOnSale("That is sold with other flights or rooms by now. Please search again.")
        if Order(offer=offer).party != Order(offer=seen).party:
            raise NotOnSale("The airline asks for more of those who travel by now. Please search again.")
        ends_at = offer.terms.expires_at if not isinstance(offer, CarOffer) and offer.terms else None
        if ends_at is not None and ends_at <= self._clock():
            raise NotOnSale("That offer has ended. Please search again.")
        return offer

    async def booking(self, user_id: str, reference: str) -> Booking:
        """Return a booking of the user. May be cancelled."""
        return (await self._sale(user_id, reference)).booking

    async def bookings(self, user_id: str) -> Sequence[Booking]:
        """Return all bookings of the user, the oldest first. May be cancelled."""
        sales = await self._database.read(_sales(user_id, self._clock()))
        return [sale.booking for sale in sales]

    async def cancellation(self, user_id: str, reference: str) -> Cancellation:
        """Return what cancelling gives back now. May be cancelled."""
        booking, seller_id = await self._sale(user_id, reference)
        _check_cancellable(booking)
        refund = await self._desk(booking.provider).refund(seller_id, booking)
        return Cancellation(reference=reference, refund=refund)

    # --- writing -------------------------------------------------------------------------------------

    async def hold(self, user_id: str, call_id: str, order: Order) -> Booking:
        """Hold an offer until its seller's own time."""
        return await self._once(_Sent(user_id=user_id, call_id=call_id, act="hold", order=order))

    async def book(self, user_id: str, call_id: str, order: Order) -> Booking:
        """Book and pay, from what the user holds where that is the same."""
        sent = _Sent(user_id=user_id, call_id=call_id, act="book", order=order)
        held = await self._held(user_id, choice_of(order.offer))
        if held is not None:
            ids = {"seller_id": held.seller_id, "reference": held.booking.reference}
            sent = replace(sent, act="pay", **ids)
        return await self._once(sent)

    async def cancel(self, user_id: str, call_id: str, cancellation: Cancellation) -> Booking:
        """Cancel a booking for the refund that was quoted."""
        booking, seller_id = await self._sale(user_id, cancellation.reference)
        order = Order(offer=booking.offer, travellers=booking.travellers)
        sent = _Sent(
            user_id=user_id, call_id=call_id, act="cancel", order=order, seller_id=seller_id,
            reference=booking.reference, refund=cancellation.refund,
        )  # fmt: skip
        return await self._once(sent)

    async def outcome_of(self, user_id: str, call_id: str) -> Booking | None:
        """Return what a call came to; None where it was not done and never will be.

        Raises `ProviderError` while it is under way, or as long as the seller cannot tell. May be cancelled.
        """
        if (user_id, call_id) in self._under_way:
            raise ProviderError(_UNDER_WAY)
        row = await self._database.write(_known_or_void(user_id, call_id, self._clock()))
        if row is None or row.state == "refused":
            return None
        if row.state == "done":
            return await self.booking(user_id, row.reference or "")
        return await self._asked_about(row.read(user_id, call_id), row.begun_at)

    async def forget(self, user_id: str) -> None:
        """Forget all that is kept of a user; the sellers keep theirs."""
        await self._database.write(_forget(user_id))

    # --- one request ---------------------------------------------------------------------------------

    async def _once(self, sent: _Sent) -> Booking:
        """Send what has not been sent before; return what it came to."""
        before = await self._database.read(_call(*sent.key))
        if before is not None:
            _check_unbegun(before, sent)
            return await self.booking(sent.user_id, before.reference or "")
        self._under_way.add(sent.key)
        return await self._owner.run_to_end(self._to_end(sent), name=f"{sent.act} at {sent.seller}")

    async def _to_end(self, sent: _Sent) -> Booking:
        is_begun = False

        async def begin() -> None:
            nonlocal is_begun
            try:
                before = await self._database.write(_begin(sent, self._clock()))
            except (OutcomeUnknown, ProviderError):
                raise BookingRefused("It could not be written down, so nothing was sent.") from None
            if before is not None:
                _check_unbegun(before, sent)
                raise OutcomeUnknown(_UNDER_WAY)
            is_begun = True

        try:
            return await self._finished(sent, await self._done(sent, begin))
        except OutcomeUnknown:
            raise
        except DetourError:
            if is_begun:
                await self._database.write(_refuse(sent))
            raise
        finally:
            self._under_way.discard(sent.key)

    async def _done(self, sent: _Sent, begin: Begin) -> Sold:
        desk, order = self._desk(sent.seller), sent.order
        try:
            if sent.act == "pay":
                return await desk.pay(sent.seller_id, order, begin=begin)
            if sent.act == "cancel":
                return await desk.cancel(sent.seller_id, order.offer, sent.refund, begin=begin)
            people = await self._travellers.of(sent.user_id, order.party)
            return await desk.order(order, people, sent.mark, hold=sent.act == "hold", begin=begin)
        except DetourError:
            raise
        except Exception as error:
            # A fault of this program's, maybe after the seller has done it.
            raise OutcomeUnknown(f"It cannot be told whether {sent.seller} has done it.") from error

    async def _finished(self, sent: _Sent, sold: Sold) -> Booking:
        """Write down what was done. Raises `OutcomeUnknown` where that cannot be done now."""
        desk = self._desk(sent.seller)
        booking = Booking(
            reference=sent.reference or new_reference(desk.prefix),
            provider=desk.name,
            live=desk.live,
            state=sold.state,
            offer=sold.offer,
            travellers=sent.order.travellers,
            made_at=self._clock(),
            held_until=sold.held_until,
            refund=sold.refund,
            seller_reference=sold.reference,
        )
        try:
            return await self._database.write(_finish(sent, booking, sold.seller_id))
        except DetourError:
            raise OutcomeUnknown("It was done, and could not be written down yet.") from None

    async def _asked_about(self, sent: _Sent, begun_at: datetime) -> Booking | None:
        """Ask the seller what became of a request that was begun."""
        desk = self._desk(sent.seller)
        if sent.seller_id:
            sold = await desk.now(sent.seller_id, sent.order.offer)
            is_done = sold.state == ("cancelled" if sent.act == "cancel" else "booked")
        else:
            sold = await desk.found(sent.mark, sent.order.offer, begun_at)
            is_done = sold is not None
        if sold is not None and is_done:
            # A seller may not tell any more what a cancellation has given back: it was for what was quoted.
            refund = sold.refund or sent.refund if sent.act == "cancel" else sold.refund
            return await self._finished(sent, replace(sold, refund=refund))
        if self._clock() - begun_at < desk.lost_after:
            raise ProviderError(f"{desk.name} cannot tell yet what became of it.")
        await self._database.write(_refuse(sent))
        return None

    def _desk(self, provider: str) -> Desk:
        """Return the desk of a seller. Raises `ProviderError` where its key was taken out of the settings."""
        try:
            return self._desks[provider]
        except KeyError:
            raise ProviderError(f"This server has no key for {provider} any more.") from None

    async def _sale(self, user_id: str, reference: str) -> _Sale:
        return await self._database.read(_of_reference(user_id, reference, self._clock()))

    async def _held(self, user_id: str, choice: Choice) -> _Sale | None:
        sales = await self._database.read(_sales(user_id, self._clock()))
        held = (each for each in sales if each.booking.state == "held")
        return next((each for each in held if choice_of(each.booking.offer) == choice), None)


def _check_unbegun(row: _Row, sent: _Sent) -> None:
    """Return for a call that is done. Raises for one that is void, another one, or of unknown outcome."""
    if row.state == "refused":
        raise BookingRefused(_TOO_LATE)
    if row.arguments != sent.digest:
        raise BookingRefused(_OTHER_ARGUMENTS)
    if row.state == "begun":
        raise OutcomeUnknown(_UNDER_WAY)


def _until(offer: Offer, held_until: datetime | None) -> Offer:
    """Return what is held, at its price until the hold ends."""
    if isinstance(offer, CarOffer) or offer.terms is None:
        return offer
    return replace(offer, terms=replace(offer.terms, expires_at=held_until))


def _check_cancellable(booking: Booking) -> None:
    if booking.state in ("cancelled", "expired"):
        raise BookingRefused(f"{booking.reference} is {booking.state} already; nothing was cancelled.")


# --- statements ----------------------------------------------------------------------------------------


def _call(user_id: str, call_id: str) -> Steps[_Row | None]:
    query = (
        "SELECT arguments, sent, begun_at, state, reference FROM detour_sellers.orders"
        " WHERE user_id = $1 AND call_id = $2"
    )
    found = yield query, (user_id, call_id)
    if not found:
        return None
    arguments, sent, begun_at, state, reference = found[0]
    return _Row(arguments, bytes(sent), _moment(begun_at), state, reference)


def _moment(kept: datetime | float) -> datetime:
    return kept if isinstance(kept, datetime) else datetime.fromtimestamp(kept, UTC)


_INSERT = "INSERT INTO detour_sellers.orders VALUES ($1, $2, $3, $4, $5, $6, $7, NULL)"


def _begin(sent: _Sent, at: datetime) -> Steps[_Row | None]:
    """Write a request down; return what is kept of it where it was begun before."""
    before = yield from _call(*sent.key)
    if before is None:
        yield _INSERT, (*sent.key, sent.seller, sent.digest, sent.document, at, "begun")
    return before


def _known_or_void(user_id: str, call_id: str, at: datetime) -> Steps[_Row | None]:
    """Read what is kept of a call; one that was never made is refused from then on."""
    row = yield from _call(user_id, call_id)
    if row is None:
        yield _INSERT, (user_id, call_id, "", "", b"", at, "refused")
    return row


def _refuse(sent: _Sent) -> Steps[None]:
    change = (
        "UPDATE detour_sellers.orders SET state = 'refused', sent = $3 WHERE user_id = $1 AND call_id = $2"
    )
    yield change, (*sent.key, b"")


def _finish(sent: _Sent, booking: Booking, seller_id: str) -> Steps[Booking]:
    """Write what a request came to, once: who asked the seller meanwhile may have written it already."""
    row = yield from _call(*sent.key)
    if row is None:
        return booking  # its user was deleted meanwhile: nothing of them comes back
    if row.state == "done":
        return (yield from _of_reference(sent.user_id, row.reference or "", booking.made_at)).booking
    before = yield from _all_of(sent.user_id, booking.reference)
    if before is not None:
        kept = before.booking
        travellers = booking.travellers or kept.travellers
        booking = replace(booking, made_at=kept.made_at, travellers=travellers)
        yield "DELETE FROM detour_sellers.sales WHERE reference = $1", (booking.reference,)
    columns = (booking.reference, sent.user_id, seller_id, booking.made_at, encode_exactly(booking))
    yield "INSERT INTO detour_sellers.sales VALUES ($1, $2, $3, $4, $5)", columns
    done = (
        "UPDATE detour_sellers.orders SET state = 'done', sent = $3, reference = $4"
        " WHERE user_id = $1 AND call_id = $2"
    )
    yield done, (*sent.key, b"", booking.reference)
    return booking


_SALE = "SELECT document, seller_id FROM detour_sellers.sales WHERE user_id = $1"


def _all_of(user_id: str, reference: str) -> Steps[_Sale | None]:
    found = yield f"{_SALE} AND reference = $2", (user_id, reference)
    return _sale_of(found[0]) if found else None


def _of_reference(user_id: str, reference: str, at: datetime) -> Steps[_Sale]:
    sale = yield from _all_of(user_id, reference)
    if sale is None:
        raise NotFound(f"You have no booking {reference}.")
    return sale._replace(booking=sale.booking.as_of(at))


def _sales(user_id: str, at: datetime) -> Steps[Sequence[_Sale]]:
    rows = yield f"{_SALE} ORDER BY made_at, reference", (user_id,)
    sales = map(_sale_of, rows)
    return [sale._replace(booking=sale.booking.as_of(at)) for sale in sales]


def _sale_of(row: Sequence[Any]) -> _Sale:
    return _Sale(booking_from_json(orjson.loads(row[0])), row[1])


def _forget(user_id: str) -> Steps[None]:
    for table in ("searches", "orders", "sales", "travellers"):
        yield f"DELETE FROM detour_sellers.{table} WHERE user_id = $1", (user_id,)
