"""Journeys of a query, chosen and priced: what each of the three flight sources answers.

The sources share nothing: "network carriers" sells nonstop flights of network carriers, "low-cost carriers"
those with a low-cost flight in them, "connections" whatever has a change in at least one direction.

Of what was found, a journey is left out if another of the same carriers between the same airports leaves no
earlier, arrives no later and costs no more. The best of the rest are kept, by score (`Journey.score`).
What is outside of the query's limits (`limits.py`) is left out before that, since it beats nothing then.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import chain, islice
from typing import Literal, NamedTuple

from ...values.travel import FlightOffer, FlightQuery
from .currencies import in_currency
from .fares import SAME_CARRIER_RETURN
from .flight_offers import flight_offer, minutes_of
from .journeys import Journey, TicketCounter
from .limits import FlightLimits
from .sales_rules import check_flight_query
from .store import Inventory

FlightMarket = Literal["network carriers", "low-cost carriers", "connections"]

MOST_FLIGHTS: dict[FlightMarket, int] = {"network carriers": 22, "low-cost carriers": 12, "connections": 22}
_SHORTLIST = 12
_MOST_CHANGES = 2
_SCARCE = 3
_AT_ONCE = 40  # offers built between two turns of the event loop: about three milliseconds
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
    inventory: Inventory,
    query: FlightQuery,
    *,
    market: FlightMarket,
    today: date,
    now: datetime | None = None,
) -> list[FlightOffer]:
    """Return a source's offers, best first; none where nothing flies, or all that flies has left by `now`.

    Gives the event loop a turn between its parts, each of a few milliseconds; may be cancelled there.
    Raises `NotOnSale` for dates in the past or more than a year ahead, and for groups too large to sell to.
    """
    check_flight_query(query, today=today)
    counter = TicketCounter(
        inventory, today=today.toordinal(), cabin=query.cabin_class, passengers=query.passengers
    )
    # By the clock of the origin a day may have begun that is tomorrow here.
    may_have_left = now is not None and query.departure_date <= today + timedelta(days=1)
    left = minutes_of(now) if now is not None and may_have_left else None
    search = _Search(counter, query, market, FlightLimits(query, inventory), left=left)
    outbound = search.there()
    if query.return_date is None:
        choices = [_Choice((journey,), fare_of((journey,))) for journey in outbound]
    else:
        await asyncio.sleep(0)
        inbound = search.back(query.return_date)
        choices = list(_returns(_shortlist(outbound, search.limits), _shortlist(inbound, search.limits)))
    await asyncio.sleep(0)
    choices = [
        choice for choice in choices if market_of(choice.journeys) == market and _affordable(choice, query)
    ]
    choices.sort(key=lambda choice: (choice.score, _identity(choice)))
    offers: list[FlightOffer] = []
    for tried, choice in enumerate(choices, 1):
        offer = flight_offer(
            choice.journeys, choice.fare, query=query, source=market, inventory=inventory, today=today
        )
        if search.limits.offer(offer):
            offers.append(offer)
        if len(offers) == MOST_FLIGHTS[market]:
            break
        if tried % _AT_ONCE == 0:
            await asyncio.sleep(0)
    return offers


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


class _Search:
    """The journeys of each direction of one query that may be part of an offer of the market."""

    def __init__(
        self,
        counter: TicketCounter,
        query: FlightQuery,
        market: FlightMarket,
        limits: FlightLimits,
        *,
        left: float | None,
    ) -> None:
        self.limits = limits
        self._left = left
        self._counter = counter
        self._query = query
        self._market: FlightMarket = market

    def there(self) -> list[Journey]:
        """Return those of the way there that have not left."""
        query, left, is_within = self._query, self._left, self.limits.there
        ends = (query.origins, query.destinations)
        if left is None:
            return self._direction(ends, query.departure_date, is_within)
        return self._direction(
            ends, query.departure_date, lambda journey: journey.departs > left and is_within(journey)
        )

    def back(self, on: date) -> list[Journey]:
        """Return those of the way back."""
        return self._direction((self._query.destinations, self._query.origins), on, self.limits.back)

    def _direction(
        self, ends: tuple[tuple[str, ...], tuple[str, ...]], on: date, is_within: Callable[[Journey], bool]
    ) -> list[Journey]:
        day = on.toordinal()
        nonstop = self._counter.nonstop(*ends, day=day)
        returning = self._query.return_date is not None
        if self._market == "network carriers":
            return _undominated(one for one in nonstop if not one.low_cost and is_within(one))
        if self._market == "low-cost carriers":
            # A return may go out low-cost and come back otherwise.
            return _undominated(one for one in nonstop if (one.low_cost or returning) and is_within(one))

        def connecting(*, passing: bool) -> list[Journey]:
            return self._counter.connecting(
                *ends,
                day=day,
                most_stops=_MOST_CHANGES if self._query.max_stops is None else self._query.max_stops,
                scarce=len(nonstop) < _SCARCE,
                may_be=self.limits.way(passing=passing),
            )

        # A return may have its change in one direction only.
        others = nonstop if returning else []
        if not self.limits.passes_either_way:
            found = _not_too_slow([*connecting(passing=True), *others])
            return _undominated(one for one in found if is_within(one))
        passing = _not_too_slow(connecting(passing=True))
        found = _not_too_slow([*connecting(passing=False), *others])
        kept = [_undominated(filter(is_within, each)) for each in (passing, found)]
        return list(dict.fromkeys(chain.from_iterable(kept)))


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


def _shortlist(journeys: list[Journey], limits: FlightLimits) -> list[Journey]:
    """Return the best by score and the cheapest, so that pairs of them stay few.

    Where either way has to pass some place, the best that do are among them.
    """
    best = sorted(journeys, key=lambda journey: journey.score)
    cheapest = sorted(journeys, key=lambda journey: journey.fare)
    passing = filter(limits.passes, best) if limits.passes_either_way else ()
    short = [*best[:_SHORTLIST], *cheapest[: _SHORTLIST // 3], *islice(passing, _SHORTLIST)]
    return list(dict.fromkeys(short))


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
