"""Facts of the agent that a message does not name: "4 stars with a pool, and flights in the morning".

Stars and amenities are those of a hotel, stops and cabins those of a flight, whoever else is named in the
same breath. They are told in clauses of their own, with whose other facts they go: the price behind "4 stars,
breakfast" is that of the hotel.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from ..message import Facts, Part
from ..result import Agent
from .language.tables import words_of
from .language.text import Text
from .topics.mentions import AGENT_NAMES
from .topics.topics import Segment

_WORDS = words_of("english")

_ONLY_OF: Mapping[Agent, tuple[str, ...]] = {
    "flight": ("max_stops", "cabin_class", "airline", "airlines"),
    "hotel": ("stars", "amenities", "rooms"),
}
_OTHER: Mapping[Agent, Agent] = {"flight": "hotel", "hotel": "flight"}
_NOTHING = Facts()

Read = Callable[[int, int], Facts]
"""Reads the facts in the tokens from the one up to the other."""


def parted(
    text: Text, parts: Sequence[Part], segments: Sequence[Segment], running: Collection[Agent], read: Read
) -> tuple[Part, ...]:
    """Return the parts, with one more for each that tells facts of the agent that it does not name.

    Only an agent of the request that is `running` has any.
    """
    result: list[Part] = []
    for part, segment in zip(parts, segments, strict=True):
        own = part.agents[0] if len(part.agents) == 1 else None
        other = _OTHER.get(own) if own else None
        if own is None or other is None or other not in running or not _tells(part.facts, other):
            result.append(part)
            continue
        mine, its = _shared(text, segment, own, other, read)
        result += [replace(part, facts=mine), Part(agents=(other,), facts=its)]
    return tuple(result)


def _shared(text: Text, segment: Segment, own: Agent, other: Agent, read: Read) -> tuple[Facts, Facts]:
    """The facts of a segment that are of its own agent, and those of the other one."""
    told: dict[Agent, Facts] = {own: _NOTHING, other: _NOTHING}
    now = own
    for first, after in _clauses(text, segment):
        facts = read(first, after)
        named = {AGENT_NAMES.get(text.norm(at)) for at in range(first, after)}
        if own in named or other in named:
            now = own if own in named else other
        elif _tells(facts, own) != _tells(facts, other):
            now = own if _tells(facts, own) else other
        for agent in (own, other):
            kept = [each.name for each in fields(facts) if _goes_with(each.name, agent, now)]
            told[agent] = _merged(told[agent], {name: getattr(facts, name) for name in kept})
    return told[own], told[other]


def _clauses(text: Text, segment: Segment) -> Iterator[tuple[int, int]]:
    begun = segment.first
    for at in range(segment.first, segment.after + 1):
        if at == segment.after or text.norm(at) in _WORDS.ends_a_clause:
            if at > begun:
                yield begun, at
            begun = at + 1


def _goes_with(name: str, agent: Agent, now: Agent) -> bool:
    """Whether a fact is for an agent, in a clause that is about `now`."""
    owner = next((each for each, names in _ONLY_OF.items() if name in names), now)
    return owner == agent


def _tells(facts: Facts, agent: Agent) -> bool:
    """Whether facts tell what only one agent has."""
    return any(getattr(facts, name) not in (None, ()) for name in _ONLY_OF[agent])


def _merged(before: Facts, told: Mapping[str, Any]) -> Facts:
    """The facts with those told later, of which amenities add up."""
    values = {name: value for name, value in told.items() if value != getattr(_NOTHING, name)}
    if "amenities" in values:
        values["amenities"] = tuple(dict.fromkeys((*before.amenities, *values["amenities"])))
    return replace(before, **values)
