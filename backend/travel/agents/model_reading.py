"""What a message asks for, read by a model, with the rules as its check and its fallback.

The rules have read the message before: whether it interrupts, stops or answers is decided by them, at once.
The model then has a short time, before anything is searched. What the two make of it is in `agreed_reading`;
where the model fails or takes too long the rules' reading stands. What the rules make nothing of, as what is
said in another language, is read by the model alone.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, cast

import structlog

from ...domain import questions as inputs
from ...domain.errors import BadInput, ModelError, StoreUnavailable
from ...domain.model_usage import UsageMeter
from ...tasks.input_schema import checked
from ..models.base import AskedCall, ChatModel, Question, ToolSpec
from ..models.validity import Message
from ..understanding.codec import to_json
from ..understanding.english.wording import describe, in_words
from ..understanding.found import KINDS
from ..understanding.result import Agent, BookingWish, Understanding
from ..understanding.slot_table import ROWS, SLOTS
from .agreed_reading import agreed
from .model_memory import conversation_for_model
from .model_tools import FIELDS_FOR_MODELS, object_of, slots_in
from .state import TravelRun

_BOOKING: Mapping[str, Any] = {
    "type": "object",
    "description": "only where the last message asks to hold, book, cancel or list",
    "properties": {
        "action": {"enum": ["hold", "book", "cancel", "list"]},
        "kind": {"enum": list(KINDS)},
        "pick": {"enum": ["cheapest", "fastest", "best"]},
        "number": {"type": "integer", "minimum": 1, "maximum": 500},
        "name": {"type": "string", "maxLength": 80},
        "reference": {"type": "string", "maxLength": 40},
    },
    "required": ["action"],
    "additionalProperties": False,
}
_UNUSED: Mapping[str, Any] = {
    "type": "array",
    "description": "wishes of the last message that fit no field, in the user's own words",
    "items": {"type": "string", "minLength": 1, "maxLength": 80},
    "maxItems": 6,
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
            "unused": _UNUSED,
        },
        "required": ["agents"],
        "additionalProperties": False,
    },
)

_log = structlog.get_logger(__name__)


async def read_with_model(run: TravelRun, model: ChatModel, *, within_s: float) -> Understanding:
    """Return what is understood once a model has read the message; as it was where it has not in time.

    Nothing is asked about an act on an offer of which the rules have read every word. When cancelled, the
    model's stream is closed.
    """
    if is_certain(run.understanding):
        return run.understanding
    try:
        async with asyncio.timeout(within_s):
            said = await conversation_for_model(run)
            return await read_too(run.understanding, said, model, today=run.today, meter=run.journal.usage)
    except TimeoutError:
        reason = f"it took longer than {within_s:g} s"
    except (BadInput, ModelError, StoreUnavailable) as error:
        reason = error.message
    _log.warning("a message is read without the model", reason=reason)
    return run.understanding


async def advice_on(
    message: str, before: Understanding | None, model: ChatModel, *, today: date, within_s: float
) -> Understanding | None:
    """Return what a message asks for that the rules make nothing of, after what was understood `before`.

    None where it asks for nothing.

    None as well where the model does not tell in time. What that uses is not counted: there is no task yet.
    """
    said = [{"role": "user", "content": message}]
    try:
        async with asyncio.timeout(within_s):
            return await read_alone(before, said, model, today=today, meter=UsageMeter())
    except TimeoutError:
        reason = f"it took longer than {within_s:g} s"
    except (BadInput, ModelError) as error:
        reason = error.message
    _log.warning("nobody could tell what a message asks for", reason=reason)
    return None


async def read_alone(
    before: Understanding | None, said: Sequence[Message], model: ChatModel, *, today: date, meter: UsageMeter
) -> Understanding | None:
    """Return what the last message asks for after what was understood `before`, None if nothing.

    The rules have no say in it. Raises `BadInput` and `ModelError`.
    """
    known = before or Understanding(relation="new")
    question = Question(messages=[_instructions(known, today=today), *said], tools=[UNDERSTAND])
    answer = await model.answer(question, meter=meter)
    read = corrected(replace(known, agents=(), booking=None), answer.calls, today=today)
    if not read.agents and read.booking is None:
        return None
    return replace(read, relation="refine" if before is not None else "new", carried=(), dropped=())


async def read_too(
    rules: Understanding, said: Sequence[Message], model: ChatModel, *, today: date, meter: UsageMeter
) -> Understanding:
    """Return what rules and model make of the last message. Raises `BadInput` and `ModelError`."""
    question = Question(messages=[_instructions(rules, today=today), *said], tools=[UNDERSTAND])
    answer = await model.answer(question, meter=meter)
    message = next((str(each["content"]) for each in reversed(said) if each["role"] == "user"), "")
    return read_by_both(rules, answer.calls, message=message, today=today)


def is_certain(understanding: Understanding) -> bool:
    """Return whether rules leave nothing to read: an act that names its offer or booking, and no more."""
    wish = understanding.booking
    if wish is None or understanding.refused or understanding.relation == "new":
        return False
    return wish.action == "list" or bool(wish.reference or wish.shown or wish.number or wish.pick)


def read_by_both(
    rules: Understanding, calls: Sequence[AskedCall], *, message: str, today: date
) -> Understanding:
    """Return what the rules' reading and a model's calls make of a message. Raises `BadInput`."""
    model = corrected(rules, calls, today=today)
    given: Mapping[str, Any] = next(
        call.arguments for call in calls if call.tool == UNDERSTAND.name and call.arguments is not None
    )
    said = [f"{agent}.{name}" for agent in SLOTS for name in given.get(agent, {})]
    unused = given.get("unused")
    # A model may put a wish in words of its own, or invent one: what is told is what the user wrote.
    quoted = [one for one in unused if one.casefold() in message.casefold()] if unused is not None else None
    return agreed(rules, model, said, unused=None if quoted is None else tuple(quoted))


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
        "all that the user has said of flight, hotel and rental car and not taken back. Leave out what "
        "nobody said, quote in `unused` what of the last message fits no field, and name no agent where "
        "nothing is asked for.\n"
        f"Read so far: {describe(understanding) or 'nothing'}; "
        f"{', '.join(f'{agent} {known.get(agent, {})}' for agent in SLOTS)}."
    )
    return {"role": "system", "content": text}
