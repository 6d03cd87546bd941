"""What flights cost on the days around one: the cheapest of the very offers that a search would find.

A week for two cities with several airports takes some 40 ms of computing, in parts of a few milliseconds,
between which the event loop has its turn.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from datetime import date, timedelta
from typing import get_args

from ....domain.encoding import Clock
from ...values.travel import SALES_DAYS, DayFare, FlightQuery
from .bookings import DemoBookings
from .flight_search import FlightMarket, find_flights
from .sales_rules import check_flight_query
from .store import Inventory


class DemoFareCalendar:
    """Implements `backend.travel.providers.base.FareCalendar`, without the delay that a search simulates."""

    def __init__(
        self,
        inventory: Inventory,
        *,
        bookings: DemoBookings,
        today: Callable[[], date],
        clock: Clock | None = None,
    ) -> None:
        self._inventory = inventory
        self._bookings = bookings
        self._today = today
        self._clock = clock

    async def cheapest_by_day(self, query: FlightQuery, *, days: int) -> AsyncGenerator[DayFare, None]:
        """Yield the days around that of the query. On cancellation or `aclose` it ends at once.

        Raises `NotOnSale`, before the first day, for what is sold on no day at all (`sales_rules`).
        """
        today = self._today()
        middle = query.departure_date.toordinal()  # ordinals, since a date may be the calendar's last
        latest = today + timedelta(days=SALES_DAYS)
        if query.return_date is not None:
            latest = min(latest, query.return_date)
        first, last = max(today.toordinal(), middle - days), min(latest.toordinal(), middle + days)
        for day in range(first, last + 1):
            that_day = replace(query, departure_date=date.fromordinal(day))
            check_flight_query(that_day, today=today)
            yield await self._fare(that_day, today=today)
            await asyncio.sleep(0)

    async def _fare(self, query: FlightQuery, *, today: date) -> DayFare:
        now = self._clock() if self._clock else None
        prices = [
            offer.price_total
            for market in get_args(FlightMarket)
            for offer in await self._bookings.with_room(
                await find_flights(self._inventory, query, market=market, today=today, now=now)
            )
        ]
        cheapest = min(prices, key=lambda price: price.amount, default=None)
        return DayFare(date=query.departure_date, price_total=cheapest)
