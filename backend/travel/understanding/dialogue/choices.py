"""What is chosen among the readings that an earlier message left open, as slots."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..message import Choice
from .slots import NO_SLOTS, Slots


def chosen(choices: Iterable[Choice]) -> Slots:
    """Return the slots that the choices fill."""
    slots = NO_SLOTS
    for choice in choices:
        slots = _with(slots, choice.slot, choice.value)
    return slots


def _with(slots: Slots, slot: str, value: Any) -> Slots:
    holder, _, name = slot.partition(".")
    if holder == "flight":
        return replace(slots, flight=replace(slots.flight, **{name: value}))
    return replace(slots, hotel=replace(slots.hotel, **{name: value}))
