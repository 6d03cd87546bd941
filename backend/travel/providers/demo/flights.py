"""Flights of a query, chosen and priced: what each of the three flight sources answers.

The sources share nothing: "network carriers" sells nonstop flights of network carriers, "low-cost carriers"
those with a low-cost flight in them, "connections" whatever has a change in at least one direction.

Of what was found, a journey is left out if another of the same carriers between the same airports leaves no
earlier, arrives no later and costs no more. The best of the rest are kept, by score (`Journey.score`).
What is outside of the query's limits is left out before that, since it beats nothing then.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, timedelta, timezone
from functools import partial
from itertools import islice
from typing import Literal
from zoneinfo import ZoneInfo

from ...values.offers import FLIGHT_LIMITS
from ...values.travel import FlightOffer, FlightQuery, FlightSegment, FlightSlice, Money
from .inventory import LONG_HAUL_KM, Inventory
from .journeys import Journey, Leg, TicketCounter, fare_of
from .world import (
    CARRIERS,
    PROVIDER_NAME,
    asked_currency,
    check_flights,
    fingerprint,
    in_currency,
    is_within,
    limits_of,
    unit,
)

FlightMarket = Literal["network carriers", "low-cost carriers", "connections"]
MOST_FLIGHTS: dict[FlightMarket, int] = {"network carriers": 22, "low-cost carriers": 12, "connections": 22}

# --- offers --------------------------------------------------------------------------------------------

_EPOCH = datetime(1, 1, 1, tzinfo=ZoneInfo("UTC"))


def flight_offer(journeys: tuple[Journey, ...], counter: TicketCounter, *, currency: str) -> FlightOffer:
    """Return the offer for one journey, or one there and one back, in a currency.

    The id is the same whenever the same is offered today, and different where anything of it is.
    """
    inventory = counter.inventory
    per_person = in_currency(fare_of(journeys), currency)
    flights = [(leg.day, leg.pattern) for journey in journeys for leg in journey.legs]
    asked = (counter.today, counter.cabin, counter.passengers)
    bags, refundable, changeable = _conditions(journeys, counter)
    return FlightOffer(
        offer_id=f"demo-flight-{fingerprint('flight', inventory.seed, *asked, per_person, flights)}",
        provider=PROVIDER_NAME,
        source=market_of(journeys),
        live=False,
        slices=tuple(_slice(journey, inventory) for journey in journeys),
        passengers=counter.passengers,
        cabin_class=counter.cabin,
        price_total=Money(amount=per_person.amount * counter.passengers, currency=currency),
        price_per_person=per_person,
        checked_bags=bags,
        refundable=refundable,
        changeable=changeable,
    )


def market_of(journeys: tuple[Journey, ...]) -> FlightMarket:
    """Return which source sells one journey, or one there and one back."""
    if any(len(journey.legs) > 1 for journey in journeys):
        return "connections"
    return "low-cost carriers" if any(journey.low_cost for journey in journeys) else "network carriers"


def _conditions(journeys: tuple[Journey, ...], counter: TicketCounter) -> tuple[int, bool, bool]:
    """Return checked bags, refundable, changeable: what holds for the first flight holds for all."""
    if any(journey.low_cost for journey in journeys):
        return 0, False, False
    first = journeys[0].legs[0]
    luck = unit("conditions", counter.inventory.seed, first.pattern.carrier, first.pattern.number)
    if counter.cabin in ("business", "first"):
        return 2, luck > 0.5, True
    if first.km >= LONG_HAUL_KM:
        return 1, luck > 0.85, luck > 0.4
    return (1 if luck > 0.45 else 0), luck > 0.9, luck > 0.6


def _slice(journey: Journey, inventory: Inventory) -> FlightSlice:
    segments = tuple(_segment(leg, inventory) for leg in journey.legs)
    return FlightSlice(segments=segments, duration_minutes=journey.arrives - journey.departs)


def _segment(leg: Leg, inventory: Inventory) -> FlightSegment:
    pattern, carrier = leg.pattern, CARRIERS[leg.pattern.carrier]
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


def _local(minutes: int, zone: str) -> datetime:
    """Return UTC minutes since ordinal 0 as local time, with that moment's offset attached and no more."""
    local = (_EPOCH + timedelta(minutes=minutes - 24 * 60)).astimezone(ZoneInfo(zone))
    return local.replace(tzinfo=timezone(local.utcoffset() or timedelta()))


