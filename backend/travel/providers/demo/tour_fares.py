"""What it costs to fly from one city to another on a day, as a search through many days needs it.

Of everything that is on sale that day, only the cheapest journey for each day of arrival counts: whoever
arrives on the same day for less can do all that the others can.
"""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from ...values.tour import TourCity
from .currencies import HOME_CURRENCY, in_currency
from .fares import least_fare
from .flight_search import FlightMarket, journeys_one_way
from .geography import distance_km, utc_offset_minutes
from .journeys import Journey, TicketCounter
from .store import Inventory

_DAY = 24 * 60


class PricedHop(NamedTuple):
    """The cheapest way to arrive on a day: local days as ordinals, and what one person pays in cents."""

    leaves: int
    arrives: int
    cents: int
    market: FlightMarket
    journey: Journey


class TourFares:
    """The hops between the cities of one trip, worked out when they are asked for, and remembered.

    Cities are positions in `cities`. About a millisecond for each pair and day.
    """

    def __init__(
        self, inventory: Inventory, cities: Sequence[TourCity], *, passengers: int, today: date
    ) -> None:
        self._inventory = inventory
        self._cities = cities
        self._today = today.toordinal()
        self._counter = TicketCounter(inventory, today=self._today, cabin="economy", passengers=passengers)
        self._hops: dict[tuple[int, int, int], Sequence[PricedHop]] = {}

    def hops(self, origin: int, destination: int, day: int) -> Sequence[PricedHop]:
        """Return the hops that leave on a local day (ordinal), by day of arrival."""
        key = (origin, destination, day)
        if key not in self._hops:
            self._hops[key] = self._cheapest_by_arrival(key)
        return self._hops[key]

    def least_cents(self, origin: int, destination: int, days: range) -> int:
        """Return what no hop costs less than, by the distance alone."""
        airports = self._inventory.airports
        km = min(
            (
                distance_km(airports[one], airports[other])
                for one in self._cities[origin].airports
                for other in self._cities[destination].airports
                if one in airports and other in airports
            ),
            default=0.0,
        )
        return int(least_fare(km, days=days, today=self._today) * 100)

    def _cheapest_by_arrival(self, key: tuple[int, int, int]) -> Sequence[PricedHop]:
        origin, destination, day = key
        best: dict[int, PricedHop] = {}
        for market, journey in journeys_one_way(
            self._counter, self._cities[origin].airports, self._cities[destination].airports, day=day
        ):
            hop = PricedHop(day, self._arrival_day(journey), _cents(journey.fare), market, journey)
            known = best.get(hop.arrives)
            if known is None or (hop.cents, journey.score) < (known.cents, known.journey.score):
                best[hop.arrives] = hop
        return [best[arrives] for arrives in sorted(best)]

    def _arrival_day(self, journey: Journey) -> int:
        zone = self._inventory.airports[journey.legs[-1].pattern.destination].zone
        return (journey.arrives + utc_offset_minutes(zone, journey.arrives // _DAY)) // _DAY


def _cents(fare: float) -> int:
    """Return a fare in EUR as it is sold."""
    return int(in_currency(fare, HOME_CURRENCY).amount * Decimal(100))
