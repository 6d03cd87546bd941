"""An offer of an earlier request that is to be booked: which one is meant.

The user tells it as it was shown, by the city of its request ("the second Tokyo flight") or as one from
before. `earlier_offer` then goes through the kept requests, latest first, until one has the offer. Nobody has
to wait for a search: the provider quotes the offer anew.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from ...domain.errors import StoreUnavailable
from ..kept import KeptRequest, KeptRequests
from ..understanding.found import KINDS
from ..understanding.result import Bookable, BookingWish, Understanding
from ..understanding.slot_table import links_of
from .choosing import Item, chosen, ends_as, shown_as, which_kind
from .state import EarlierOffer, TravelRun

NOTHING_EARLIER = "I have no offers from before that I could book."
CANNOT_LOOK = "I cannot look at what I found before just now; please ask again in a moment."


async def earlier_offer(run: TravelRun) -> EarlierOffer | None:
    """Return the offer of an earlier request that is to be booked; None if the message means no such offer.

    Where the store cannot be read, a message that clearly means one is told so; any other ("book the Hilton")
    means the search of now. May be cancelled.
    """
    wish = run.understanding.booking
    if run.kept is None or wish is None or wish.action not in ("book", "hold") or wish.reference:
        return None
    is_of_now = wish.name is None or _is_to(wish.name, run.understanding)
    if not wish.shown and not wish.is_earlier and is_of_now:
        return None
    try:
        async with aclosing(_requests(run.kept, run.context.user_id, wish)) as requests:
            async for kept in requests:
                found = _of_request(kept, wish, run.understanding, run.spoken_of.offer_id_of(wish))
                if found is not None:
                    return found
    except StoreUnavailable:
        return _not_found(CANNOT_LOOK) if wish.shown or wish.is_earlier else None
    return _not_found(NOTHING_EARLIER) if wish.is_earlier and not wish.shown else None


def _requests(kept: KeptRequests, user_id: str, wish: BookingWish) -> AsyncGenerator[KeptRequest]:
    """Read the requests that a wish may mean: where it tells a name alone, those to a city of that name."""

    def may_be_meant(understanding: Understanding | None) -> bool:
        is_named = wish.name is None or (understanding is not None and _is_to(wish.name, understanding))
        return wish.shown is not None or is_named

    return kept.latest_first(user_id, only=may_be_meant)


def without_city(wish: BookingWish, understanding: Understanding) -> BookingWish:
    """Return the wish without a name that only repeats where the request goes: "the second Tokyo flight"."""
    return replace(wish, name=None) if _is_to(wish.name, understanding) else wish


def _of_request(
    kept: KeptRequest, wish: BookingWish, now: Understanding, spoken_of: str | None
) -> EarlierOffer | None:
    """Return the offer of this request that is meant, or why there is none; None if another one is meant."""
    kinds: list[Bookable] = [kind for kind in KINDS if kept.offers.get(kind) and wish.kind in (None, kind)]
    if not kinds:
        return None
    if wish.shown is not None:
        item = shown_as(kept.offers[kinds[0]], wish.shown, spoken_of)
        return _found(kept, kinds[0], item) if item is not None else None
    before = kept.understanding
    if before is None or (wish.name and not _is_to(wish.name, before)):
        return None
    others: list[Bookable] = [kind for kind in kinds if before.of(kind) != now.of(kind)]
    if not others:
        return None  # it is the request of now
    if len(others) > 1:
        return _not_found(which_kind("book", others))
    item = chosen(kept.offers[others[0]], replace(wish, name=None), kind=others[0])
    return _not_found(item) if isinstance(item, str) else _found(kept, others[0], item)


def _is_to(name: str | None, understanding: Understanding) -> bool:
    """Whether a name is that of the city where a request goes, or its end: "new" is read as no name."""
    goals = [getattr(understanding.of(goal.agent), goal.field) for goal in links_of("goal")]
    cities = {place.city for place in goals if place}
    names = [each for city in cities for each in (city.name, *city.aliases)]
    return name is not None and any(ends_as(each, name) for each in names)


def _found(kept: KeptRequest, kind: Bookable, item: Item) -> EarlierOffer:
    return {"task_id": kept.task.task_id, "kind": kind, "item": item, "why_none": ""}


def _not_found(sentence: str) -> EarlierOffer:
    return {"task_id": "", "kind": "flight", "item": None, "why_none": sentence}
