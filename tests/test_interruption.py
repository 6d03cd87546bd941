"""The seven scenarios of an interruption, by name: the travel graph on the demo inventory in virtual time."""

import asyncio
from collections.abc import AsyncIterator
from datetime import date

import orjson
import pytest

from backend.domain.task import InterruptReason, TaskStatus
from backend.tasks.settlement import FAILURE, interrupted_context
from backend.travel.providers.demo.provider import DemoProvider
from backend.travel.workflow import TravelWorkflow
from tests.fakes import RecordingLog
from tests.interruption.parts import Parts, started
from tests.records import AT, a_task

pytestmark = pytest.mark.virtual_time

TODAY = date(2026, 1, 5)
FLIGHTS = "Find flights from Berlin to Tokyo on 10 March"
LATER = "Actually make it 12 March"
HOTEL_TOO = "and a hotel there for 3 nights"
BOTH = "flights and hotels in Lisbon from London, 12-15 March"


@pytest.fixture(scope="module")
def provider(tmp_path_factory):
    path = tmp_path_factory.mktemp("demo") / "inventory.sqlite"
    opened = DemoProvider(path, clock=lambda: AT, today=lambda: TODAY, seed=1, pace=1.0)
    yield opened
    asyncio.run(opened.close())


@pytest.fixture
async def travel(provider) -> AsyncIterator[Parts]:
    parts = Parts(workflow=lambda ledger, _owner: TravelWorkflow(provider, ledger, today=lambda: TODAY))
    async with started(parts):
        yield parts


@pytest.fixture
async def core() -> AsyncIterator[Parts]:
    async with started(Parts()) as parts:
        yield parts


def of(parts, task_id, *types):
    return [
        event
        for event in parts.bus.published.entries
        if event["task_id"] == task_id and (not types or event["type"] in types)
    ]


class TestBasicInterruption:
    @pytest.mark.requirement("NEWEST-MESSAGE-WINS")
    async def test_new_message_ends_the_running_task_and_is_answered(self, travel):
        first = await travel.post(FLIGHTS)
        await asyncio.sleep(2)
        accepted = await travel.runner.handle_user_message("ann", LATER)
        assert (accepted.status, accepted.interrupted_task_id) == (TaskStatus.RUNNING, first)
        await travel.settled(first, accepted.task_id)
        old, new = await travel.task(first), await travel.task(accepted.task_id)
        assert (old.status, old.reason) == (TaskStatus.INTERRUPTED, InterruptReason.SUPERSEDED)
        assert (new.status, new.reason, new.previous_task_id) == (TaskStatus.COMPLETED, None, first)
        assert "Thu 12 March" in (await travel.history())[-1][1]

    async def test_interruption_takes_no_time(self, travel):
        first = await travel.post(FLIGHTS)
        await asyncio.sleep(2)
        second = await travel.post(LATER)
        assert travel.interruptions.context_of(first).cancel_event.is_set()
        assert travel.interruptions.running_tasks("ann") == [first, second]
        await travel.settled(first)
        assert asyncio.get_running_loop().time() == 2.0

    @pytest.mark.requirement("STOP-IS-TRUE")
    async def test_stop_ends_the_task_and_returns_its_receipt(self, travel):
        first = await travel.post(FLIGHTS)
        await asyncio.sleep(2)
        receipt = orjson.loads(await travel.runner.stop("ann"))
        assert (receipt["task_id"], receipt["reason"]) == (first, "stopped")
        assert [call["outcome"] for call in receipt["tool_calls"]] == ["cancelled"]
        assert orjson.loads(await travel.runner.stop("ann")) == receipt

    async def test_word_stop_ends_the_task_and_is_answered(self, travel):
        first = await travel.post(FLIGHTS)
        await asyncio.sleep(2)
        accepted = await travel.runner.handle_user_message("ann", "stop")
        assert accepted.interrupted_task_id == first
        await travel.settled(first, accepted.task_id)
        assert (await travel.task(first)).reason is InterruptReason.STOPPED
        assert (await travel.history())[-1][1].startswith("Stopped.")

    async def test_stop_with_nothing_running_says_so(self, travel):
        never_asked = await travel.post("stop")
        await travel.settled(never_asked)
        assert (await travel.history())[-1][1] == "Nothing was running."
        first = await travel.post(FLIGHTS)
        await asyncio.sleep(2.5)
        await travel.settled(first, await travel.post("stop"))
        await travel.settled(await travel.post("stop"))
        assert (await travel.history())[-1][1] == "Nothing was running."

    @pytest.mark.requirement("SMALL-TALK-INTERRUPTS-NOTHING")
    async def test_small_talk_interrupts_nothing(self, travel):
        first = await travel.post(FLIGHTS)
        await asyncio.sleep(2)
        accepted = await travel.runner.handle_user_message("ann", "hello")
        assert accepted.interrupted_task_id is None
        await travel.settled(first, accepted.task_id)
        assert (await travel.task(first)).status is TaskStatus.COMPLETED


