"""What was found in all, and what flight, stay and car cost together."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from ...understanding.found import EACH, KINDS, LEFT, FoundQuestion, Kind, Which
from ...understanding.result import Understanding
from ...values.offers import Offer, fact, in_order, price, told
from ...values.travel import Money
from .found_offers import Found, Meant, meant
from .wording import counted, in_its_currency, listed, name, noun, total
from .wording import price as price_in_words

_CANNOT_ADD = "These cannot be added up."


def summary(found: Found) -> str:
    """Return how much was found, and the cheapest of each kind."""
    if not found.kinds:
        return "So far nothing has arrived." if found.running else "Nothing has been found yet."
    parts = [
        f"{counted(len(offers), kind)}, the cheapest{in_its_currency(first, offers)} {name(first)}"
        f" for {price_in_words(first)}"
        for kind in found.kinds
        for offers in [found.offers[kind]]
        for first in in_order(offers, "price")[:1]
    ]
    return f"{_so_far(found)} {'; and '.join(parts)}."


def count(found: Found, question: FoundQuestion) -> str:
    """Return how many offers there are."""
    kinds = [kind for kind in found.kinds if question.agent in (None, kind)]
    if not kinds:
        return summary(found)
    return f"{_so_far(found)} {listed([counted(len(found.offers[kind]), kind) for kind in kinds])}."


def _so_far(found: Found) -> str:
    return "So far I have found" if found.running else "I found"


def in_all(
    found: Found, which: Which, of: Collection[Kind] = (), picked: Kind | None = None
) -> tuple[str, Mapping[Kind, Sequence[Offer]]]:
    """Return what the trip costs, or these kinds `of` it: of each the offer spoken of last, or cheapest.

    Of the kind that is `picked` it is the one that `which` tells.
    """
    kinds: list[Kind] = [kind for kind in found.kinds if not of or kind in of] or found.kinds
    lacking = [
        noun(kind) for kind in KINDS if kind in (of or found.understanding.wanted) and kind not in kinds
    ]
    chosen: dict[Kind, Offer] = {}
    parts: list[str] = []
    for kind in kinds:
        ids = found.spoken.offer_ids.get(kind, ())
        spoken = [offer for offer in found.offers[kind] if offer["offer_id"] in ids]
        is_spoken = len(spoken) == 1 and (which.by is None or kind != (picked or kind))
        offer = spoken[0] if is_spoken else in_order(found.offers[kind], "price")[0]
        some = meant(found, kind, which) if kind == picked else None
        if isinstance(some, Meant):
            offer, is_spoken = some.offers[0], offer is not some.offers[0]
        chosen[kind] = offer
        cheapest = f", the cheapest {noun(kind)}{in_its_currency(offer, found.offers[kind])}"
        parts.append(f"{total(offer)} for {name(offer)}{'' if is_spoken else cheapest}")
    offers: dict[Kind, Sequence[Offer]] = {kind: [chosen[kind]] for kind in kinds}
    people = max(told(_people, offer) or 1 for offer in chosen.values())
    who = f" for {people} people" if people > 1 else ""
    without = f" No {' or '.join(lacking)} was found, so none is counted." if lacking else ""
    prices = [money for offer in chosen.values() if (money := told(_money, offer))]
    currencies = {currency for _, currency in prices}
    if len(prices) < len(chosen):
        return f"In all{who} it is {listed(parts)}.{without}", offers
    if len(currencies) > 1:
        shares = [Money(amount=round(cost / people, 2), currency=currency) for cost, currency in prices]
        each = f" That is {listed([str(share) for share in shares])} each." if people > 1 else ""
        return f"In all{who} it is {listed(parts)}; these are not of one currency.{each}{without}", offers
    if len(chosen) == 1:
        return f"In all{who} it is {parts[0]}.{without}", offers
    together = sum((cost for cost, _ in prices), Decimal(0))
    return (
        f"In all{who} it is {Money(amount=together, currency=currencies.pop())}: {listed(parts)}.{without}",
        offers,
    )


def shared(found: Found, question: FoundQuestion) -> tuple[str, Mapping[Kind, Sequence[Offer]]]:
    """Return what the trip costs, with each one's share of it or what it leaves of the budget, if asked."""
    sentence, offers = in_all(found, question.which, question.kinds, question.agent)
    prices = [money for some in offers.values() for offer in some if (money := told(_money, offer))]
    currencies = {currency for _, currency in prices}
    if question.wanted not in (EACH, LEFT):
        return sentence, offers
    if question.wanted == EACH and len(currencies) > 1:
        return sentence, offers  # each share is told
    if len(prices) < len(offers) or len(currencies) != 1:
        return f"{sentence} {_CANNOT_ADD}", offers
    together, currency = sum((cost for cost, _ in prices), Decimal(0)), currencies.pop()
    people = max(told(_people, some[0]) or 1 for some in offers.values())
    if question.wanted == EACH:
        return (
            f"{sentence} That is {Money(amount=round(together / people, 2), currency=currency)} each.",
            offers,
        )
    return f"{sentence} {_left(found, together, currency, offers.keys(), question.limit)}", offers


def _left(
    found: Found, together: Decimal, currency: str, kinds: Collection[Kind], limit: Money | None
) -> str:
    """Return what a sum for these kinds leaves of the limit, else of the budget that was told."""
    budget = _budget(found.understanding, kinds)
    limit = budget if limit is None or (budget and budget.amount == limit.amount) else limit
    if limit is None:
        return 'You have told me no budget for that; tell me one, for example "800 euros in all".'
    if limit.currency != currency:
        return f"Your budget of {limit} is of another currency, so I cannot tell what is left."
    if together > limit.amount:
        return f"That is {replace(limit, amount=together - limit.amount)} more than your {limit}."
    return f"Of your {limit} that leaves {replace(limit, amount=limit.amount - together)}."


def _budget(understanding: Understanding, kinds: Collection[Kind]) -> Money | None:
    """The limit for all of it: that of the trip, else that of its only kind for all travellers or nights."""
    flight, hotel = understanding.flight, understanding.hotel
    limit, times = flight.max_total or hotel.max_total, 1
    if limit is None and [*kinds] == ["flight"]:
        limit, times = flight.max_price, flight.passengers or 1
    elif limit is None and [*kinds] == ["hotel"] and hotel.check_in and hotel.last_day:
        limit, times = hotel.max_price, (hotel.last_day - hotel.check_in).days
    return replace(limit, amount=limit.amount * times) if limit else None


def _people(offer: Offer) -> int:
    return int(fact(offer, "passengers" if "slices" in offer else "guests"))


def _money(offer: Offer) -> tuple[Decimal, str]:
    return price(offer), fact(offer["price_total"], "currency")
