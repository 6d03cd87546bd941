"""What a message asks for, read by a model: the value that the rules make of it, corrected by what it says.

The rules have read the message before: whether it interrupts, stops or answers is decided by them, at once.
The model has a short time for the rest, and where it fails or takes too long their reading stands.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, cast

import structlog

from ...domain import inputs
from ...domain.usage import UsageMeter
from ...errors import BadInput, ModelError, StoreUnavailable
from ...tasks.input_schema import checked
from ..models.base import AskedCall, ChatModel, Question, ToolSpec
from ..understanding.codec import from_json, to_json
from ..understanding.english.wording import describe, in_words
from ..understanding.result import Agent, BookingWish, Understanding
from ..understanding.slot_table import ROWS, SLOTS
from .model_memory import conversation_for_model
from .model_tools import FIELDS_FOR_MODELS, object_of, slots_in
from .state import TravelRun

_BOOKING: Mapping[str, Any] = {
    "type": "object",
    "description": "only where the last message asks to hold, book, cancel or list",
    "properties": {
        "action": {"enum": ["hold", "book", "cancel", "list"]},
        "kind": {"enum": ["flight", "hotel"]},
        "pick": {"enum": ["cheapest", "fastest", "best"]},
        "number": {"type": "integer", "minimum": 1, "maximum": 500},
        "name": {"type": "string", "maxLength": 80},
        "reference": {"type": "string", "maxLength": 40},
    },
    "required": ["action"],
    "additionalProperties": False,
}
_READ: Mapping[Agent, Mapping[str, Any]] = {
    agent: {name: field for name, field in fields.items() if ROWS[f"{agent}.{name}"].is_read_by_models}
    for agent, fields in FIELDS_FOR_MODELS.items()
}
UNDERSTAND = ToolSpec(
    "understand",
    "Tells what the user wants, as it stands after the last message.",
    {
        "type": "object",
        "properties": {
            "agents": {"type": "array", "items": {"enum": list(SLOTS)}, "uniqueItems": True},
            **{agent: object_of(fields) for agent, fields in _READ.items()},
            "booking": _BOOKING,
        },
        "required": ["agents"],
        "additionalProperties": False,
    },
)

_log = structlog.get_logger(__name__)


async def read_with_model(run: TravelRun, model: ChatModel, *, within_s: float) -> Understanding:
    """Return what is understood once a model has read the message; as it was where it has not in time.

    When cancelled, the model's stream is closed.
    """
    try:
        async with asyncio.timeout(within_s):
            instructions = _instructions(run.understanding, today=run.today)
            messages = [instructions, *await conversation_for_model(run)]
            question = Question(messages=messages, tools=[UNDERSTAND])
            answer = await model.answer(question, meter=run.journal.usage)
        return corrected(run.understanding, answer.calls, today=run.today)
    except TimeoutError:
        reason = f"it took longer than {within_s:g} s"
    except (BadInput, ModelError, StoreUnavailable) as error:
        reason = error.message
    _log.warning("a message is read without the model", reason=reason)
    return run.understanding


async def advice_on(
    message: str, previous: Mapping[str, Any] | None, model: ChatModel, *, today: date, within_s: float
) -> Understanding | None:
    """Return what a message asks for that the rules make nothing of; None where it asks for nothing.

    None as well where the model does not tell in time. What that uses is not counted: there is no task yet.
    """
    before = from_json(dict(previous["understanding"])) if previous else None
    known = before or Understanding(relation="new")
    messages = [_instructions(known, today=today), {"role": "user", "content": message}]
    try:
        async with asyncio.timeout(within_s):
            answer = await model.answer(Question(messages=messages, tools=[UNDERSTAND]), meter=UsageMeter())
        read = corrected(replace(known, agents=(), booking=None), answer.calls, today=today)
    except TimeoutError:
        reason = f"it took longer than {within_s:g} s"
    except (BadInput, ModelError) as error:
        reason = error.message
    else:
        if not read.agents and read.booking is None:
            return None
        return replace(read, relation="refine" if before is not None else "new", carried=(), dropped=())
    _log.warning("nobody could tell what a message asks for", reason=reason)
    return None


def corrected(understanding: Understanding, calls: Sequence[AskedCall], *, today: date) -> Understanding:
    """Return what is understood with what a model says of it. Raises `BadInput` for what cannot be."""
    given = next((call.arguments for call in calls if call.tool == UNDERSTAND.name), None)
    if given is None:
        raise BadInput("It did not say what it understood.")
    fitting = checked(inputs.Question(agent="model", prompt="", schema=UNDERSTAND.parameters), given)
    try:
        values: dict[Agent, dict[str, Any]] = {
            agent: slots_in(agent, fitting.get(agent, {}), today) for agent in SLOTS
        }
    except ValueError as fault:
        raise BadInput(f"{fault}.") from fault
    agents = cast("tuple[Agent, ...]", tuple(sorted(fitting["agents"]))) or understanding.agents
    booking = BookingWish(**fitting["booking"]) if "booking" in fitting else understanding.booking
    if booking is not None and booking.kind is not None and booking.action in ("hold", "book"):
        agents = cast("tuple[Agent, ...]", tuple(sorted({*agents, booking.kind})))
    said = {f"{agent}.{name}" for agent, fields in values.items() for name in fields}
    slots: dict[str, Any] = {
        agent: replace(understanding.of(agent), **fields) for agent, fields in values.items()
    }
    return replace(
        understanding,
        agents=agents,
        booking=booking,
        wanted=cast("tuple[Agent, ...]", tuple(sorted({*understanding.wanted, *agents}))),
        **slots,
        assumed=tuple(slot for slot in understanding.assumed if slot not in said),
        alternatives=tuple(one for one in understanding.alternatives if one.slot not in said),
        refused=() if said else understanding.refused,
    )


def _instructions(understanding: Understanding, *, today: date) -> dict[str, str]:
    known = to_json(understanding)
    text = (
        f"You read what the user of a travel assistant wants. Today is {in_words(today)}. Call "
        f"`{UNDERSTAND.name}` once, and say nothing: name the agents that must act on the last message, and "
        "all that the user has said of flight and hotel and not taken back. Leave out what nobody said; name "
        "no agent where nothing is asked for.\n"
        f"Read so far: {describe(understanding) or 'nothing'}; "
        f"{', '.join(f'{agent} {known[agent]}' for agent in SLOTS)}."
    )
    return {"role": "system", "content": text}
