"""Flights of a query, chosen and priced: what each of the three flight sources answers.

The sources share nothing: "network carriers" sells nonstop flights of network carriers, "low-cost carriers"
those with a low-cost flight in them, "connections" whatever has a change in at least one direction.

Of what was found, a journey is left out if another of the same carriers between the same airports leaves no
earlier, arrives no later and costs no more. The best of the rest are kept, by score (`Journey.score`).
What is outside of the query's limits is left out before that, since it beats nothing then.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta, timezone
from itertools import islice
from typing import Any, Literal, NamedTuple
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter

from ...values.offers import FLIGHT_LIMITS
from ...values.travel import FlightOffer, FlightQuery, FlightSegment, FlightSlice, Money
from .inventory import LONG_HAUL_KM, Inventory
from .journeys import Journey, Leg, MayBe, TicketCounter, fare_of
from .world import (
    CARRIERS,
    PROVIDER_NAME,
    asked_currency,
    check_flight_query,
    fingerprint,
    in_currency,
    limits_of,
    unit,
)

FlightMarket = Literal["network carriers", "low-cost carriers", "connections"]
MOST_FLIGHTS: dict[FlightMarket, int] = {"network carriers": 22, "low-cost carriers": 12, "connections": 22}

# --- offers --------------------------------------------------------------------------------------------

_EPOCH = datetime(1, 1, 1, tzinfo=ZoneInfo("UTC"))


def flight_offer(
    journeys: tuple[Journey, ...],
    fare: float,
    *,
    query: FlightQuery,
    source: FlightMarket,
    inventory: Inventory,
    today: date,
) -> FlightOffer:
    """Return the offer for one or two journeys at a fare in EUR per person.

    The id is the same whenever the same is offered today, and different where anything of it is.
    """
    per_person = in_currency(fare, asked_currency(query.max_price or query.max_total))
    flights = [(leg.day, leg.pattern) for journey in journeys for leg in journey.legs]
    identity = fingerprint(
        "flight", inventory.seed, today, query.cabin_class, query.passengers, per_person, flights
    )
    bags, refundable, changeable = _conditions(journeys, query, inventory)
    return FlightOffer(
        offer_id=f"demo-flight-{identity}",
        provider=PROVIDER_NAME,
        source=source,
        live=False,
        slices=tuple(_slice(journey, inventory) for journey in journeys),
        passengers=query.passengers,
        cabin_class=query.cabin_class,
        price_total=Money(amount=per_person.amount * query.passengers, currency=per_person.currency),
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


def _conditions(
    journeys: tuple[Journey, ...], query: FlightQuery, inventory: Inventory
) -> tuple[int, bool, bool]:
    """Return checked bags, refundable, changeable: what holds for the first flight holds for all."""
    if any(journey.low_cost for journey in journeys):
        return 0, False, False
    first = journeys[0].legs[0]
    luck = unit("conditions", inventory.seed, first.pattern.carrier, first.pattern.number)
    if query.cabin_class in ("business", "first"):
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


# --- limits --------------------------------------------------------------------------------------------

_EITHER_WAY = ("airlines", "not_airlines", "max_minutes", "max_layover", "avoided")
_THERE = (*_EITHER_WAY, "departs_after", "departs_before", "arrives_after", "arrives_before")
_BACK = (*_EITHER_WAY, "returns_after", "returns_before")
_CONDITIONS = ("bags", "refundable", "changeable")
_SLICE, _OFFER = TypeAdapter(FlightSlice), TypeAdapter(FlightOffer)


class _Limits:
    """What a query's limits leave: of the journeys of each direction, of their pairs, and of ways to fly."""

    def __init__(self, query: FlightQuery, inventory: Inventory, *, left_by: float | None) -> None:
        self._query = query
        self._inventory = inventory
        self._left_by = left_by
        self._values = limits_of(query, FLIGHT_LIMITS)
        self.passes_either_way = "via" in self._values and query.return_date is not None
        """Whether one direction of a return, whichever, has to change planes somewhere."""

    def there(self, journey: Journey) -> bool:
        """Return whether a journey may be the way there: it has not left, and is within the limits."""
        if self._left_by is not None and journey.departs <= self._left_by:
            return False
        if not self._values:
            return True
        bags, refundable, changeable = _conditions((journey,), self._query, self._inventory)
        conditions = {"checked_bags": bags, "refundable": refundable, "changeable": changeable}
        via = () if self.passes_either_way else ("via",)
        return self._fits({"slices": [self._form(journey)], **conditions}, (*_THERE, *_CONDITIONS, *via))

    def back(self, journey: Journey) -> bool:
        """Return whether a journey may be the way back."""
        # The way there decides on bags and refunds, but a low-cost flight on either way has neither.
        if journey.low_cost and any(self._values.get(name) for name in _CONDITIONS):
            return False
        return not self._values or self._fits({"slices": [self._form(journey)] * 2}, _BACK)

    def passes(self, journey: Journey) -> bool:
        """Return whether planes are changed where the query wants it."""
        return self._fits({"slices": [self._form(journey)]}, ("via",))

    def offer(self, offer: FlightOffer) -> bool:
        """Return whether an offer is within all limits."""
        return not self._values or self._fits(_OFFER.dump_python(offer, mode="json"), tuple(self._values))

    def way(self, *, passing: bool) -> MayBe:
        """Return which airports one may change at; with `passing`, one of them where the query wants it."""
        via = self._codes("via") if passing else frozenset[str]()
        avoided = self._codes("avoided")
        return lambda hubs: avoided.isdisjoint(hubs) and (not via or not via.isdisjoint(hubs))

    def _codes(self, name: str) -> frozenset[str]:
        return frozenset(code for place in self._values.get(name, ()) for code in place.airports)

    def _form(self, journey: Journey) -> Any:
        return _SLICE.dump_python(_slice(journey, self._inventory), mode="json")

    def _fits(self, form: Mapping[str, Any], names: tuple[str, ...]) -> bool:
        values = self._values
        return all(FLIGHT_LIMITS[name].fits(form, values[name]) for name in names if name in values)


