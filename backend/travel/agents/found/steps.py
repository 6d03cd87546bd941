"""Answers that tell the next offer beside one, the first on the way back, and what no offer tells."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...understanding.english.wording import describe
from ...understanding.found import FoundQuestion, Kind
from ...values.offers import By, Offer, currency, in_order, told, value, ways
from ..state import TravelRun
from . import facts
from .found_offers import Answer, Found
from .meant import meant
from .orders_in_words import comparative, superlative
from .totals import summary
from .wording import counted, in_its_currency, name, noun, plural, price

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
    bound, shown = value(first, by), found.of(kind)
    if bound is None:
        return f"The {plural(kind)} do not tell that.", []
    within = in_its_currency(first, shown, by)
    if within:
        shown = [each for each in shown if told(currency, each) == told(currency, first)]
    known, not_telling = facts.telling(shown, lambda offer: value(offer, by))
    beyond = [each for each in known if (value(each, by) > bound if descending else value(each, by) < bound)]
    all_of_them = f"{counted(len(known), kind)}{within}"
    than = f"{comparative(by, descending=descending)} than {name(first)} for {price(first)}"
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
    costs = f"It costs {price(first)}."
    return (
        f"The {subject} on the way back, of {counted(len(some), 'flight')}: {hours} {costs}{not_telling}",
        [first],
    )


def _returns(flight: Offer) -> bool:
    return len(told(ways, flight) or ()) > 1
