"""Lets a model search further than the rules did, where nothing fits or several searches are needed.

It has the agent's search as a tool, and can only add: what the rules have found is there already. Arguments
are checked by their schema, then read into the very values that the rules would search for, so that a
model's search and the rules' are the same call where they mean the same. What does not fit is refused with a
sentence, which goes back to the model; nothing is executed.

The loop has no state of its own: its position is derived from the task's trace and the ledger, so it resumes
where it was after a restart. A step is stored before its calls are made.
"""

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, time
from typing import Any

import structlog

from ....domain.errors import BadInput, ModelError, StoreUnavailable
from ....domain.model_usage import ModelStep, RequestedCall
from ....domain.questions import Question as Form
from ....domain.tool_call import call_key
from ....tasks.input_schema import checked
from ....tasks.ledger.base import Tool
from ...models.base import AskedCall, LimitedModel, Question, ToolSpec
from ...understanding.english.slot_words import WORDS
from ...understanding.english.wording import why_no_flight
from ...understanding.queries import QUERIES, Query
from ...understanding.result import Agent, Place, Reason, Understanding
from ...understanding.slot_table import ROWS, SLOTS, Slot, given_by
from ..questions import schema_of, value_of
from ..state import TravelRun
from .conversation import in_lines, messages_of, state_in_lines

MOST_ROUNDS = 2
"""Answers of the model in one task of an agent."""

MOST_CALLS = 8
"""Tool calls made for one answer; more are refused."""

WITHIN_S = 8.0
"""Seconds for all answers and calls."""

_NEEDS_MORE: frozenset[Reason] = frozenset(
    {"one_city_at_a_time", "too_many_cities", "other_days", "not_compared"}
)
"""What a message asks for beyond the one search that the rules make."""

_LONGEST_TEXT = 80
_IN_WORDS: Mapping[type, str] = {date: "YYYY-MM-DD", time: "HH:MM", Place: "a city, or an airport's code"}
_INSTRUCTIONS = (
    "You search for a travel assistant whose first search is done. Where nothing fits, or where the user's "
    "last message asks for several places or days, search for what comes nearest, with the tool and nothing "
    "that the user would not want. Then stop."
)

_log = structlog.get_logger(__name__)


def needs_more(agent: Agent, run: TravelRun) -> bool:
    """Return whether the rules' search of an agent was not all that its message asks for."""
    is_asked = any(one.reason in _NEEDS_MORE for one in run.understanding.refused)
    is_asked = is_asked or any(one.is_choice for one in run.understanding.alternatives)  # "Paris or Rome"
    return is_asked or not run.context.found.count(agent)


async def search_further(agent: Agent, run: TravelRun, model: LimitedModel) -> None:
    """Let a model search as an agent. Where it fails, what it had found stands.

    When cancelled, its stream is closed and its calls are the ledger's to end.
    """
    tool = run.search_tools[agent]
    try:
        async with asyncio.timeout(WITHIN_S):
            while not run.context.stopped(agent):
                steps = [step for step in run.journal.steps if step.agent == agent]
                if steps:
                    await _make_calls(run, steps[-1], tool, agent)
                if len(steps) == MOST_ROUNDS or (steps and not steps[-1].calls):
                    return
                lines = [*state_in_lines(run.understanding, today=run.today), *_found(agent, run)]
                question = Question(
                    messages=await messages_of(run, _INSTRUCTIONS, lines, agent=agent),
                    tools=[spec_of(agent, tool)],
                    within_s=WITHIN_S,
                )
                answer = await model.answer(question, meter=run.journal.usage)
                position = f"c{run.journal.turn}-{len(run.journal.steps)}"
                calls = [
                    _requested(f"{position}-{index}", asked, index, run, tool, agent)
                    for index, asked in enumerate(answer.calls)
                ]
                run.journal.keep(agent, answer.text, calls, answer.usage)
    except (ModelError, StoreUnavailable) as error:
        _log.warning("a model searches no further", agent=agent, reason=error.message)
    except TimeoutError:
        model.failed()
        _log.warning("a model searches no further", agent=agent, reason="it took too long")


