"""Answers about a whole list: its first by some fact, another order, what is within a price or has a fact,
the next beside an offer, what we would take; and what no offer tells.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from ...stored_requests import Order
from ...understanding.english.slot_words import limit_in_words
from ...understanding.english.wording import describe
from ...understanding.found import NEXT, OTHERS, RECOMMENDED, FoundQuestion, Kind, Which
from ...understanding.queries import filters, missed_limits
from ...values.offers import By, Offer, currency, has, in_order, price, stops, told, value, ways
from ...values.offers import amount as amount_of
from ..state import TravelRun
from . import facts
from .found_offers import ORDINAL_WORDS, Answer, Found, meant
from .totals import summary
from .wording import (
    airlines,
    amount,
    comparative,
    counted,
    in_its_currency,
    landing,
    layover_in_words,
    listed,
    name,
    noun,
    order_in_words,
    plural,
    superlative,
    total,
)
from .wording import price as price_in_words

_PARTS: Mapping[Kind, tuple[str, str]] = {
    "flight": ("price_per_person", " a person"),
    "hotel": ("price_per_night", " a night"),
    "car": ("price_per_day", " a day"),
}


def first_of(_run: TravelRun, found: Found, question: FoundQuestion, kind: Kind) -> Answer:
    """Return the first of the offers in an order: "which is the fastest?"."""
    by, descending = _order(question.which.by, kind, descending=question.which.descending)
    shown = found.of(kind)
    if kind == "flight" and question.way == "back" and by in OF_A_WAY:
        return first_on_the_way_back(shown, by, descending=descending)
    nth = question.which.numbers[0] if len(question.which.numbers) == 1 and question.which.by else 0
    if question.which.numbers and not nth:
        shown = [shown[number - 1] for number in question.which.numbers if number <= len(shown)] or shown
    if question.wanted == RECOMMENDED:
        return recommended(shown, kind)
    having = beside = ""
    if question.wanted:  # "the cheapest direct flight"
        having, holds = facts.condition(replace(question, topic="those_with"), kind)
        known, _ = facts.telling(shown, holds)
        beside = facts.not_told(question, kind)
        if holds is None or not known:
            return f"The offers do not tell which {plural(kind)} {having}.", []
        shown = [offer for offer in known if holds(offer)]
        if not shown:
            return f"None of the {counted(len(known), kind)} {having}.{beside}", []
        having = f" that {having}" if len(shown) > 1 else f" that {facts.singular(having)}"
    if by == "best" and kind == "hotel":
        by, descending = "score", True
    shown, not_telling = facts.telling(shown, lambda offer: value(offer, by))
    if not shown:
        return f"The {plural(kind)} do not tell that.", []
    if by == "layover" and not descending:
        return _shortest_layover(shown)
    if nth > len(shown):
        return f"There is no number {nth} of {counted(len(shown), kind)}.", []
    first = in_order(shown, by, descending=descending)[nth - 1 if nth else 0]
    alike = sum(value(offer, by) == value(first, by) for offer in shown) if by not in ("best", "price") else 1
    place = f"{ORDINAL_WORDS[nth]} " if nth > 1 else ""
    subject = f"{place}{superlative(by, descending=descending)}{in_its_currency(first, shown, by)}"
    of_how_many = f"of the {counted(len(shown), kind)}" if len(shown) > 1 else f"and only {noun(kind)}"
    of_how_many += having
    tie = f"; {alike - 1} more {'is' if alike == 2 else 'are'} alike in that" if alike > 1 else ""
    lands = f" It lands at {landing(ways(first)[0])}." if by == "arrival" else ""
    told_so = f"The {subject} {of_how_many} is {facts.headline(first)}{tie}.{lands}"
    return f"{told_so}{not_telling}{beside}", [first]


def fitting(run: TravelRun, found: Found, question: FoundQuestion, kind: Kind) -> Answer:
    """Return whether the offer spoken of is within the limits asked for, and the cheapest that is if not."""
    slots, carried = run.understanding.of(kind), run.understanding.carried
    limits = {slot.name: slot for slot, _ in filters(kind, slots) if slot.name not in carried}
    wanted = listed(list(dict.fromkeys(f'"{limit_in_words(slots, each)}"' for each in limits.values())))

    def fits(offer: Offer) -> bool:
        return limits.keys().isdisjoint(each.name for each in missed_limits(kind, slots, offer))

    some = meant(found, kind, question.which)
    if isinstance(some, str):
        return some, []
    asked = some.offers[0]
    if fits(asked):
        return f"{name(asked)} fits {wanted}.", [asked]
    others = [other for other in found.of(kind) if fits(other)]
    if not others:
        none = f"nor does any other of the {counted(len(found.of(kind)), kind)}"
        return f"{name(asked)} does not fit {wanted}, {none}.", [asked]
    first = in_order(others, "price")[0]
    which = f"the cheapest{in_its_currency(first, others)} of {len(others)} that do is"
    told = f"{which if others[1:] else 'only one does,'} {name(first)} for {total(first)}"
    return f"{name(asked)} does not fit {wanted}; {told}.", [asked]


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
    first, within = cheapest_first[0], f"{limit}{per}"
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
    not_telling += facts.not_told(question, kind)
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


def by_airline(flights: Sequence[Offer]) -> str:
    """Return which airlines the flights are with: how many each has for itself, and its cheapest price."""
    alone: dict[str, list[Offer]] = {}
    for flight in in_order(flights, "price"):
        names = told(airlines, flight) or []
        for named in names:
            alone.setdefault(named, []).extend([flight] if len(names) == 1 else [])
    some = [f"{named} ({len(own)}, from {total(own[0])})" for named, own in alone.items() if own]
    some += [f"{named} with others" for named, own in alone.items() if not own]
    mixed = len(flights) - sum(map(len, alone.values()))
    more = f"; {mixed} {'mixes' if mixed == 1 else 'mix'} airlines" if mixed else ""
    return f"The {counted(len(flights), 'flight')} are with {listed(some)}{more}."


OF_A_WAY: frozenset[By] = frozenset({"departure", "arrival", "duration", "stops", "layover"})
"""Orders by facts of a direction: the way back may be asked about alone."""
_NEAREST_FIRST: frozenset[By] = frozenset({"departure"})
"""Of a later flight the next is meant, of a cheaper one the cheapest."""
_WHY_THE_PRICE = "why they cost what they do"
_SAID: Mapping[str, str] = {
    "payment": "You need no card: it is a demo, and nothing is really paid. "
    "What you allow is booked at once.",
    "one-way fees": "The offers of the rental cars tell no one-way fees: a car is returned where it is "
    "picked up, and I look for no others.",
    "how many are left": "The offers do not tell how many are left. Each was on sale when I searched, and is "
    "checked once more before it is booked.",
}


def untold(found: Found, question: FoundQuestion) -> str:
    """Return that no offer tells what is asked, by its name."""
    kinds: list[Kind] = [kind for kind in found.kinds if question.agent in (None, kind)]
    of = f" of the {' and '.join(map(plural, kinds))}" if kinds else ""
    said = _SAID.get(question.wanted) or f"The offers{of} do not tell anything about {question.wanted}."
    ranges = [_prices(found, kind) for kind in kinds] if question.wanted == _WHY_THE_PRICE else []
    return " ".join(filter(None, [said, *ranges]))


def _prices(found: Found, kind: Kind) -> str:
    """Return between what prices the offers are, and what the most different of them give for theirs."""
    shown = found.of(kind)
    if len(shown) < 2:
        return ""
    first, last = in_order(shown, "price")[0], in_order(shown, "price", descending=True)[0]
    return (
        f"Of {counted(len(shown), kind)} the cheapest{in_its_currency(first, shown)} is "
        f"{facts.headline(first)}, the dearest {facts.headline(last)}."
    )


def why(found: Found, _question: FoundQuestion) -> str:
    """Return what was looked for, and what that has found: it tells why there is so little."""
    understanding = found.understanding
    looked_for = describe(replace(understanding, agents=understanding.wanted))
    return " ".join(filter(None, [f"I looked for {looked_for}." if looked_for else "", summary(found)]))


def stepped(_run: TravelRun, found: Found, question: FoundQuestion, kind: Kind) -> Answer:
    """Return the next offer beyond the one that was spoken of: "too early", "anything cheaper?"."""
    by, descending = question.by or "price", question.descending
    base = meant(found, kind, question.which)
    if isinstance(base, str):
        return base, []
    first = base.offers[0]
    if question.wanted == NEXT:
        return _behind(base.offers[-1], found.of(kind), by, kind, descending=descending)
    bound, shown = value(first, by), found.of(kind)
    if bound is None:
        return f"The {plural(kind)} do not tell that.", []
    within = in_its_currency(first, shown, by)
    if within:
        shown = [each for each in shown if told(currency, each) == told(currency, first)]
    known, not_telling = facts.telling(shown, lambda offer: value(offer, by))
    beyond = [each for each in known if (value(each, by) > bound if descending else value(each, by) < bound)]
    all_of_them = f"{counted(len(known), kind)}{within}"
    than = f"{comparative(by, descending=descending)} than {name(first)} for {price_in_words(first)}"
    if not beyond:
        only = (
            f"There is only one {noun(kind)}{within}, so none"
            if len(known) == 1
            else f"None of the {all_of_them}"
        )
        return f"{only} is {than}.{not_telling} Another day or fewer wishes may find more.", [first]
    is_falling = not descending if by in _NEAREST_FIRST else descending
    following = in_order(beyond, "price" if by == "size" else by, descending=is_falling and by != "size")[0]
    which = "next" if by in _NEAREST_FIRST else superlative(by, descending=descending)
    which = "cheapest" if by == "size" else which
    are = "is" if len(beyond) == 1 else "are"
    told_next = f"the {which} of them is" if len(beyond) > 1 else "it is"
    return f"{len(beyond)} of the {all_of_them} {are} {than}: {told_next} {facts.headline(following)}.", [
        following
    ]


def _behind(first: Offer, shown: Sequence[Offer], by: By, kind: Kind, *, descending: bool) -> Answer:
    """Return the offer that comes next behind one in an order, whether or not it has less of it."""
    known, not_telling = facts.telling(shown, lambda offer: value(offer, by))
    ordered = in_order(known, by, descending=descending)
    at = next((at for at, each in enumerate(ordered, 1) if each["offer_id"] == first["offer_id"]), 0)
    if at == len(ordered):
        return f"Of the {counted(len(known), kind)} {name(first)} is the last in that.{not_telling}", [first]
    following, most = ordered[at], superlative(by, descending=descending)
    behind = f"Behind {name(first)} for {price_in_words(first)} the next {most}"
    return f"{behind} is {facts.headline(following)}.{not_telling}", [following]


def shown(_run: TravelRun, found: Found, question: FoundQuestion, kind: Kind) -> Answer:
    """Return some offers as they stand in the list, from its top or behind those told of: "any others?"."""
    offers, start = found.of(kind), 0
    if question.wanted == OTHERS:
        before = meant(found, kind, Which())
        ids = [] if isinstance(before, str) else [offer["offer_id"] for offer in before.offers]
        start = max((at for at, offer in enumerate(offers, 1) if offer["offer_id"] in ids), default=0)
    some = offers[start : start + len(question.which.numbers)]
    if not some:
        end = f"that is the last of the {len(offers)}" if len(offers) > 1 else "that is the only one"
        return f"There are no more {plural(kind)}: {end}.", []
    named = "; ".join(f"number {at}, {facts.headline(each)}" for at, each in enumerate(some, start + 1))
    left = len(offers) - start - len(some)
    more = f" {left} more {'follows' if left == 1 else 'follow'}." if left else ""
    which = "next" if start else "first"
    return f"The {which} of the {counted(len(offers), kind)}: {named}.{more}", some


def of_stars(_run: TravelRun, found: Found, question: FoundQuestion, kind: Kind) -> Answer:
    """Return the cheapest of each of several numbers of stars: "what do 3 and 4 star hotels cost?"."""
    firsts: list[Offer] = []
    parts: list[str] = []
    for stars in question.which.numbers:
        some = [offer for offer in found.of(kind) if value(offer, "stars") == stars]
        firsts += (cheapest := in_order(some, "price")[:1])
        has_them = f"{len(some)} {'has' if len(some) == 1 else 'have'} {stars} stars, from "
        none = f'none has {stars} stars (say "{stars} stars", and I look for more)'
        parts.append(f"{has_them}{facts.headline(cheapest[0])}" if cheapest else none)
    return f"Of the {counted(len(found.of(kind)), kind)} {'; '.join(parts)}.", firsts


def first_on_the_way_back(flights: Sequence[Offer], by: By, *, descending: bool) -> Answer:
    """Return the flight whose way back is the first in an order: "the latest flight home"."""
    backs = {
        flight["offer_id"]: {**flight, "slices": ways(flight)[1:]} for flight in flights if _returns(flight)
    }
    some, not_telling = facts.telling(list(backs.values()), lambda offer: value(offer, by))
    if not some:
        return "These are one-way flights, with no way back.", []
    first_id = in_order(some, by, descending=descending)[0]["offer_id"]
    first = next(flight for flight in flights if flight["offer_id"] == first_id)
    hours = facts.sentence(FoundQuestion(topic="departure", way="back"), first, "")
    subject = superlative(by, descending=descending)
    costs = f"It costs {price_in_words(first)}."
    return (
        f"The {subject} on the way back, of {counted(len(some), 'flight')}: {hours} {costs}{not_telling}",
        [first],
    )


def _returns(flight: Offer) -> bool:
    return len(told(ways, flight) or ()) > 1


def recommended(offers: Sequence[Offer], kind: Kind) -> Answer:
    """Return the offer that we would take, with the reason for it.

    Of hotels it is the best rated among those that cost no more than the middle price; of flights the first
    in order of price, hours and stops together; of rental cars, which nobody rates, the cheapest.
    """
    if kind == "hotel":
        return _hotel(offers)
    known = [offer for offer in offers if has(offer, "best")]
    if not known:
        return _nothing_told(kind)
    first = in_order(known, "best")[0]
    reason = "it is the cheapest, and nobody rates them" if kind == "car" else _why_that_flight(first, known)
    return f"Of the {counted(len(offers), kind)} I would take {facts.headline(first)}: {reason}.", [first]


def _nothing_told(kind: Kind) -> Answer:
    return f"The {plural(kind)} do not tell what I could choose by.", []


def _why_that_flight(first: Offer, flights: Sequence[Offer]) -> str:
    reason = "it comes first if I weigh price, hours and stops together"
    nonstop = [flight for flight in flights if told(stops, flight) == 0]
    alone = {"cheapest": in_order(flights, "price")[0], "fastest": in_order(flights, "duration")[0]}
    if nonstop:
        alone["cheapest that is nonstop"] = in_order(nonstop, "price")[0]
    most = [words for words, one in alone.items() if one["offer_id"] == first["offer_id"]]
    if "cheapest" in most:
        most = [words for words in most if words != "cheapest that is nonstop"]
    return f"{reason}, and is the {' and the '.join(most)}" if most else reason


def _hotel(hotels: Sequence[Offer]) -> Answer:
    known = [hotel for hotel in hotels if has(hotel, "score") and has(hotel, "price")]
    if not known:
        return _nothing_told("hotel")
    middle = in_order(known, "price")[len(known) // 2]
    limit: Decimal = price(middle)
    first = in_order([hotel for hotel in known if price(hotel) <= limit], "score", descending=True)[0]
    of_all = in_order(known, "score", descending=True)[0]
    reason = f"it is the best rated of those that cost no more than the middle price, {total(middle)}"
    rest = ""
    if of_all["offer_id"] != first["offer_id"] and of_all["score"] != first["score"]:
        rest = f" The best rated of all is {name(of_all)} ({of_all['score']}) for {total(of_all)}."
    return f"Of the {counted(len(hotels), 'hotel')} I would take {facts.headline(first)}: {reason}.{rest}", [
        first
    ]
