"""Journeys of a query, chosen and priced: what each of the three flight sources answers.

The sources share nothing: "network carriers" sells nonstop flights of network carriers, "low-cost carriers"
those with a low-cost flight in them, "connections" whatever has a change in at least one direction.

Of what was found, a journey is left out if another of the same carriers between the same airports leaves no
earlier, arrives no later and costs no more. The best of the rest are kept, by score (`Journey.score`).
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Literal, NamedTuple

from ...values.travel import FlightOffer, FlightQuery
from .currencies import in_currency
from .fares import SAME_CARRIER_RETURN
from .flight_offers import flight_offer
from .journeys import Journey, TicketCounter
from .sales_rules import check_flight_query
from .store import Inventory

FlightMarket = Literal["network carriers", "low-cost carriers", "connections"]

MOST_FLIGHTS: dict[FlightMarket, int] = {"network carriers": 22, "low-cost carriers": 12, "connections": 22}
_SHORTLIST = 12
_MOST_CHANGES = 2
_SCARCE = 3
_SHORTEST_STAY_MINUTES = 120
_SLOWEST, _SLOWEST_MINUTES = 2.0, 240  # a journey may take twice the fastest's time and four hours


class _Choice(NamedTuple):
    """One journey, or one there and one back, with the fare of both for one person in EUR."""

    journeys: tuple[Journey, ...]
    fare: float

    @property
    def score(self) -> float:
        return self.fare + sum(journey.score - journey.fare for journey in self.journeys)


async def find_flights(
    inventory: Inventory, query: FlightQuery, *, market: FlightMarket, today: date
) -> list[FlightOffer]:
    """Return a source's offers, best first; none where nothing flies.

    Gives the event loop a turn between its parts, each of a few milliseconds; may be cancelled there.
    Raises `NotOnSale` for dates in the past or more than a year ahead, and for groups too large to sell to.
    """
    check_flight_query(query, today=today)
    counter = TicketCounter(
        inventory, today=today.toordinal(), cabin=query.cabin_class, passengers=query.passengers
    )
    outbound = _direction(counter, query, market, query.origins, query.destinations, query.departure_date)
    if query.return_date is None:
        choices = [_Choice((journey,), fare_of((journey,))) for journey in outbound]
    else:
        await asyncio.sleep(0)
        inbound = _direction(counter, query, market, query.destinations, query.origins, query.return_date)
        choices = list(_returns(_shortlist(outbound), _shortlist(inbound)))
    await asyncio.sleep(0)
    choices = [
        choice for choice in choices if market_of(choice.journeys) == market and _affordable(choice, query)
    ]
    choices.sort(key=lambda choice: (choice.score, _identity(choice)))
    return [
        flight_offer(
            choice.journeys, choice.fare, query=query, source=market, inventory=inventory, today=today
        )
        for choice in choices[: MOST_FLIGHTS[market]]
    ]


def fare_of(journeys: tuple[Journey, ...]) -> float:
    """Return what one journey, or one there and one back, costs one person, in EUR."""
    fare = sum(journey.fare for journey in journeys)
    carriers = {carrier for journey in journeys for carrier in journey.carriers}
    return SAME_CARRIER_RETURN * fare if len(journeys) > 1 and len(carriers) == 1 else fare


def journeys_one_way(
    counter: TicketCounter, origins: Sequence[str], destinations: Sequence[str], *, day: int
) -> Iterator[tuple[FlightMarket, Journey]]:
    """Yield every journey that leaves on a local day (ordinal), with the source that sells it.

    Synchronous: some milliseconds for cities with many airports.
    """
    nonstop = counter.nonstop(origins, destinations, day=day)
    for journey in nonstop:
        yield ("low-cost carriers" if journey.low_cost else "network carriers"), journey
    scarce = len(nonstop) < _SCARCE
    connecting = counter.connecting(origins, destinations, day=day, most_stops=_MOST_CHANGES, scarce=scarce)
    for journey in _not_too_slow(connecting):
        yield "connections", journey


def _direction(
    counter: TicketCounter,
    query: FlightQuery,
    market: FlightMarket,
    origins: tuple[str, ...],
    destinations: tuple[str, ...],
    on: date,
) -> list[Journey]:
    """Return the journeys of one direction that may be part of an offer of the market."""
    day = on.toordinal()
    nonstop = counter.nonstop(origins, destinations, day=day)
    returning = query.return_date is not None
    if market == "network carriers":
        return _undominated(journey for journey in nonstop if not journey.low_cost)
    if market == "low-cost carriers":
        # A return may go out low-cost and come back otherwise.
        return _undominated(journey for journey in nonstop if journey.low_cost or returning)
    connecting = counter.connecting(
        origins,
        destinations,
        day=day,
        most_stops=_MOST_CHANGES if query.max_stops is None else query.max_stops,
        scarce=len(nonstop) < _SCARCE,
    )
    # A return may have its change in one direction only.
    return _undominated(_not_too_slow([*connecting, *(nonstop if returning else ())]))


def _not_too_slow(journeys: list[Journey]) -> list[Journey]:
    fastest = min((journey.arrives - journey.departs for journey in journeys), default=0)
    slowest = fastest * _SLOWEST + _SLOWEST_MINUTES
    return [journey for journey in journeys if journey.arrives - journey.departs <= slowest]


def _undominated(journeys: Iterable[Journey]) -> list[Journey]:
    """Return the journeys that no other beats; of equal ones the first."""
    kept: list[Journey] = []
    by_ends: dict[tuple[object, ...], list[Journey]] = {}
    ordered = sorted(journeys, key=lambda journey: (journey.fare, journey.arrives, -journey.departs))
    for journey in ordered:
        ends = (
            journey.legs[0].pattern.origin,
            journey.legs[-1].pattern.destination,
            *(leg.pattern.carrier for leg in journey.legs),
        )
        rivals = by_ends.setdefault(ends, [])
        # Cheaper or equal rivals only: the order sees to that.
        if not any(rival.departs >= journey.departs and rival.arrives <= journey.arrives for rival in rivals):
            rivals.append(journey)
            kept.append(journey)
    return kept


def _shortlist(journeys: list[Journey]) -> list[Journey]:
    """Return the best by score and the cheapest, so that pairs of them stay few."""
    best = sorted(journeys, key=lambda journey: journey.score)[:_SHORTLIST]
    cheapest = sorted(journeys, key=lambda journey: journey.fare)[: _SHORTLIST // 3]
    return list(dict.fromkeys([*best, *cheapest]))


def _returns(outbound: list[Journey], inbound: list[Journey]) -> Iterator[_Choice]:
    for there in outbound:
        for back in inbound:
            if back.departs < there.arrives + _SHORTEST_STAY_MINUTES:
                continue
            yield _Choice((there, back), fare_of((there, back)))


def market_of(journeys: tuple[Journey, ...]) -> FlightMarket:
    """Return which source sells one journey, or one there and one back."""
    if any(len(journey.legs) > 1 for journey in journeys):
        return "connections"
    return "low-cost carriers" if any(journey.low_cost for journey in journeys) else "network carriers"


def _affordable(choice: _Choice, query: FlightQuery) -> bool:
    if query.max_price is None:
        return True
    return in_currency(choice.fare, query.max_price.currency).amount <= query.max_price.amount


def _identity(choice: _Choice) -> list[tuple[int, int, int]]:
    return [
        (leg.day, leg.pattern.carrier, leg.pattern.number)
        for journey in choice.journeys
        for leg in journey.legs
    ]