def _aircraft(km: float, *, low_cost: bool, number: int) -> str:
    if km >= LONG_HAUL_KM:
        return "wide-body jet"
    if low_cost or km >= 1_200:
        return "narrow-body jet"
    return "turboprop" if km < 450 and number % 3 else "regional jet"


# --- searches ------------------------------------------------------------------------------------------

_EITHER_WAY = ("airlines", "not_airlines", "max_minutes", "max_layover", "avoided")
_THERE = (*_EITHER_WAY, "departs_after", "departs_before", "arrives_after", "arrives_before")
_BACK = (*_EITHER_WAY, "returns_after", "returns_before")
_CONDITIONS = ("bags", "refundable", "changeable")
_SHORTLIST = 12
_AT_ONCE = 40  # offers built between two turns of the event loop: about three milliseconds
_SHORTEST_STAY_MINUTES = 120


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
    check_flights(query.departure_date, query.return_date, passengers=query.passengers, today=today)
    cabin, passengers = query.cabin_class, query.passengers
    counter = TicketCounter(inventory=inventory, today=today, passengers=passengers, cabin=cabin)
    left_by = (now - _EPOCH) / timedelta(minutes=1) + 24 * 60 if now is not None else 0
    search = _Search(counter, query, market, left_by=left_by)
    there = search.journeys(query.origins, query.destinations, query.departure_date, search.may_go)
    choices: Iterable[tuple[Journey, ...]] = ((journey,) for journey in there)
    if query.return_date is not None:
        await asyncio.sleep(0)
        back = search.journeys(query.destinations, query.origins, query.return_date, search.may_return)
        outward, homeward = search.shortlist(there), search.shortlist(back)
        choices = (
            (out, home)
            for out in outward
            for home in homeward
            if home.departs >= out.arrives + _SHORTEST_STAY_MINUTES
        )
    await asyncio.sleep(0)
    on_sale = (journeys for journeys in choices if market_of(journeys) == market)
    if (limit := query.max_price) is not None:  # asked of fares, since making an offer takes longer
        on_sale = (
            each for each in on_sale if in_currency(fare_of(each), limit.currency).amount <= limit.amount
        )
    offers: list[FlightOffer] = []
    for tried, journeys in enumerate(sorted(on_sale, key=_rank), 1):
        offer = search.offer(journeys)
        if is_within(offer, search.limits, FLIGHT_LIMITS):
            offers.append(offer)
        if len(offers) == MOST_FLIGHTS[market]:
            break
        if tried % _AT_ONCE == 0:
            await asyncio.sleep(0)
    return offers


def journeys_one_way(
    counter: TicketCounter, origins: Sequence[str], destinations: Sequence[str], *, day: int
) -> list[Journey]:
    """Return every journey that leaves on a local day (ordinal).

    Synchronous: some milliseconds for cities with many airports.
    """
    nonstop = counter.nonstop(origins, destinations, day=day)
    return [*nonstop, *_not_too_slow(counter.connecting(origins, destinations, day=day))]


