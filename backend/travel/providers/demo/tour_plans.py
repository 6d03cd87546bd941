"""A plan of a tour as JSON: its stays, and its flights as the offers that a flight search shows."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any, cast

from ...values.tour import Tour
from ...values.travel import FlightOffer, FlightQuery, Money
from .currencies import HOME_CURRENCY
from .flight_offers import PROVIDER_NAME, flight_offer
from .noise import fingerprint
from .store import Inventory
from .tour_fares import PricedHop
from .tour_search import Plan


def shown_plan(plan: Plan, tour: Tour, *, inventory: Inventory, today: date) -> dict[str, Any]:
    """Return what is shown of a plan.

    `legs` are flight offers in the order they are flown, each with its price for all passengers; `stays`
    tell how long each stop is stayed in, from the day of arrival to that of leaving.
    """
    legs = [_offer(cast("PricedHop", hop), tour, inventory, today) for hop in plan.hops]
    per_person = Decimal(plan.cents) / 100
    stays = list(_stays(plan, tour))
    return {
        "offer_id": f"demo-tour-{fingerprint('tour', plan.begins, [leg.offer_id for leg in legs])}",
        "provider": PROVIDER_NAME,
        "live": False,
        "start": tour.start.name if tour.start else None,
        "order": [stay["city"] for stay in stays],
        "returns": tour.returns,
        "first_day": date.fromordinal(plan.begins),
        "last_day": date.fromordinal(plan.hops[-1].arrives) if tour.returns else stays[-1]["leave"],
        "stays": stays,
        "legs": legs,
        "passengers": tour.passengers,
        "price_total": _money(per_person * tour.passengers),
        "price_per_person": _money(per_person),
    }


def _stays(plan: Plan, tour: Tour) -> Iterator[dict[str, Any]]:
    arrivals = [hop.arrives for hop in plan.hops]
    leavings = [hop.leaves for hop in plan.hops]
    arrivals, leavings = (arrivals, leavings[1:]) if tour.start else ([plan.begins, *arrivals], leavings)
    for position, number in enumerate(plan.order):
        stop, arrives = tour.stops[number], arrivals[position]
        least = max(arrives + stop.least_nights, stop.on.toordinal() if stop.on else 0)
        leaves = leavings[position] if position < len(leavings) else least
        yield {
            "city": stop.city.name,
            "country": stop.city.country,
            "arrive": date.fromordinal(arrives),
            "leave": date.fromordinal(leaves),
            "nights": leaves - arrives,
        }


def _offer(hop: PricedHop, tour: Tour, inventory: Inventory, today: date) -> FlightOffer:
    legs = hop.journey.legs
    query = FlightQuery(
        origins=(legs[0].pattern.origin,),
        destinations=(legs[-1].pattern.destination,),
        departure_date=date.fromordinal(hop.leaves),
        passengers=tour.passengers,
    )
    return flight_offer(
        (hop.journey,), hop.journey.fare, query=query, source=hop.market, inventory=inventory, today=today
    )


def _money(amount: Decimal) -> Money:
    return Money(amount=amount.quantize(Decimal("0.01")), currency=HOME_CURRENCY)
