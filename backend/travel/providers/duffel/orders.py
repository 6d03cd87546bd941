"""Holds, pays and cancels orders at Duffel. A `Desk` of `seller_bookings`.

Duffel has no key against repetition; it books an offer request once. So each order carries our mark in its
metadata, and what was not answered is looked for by it among the latest orders.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from ....domain.errors import BookingRefused, NotFound, NotOnSale, OutcomeUnknown, ProviderError, QuoteChanged
from ...values.booking import Booking, Offer, Order, Party
from ...values.offers import UNTOLD, on_one_line
from ...values.travel import OLDEST_INFANT, FlightOffer, Money
from ..seller_bookings import Begin, Sold
from ..service import UNREACHED, Service, ServiceError, listed, mapped
from ..travellers import Passport, Traveller
from .offers import PASSPORT, PROVIDER, SOURCE, age_of, moment_of, money_of, offer_of

READ_S = 25.0
ORDER_S = 140.0
"""Airlines may take 120 s for an order; Duffel's documents ask to wait for at least 130 s."""

_MARK = "detour_mark"
_NOT_BOOKED = "Nothing was booked."
_GONE = {"offer_no_longer_available", "offer_expired", "not_found", "schedule_changed"}
_MAYBE = {"duplicate_booking", "order_creation_already_attempted"}
_BOOKED_ALREADY = "offer_request_already_booked"
_REASONS = {
    "insufficient_balance": f"The balance at {SOURCE} does not suffice.",
    "invalid_passenger_name": "The airline does not accept a traveller's name.",
    "invalid_phone_number": "The airline does not accept a phone number.",
    "payment_declined": "The payment was declined.",
    "past_payment_required_by_date": "The hold has ended.",
    "order_not_cancellable": "The airline does not let it be cancelled here.",
    "already_cancelled": "It is cancelled already.",
    _BOOKED_ALREADY: "One flight of that search is booked already; another one needs a search of its own.",
}
_PAGE = 50
_EARLIER = timedelta(minutes=5)
"""By how much the clocks of both may differ."""


