"""What a model says that a message means: a `Turn`, the one structured answer that it is asked for.

Its schema is generated from the table of slots and sent as each service's strict structured output. Values
are texts, so that a slot takes a line of it and services need no union of types; `values_in` reads them as
the rules' own values. What cannot be read is left out: a model's mistake in one slot costs that slot.
"""

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date, time
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal, cast, get_args, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
)

from ....domain.errors import BadInput
from ...understanding.english.slot_words import WORDS
from ...understanding.found import FoundQuestion, Kind, Topic, Which
from ...understanding.result import BookingAction, BookingWish, Pick, Place
from ...understanding.slot_table import SLOTS, Slot, given_by
from ...values.filters import AMENITIES
from ...values.offers import By
from ...values.travel import Money
from ..slot_values import value_of

SLOTS_READ: Mapping[str, Slot] = {
    slot.name: slot for agent in SLOTS for slot in given_by(agent) if slot.is_read_by_models
}
"""The slots that a model may fill, by their names."""

_WORDS = '[^"\\\\\\n]{1,24}'
_NUMBER = "[0-9]{1,5}"
_PATTERNS: Mapping[Any, str] = {
    date: "[0-9]{4}-[0-9]{2}-[0-9]{2}",
    time: "[0-9]{2}:[0-9]{2}",
    bool: "(true|false)",
    int: _NUMBER,
    float: f"{_NUMBER}([.][0-9])?",
    Money: f"{_NUMBER}([.][0-9]{{2}})?",
}
_TYPES: Mapping[Any, str] = {
    date: "YYYY-MM-DD",
    bool: "true or false",
    int: "a number",
    float: "a number",
    Place: "a city or an airport's code",
}


def _text(pattern: str) -> Any:
    """A text by its pattern: OpenAI's strict schemas take no `maxLength`."""
    return WithJsonSchema({"type": "string", "pattern": f"^{pattern}$"})


def _at_most(count: int) -> Any:
    """A bound for the service's model. A list that is longer all the same is no reason to refuse the rest."""
    return Field(json_schema_extra={"maxItems": count})


def _pattern_of(slot: Slot) -> str:
    """Return the pattern of a slot's values."""
    if get_origin(slot.type) is Literal:
        return f"({'|'.join(get_args(slot.type))})"
    return _PATTERNS.get(slot.type, _WORDS)


def _slot_values() -> str:
    """Return the pattern of "flight.origin: Berlin": the names of slots, each with values of its type."""
    names: dict[str, list[str]] = {}
    for slot in SLOTS_READ.values():
        names.setdefault(_pattern_of(slot), []).append(slot.name.replace(".", "[.]"))
    either = (f"({'|'.join(those)}): {pattern}" for pattern, those in names.items())
    return f"({'|'.join(either)})"


SlotName = Annotated[str, WithJsonSchema({"type": "string", "enum": list(SLOTS_READ)})]
SlotValue = Annotated[str, _text(_slot_values())]
"""A slot's name and its value, as "flight.origin: Berlin": half the tokens of an object with two fields."""
Words = Annotated[str, _text(_WORDS)]


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Meant(_Said):
    """Which offer or booking is meant: by its number in the list, an order, or a name."""

    kind: Kind | None
    number: int | None
    first_by: By | None
    name: Words | None


class Turn(_Said):
    """What the last message means."""

    relation: Literal[
        "new", "refine", "add", "answer", "question", "act", "undo", "redo", "start_over", "stop", "talk",
        "other",
    ]  # fmt: skip
    agents: Annotated[list[Kind], _at_most(3)]
    slots: Annotated[list[SlotValue], _at_most(6)]
    cleared: Annotated[list[SlotName], _at_most(2)]
    act: BookingAction | None
    question: Topic | None
    which: Meant | None
    unused: Annotated[list[Words], _at_most(2)]

    @property
    def wish(self) -> BookingWish | None:
        """The act as the rules have it."""
        if self.act is None:
            return None
        which = self.which or _NONE
        is_reference = which.name is not None and _REFERENCE.fullmatch(which.name) is not None
        return BookingWish(
            action=self.act,
            kind=which.kind,
            pick=_PICKS.get(which.first_by or ""),
            number=which.number if which.number and 0 < which.number <= _MOST_OFFERS else None,
            name=None if is_reference else which.name,
            reference=which.name if is_reference else None,
        )

    @property
    def asked(self) -> FoundQuestion | None:
        """The question as the rules have it."""
        if self.question is None:
            return None
        which = self.which or _NONE
        numbers = (which.number,) if which.number and 0 < which.number <= _MOST_OFFERS else ()
        meant = Which(numbers=numbers, by=which.first_by, name=which.name or "")
        return FoundQuestion(topic=self.question, agent=which.kind, which=meant, by=which.first_by)