class TestPartialResultPreservation:
    @pytest.mark.requirement("FOUND-IS-KEPT")
    async def test_findings_are_kept_and_counted_alike_everywhere(self, travel):
        first = await travel.post(FLIGHTS)
        await asyncio.sleep(2.5)
        await travel.post(LATER)
        await travel.settled(first)
        shown = [item for event in of(travel, first, "partial_result") for item in event["items"]]
        assert shown
        context = await travel.interruptions.get_previous_context("ann")
        assert context.items() == {"flight": shown}
        assert (await travel.receipt(first))["partial_results"] == {"flight": len(shown)}
        assert of(travel, first, "status_update")[-1]["partial_results"] == {"flight": shown}
        assert f"Kept so far: {len(shown)} flight results." in (await travel.history())[1][1]

    @pytest.mark.requirement("NOTHING-AFTER-THE-INTERRUPTION")
    async def test_interrupted_task_publishes_nothing_more(self, travel):
        first = await travel.post(FLIGHTS)
        await asyncio.sleep(2.5)
        found = len(of(travel, first, "partial_result"))
        await travel.post(LATER)
        await travel.quiet()
        assert len(of(travel, first, "partial_result")) == found

    async def test_task_interrupted_without_findings_says_so(self, travel):
        first = await travel.post(FLIGHTS)
        await travel.post(LATER)
        await travel.settled(first)
        assert (await travel.receipt(first))["partial_results"].get("flight", 0) == 0
        assert (await travel.history())[1][1].endswith("Nothing had been found yet.")


class TestContextTransfer:
    @pytest.mark.requirement("FINDINGS-ARE-HANDED-ON")
    async def test_new_task_gets_the_findings_of_the_old_one(self, travel):
        first = await travel.post(FLIGHTS)
        await asyncio.sleep(2.5)
        second = await travel.post(LATER)
        context = travel.interruptions.context_of(second).previous
        assert context.task_id == first
        assert len(context.items()["flight"]) > 0
        await asyncio.sleep(0.1)
        [transfer] = of(travel, second, "context_transfer")
        assert (transfer["from_task_id"], transfer["relation"]) == (first, "refine")
        assert "flight.origin" in transfer["carried"]["slots"]
        # Flights of the day before do not answer what is asked for now.
        assert transfer["carried"]["partial_results"] == {}
        assert "partial_results.flight" in transfer["dropped"]

    async def test_new_message_is_understood_with_the_earlier_request(self, travel):
        await travel.post(FLIGHTS)
        await asyncio.sleep(2)
        await travel.post(HOTEL_TOO)
        await travel.quiet()
        reply = (await travel.history())[-1][1]
        assert "flights from Berlin to Tokyo" in reply
        assert "hotels in Tokyo" in reply

    async def test_findings_pass_over_a_task_without_any(self, travel):
        first = await travel.post(FLIGHTS)
        await asyncio.sleep(2.5)
        await travel.post(LATER)
        third = await travel.post("Actually make it 14 March")
        assert travel.interruptions.context_of(third).previous.task_id == first

    async def test_completed_task_hands_nothing_on(self, travel):
        await travel.settled(await travel.post(FLIGHTS))
        second = await travel.post(HOTEL_TOO)
        assert travel.interruptions.context_of(second).previous is None

    async def test_last_five_interrupted_tasks_are_kept(self, travel):
        tasks = [await travel.post(f"{FLIGHTS[:-8]}{day} March") for day in range(10, 17)]
        await travel.settled(*tasks)
        kept = await travel.store.get_interrupted_contexts("ann")
        assert [context.task_id for context in kept] == tasks[-2:-7:-1]


class TestMultipleRapidInterruptions:
    @pytest.mark.requirement("NEWEST-MESSAGE-WINS")
    async def test_last_of_ten_simultaneous_messages_is_answered(self, travel):
        messages = [f"{FLIGHTS[:-8]}{day} March" for day in range(10, 20)]
        async with asyncio.TaskGroup() as group:
            posted = [group.create_task(travel.post(message)) for message in messages]
        tasks = [each.result() for each in posted]
        await travel.quiet()
        statuses = [(await travel.task(task)).status for task in tasks]
        assert statuses == [TaskStatus.INTERRUPTED] * 9 + [TaskStatus.COMPLETED]
        history = await travel.history()
        assert [text for role, text in history if role == "user"] == messages
        assert "Thu 19 March" in history[-1][1]
        assert [event["seq"] for event in await travel.events()] == list(
            range(1, len(await travel.events()) + 1)
        )

    async def test_each_interrupted_task_has_its_own_receipt(self, travel):
        tasks = [await travel.post(f"{FLIGHTS[:-8]}{day} March") for day in range(10, 15)]
        await travel.quiet()
        receipts = [await travel.receipt(task) for task in tasks[:-1]]
        assert [receipt["reason"] for receipt in receipts] == ["superseded"] * 4
        assert [len(of(travel, task, "receipt")) for task in tasks] == [1, 1, 1, 1, 0]


