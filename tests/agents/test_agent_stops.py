"""One agent of the travel graph is stopped: the others continue, and the reply says what was kept."""

import asyncio
import re

import pytest

from backend.domain.errors import BadInput, NotFound
from backend.domain.task import TaskStatus
from backend.travel.agents.booking import STOPPED
from backend.travel.agents.writes import NO_BOOKINGS
from tests.agents.ann import Ann, opened
from tests.agents.booking_guest import FLIGHTS
from tests.agents.sources import Source, a_flight, a_hotel
from tests.fakes.waiting import until

BOTH = "flights from Berlin to Tokyo on 10 December and a hotel there for 3 nights"


@pytest.fixture
async def ann():
    """Ann, whose hotel sources hang after two hotels."""
    flights = Source("one", [a_flight("590.00"), a_flight("610.00")], [a_flight("555.00")])
    hotels = Source("chains", [a_hotel("120.00"), a_hotel("99.00")], then="hang")
    async with opened(Ann(flights, hotels)) as ann:
        yield ann


async def stop(ann, agent, **more):
    stopped = await ann.parts.runner.stop_agent("ann", agent, **more)
    assert stopped is not None
    return stopped


@pytest.mark.virtual_time
@pytest.mark.requirement("AGENTS-STOP-ALONE")
class TestSearches:
    async def test_results_of_a_stopped_agent_are_kept_and_the_other_continues(self, ann):
        task_id = await ann.say(BOTH, then_wait_s=1.5)
        stopped = await stop(ann, "hotel")
        detail = "stopped by the user: 2 hotels from 0 of 1 sources"
        assert stopped.items() >= {"task_id": task_id, "agent": "hotel", "state": "interrupted"}.items()
        assert stopped.items() >= {"detail": detail, "done": 0, "total": 1, "count": 2}.items()
        [call] = stopped["tool_calls"]
        assert (call["tool"], call["outcome"], call["summary"]) == ("search_hotels", "cancelled", detail)
        assert (await ann.parts.task(task_id)).status is TaskStatus.RUNNING
        await ann.parts.settled(task_id)
        assert (await ann.parts.task(task_id)).status is TaskStatus.COMPLETED
        assert {name: now.state for name, now in (await ann.parts.agents(task_id)).items()} == {
            "flight": "done",
            "hotel": "interrupted",
        }
        assert (await ann.parts.receipt(task_id))["partial_results"] == {"flight": 3, "hotel": 2}
        assert re.search(
            r"I found 3 flights [^:]+: cheapest Aurora Demo, 08:30-08:30, €555.00\.", await ann.reply()
        )
        assert "You stopped the hotel search: 2 hotels had arrived by then and are kept." in await ann.reply()

    async def test_agent_that_had_found_nothing_is_reported_so(self, ann):
        task_id = await ann.say(BOTH, then_wait_s=0.5)
        await stop(ann, "hotel")
        await ann.parts.settled(task_id)
        assert "You stopped the hotel search: nothing had arrived by then." in await ann.reply()

    async def test_stop_that_comes_twice_or_too_late_changes_nothing(self, ann):
        task_id = await ann.say(BOTH, then_wait_s=1.5)
        stopped = await stop(ann, "hotel")
        assert await stop(ann, "hotel") == stopped
        await ann.parts.settled(task_id)
        events = len(await ann.parts.events())
        assert await stop(ann, "hotel") == stopped
        assert (await stop(ann, "flight", task_id=task_id))["state"] == "done"
        assert len(await ann.parts.events()) == events

    async def test_all_agents_may_be_stopped_one_by_one(self, ann):
        task_id = await ann.say(BOTH, then_wait_s=1.5)
        await stop(ann, "hotel")
        await stop(ann, "flight")
        await ann.parts.settled(task_id)
        assert (await ann.parts.task(task_id)).status is TaskStatus.COMPLETED
        assert "You stopped the flight search: 2 flights had arrived by then" in await ann.reply()

    async def test_search_that_was_cut_short_is_never_adopted(self, ann):
        first = await ann.say(BOTH, then_wait_s=1.5)
        stopped = await stop(ann, "hotel")
        second = await ann.say(BOTH, then_wait_s=1.5)
        made = (await stop(ann, "hotel", task_id=second))["tool_calls"]
        assert stopped["tool_calls"][0]["call_id"] not in {call["call_id"] for call in made}
        receipt = await ann.parts.receipt(first)
        assert {call["tool"]: call["outcome"] for call in receipt["tool_calls"]} == {
            "search_flights": "adopted",
            "search_hotels": "cancelled",
        }
        await ann.parts.settled(second)

    async def test_stop_of_unknown_agent_or_task_is_refused(self, ann):
        with pytest.raises(NotFound):
            await stop(ann, "hotel")
        task_id = await ann.say(BOTH, then_wait_s=0.5)
        with pytest.raises(
            BadInput, match="agent: the task has no agent 'pool'; its agents are flight, hotel"
        ):
            await stop(ann, "pool")
        with pytest.raises(NotFound):
            await stop(ann, "hotel", task_id="nobody's")
        await stop(ann, "hotel")
        await ann.parts.settled(task_id)
        with pytest.raises(BadInput, match="agent: "):
            await stop(ann, "pool")


