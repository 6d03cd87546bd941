"""Tools and models that break off by themselves: their task is told truly, the next conversation is valid."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AIMessageChunk, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import tool

from tests.contract.test_threads import serving
from tests.contract.test_valid_histories import faults
from tests.graphs.scripted_chat import ScriptedChat, calling

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("MODEL-HISTORY-IS-VALID")]


@tool
async def book(city: str) -> str:
    """Book."""
    return f"{city} is booked"


@tool
async def give_up(city: str) -> str:
    """Give up."""
    raise asyncio.CancelledError(city)


class BreakingOff(ScriptedChat):
    """Breaks off in the middle of the first tool call that it asks for, with an error or without."""

    breaks: bool = True
    error: Exception | None = None

    async def _astream(self, messages: Any, *_: Any, **options: Any) -> AsyncIterator[ChatGenerationChunk]:
        if not self.breaks:
            async for chunk in super()._astream(messages):
                yield chunk
            return
        self.breaks = False
        yield ChatGenerationChunk(message=AIMessageChunk("I will "))
        part: Any = {"name": "book", "args": "city=Ro", "id": "c1", "index": 0}
        yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[part]))
        if self.error is not None:
            raise self.error


async def test_a_tool_that_cancels_itself_ends_its_task_and_is_told_to_the_model() -> None:
    model = ScriptedChat(script=[calling("give_up", call_id="call_0", city="Rome"), "Fine."])
    async with serving(create_agent(model, [give_up])) as parts:
        task = await parts.post("Book")
        await parts.settled(task)
        assert (await parts.task(task)).status != "completed"
        await parts.settled(await parts.post("And?"))
        assert (await parts.history())[-1] == ("assistant", "Fine.")
    assert faults(model.given[-1]) == []
    [result] = [each for each in model.given[-1] if isinstance(each, ToolMessage)]
    assert (result.status, result.text.partition(".")[0]) == ("error", "Cancelled before it was done")


async def test_an_answer_that_breaks_off_in_a_tool_call_leaves_what_was_said_and_no_call() -> None:
    model = BreakingOff(script=["Fine."], error=ConnectionError("the line is cut"))
    async with serving(create_agent(model, [book])) as parts:
        task = await parts.post("Book")
        await parts.settled(task)
        assert (await parts.task(task)).status == "failed"
        await parts.settled(await parts.post("And?"))
        assert (await parts.history())[-1] == ("assistant", "Fine.")
    assert faults(model.given[-1]) == []
    assert not any(isinstance(each, AIMessage) and each.tool_calls for each in model.given[-1])


async def test_a_call_with_arguments_that_are_no_json_has_a_result_in_the_next_turn() -> None:
    model = BreakingOff(script=["Fine."])
    async with serving(create_agent(model, [book])) as parts:
        await parts.settled(await parts.post("Book"))
        await parts.settled(await parts.post("And?"))
        assert (await parts.history())[-1] == ("assistant", "Fine.")
    assert faults(model.given[-1]) == []
    [result] = [each for each in model.given[-1] if isinstance(each, ToolMessage)]
    assert (result.tool_call_id, result.status) == ("c1", "error")