def _found(agent: Agent, run: TravelRun) -> list[str]:
    lines = in_lines(run.context.found.to_json().get(agent, ()), run.understanding)
    return ["Found so far:", *lines] if lines else ["Found so far: nothing"]


def field_of(slot: Slot) -> dict[str, Any]:
    """Return a slot's value as a field of JSON Schema that a model can use."""
    schema = schema_of(slot)
    if "minLength" in schema:
        schema["maxLength"] = _LONGEST_TEXT
    described = WORDS[slot.name].for_models or _IN_WORDS.get(slot.type, "")
    return {**schema, "description": described} if described else schema


def spec_of(agent: Agent, tool: Tool[Any]) -> ToolSpec:
    """Return the search of an agent as a model is told of it."""
    rows = given_by(agent)
    parameters = {
        "type": "object",
        "properties": {slot.field: field_of(slot) for slot in rows if slot.is_for_sources},
        "required": [slot.field for slot in rows if slot.is_asked],
        "additionalProperties": False,
    }
    return ToolSpec(tool.name, f"Searches {agent}s; prices are for all of it.", parameters)


def query_in(agent: Agent, tool: Tool[Any], asked: AskedCall, *, today: date) -> Query:
    """Return what a model asks an agent's search for. Raises `BadInput` with why that is not searched for."""
    if asked.tool != tool.name:
        raise BadInput(f"there is no tool {asked.tool[:40]!r} here.")
    if asked.arguments is None:
        raise BadInput("arguments: they are no JSON object.")
    given = checked(Form(agent="model", prompt="", schema=spec_of(agent, tool).parameters), asked.arguments)
    try:
        values = {name: value_of(ROWS[f"{agent}.{name}"], each, today)[0] for name, each in given.items()}
    except ValueError as fault:
        raise BadInput(f"{fault}.") from fault
    slots: Any = SLOTS[agent](**values)
    if slots.told_last_day is not None and slots.told_last_day < _first_day(agent, slots):
        raise BadInput("the last day is before the first.")
    wanted: dict[str, Any] = {agent: slots}
    query = QUERIES[agent](Understanding(relation="new", agents=(agent,), **wanted))
    if query is None:
        reason = why_no_flight(slots) if agent == "flight" else ""
        raise BadInput(reason or "there is nothing of the kind.")
    return query


def _first_day(agent: Agent, slots: Any) -> date:
    [first] = [slot.field for slot in given_by(agent) if slot.link == "first_day"]
    return getattr(slots, first)


def _requested(
    call_id: str, asked: AskedCall, index: int, run: TravelRun, tool: Tool[Any], agent: Agent
) -> RequestedCall:
    """Return a call for the trace: with the ledger's key, or with the reason of its refusal."""
    call = RequestedCall(call_id=call_id, tool=tool.name, arguments=asked.arguments or {})
    if asked.tool != tool.name:
        call = replace(call, tool="unknown_tool")
    if index >= MOST_CALLS:
        return replace(call, refused=f"at most {MOST_CALLS} calls can be made at once.")
    try:
        return replace(call, key=call_key(tool.name, query_in(agent, tool, asked, today=run.today)))
    except BadInput as refusal:
        return replace(call, refused=refusal.message)


async def _make_calls(run: TravelRun, step: ModelStep, tool: Tool[Any], agent: Agent) -> None:
    """Make the calls of a step that were not made before, concurrently."""
    made = {call.key for call in run.tools.calls if call.outcome is not None}
    wanted = {each.key: each for each in step.calls if not each.refused and each.key not in made}
    queries: list[Query] = []
    for each in wanted.values():
        with contextlib.suppress(BadInput):  # a day may have passed in a restart
            queries.append(query_in(agent, tool, AskedCall(each.tool, each.arguments), today=run.today))
    async with asyncio.TaskGroup() as group:
        for query in queries:
            group.create_task(run.tools.read(step.agent, tool, query))