class DuffelOrders:
    """One account at Duffel."""

    name = PROVIDER
    prefix = "FLY"
    lost_after = timedelta(hours=24)
    """Of an order that Duffel has accepted (202) nobody knows when its airline answers."""

    def __init__(self, service: Service, *, live: bool) -> None:
        self._service = service
        self.live = live

    async def offer(self, seen: Offer) -> FlightOffer:
        """Return an offer at the price that it has now. See `Desk`."""
        if not isinstance(seen, FlightOffer) or seen.terms is None:
            raise NotOnSale("That is no flight of a seller's.")
        told = await self._offer(seen)
        try:
            now = offer_of(told, seen.cabin_class)
        except UNTOLD:
            raise NotOnSale("That flight is no longer sold. Please search again.") from None
        if now.terms is not None and now.terms.papers == "others":
            raise NotOnSale(
                "The airline wants papers of each traveller that are no passports, and I can give it none of"
                " these: please book another flight."
            )
        return now

    async def order(
        self, order: Order, people: Sequence[Traveller], mark: str, *, hold: bool, begin: Begin
    ) -> Sold:
        """Hold, or book and pay from the balance. See `Desk`."""
        if not isinstance(order.offer, FlightOffer) or order.offer.terms is None:
            raise BookingRefused(f"That is no flight of {SOURCE}'s. {_NOT_BOOKED}")
        told = await self._offer(order.offer)
        _check_price(told, order.offer)
        total = order.offer.price_total
        body: dict[str, Any] = {
            "type": "hold" if hold else "instant",
            "selected_offers": [order.offer.terms.sold_as],
            "passengers": _passengers(listed(told.get("passengers")), people, order.party),
            "metadata": {_MARK: mark},
        }
        if not hold:
            payment = {"type": "balance", "amount": str(total.amount), "currency": total.currency}
            body["payments"] = [payment]
        await begin()
        try:
            made = await self._write("POST", "/air/orders", body, within_s=ORDER_S)
        except ServiceError as error:
            raise await self._meaning(error, order.offer) from None
        return _sold(made, order.offer)

    async def pay(self, seller_id: str, order: Order, *, begin: Begin) -> Sold:
        """Pay for a hold from the balance. See `Desk`."""
        held = await self._order(seller_id)
        total = money_of(held["total_amount"], held["total_currency"])
        if total != order.offer.price_total:
            raise QuoteChanged(f"The price has changed to {total}; nothing was paid.")
        body = {
            "order_id": seller_id,
            "payment": {"type": "balance", "amount": str(total.amount), "currency": total.currency},
        }
        await begin()
        try:
            await self._write("POST", "/air/payments", body, within_s=ORDER_S)
        except ServiceError as error:
            raise await self._meaning(error, order.offer) from None
        try:
            return await self.now(seller_id, order.offer)
        except ProviderError:
            raise OutcomeUnknown("It was paid, and the order cannot be read yet.") from None

    async def found(self, mark: str, offer: Offer, since: datetime) -> Sold | None:
        """Return the order that carries a mark. See `Desk`."""
        async for order in self._orders():
            if mapped(order.get("metadata")).get(_MARK) == mark:
                return _sold(order, offer)
            made_at = moment_of(order.get("created_at"))
            if made_at is not None and made_at < since - _EARLIER:
                return None
        return None

    async def now(self, seller_id: str, offer: Offer) -> Sold:
        """Return an order as it is now. See `Desk`."""
        return _sold(await self._order(seller_id), offer)

    async def refund(self, seller_id: str, booking: Booking) -> Money | None:
        """Return what cancelling gives back: Duffel quotes it, and cancels nothing. See `Desk`."""
        _, refund = await self._quote(seller_id)
        return refund

    async def cancel(self, seller_id: str, offer: Offer, refund: Money | None, *, begin: Begin) -> Sold:
        """Quote a cancellation anew, and confirm it if it gives back so much. See `Desk`."""
        quote_id, now = await self._quote(seller_id)
        if now != refund:
            raise QuoteChanged(
                f"Cancelling gives back {now or 'what is not told'} now; nothing was cancelled."
            )
        path = f"/air/order_cancellations/{quote_id}/actions/confirm"
        await begin()
        try:
            await self._write("POST", path, {}, within_s=ORDER_S)
        except ServiceError as error:
            raise await self._meaning(error, offer, nothing="Nothing was cancelled.") from None
        try:
            sold = await self.now(seller_id, offer)
        except ProviderError:
            raise OutcomeUnknown("It was cancelled, and the order cannot be read yet.") from None
        return replace(sold, refund=now)

    # --- requests ------------------------------------------------------------------------------------

    async def _offer(self, seen: FlightOffer) -> Mapping[str, Any]:
        sold_as = seen.terms.sold_as if seen.terms else ""
        try:
            return await self._read(f"/air/offers/{sold_as}")
        except ServiceError as error:
            if error.fault in _GONE:
                raise NotOnSale("That flight is no longer sold. Please search again.") from None
            raise

    async def _order(self, seller_id: str) -> Mapping[str, Any]:
        try:
            return await self._read(f"/air/orders/{seller_id}")
        except ServiceError as error:
            if error.fault == "not_found":
                raise NotFound(f"{SOURCE} does not know that order.") from None
            raise

    async def _orders(self) -> AsyncGenerator[Mapping[str, Any]]:
        """Yield the orders, the newest first."""
        params: dict[str, str | int] = {"limit": _PAGE}
        while True:
            answer = mapped(await self._service.call("GET", "/air/orders", params=params, within_s=READ_S))
            for order in listed(answer.get("data")):
                yield order
            after = mapped(answer.get("meta")).get("after")
            if not after:
                return
            params["after"] = after

    async def _quote(self, seller_id: str) -> tuple[str, Money | None]:
        """Return the id of a quote for cancelling, and what it gives back; it cancels nothing."""
        body = {"order_id": seller_id}
        try:
            told = await self._write("POST", "/air/order_cancellations", body, within_s=READ_S)
        except ServiceError as error:
            if error.fault in _REASONS:
                raise BookingRefused(f"{_REASONS[error.fault]} Nothing was cancelled.") from None
            raise
        amount, currency = told.get("refund_amount"), told.get("refund_currency")
        return str(told["id"]), money_of(amount, currency) if amount and currency else None

    async def _read(self, path: str) -> Mapping[str, Any]:
        return _data(await self._service.call("GET", path, within_s=READ_S))

    async def _write(self, method: str, path: str, body: Any, *, within_s: float) -> Mapping[str, Any]:
        return _data(await self._service.call(method, path, body={"data": body}, within_s=within_s))

    async def _meaning(self, error: ServiceError, offer: Offer, *, nothing: str = _NOT_BOOKED) -> Exception:
        """Return what a write that failed is: refused for a reason, or perhaps done."""
        if error.fault == "price_changed" and isinstance(offer, FlightOffer):
            now = (await self.offer(offer)).price_total
            return QuoteChanged(f"The price has changed from {offer.price_total} to {now}. {nothing}")
        if error.fault in _GONE:
            return NotOnSale(f"That flight is no longer sold. {nothing}")
        is_refused = 400 <= error.status < 500 and error.fault not in _MAYBE
        if is_refused or error.status == 503 or error.fault == UNREACHED:
            reason = _REASONS.get(error.fault, error.message)
            return BookingRefused(f"{reason} {nothing}")
        return OutcomeUnknown(f"{SOURCE} has not answered whether it was done.")


