"""What comes nearest where a change has left nothing: an offer that was there before it."""

from collections.abc import Sequence
from contextlib import aclosing

from ....domain.errors import StoreUnavailable
from ...result_validity import is_same_search
from ...stored_requests import understanding_in
from ...understanding.found import KINDS
from ...understanding.queries import misses
from ...understanding.result import Agent
from ...values.offers import Offer, in_order
from ..state import TravelRun
from . import facts


async def near_miss(run: TravelRun, agent: Agent) -> str:
    """Return the offer of the same search that misses the fewest limits, the cheapest; "" if none."""
    if agent not in KINDS:
        return ""
    try:
        async with aclosing(run.context.shown()) as requests:
            await anext(requests, None)  # the request of now, which has found nothing
            async for shown in requests:
                before, offers = understanding_in(shown.request), shown.results.get(agent, ())
                if offers and before is not None and is_same_search(agent, before, run.understanding):
                    first = _nearest(offers, agent, run)
                    return f"The nearest is {facts.headline(first)}."
    except StoreUnavailable:
        return ""
    return ""


def _nearest(offers: Sequence[Offer], agent: Agent, run: TravelRun) -> Offer:
    slots = run.understanding.of(agent)
    least = min(misses(agent, slots, offer) for offer in offers)
    return in_order([offer for offer in offers if misses(agent, slots, offer) == least], "price")[0]
