"""Which searches a request makes: those of the request before it, where they find all that is wanted.

Sources are asked by places, days, people and class, and by what narrows these when they are asked first. A
message that only narrows further keeps the search: its offers are there already, or still arrive, and those
that do not fit are left out. Only where a source had cut its answer short is it asked for the rest.

What was found for an earlier request is narrowed here too, whatever its sources were asked by.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

from ..domain.task import ResultFilter, ResultSorter, Validity
from .stored_requests import Request, understanding_in
from .understanding.queries import QUERIES, QUERY_TYPES, Query, base_query, covers, fits
from .understanding.result import Agent, Place, Understanding
from .understanding.slot_table import SLOTS, rows_of

_ADAPTERS: Mapping[Agent, TypeAdapter[Any]] = {agent: TypeAdapter(QUERY_TYPES[agent]) for agent in SLOTS}


Searches: TypeAlias = Mapping[Agent, Query]
"""The searches that a request makes, by the agents that know enough for one."""


def searches_of(request: Request | None) -> Searches:
    """Return the searches of a stored request."""
    understanding = understanding_in(request)
    if request is None or understanding is None:
        return {}
    kept: Mapping[str, Any] = request.get("searches", {})
    made: dict[Agent, Query] = {agent: query for agent in SLOTS if (query := _read(agent, kept.get(agent)))}
    return {**_wanted(understanding), **made}


def kept_searches(understanding: Understanding, before: Request | None) -> dict[str, Any]:
    """Return the field for the searches of the request `before` that find all that is wanted now.

    Those that are just what is wanted are left out, and so is the field if none is left.
    """
    made, wanted = searches_of(before), _wanted(understanding)
    kept: dict[str, Any] = {
        agent: _ADAPTERS[agent].dump_python(query, mode="json")
        for agent, query in made.items()
        if agent in wanted and query != wanted[agent] and covers(agent, query, wanted[agent])
    }
    return {"searches": kept} if kept else {}


def _wanted(understanding: Understanding) -> Searches:
    return {agent: query for agent, make in QUERIES.items() if (query := make(understanding)) is not None}


def _read(agent: Agent, stored: Any) -> Any:
    if stored is None:
        return None
    try:
        return _ADAPTERS[agent].validate_python(stored)
    except ValidationError:
        return None  # it is then made as the request says


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
