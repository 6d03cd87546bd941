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

from backend.agents.answers import day_on_sale, place_named
from backend.domain.inputs import Question
from backend.domain.travel import FlightQuery, HotelQuery, Money
from backend.errors import BadInput
from backend.input_schema import checked
from backend.models.base import AskedCall, ToolSpec
from backend.tools.base import Tool
from backend.understanding.queries import flight_query, hotel_query
from backend.understanding.result import FlightSlots, HotelSlots, Understanding
from backend.understanding.wording import why_no_flight

Parse = Callable[[Mapping[str, Any], date], Any]
"""Reads arguments that fit their schema, on a day. Raises `BadInput`, and `ValueError` with a sentence."""

_DAY = {"type": "string", "format": "date", "description": "YYYY-MM-DD"}
_PRICE = {"type": "number", "exclusiveMinimum": 0, "description": "euros"}
_CITY = {"type": "string", "minLength": 1, "maxLength": 80, "description": "a city, or an airport's code"}


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


def _schema(required: Sequence[str], **fields: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(required),
        "additionalProperties": False,
    }


def flight_search_tool(tool: Tool[FlightQuery]) -> ModelTool:
    """Return the search for flights, as a model may ask for it."""
    parameters = _schema(
        ["origin", "destination", "departure_date"],
        origin=_CITY,
        destination=_CITY,
        departure_date=_DAY,
        return_date=_DAY,
        passengers={"type": "integer", "minimum": 1, "maximum": 9},
        cabin_class={"enum": ["economy", "premium_economy", "business", "first"]},
        max_stops={"type": "integer", "minimum": 0, "maximum": 3},
        max_price={**_PRICE, "description": "euros a person"},
    )
    spec = ToolSpec(tool.name, "Searches flights; prices are for the whole journey.", parameters)
    return ModelTool(spec=spec, tool=tool, parse=_flight)


def hotel_search_tool(tool: Tool[HotelQuery]) -> ModelTool:
    """Return the search for hotels, as a model may ask for it."""
    parameters = _schema(
        ["city", "check_in", "nights"],
        city=_CITY,
        check_in=_DAY,
        nights={"type": "integer", "minimum": 1, "maximum": 30},
        guests={"type": "integer", "minimum": 1, "maximum": 20},
        rooms={"type": "integer", "minimum": 1, "maximum": 9},
        stars={"type": "integer", "minimum": 1, "maximum": 5, "description": "at least so many"},
        max_price={**_PRICE, "description": "euros a night and room"},
        district={"type": "string", "maxLength": 80},
    )
    spec = ToolSpec(tool.name, "Searches hotels in a city.", parameters)
    return ModelTool(spec=spec, tool=tool, parse=_hotel)


def _flight(given: Mapping[str, Any], today: date) -> FlightQuery:
    departure = day_on_sale(given["departure_date"], today)
    back = day_on_sale(given["return_date"], today) if "return_date" in given else None
    if back is not None and back < departure:
        raise BadInput.of_fields(("return_date", "that is before the departure"))
    flight = FlightSlots(
        origin=place_named(given["origin"])[0],
        destination=place_named(given["destination"])[0],
        departure_date=departure,
        return_date=back,
        passengers=given.get("passengers"),
        cabin_class=given.get("cabin_class"),
        max_stops=given.get("max_stops"),
        max_price=_euros(given),
    )
    query = flight_query(Understanding(relation="new", agents=("flight",), flight=flight))
    if query is None:
        raise BadInput(why_no_flight(flight) or "There are no flights between the two.")
    return query


def _hotel(given: Mapping[str, Any], today: date) -> HotelQuery:
    hotel = HotelSlots(
        city=place_named(given["city"])[0],
        check_in=day_on_sale(given["check_in"], today),
        nights=given["nights"],
        guests=given.get("guests"),
        rooms=given.get("rooms"),
        stars=given.get("stars"),
        max_price=_euros(given),
        district=given.get("district"),
    )
    query = hotel_query(Understanding(relation="new", agents=("hotel",), hotel=hotel))
    if query is None:
        raise BadInput("There is no such stay.")
    return query


def _euros(given: Mapping[str, Any]) -> Money | None:
    return Money(amount=Decimal(str(given["max_price"]))) if "max_price" in given else None
