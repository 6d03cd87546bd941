"""What the demo's booking office insists on: who may travel, what may be paid, what cancelling gives back."""

from datetime import date, datetime
from decimal import Decimal

from ....domain.errors import BookingRefused, QuoteChanged
from ...values.booking import Booking, Offer, Order
from ...values.travel import CarOffer, FlightOffer, Money
from .currencies import in_eur

MOST_PAID = Money(amount=Decimal(5000))
"""What the demo card pays at most; a dearer order is declined."""

LONGEST_NAME = 60


def check_travellers(order: Order) -> None:
    """Raise `BookingRefused` for more names than people, and for what cannot be a name."""
    if len(order.travellers) > order.people:
        raise BookingRefused(
            f"There are {len(order.travellers)} names for {order.people}; nothing was booked."
        )
    for name in order.travellers:
        if not (name.strip() and len(name) <= LONGEST_NAME and name.isprintable()):
            raise BookingRefused(
                f"A traveller's name has 1 to {LONGEST_NAME} printable characters; nothing was booked."
            )


def check_terms(seen: Offer, sold: Offer) -> None:
    """Raise `QuoteChanged` where an offer is sold otherwise by now than it was seen."""
    if seen.price_total != sold.price_total:
        raise QuoteChanged(
            f"The price has changed from {in_words(seen.price_total)} to {in_words(sold.price_total)};"
            " nothing was booked."
        )
    if _conditions(seen) != _conditions(sold):
        raise QuoteChanged("The rules for cancelling it have changed; nothing was booked.")


def check_payment(total: Money) -> None:
    """Raise `BookingRefused` where the demo card does not pay as much."""
    if in_eur(total) > MOST_PAID.amount:
        raise BookingRefused(
            f"The payment of {in_words(total)} was declined: the demo card pays up to {in_words(MOST_PAID)}."
            " Nothing was booked."
        )


def check_refund(booking: Booking, seen: Money | None, given: Money) -> None:
    """Raise `QuoteChanged` where cancelling gives back something else than was seen."""
    if seen != given:
        raise QuoteChanged(
            f"Cancelling {booking.reference} gives back {in_words(given)} now; nothing was cancelled."
        )


def refund_of(booking: Booking, *, at: datetime, today: date) -> Money:
    """Return what cancelling gives back: all of it, where that is free, else nothing; a hold costs nothing.

    Raises `BookingRefused` where there is nothing to cancel, or it is too late.
    """
    offer = booking.offer
    if booking.state in ("cancelled", "expired"):
        raise BookingRefused(f"{booking.reference} is {booking.state} already; there is nothing to cancel.")
    if isinstance(offer, FlightOffer):
        has_begun = offer.slices[0].segments[0].departs_at <= at
        is_free = offer.refundable
    else:
        has_begun = (offer.pick_up if isinstance(offer, CarOffer) else offer.check_in) < today
        is_free = offer.free_cancellation_until is not None and today <= offer.free_cancellation_until
    if has_begun:
        raise BookingRefused(f"{booking.reference} has begun; it can no longer be cancelled.")
    total = offer.price_total
    is_all_back = booking.state == "booked" and is_free
    return total if is_all_back else Money(amount=total.amount * 0, currency=total.currency)


def in_words(money: Money) -> str:
    """Return an amount for people: "1,234.50 EUR"."""
    return f"{money.amount:,} {money.currency}"


def _conditions(offer: Offer) -> object:
    return offer.refundable if isinstance(offer, FlightOffer) else offer.free_cancellation_until
