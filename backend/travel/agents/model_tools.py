"""The tools that a model may use, as it is told of them, and what becomes of the arguments that it gives.

Arguments are checked by their schema, then read into the very values that the rules would search for, so
that a model's search and the rules' are the same call where they mean the same. What does not fit is refused
with a sentence, which goes back to the model; nothing is executed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Any

from ...domain.errors import BadInput
from ...domain.questions import Question
from ...tasks.input_schema import checked
from ...tasks.ledger.base import Tool
from ..models.base import AskedCall, ToolSpec
from ..understanding.english.slot_words import WORDS
from ..understanding.english.wording import why_no_flight
from ..understanding.queries import QUERIES, Query
from ..understanding.result import Agent, CarSlots, FlightSlots, HotelSlots, Place, Understanding
from ..understanding.slot_table import ROWS, SLOTS, Slot, given_by
from .slot_values import schema_of, value_of

Parse = Callable[[Mapping[str, Any], date], Any]
"""Reads arguments that fit their schema, on a day. Raises `BadInput`, and `ValueError` with a sentence."""

_LONGEST_TEXT = 80
_TYPES_IN_WORDS: Mapping[type, str] = {
    date: "YYYY-MM-DD",
    time: "HH:MM",
    Place: "a city, or an airport's code",
}


def _field(slot: Slot) -> dict[str, Any]:
    """A slot's value, as a field of JSON Schema that a model can use."""
    schema = schema_of(slot)
    if "minLength" in schema:
        schema["maxLength"] = _LONGEST_TEXT
    described = WORDS[slot.name].for_models or _TYPES_IN_WORDS.get(slot.type, "")
    return {**schema, "description": described} if described else schema


FIELDS_FOR_MODELS: Mapping[Agent, Mapping[str, Any]] = {
    agent: {slot.field: _field(slot) for slot in given_by(agent)} for agent in SLOTS
}
"""What a model can say of an agent's search, as fields of JSON Schema."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTool:
    """A tool of the ledger, as a model may ask for it."""

    spec: ToolSpec
    tool: Tool[Any]
    parse: Parse

    def arguments(self, asked: AskedCall, *, today: date) -> Any:
        """Return the tool's arguments. Raises `BadInput` with why what was asked for is not done."""
        if asked.arguments is None:
            raise BadInput("arguments: they are no JSON object.")
        question = Question(agent="model", prompt="", schema=self.spec.parameters)
        fitting = checked(question, asked.arguments)
        try:
            return self.parse(fitting, today)
        except ValueError as fault:
            raise BadInput(f"{fault}.") from fault


def object_of(fields: Mapping[str, Any], *, required: Sequence[str] = ()) -> Mapping[str, Any]:
    """Return the JSON Schema of an object with these fields and no others."""
    return {
        "type": "object",
        "properties": fields,
        "required": list(required),
        "additionalProperties": False,
    }


def slots_in(agent: Agent, given: Mapping[str, Any], today: date) -> dict[str, Any]:
    """Return fields that fit their schema as values of slots: places, days, money.

    Raises `ValueError` with a sentence for a place that is not known, and a day for which nothing is on sale.
    """
    return {name: value_of(ROWS[f"{agent}.{name}"], value, today)[0] for name, value in given.items()}


def search_tool(agent: Agent, tool: Tool[Any]) -> ModelTool:
    """Return the search of an agent that has slots, as a model may ask for it."""
    description, parse = _SEARCHES[agent]
    asked = [slot.field for slot in given_by(agent) if slot.is_asked]
    fields = {slot.field: _field(slot) for slot in given_by(agent) if slot.is_for_sources}
    parameters = object_of(fields, required=asked)
    return ModelTool(spec=ToolSpec(tool.name, description, parameters), tool=tool, parse=parse)


def _flight(given: Mapping[str, Any], today: date) -> Query:
    flight = FlightSlots(**slots_in("flight", given, today))
    if flight.departure_date and flight.return_date and flight.return_date < flight.departure_date:
        raise BadInput.of_fields(("return_date", "that is before the departure"))
    search = QUERIES["flight"](Understanding(relation="new", agents=("flight",), flight=flight))
    if search is None:
        raise BadInput(why_no_flight(flight) or "There are no flights between the two.")
    return search


def _hotel(given: Mapping[str, Any], today: date) -> Query:
    hotel = HotelSlots(**slots_in("hotel", given, today))
    search = QUERIES["hotel"](Understanding(relation="new", agents=("hotel",), hotel=hotel))
    if search is None:
        raise BadInput("There is no such stay.")
    return search


def _car(given: Mapping[str, Any], today: date) -> Query:
    car = CarSlots(**slots_in("car", given, today))
    if car.pick_up and car.drop_off and car.drop_off < car.pick_up:
        raise BadInput.of_fields(("drop_off", "that is before it is picked up"))
    search = QUERIES["car"](Understanding(relation="new", agents=("car",), car=car))
    if search is None:
        raise BadInput("There is no such rental.")
    return search


_SEARCHES: Mapping[Agent, tuple[str, Parse]] = {
    "flight": ("Searches flights; prices are for the whole journey.", _flight),
    "hotel": ("Searches hotels in a city.", _hotel),
    "car": ("Searches rental cars, which are returned where they are picked up.", _car),
}
"""What models are told of each agent's search, and how it reads what they give."""