# --- searches ------------------------------------------------------------------------------------------

_SHORTLIST = 12
_MOST_CHANGES = 2
_SCARCE = 3
_AT_ONCE = 40  # offers built between two turns of the event loop: about three milliseconds
_SHORTEST_STAY_MINUTES = 120


class _Choice(NamedTuple):
    """One journey, or one there and one back, with the fare of both for one person in EUR."""

    journeys: tuple[Journey, ...]
    fare: float

    @property
    def rank(self) -> tuple[float, list[tuple[int, int, int]]]:
        """The score, and what tells it from others of the same."""
        score = self.fare + sum(journey.score - journey.fare for journey in self.journeys)
        legs = (leg for journey in self.journeys for leg in journey.legs)
        return score, [(leg.day, leg.pattern.carrier, leg.pattern.number) for leg in legs]


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
    # By the clock of the origin a day may have begun that is tomorrow here.
    may_have_left = now is not None and query.departure_date <= today + timedelta(days=1)
    left_by = (now - _EPOCH) / timedelta(minutes=1) + 24 * 60 if now is not None and may_have_left else None
    limits = _Limits(query, inventory, left_by=left_by)
    search = _Search(inventory, query, market, limits, today=today)
    journeys = search.journeys(query.origins, query.destinations, query.departure_date, limits.there)
    choices: Iterable[tuple[Journey, ...]] = ((journey,) for journey in journeys)
    if query.return_date is not None:
        await asyncio.sleep(0)
        back = search.journeys(query.destinations, query.origins, query.return_date, limits.back)
        choices = _returns(_shortlist(journeys, limits), _shortlist(back, limits))
    await asyncio.sleep(0)
    on_sale = [_Choice(each, fare_of(each)) for each in choices if market_of(each) == market]
    if (limit := query.max_price) is not None:
        on_sale = [one for one in on_sale if in_currency(one.fare, limit.currency).amount <= limit.amount]
    offers: list[FlightOffer] = []
    for tried, (chosen, fare) in enumerate(sorted(on_sale, key=lambda choice: choice.rank), 1):
        offer = flight_offer(chosen, fare, query=query, source=market, inventory=inventory, today=today)
        if limits.offer(offer):
            offers.append(offer)
        if len(offers) == MOST_FLIGHTS[market]:
            break
        if tried % _AT_ONCE == 0:
            await asyncio.sleep(0)
    return offers


