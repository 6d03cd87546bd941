"""Books and cancels rooms at LiteAPI. A `Desk` of `seller_bookings`.

A prebook tells what a room costs now and books nothing; with its id the room is booked, at once. Our mark is
the booking's `clientReference`: LiteAPI books none twice, and what was not answered is found by it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, cast
from urllib.parse import quote

from ....domain.encoding import Clock
from ....domain.errors import BookingRefused, NotFound, NotOnSale, OutcomeUnknown, ProviderError, QuoteChanged
from ...values.booking import Booking, BookingState, Offer, Order
from ...values.offers import UNTOLD, on_one_line
from ...values.travel import HotelOffer, Money
from ..seller_bookings import Begin, Sold
from ..service import UNREACHED, Service, ServiceError, listed, mapped
from ..travellers import Traveller
from .offers import PROVIDER, SOURCE, cancelling, price, priced
from .search import fault_of

READ_S = 25.0
WRITE_S = 90.0
"""For a booking or its cancelling, which suppliers are asked for meanwhile."""

_NOT_BOOKED = "Nothing was booked."
_NOT_CANCELLED = "Nothing was cancelled."
_UNREADABLE = f"{SOURCE} answered what cannot be read."
_UNANSWERED = f"{SOURCE} has not answered whether it was done."
_STATES: Mapping[str, BookingState] = {
    "CONFIRMED": "booked",
    "CANCELLED": "cancelled",
    "CANCELLED_WITH_CHARGES": "cancelled",
}

_GONE = {"2001", "4002", "4040"}
_TOO_SLOW = "4016"
_DUPLICATE = "4005"
_UNKNOWN_ID = {"204", "404"}
"""Documented as the first, with a body that status 204 cannot have."""

_DECLINED = "2013 booking not confirmed"
"""The supplier's answer was a no. With any other description 2013 says that the answer could not be read:
the room may be booked."""
_NOT_DONE = {_DECLINED, "4000", "4002", "4010"}
"""Refusals before anything is done, and those of the hotel's supplier. Not among them are 2010 and 2014, not
confirmed and incomplete, and 5000, which also tells of a booking that was not saved."""
_NOT_LET_IN = {401, 403, 429}
_REASONS = {
    _DECLINED: "The hotel did not take the booking.",
    "4002": f"{SOURCE} no longer sells that room.",
    "4010": f"{SOURCE} no longer sells that room.",
}

_MARGIN = timedelta(minutes=1)
"""Fees are those of a minute later: both clocks differ, and a request takes its time."""


class LiteapiBookings:
    """One account at LiteAPI, at its host for bookings. `live` tells whether rooms are really bought."""

    name = PROVIDER
    prefix = "STAY"
    lost_after = timedelta(hours=1)
    """A booking is made while its request is carried out, and no other way is documented; so what is not
    there after many times `WRITE_S` was not made. (An order at Duffel may be confirmed hours later.)"""

    def __init__(self, service: Service, *, live: bool, clock: Clock) -> None:
        self._service = service
        self.live = live
        self._clock = clock

    async def offer(self, seen: Offer) -> HotelOffer:
        """Return a room at the price and on the terms that it has now. See `Desk`."""
        _, now = await self._prebook(seen)
        return now

    async def order(
        self, order: Order, people: Sequence[Traveller], mark: str, *, hold: bool, begin: Begin
    ) -> Sold:
        """Book and pay from the account. See `Desk`."""
        if hold:
            raise BookingRefused(f"Rooms are not held, they are booked at once. {_NOT_BOOKED}")
        offer = order.offer
        prebook_id, now = await self._prebook(offer)
        _check_same(now, offer)
        body = {
            "prebookId": prebook_id,
            "clientReference": mark,
            "holder": {**_person(people[0]), "phone": people[0].phone},
            "guests": [
                {"occupancyNumber": room, **_person(one)} for room, one in enumerate(people[: now.rooms], 1)
            ],
            "payment": {"method": "ACC_CREDIT_CARD"},
        }
        await begin()
        try:
            told = await self._call("POST", "/rates/book", body=body, within_s=WRITE_S)
        except ServiceError as error:
            if error.fault == _DUPLICATE:
                return await self._made_before(mark, offer)
            if error.fault == _DECLINED and (sold := await self._asked_now(mark, offer)) is not None:
                return sold
            raise _meaning(error, _NOT_BOOKED) from None
        return _sold(told, offer)

    async def pay(self, seller_id: str, order: Order, *, begin: Begin) -> Sold:
        """Refuse: nothing is held here. See `Desk`."""
        raise BookingRefused("Rooms are not held, so there is nothing to pay for. Nothing was paid.")

    async def found(self, mark: str, offer: Offer, since: datetime) -> Sold | None:
        """Return the booking that carries a mark. See `Desk`."""
        params = {"clientReference": mark}
        told = await self._call("GET", "/bookings", params=params, within_s=READ_S)
        if not isinstance(told, list):
            raise ServiceError(_UNREADABLE, fault="unreadable")
        bookings = listed(cast("Sequence[Any]", told))
        ours = [each for each in bookings if each.get("clientReference") == mark]
        return _sold(ours[0], offer) if ours else None

    async def now(self, seller_id: str, offer: Offer) -> Sold:
        """Return a booking as it is now. See `Desk`."""
        return _sold(await self._booking(seller_id), offer)

    async def refund(self, seller_id: str, booking: Booking) -> Money | None:
        """Return what cancelling gives back by the booking's own rules. See `Desk`."""
        return _refund(await self._confirmed(seller_id), self._clock() + _MARGIN)

    async def cancel(self, seller_id: str, offer: Offer, refund: Money | None, *, begin: Begin) -> Sold:
        """Read the rules anew, and cancel if they give back so much. See `Desk`."""
        booking = await self._confirmed(seller_id)
        now = _refund(booking, self._clock() + _MARGIN)
        if now != refund:
            raise QuoteChanged(f"Cancelling gives back {now or 'what is not told'} now. {_NOT_CANCELLED}")
        await begin()
        try:
            told = mapped(await self._call("PUT", _path(seller_id), within_s=WRITE_S))
        except ServiceError as error:
            raise _meaning(error, _NOT_CANCELLED) from None
        sold = _sold({**booking, **told}, offer)
        if sold.state != "cancelled":
            raise OutcomeUnknown(_UNREADABLE)
        return sold

    # --- requests ------------------------------------------------------------------------------------

    async def _prebook(self, seen: Offer) -> tuple[str, HotelOffer]:
        """Return the id of a prebook, and the offer as it would be booked with that; it books nothing."""
        if not isinstance(seen, HotelOffer) or seen.terms is None:
            raise NotOnSale(f"That is no room of {SOURCE}'s.")
        sold_as = seen.terms.sold_as
        body = {"offerId": sold_as, "usePaymentSdk": False}
        try:
            told = mapped(await self._call("POST", "/rates/prebook", body=body, within_s=READ_S))
        except ServiceError as error:
            if error.fault in _GONE:
                raise NotOnSale("That room is no longer sold so. Please search again.") from None
            if error.fault == _TOO_SLOW:
                raise ServiceError(f"{SOURCE} did not answer in time.", fault="timeout") from None
            raise
        try:
            # The whole price is told once, beside the rooms. Whether something has changed is told too, but
            # since the search, and the user may have allowed that: what counts is what they have seen.
            total = price({"amount": told["price"], "currency": told["currency"]})
            rates = [rate for room in listed(told["roomTypes"]) for rate in listed(room["rates"])]
            now = replace(
                seen,
                check_in=date.fromisoformat(told["checkin"]),
                check_out=date.fromisoformat(told["checkout"]),
                **priced(
                    rates,
                    total,
                    sold_as=sold_as,
                    nights=(seen.check_out - seen.check_in).days,
                    rooms=seen.rooms,
                    children=seen.terms.children,
                ),
            )
            return _id(told["prebookId"]), now
        except UNTOLD:
            raise ServiceError(_UNREADABLE, fault="unreadable") from None

    async def _made_before(self, mark: str, offer: Offer) -> Sold:
        """Return the booking because of which another one with its mark was refused."""
        sold = await self._asked_now(mark, offer)
        if sold is None:
            raise OutcomeUnknown(f"{SOURCE} has it already, and does not show it yet.")
        return sold

    async def _asked_now(self, mark: str, offer: Offer) -> Sold | None:
        """Return the booking that carries a mark, None if there is none.

        Raises `OutcomeUnknown` where that cannot be read.
        """
        try:
            return await self.found(mark, offer, self._clock())
        except ProviderError:
            raise OutcomeUnknown(_UNANSWERED) from None

    async def _booking(self, seller_id: str) -> Mapping[str, Any]:
        try:
            told = await self._call("GET", _path(seller_id), within_s=READ_S)
        except ServiceError as error:
            if error.fault not in _UNKNOWN_ID:
                raise
            told = None
        if told is None:
            raise NotFound(f"{SOURCE} does not know that booking.")
        return mapped(told)

    async def _confirmed(self, seller_id: str) -> Mapping[str, Any]:
        booking = await self._booking(seller_id)
        if booking.get("status") != "CONFIRMED":
            raise BookingRefused(f"It is no confirmed booking now. {_NOT_CANCELLED}")
        return booking

    async def _call(
        self,
        method: str,
        path: str,
        *,
        within_s: float,
        params: Mapping[str, str] | None = None,
        body: Any = None,
    ) -> Any:
        """Return an answer's data, None where it has no body. Raises `ServiceError`.

        Errors may come with status 200.
        """
        answer = await self._service.call(method, path, params=params, body=body, within_s=within_s)
        if answer is None:
            return None
        told = mapped(answer)
        if told.get("error"):
            fault = fault_of({"error": {"code": "", **mapped(told["error"])}})
            raise ServiceError(f"{SOURCE} refused the request.", status=200, fault=fault)
        if "data" not in told:
            raise ServiceError(_UNREADABLE, fault="unreadable")
        return told["data"]


