"""Which offer a user means: the cheapest, the third, the one of a name, or one of an earlier request.

Offers are numbered in the order in which they are shown: the cheapest first, of equal prices the first
found, unless the user wanted another order. One that is named with its shown details is found in any order;
if it is sold more than once, the cheapest is meant.

One of an earlier request is told as it was shown, by the city of its request ("the second Tokyo flight") or
as one from before. `earlier_offer` then goes through the kept requests, latest first, until one has it.
Nobody has to wait for a search: the provider quotes the offer anew.
"""

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from rapidfuzz import fuzz

from ...domain.errors import StoreUnavailable
from ..stored_requests import KeptRequest, KeptRequests
from ..understanding.english.language.text import tokenise
from ..understanding.found import KINDS
from ..understanding.result import Bookable, BookingWish, Shown, ShownRental, ShownStay, Understanding
from ..understanding.slot_table import links_of
from ..values.offers import By, currencies, fact, in_order, is_compared_by_price, to_the_minute, told, ways
from .found.wording import noun, plural
from .state import EarlierOffer, TravelRun

Item = Mapping[str, Any]

_ALIKE = 85
"""Percentage of likeness from which two words count as the same."""

_NAMES_OF_CARS = ("model", "supplier", "car_class", "transmission", "station")


def chosen(
    items: Sequence[Item],
    wish: BookingWish,
    *,
    kind: str,
    by: By = "price",
    descending: bool = False,
    spoken_of: str | None = None,
) -> Item | str:
    """Return the offer that is meant, or a sentence that says why there is none.

    `by` and `descending` are the order in which they are shown, which numbers count in. Without any detail
    ("book it") the cheapest is meant: the reply to a search names that one. `spoken_of` is the id of
    the offer that the wish was told by, which is meant where it is still among them.
    """
    one, many = noun(kind), plural(kind)
    if not items:
        return f"There is no {one} to choose from."
    shown: Sequence[Item] = in_order(items, "price")
    if wish.shown is not None:
        same = shown_as(items, wish.shown, spoken_of)
        return same if same is not None else f"None of the {len(items)} {many} I found is {wish.name}."
    if wish.name:
        shown = [item for item in shown if is_called(item, wish.name)]
        if not shown:
            which = "is with" if kind == "flight" else "is called"
            return f"None of the {len(items)} {many} I found {which} {wish.name}."
    if wish.pick == "fastest":
        if kind != "flight":
            many = f"{many[:1].upper()}{many[1:]}"
            return f"{many} have no speed; I can book the cheapest, the best, one by its number or its name."
        shown = in_order(shown, "duration")
    elif wish.pick == "best":
        shown = in_order(shown, "best")
    elif wish.number and wish.pick is None:
        shown = in_order(shown, by, descending=descending)
    if _is_by_price(wish, shown[0]) and len(priced_in := currencies(shown)) > 1:
        return (
            f"The {many} are priced in {' and '.join(priced_in)}, which I cannot compare. "
            "Please say which one, by its number or its name."
        )
    number = wish.number or 1
    if not 1 <= number <= len(shown):
        there_are = f"there is only one {one}" if len(shown) == 1 else f"there are only {len(shown)} {many}"
        return f"There is no number {number}: {there_are} like that."
    return shown[number - 1]


def _is_by_price(wish: BookingWish, offer: Item) -> bool:
    """Whether a wish tells one of such offers by what they cost, as "book it" does."""
    if wish.pick is None:
        return wish.number is None
    return wish.pick != "fastest" and is_compared_by_price(offer, "best" if wish.pick == "best" else "price")


def which_kind(action: str, kinds: Sequence[Bookable]) -> str:
    """Return the question of which kind an offer is to be; of flights and hotels where none was found."""
    some = " or ".join(f"the {kind}" for kind in kinds or ("flight", "hotel"))
    return f"Shall I {action} {some}? Please say which."


def shown_as(items: Sequence[Item], shown: Shown, spoken_of: str | None = None) -> Item | None:
    """Return the offer with these shown details that was spoken of, else the cheapest; None without any."""
    alike = [item for item in items if told(lambda item: _is_shown_as(item, shown), item)]
    same = in_order(alike, "price")
    return next((item for item in same if item["offer_id"] == spoken_of), same[0] if same else None)


def ends_as(name: str, end: str) -> bool:
    """Return whether the last words of a name are these, whatever their capitals, accents and signs."""
    return f" {_folded(name)}".endswith(f" {_folded(end)}")


def _is_shown_as(item: Item, shown: Shown) -> bool:
    """Whether an offer has these shown details; several have, if it is sold twice.

    Raises one of `UNTOLD` if it does not tell them.
    """
    if isinstance(shown, ShownStay):
        days = (item["check_in"], item["check_out"])
        dates = [day.isoformat() for day in (shown.check_in, shown.check_out) if day]
        is_there = not shown.district or _folded(fact(item, "district")) == _folded(shown.district)
        return is_there and _folded(fact(item, "name")) == _folded(shown.hotel) and dates in ([], [*days])
    if isinstance(shown, ShownRental):
        told = {name: getattr(shown, name) for name in ("transmission", "station", "pick_up", "drop_off")}
        is_it = all(str(value) == item[name] for name, value in told.items() if value)
        return is_it and _folded(f"{item['model']}, {item['supplier']}") == _folded(shown.car)
    return [_direction(each) for each in item["slices"]] == [
        ([_folded(flight) for flight in way.flights], way.leaves) for way in shown
    ]


def _direction(direction: Item) -> tuple[list[str], str]:
    flights = [_folded(f"{flight['carrier_name']} {flight['number']}") for flight in direction["segments"]]
    return flights, to_the_minute(direction["segments"][0]["departs_at"])


def _folded(name: str) -> str:
    """A name without what may be typed in several ways."""
    return " ".join(token.norm for token in tokenise(name) if token.is_word or token.is_number)


def is_called(item: Item, name: str) -> bool:
    """Return whether every word of a name is one of the offer's names, or nearly so."""
    return any(_has_words(each, name) for each in told(_names, item) or ())


def _names(item: Item) -> Collection[str]:
    """The names of a hotel, of a car, or of the flights of a journey. Raises one of `UNTOLD`."""
    if "pick_up" in item:
        # "The small automatic", "the Finch from Kestrel": a car is called by what its card tells.
        return {" ".join(str(fact(item, each)) for each in _NAMES_OF_CARS)}
    if "slices" not in item:
        return {fact(item, "name")}
    flights = [flight for direction in ways(item) for flight in direction["segments"]]
    return {f"{fact(flight, 'carrier_name')} {fact(flight, 'number')}" for flight in flights}


def _has_words(name: str, wished: str) -> bool:
    known = [token.norm for token in tokenise(name)]
    words = [token.norm for token in tokenise(wished)]
    return bool(words) and all(any(fuzz.ratio(word, each) >= _ALIKE for each in known) for word in words)


# --- offers of earlier requests ------------------------------------------------------------------------


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
