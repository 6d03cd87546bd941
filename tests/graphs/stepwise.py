"""An agent that works in steps, to be steered: three calls of tools, one after the other, and a reply.

A call takes `STEPWISE_PACE_S` seconds, where that is set; else it is held until a test calls `let`. The reply
says what was asked, and what was added to it.
"""

import asyncio
import os

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool

from tests.graphs.scripted_chat import ScriptedChat, calling, check

PACE_S = float(os.environ.get("STEPWISE_PACE_S", "0"))
STEPS = ("search_venues", "compare_prices", "check_dates")


class Gate:
    """Holds calls until they are released, in the order in which they came."""

    def __init__(self) -> None:
        self.held: list[asyncio.Event] = []

    async def hold(self) -> None:
        go = asyncio.Event()
        self.held.append(go)
        try:
            await go.wait()
        finally:
            if go in self.held:
                self.held.remove(go)

    async def let(self) -> None:
        """Let the call go that is held, once one is."""
        while not self.held:  # noqa: ASYNC110 - the call comes from the page, by a server
            await asyncio.sleep(0.005)
        self.held.pop(0).set()


GATE = Gate()


async def _take_time() -> None:
    if PACE_S:
        await asyncio.sleep(PACE_S)
    else:
        await GATE.hold()


@tool
async def search_venues(city: str) -> str:
    """Find venues."""
    await _take_time()
    return f"12 venues in {city}"


@tool
async def compare_prices(venues: int) -> str:
    """Compare prices."""
    await _take_time()
    return f"{venues} prices compared, from 80 euros"


@tool
async def check_dates(days: str) -> str:
    """Check dates."""
    await _take_time()
    return f"4 are free in {days}"


ARGUMENTS = ({"city": "Lisbon"}, {"venues": 12}, {"days": "June"})


class Model(ScriptedChat):
    """Calls the next tool, until all have been called since the last message that begins with "Plan"."""

    def _next(self, messages: list[BaseMessage]) -> AIMessage:
        check(messages)
        people = [(n, each.text) for n, each in enumerate(messages) if isinstance(each, HumanMessage)]
        begun = max((n for n, text in people if text.startswith("Plan")), default=people[-1][0])
        asked, *added = [text for n, text in people if n >= begun]
        done = [each for each in messages[begun:] if isinstance(each, ToolMessage)]
        if asked.startswith("Plan") and len(done) < len(STEPS):
            step = len(done)
            text = "Let me look for venues first." if step == 0 else ""
            return calling(STEPS[step], f"call-{len(messages)}", text, **ARGUMENTS[step])
        with_added = "".join(f"\n- {each}" for each in added)
        return AIMessage(f"Done: *{asked}*.{' You added:' if added else ''}\n{with_added}")


graph = create_agent(Model(pause_s=PACE_S / 200), [search_venues, compare_prices, check_dates])