class TestMultiAgentInterruption:
    async def test_both_agents_are_interrupted_and_keep_their_findings(self, travel):
        first = await travel.post(BOTH)
        await asyncio.sleep(2.5)
        working = travel.interruptions.context_of(first).agents
        assert [working[agent].state for agent in ("flight", "hotel")] == ["working", "working"]
        await travel.runner.stop("ann")
        ended = await travel.agents(first)
        assert [ended[agent].state for agent in ("flight", "hotel")] == ["interrupted", "interrupted"]
        receipt = await travel.receipt(first)
        assert [(call["tool"], call["outcome"]) for call in receipt["tool_calls"]] == [
            ("search_flights", "cancelled"),
            ("search_hotels", "cancelled"),
        ]
        assert receipt["partial_results"] == {agent: ended[agent].count for agent in ("flight", "hotel")}
        assert min(receipt["partial_results"].values()) > 0

    async def test_finished_agent_stays_done(self, travel):
        first = await travel.post(BOTH)
        await travel.bus.published.until(
            lambda event: event["type"] == "agent_update" and event["state"] == "done"
        )
        await travel.runner.stop("ann")
        states = {name: agent.state for name, agent in (await travel.agents(first)).items()}
        assert sorted(states.values()) == ["done", "interrupted"]
        calls = (await travel.receipt(first))["tool_calls"]
        assert sorted(call["outcome"] for call in calls) == ["cancelled", "completed"]

    async def test_change_for_one_agent_is_answered_for_both(self, travel):
        await travel.post(BOTH)
        await asyncio.sleep(2.5)
        await travel.post("make it a 4 star hotel")
        await travel.quiet()
        reply = (await travel.history())[-1][1]
        assert "flights from London to Lisbon" in reply
        assert "4" in reply
        assert "hotels in Lisbon" in reply


class TestNormalCompletion:
    async def test_uninterrupted_task_completes_with_reply_and_receipt(self, travel):
        task = await travel.post(BOTH)
        await travel.settled(task)
        assert (await travel.task(task)).status is TaskStatus.COMPLETED
        assert [role for role, _ in await travel.history()] == ["user", "assistant"]
        receipt = await travel.receipt(task)
        assert receipt["reason"] is None
        assert [call["outcome"] for call in receipt["tool_calls"]] == ["completed", "completed"]
        assert await travel.store.get_interrupted_contexts("ann") == ()

    async def test_message_after_the_reply_interrupts_nothing(self, travel):
        first = await travel.post(FLIGHTS)
        await travel.settled(first)
        accepted = await travel.runner.handle_user_message("ann", LATER)
        assert accepted.interrupted_task_id is None
        await travel.settled(accepted.task_id)
        assert (await travel.task(first)).status is TaskStatus.COMPLETED

    async def test_stop_of_a_completed_task_changes_nothing(self, travel):
        first = await travel.post(FLIGHTS)
        await travel.settled(first)
        events = await travel.events()
        assert orjson.loads(await travel.runner.stop("ann"))["reason"] is None
        assert await travel.events() == events

    async def test_two_users_do_not_affect_each_other(self, travel):
        ann = await travel.post(FLIGHTS, user="ann")
        bob = await travel.post(FLIGHTS, user="bob")
        await asyncio.sleep(2)
        await travel.runner.stop("bob")
        await travel.settled(ann)
        assert (await travel.task(ann)).status is TaskStatus.COMPLETED
        assert (await travel.task(bob)).status is TaskStatus.INTERRUPTED


