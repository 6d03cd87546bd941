"""A question about what was found, as values: what it asks, and of which offers."""

from dataclasses import dataclass
from typing import Literal, get_args

from ..values.offers import AMENITIES as _AMENITIES
from ..values.offers import By
from ..values.travel import Money

Topic = Literal[
    "which", "sort", "those_with", "under", "difference", "total", "count", "found", "best_request",
    "state", "details", "price", "layover", "stops", "duration", "departure", "arrival", "carrier",
    "aircraft", "cabin", "bags", "refund", "change", "has", "distance", "rating", "stars", "place", "dates",
    "step", "untold", "why", "chosen", "seats", "mileage", "gearbox", "station", "fits",
    "shown", "groups",
]  # fmt: skip
Way = Literal["out", "back"]
Kind = Literal["flight", "hotel", "car"]
"""What is found and booked, by the agents that search for it."""
Hours = tuple[tuple[str, str], ...]
"""Spans of the clock, each from its first minute to its last: (("09:15", "09:15"), ("21:15", "21:15"))."""

KINDS: tuple[Kind, ...] = get_args(Kind)

AMENITIES = frozenset(_AMENITIES.values())
"""What hotels are told to have or not, by its name in their offers; of anything else they tell nothing."""

TOPICS_OF_ONE = frozenset[Topic](
    {
        "details", "price", "layover", "stops", "duration", "departure", "arrival", "carrier", "aircraft",
        "cabin", "bags", "refund", "change", "has", "distance", "rating", "stars", "place", "dates",
        "untold", "seats", "mileage", "gearbox", "station",
    }
)  # fmt: skip
"""What is asked of one offer, which may be the one that a message books."""

RECOMMENDED = "recommended"
WHY = "why"
EACH = "each"
LEFT = "left"
NEXT = "next"
OTHERS = "others"
EVERYTHING = "everything"
DAYS_COMPARED = "which day is cheaper"
PLACES_COMPARED = "which place is cheaper"


@dataclass(frozen=True, slots=True, kw_only=True)
class Which:
    """Which of the offers: by their `numbers` as they are shown, by a `name`, the first `by` a fact, or all.

    With none of these it is the one spoken of last. A flight may be told by the `hours` in which it leaves,
    or as one that `is_nonstop`: of several the cheapest. With `is_of_two` the first `by` a fact is meant of
    those spoken of together ("the cheaper one"); `is_other` is the one of those not spoken of since,
    `is_last` the last of them, else the last to leave, or in the list; `is_next` the one behind that one.
    With `is_among` it is one of the several told of before ("the cheapest of those"), else of all.
    """

    numbers: tuple[int, ...] = ()
    by: By | None = None
    descending: bool = False
    name: str = ""
    is_all: bool = False
    hours: Hours = ()
    is_nonstop: bool = False
    is_of_two: bool = False
    is_other: bool = False
    is_last: bool = False
    is_next: bool = False
    is_among: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundQuestion:
    """What a message asks about the offers that were found; `agent` is whose, None where that is open.

    `by` and `descending` are the order of a "sort", and of a "step" to the next offer in it; a "difference"
    is one of all facts, or of the one it is `by`. `wanted` is what an offer is to have: an amenity by its
    name in offers, several of them joined by "and", a topic ("bags"), or else the user's words. Of a "which"
    it is what the first is to have, or `RECOMMENDED` for the one that we would take; of "untold" it is what
    no offer tells, and "book" of a "chosen" one that is to be booked. Of a "duration" it is `WHY` where the
    reason is asked for, of a "total" `EACH` for what each traveller pays and `LEFT` for what is left of the
    `limit`, else of the budget; of "found" `EVERYTHING` for what was asked for and is booked as well; of a
    "step" `NEXT` for the one behind it in the order, whichever way that goes; of a list "shown" `OTHERS`
    for those behind the one spoken of, from where its numbers count; of
    "untold" `DAYS_COMPARED` for the prices of other days and `PLACES_COMPARED` for those of the places to
    choose from. `limit` is a price, and `kinds` are those that a "total" is of, where it names them; its
    `agent` is the one of which `which` picks an offer ("the total with the second hotel").
    Of what "fits" the limits are those of the request that are not carried from the one before.
    The numbers of "groups" are stars: of each the cheapest is told.
    With `is_denied` those are asked for that do not have it. `way` is the direction that is asked about.
    `also` is asked behind it, in turn: of "it", which is the offer that the answer before it speaks of;
    `unread` are the user's words for what is asked beside it and not understood.
    """

    topic: Topic
    agent: Kind | None = None
    which: Which = Which()
    by: By | None = None
    descending: bool = False
    wanted: str = ""
    limit: Money | None = None
    kinds: tuple[Kind, ...] = ()
    is_denied: bool = False
    way: Way | None = None
    also: tuple["FoundQuestion", ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def all_wanted(self) -> tuple[str, ...]:
        """Each of what an offer is to have."""
        return tuple(self.wanted.split(" and "))
