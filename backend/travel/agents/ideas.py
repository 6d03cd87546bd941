"""Ideas for who has not chosen yet where to fly, or on which day of a month: places and days with fares.

They are told in the question for what is missing. The places become choices, so "the second one" answers it.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from ..understanding.english.language.text import Text
from ..understanding.english.places.anywhere import OpenGoal, open_goal
from ..understanding.english.wording import days_in_words, goals_in_words
from ..understanding.places.gazetteer import in_full
from ..understanding.result import Alternative, FlightSlots, Period, Understanding
from ..values.cities import CITIES
from ..values.climate import is_warm
from ..values.travel import City, GoalFare
from .state import TravelRun

MOST_IDEAS = 5
_GOALS_LOOKED_AT = 16
_DAYS_LOOKED_AT = 4
_DAYS_OF_A_PERIOD = 31
_NOT_NEARER_KM = 250.0
_NOTICE = timedelta(days=7)
_WEEKS_AHEAD = timedelta(days=28)
_KM_OF_A_DEGREE = 111.2


async def with_ideas(message: str, run: TravelRun) -> str:
    """Return places or days to choose from, in a sentence, and make the places choices of the request.

    "" where nothing is open, or no fares are known.
    """
    understood = run.understanding
    flight = understood.flight
    if run.goal_fares is None or flight.origin is None or (flight.departure_date and flight.destination):
        return ""
    wanted = open_goal(Text(message))
    if flight.destination is None and wanted is not None:
        return await _goals(wanted, run, understood)
    if flight.destination is not None and flight.departure_date is None and understood.period is not None:
        days = _days_between(understood.period, run.today, _DAYS_OF_A_PERIOD)
        goal = replace(flight.destination.city, airports=flight.destination.airports)
        fares = await run.goal_fares.cheapest(
            flight.origin.airports, [goal], days, passengers=flight.passengers or 1
        )
        return days_in_words(_within(fares, flight)[:MOST_IDEAS])
    return ""


async def _goals(wanted: OpenGoal, run: TravelRun, understood: Understanding) -> str:
    flight = understood.flight
    if run.goal_fares is None or flight.origin is None:
        return ""
    days = [flight.departure_date] if flight.departure_date else _open_days(understood.period, run.today)
    goals = _likely(flight.origin.city, days[0].month if wanted.is_warm else None)
    fares = await run.goal_fares.cheapest(
        flight.origin.airports, goals, days, passengers=flight.passengers or 1
    )
    best = list({fare.city: fare for fare in reversed(_within(fares, flight))}.values())
    best = sorted(best, key=lambda fare: (fare.price.currency, fare.price.amount))[:MOST_IDEAS]
    if best:
        others = tuple(in_full(fare.city) for fare in best)
        choice = Alternative(slot="flight.destination", taken="", others=others)
        kept = [one for one in understood.alternatives if one.slot != "flight.destination"]
        run.revise(replace(understood, alternatives=(*kept, choice)))
        run.understanding = replace(understood, alternatives=(*kept, choice))
    return goals_in_words(best, flight, is_warm=wanted.is_warm)


def _within(fares: Sequence[GoalFare], flight: FlightSlots) -> list[GoalFare]:
    """The fares within the limit that was told, as far as it is in their currency."""
    most = flight.max_price
    return [
        fare
        for fare in fares
        if most is None or most.currency != fare.price.currency or fare.price.amount <= most.amount
    ]


def _open_days(period: Period | None, today: date) -> list[date]:
    start, end = (period.start, period.end) if period else (today + _NOTICE, today + _NOTICE + _WEEKS_AHEAD)
    return _days_between(Period(said="", start=start, end=end), today, _DAYS_LOOKED_AT)


def _days_between(period: Period, today: date, most: int) -> list[date]:
    """So many days of a period at most, as far apart as can be."""
    first = max(period.start, today)
    count = (period.end - first).days + 1
    step = max(1, math.ceil(count / most))
    return [first + timedelta(days=ahead) for ahead in range(0, max(count, 1), step)]


def _likely(origin: City, warm_in: int | None) -> list[City]:
    """The goals nearest to a city, which cost least to fly to as a rule; the warm ones alone in a month."""
    goals = [
        (far, city)
        for city in CITIES
        if city.airports
        and (warm_in is None or is_warm(city, warm_in))
        and (far := _kilometres(origin, city)) > _NOT_NEARER_KM
    ]
    return [city for _, city in sorted(goals, key=lambda each: each[0])[:_GOALS_LOOKED_AT]]


def _kilometres(one: City, other: City) -> float:
    if one.centre is None or other.centre is None:
        return 0.0
    north = other.centre[0] - one.centre[0]
    east = (other.centre[1] - one.centre[1] + 180) % 360 - 180
    return math.hypot(north, east * math.cos(math.radians(one.centre[0]))) * _KM_OF_A_DEGREE