def journeys_one_way(
    counter: TicketCounter, origins: Sequence[str], destinations: Sequence[str], *, day: int
) -> Iterator[tuple[FlightMarket, Journey]]:
    """Yield every journey that leaves on a local day (ordinal), with the source that sells it.

    Synchronous: some milliseconds for cities with many airports.
    """
    nonstop = counter.nonstop(origins, destinations, day=day)
    scarce = len(nonstop) < _SCARCE
    connecting = counter.connecting(origins, destinations, day=day, most_stops=_MOST_CHANGES, scarce=scarce)
    for journey in (*nonstop, *_not_too_slow(connecting)):
        yield market_of((journey,)), journey


class _Search:
    """The journeys of each direction of one query that may be part of an offer of the market."""

    def __init__(
        self, inventory: Inventory, query: FlightQuery, market: FlightMarket, limits: _Limits, *, today: date
    ) -> None:
        cabin, passengers = query.cabin_class, query.passengers
        self._counter = TicketCounter(inventory, today=today.toordinal(), cabin=cabin, passengers=passengers)
        self._query = query
        self._market: FlightMarket = market
        self._limits = limits

    def journeys(
        self,
        origins: Sequence[str],
        destinations: Sequence[str],
        on: date,
        is_within: Callable[[Journey], bool],
    ) -> list[Journey]:
        """Return those of a direction that no other beats."""
        day, returning = on.toordinal(), self._query.return_date is not None
        nonstop = self._counter.nonstop(origins, destinations, day=day)
        if self._market == "network carriers":
            return _undominated(one for one in nonstop if not one.low_cost and is_within(one))
        if self._market == "low-cost carriers":
            # A return may go out low-cost and come back otherwise.
            return _undominated(one for one in nonstop if (one.low_cost or returning) and is_within(one))
        most, scarce = self._query.max_stops, len(nonstop) < _SCARCE

        def connecting(*, passing: bool) -> list[Journey]:
            return self._counter.connecting(
                origins,
                destinations,
                day=day,
                most_stops=_MOST_CHANGES if most is None else most,
                scarce=scarce,
                may_be=self._limits.way(passing=passing),
            )

        # A return may have its change in one direction only.
        others = nonstop if returning else []
        if not self._limits.passes_either_way:
            found = _not_too_slow([*connecting(passing=True), *others])
            return _undominated(filter(is_within, found))
        passing = _undominated(filter(is_within, _not_too_slow(connecting(passing=True))))
        found = _not_too_slow([*connecting(passing=False), *others])
        return list(dict.fromkeys([*passing, *_undominated(filter(is_within, found))]))


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


def _shortlist(journeys: list[Journey], limits: _Limits) -> list[Journey]:
    """Return the best by score and the cheapest, so that pairs of them stay few.

    Where either way has to pass some place, the best that do are among them.
    """
    best = sorted(journeys, key=lambda journey: journey.score)
    cheapest = sorted(journeys, key=lambda journey: journey.fare)
    passing = filter(limits.passes, best) if limits.passes_either_way else ()
    short = [*best[:_SHORTLIST], *cheapest[: _SHORTLIST // 3], *islice(passing, _SHORTLIST)]
    return list(dict.fromkeys(short))


def _returns(outbound: list[Journey], inbound: list[Journey]) -> Iterator[tuple[Journey, ...]]:
    for there in outbound:
        for back in inbound:
            if back.departs >= there.arrives + _SHORTEST_STAY_MINUTES:
                yield there, back
