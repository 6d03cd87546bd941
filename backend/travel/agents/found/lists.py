"""Answers about a whole list: its first by some fact, another order, what is within a price or has a fact."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from ...spoken_of import Order
from ...understanding.found import RECOMMENDED, FoundQuestion, Kind
from ...values.offers import By, Offer, currency, has, in_order, stops, told, value
from ...values.offers import amount as amount_of
from ..state import TravelRun
from . import facts, steps
from .found_offers import Answer, Found
from .orders_in_words import order_in_words, superlative
from .recommending import recommended
from .wording import amount, counted, in_its_currency, layover_in_words, listed, name, noun, plural, total

_PARTS: Mapping[Kind, tuple[str, str]] = {
    "flight": ("price_per_person", " a person"),
    "hotel": ("price_per_night", " a night"),
    "car": ("price_per_day", " a day"),
}


def first_of(_run: TravelRun, found: Found, question: FoundQuestion, kind: Kind) -> Answer:
    """Return the first of the offers in an order: "which is the fastest?"."""
    by, descending = _order(question.which.by, kind, descending=question.which.descending)
    shown = found.of(kind)
    if kind == "flight" and question.way == "back" and by in steps.OF_A_WAY:
        return steps.first_on_the_way_back(shown, by, descending=descending)
    if question.which.numbers:
        shown = [shown[number - 1] for number in question.which.numbers if number <= len(shown)] or shown
    if question.wanted == RECOMMENDED:
        return recommended(shown, kind)
    having = ""
    if question.wanted:  # "the cheapest direct flight"
        having, holds = facts.condition(replace(question, topic="those_with"), kind)
        known, _ = facts.telling(shown, holds)
        if holds is None or not known:
            return f"The offers do not tell which {plural(kind)} {having}.", []
        shown = [offer for offer in known if holds(offer)]
        if not shown:
            return f"None of the {counted(len(known), kind)} {having}.", []
        having = f" that {having}" if len(shown) > 1 else f" that {facts.singular(having)}"
    if by == "best" and kind == "hotel":
        by, descending = "score", True
    shown, not_telling = facts.telling(shown, lambda offer: value(offer, by))
    if not shown:
        return f"The {plural(kind)} do not tell that.", []
    if by == "layover" and not descending:
        return _shortest_layover(shown)
    first = in_order(shown, by, descending=descending)[0]
    alike = sum(value(offer, by) == value(first, by) for offer in shown) if by not in ("best", "price") else 1
    subject = f"{superlative(by, descending=descending)}{in_its_currency(first, shown, by)}"
    of_how_many = f"of the {counted(len(shown), kind)}" if len(shown) > 1 else f"and only {noun(kind)}"
    of_how_many += having
    tie = f"; {alike - 1} more {'is' if alike == 2 else 'are'} alike in that" if alike > 1 else ""
    return f"The {subject} {of_how_many} is {facts.headline(first)}{tie}.{not_telling}", [first]


def _order(by: By | None, kind: Kind, *, descending: bool) -> tuple[By, bool]:
    """The order that is meant, by price where none is told; the best hotel is the one of the best score."""
    return ("score", True) if by == "best" and kind == "hotel" else (by or "price", descending)


def _shortest_layover(flights: Sequence[Offer]) -> Answer:
    nonstop, others = [each for each in flights if not stops(each)], [each for each in flights if stops(each)]
    if not others:
        return f"None has a layover: all {counted(len(flights), 'flight')} are nonstop.", [
            in_order(nonstop, "price")[0]
        ]
    first = in_order(others, "layover")[0]
    told = f"The shortest layover is with {facts.headline(first)}: {layover_in_words(first)}."
    if not nonstop:
        return told, [first]
    are = "is" if len(nonstop) == 1 else "are"
    return (
        f"{len(nonstop)} of the {counted(len(flights), 'flight')} {are} nonstop. {told}",
        [first],
    )


def in_another_order(run: TravelRun, found: Found, question: FoundQuestion, kind: Kind) -> Answer:
    """Show the offers in another order from now on, and return which is the first in it."""
    by, descending = _order(question.by, kind, descending=question.descending)
    if not any(has(offer, by) for offer in found.of(kind)):
        return f"The {plural(kind)} cannot be sorted by that.", []
    order = Order(by=by, descending=descending)
    run.speak_of(run.spoken_of.in_order(kind, order))
    run.context.put_in_order(kind, by, descending=descending)
    first = in_order(found.offers[kind], by, descending=descending)[0]
    count = counted(len(found.offers[kind]), kind)
    words = order_in_words(by, descending=descending)
    return f"The {count} are {words}: number 1 is {facts.headline(first)}.", [first]


def under(_run: TravelRun, found: Found, question: FoundQuestion, kind: Kind) -> Answer:
    """Return those within a price: a person's of flights, a night's of hotels ("anything under 200?")."""
    limit = question.limit
    if limit is None:
        return "", []
    part, per = ("price_total", " in all") if question.wanted else _PARTS[kind]

    def price(offer: Offer) -> Decimal:
        return amount_of(offer[part])

    known = (offer for offer in found.of(kind) if told(price, offer) is not None)
    offers = [offer for offer in known if offer[part].get("currency")]
    if not offers:
        return f"The {plural(kind)} do not tell their prices.", []
    others = [offer for offer in offers if offer[part]["currency"] != limit.currency]
    priced_in = listed(sorted({offer[part]["currency"] for offer in others}))
    if len(others) == len(offers):
        return f"The {plural(kind)} are priced in {priced_in}, not in {limit.currency}.", []
    offers = [offer for offer in offers if offer not in others]
    are = "is" if len(others) == 1 else "are"
    not_compared = (
        f" {len(others)} more {are} priced in {priced_in}, which I cannot compare." if others else ""
    )
    cheapest_first = sorted(offers, key=price)
    below = [offer for offer in cheapest_first if price(offer) <= limit.amount]
    first, within = cheapest_first[0], f"{limit.amount:,} {limit.currency}{per}"
    cheapest = f"{name(first)} for {amount(first[part])}{per}"
    if not below:
        of_all = f"the cheapest of {counted(len(offers), kind)} is {cheapest}"
        return f"No {noun(kind)} costs {within} or less: {of_all}.{not_compared}", [first]
    how_many = f"{len(below)} of the {counted(len(offers), kind)} {'costs' if len(below) == 1 else 'cost'}"
    return f"Yes, {how_many} at most {within}; the cheapest is {cheapest}.{not_compared}", below


def those_with(_run: TravelRun, found: Found, question: FoundQuestion, kind: Kind) -> Answer:
    """Return those that have, or have not, what is asked for: "which ones are direct?"."""
    known, holds = facts.condition(question, kind)
    offers, not_telling = facts.telling(found.of(kind), holds)
    if holds is None or not offers:
        return f"The offers do not tell which {plural(kind)} {known}.", []
    some = in_order([offer for offer in offers if holds(offer) != question.is_denied], "price")
    all_or_none = f"{'All' if question.is_denied else 'None of the'} {counted(len(offers), kind)} {known}."
    if not some:
        return f"{all_or_none}{not_telling}", []
    if question.is_denied and len(some) == len(offers):
        return f"None of the {counted(len(offers), kind)} {known}.{not_telling}", some
    known = facts.denied(known) if question.is_denied else known
    alike = [offer for offer in some if told(currency, offer) == told(currency, some[0])]
    firsts = alike[:3] if len(some) > 3 else some
    names = listed([f"{name(offer)} for {total(offer)}" for offer in firsts])
    all_of_them = counted(len(offers), kind)
    how_many = f"All {all_of_them}" if len(some) == len(offers) else f"{len(some)} of the {all_of_them}"
    more = f"; the cheapest of them{in_its_currency(some[0], some)} are " if len(some) > 3 else ": "
    return f"{how_many} {known}{more}{names}.{not_telling}", some
