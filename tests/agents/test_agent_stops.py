"""The travel graph when one of its agents is stopped: the others go on, and the reply tells what is so."""

import asyncio
import re
from typing import Any

import pytest

from backend.domain.errors import BadInput, NotFound
from backend.domain.task import TaskStatus
from backend.travel.agents.booking import STOPPED
from backend.travel.agents.own_bookings import NO_BOOKINGS
from backend.travel.workflow import TravelWorkflow
from tests.agents.booking_guest import FLIGHTS, a_house
from tests.agents.sources import TODAY, Provider, Source, a_flight, a_hotel
from tests.interruption.parts import Parts, started

BOTH = "flights from Berlin to Tokyo on 10 December and a hotel there for 3 nights"


class Ann:
    """A user of a server with the travel graph, whose hotel sources are slow."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    async def say(self, message: str) -> str:
        return await self.parts.post(message)

    async def stop(self, agent: str, **more: Any) -> dict[str, Any]:
        stopped = await self.parts.runner.stop_agent("ann", agent, **more)
        assert stopped is not None
        return stopped

    async def reply(self) -> str:
        [*_, (role, text)] = await self.parts.history()
        assert role == "assistant"
        return text


@pytest.fixture
async def ann():
    provider = Provider(
        [Source("one", [a_flight("590.00"), a_flight("610.00")], [a_flight("555.00")])],
        [
            Source("chains", [a_hotel("120.00"), a_hotel("99.00")], then="hang"),
            Source("independents", then="hang"),
        ],
    )
    parts = Parts(workflow=lambda ledger, _owner: TravelWorkflow(provider, ledger, today=lambda: TODAY))
    async with started(parts):
        yield Ann(parts)


@pytest.mark.virtual_time
@pytest.mark.requirement("AGENTS-STOP-ALONE")
class TestSearches:
    async def test_what_the_agent_found_is_kept_and_the_other_goes_on(self, ann):
        task_id = await ann.say(BOTH)
        await asyncio.sleep(1.5)
        stopped = await ann.stop("hotel")
        detail = "stopped by the user: 2 hotels from 0 of 2 sources"
        assert {
            name: stopped[name] for name in ("task_id", "agent", "state", "detail", "done", "total", "count")
        } == {
            "task_id": task_id,
            "agent": "hotel",
            "state": "interrupted",
            "detail": detail,
            "done": 0,
            "total": 2,
            "count": 2,
        }
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

    async def test_the_reply_tells_of_the_part_that_was_cut_short(self, ann):
        task_id = await ann.say(BOTH)
        await asyncio.sleep(1.5)
        await ann.stop("hotel")
        await ann.parts.settled(task_id)
        reply = await ann.reply()
        assert re.search(r"I found 3 flights [^:]+: the cheapest is Aurora Demo for 555.00 EUR\.", reply)
        assert "You stopped the hotel search: 2 hotels had arrived by then and are kept." in reply

    async def test_an_agent_that_had_found_nothing_is_said_to_have_found_nothing(self, ann):
        task_id = await ann.say(BOTH)
        await asyncio.sleep(0.5)
        await ann.stop("hotel")
        await ann.parts.settled(task_id)
        assert "You stopped the hotel search: nothing had arrived by then." in await ann.reply()

    async def test_stopping_it_again_or_once_it_is_done_changes_nothing_and_tells_what_is_so(self, ann):
        task_id = await ann.say(BOTH)
        await asyncio.sleep(1.5)
        stopped = await ann.stop("hotel")
        assert await ann.stop("hotel") == stopped
        await ann.parts.settled(task_id)
        events = len(await ann.parts.events())
        assert await ann.stop("hotel") == stopped
        assert (await ann.stop("flight", task_id=task_id))["state"] == "done"
        assert len(await ann.parts.events()) == events

    async def test_all_agents_may_be_stopped_one_by_one(self, ann):
        task_id = await ann.say(BOTH)
        await asyncio.sleep(1.5)
        await ann.stop("hotel")
        await ann.stop("flight")
        await ann.parts.settled(task_id)
        assert (await ann.parts.task(task_id)).status is TaskStatus.COMPLETED
        assert (
            "You stopped the flight search: 2 flights had arrived by then and are kept." in await ann.reply()
        )

    async def test_a_search_that_was_cut_short_is_never_taken_over(self, ann):
        first = await ann.say(BOTH)
        await asyncio.sleep(1.5)
        stopped = await ann.stop("hotel")
        second = await ann.say(BOTH)
        await asyncio.sleep(1.5)
        made = (await ann.stop("hotel", task_id=second))["tool_calls"]
        assert stopped["tool_calls"][0]["call_id"] not in {call["call_id"] for call in made}
        adopted = [each["adopted"] for each in await ann.parts.events() if each["type"] == "context_transfer"]
        assert [len(each) for each in adopted] == [1]
        receipt = await ann.parts.receipt(first)
        assert {call["tool"]: call["outcome"] for call in receipt["tool_calls"]} == {
            "search_flights": "adopted",
            "search_hotels": "cancelled",
        }
        await ann.parts.settled(second)

    async def test_an_unknown_agent_is_refused_by_name_and_so_is_a_task_of_nobody(self, ann):
        with pytest.raises(NotFound):
            await ann.stop("hotel")
        task_id = await ann.say(BOTH)
        await asyncio.sleep(0.5)
        with pytest.raises(
            BadInput, match="agent: the task has no agent 'pool'; its agents are flight, hotel"
        ):
            await ann.stop("pool")
        with pytest.raises(NotFound):
            await ann.stop("hotel", task_id="nobody's")
        await ann.stop("hotel")
        await ann.parts.settled(task_id)
        with pytest.raises(BadInput, match="agent: "):
            await ann.stop("pool")


@pytest.mark.virtual_time
@pytest.mark.requirement("AGENTS-STOP-ALONE")
class TestQuestions:
    async def test_what_a_stopped_agent_asks_is_withdrawn_and_the_task_goes_on(self, ann):
        task_id = await ann.say("a flight to Tokyo on 10 December and a hotel there for 3 nights")
        await asyncio.sleep(1.5)
        await ann.stop("hotel")
        await asyncio.sleep(1)
        assert (await ann.parts.task(task_id)).status is TaskStatus.INPUT_REQUIRED
        stopped = await ann.stop("flight")
        assert (stopped["state"], stopped["detail"]) == ("interrupted", "stopped by the user")
        await ann.parts.settled(task_id)
        assert (await ann.parts.task(task_id)).status is TaskStatus.COMPLETED
        resolved = [each["outcome"] for each in await ann.parts.events() if each["type"] == "input_resolved"]
        assert resolved == ["withdrawn"]
        reply = await ann.reply()
        assert "You stopped the flight search: nothing had arrived by then." in reply
        assert "You stopped the hotel search: 2 hotels had arrived by then and are kept." in reply

    async def test_an_agent_that_waited_for_that_answer_asks_for_itself(self, ann):
        await ann.say("find me a flight and a hotel")
        await asyncio.sleep(1)
        await ann.stop("flight")
        await asyncio.sleep(1)
        [question] = (await ann.parts.store.snapshot("ann", history=0)).inputs
        assert question.question.agent == "hotel"
        await ann.stop("hotel")
        await asyncio.sleep(1)
        assert (await ann.parts.store.snapshot("ann", history=0)).task.status is TaskStatus.COMPLETED


@pytest.mark.requirement("AGENTS-STOP-ALONE")
class TestBookings:
    @pytest.fixture
    async def house(self, tmp_path):
        async with a_house(tmp_path) as guests:
            yield guests

    async def test_a_permission_of_a_stopped_agent_is_withdrawn_and_nothing_is_booked(self, house):
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

    async def test_a_booking_that_had_begun_is_finished_and_the_reply_says_so(self, house):
        await house.say("ann", FLIGHTS)
        await house.say("ann", "book the cheapest flight")
        office = house.detour._plugin.workflow._provider.bookings
        office._pace = 0.3
        asked = await house.asked("ann")
        body = {"request_id": asked["request_id"], "decision": "allow"}
        await house.call("POST", "/answer/ann", json=body)
        async with asyncio.timeout(60):
            while not office._under_way:  # noqa: ASYNC110
                await asyncio.sleep(0)
        task_id = (await house.status("ann"))["task_id"]
        stopped = await house.call("POST", "/stop/ann", json={"agent": "booking"})
        assert (stopped.status_code, stopped.json()) == (202, {"user_id": "ann", "status": "cancelling"})
        assert (await house.status("ann"))["status"] == "running"
        await house.until_ended("ann", task_id)
        assert ("book_flight", "completed_after_interrupt") in await house.calls("ann", task_id)
        assert "DEMO-" in (await house.history("ann"))["messages"][-1]["text"]
