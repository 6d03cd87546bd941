"""Suggests what a user may say next, decided by what was found.

Each is an ordinary message that is read as any other; a test has the rules read all of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..understanding.english.wording import steps_to_others
from ..understanding.result import Agent, Understanding
from ..values.offers import Offer, cheapest, stops, told

MOST = 3
ONLY_NONSTOP = "Only nonstop flights"
ANY_STOPS = "Flights with any number of stops"
ANY_TIME = "Any departure time"
ANY_FARE = "No budget for the flights"
ANY_STARS = "Hotels with any number of stars"
ANY_SCORE = "Hotels with any rating"
ANY_NIGHT = "No budget for the hotel"
WELL_RATED = "Hotels rated 8 or better"
DAY_LATER = "One day later"
BOOK_FLIGHT = "Book the cheapest flight"
BOOK_HOTEL = "Book the cheapest hotel"
BOOK_IT = "Book it"
ADD_HOTEL = "Add a hotel"
BOOKED = "What have I booked?"
WELL = 8
"""The guest score from which on a hotel counts as well rated."""


def next_steps(
    understanding: Understanding, found: Mapping[str, Sequence[Mapping[str, Any]]], *, booked: bool
) -> Sequence[str]:
    """Return up to three messages that may follow, the most helpful first."""
    if booked:
        return [BOOKED]
    steps = [(1, step) for step in steps_to_others(understanding)]
    steps += [step for agent in understanding.agents for step in _after(agent, understanding, found)]
    # What helps where nothing was found goes first, then what narrows, then what is bought.
    return list(dict.fromkeys(step for _, step in sorted(steps, key=lambda each: each[0])))[:MOST]


def _after(
    agent: Agent, understanding: Understanding, found: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Iterator[tuple[int, str]]:
    items = found.get(agent, ())
    if agent == "flight":
        yield from _after_flights(understanding, items)
    elif agent == "hotel":
        yield from _after_hotels(understanding, items)


def _after_flights(
    understanding: Understanding, items: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[int, str]]:
    flight = understanding.flight
    if not items:
        limits = {
            ANY_STOPS: flight.max_stops,
            ANY_TIME: flight.departs_after or flight.departs_before,
            ANY_FARE: flight.max_price,
        }
        yield from ((0, step) for step, limit in limits.items() if limit is not None)
        yield (0, DAY_LATER)
        return
    nonstop = [_is_nonstop(item) for item in items]
    if any(nonstop) and not all(nonstop) and not _is_nonstop(cheapest(items)):
        yield (1, ONLY_NONSTOP)
    yield (2, BOOK_FLIGHT)
    if "hotel" not in understanding.wanted:
        yield (2, ADD_HOTEL)


def _after_hotels(
    understanding: Understanding, items: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[int, str]]:
    hotel = understanding.hotel
    if not items:
        limits = {ANY_STARS: hotel.stars, ANY_SCORE: hotel.min_score, ANY_NIGHT: hotel.max_price}
        yield from ((0, step) for step, limit in limits.items() if limit is not None)
        return
    # Offers of other providers, and of earlier versions, may have no score.
    scores = [item["score"] for item in items if item.get("score") is not None]
    first = cheapest(items).get("score")
    if hotel.min_score is None and first is not None and first < WELL <= max(scores):
        yield (1, WELL_RATED)
    yield (2, BOOK_HOTEL)


def _is_nonstop(flight: Offer) -> bool:
    return told(stops, flight) == 0
