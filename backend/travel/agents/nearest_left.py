"""What is left where an offer of an earlier request is no longer sold: the nearest of those shown with it."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from functools import partial
from operator import itemgetter

from ...domain.errors import DetourError, StoreUnavailable
from ..tools import booking_words as words
from ..values.booking import Choice, Wanted, choice_of, whole_offer
from ..values.offers import Untold, currency, price, told
from .choosing import Item
from .state import EarlierOffer, TravelRun

_MOST_ASKED = 5
"""How many other offers are asked for, one after the other, until one is still to be had."""


async def nearest_left(run: TravelRun, gone: EarlierOffer) -> str:
    """Return a sentence that names the nearest offer of the same request which is still sold; "" for none.

    It is "" as well where the store cannot be read: the write has ended, and its outcome must still be told.
    May be cancelled.
    """
    try:
        kept = await run.kept.of_task(run.context.user_id, gone["task_id"]) if run.kept else None
    except StoreUnavailable:
        return ""
    item = gone["item"]
    if kept is None or item is None:
        return ""
    tool = run.bookings.books(gone["kind"])
    missing = _choice(item)
    others = (each for each in kept.offers.get(gone["kind"], ()) if each["offer_id"] != item["offer_id"])
    distances = [(told(partial(_distance, item), other), other) for other in others]
    nearest_first = sorted((each for each in distances if each[0] is not None), key=itemgetter(0))
    for _, other in nearest_first[:_MOST_ASKED]:
        choice = _choice(other)
        if choice is None or choice == missing:
            continue  # it lacks what is asked for, or is the same, sold by somebody else
        with suppress(DetourError):
            quote = await tool.quote(run.context.user_id, Wanted(choice=choice))
            offer = quote.arguments.offer
            return (
                f"The nearest that is left is {words.told_apart(offer)} for {words.money(offer.price_total)}."
            )
    return ""


def _choice(item: Item) -> Choice | None:
    offer = whole_offer(item)
    return choice_of(offer) if offer is not None else None


def _distance(gone: Item, other: Item) -> tuple[float, Decimal]:
    """How far another offer is from the one that is gone: flights by when they leave, others by price.

    Raises one of `UNTOLD` where that is not told, or the price is in another currency.
    """
    if currency(other) != currency(gone):
        raise Untold("price_total")
    dearer = abs(price(other) - price(gone))
    if "slices" not in gone:
        return 0.0, dearer
    apart = zip(_departures(gone), _departures(other), strict=False)
    return sum(abs((there - here).total_seconds()) for here, there in apart), dearer


def _departures(item: Item) -> Sequence[datetime]:
    return [datetime.fromisoformat(each["segments"][0]["departs_at"]) for each in item["slices"]]
