"""What a message asks for, where rules and a model have both read it.

What both say is certain. What one alone says is taken: rules miss words, and models invent some. Where they
differ neither is searched by as if it were sure: a fact that a search needs is asked for, with both as
choices; of any other the rules' reading is taken, and the reply says what it could have been instead.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import date
from typing import Any, cast

from ..understanding.places.gazetteer import in_full
from ..understanding.result import Agent, Alternative, Place, Reason, Refused, Understanding
from ..understanding.slot_table import ROWS, SLOTS, Slot

_MISREAD: Collection[Reason] = (
    "not_understood", "unknown_place", "no_such_day", "day_has_passed", "ends_before_it_begins",
    "impossible_count",
)  # fmt: skip
"""Why rules may refuse what a model can read."""


def agreed(
    rules: Understanding,
    model: Understanding,
    said: Collection[str],
    *,
    unused: tuple[str, ...] | None = None,
) -> Understanding:
    """Return what rules and a model make of one message between them.

    `model` is the rules' reading with the slots that the model `said` in the place of theirs. `unused` are
    words that it knows no use for, None where it tells nothing of them.
    """
    slots: Mapping[str, dict[str, Any]] = {agent: {} for agent in SLOTS}
    doubts: list[Alternative] = []
    added: list[str] = []
    for name in said:
        slot = ROWS[name]
        if slot.instead_of and getattr(rules.of(slot.agent), slot.instead_of) is not None:
            continue  # the nights of a stay whose last day is known
        ours, theirs = getattr(rules.of(slot.agent), slot.field), getattr(model.of(slot.agent), slot.field)
        if _is_same(ours, theirs):
            slots[slot.agent][slot.field] = ours
        elif ours == slot.empty or name in rules.assumed or _may_be_a_change(name, rules):
            slots[slot.agent][slot.field] = theirs
            added.append(name)
        else:
            doubt = _doubt(slot, ours, theirs)
            slots[slot.agent][slot.field] = ours if doubt.taken else slot.empty
            doubts.append(doubt)
    in_doubt = {one.slot for one in doubts}
    alternatives = tuple(one for one in model.alternatives if one.slot not in in_doubt)
    agents = {*model.agents, *rules.able}
    told = _refused(rules, is_added=bool(added), unused=unused)
    changed: dict[str, Any] = {agent: replace(rules.of(agent), **slots[agent]) for agent in SLOTS}
    return replace(
        model,
        **changed,
        agents=cast("tuple[Agent, ...]", tuple(sorted(agents))),
        wanted=cast("tuple[Agent, ...]", tuple(sorted({*model.wanted, *agents}))),
        booking=rules.booking or model.booking,
        carried=tuple(name for name in rules.carried if name not in in_doubt and name not in added),
        alternatives=(*alternatives, *doubts),
        refused=told,
        unused=_unused(rules, told),
    )


def _is_same(ours: Any, theirs: Any) -> bool:
    """Whether two readings are one. A city is the same as one of its airports, which the rules have read."""
    if isinstance(ours, Place) and isinstance(theirs, Place):
        return ours.city == theirs.city and theirs.airport in ("", ours.airport)
    return ours == theirs


def _may_be_a_change(name: str, rules: Understanding) -> bool:
    """Whether a message may change what was known by words that the rules have not read."""
    return name in rules.carried and any(one.reason in _MISREAD for one in rules.refused)


def _doubt(slot: Slot, ours: Any, theirs: Any) -> Alternative:
    if slot.needed:
        return Alternative(slot=slot.name, taken="", others=(_told(ours), _told(theirs)))
    return Alternative(slot=slot.name, taken=_told(ours), others=(_told(theirs),))


def _told(value: Any) -> str:
    if isinstance(value, Place):
        return in_full(value.city)
    if isinstance(value, tuple):
        return ", ".join(map(str, cast("tuple[Any, ...]", value)))
    return value.isoformat() if isinstance(value, date) else str(value)


def _refused(rules: Understanding, *, is_added: bool, unused: tuple[str, ...] | None) -> tuple[Refused, ...]:
    """What neither could use: of the rules what they could not have misread, and what the model tells."""
    if unused is None:
        return tuple(one for one in rules.refused if not (is_added and one.reason in _MISREAD))
    sure = [one for one in rules.refused if one.reason not in _MISREAD]
    known = {one.said.casefold() for one in sure}
    told = (Refused(said=said, reason="not_understood") for said in unused if said.casefold() not in known)
    return (*sure, *told)


def _unused(rules: Understanding, told: tuple[Refused, ...]) -> tuple[str, ...]:
    """The wishes that stay with the request: those of earlier messages, and what nobody could use of this."""
    of_rules = {one.said for one in rules.refused if one.reason == "not_understood"}
    earlier = (said for said in rules.unused if said not in of_rules)
    return tuple(dict.fromkeys((*earlier, *(one.said for one in told if one.reason == "not_understood"))))
