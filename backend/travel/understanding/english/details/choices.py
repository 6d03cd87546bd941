"""An answer to "did you mean ...?": one of the readings that an earlier message left open.

"Florida", "the later one", "the second", "the other one" mean nothing by themselves.
"""

from collections.abc import Iterator, Sequence
from datetime import date

from ...message import Choice
from ...places.gazetteer import Gazetteer
from ...result import Alternative, Place
from ..language.tables import phrases_of
from ..language.text import Text, phrases, tokenise
from ..places.places import find_places

_PLACES_SAID = phrases_of("places")
_SAID = phrases_of("facts")

_SHORT = 8
_ORDINALS = (
    phrases("the first", "first one", "the former"),
    phrases("the second", "second one", "the latter"),
    phrases("the third", "third one"),
    phrases("the fourth", "fourth one"),
)


def find_choices(text: Text, readings: Sequence[Alternative], gazetteer: Gazetteer) -> tuple[Choice, ...]:
    """Return what a message chooses among readings that were left open, none if it chooses nothing.

    A long one chooses by words for it alone: "Lanzarote it is! Could you find us a hotel with a pool?".
    """
    if text.length > _SHORT:
        readings = [one for one in readings if one.is_choice] if text.has(_PLACES_SAID.decides) else ()
    return tuple(_choices(text, readings, gazetteer))


def _choices(text: Text, readings: Sequence[Alternative], gazetteer: Gazetteer) -> Iterator[Choice]:
    for alternative in readings:
        option = _which(text, alternative)
        value = _value(option, alternative.slot, gazetteer) if option else None
        if value is not None:
            yield Choice(slot=alternative.slot, value=value)


def _which(text: Text, alternative: Alternative) -> str:
    """The reading that is chosen, "" if none is, or more than one could be."""
    options = [option for option in (alternative.taken, *alternative.others) if option]
    decided = _decided(text, options) if alternative.is_choice else ""
    if decided:
        return decided
    if len(alternative.others) == 1 and alternative.taken and text.has(_SAID.other):
        return alternative.others[0]
    if _is_day(options[0]):
        if text.has(_SAID.earlier):
            return min(options)
        if text.has(_SAID.later):
            return max(options)
    for place, names in enumerate(_ORDINALS):
        if text.has(names) and place < len(options):
            return options[place]
    if alternative.is_choice:
        return ""
    told = [option for option in options if not _is_day(option) and _tells(text, option)]
    return told[0] if len(told) == 1 else ""


def _decided(text: Text, options: Sequence[str]) -> str:
    """The place that a message decides for of those that an earlier one named, "" if for none."""
    named = [one for one in options if _name_at(text, one) >= 0]
    if len(named) != 1:
        return ""
    after = _name_at(text, named[0]) + len(_name_of(named[0]))
    return named[0] if text.match(_PLACES_SAID.decides, after) else ""


def _name_of(option: str) -> tuple[str, ...]:
    return tuple(token.norm for token in tokenise(option.partition(",")[0]))


def _name_at(text: Text, option: str) -> int:
    """Where the name of a place stands in a message, -1 where it does not."""
    name = _name_of(option)
    places = (
        at
        for at in range(text.length)
        if all(text.norm(at + ahead) == word for ahead, word in enumerate(name))
    )
    return next(places, -1)


def _tells(text: Text, option: str) -> bool:
    """Whether the message says what tells a place apart: its state or country."""
    name, _, apart = option.partition(",")
    sought = tuple(token.norm for token in tokenise(apart))
    return any(
        all(text.norm(at + ahead) == word for ahead, word in enumerate(sought)) for at in range(text.length)
    ) and bool(name and sought)


def _is_day(option: str) -> bool:
    return option[:4].isdigit()


def _value(option: str, slot: str, gazetteer: Gazetteer) -> Place | date | None:
    if _is_day(option):
        return date.fromisoformat(option)
    mentions = find_places(Text("to " + option), gazetteer).mentions
    place = mentions[0].place if mentions else None
    return Place(city=place.city) if place and slot == "hotel.city" else place
