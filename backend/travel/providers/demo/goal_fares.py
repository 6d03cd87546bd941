"""The cheapest goals and days for who has not chosen yet: the fares of some days, of many places.

About a millisecond for each pair of airports and day, in parts between which the event loop has its turn.
"""

import asyncio
from collections.abc import Callable, Sequence
from datetime import date

from ...values.travel import SALES_DAYS, City, GoalFare
from .currencies import HOME_CURRENCY, in_currency
from .flight_search import journeys_one_way
from .journeys import TicketCounter
from .store import Inventory


class DemoGoalFares:
    """Implements `backend.travel.providers.base.GoalFares`."""

    def __init__(self, inventory: Inventory, *, today: Callable[[], date]) -> None:
        self._inventory = inventory
        self._today = today

    async def cheapest(
        self, origins: Sequence[str], goals: Sequence[City], days: Sequence[date], *, passengers: int
    ) -> Sequence[GoalFare]:
        """Return the cheapest way to each goal on each day, cheapest first. May be cancelled."""
        today = self._today().toordinal()
        counter = TicketCounter(self._inventory, today=today, cabin="economy", passengers=passengers)
        found: list[GoalFare] = []
        for goal in goals:
            for day in days:
                if not today <= day.toordinal() <= today + SALES_DAYS:
                    continue
                journeys = journeys_one_way(counter, origins, goal.airports, day=day.toordinal())
                fare = min((journey.fare for _, journey in journeys), default=None)
                if fare is not None:
                    found.append(GoalFare(city=goal, date=day, price=in_currency(fare, HOME_CURRENCY)))
                await asyncio.sleep(0)
        return sorted(found, key=lambda one: one.price.amount)