class _Search:
    """The journeys of each direction of one query that may be part of an offer of the market."""

    def __init__(
        self, counter: TicketCounter, query: FlightQuery, market: FlightMarket, *, left_by: float
    ) -> None:
        self.limits = limits_of(query, FLIGHT_LIMITS)
        self._counter = counter
        self._query = query
        self._market = market
        self._left_by = left_by
        self._currency = asked_currency(query.max_price, query.max_total)
        # Of a return, one direction has to change planes where the query wants it, whichever.
        self._changes_either_way = "via" in self.limits and query.return_date is not None

    def offer(self, journeys: tuple[Journey, ...]) -> FlightOffer:
        """Return journeys as they are sold, whether or not within the limits."""
        return flight_offer(journeys, self._counter, currency=self._currency)

    def may_go(self, journey: Journey) -> bool:
        """Return whether a journey may be the way there: it has not left, and is within the limits."""
        via = () if self._changes_either_way else ("via",)
        return journey.departs > self._left_by and self._fits((journey,), (*_THERE, *_CONDITIONS, *via))

    def may_return(self, journey: Journey) -> bool:
        """Return whether a journey may be the way back."""
        # The way there decides on bags and refunds, but a low-cost flight on either way has neither.
        return self._fits((journey, journey), (*_BACK, *_CONDITIONS) if journey.low_cost else _BACK)

    def journeys(
        self, origins: Sequence[str], destinations: Sequence[str], on: date, may_be: Callable[[Journey], bool]
    ) -> list[Journey]:
        """Return the journeys of one direction that no other beats, of those that may be part of an offer."""
        day = on.toordinal()
        nonstop = self._counter.nonstop(origins, destinations, day=day)
        if self._market == "network carriers":
            nonstop = [journey for journey in nonstop if not journey.low_cost]
        if self._market != "connections":
            return _undominated(filter(may_be, nonstop))

        def best(journeys: list[Journey]) -> list[Journey]:
            return _undominated(filter(may_be, _not_too_slow(journeys)))

        most = 2 if self._query.max_stops is None else self._query.max_stops
        avoided = self._airports("avoided")
        connecting = partial(
            self._counter.connecting, origins, destinations, day=day, most_stops=most, avoided=avoided
        )
        passing = connecting(via=self._airports("via"))
        # A return may have its change in one direction only.
        others = nonstop if self._query.return_date is not None else []
        if not self._changes_either_way:
            return best([*passing, *others])
        return list(dict.fromkeys([*best(passing), *best([*connecting(), *others])]))

    def shortlist(self, journeys: list[Journey]) -> list[Journey]:
        """Return the best by score and the cheapest, so that pairs of them stay few.

        Where either way has to pass some place, the best that do are among them.
        """
        best = sorted(journeys, key=lambda journey: journey.score)
        cheapest = sorted(journeys, key=lambda journey: journey.fare)
        passing = (each for each in best if self._changes_either_way and self._fits((each,), ("via",)))
        short = [*best[:_SHORTLIST], *cheapest[: _SHORTLIST // 3], *islice(passing, _SHORTLIST)]
        return list(dict.fromkeys(short))

    def _fits(self, journeys: tuple[Journey, ...], names: Sequence[str]) -> bool:
        """Return whether journeys, sold together, are within some of the limits."""
        limits = {name: self.limits[name] for name in names if name in self.limits}
        return not limits or is_within(self.offer(journeys), limits, FLIGHT_LIMITS)

    def _airports(self, limit: str) -> frozenset[str]:
        return frozenset(code for place in self.limits.get(limit, ()) for code in place.airports)


def _rank(journeys: tuple[Journey, ...]) -> tuple[float, list[tuple[int, int, int]]]:
    """The score of journeys that are sold together, and what tells them from others of the same."""
    score = fare_of(journeys) + sum(journey.score - journey.fare for journey in journeys)
    legs = (leg for journey in journeys for leg in journey.legs)
    return score, [(leg.day, leg.pattern.carrier, leg.pattern.number) for leg in legs]


def _not_too_slow(journeys: list[Journey]) -> list[Journey]:
    """Return the journeys that take up to twice the fastest's time and four hours."""
    fastest = min((journey.arrives - journey.departs for journey in journeys), default=0)
    return [journey for journey in journeys if journey.arrives - journey.departs <= fastest * 2.0 + 240]


def _undominated(journeys: Iterable[Journey]) -> list[Journey]:
    """Return the journeys that no other beats; of equal ones the first."""
    kept: list[Journey] = []
    by_ends: dict[object, list[Journey]] = {}
    for journey in sorted(journeys, key=lambda one: (one.fare, one.arrives, -one.departs)):
        patterns = [leg.pattern for leg in journey.legs]
        carriers = tuple(pattern.carrier for pattern in patterns)
        rivals = by_ends.setdefault((patterns[0].origin, patterns[-1].destination, carriers), [])
        # Cheaper or equal rivals only: the order sees to that.
        if not any(rival.departs >= journey.departs and rival.arrives <= journey.arrives for rival in rivals):
            rivals.append(journey)
            kept.append(journey)
    return kept
