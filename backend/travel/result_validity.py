"""What a new request makes of the offers that were found for an earlier one, and which offers it shows.

What a search finds is narrowed here, whatever its sources were asked by: so a change that only narrows is
answered from what there is.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..domain.task import ResultFilter, ResultSorter, Validity
from .stored_requests import understanding_in
from .understanding.queries import base_query, fits
from .understanding.result import Agent, Place, Understanding
from .understanding.slot_table import SLOTS, rows_of

_AGENTS: Mapping[str, Agent] = {agent: agent for agent in SLOTS}


def result_sorter(found_for: Mapping[str, Any] | None, request: Mapping[str, Any] | None) -> ResultSorter:
    """Return what a request makes of the offers for another one; all go if either cannot be read.

    An offer stays if the same search finds it and it fits, and waits if it fits, but its search is made for
    other days or people. What goes is for another place, is not wanted any more, or does not fit.
    """
    before, after = understanding_in(found_for), understanding_in(request)

    def of_agent(agent: str, items: Sequence[Any]) -> Sequence[Validity]:
        if before is None or after is None:
            return _all_go(items)
        if agent == "planner":
            is_same = before.tour is not None and before.tour == after.tour
            return ["stays" for _ in items] if is_same else _all_go(items)
        known = _AGENTS.get(agent)
        if known is None or known not in after.wanted or _cities(known, before) != _cities(known, after):
            return _all_go(items)
        fate: Validity = "stays" if base_query(known, before) == base_query(known, after) else "waits"
        return [fate if fits(known, after.of(known), item) else "goes" for item in items]

    return of_agent


def is_same_search(agent: Agent, found_for: Understanding, request: Understanding) -> bool:
    """Return whether the offers for one request are those of the other, but for what narrows them."""
    is_there = _cities(agent, found_for) == _cities(agent, request)
    return is_there and base_query(agent, found_for) == base_query(agent, request)


def result_filter(
    request: Mapping[str, Any] | None, shown: Mapping[str, Sequence[Any]] | None = None
) -> ResultFilter:
    """Return which offers a request shows: those that fit, each once. `shown` are those there are already.

    Two searches of one task may find the same offer: one that was made before, and one for the rest.
    """
    understanding = understanding_in(request)
    seen = {item["offer_id"] for items in (shown or {}).values() for item in items if "offer_id" in item}

    def is_shown(agent: str, item: Any) -> bool:
        known = _AGENTS.get(agent)
        if understanding is None or known is None:
            return True
        if item["offer_id"] in seen or not fits(known, understanding.of(known), item):
            return False
        seen.add(item["offer_id"])
        return True

    return is_shown


def _all_go(items: Sequence[Any]) -> Sequence[Validity]:
    return ["goes" for _ in items]


def _cities(agent: Agent, understanding: Understanding) -> Sequence[object]:
    places = (getattr(understanding.of(agent), slot.field) for slot in rows_of(agent) if slot.type is Place)
    return [place.city if place else None for place in places]