# --- what answers mean ---------------------------------------------------------------------------------


def _meaning(error: ServiceError, nothing: str) -> ProviderError:
    """Return what a write that failed is: refused for a reason, or perhaps done."""
    is_refused = error.fault in _NOT_DONE and error.status < 500
    if is_refused or error.status in _NOT_LET_IN or error.fault == UNREACHED:
        return BookingRefused(f"{_REASONS.get(error.fault, error.message)} {nothing}")
    return OutcomeUnknown(_UNANSWERED)


def _check_same(now: HotelOffer, allowed: Offer) -> None:
    """Raise `QuoteChanged` where a room is sold otherwise by now than its user has allowed."""
    if now.price_total != allowed.price_total:
        changed = f"The price has changed from {allowed.price_total} to {now.price_total}"
        raise QuoteChanged(f"{changed}. {_NOT_BOOKED}")
    if now != allowed:
        raise QuoteChanged(f"The room, its meals or the rules for cancelling it have changed. {_NOT_BOOKED}")


def _sold(told: Any, offer: Offer) -> Sold:
    """Return a booking of LiteAPI's as it is.

    Raises `OutcomeUnknown` where it cannot be read, or is on its way still.
    """
    booking = mapped(told)
    try:
        seller_id, status = _id(booking["bookingId"]), booking["status"]
        returned, currency = booking.get("refund_amount"), booking["currency"]
        if returned is None and status == "CANCELLED":  # of which nothing is kept
            returned = booking["price"]
        return Sold(
            seller_id=seller_id,
            reference=on_one_line(str(booking.get("hotelConfirmationCode") or seller_id)),
            state=_STATES[status],
            offer=offer,
            refund=None if returned is None else price({"amount": returned, "currency": currency}),
        )
    except UNTOLD:
        raise OutcomeUnknown(_UNREADABLE) from None


def _refund(booking: Mapping[str, Any], at: datetime) -> Money | None:
    """Return the price less the fee that holds at a moment; None where either is not told."""
    try:
        total = price({"amount": booking["price"], "currency": booking["currency"]})
        _, fees = cancelling([booking], total.currency)
    except UNTOLD:
        return None
    tag = mapped(booking.get("cancellationPolicies")).get("refundableTag")
    if tag == "NRFN":
        return replace(total, amount=Decimal("0.00"))
    if tag != "RFN" or not fees:
        return None
    due = [each.fee.amount for each in fees if each.since <= at]
    return replace(total, amount=max(total.amount - (due[-1] if due else 0), Decimal("0.00")))


def _id(told: Any) -> str:
    if not isinstance(told, str) or not told:
        raise ValueError("no id")
    return told


def _path(seller_id: str) -> str:
    return f"/bookings/{quote(seller_id, safe='')}"


def _person(one: Traveller) -> Mapping[str, str]:
    return {"firstName": one.given_name, "lastName": one.family_name, "email": one.email}
