"""Agents whose prompt is made by a node before their model have what steers in that prompt.

In real time, since these agents choose their next node in a thread.
"""

import asyncio
from typing import Any

import pytest
from langchain_core.tools import tool
from langgraph.prebuilt import create_react_agent

from tests.contract.serving import hosting
from tests.contract.test_steering import CARD, asked, chat_of, fates, steer
from tests.contract.test_steering_within import within
from tests.graphs.scripted_chat import calling
from tests.interruption.parts import Parts, started

pytestmark = [
    pytest.mark.requirement("STEERED-ONCE"),
    pytest.mark.filterwarnings("ignore::langgraph.warnings.LangGraphDeprecatedSinceV10"),
]


@pytest.mark.parametrize("is_within", [False, True], ids=["alone", "within"])
async def test_prompt_that_a_hook_makes_has_it(is_within):
    chat = chat_of(calling("look"), "Booked.")
    has_begun, has_steered = asyncio.Event(), asyncio.Event()

    @tool
    async def look() -> str:
        """Look."""
        has_begun.set()
        await has_steered.wait()
        return "seen"

    async def trim(state: Any) -> Any:
        return {"llm_input_messages": state["messages"][-9:]}

    agent: Any = create_react_agent(chat, [look], pre_model_hook=trim)
    async with started(Parts(workflow=hosting(within(agent) if is_within else agent))) as parts:
        await parts.post("book it")
        await has_begun.wait()
        await steer(parts)
        has_steered.set()
        await parts.quiet()
        assert [each[1] for each in await fates(parts)] == ["pending", "taken_in"]
        assert asked(chat)[1][-1] == ("human", CARD)