@pytest.mark.virtual_time
@pytest.mark.requirement("AGENTS-STOP-ALONE")
class TestQuestions:
    async def test_question_of_a_stopped_agent_is_withdrawn_and_the_task_continues(self, ann):
        task_id = await ann.say(
            "a flight to Tokyo on 10 December and a hotel there for 3 nights", then_wait_s=1.5
        )
        await stop(ann, "hotel")
        await asyncio.sleep(1)
        assert (await ann.parts.task(task_id)).status is TaskStatus.INPUT_REQUIRED
        stopped = await stop(ann, "flight")
        assert (stopped["state"], stopped["detail"]) == ("interrupted", "stopped by the user")
        await ann.parts.settled(task_id)
        assert (await ann.parts.task(task_id)).status is TaskStatus.COMPLETED
        assert [each["outcome"] for each in await ann.events("input_resolved")] == ["withdrawn"]
        reply = await ann.reply()
        assert "You stopped the flight search: nothing had arrived by then." in reply
        assert "You stopped the hotel search: 2 hotels had arrived by then and are kept." in reply

    async def test_agent_that_waited_for_the_withdrawn_answer_asks_itself(self, ann):
        task_id = await ann.say("find me a flight and a hotel", then_wait_s=1)
        await stop(ann, "flight")
        await asyncio.sleep(1)
        assert [question["agent"] for question in await ann.questions()] == ["hotel"]
        await stop(ann, "hotel")
        await ann.parts.settled(task_id)
        assert (await ann.parts.task(task_id)).status is TaskStatus.COMPLETED


@pytest.mark.requirement("AGENTS-STOP-ALONE")
class TestBookings:
    async def test_permission_of_a_stopped_agent_is_withdrawn(self, house):
        await house.say("ann", FLIGHTS)
        await house.say("ann", "book the cheapest flight")
        status = await house.status("ann")
        stopped = await house.call("POST", "/stop/ann", json={"agent": "booking"})
        assert stopped.status_code == 200
        assert [(call["tool"], call["outcome"]) for call in stopped.json()["tool_calls"]] == [
            ("book_flight", "not_started")
        ]
        ended = await house.until_ended("ann", status["task_id"])
        assert (ended["status"], ended["input_requests"]) == ("completed", [])
        assert (await house.history("ann"))["messages"][-1]["text"].endswith(STOPPED)
        assert await house.say("ann", "show my bookings") == NO_BOOKINGS
        body = {"request_id": status["input_request"]["request_id"], "decision": "allow"}
        await house.refused("ann", body, 409, "withdrawn")

    async def test_booking_that_had_begun_is_finished_and_reported(self, house, monkeypatch):
        await house.say("ann", FLIGHTS)
        await house.say("ann", "book the cheapest flight")
        office = house.detour._plugin.workflow._provider.bookings._demo
        monkeypatch.setattr(office, "pace", 0.3)
        asked = await house.asked("ann")
        body = {"request_id": asked["request_id"], "decision": "allow"}
        await house.call("POST", "/answer/ann", json=body)
        await until(lambda: office._under_way)
        task_id = (await house.status("ann"))["task_id"]
        stopped = await house.call("POST", "/stop/ann", json={"agent": "booking"})
        assert (stopped.status_code, stopped.json()) == (202, {"user_id": "ann", "status": "cancelling"})
        assert (await house.status("ann"))["status"] == "running"
        await house.until_ended("ann", task_id)
        assert ("book_flight", "completed_after_interrupt") in await house.calls("ann", task_id)
        assert "DEMO-" in (await house.history("ann"))["messages"][-1]["text"]
