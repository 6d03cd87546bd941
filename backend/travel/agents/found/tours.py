"""Answers about a tour: each of its flights is an offer, and tells what an offer of one flight does."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ...understanding.english.found.questions import question_about
from ...understanding.english.language.tables import phrases_of
from ...understanding.english.language.text import Text
from ...understanding.found import Topic, Which
from ...understanding.tokens import fold
from ...values.offers import Offer, cheapest
from ..state import TravelRun
from . import doing_now, facts
from .wording import amount, counted, listed, total

_SAID = phrases_of("facts")
_SHORT = 8
NO_PLAN = "No way to fly that tour has been found yet."
NOT_BOOKED = (
    "A tour is not booked as a whole: ask for its flights and stays one by one, each with its place and day, "
    'for example "flights from Rome to Athens on 7 May", and I book these.'
)
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
    question = question_about(text, tour)
    plan = await _best_plan(run) if question is not None else None
    if question is None or plan is None:
        return ""
    if question.topic == "untold":
        return f"The offers of the flights do not tell anything about {question.wanted}."
    if question.topic in _OF_ALL and not question.which.numbers:
        return _in_all(plan)
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
    now = await doing_now.shown_now(run)
    plans = now.results.get("planner", ()) if now is not None else ()
    return cheapest(plans) if plans else None


def _flights(plan: Mapping[str, Any]) -> Iterator[tuple[str, Offer]]:
    """The flights in their order, each with where it goes: "from Rome to Athens"."""
    way = [*([plan["start"]] if plan["start"] else []), *(one["city"] for one in plan["stays"])]
    way += [way[0]] if plan["returns"] else []
    yield from zip((f"from {start} to {goal}" for start, goal in pairwise(way)), plan["legs"], strict=False)


def _in_all(plan: Mapping[str, Any]) -> str:
    parts = listed([f"{total(leg)} {way}" for way, leg in _flights(plan)])
    people = f" for {plan['passengers']} people" if plan["passengers"] > 1 else ""
    flights = counted(len(plan["legs"]), "flight")
    return f"In all{people} it is {amount(plan['price_total'])} for {flights}: {parts}. No hotel is counted."
