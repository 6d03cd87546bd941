"""Which offers a question is about: those found for the request; or the last, the other, the 9:15 one.

What was found is that of the current request, or of earlier ones whose offers still hold for it.
"""

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TypeAlias

from ....domain.partials import ShownResults
from ...stored_requests import NOTHING, SpokenOf, is_same_search, result_sorter, understanding_in
from ...understanding.english.bookings.offers import ORDINALS
from ...understanding.found import KINDS, Hours, Kind, Which
from ...understanding.result import Bookable, Understanding
from ...values.offers import Offer, has, in_order, stops, told
from ..choosing import is_called
from ..state import TravelRun
from .wording import counted, in_its_currency, leaves_at, noun, superlative

Answer: TypeAlias = tuple[str, Sequence[Offer]]
"""A sentence, and the offers that it speaks of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the current request has found, by agent; `running` are the agents that may still find more.

    `near` are offers of earlier requests of agents that have found nothing since: of the same search without
    its limits, or of other days.
    """

    understanding: Understanding
    offers: Mapping[str, Sequence[Offer]]
    running: frozenset[str] = frozenset()
    spoken: SpokenOf = NOTHING
    near: Mapping[str, Sequence[Offer]] = field(default_factory=dict[str, Sequence[Offer]])

    def of(self, agent: Kind) -> list[Offer]:
        """Return an agent's offers in the order in which they are shown."""
        order = self.spoken.order(agent)
        return in_order(self.offers.get(agent, ()), order.by, descending=order.descending)

    def among(self) -> "Found":
        """Return the same with those offers alone of which several were told of together."""
        offers = dict(self.offers)
        for kind, ids in (*self.spoken.compared.items(), *self.spoken.offer_ids.items()):
            some = [offer for offer in self.offers.get(kind, ()) if offer["offer_id"] in ids]
            if len(some) > 1:
                offers[kind] = some
        return replace(self, offers=offers)

    @property
    def kinds(self) -> list[Kind]:
        """The agents that have found anything."""
        return [kind for kind in KINDS if self.offers.get(kind)]


async def read_found(run: TravelRun) -> Found:
    """Return what was found for the current request. Raises `StoreUnavailable`."""
    async with aclosing(run.context.shown()) as requests:
        now = await anext(requests, None)
        current = understanding_in(now.request) if now is not None else None
        if now is None or current is None:
            return Found(understanding=run.understanding, offers={}, spoken=run.spoken_of)
        offers = {agent: items for agent, items in now.results.items() if items}
        lacking: list[Kind] = [kind for kind in KINDS if kind in current.wanted and kind not in offers]
        near: dict[str, Sequence[Offer]] = {}
        # A booking, or another search beside it, has made a request of its own. What an earlier one found
        # holds if its fate says so, so the last that has such offers is looked for, however far back.
        while lacking and (earlier := await anext(requests, None)) is not None:
            offers = {**_staying(earlier, now, lacking), **offers}
            lacking = [kind for kind in lacking if kind not in offers]
            near = {**_near(earlier, now, current, lacking), **near}
    return Found(understanding=current, offers=offers, running=_running(now), spoken=run.spoken_of, near=near)


def _staying(earlier: ShownResults, now: ShownResults, kinds: Sequence[str]) -> Mapping[str, Sequence[Offer]]:
    of_earlier = result_sorter(earlier.request, now.request)
    staying = {
        kind: [item for item, fate in zip(items, of_earlier(kind, items), strict=True) if fate == "stays"]
        for kind in kinds
        if (items := earlier.results.get(kind, ()))
    }
    return {kind: items for kind, items in staying.items() if items}


def _near(
    earlier: ShownResults, now: ShownResults, current: Understanding, kinds: Sequence[Kind]
) -> Mapping[str, Sequence[Offer]]:
    before, of_earlier = understanding_in(earlier.request), result_sorter(earlier.request, now.request)
    return {
        kind: items
        for kind in kinds
        if (items := earlier.results.get(kind, ())) and before is not None
        if is_same_search(kind, before, current) or {*of_earlier(kind, items)} == {"waits"}
    }


def _running(shown: ShownResults) -> frozenset[str]:
    if not shown.is_active:
        return frozenset()
    return frozenset(name for name, now in shown.agents.items() if now.state in ("waiting", "working"))


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
    if which.is_next:
        return _behind_it(in_order(shown, which.by or "price", descending=which.descending), kind, spoken)
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


def _behind_it(ordered: Sequence[Offer], kind: Bookable, spoken: SpokenOf) -> tuple[Offer, str] | str:
    """The offer behind the one spoken of, which is one that has not been refused yet."""
    last = spoken.offer_ids.get(kind, ())
    behind = [offer for before, offer in pairwise(ordered) if before["offer_id"] in last]
    return (behind[-1], "") if behind else "There is none behind that one. Please tell its number or name."


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


ORDINAL_WORDS = {number: word for word, number in ORDINALS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """The offers that a question is about, and the words for each; `is_named` unless nothing told which."""

    offers: Sequence[Offer]
    subjects: Sequence[str]
    is_named: bool = True


def meant(found: Found, agent: Kind, which: Which) -> Meant | str:
    """Return the offers that are meant, or a sentence that says why there are none.

    Without a word for them that is the one spoken of last, else the cheapest, which a search's reply names.
    """
    shown = found.of(agent)
    special = pointed_at(shown, which, agent, found.spoken)
    if special is not None:
        return special if isinstance(special, str) else Meant(offers=[special[0]], subjects=[special[1]])
    if which.name:
        named = [offer for offer in shown if is_called(offer, which.name)]
        if not named:
            kind = "is with" if agent == "flight" else "is called"
            return f"None of the {counted(len(shown), agent)} {kind} {which.name}."
        called = f"the flight of {which.name}" if agent == "flight" else which.name
        return Meant(offers=named[:1], subjects=[called])
    if which.numbers:
        if which.by is not None:
            shown = in_order(shown, which.by, descending=which.descending)
        beyond = [number for number in which.numbers if not 0 < number <= len(shown)]
        if beyond:
            return f"There is no number {beyond[0]}: there {_are(len(shown), agent)}."
        return Meant(
            offers=[shown[number - 1] for number in which.numbers],
            subjects=[_called(number, which) for number in which.numbers],
        )
    if which.by is not None:
        best = in_order(shown, which.by, descending=which.descending)[0]
        subject = superlative(which.by, descending=which.descending)
        return Meant(offers=[best], subjects=[f"the {subject}{in_its_currency(best, shown, which.by)}"])
    ids = found.spoken.offer_ids.get(agent, ())
    spoken = [offer for offer in shown if offer["offer_id"] in ids]
    if spoken and not which.is_all:
        return Meant(offers=spoken, subjects=["" for _ in spoken])
    cheapest = in_order(shown, "price")[0]
    return Meant(
        offers=[cheapest], subjects=[f"the cheapest{in_its_currency(cheapest, shown)}"], is_named=False
    )


def _are(count: int, agent: str) -> str:
    return f"is only one {noun(agent)}" if count == 1 else f"are only {counted(count, agent)}"


def _called(number: int, which: Which) -> str:
    """How one is called: by its number in the list, or in the order that was asked for."""
    if which.by is None:
        return f"number {number}"
    order = superlative(which.by, descending=which.descending)
    return f"the {order}" if number == 1 else f"the {ORDINAL_WORDS[number]} {order}"