_NONE = Meant(kind=None, number=None, first_by=None, name=None)
_PICKS: Mapping[str, Pick] = {"price": "cheapest", "duration": "fastest", "best": "best"}
_REFERENCE = re.compile("[A-Z]+-[A-Z0-9]+")
_MOST_OFFERS = 500


def _without_titles(schema: Any) -> Any:
    """Return a schema without what pydantic says of each field, which costs a third of its tokens."""
    if isinstance(schema, list):
        return [_without_titles(each) for each in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    told = cast("dict[str, Any]", schema).items()
    return {name: _without_titles(each) for name, each in told if name not in ("title", "description")}


SCHEMA: Mapping[str, Any] = {"title": "turn", **_without_titles(Turn.model_json_schema())}
"""The JSON Schema of a `Turn`: no field is optional, none is left open."""


def _described(slot: Slot) -> str:
    choices = " or ".join(get_args(slot.type)) if get_origin(slot.type) is Literal else ""
    told = ", ".join(filter(None, [WORDS[slot.name].for_models or _TYPES.get(slot.type, ""), choices]))
    return f"{slot.name}: {told}" if told else slot.name


INSTRUCTIONS = "\n".join(
    [
        "You read the last message to a travel assistant that finds flights, hotels and rental cars, and fill"
        " in a JSON object that says what it means after what was said before.",
        "relation: new (another trip), refine (changes the request), add (a further kind of search), answer"
        " (to what was asked), question (about offers that were found), act (hold, book, cancel or list),"
        " undo (the last change), redo, start_over, stop, talk (small talk), other.",
        "agents: those that must search because of the message; none for a question or talk.",
        "slots: only what the last message itself says, each as name: value, with commas between several.",
        "cleared: slots that it takes back. unused: its wishes that fit no slot, in the user's own words.",
        "act, question: null unless it is one; which: the offer or booking that it is about, else null.",
        "Invent nothing.",
        "The slots:",
        *map(_described, SLOTS_READ.values()),
    ]
)


def turn_in(text: str) -> Turn:
    """Return the turn in a model's answer. Raises `BadInput` if it is none."""
    try:
        return Turn.model_validate_json(text)
    except ValidationError as error:
        first, *_ = error.errors(include_url=False, include_context=False, include_input=False)
        raise BadInput(f"{'.'.join(map(str, first['loc'])) or 'answer'}: {first['msg']}.") from None


def values_in(slots: Sequence[str], *, today: date) -> dict[str, Any]:
    """Return the values of slots by their names, without those that no search could use."""
    read: dict[str, Any] = {}
    for name, _, text in (said.partition(":") for said in slots):
        slot = SLOTS_READ.get(name.strip())
        if slot is None:
            continue
        try:
            value, _ = value_of(slot, _as_given(slot, text.strip()), today)
        except ValueError:
            continue
        bounds = slot.least if slot.least is not None else -math.inf, slot.most or math.inf
        if isinstance(value, int | float) and not bounds[0] <= value <= bounds[1]:
            continue
        if value != ():
            read[slot.name] = value
    return read


def _as_given(slot: Slot, text: str) -> Any:
    """Return a text as a form gives the slot's value. Raises `ValueError` where it is none."""
    if get_origin(slot.type) is tuple:
        [kind, *_] = get_args(slot.type)
        several = [_given(kind, each.strip()) for each in text.split(",") if each.strip()]
        return [each for each in several if slot.name != "hotel.amenities" or each in AMENITIES]
    return _given(slot.type, text)


def _given(kind: Any, text: str) -> Any:
    if kind is Money:
        try:
            amount = Decimal("".join(each for each in text if each.isdigit() or each == "."))
        except InvalidOperation:
            raise ValueError("that is no price") from None
        if amount <= 0:
            raise ValueError("that is no price")
        return amount
    if kind is Place or not text:
        if not text:
            raise ValueError("that is no value")
        return text
    # Checked as its type, though days and hours are handed on as texts. What it raises is a `ValueError`.
    read = TypeAdapter(kind).validate_python(text)
    return text if not isinstance(read, int | float) else read
