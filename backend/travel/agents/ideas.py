"""Ideas for who has not chosen yet where to fly, or on which day of a month: places and days with fares.

They are told in the question for what is missing, and become choices, so that "the cheapest" answers it.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta

from ..providers.base import GoalFares
from ..understanding.english.wording import compared_in_words, days_in_words, goals_in_words
from ..understanding.places.gazetteer import in_full
from ..understanding.queries import filters
from ..understanding.result import CHEAPEST_FIRST, Alternative, FlightSlots, OpenGoal, Period, Understanding
from ..understanding.slot_table import ROWS
from ..values.places import CITIES, is_warm
from ..values.travel import City, GoalFare
from .questions import value_of, with_answer
from .state import TravelRun

MOST_IDEAS = 5
_GOALS_LOOKED_AT = 16
_DAYS_LOOKED_AT = 4
_DAYS_OF_A_PERIOD = 31
_NOT_NEARER_KM = 250.0
_NOTICE = timedelta(days=7)
_WEEKS_AHEAD = timedelta(days=28)
_KM_OF_A_DEGREE = 111.2


async def with_ideas(run: TravelRun) -> str:
    """Return places or days to choose from, in a sentence, and make the places choices of the request.

    "" where nothing is open, or no fares are known, and where the cheapest day was taken for who minds none.
    """
    understood = run.understanding
    flight = understood.flight
    if run.goal_fares is None or flight.origin is None or (flight.departure_date and flight.destination):
        return ""
    if flight.destination is None and understood.open_goal is not None:
        return await _goals(understood.open_goal, run, understood)
    if flight.destination is not None and flight.departure_date is None and understood.period is not None:
        days = _days_between(understood.period, run.today, _DAYS_OF_A_PERIOD)
        goal = replace(flight.destination.city, airports=flight.destination.airports)
        fares = await run.goal_fares.cheapest_by_goal(
            flight.origin.airports, [goal], days, passengers=flight.passengers or 1
        )
        best = (_within(fares, flight) or list(fares))[:MOST_IDEAS]
        # Fares know no limits: the cheapest day may have no nonstop flight.
        narrow = {slot.field for slot, _ in filters("flight", flight)} - {"max_price"}
        is_free = narrow <= ({"bags"} if flight.bags == 0 else set[str]())
        if best and is_free and understood.period.is_any and understood.agents == ("flight",):
            _leave_on(run, best[0].date)
            run.days_compared = days_in_words(best, flight)
            return ""
        _propose(run, "flight.departure_date", [fare.date.isoformat() for fare in best])
        return days_in_words(best, flight)
    return ""


def _leave_on(run: TravelRun, day: date) -> None:
    """Take a day for who left it to us, and fly back when the journey that was told ends."""
    length = run.understanding.length
    understood = with_answer(
        run.understanding, "flight", {"departure_date": day.isoformat()}, today=run.today
    )
    if length and understood.flight.return_date is None:
        flight = replace(understood.flight, return_date=day + timedelta(days=length))
        understood = replace(understood, flight=flight, length=None)
    run.understanding = understood
    run.revise(understood)


def _propose(run: TravelRun, slot: str, values: Sequence[str]) -> None:
    """Make values choices of the request, the cheapest first, so that "the cheapest" answers the question."""
    if not values:
        return
    kept = [one for one in run.understanding.alternatives if one.slot != slot]
    choice = Alternative(slot=slot, taken="", others=tuple(values), said=CHEAPEST_FIRST)
    run.understanding = replace(run.understanding, alternatives=(*kept, choice))
    run.revise(run.understanding)


def _put_first(run: TravelRun, choice: Alternative, cheapest: City) -> None:
    """Let "the cheaper one" choose the cheapest of several places, unless that one is taken."""
    others = sorted(choice.others, key=lambda other: other != in_full(cheapest))
    if others[0] != in_full(cheapest):
        return
    kept = tuple(one for one in run.understanding.alternatives if one != choice)
    choice = replace(choice, others=tuple(others), said=CHEAPEST_FIRST)
    run.understanding = replace(run.understanding, alternatives=(*kept, choice))
    run.revise(run.understanding)


async def compared(run: TravelRun, *, again: bool = False) -> str:
    """Return what the fares are to each of the places that a message names, "Geneva or Innsbruck".

    With `again` one before it may have named them. "" where it names just one, or no day, and where no fares
    are known.
    """
    understood = run.understanding
    flight, day = understood.flight, understood.flight.departure_date
    named = [one for one in understood.alternatives if one.slot == "flight.destination" and one.is_choice]
    is_told = "flight.destination" in understood.carried and not again
    if not named or is_told or run.goal_fares is None or not (flight.origin and flight.destination and day):
        return ""
    slot = ROWS["flight.destination"]
    others = [value_of(slot, other, run.today)[0] for one in named for other in one.others]
    goals = [replace(one.city, airports=one.airports) for one in (flight.destination, *others)]
    fares = await run.goal_fares.cheapest_by_goal(
        flight.origin.airports, goals, [day], passengers=flight.passengers or 1
    )
    back = await _fares_back(run.goal_fares, fares, understood)
    if back is not None:
        fares = _there_and_back(fares, back)
    fares = sorted(fares, key=lambda fare: fare.price.amount)
    if fares and len(named) == 1:
        _put_first(run, named[0], fares[0].city)
    return compared_in_words(fares, is_return=back is not None)


async def _goals(wanted: OpenGoal, run: TravelRun, understood: Understanding) -> str:
    flight = understood.flight
    if run.goal_fares is None or flight.origin is None:
        return ""
    days = [flight.departure_date] if flight.departure_date else _open_days(understood.period, run.today)
    avoided = {code for place in flight.avoided for code in place.airports}
    unwanted = {place.city for place in wanted.left_out}
    unwanted |= {city for city in CITIES if not avoided.isdisjoint(city.airports)}
    goals = _likely(flight.origin.city, days[0].month if wanted.is_warm else None, unwanted)
    fares = await run.goal_fares.cheapest_by_goal(
        flight.origin.airports, goals, days, passengers=flight.passengers or 1
    )
    back = await _fares_back(run.goal_fares, fares, understood)
    if back is not None:
        fares = _there_and_back(fares, back)
    best = list({fare.city: fare for fare in reversed(_within(fares, flight))}.values())
    best = sorted(best, key=lambda fare: (fare.price.currency, fare.price.amount))[:MOST_IDEAS]
    _propose(run, "flight.destination", [in_full(fare.city) for fare in best])
    return goals_in_words(best, flight, is_warm=wanted.is_warm, is_return=back is not None)


async def _fares_back(
    source: GoalFares, there: Sequence[GoalFare], understood: Understanding
) -> Mapping[City, GoalFare] | None:
    """The cheapest way back from each goal, None where it is not known when to fly back.

    That is known by its day, or by how long the journey takes if there is just one day to leave on.
    """
    flight = understood.flight
    leaves, back = flight.departure_date, flight.return_date
    if back is None and leaves is not None and understood.length:
        back = leaves + timedelta(days=understood.length)
    if back is None or flight.origin is None:
        return None
    ways: dict[City, GoalFare] = {}
    for goal in dict.fromkeys(fare.city for fare in there):
        home = replace(flight.origin.city, airports=flight.origin.airports)
        found = await source.cheapest_by_goal(
            goal.airports, [home], [back], passengers=flight.passengers or 1
        )
        if found:
            ways[goal] = found[0]
    return ways


def _there_and_back(there: Sequence[GoalFare], back: Mapping[City, GoalFare]) -> list[GoalFare]:
    """The fares with those of the way back, of goals that both are known of."""
    return [
        replace(fare, price=replace(fare.price, amount=fare.price.amount + way.price.amount))
        for fare in there
        if (way := back.get(fare.city)) and way.price.currency == fare.price.currency
    ]


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


def _likely(origin: City, warm_in: int | None, unwanted: Collection[City]) -> list[City]:
    """The goals nearest to a city, which cost least to fly to as a rule; the warm ones alone in a month."""
    goals = [
        (far, city)
        for city in CITIES
        if city.airports
        and city not in unwanted
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
