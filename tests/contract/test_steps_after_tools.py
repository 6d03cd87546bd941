"""Steps whose threads change hands: with a tool, with each other, with a node that swallows its end."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from langchain_core.tools import tool
from langgraph.graph import MessagesState
from structlog.testing import capture_logs

from backend.tasks.ledger import observed as steps
from backend.tasks.ledger.observed import STEP_ENDED, STEP_FAILED, STEP_RUNS_ON
from tests.contract.test_followed_models import pipeline
from tests.contract.test_followed_tools import lines, serving, until
from tests.contract.test_steps_that_run_on import NO_MORE, Door, blocking_booking, interrupted

pytestmark = pytest.mark.requirement("STEPS-THAT-RUN-ON")

STEP_HAS_FAILED = "a step that outlived its run has failed"


@pytest.fixture
def door() -> Door:
    return Door()


def after_its_tool(hotel: Door, door: Door) -> Any:
    """Return a graph whose plain node blocks in a tool, and then again by itself."""
    book_hotel = tool(description="Book.")(blocking_booking(hotel))

    def book(_state: MessagesState) -> dict[str, Any]:
        book_hotel.invoke({"city": "Rome"})
        door.wait()
        return NO_MORE

    return pipeline(book=book).compile()


async def test_a_plain_node_that_runs_on_after_its_tool_has_outlived_the_task_is_told(door: Door) -> None:
    hotel = Door()
    async with serving(after_its_tool(hotel, door)) as parts:
        task_id = await interrupted(parts, hotel)
        assert [name for name, _, _ in await lines(parts, task_id)] == ["book_hotel"]
        hotel.may_end.set()
        await until(lambda: [each["name"] for each in parts.runner.still_running("ann")] == ["book"])
        await until(door.begun.is_set)
        await parts.quiet()
        outcomes = {name: (outcome, summary) for name, outcome, summary in await lines(parts, task_id)}
        assert outcomes["book"] == ("unknown", STEP_RUNS_ON)
        assert outcomes["book_hotel"][0] == "completed_after_interrupt"
        assert ("system", f"Still running: book, {STEP_RUNS_ON}.") in await parts.history()
        [*_, call] = await parts.store.unsettled_tool_calls("ann")
        assert (call.tool, call.is_step) == ("book", True)
        door.may_end.set()
        await until(lambda: parts.ledger.standing()["outliving"] == 0)
        await parts.quiet()
        assert (await lines(parts, task_id))[-1] == ("book", "completed_after_interrupt", STEP_ENDED)
        assert (await parts.history())[-1] == ("system", f"No longer running: book, {STEP_ENDED}.")


async def test_a_step_that_comes_back_from_its_tool_after_its_user_was_deleted_is_not_told(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "TOLD_AFTER_S", 0)
    hotel, looked = Door(), iter(range(100))
    async with serving(after_its_tool(hotel, door)) as parts:
        await interrupted(parts, hotel)
        await parts.runner.delete_user("ann")
        hotel.may_end.set()
        await until(door.begun.is_set)
        await until(lambda: next(looked) == 99)
        await parts.quiet()
        assert parts.runner.still_running("ann") == []
        assert parts.ledger.standing()["outliving"] == 0
        door.may_end.set()
        await until(door.ended.is_set)
        await parts.quiet()
        assert await parts.history() == []


async def test_an_async_node_that_swallows_its_cancellation_hides_no_thread(door: Door) -> None:
    async def book(_state: MessagesState) -> dict[str, Any]:
        with suppress(asyncio.CancelledError):
            await asyncio.to_thread(door.wait)
        return NO_MORE

    async with serving(pipeline(book=book).compile()) as parts:
        task_id = await interrupted(parts, door)
        assert await lines(parts, task_id) == [("book", "unknown", STEP_RUNS_ON)]
        door.may_end.set()
        await until(lambda: parts.ledger.standing()["outliving"] == 0)
        await parts.quiet()
        assert await lines(parts, task_id) == [("book", "completed_after_interrupt", STEP_ENDED)]


async def test_of_several_threads_of_a_step_an_error_is_told_whichever_ends_last(door: Door) -> None:
    failing = Door()

    def fail() -> None:
        failing.wait()
        raise ValueError("the words of the error are in the log alone")

    async def book(_state: MessagesState) -> dict[str, Any]:
        async with asyncio.TaskGroup() as both:
            both.create_task(asyncio.to_thread(fail))
            both.create_task(asyncio.to_thread(door.wait))
        return NO_MORE

    async with serving(pipeline(book=book).compile()) as parts:
        with capture_logs() as logs:
            task_id = await parts.post("Book it")
            await until(lambda: door.begun.is_set() and failing.begun.is_set())
            await parts.runner.stop("ann", task_id)
            failing.may_end.set()
            await until(lambda: any(each["event"] == STEP_HAS_FAILED for each in logs))
            assert parts.ledger.standing()["outliving"] == 1
            door.may_end.set()
            await until(lambda: parts.ledger.standing()["outliving"] == 0)
            await parts.quiet()
        assert await lines(parts, task_id) == [("book", "failed", STEP_FAILED)]
        assert [each["event"] for each in logs].count(STEP_HAS_FAILED) == 1
