"""Bookings in words: the exact facts that a user is asked to allow, and what was done, in one line.

Names come from providers and may hold anything, line breaks included. A name must not be able to add a line
of its own to the facts, so each is put on one line.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta

from ..values.booking import Booking, Offer, Order
from ..values.offers import on_one_line
from ..values.travel import CarOffer, FlightOffer, FlightSegment, FlightSlice, HotelOffer, Money

_NOTHING_IS_BOUGHT = "nothing is bought"

_PEOPLE: Mapping[type[Offer], str] = {FlightOffer: "passenger", HotelOffer: "guest", CarOffer: "driver"}
_GIVER: Mapping[type[Offer], str] = {FlightOffer: "airline", HotelOffer: "hotel", CarOffer: "supplier"}
_STATIONS = {"airport": "at the airport", "centre": "in the centre"}


def facts_of(
    order: Order, *, total: str, refund_rule: str, not_chosen_by: Sequence[str] = ()
) -> Mapping[str, str]:
    """Return what the user needs to know before allowing an order, by short titles."""
    facts = {"What": what(order.offer), "Who": who(order), "Total": total, "Refund rule": refund_rule}
    facts |= _terms(order.offer)
    if not_chosen_by:
        wishes = "; ".join(map(on_one_line, not_chosen_by))
        facts["You also asked for"] = f"{wishes} (this offer was not chosen by it)"
    return facts if order.offer.live else {**facts, _mode(order.offer): _NOTHING_IS_BOUGHT}


def _terms(offer: Offer) -> Mapping[str, str]:
    """Return what a real seller tells beside the price."""
    terms = None if isinstance(offer, CarOffer) else offer.terms
    if terms is None:
        return {}
    bags = "" if terms.carry_on_bags is None else _count(terms.carry_on_bags, "carry-on bag")
    if isinstance(offer, FlightOffer) and offer.checked_bags is not None:
        bags = ", ".join(filter(None, [_count(offer.checked_bags, "checked bag"), bags]))
    told = {
        "Fare" if isinstance(offer, FlightOffer) else "Room": terms.name,
        "Bags for each": bags,
        "Due at the hotel": str(terms.paid_there) if terms.paid_there else "",
        "Passports": "the airline wants one of each" if terms.papers == "passports" else "",
        PRICE_HOLDS: moment(terms.expires_at) if terms.expires_at else "",
        "Sold by": SELLERS.get(offer.provider, offer.provider),
    }
    return {title: text for title, text in told.items() if text}


PRICE_HOLDS = "Price holds until"
SELLERS = {"duffel": "Duffel", "liteapi": "LiteAPI"}
"""The names of sellers, by the provider of their offers."""


def _mode(offer: Offer) -> str:
    return "Demo" if offer.provider == "demo" else "Test mode"


def note(offer: Offer) -> str:
    """Return that nothing is bought, to stand behind a question; "" where it is."""
    return "" if offer.live else f" ({_mode(offer)}: {_NOTHING_IS_BOUGHT}.)"


def untold_refund(offer: Offer) -> str:
    """Return that what a cancellation gives back is not told yet."""
    return f"The {_GIVER[type(offer)]} tells only later what it gives back."


def given_back(refund: Money | None, offer: Offer) -> str:
    """Return what a cancellation gives back."""
    if refund is None:
        return f"what the {_GIVER[type(offer)]} settles later"
    return str(refund) if refund.amount else "nothing"


def what(offer: Offer) -> str:
    """Return what is offered: every flight with its times, a stay with its nights, a car with its days."""
    if isinstance(offer, HotelOffer):
        nights = (offer.check_out - offer.check_in).days
        place = ", ".join(filter(None, [on_one_line(offer.district), on_one_line(offer.city)]))
        stars = f"{offer.stars} stars, " if offer.stars else ""
        return (
            f"{on_one_line(offer.name)}, {stars}{place}: {_count(nights, 'night')} from"
            f" {day(offer.check_in)} to {day(offer.check_out)}, {_count(offer.rooms, 'room')}"
        )
    if isinstance(offer, CarOffer):
        return (
            f"{_car(offer)}: {offer.car_class}, {offer.transmission}, picked up {_STATIONS[offer.station]} of"
            f" {on_one_line(offer.city)} on {day(offer.pick_up)} and returned there on {day(offer.drop_off)}"
        )
    cabin = offer.cabin_class.replace("_", " ")
    return f"{'; back with '.join(map(_direction, offer.slices))}; {cabin}"


def in_short(offer: Offer) -> str:
    """Return what is offered in a few words, its city among them: nobody is to book in another one."""
    if isinstance(offer, HotelOffer):
        return f"{on_one_line(offer.name)} in {on_one_line(offer.city)} from {day(offer.check_in)}"
    if isinstance(offer, CarOffer):
        return f"{_car(offer)} in {on_one_line(offer.city)} from {day(offer.pick_up)}"
    first = offer.slices[0].segments
    there = f"{first[0].origin} to {first[-1].destination}"
    names = dict.fromkeys(
        on_one_line(flight.carrier_name) for each in offer.slices for flight in each.segments
    )
    return f"{' and '.join(names)}, {there} on {day(first[0].departs_at)}"


def told_apart(offer: Offer) -> str:
    """Return which one of many it is, in the words by which it can be booked."""
    if isinstance(offer, HotelOffer):
        return f'the hotel "{on_one_line(offer.name)}" in {on_one_line(offer.district)}'
    if isinstance(offer, CarOffer):
        return f'the {offer.transmission} car "{_car(offer)}" {_STATIONS[offer.station]}'
    return f"the flight {', back with '.join(map(_leaving, offer.slices))}"


def who(order: Order) -> str:
    """Return for whom it is: how many in all, the children among them, the names that were given."""
    people = _count(order.people, _PEOPLE[type(order.offer)])
    people += f" ({party(order.people - len(order.children), order.children)})" if order.children else ""
    names = ", ".join(map(on_one_line, order.travellers))
    return f"{people}: {names}" if names else people


def party(adults: int, ages: Sequence[int]) -> str:
    """Return adults and children by their ages: "2 adults, a child under 1, 2 children of 7 and 9"."""
    infants, others = [age for age in ages if not age], [str(age) for age in ages if age]
    of_ages = " and ".join(filter(None, [", ".join(others[:-1]), *others[-1:]]))
    children = f"a child of {of_ages}" if len(others) == 1 else f"{len(others)} children of {of_ages}"
    small = "a child under 1" if len(infants) == 1 else f"{len(infants)} children under 1"
    told = [_count(adults, "adult"), small if infants else "", children if others else ""]
    return ", ".join(filter(None, told))


def refund_rule(offer: Offer) -> str:
    """Return what cancelling gives back, and until when."""
    terms = None if isinstance(offer, CarOffer) else offer.terms
    if isinstance(offer, FlightOffer):
        if offer.refundable is None:
            return "the airline tells it when you cancel, before anything is cancelled"
        if not offer.refundable:
            return "not refundable"
        if terms is None or (terms.refund_fee and not terms.refund_fee.amount):
            return "refundable in full until departure"
        fee = f"a fee of {terms.refund_fee}" if terms.refund_fee else "a fee that is told when you cancel"
        return f"refundable until departure for {fee}"
    until, fees = offer.free_cancellation_until, terms.cancelling if terms else ()
    kept = "; ".join(f"{each.fee} is kept from {moment(each.since)} on" for each in fees)
    if until is None and not kept and terms is not None and terms.refundable is not False:
        return "the hotel tells it when you cancel, before anything is cancelled"
    if until is None:
        return kept or "not refundable"
    return f"free to cancel until {day(until)}; {kept or 'nothing back after that'}"


def changes(seen: Offer, now: Offer) -> Mapping[str, str]:
    """Return what an offer was like when it was seen, by short titles, as far as that has changed."""
    before = {"Total when found": str(seen.price_total), "Refund rule when found": refund_rule(seen)}
    after = (str(now.price_total), refund_rule(now))
    return {title: was for (title, was), is_now in zip(before.items(), after, strict=True) if was != is_now}


def done(booking: Booking) -> str:
    """Return what was done, in a line."""
    offer, reference = booking.offer, booking.reference
    if booking.state == "cancelled":
        return f"cancelled {reference}; {given_back(booking.refund, offer)} is given back{_demo(booking)}"
    if booking.state == "booked":
        total, named = str(offer.price_total), booking.seller_reference
        of_seller = f" (its own reference is {on_one_line(named)})" if named else ""
        return f"booked as {reference}{of_seller}: {in_short(offer)} for {total}{_demo(booking)}"
    until = _until(booking)
    if booking.state == "expired":
        return f"{reference} was held{until} and has expired: {in_short(offer)}"
    return f"held as {reference}{until}: {in_short(offer)} for {offer.price_total}{_demo(booking)}"


def _until(booking: Booking) -> str:
    """Until when something is held; of a day that is not that of the hold, the day."""
    if booking.held_until is None:
        return ""
    is_today = booking.held_until - booking.made_at < timedelta(hours=12)
    return f" until {f'{booking.held_until:%H:%M} UTC' if is_today else moment(booking.held_until)}"


def listed(booking: Booking) -> str:
    """Return a booking as a line of a list."""
    until = _until(booking) if booking.state == "held" else ""
    total = str(booking.offer.price_total)
    return f"{booking.reference} ({booking.state}{until}): {in_short(booking.offer)}, {total}"


def day(on: date) -> str:
    """Return a day for people: "Fri 4 December 2026"."""
    return f"{on:%a} {on.day} {on:%B %Y}"


def moment(at: datetime) -> str:
    """Return a moment for people: "Fri 4 December 2026 09:05 UTC"."""
    return f"{day(at.astimezone(UTC))} {at.astimezone(UTC):%H:%M} UTC"


def _car(car: CarOffer) -> str:
    return f"{on_one_line(car.model)}, {on_one_line(car.supplier)}"


def _direction(direction: FlightSlice) -> str:
    flights = [
        f"{on_one_line(each.carrier_name)} {on_one_line(each.number)} {each.origin} to {each.destination},"
        f" {day(each.departs_at)} {each.departs_at:%H:%M} to {_arrival(each)}"
        for each in direction.segments
    ]
    return ", then ".join(flights)


def _leaving(direction: FlightSlice) -> str:
    first = direction.segments[0].departs_at
    flights = [f"{on_one_line(each.carrier_name)} {on_one_line(each.number)}" for each in direction.segments]
    return f"{' and '.join(flights)} on {first.day} {first:%B %Y} at {first:%H:%M}"


def _arrival(flight: FlightSegment) -> str:
    at = flight.arrives_at
    is_that_day = at.date() == flight.departs_at.date()
    return f"{at:%H:%M}" if is_that_day else f"{day(at)} {at:%H:%M}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _demo(booking: Booking) -> str:
    return "" if booking.live else f" ({_mode(booking.offer).lower()}: {_NOTHING_IS_BOUGHT})"
