"""Bookings in words: the exact facts that a user is asked to allow, and what was done, in one line.

Names come from providers and may hold anything, line breaks included. A name must not be able to add a line
of its own to the facts, so each is put on one line.
"""

from collections.abc import Mapping
from datetime import date

from ..values.booking import Booking, Offer, Order
from ..values.travel import FlightSegment, FlightSlice, HotelOffer, Money

NOTHING_IS_BOUGHT = "demo: nothing is bought"

_LONGEST_NAME = 120


def facts_of(order: Order, *, total: str, refund_rule: str, live: bool) -> Mapping[str, str]:
    """Return what the user needs to know before allowing an order, by short titles."""
    facts = {"What": what(order.offer), "Who": who(order), "Total": total, "Refund rule": refund_rule}
    return facts if live else {**facts, "Demo": "nothing is bought"}


def what(offer: Offer) -> str:
    """Return what is offered: every flight with its times, or the stay with its nights and rooms."""
    if isinstance(offer, HotelOffer):
        nights = (offer.check_out - offer.check_in).days
        place = ", ".join(filter(None, [on_one_line(offer.district), on_one_line(offer.city)]))
        return (
            f"{on_one_line(offer.name)}, {offer.stars} stars, {place}: {_count(nights, 'night')} from"
            f" {day(offer.check_in)} to {day(offer.check_out)}, {_count(offer.rooms, 'room')}"
        )
    cabin = offer.cabin_class.replace("_", " ")
    return f"{'; back with '.join(map(_direction, offer.slices))}; {cabin}"


def in_short(offer: Offer) -> str:
    """Return what is offered in a few words."""
    if isinstance(offer, HotelOffer):
        return f"{on_one_line(offer.name)} from {day(offer.check_in)}"
    first = offer.slices[0].segments
    there = f"{first[0].origin} to {first[-1].destination}"
    names = dict.fromkeys(
        on_one_line(flight.carrier_name) for each in offer.slices for flight in each.segments
    )
    return f"{' and '.join(names)}, {there} on {day(first[0].departs_at)}"


def who(order: Order) -> str:
    """Return for whom it is: the names that were given, and how many there are in all."""
    people = _count(order.people, "guest" if isinstance(order.offer, HotelOffer) else "passenger")
    names = ", ".join(map(on_one_line, order.travellers))
    return f"{people}: {names}" if names else people


def refund_rule(offer: Offer) -> str:
    """Return what cancelling gives back, and until when."""
    if isinstance(offer, HotelOffer):
        until = offer.free_cancellation_until
        return f"free to cancel until {day(until)}; nothing back after that" if until else "not refundable"
    return "refundable in full until departure" if offer.refundable else "not refundable"


def money(amount: Money) -> str:
    """Return an amount for people: "1,234.50 EUR"."""
    return f"{amount.amount:,} {amount.currency}"


def done(booking: Booking) -> str:
    """Return what was done, in a line."""
    offer, reference = booking.offer, booking.reference
    if booking.state == "cancelled":
        back = money(booking.refund) if booking.refund and booking.refund.amount else "nothing"
        return f"cancelled {reference}; {back} is given back{_demo(booking)}"
    if booking.state == "booked":
        total = money(offer.price_total)
        return f"booked as {reference}: {in_short(offer)} for {total}{_demo(booking)}"
    until = f" until {booking.held_until:%H:%M} UTC" if booking.held_until else ""
    if booking.state == "expired":
        return f"{reference} was held{until} and has expired: {in_short(offer)}"
    return f"held as {reference}{until}: {in_short(offer)} for {money(offer.price_total)}{_demo(booking)}"


def listed(booking: Booking) -> str:
    """Return a booking as a line of a list."""
    held_until = f" until {booking.held_until:%H:%M} UTC" if booking.held_until else ""
    until = held_until if booking.state == "held" else ""
    total = money(booking.offer.price_total)
    return f"{booking.reference} ({booking.state}{until}): {in_short(booking.offer)}, {total}"


def on_one_line(name: str) -> str:
    """Return foreign text without line breaks and invisible characters, cut to the length of a name."""
    plain = "".join(letter if letter.isprintable() else " " for letter in name)
    plain = " ".join(plain.split())
    return plain if len(plain) <= _LONGEST_NAME else f"{plain[: _LONGEST_NAME - 1]}…"


def day(on: date) -> str:
    """Return a day for people: "Fri 4 December 2026"."""
    return f"{on:%a} {on.day} {on:%B %Y}"


def _direction(direction: FlightSlice) -> str:
    flights = [
        f"{on_one_line(each.carrier_name)} {on_one_line(each.number)} {each.origin} to {each.destination},"
        f" {day(each.departs_at)} {each.departs_at:%H:%M} to {_arrival(each)}"
        for each in direction.segments
    ]
    return ", then ".join(flights)


def _arrival(flight: FlightSegment) -> str:
    at = flight.arrives_at
    is_that_day = at.date() == flight.departs_at.date()
    return f"{at:%H:%M}" if is_that_day else f"{day(at)} {at:%H:%M}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _demo(booking: Booking) -> str:
    return "" if booking.live else f" ({NOTHING_IS_BOUGHT})"
