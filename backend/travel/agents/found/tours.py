"""Answers about a tour: each of its flights is an offer, and tells what an offer of one flight does."""

from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ...stored_requests import understanding_in
from ...understanding.english.found.questions import question_about
from ...understanding.english.language.tables import phrases_of
from ...understanding.english.language.text import Text
from ...understanding.found import EACH, Topic, Which
from ...understanding.result import TourWish
from ...understanding.tokens import fold
from ...values.offers import Offer, cheapest, currencies, price
from ..state import TravelRun
from . import facts
from .wording import amount, counted, listed, total

_SAID = phrases_of("facts")
_TOURS_SAID = phrases_of("tours")
_SHORT = 8
NO_PLAN = "No way to fly that tour has been found yet."
NOT_BOOKED = (
    "A tour is not booked as a whole: ask for its flights and stays one by one, each with its place and day, "
    'for example "flights from Rome to Athens on 7 May", and I book these.'
)
IN_ANY_ORDER = "I went through the orders of these cities: this is the cheapest that I found."
IN_THIS_ORDER = 'I planned this order alone. Say "in any order", and I look for the cheapest.'
_OF_ALL: frozenset[Topic] = frozenset({"price", "total", "count", "found"})
_MOST_TOLD = 4


async def about_the_tour(message: str, run: TravelRun) -> str:
    """Return the answer to a question about the flights of the best plan; "" to all else, and without a plan.

    Raises `StoreUnavailable`.
    """
    tour, text = run.understanding.tour, Text(message)
    if tour is None:
        return ""
    if text.length <= _SHORT and text.has(_SAID.booking):
        return NOT_BOOKED
    if text.length <= _SHORT and text.has(_TOURS_SAID.which_order):
        return await _by_order(run, tour)
    question = question_about(text, tour)
    plan = await _best_plan(run) if question is not None else None
    if question is None or plan is None:
        return ""
    if question.topic == "untold":
        return f"The offers of the flights do not tell anything about {question.wanted}."
    if question.topic in _OF_ALL and not question.which.numbers:
        return _in_all(plan, is_each=question.wanted == EACH)
    legs, said, numbers = list(_flights(plan)), fold(message), question.which.numbers
    some = [legs[number - 1] for number in numbers if number <= len(legs)]
    some = some or (legs[-1:] if " last " in said else [])
    some = some or [one for one in legs if fold(one[0].partition(" to ")[2]) in said] or legs[:_MOST_TOLD]
    asked = replace(question, which=Which())
    return " ".join(facts.sentence(asked, leg, f"the flight {way}") for way, leg in some)


async def tour_so_far(run: TravelRun) -> str:
    """Return what the best plan costs, or that there is none yet. Raises `StoreUnavailable`."""
    plan = await _best_plan(run)
    return _in_all(plan) if plan else NO_PLAN


async def _best_plan(run: TravelRun) -> Mapping[str, Any] | None:
    """The best plan for the tour as it is now, of the current request or of one before."""
    async with aclosing(_plans(run)) as plans:
        return await anext((plan async for tour, plan in plans if tour == run.understanding.tour), None)


async def _plans(run: TravelRun) -> AsyncGenerator[tuple[TourWish, Mapping[str, Any]]]:
    """The best plan of each request that has one, the latest first, with the tour that it is for."""
    async with aclosing(run.context.shown()) as requests:
        async for shown in requests:
            plans, asked = shown.results.get("planner"), understanding_in(shown.request)
            if plans and asked is not None and asked.tour is not None:
                yield asked.tour, cheapest(plans)


async def _by_order(run: TravelRun, tour: TourWish) -> str:
    """What the tour costs in each order of its cities that was planned, or how to have the others planned."""
    if not tour.ordered:
        return IN_ANY_ORDER
    planned: dict[tuple[str, ...], Mapping[str, Any]] = {}
    async with aclosing(_plans(run)) as plans:
        async for asked, plan in plans:
            if {*asked.cities} == {*tour.cities} and asked.ordered:
                planned.setdefault(tuple(stay["city"] for stay in plan["stays"]), plan)
    if len(planned) < 2 or len(currencies([*planned.values()])) > 1:
        return IN_THIS_ORDER
    (best, first), *others = sorted(planned.items(), key=lambda each: price(each[1]))
    dearer = [f"{', '.join(order)} costs {total(plan)}" for order, plan in others]
    return f"{', '.join(best)} is the cheapest order of those planned, for {total(first)}; {listed(dearer)}."


def _flights(plan: Mapping[str, Any]) -> Iterator[tuple[str, Offer]]:
    """The flights in their order, each with where it goes: "from Rome to Athens"."""
    way = [*([plan["start"]] if plan["start"] else []), *(one["city"] for one in plan["stays"])]
    way += [way[0]] if plan["returns"] else []
    yield from zip((f"from {start} to {goal}" for start, goal in pairwise(way)), plan["legs"], strict=False)


def _in_all(plan: Mapping[str, Any], *, is_each: bool = False) -> str:
    parts = listed([f"{total(leg)} {way}" for way, leg in _flights(plan)])
    people = f" for {plan['passengers']} people" if plan["passengers"] > 1 else ""
    flights = counted(len(plan["legs"]), "flight")
    each = f" That is {amount(plan['price_per_person'])} each." if is_each and people else ""
    cost = f"In all{people} it is {amount(plan['price_total'])} for {flights}"
    return f"{cost}: {parts}.{each} No hotel is counted."
