"""What sets offers apart, fact by fact."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ...understanding.found import FoundQuestion, Kind, Which
from ...values.offers import By, Offer, fact, in_order, price, told, value, ways
from ...values.travel import Money
from ..state import TravelRun
from . import facts, wording
from .found_offers import Answer, Found, Meant, meant
from .wording import comparative, superlative


def differing(_run: TravelRun, found: Found, question: FoundQuestion, kind: Kind) -> Answer:
    """Return how two offers differ; beside one that is named or spoken of, the other is chosen for it."""
    shown, which = found.of(kind), question.which
    if len(shown) < 2:
        return f"There is only one {wording.noun(kind)}: {facts.headline(shown[0])}.", shown
    some = meant(found, kind, which)
    if isinstance(some, str):
        return some, []
    if question.by is not None and len(some.offers) < 3:
        return _by_one_fact(found, question, kind, some)
    if len(some.offers) < 2 and not (which.name or which.by):
        spoken = list(some.offers) if some.is_named else []
        numbers = (1, 2) if not spoken or spoken[0] == shown[0] else (1,)
        others = meant(found, kind, Which(numbers=numbers))
        if isinstance(others, str):
            return others, []
        spoken = [] if len(numbers) > 1 else spoken
        some = replace(
            others,
            offers=[*others.offers, *spoken],
            subjects=[*others.subjects, *("the other" for _ in spoken)],
        )
    elif len(some.offers) < 2:
        ordered = in_order(shown, which.by, descending=which.descending) if which.by else shown
        first = next(offer for offer in ordered if offer is not some.offers[0])
        some = replace(some, offers=[some.offers[0], first], subjects=[*some.subjects, "the next"])
    return _compared(some.offers, some.subjects), some.offers


def beside_the_shortest(found: Found, flight: Offer) -> str:
    """Return the shortest of the flights, beside one of which it is asked why it takes so long."""
    shortest = in_order(found.of("flight"), "duration")[0]
    counted = wording.counted(len(found.of("flight")), "flight")
    if shortest["offer_id"] == flight["offer_id"]:
        return f"None of the {counted} is shorter."
    return f"The shortest of the {counted} is {facts.headline(shortest)}."


def _by_one_fact(found: Found, question: FoundQuestion, kind: Kind, some: Meant) -> Answer:
    """Return which of two has more or less of one fact: "which is closer, the first or the second?"."""
    by, descending = question.by or "price", question.descending
    if question.which.is_nonstop and some.offers[0] is in_order(found.of(kind), "price")[0]:
        itself = f"is itself the cheapest of the {wording.counted(len(found.of(kind)), kind)}"
        one = wording.sentence(some.subjects[0], some.offers[0], f"{itself}: {wording.total(some.offers[0])}")
        return one, some.offers
    if len(some.offers) < 2:
        some = _with_the_other(found, kind, some)
    first, second = some.offers[:2]
    values = value(first, by), value(second, by)
    if None in values or by not in _VALUES:
        return _compared(some.offers, some.subjects), some.offers
    is_reversed = values[1] > values[0] if descending else values[1] < values[0]
    one, beside = (1, 0) if is_reversed else (0, 1)
    best, other = some.offers[one], some.offers[beside]
    called = wording.subject_of(some.subjects[beside], other)
    called = f"{called[:1].lower()}{called[1:]}" if some.subjects[beside] else called
    if values[0] == values[1]:
        alike = f"and {called} are alike in that: {_VALUES[by](best)}"
        return wording.sentence(some.subjects[one], best, alike), some.offers
    gap = f" {_gap(best, other)}" if by == "price" else ""
    word = comparative(by, descending=descending) or f"the {superlative(by, descending=descending)}"
    told_values = f"{_VALUES[by](best)} against {_VALUES[by](other)} of {called}"
    return wording.sentence(some.subjects[one], best, f"is{gap} {word}: {told_values}"), some.offers


def _with_the_other(found: Found, kind: Kind, some: Meant) -> Meant:
    """The offer, beside the one spoken of last, else the cheapest, else the next."""
    shown, one = found.of(kind), some.offers[0]
    spoken = found.spoken.offer_ids.get(kind, ())
    cheapest = in_order(shown, "price")[0]
    last = [offer for offer in shown if len(spoken) == 1 and offer["offer_id"] in spoken]
    others = [*last, cheapest, *shown]
    other = next(offer for offer in others if offer["offer_id"] != one["offer_id"])
    subject = "the cheapest" if other is cheapest and not last else ""
    return replace(some, offers=[one, other], subjects=[*some.subjects, subject])


def _gap(first: Offer, second: Offer) -> str:
    currencies = {offer["price_total"].get("currency") for offer in (first, second)}
    gap = Money(amount=abs(price(first) - price(second)), currency=currencies.pop())
    return str(gap) if not currencies else ""


def _leaves(flight: Offer) -> str:
    return wording.clock(fact(ways(flight)[0]["segments"][0], "departs_at"))


_VALUES: Mapping[By, Callable[[Offer], str]] = {
    "price": wording.total,
    "duration": wording.takes,
    "distance": lambda hotel: f"{fact(hotel, 'distance_km')} km from the centre",
    "score": lambda hotel: f"rated {fact(hotel, 'score')}",
    "departure": _leaves,
    "arrival": lambda flight: wording.landing(ways(flight)[0]),
    "size": lambda car: f"{fact(car, 'seats')} seats and {wording.bags_of_a_car(car)}",
}
"""The facts by which two offers are compared, in words."""


def _compared(offers: Sequence[Offer], subjects: Sequence[str]) -> str:
    """Return each offer in a few words, and what the first costs less or more than the second."""
    sentences = [
        f"{wording.subject_of(subject, offer)}: {', '.join(_facts(offer))}."
        for offer, subject in zip(offers, subjects, strict=True)
    ]
    return " ".join(filter(None, [*sentences, _difference(offers), _only(offers)]))


def _facts(offer: Offer) -> list[str]:
    terms = (wording.conditions, wording.price)
    if "slices" in offer:
        return wording.all_told(offer, wording.in_short, _hours, wording.bags, *terms)
    if "pick_up" in offer:
        return wording.all_told(offer, wording.in_short, *terms)
    return wording.all_told(offer, wording.in_short, lambda hotel: fact(hotel, "district"), *terms)


def _hours(flight: Offer) -> str:
    first = ways(flight)[0]
    return f"{wording.clock(fact(first['segments'][0], 'departs_at'))} to {wording.landing(first)}"


def _difference(offers: Sequence[Offer]) -> str:
    """What the first of two, or of more, costs less or more than the last; "" where none can tell it."""
    first, second = offers[0], offers[-1]
    prices = told(price, first), told(price, second)
    currencies = {each["price_total"].get("currency") for each in (first, second) if each.get("price_total")}
    if prices[0] is None or prices[1] is None or len(currencies) != 1:
        return ""
    less, currency = prices[1] - prices[0], currencies.pop()
    if not less:
        return "They cost the same." if len(offers) == 2 else "The first and the last cost the same."
    apart = Money(amount=abs(less), currency=currency)
    last = " than the last" if len(offers) > 2 else ""
    return f"The first of these is {apart} {'cheaper' if less > 0 else 'dearer'}{last}."


def _only(offers: Sequence[Offer]) -> str:
    """What only one of two hotels lists."""
    first, second, *_ = offers
    if first.get("amenities") is None or second.get("amenities") is None or len(offers) > 2:
        return ""
    only_first = [each for each in first["amenities"] if each not in second["amenities"]]
    only_second = [each for each in second["amenities"] if each not in first["amenities"]]
    parts = [
        f"{which} lists {wording.listed(each)}"
        for which, each in (("only the first", only_first), ("only the second", only_second))
        if each
    ]
    lists = ", ".join(parts)
    return f"{lists[:1].upper()}{lists[1:]}." if lists else "Both list the same amenities."
