"""Offers that are told by a word which only those shown give a meaning: the last, the other, the 9:15 one."""

from collections.abc import Sequence

from ...spoken_of import SpokenOf
from ...understanding.found import Hours, Which
from ...understanding.result import Bookable
from ...values.offers import Offer, has, in_order, stops, told
from .wording import counted, in_its_currency, leaves_at


def pointed_at(
    shown: Sequence[Offer], which: Which, kind: Bookable, spoken: SpokenOf
) -> tuple[Offer, str] | str | None:
    """Return the offer that is pointed at with the words for it, or a sentence that says why there is none.

    `shown` are all, in the order in which they are shown. None where `which` tells it in another way.
    """
    if which.is_of_two and which.by is not None:
        of = _compared(shown, kind, spoken)
        some = of if len(of) > 1 else [offer for offer in shown if has(offer, which.by)]
        return (in_order(some, which.by, descending=which.descending)[0], "") if some else None
    if which.is_last:
        several = [offer for offer in shown if offer["offer_id"] in spoken.offer_ids.get(kind, ())]
        if len(several) > 1:
            return several[-1], "the last of these"
        return (
            (in_order(shown, "departure")[-1], "the latest") if kind == "flight" else (shown[-1], "the last")
        )
    if which.is_other:
        last = spoken.offer_ids.get(kind, ())
        others = [offer for offer in _compared(shown, kind, spoken) if offer["offer_id"] not in last]
        if len(shown) == 2 and len(last) == 1:
            others = [offer for offer in shown if offer["offer_id"] not in last]
        return (
            (others[0], "") if len(others) == 1 else "Which one do you mean? Please tell its number or name."
        )
    if which.hours or which.is_nonstop:
        fitting = [offer for offer in shown if _fits(offer, which)]
        if not fitting:
            return f"None of the {counted(len(shown), kind)} {_described(which)}."
        first = in_order(fitting, "price")[0]
        cheapest = f"the cheapest{in_its_currency(first, fitting)}"
        subject = f"{cheapest} of {len(fitting)} that {_described(which, several=True)}"
        return first, subject if len(fitting) > 1 else ""
    return None


def _compared(shown: Sequence[Offer], kind: Bookable, spoken: SpokenOf) -> list[Offer]:
    ids = spoken.compared.get(kind, ())
    return [offer for offer in shown if offer["offer_id"] in ids]


def _fits(offer: Offer, which: Which) -> bool:
    if which.is_nonstop:
        return told(stops, offer) == 0
    leaves = told(leaves_at, offer)
    return leaves is not None and any(first <= leaves <= last for first, last in which.hours)


def _described(which: Which, *, several: bool = False) -> str:
    if which.is_nonstop:
        return "are nonstop" if several else "is nonstop"
    return f"{'leave' if several else 'leaves'} {_in_words(which.hours)}"


def _in_words(hours: Hours) -> str:
    spans = [f"at {first}" if first == last else f"from {first} to {last}" for first, last in hours]
    return " or ".join(spans)
