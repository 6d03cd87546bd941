"""What was found for the current request, by it or by those whose offers still hold for it."""

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TypeAlias

from ....domain.partials import ShownResults
from ...result_validity import result_sorter
from ...spoken_of import NOTHING, SpokenOf
from ...stored_requests import understanding_in
from ...understanding.found import KINDS, Kind
from ...understanding.result import Understanding
from ...values.offers import Offer, in_order
from ..state import TravelRun

Answer: TypeAlias = tuple[str, Sequence[Offer]]
"""A sentence, and the offers that it speaks of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the current request has found, by agent; `running` are the agents that may still find more."""

    understanding: Understanding
    offers: Mapping[str, Sequence[Offer]]
    running: frozenset[str] = frozenset()
    spoken: SpokenOf = NOTHING

    def of(self, agent: Kind) -> list[Offer]:
        """Return an agent's offers in the order in which they are shown."""
        order = self.spoken.order(agent)
        return in_order(self.offers.get(agent, ()), order.by, descending=order.descending)

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
        lacking = [kind for kind in KINDS if kind in current.wanted and kind not in offers]
        # A booking, or another search beside it, has made a request of its own. What an earlier one found
        # holds if its fate says so, so the last that has such offers is looked for, however far back.
        while lacking and (earlier := await anext(requests, None)) is not None:
            offers = {**_staying(earlier, now, lacking), **offers}
            lacking = [kind for kind in lacking if kind not in offers]
    return Found(understanding=current, offers=offers, running=_running(now), spoken=run.spoken_of)


def _staying(earlier: ShownResults, now: ShownResults, kinds: Sequence[str]) -> Mapping[str, Sequence[Offer]]:
    of_earlier = result_sorter(earlier.request, now.request)
    staying = {
        kind: [item for item, fate in zip(items, of_earlier(kind, items), strict=True) if fate == "stays"]
        for kind in kinds
        if (items := earlier.results.get(kind, ()))
    }
    return {kind: items for kind, items in staying.items() if items}


def _running(shown: ShownResults) -> frozenset[str]:
    if not shown.is_active:
        return frozenset()
    return frozenset(name for name, now in shown.agents.items() if now.state in ("waiting", "working"))