class TestInterruptionManager:
    """Every public method, on contexts and works made here."""

    def begin(self, core, work, **fields):
        context = core.interruptions.create_task_context(a_task(task_id=f"t{len(core.owner)}", **fields))
        core.interruptions.start(context, work)
        return context

    async def forever(self, context):
        context.publish("flight", [1, 2])
        await asyncio.sleep(500)
        return "done"

    async def test_restored_context_has_the_findings_of_its_task(self, core):
        first = core.interruptions.create_task_context(a_task())
        first.say("so far")
        first.publish("flight", [{"n": 1}])
        first.flush()
        again = await core.interruptions.restore_task_context(first.task, first.lease)
        assert again.partial_results.to_json() == {"flight": [{"n": 1}]}
        assert again.partial_results.text == "so far"
        again.publish("flight", [{"n": 2}])
        again.flush()
        assert [each.position for each in await core.store.get_partials("ann", 1)] == [0, 1, 2]

    async def test_task_completes_with_the_reply_of_its_work(self, core):
        async def work(context):
            return "done"

        context = self.begin(core, work)
        await core.settled(context.task_id)
        assert (await core.task(context.task_id)).status is TaskStatus.COMPLETED
        assert await core.history() == [("assistant", "done")]

    async def test_work_that_raises_fails_its_task_without_details(self, core):
        async def work(context):
            raise RuntimeError("secret")

        context = self.begin(core, work)
        await core.settled(context.task_id)
        assert (await core.task(context.task_id)).status is TaskStatus.FAILED
        assert await core.history() == [("assistant", FAILURE)]

    async def test_first_reason_of_an_interruption_stays(self, core):
        context = self.begin(core, self.forever)
        await asyncio.sleep(1)
        assert core.interruptions.interrupt_task(context.task_id, InterruptReason.STOPPED) is True
        assert core.interruptions.interrupt_task(context.task_id, InterruptReason.SUPERSEDED) is False
        await core.settled(context.task_id)
        assert (await core.task(context.task_id)).reason is InterruptReason.STOPPED

    async def test_interrupting_an_unknown_task_does_nothing(self, core):
        assert core.interruptions.interrupt_task("nobody", InterruptReason.STOPPED) is False

    async def test_task_that_takes_too_long_times_out(self):
        async with started(Parts(task_timeout_s=3)) as core:
            context = self.begin(core, self.forever)
            await core.settled(context.task_id)
            assert asyncio.get_running_loop().time() == 3
            assert (await core.task(context.task_id)).reason is InterruptReason.TIMED_OUT

    async def test_running_tasks_are_listed_until_settled(self, core):
        ann = self.begin(core, self.forever, user_id="ann")
        bob = self.begin(core, self.forever, user_id="bob")
        assert core.interruptions.running_tasks() == [ann.task_id, bob.task_id]
        assert core.interruptions.running_tasks("bob") == [bob.task_id]
        assert core.interruptions.context_of(ann.task_id) is ann
        core.interruptions.interrupt_task(ann.task_id, InterruptReason.STOPPED)
        await core.settled(ann.task_id)
        assert core.interruptions.running_tasks() == [bob.task_id]
        assert core.interruptions.context_of(ann.task_id) is None

    async def test_waiting_for_an_unknown_task_takes_no_time(self, core):
        await core.interruptions.wait_settled("nobody")

    async def test_task_without_work_is_settled(self, core):
        context = core.interruptions.create_task_context(a_task(status=TaskStatus.QUEUED))
        await core.interruptions.settle(context, InterruptReason.STOPPED)
        task = await core.task(context.task_id)
        assert (task.status, task.reason) == (TaskStatus.INTERRUPTED, InterruptReason.STOPPED)

    async def test_outside_partial_results_are_taken_only_while_the_task_is_open(self, core):
        context = self.begin(core, self.forever)
        assert core.interruptions.save_partial_results(context.task_id, "train", [{"n": 1}]) is True
        core.interruptions.interrupt_task(context.task_id, InterruptReason.STOPPED)
        assert core.interruptions.save_partial_results(context.task_id, "train", [{"n": 2}]) is False
        await core.settled(context.task_id)
        assert core.interruptions.save_partial_results(context.task_id, "train", [{"n": 3}]) is False
        assert (await core.receipt(context.task_id))["partial_results"] == {"train": 1}

    async def test_previous_context_is_of_the_last_interrupted_task(self, core):
        assert await core.interruptions.get_previous_context("ann") is None
        context = self.begin(core, self.forever)
        await asyncio.sleep(1)
        core.interruptions.interrupt_task(context.task_id, InterruptReason.STOPPED)
        await core.settled(context.task_id)
        previous = await core.interruptions.get_previous_context("ann")
        assert previous == interrupted_context(context, previous.at)

    async def test_status_callback_gets_every_durable_ending(self, core):
        told = RecordingLog()
        core.interruptions.register_status_callback(told)
        context = self.begin(core, self.forever)
        core.interruptions.interrupt_task(context.task_id, InterruptReason.STOPPED)
        await told.until(lambda task: task.status.terminal)
        assert told.entries == [await core.task(context.task_id)]
