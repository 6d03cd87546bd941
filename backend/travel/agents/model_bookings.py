"""The tools that hold, book and cancel, as a model may ask for them: by the offers that were shown.

Asking is all that a model can do with them. What it asks for is quoted by the provider, shown to the user
with exact facts, and done once the user has allowed it.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

from ...domain.encoding import encode
from ...domain.errors import BadInput
from ..models.base import ToolSpec
from ..understanding.result import BookingWish
from ..understanding.unused import unused_of
from ..values.booking import Cancellation, Wanted, choice_of, whole_offer
from .choosing import chosen
from .model_memory import cheapest_in_short
from .model_tools import ModelTool, object_of
from .state import TravelRun

_OFFER = object_of({"offer": {"type": "string", "minLength": 1, "maxLength": 200}}, required=["offer"])
_REFERENCE = object_of(
    {"reference": {"type": "string", "minLength": 1, "maxLength": 40}}, required=["reference"]
)
_NOTHING = object_of({})


def booking_tools_for_model(run: TravelRun) -> list[ModelTool]:
    """Return the booking tools over the offers that the task of a run has shown."""
    tools = run.bookings
    kinds = (
        (tools.hold_flight, "flight"),
        (tools.book_flight, "flight"),
        (tools.book_hotel, "hotel"),
        (tools.book_car, "car"),
    )
    offered = [
        ModelTool(
            spec=ToolSpec(tool.name, "The user is asked to allow it first.", _OFFER),
            tool=tool,
            parse=lambda given, _today, kind=kind: _wanted(run, kind, given),
        )
        for tool, kind in kinds
    ]
    cancels = ToolSpec(tools.cancel_booking.name, "The user is asked to allow it first.", _REFERENCE)
    lists = ToolSpec(tools.list_bookings.name, "Lists what the user holds and has booked.", _NOTHING)
    return [
        *offered,
        ModelTool(spec=cancels, tool=tools.cancel_booking, parse=_cancellation),
        ModelTool(spec=lists, tool=tools.list_bookings, parse=lambda _given, _today: {}),
    ]


def wish_in_words(run: TravelRun, wish: BookingWish) -> str:
    """Return the model's instructions about a wish to hold, book or cancel, with the offers found."""
    found = run.context.found.to_json()
    offers = {kind: cheapest_in_short(items) for kind, items in found.items()}
    words = f"The user asks to {wish.action} {wish.kind or 'something'}"
    item = chosen(found.get(wish.kind, []), wish, kind=wish.kind) if wish.kind else ""
    if not isinstance(item, str):
        words += f", which may well be offer {item['offer_id']}"
    reference = f", reference {wish.reference}" if wish.reference else ""
    return f"{words}{reference}. Do that and nothing else. Offers: {encode(offers).decode()}"


def _wanted(run: TravelRun, kind: str, given: Mapping[str, Any]) -> Wanted:
    items = run.context.found.to_json().get(kind, [])
    item = next((each for each in items if each["offer_id"] == given["offer"]), None)
    if item is None:
        raise BadInput(f"offer: the user was shown no {kind} of that id.")
    offer = whole_offer(item)
    if offer is None:
        raise BadInput("offer: it lacks what is needed to book it.")
    return Wanted(choice=choice_of(offer), not_chosen_by=unused_of(run.understanding))


def _cancellation(given: Mapping[str, Any], _today: date) -> Cancellation:
    return Cancellation(reference=given["reference"])
