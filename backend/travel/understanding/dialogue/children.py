"""The children who come along: who brings some, leaves them at home, or tells how old they are."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..message import AgesOfKnown, Shift
from ..slot_table import links_of
from .slots import Slots, first_known


def children_in(known: Slots) -> int:
    """Return how many children a request knows of."""
    return max(len(known.value(slot.name)) for slot in links_of("children"))


def with_children(spoken: Slots, told: Mapping[str, Any], shift: Shift | None, known: Slots) -> Slots:
    """Return what is said with the children that a change of people brings or leaves at home.

    Who travels alone has none with them. Ages that are `told` of known children make nobody one more.
    """
    slots = links_of("children")
    of_known = next((told[slot.name] for slot in slots if slot.name in told), None)
    if isinstance(of_known, AgesOfKnown):
        return _of_known(spoken, of_known, known)
    is_told = any(spoken.value(slot.name) for slot in slots)
    if is_told and shift and shift.what == "people" and shift.count > 0:
        for slot in slots:
            if ages := spoken.value(slot.name):
                spoken = spoken.changed(slot.agent, **{slot.field: (*known.value(slot.name), *ages)})
    if shift and shift.child:
        for slot in slots:
            ages = sorted(known.value(slot.name))
            if len(ages) > 1:
                at = {"oldest": len(ages) - 1, "youngest": 0, "middle": len(ages) // 2}[shift.child]
                left = tuple(ages[:at] + ages[at + 1 :])
                spoken = spoken.changed(slot.agent, **{slot.field: left})
    is_alone = not is_told and first_known(spoken, "people") == 1
    if is_alone or (shift and shift.is_of_children):
        return replace(spoken, cleared=spoken.cleared | {slot.name for slot in slots})
    return spoken


def _of_known(spoken: Slots, of_known: AgesOfKnown, known: Slots) -> Slots:
    """The ages of the children who are known, and as many people as there must be at least."""
    people = first_known(spoken, "people") or first_known(known, "people")
    for slot in links_of("children"):
        if not spoken.value(slot.name):
            continue
        before: tuple[int, ...] = known.value(slot.name)
        ages = of_known.filling(before)
        spoken = spoken.changed(slot.agent, **{slot.field: ages})
        count = of_known.adults + len(ages) if people is None else people
        count += len(ages) - len(before) if people is not None and people <= len(ages) else 0
        counted = next(one for one in links_of("people") if one.agent == slot.agent)
        spoken = spoken.changed(slot.agent, **{counted.field: count}) if count != people else spoken
    return spoken
