"""What the ledger does with the calls of a task that is interrupted: it depends on what they change."""

import asyncio
from typing import Any

import pytest

from backend.task_owner import TaskOwner
from backend.tools.base import ToolResult
from tests.agents.sources import Provider, Travel
from tests.fakes import Gate

pytestmark = pytest.mark.virtual_time


class Tool:
    """A tool that waits at its gate, then says how it ended."""

    name = "tool"
    fresh_s = 0.0

    def __init__(self, effect: str, ending: Any = "done") -> None:
        self.effect = effect
        self.ending = ending
        self.gate = Gate()

    async def run(self, _arguments: None, _report: object) -> Any:
        await self.gate.wait()
        return ToolResult(self.ending)


async def interrupted(effect: str):
    """Interrupt a task while a call of that effect is under way; its tool, context and ledger."""
    travel, tool = Travel(Provider([])), Tool(effect)
    context = travel.context("flights from Berlin to Rome tomorrow")
    call = TaskOwner().spawn(travel.ledger.call(context, "flight", tool, None), name="call")
    await tool.gate.arrived(1)
    context.request_interruption("stopped")
    travel.ledger.interrupt(context)
    call.cancel()
    await asyncio.wait({call})
    return tool, context, travel.ledger


@pytest.mark.parametrize("effect", ["none", "read"])
async def test_what_changes_nothing_outside_is_cancelled_at_once(effect):
    _, context, ledger = await interrupted(effect)
    assert [call.outcome for call in await ledger.settle(context, patience_s=1)] == ["cancelled"]


async def test_what_changes_something_outside_finishes_once_it_has_begun():
    tool, context, ledger = await interrupted("write")
    tool.gate.open()
    assert [call.outcome for call in await ledger.settle(context, patience_s=1)] == [
        "completed_after_interrupt"
    ]


@pytest.mark.parametrize("ending", ["\ud83d", 7])
async def test_a_summary_that_cannot_be_told_fails_the_call_with_one_that_can(ending):
    travel, tool = Travel(Provider([])), Tool("read", ending)
    tool.gate.open()
    call = await travel.ledger.call(travel.context("hello"), "flight", tool, None)
    assert (call.outcome, call.summary) == ("failed", "it failed for a reason of its own")


async def test_a_call_after_the_interruption_never_starts():
    travel, tool = Travel(Provider([])), Tool("write")
    context = travel.context("flights from Berlin to Rome tomorrow")
    context.request_interruption("stopped")
    assert (await travel.ledger.call(context, "flight", tool, None)).outcome == "not_started"
    assert tool.gate.arrivals == 0
