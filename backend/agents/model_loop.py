"""An agent that a model drives: it asks for tools, the ledger runs them, and it is told what became of them.

The loop keeps nothing of its own: where it stands is what the task's trace and the ledger say. So it goes on
where it was after a permission or a restart, and an interruption finds nothing in it that would be lost. A
step is stored before its calls are made; reads are made side by side.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import structlog

from backend.agents.model_memory import RULES, what_is_told
from backend.agents.model_tools import ModelTool
from backend.agents.state import TravelRun
from backend.domain.model_step import ModelStep, RequestedCall
from backend.domain.tool_call import call_key
from backend.errors import BadInput, ModelError, StoreUnavailable
from backend.models.base import AskedCall, ChatModel, ModelAnswer, Question
from backend.understanding.wording import describe, in_words

MOST_ROUNDS = 6
"""Answers of the model in one task of an agent; what it has found by then is what is told."""

MOST_CALLS = 8
"""Tool calls that are made of one answer; any more are refused."""

_log = structlog.get_logger(__name__)


async def let_model_work(agent: str, run: TravelRun, model: ChatModel, tools: Sequence[ModelTool]) -> None:
    """Let a model work on the request as an agent, until it asks for no more calls.

    Where it fails, what it had done stands, and the rules go on. When cancelled, its stream is closed and its
    calls are the ledger's to end.
    """
    by_name = {each.spec.name: each for each in tools}
    try:
        while len(steps := _steps_of(agent, run)) < MOST_ROUNDS:
            if steps:
                await _make_calls(run, steps[-1], by_name)
                if not steps[-1].calls:
                    return
            messages = [_instructions(agent, run), *await what_is_told(run.task, agent=agent)]
            question = Question(messages=messages, tools=[each.spec for each in tools])
            answer = await model.answer(question, meter=run.task.trace.usage)
            _keep(agent, run, answer, by_name)
        await _make_calls(run, _steps_of(agent, run)[-1], by_name)
    except (ModelError, StoreUnavailable) as error:
        _log.warning("an agent goes on without its model", agent=agent, reason=error.message)


def _steps_of(agent: str, run: TravelRun) -> list[ModelStep]:
    return [step for step in run.task.trace.steps if step.agent == agent]


def _instructions(agent: str, run: TravelRun) -> dict[str, str]:
    wanted = describe(run.understanding)
    text = (
        f"You are the {agent} agent of a travel assistant. Today is {in_words(run.today)}. "
        f"The user wants: {wanted}. Search exactly that first; search for something else only where that "
        "finds nothing, or where the user asks for it. Do nothing that the user has not asked for. "
        f"When you are done, say so in one short sentence. {RULES}"
    )
    return {"role": "system", "content": text}


def _keep(agent: str, run: TravelRun, answer: ModelAnswer, tools: dict[str, ModelTool]) -> None:
    task, trace = run.task.task, run.task.trace
    position = len(trace.steps)
    said_in = task.spoken_turn or task.turn
    calls = tuple(
        _requested(f"c{task.turn}-{position}-{index}", asked, index, run, tools)
        for index, asked in enumerate(answer.calls)
    )
    step = ModelStep(
        user_id=task.user_id,
        task_id=task.task_id,
        turn=task.turn,
        said_in=said_in,
        position=position,
        agent=agent,
        text=answer.text,
        calls=calls,
        usage=answer.usage,
        at=run.task.now(),
    )
    trace.steps.append(step)
    run.task.tell(step)


def _requested(
    call_id: str, asked: AskedCall, index: int, run: TravelRun, tools: dict[str, ModelTool]
) -> RequestedCall:
    """Return a call as it is kept: with the ledger's key, or with why it is refused."""
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
    """Make the calls of a step that were not made before."""
    made = {call.key for call in run.task.tool_calls.values() if call.outcome is not None}
    wanted = {each.key: each for each in step.calls if not each.refused and each.key not in made}
    async with asyncio.TaskGroup() as group:
        for each in wanted.values():
            tool = tools[each.tool]
            arguments = tool.arguments(AskedCall(each.tool, each.arguments), today=run.today)
            group.create_task(run.ledger.call(run.task, step.agent, tool.tool, arguments))
