"""Journeys as offers: minutes become local times, a fare becomes a price with its conditions."""

from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from ...values.travel import FlightOffer, FlightQuery, FlightSegment, FlightSlice, Money
from .carriers import CARRIERS
from .currencies import HOME_CURRENCY, in_currency
from .journeys import Journey, Leg
from .noise import fingerprint, unit
from .schedule import LONG_HAUL_KM
from .store import Inventory

PROVIDER_NAME = "demo"

_EPOCH = datetime(1, 1, 1, tzinfo=ZoneInfo("UTC"))


def flight_offer(
    journeys: tuple[Journey, ...],
    fare: float,
    *,
    query: FlightQuery,
    source: str,
    inventory: Inventory,
    today: date,
) -> FlightOffer:
    """Return the offer for one or two journeys at a fare in EUR per person.

    The id is the same whenever the same is offered today, and different where anything of it is.
    """
    currency = query.max_price.currency if query.max_price else HOME_CURRENCY
    per_person = in_currency(fare, currency)
    flights = [(leg.day, leg.pattern) for journey in journeys for leg in journey.legs]
    identity = fingerprint(
        "flight", inventory.seed, today, query.cabin_class, query.passengers, per_person, flights
    )
    bags, refundable, changeable = conditions(journeys, query=query, seed=inventory.seed)
    return FlightOffer(
        offer_id=f"demo-flight-{identity}",
        provider=PROVIDER_NAME,
        source=source,
        live=False,
        slices=tuple(slice_of(journey, inventory) for journey in journeys),
        passengers=query.passengers,
        cabin_class=query.cabin_class,
        price_total=Money(amount=per_person.amount * query.passengers, currency=currency),
        price_per_person=per_person,
        checked_bags=bags,
        refundable=refundable,
        changeable=changeable,
    )


def conditions(journeys: tuple[Journey, ...], *, query: FlightQuery, seed: int) -> tuple[int, bool, bool]:
    """Return checked bags, refundable, changeable: what holds for the first flight holds for all."""
    if any(journey.low_cost for journey in journeys):
        return 0, False, False
    first = journeys[0].legs[0]
    luck = unit("conditions", seed, first.pattern.carrier, first.pattern.number)
    if query.cabin_class in ("business", "first"):
        return 2, luck > 0.5, True
    if first.km >= LONG_HAUL_KM:
        return 1, luck > 0.85, luck > 0.4
    return (1 if luck > 0.45 else 0), luck > 0.9, luck > 0.6


def slice_of(journey: Journey, inventory: Inventory) -> FlightSlice:
    """Return one direction of an offer."""
    return FlightSlice(
        segments=tuple(_segment(leg, inventory) for leg in journey.legs),
        duration_minutes=journey.arrives - journey.departs,
    )


def _segment(leg: Leg, inventory: Inventory) -> FlightSegment:
    pattern = leg.pattern
    carrier = CARRIERS[pattern.carrier]
    return FlightSegment(
        carrier=carrier.id,
        carrier_name=carrier.name,
        number=str(pattern.number),
        origin=pattern.origin,
        destination=pattern.destination,
        departs_at=_local(leg.departs, inventory.airports[pattern.origin].zone),
        arrives_at=_local(leg.arrives, inventory.airports[pattern.destination].zone),
        duration_minutes=pattern.block,
        aircraft=_aircraft(leg.km, low_cost=carrier.low_cost, number=pattern.number),
    )


def minutes_of(moment: datetime) -> float:
    """Return a moment in UTC minutes since ordinal 0, as journeys tell their hours."""
    return (moment - _EPOCH) / timedelta(minutes=1) + 24 * 60


def _local(minutes: int, zone: str) -> datetime:
    """Return UTC minutes since ordinal 0 as local time, with that moment's offset attached and no more."""
    local = (_EPOCH + timedelta(minutes=minutes - 24 * 60)).astimezone(ZoneInfo(zone))
    return local.replace(tzinfo=timezone(local.utcoffset() or timedelta()))


def _aircraft(km: float, *, low_cost: bool, number: int) -> str:
    if km >= LONG_HAUL_KM:
        return "wide-body jet"
    if low_cost or km >= 1_200:
        return "narrow-body jet"
    if km < 450 and number % 3:
        return "turboprop"
    return "regional jet"
