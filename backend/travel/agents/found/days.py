"""What a flight costs on the days around, for who asks which is cheaper: nothing is searched or changed."""

from dataclasses import replace
from datetime import timedelta

from ....domain.errors import ProviderError
from ...understanding.english.slot_words import in_words, listed, price_in_words
from ...understanding.found import FoundQuestion
from ..state import TravelRun

_DAYS_AROUND = 3
ONE_DAY_AT_A_TIME = (
    "I search one day at a time, so I cannot tell which day is cheaper, and nothing has changed. Name "
    "another day, and I look for what it costs."
)


async def compared(run: TravelRun, question: FoundQuestion) -> str:
    """Return the lowest fares of the days around the one asked for, one way; that none are known, if so."""
    flight, is_back = run.understanding.flight, question.way == "back"
    day = flight.return_date if is_back else flight.departure_date
    if run.goal_fares is None or not (flight.origin and flight.destination and day):
        return ONE_DAY_AT_A_TIME
    start, goal = (flight.destination, flight.origin) if is_back else (flight.origin, flight.destination)
    first = flight.departure_date if is_back and flight.departure_date else run.today
    around = (day + timedelta(days=ahead) for ahead in range(-_DAYS_AROUND, _DAYS_AROUND + 1))
    last = None if is_back else flight.return_date
    days = [each for each in around if each >= first and (last is None or each <= last)]
    city = replace(goal.city, airports=goal.airports)
    try:
        fares = await run.goal_fares.cheapest_by_goal(
            start.airports, [city], days, passengers=flight.passengers or 1
        )
    except ProviderError:
        fares = ()
    if not fares:
        return ONE_DAY_AT_A_TIME
    told = [
        f"{in_words(fare.date)} from {price_in_words(fare.price)}"
        for fare in sorted(fares, key=lambda fare: fare.date)
    ]
    way = "back" if is_back else "out"
    return (
        f"The way {way} alone, for one: {listed(told)}. Of these {in_words(fares[0].date)} is the cheapest. "
        "Nothing has changed: name a day, and I look for the whole trip then."
    )
