"""Which day is cheaper is told from the fares of each day: no search is made, and no day changes."""

from datetime import date
from decimal import Decimal

import pytest

from backend.domain.errors import ProviderError
from backend.travel.agents.found.days import ONE_DAY_AT_A_TIME
from backend.travel.values.travel import GoalFare, Money
from backend.travel.workflow import TravelWorkflow
from tests.agents import test_found_questions
from tests.agents.sources import TODAY, Provider, Source
from tests.agents.test_found_questions import FLIGHTS, FOUND_FLIGHTS
from tests.interruption.parts import Parts

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")]

RETURN = f"{FLIGHTS}, back on 12 December"


class Fares:
    """Fares that are lowest on the last day that is asked for; `works` unless it is told otherwise."""

    def __init__(self) -> None:
        self.works = True

    async def cheapest(self, origins, goals, days, *, passengers):
        if not self.works:
            raise ProviderError("The fares are away.")
        [goal] = goals
        prices = {day: Money(amount=Decimal(100 - day.day), currency="EUR") for day in days}
        found = [GoalFare(city=goal, date=day, price=price) for day, price in prices.items()]
        return sorted(found, key=lambda fare: fare.price.amount)


class Ann(test_found_questions.Ann):
    """User ann of a server that knows fares by day."""

    def __init__(self):
        self.flights, self.hotels, self.fares = Source("one", FOUND_FLIGHTS), Source("chains", []), Fares()
        provider = Provider([self.flights], [self.hotels])
        self.parts = Parts(
            workflow=lambda ledger, _owner: TravelWorkflow(
                provider, ledger, today=lambda: TODAY, goal_fares=self.fares
            )
        )


@pytest.mark.parametrize(
    ("first", "asked", "told"),
    [
        (
            FLIGHTS,
            "Would it be dearer to leave on a Saturday than on a Tuesday?",
            "Sat 12 December 2026 from €88",
        ),
        (FLIGHTS, "which day is cheaper", "Of these Sun 13 December 2026 is the cheapest."),
        (
            FLIGHTS,
            "which date works out cheaper?",
            "The way out alone, for one: Mon 7 December 2026 from €93",
        ),
        (RETURN, "which return date works out cheaper", "The way back alone, for one: Thu 10 December 2026"),
        (RETURN, "which day is cheaper to leave?", "Of these Sat 12 December 2026 is the cheapest."),
    ],
)
async def test_the_fares_of_the_days_around_are_told(ann, first, asked, told):
    await ann.say(first)
    answer = await ann.ask(asked)
    assert told in answer
    assert "Nothing has changed" in answer
    assert len(ann.flights.asked) == 1
    assert ann.flights.asked[0].departure_date == date(2026, 12, 10)


async def test_without_fares_it_is_told_that_days_are_not_compared(ann):
    ann.fares.works = False
    await ann.say(FLIGHTS)
    assert await ann.ask("which day is cheaper") == ONE_DAY_AT_A_TIME
    assert len(ann.flights.asked) == 1
