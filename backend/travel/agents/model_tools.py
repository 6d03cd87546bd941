"""The tools that a model may use, as it is told of them, and what becomes of the arguments that it gives.

Arguments are checked by their schema, then read into the very values that the rules would search for, so
that a model's search and the rules' are the same call where they mean the same. What does not fit is refused
with a sentence, which goes back to the model; nothing is executed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from ...domain.inputs import Question
from ...errors import BadInput
from ...tasks.input_schema import checked
from ...tasks.ledger.base import Tool
from ..models.base import AskedCall, ToolSpec
from ..understanding.queries import flight_query, hotel_query
from ..understanding.result import FlightSlots, HotelSlots, Understanding
from ..understanding.wording import why_no_flight
from ..values.travel import FlightQuery, HotelQuery, Money
from .answers import day_on_sale, place_named

Parse = Callable[[Mapping[str, Any], date], Any]
"""Reads arguments that fit their schema, on a day. Raises `BadInput`, and `ValueError` with a sentence."""

_DAY = {"type": "string", "format": "date", "description": "YYYY-MM-DD"}
_PRICE = {"type": "number", "exclusiveMinimum": 0}
_CITY = {"type": "string", "minLength": 1, "maxLength": 80, "description": "a city, or an airport's code"}

FLIGHT_FIELDS: Mapping[str, Any] = {
    "origin": _CITY,
    "destination": _CITY,
    "departure_date": _DAY,
    "return_date": _DAY,
    "passengers": {"type": "integer", "minimum": 1, "maximum": 9},
    "cabin_class": {"enum": ["economy", "premium_economy", "business", "first"]},
    "max_stops": {"type": "integer", "minimum": 0, "maximum": 3},
    "max_price": {**_PRICE, "description": "euros a person"},
}
"""What a model can say of a flight, as fields of JSON Schema."""

HOTEL_FIELDS: Mapping[str, Any] = {
    "city": _CITY,
    "check_in": _DAY,
    "nights": {"type": "integer", "minimum": 1, "maximum": 30},
    "guests": {"type": "integer", "minimum": 1, "maximum": 20},
    "rooms": {"type": "integer", "minimum": 1, "maximum": 9},
    "stars": {"type": "integer", "minimum": 1, "maximum": 5, "description": "at least so many"},
    "max_price": {**_PRICE, "description": "euros a night and room"},
    "district": {"type": "string", "minLength": 1, "maxLength": 80},
}
"""The same of a stay."""


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


def slots_in(given: Mapping[str, Any], today: date) -> dict[str, Any]:
    """Return fields that fit their schema as values of slots: places, days, money.

    Raises `ValueError` with a sentence for a place that is not known, and a day for which nothing is on sale.
    """
    return {name: _slot(name, value, today) for name, value in given.items()}


def _slot(name: str, value: Any, today: date) -> Any:
    if name in ("origin", "destination", "city"):
        return place_named(value)[0]
    if name in ("departure_date", "return_date", "check_in"):
        return day_on_sale(value, today)
    return Money(amount=Decimal(str(value))) if name == "max_price" else value


def flight_search_tool(tool: Tool[FlightQuery]) -> ModelTool:
    """Return the search for flights, as a model may ask for it."""
    parameters = object_of(FLIGHT_FIELDS, required=["origin", "destination", "departure_date"])
    spec = ToolSpec(tool.name, "Searches flights; prices are for the whole journey.", parameters)
    return ModelTool(spec=spec, tool=tool, parse=_flight)


def hotel_search_tool(tool: Tool[HotelQuery]) -> ModelTool:
    """Return the search for hotels, as a model may ask for it."""
    parameters = object_of(HOTEL_FIELDS, required=["city", "check_in", "nights"])
    return ModelTool(
        spec=ToolSpec(tool.name, "Searches hotels in a city.", parameters), tool=tool, parse=_hotel
    )


def _flight(given: Mapping[str, Any], today: date) -> FlightQuery:
    flight = FlightSlots(**slots_in(given, today))
    if flight.departure_date and flight.return_date and flight.return_date < flight.departure_date:
        raise BadInput.of_fields(("return_date", "that is before the departure"))
    query = flight_query(Understanding(relation="new", agents=("flight",), flight=flight))
    if query is None:
        raise BadInput(why_no_flight(flight) or "There are no flights between the two.")
    return query


def _hotel(given: Mapping[str, Any], today: date) -> HotelQuery:
    hotel = HotelSlots(**slots_in(given, today))
    query = hotel_query(Understanding(relation="new", agents=("hotel",), hotel=hotel))
    if query is None:
        raise BadInput("There is no such stay.")
    return query
