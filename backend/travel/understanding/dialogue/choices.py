"""An answer to "did you mean ...?": one of the readings that an earlier message left open.

"Florida", "the later one", "the second", "the other one" mean nothing by themselves.
"""

from dataclasses import replace
from datetime import date
from typing import Any

from ..language.text import Text, phrases, tokenise
from ..places.gazetteer import Gazetteer
from ..places.places import find_places
from ..result import Alternative, Place
from .slots import Slots

_SHORT = 8
_ORDINALS = (
    phrases("the first", "first one", "the former"),
    phrases("the second", "second one", "the latter"),
    phrases("the third", "third one"),
    phrases("the fourth", "fourth one"),
)
_EARLIER = phrases("the earlier", "earlier one", "the sooner", "sooner one")
_LATER = phrases("the later", "later one")
_OTHER = phrases("the other one", "the other", "other one")


def chosen(text: Text, alternatives: tuple[Alternative, ...], gazetteer: Gazetteer) -> Slots:
    """Return the slots that a short message fills by choosing among readings, none if it chooses nothing."""
    slots = Slots()
    if text.length > _SHORT:
        return slots
    for alternative in alternatives:
        option = _which(text, alternative)
        value = _value(option, alternative.slot, gazetteer) if option else None
        if value is not None:
            slots = _with(slots, alternative.slot, value)
    return slots


def _which(text: Text, alternative: Alternative) -> str:
    """The reading that is chosen, "" if none is, or more than one could be."""
    options = [option for option in (alternative.taken, *alternative.others) if option]
    if len(alternative.others) == 1 and alternative.taken and text.has(_OTHER):
        return alternative.others[0]
    if _is_day(options[0]):
        if text.has(_EARLIER):
            return min(options)
        if text.has(_LATER):
            return max(options)
    for place, names in enumerate(_ORDINALS):
        if text.has(names) and place < len(options):
            return options[place]
    told = [option for option in options if not _is_day(option) and _tells(text, option)]
    return told[0] if len(told) == 1 else ""


def _tells(text: Text, option: str) -> bool:
    """Whether the message says what tells a place apart: its state or country."""
    name, _, apart = option.partition(",")
    sought = tuple(token.norm for token in tokenise(apart))
    return any(
        all(text.norm(at + ahead) == word for ahead, word in enumerate(sought)) for at in range(text.length)
    ) and bool(name and sought)


def _is_day(option: str) -> bool:
    return option[:4].isdigit()


def _value(option: str, slot: str, gazetteer: Gazetteer) -> Any:
    if _is_day(option):
        return date.fromisoformat(option)
    mentions = find_places(Text("to " + option), gazetteer).mentions
    place = mentions[0].place if mentions else None
    return Place(city=place.city) if place and slot == "hotel.city" else place


def _with(slots: Slots, slot: str, value: Any) -> Slots:
    holder, _, name = slot.partition(".")
    if holder == "flight":
        return replace(slots, flight=replace(slots.flight, **{name: value}))
    return replace(slots, hotel=replace(slots.hotel, **{name: value}))
