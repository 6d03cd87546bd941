"""The values of slots as forms and models give them: their JSON Schema, read and written."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin

from ..understanding.english.language.text import Text, tokenise
from ..understanding.english.places.places import find_places
from ..understanding.english.slot_words import in_words
from ..understanding.places.gazetteer import in_full, load_gazetteer, name_key
from ..understanding.result import Place
from ..understanding.slot_table import Slot
from ..values.travel import SALES_DAYS, Money

_SCHEMAS: Mapping[type, Mapping[str, Any]] = {
    Place: {"type": "string", "minLength": 1},
    str: {"type": "string", "minLength": 1},
    date: {"type": "string", "format": "date"},
    time: {"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"},
    Money: {"type": "number", "exclusiveMinimum": 0},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
}
_MOST_VALUES = 10


def schema_of(slot: Slot) -> dict[str, Any]:
    """Return the JSON Schema of a slot's value. Raises `KeyError` for a type that no form can hold."""
    if get_origin(slot.type) is Literal:
        return {"enum": list(get_args(slot.type))}
    if get_origin(slot.type) is tuple:
        one = dict(_SCHEMAS[get_args(slot.type)[0]])
        if slot.least is not None:
            one |= {"minimum": slot.least, "maximum": slot.most}
        return {"type": "array", "items": one, "maxItems": _MOST_VALUES}
    bounds = {"minimum": slot.least, "maximum": slot.most}
    return {**_SCHEMAS[slot.type], **{name: bound for name, bound in bounds.items() if bound is not None}}


def value_of(slot: Slot, given: Any, today: date) -> tuple[Any, tuple[str, ...]]:
    """Return a value that fits the slot's schema as the slot holds it, and what else it could mean, in full.

    Raises `ValueError` with a sentence for a place that is not known, and a day for which nothing is on sale.
    """
    if get_origin(slot.type) is tuple:
        [kind, *_] = get_args(slot.type)
        several: list[Any] = list(given)
        return tuple(value_of(replace(slot, type=kind), one, today)[0] for one in several), ()
    if slot.type is Place:
        return place_named(given)
    if slot.type is date:
        return day_on_sale(given, today), ()
    if slot.type is time:
        return time.fromisoformat(given), ()
    return Money(amount=Decimal(str(given))) if slot.type is Money else given, ()


def written(value: Any) -> Any:
    """Return a slot's value as a form gives it."""
    if isinstance(value, Place):
        return in_full(value.city)
    return value.isoformat() if isinstance(value, date) else value


def place_named(text: str) -> tuple[Place, tuple[str, ...]]:
    """Return the place that a field names: in full, by its name or an airport's code; and in full the
    others that it could name. Raises `ValueError` with the reason.
    """
    gazetteer = load_gazetteer()
    first = text.partition(",")[0]
    words = (token.norm for token in tokenise(first) if token.is_word or token.is_number)
    for place in gazetteer.names.get(name_key(words), ()):
        if in_full(place.city).casefold() == text.strip().casefold():
            return place, ()
    said = text.strip().upper() if len(text.strip()) == 3 else text
    mention = next(iter(find_places(Text(f"in {said}"), gazetteer).mentions), None)
    if mention is None or mention.first != 1:
        raise ValueError(f"I do not know a place called {text!r}")
    if mention.place is None:
        raise ValueError(f"{text} has several cities; please name one ({', '.join(mention.others)})")
    return mention.place, mention.others


def day_on_sale(text: str, today: date) -> date:
    """Return the day that a field names. Raises `ValueError` where nothing can be on sale for it."""
    day = date.fromisoformat(text)
    if day < today:
        raise ValueError("that day has passed")
    last = today + timedelta(days=SALES_DAYS)
    if day > last:
        raise ValueError(f"nothing is on sale yet for that day; sales reach to {in_words(last)}")
    return day