def _check_price(told: Mapping[str, Any], seen: FlightOffer) -> None:
    """Raise `QuoteChanged` where an offer costs something else by now than its user has allowed."""
    now = offer_of(told, seen.cabin_class)
    if now.price_total != seen.price_total:
        changed = f"The price has changed from {seen.price_total} to {now.price_total}"
        raise QuoteChanged(f"{changed}; nothing was booked.")
    rules = [(each.refundable, each.terms.refund_fee if each.terms else None) for each in (seen, now)]
    if rules[0] != rules[1]:
        raise QuoteChanged("The rules for cancelling it have changed; nothing was booked.")


def _passengers(
    told: Sequence[Mapping[str, Any]], people: Sequence[Traveller], party: Party
) -> Sequence[Mapping[str, Any]]:
    """Return people as the passengers of an offer, who may come in any order; infants fly with an adult each.

    Raises `NotOnSale` where the offer is for others.
    """
    ages: list[int | None] = [*[None] * party.adults, *party.children]
    free = [(age_of(each), str(each.get("id"))) for each in told]
    if sorted(map(repr, ages)) != sorted(repr(age) for age, _ in free):
        raise NotOnSale(f"That flight is sold for travellers of other ages by now. {_NOT_BOOKED}")
    passengers = list[dict[str, Any]]()
    for age, person in zip(ages, people, strict=True):
        taken = next(each for each in free if each[0] == age)
        free.remove(taken)
        documents = [_document(person.passport)] if party.passports and person.passport else []
        passengers.append(_passenger(person, taken[1], documents))
    infants = (
        one for age, one in zip(ages, passengers, strict=True) if age is not None and age <= OLDEST_INFANT
    )
    for adult, infant in zip(passengers, infants, strict=False):
        adult["infant_passenger_id"] = infant["id"]
    return passengers


def _document(passport: Passport) -> Mapping[str, str]:
    return {
        "type": PASSPORT,
        "unique_identifier": passport.number,
        "issuing_country_code": passport.country,
        "expires_on": passport.expires_on.isoformat(),
    }


def _passenger(
    person: Traveller, passenger_id: str, documents: Sequence[Mapping[str, str]]
) -> dict[str, Any]:
    return {
        **({"identity_documents": documents} if documents else {}),
        "id": passenger_id,
        "title": person.title,
        "given_name": person.given_name,
        "family_name": person.family_name,
        "gender": person.gender,
        "born_on": person.born_on.isoformat(),
        "email": person.email,
        "phone_number": person.phone,
    }


def _sold(order: Mapping[str, Any], offer: Offer) -> Sold:
    """Return an order of Duffel's as it is. Raises `OutcomeUnknown` where it cannot be read."""
    try:
        payment = mapped(order.get("payment_status"))
        is_held = payment.get("awaiting_payment") is True
        cancelled, cancellation = order.get("cancelled_at"), mapped(order.get("cancellation"))
        amount, currency = cancellation.get("refund_amount"), cancellation.get("refund_currency")
        return Sold(
            seller_id=str(order["id"]),
            reference=on_one_line(str(order.get("booking_reference") or "")),
            state="cancelled" if cancelled else "held" if is_held else "booked",
            offer=offer,
            held_until=moment_of(payment.get("payment_required_by")) if is_held else None,
            refund=money_of(amount, currency) if cancelled and amount and currency else None,
        )
    except UNTOLD:
        raise OutcomeUnknown(f"{SOURCE} answered what cannot be read.") from None


def _data(answer: Any) -> Mapping[str, Any]:
    data = mapped(mapped(answer).get("data"))
    if "id" not in data:
        # 200 and 202 for an order: booked or maybe, and not to be seen yet.
        raise ServiceError(f"{SOURCE} has no answer yet.", fault="pending")
    return data
