"""Runs an agent that a model drives: the model asks for tools, and gets the results of the ledger's calls.

The loop has no state of its own: its position is derived from the task's trace and the ledger. So it resumes
where it was after a permission or a restart, and an interruption loses nothing. A step is stored before its
calls are made; reads are made concurrently.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import structlog

from ...domain.errors import BadInput, ModelError, StoreUnavailable
from ...domain.model_usage import ModelStep, RequestedCall
from ...domain.tool_call import call_key
from ...tasks.ledger.base import Tool, WriteTool
from ..models.base import AskedCall, ChatModel, ModelAnswer, Question
from ..understanding.english.wording import describe, in_words
from .model_memory import RULES, conversation_for_model
from .model_tools import ModelTool
from .state import TravelRun

MOST_ROUNDS = 6
"""Answers of the model in one task of an agent; after these, the reply has what was found until then."""

MOST_CALLS = 8
"""Tool calls made for one answer; more are refused."""

_log = structlog.get_logger(__name__)


async def let_model_work(
    agent: str, run: TravelRun, model: ChatModel, tools: Sequence[ModelTool], *, task: str = ""
) -> None:
    """Let a model work on the request as an agent, until it asks for no more calls; `task` says more of it.

    Where it fails, what it had done stands, and the rules go on. A write asks its user, which ends the run of
    the node. When cancelled, its stream is closed and its calls are the ledger's to end.
    """
    by_name = {each.spec.name: each for each in tools}
    try:
        while len(steps := _steps_of(agent, run)) < MOST_ROUNDS and not run.context.stopped(agent):
            if steps:
                await _make_calls(run, steps[-1], by_name)
                if not steps[-1].calls:
                    return
            messages = [_instructions(agent, run, task), *await conversation_for_model(run, agent=agent)]
            question = Question(messages=messages, tools=[each.spec for each in tools])
            answer = await model.answer(question, meter=run.journal.usage)
            _keep(agent, run, answer, by_name)
        if not run.context.stopped(agent):
            await _make_calls(run, _steps_of(agent, run)[-1], by_name)
    except (ModelError, StoreUnavailable) as error:
        _log.warning("an agent continues without its model", agent=agent, reason=error.message)


def _steps_of(agent: str, run: TravelRun) -> list[ModelStep]:
    return [step for step in run.journal.steps if step.agent == agent]


def _instructions(agent: str, run: TravelRun, task: str) -> dict[str, str]:
    wanted = describe(run.understanding)
    how = task or (
        "Search exactly that first; search for something else only where that finds nothing, or where the "
        "user asks for it."
    )
    text = (
        f"You are the {agent} agent of a travel assistant. Today is {in_words(run.today)}. "
        f"The user wants: {wanted}. {how} Do nothing that the user has not asked for. "
        f"When you are done, say so in one short sentence. {RULES}"
    )
    return {"role": "system", "content": text}


def _keep(agent: str, run: TravelRun, answer: ModelAnswer, tools: dict[str, ModelTool]) -> None:
    position = len(run.journal.steps)
    calls = tuple(
        _requested(f"c{run.journal.turn}-{position}-{index}", asked, index, run, tools)
        for index, asked in enumerate(answer.calls)
    )
    run.journal.keep(agent, answer.text, calls, answer.usage)


def _requested(
    call_id: str, asked: AskedCall, index: int, run: TravelRun, tools: dict[str, ModelTool]
) -> RequestedCall:
    """Return a call for the trace: with the ledger's key, or with the reason of its refusal."""
    given = asked.arguments or {}
    tool = tools.get(asked.tool)
    if tool is None:
        refused = f"there is no tool {asked.tool[:40]!r} here."
        return RequestedCall(call_id=call_id, tool="unknown_tool", arguments=given, refused=refused)
    asked_for = RequestedCall(call_id=call_id, tool=asked.tool, arguments=given)
    if index >= MOST_CALLS:
        return replace(asked_for, refused=f"at most {MOST_CALLS} calls can be made at once.")
    try:
        return replace(asked_for, key=call_key(tool.tool.name, tool.arguments(asked, today=run.today)))
    except BadInput as refusal:
        return replace(asked_for, refused=refusal.message)


async def _make_calls(run: TravelRun, step: ModelStep, tools: dict[str, ModelTool]) -> None:
    """Make the calls of a step that were not made before; of writes, those that the user allows."""
    made = {call.key for call in run.tools.calls if call.outcome is not None}
    wanted = {each.key: each for each in step.calls if not each.refused}
    given: list[tuple[Tool[Any], Any]] = []
    for each in wanted.values():
        tool = tools[each.tool]
        if tool.tool.effect == "write" or each.key not in made:
            with contextlib.suppress(BadInput):  # what it was about may be gone after a crash
                asked = AskedCall(each.tool, each.arguments)
                given.append((tool.tool, tool.arguments(asked, today=run.today)))
    if any(tool is run.bookings.list_bookings for tool, _ in given):
        await run.tools.writes_at_rest(step.agent)
    async with asyncio.TaskGroup() as group:
        for read, arguments in given:
            if read.effect != "write":
                group.create_task(run.tools.read(step.agent, read, arguments))
    for write, arguments in given:
        if write.effect == "write":
            write_tool = cast("WriteTool[Any]", write)
            await run.tools.write(step.agent, write_tool, arguments)
