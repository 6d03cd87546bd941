"""Which searches a request makes: those of the request before it, where they find all that is wanted.

Sources are asked by places, days, people and class, and by what narrows these when they are asked first. A
message that only narrows further keeps the search: its offers are there already, or still arrive, and those
that do not fit are left out. Only where a source had cut its answer short is it asked for the rest.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from pydantic import TypeAdapter, ValidationError

from .stored_requests import Request, understanding_in
from .understanding.queries import QUERIES, QUERY_TYPES, Query, covers
from .understanding.result import Agent, Understanding
from .understanding.slot_table import SLOTS

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
