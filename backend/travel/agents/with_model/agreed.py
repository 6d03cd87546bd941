"""What a message means where rules and a model have both read it.

The rules' reading stands: no value that they have read is changed or emptied by a model. A model fills gaps,
and only where the rules left words unread. Where it reads other values in words that the rules have read as
well, they are told as what could have been meant.
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import date
from typing import Any, cast

from ...understanding.places.gazetteer import in_full
from ...understanding.result import Agent, Alternative, Place, Reason, Refused, Understanding
from ...understanding.slot_table import SLOTS
from .turn import SLOTS_READ, Turn, values_in

_MISREAD: Collection[Reason] = (
    "not_understood", "unknown_place", "no_such_day", "day_has_passed", "ends_before_it_begins",
    "impossible_count",
)  # fmt: skip
"""Why rules may refuse what a model can read."""


def has_unread(rules: Understanding) -> bool:
    """Return whether rules have left words of a message unread, which a model may read."""
    return any(one.reason in _MISREAD for one in rules.refused)


def certain(rules: Understanding) -> dict[str, Any]:
    """Return the values, by the names of their slots, that no model changes: all but assumptions.

    Those of earlier messages are not among them while a message has words that the rules could not read.
    """
    open_to_change = {*rules.assumed, *(rules.carried if has_unread(rules) else ())}
    return {
        name: value
        for name, slot in SLOTS_READ.items()
        if (value := getattr(rules.of(slot.agent), slot.field)) != slot.empty and name not in open_to_change
    }


def agreed(rules: Understanding, turn: Turn, *, message: str, today: date) -> Understanding:
    """Return what rules and a model make of one message between them."""
    fixed, is_open = certain(rules), has_unread(rules)
    given: dict[str, Any] = {}
    doubts: list[Alternative] = []
    for name, theirs in values_in(turn.slots, today=today).items():
        slot = SLOTS_READ[name]
        ours = getattr(rules.of(slot.agent), slot.field)
        is_told_otherwise = slot.instead_of and getattr(rules.of(slot.agent), slot.instead_of) is not None
        if is_told_otherwise or _is_same(ours, theirs):
            continue
        if name in fixed:
            if _is_in(message, theirs):
                doubts.append(Alternative(slot=name, taken=_told(ours), others=(_told(theirs),)))
        elif is_open:
            given[name] = theirs
    if not is_open:
        doubted = {one.slot for one in doubts}
        kept = tuple(one for one in rules.alternatives if one.slot not in doubted)
        return replace(rules, alternatives=(*kept, *doubts)) if doubts else rules
    cleared = {name for name in turn.cleared if name in rules.carried and not SLOTS_READ[name].needed}
    given |= {name: SLOTS_READ[name].empty for name in cleared - fixed.keys() - given.keys()}
    result = with_values(rules, given)
    is_changed = bool(given) or (turn.asked is not None and rules.question is None)
    agents = cast("tuple[Agent, ...]", tuple(sorted({*rules.agents, *turn.agents})))
    refused = _refused(rules, turn, message) if is_changed else rules.refused
    return replace(
        result,
        agents=agents,
        wanted=cast("tuple[Agent, ...]", tuple(sorted({*rules.wanted, *agents}))),
        booking=rules.booking or turn.wish,
        question=rules.question or turn.asked,
        alternatives=(*result.alternatives, *doubts),
        refused=refused,
        unused=_unused(rules, refused),
    )


def with_values(understanding: Understanding, given: dict[str, Any]) -> Understanding:
    """Return what is understood with other values of slots, by their names."""
    slots: dict[str, Any] = {
        agent: replace(
            understanding.of(agent),
            **{
                SLOTS_READ[name].field: value
                for name, value in given.items()
                if SLOTS_READ[name].agent == agent
            },
        )
        for agent in SLOTS
    }
    return replace(
        understanding,
        **slots,
        assumed=tuple(name for name in understanding.assumed if name not in given),
        carried=tuple(name for name in understanding.carried if name not in given),
        alternatives=tuple(one for one in understanding.alternatives if one.slot not in given),
    )


def _is_same(ours: Any, theirs: Any) -> bool:
    """Whether two readings are one. A city is the same as one of its airports, which the rules have read."""
    if isinstance(ours, Place) and isinstance(theirs, Place):
        return ours.city == theirs.city and theirs.airport in ("", ours.airport)
    return ours == theirs


def _is_in(message: str, value: Any) -> bool:
    """Whether a message has the words of a value: what it does not have the model may have invented."""
    words = [str(each) for each in cast("tuple[Any, ...]", value)] if isinstance(value, tuple) else []
    if isinstance(value, Place):
        words = [value.airport or value.city.name]
    elif isinstance(value, date):
        words = [str(value.day)]
    return all(word.casefold() in message.casefold() for word in words or [_told(value)])


def _told(value: Any) -> str:
    if isinstance(value, Place):
        return in_full(value.city)
    if isinstance(value, tuple):
        return ", ".join(map(str, cast("tuple[Any, ...]", value)))
    return value.isoformat() if isinstance(value, date) else str(value)


def _refused(rules: Understanding, turn: Turn, message: str) -> tuple[Refused, ...]:
    """What neither could use: of the rules what they could not have misread, and what the model tells.

    A model may put a wish in words of its own, or invent one: what is told is what the user wrote.
    """
    sure = [one for one in rules.refused if one.reason not in _MISREAD]
    known = {one.said.casefold() for one in sure}
    quoted = (said for said in turn.unused if said and said.casefold() in message.casefold())
    told = (Refused(said=said, reason="not_understood") for said in quoted if said.casefold() not in known)
    return (*sure, *told)


def _unused(rules: Understanding, told: tuple[Refused, ...]) -> tuple[str, ...]:
    """The wishes that stay with the request: those of earlier messages, and what nobody could use of this."""
    of_rules = {one.said for one in rules.refused if one.reason == "not_understood"}
    earlier = (said for said in rules.unused if said not in of_rules)
    return tuple(dict.fromkeys((*earlier, *(one.said for one in told if one.reason == "not_understood"))))
