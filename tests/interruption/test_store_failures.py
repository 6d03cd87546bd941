"""A store that is down: what is refused changes nothing, what was accepted is carried out all the same."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph

from backend.domain.errors import StoreUnavailable
from backend.domain.task import InterruptReason, Task, TaskStatus
from backend.graphs.hosted_graph import HostedGraph
from backend.tasks.task_context import UserCache
from tests.interruption.disk import DiskStore, Health
from tests.interruption.parts import Parts, started
from tests.interruption.test_recovery import Server

pytestmark = pytest.mark.virtual_time

DOWN = [Health.REFUSES, Health.BREAKS]


@pytest.fixture
async def core() -> AsyncIterator[Parts]:
    async with started(Parts(DiskStore())) as parts:
        yield parts
        parts.store.health = Health.WELL


async def status(core, task):
    return (await core.task(task)).status


def of_a_graph(ledger, owner):
    async def reply(state: MessagesState) -> dict[str, Any]:
        await asyncio.sleep(0.5)
        return {"messages": [AIMessage(f"after {len(state['messages'])} messages")]}

    graph = StateGraph(MessagesState).add_node(reply).add_edge(START, "reply").compile()
    return HostedGraph(graph, ledger=ledger, owner=owner)


def fails_once(read, name, failed):
    async def reads(*args, **kwargs):
        if name not in failed:
            failed.append(name)
            raise StoreUnavailable("not now")
        return await read(*args, **kwargs)

    return reads


@pytest.mark.requirement("REFUSED-CHANGES-NOTHING")
@pytest.mark.parametrize("health", DOWN)
async def test_message_that_cannot_be_stored_interrupts_nothing(core, health):
    first = await core.post("find wait find")
    await asyncio.sleep(0.5)
    before = await core.events()
    core.store.health = health
    with pytest.raises(StoreUnavailable):
        await core.post("find", client_id="again")
    core.store.health = Health.WELL
    assert await core.events() == before
    assert (await core.task(first)).reason is None
    await core.settled(first)
    assert await status(core, first) is TaskStatus.COMPLETED
    again = await core.runner.handle_user_message("ann", "find", client_id="again")
    assert not again.duplicate


@pytest.mark.requirement("REFUSED-CHANGES-NOTHING")
async def test_message_that_cannot_be_encoded_interrupts_nothing(core):
    first = await core.post("wait")
    with pytest.raises(TypeError):
        await core.post("\ud83d")
    assert core.interruptions.context_of(first).task.reason is None


async def test_refused_interruption_does_not_stay_in_the_record(core):
    first = await core.post("find wait find wait")
    await asyncio.sleep(0.5)
    core.store.health = Health.BREAKS
    refused = core.owner.spawn(core.post("find"), name="refused")
    await asyncio.sleep(0.001)
    context = core.interruptions.context_of(first)
    context.progress("flight", "working", detail="while the message is being stored")
    core.store.health = Health.WELL
    core.store.fail_next()
    with pytest.raises(StoreUnavailable):
        await refused
    assert (await core.task(first)).reason is None


@pytest.mark.requirement("REFUSED-CHANGES-NOTHING")
async def test_refused_interruption_is_not_stored_later(core):
    first = await core.post("find wait ask")
    await asyncio.sleep(0.5)
    core.store.health = Health.REFUSES
    with pytest.raises(StoreUnavailable):
        await core.post("find")
    core.store.health = Health.WELL
    await asyncio.sleep(1)
    task = await core.task(first)
    assert (task.status, task.reason, task.interrupt_requested_at) == (TaskStatus.INPUT_REQUIRED, None, None)


@pytest.mark.requirement("REFUSED-CHANGES-NOTHING")
async def test_interruption_stored_but_reported_as_failed_is_retracted(core):
    first = await core.post("find wait find wait")
    await asyncio.sleep(0.5)
    core.store.report_failure()
    with pytest.raises(StoreUnavailable):
        await core.post("find")
    task = await core.task(first)
    assert (task.status, task.reason, task.interrupt_requested_at) == (TaskStatus.RUNNING, None, None)


async def test_stop_with_an_unreadable_receipt_still_counts(core, monkeypatch):
    first = await core.post("find wait")
    await asyncio.sleep(0.5)
    monkeypatch.setattr(core.store, "get_receipt", fails_once(core.store.get_receipt, "receipt", []))
    assert await core.runner.stop("ann") is None
    assert await status(core, first) is TaskStatus.INTERRUPTED
    assert orjson.loads(await core.runner.stop("ann", first))["task_id"] == first


@pytest.mark.parametrize("health", DOWN)
async def test_ending_is_stored_once_the_store_is_back(core, health):
    task = await core.post("find wait")
    await asyncio.sleep(0.5)
    core.store.health = health
    await asyncio.sleep(5)
    assert core.interruptions.running_tasks() == [task]
    core.store.health = Health.WELL
    await core.settled(task)
    assert await status(core, task) is TaskStatus.COMPLETED
    assert [event["seq"] for event in await core.events()] == list(range(1, len(await core.events()) + 1))


@pytest.mark.requirement("FOUND-IS-KEPT")
async def test_results_found_during_an_outage_are_stored_in_order(core):
    task = await core.post("find wait find say wait find")
    await asyncio.sleep(0.5)
    core.store.health = Health.REFUSES
    await asyncio.sleep(1)
    core.store.health = Health.WELL
    await core.settled(task)
    assert await status(core, task) is TaskStatus.COMPLETED
    found = [event["items"][0]["n"] for event in await core.events() if event["type"] == "partial_result"]
    assert found == [0, 2, 5]
    snapshot = await core.store.snapshot("ann", history=0)
    assert [saved.position for saved in snapshot.partials] == [0, 1, 2, 3]


@pytest.mark.requirement("FOUND-IS-KEPT")
async def test_unsaved_results_are_stored_with_the_ending(core):
    task = await core.post("find wait find")
    await asyncio.sleep(0.5)
    core.store.health = Health.REFUSES
    await asyncio.sleep(5)
    core.store.health = Health.WELL
    await core.settled(task)
    snapshot = await core.store.snapshot("ann", history=0)
    assert [saved.position for saved in snapshot.partials] == [0, 1]
    told = [event["type"] for event in await core.events()]
    assert told.count("partial_result") == 2
    assert told[-1] == "status_update"


async def test_accepted_message_is_carried_out_during_an_outage(core):
    first = await core.post("find wait")
    await asyncio.sleep(0.5)
    accepting = core.owner.spawn(core.post("find"), name="accept")
    await asyncio.sleep(0.001)
    context = core.interruptions.context_of(first)
    core.store.when_written(lambda: setattr(core.store, "health", Health.REFUSES))
    second = await accepting
    assert context.reason is InterruptReason.SUPERSEDED
    core.store.health = Health.WELL
    await core.settled(second)
    assert await status(core, second) is TaskStatus.COMPLETED
    assert "context_transfer" in [event["type"] for event in await core.events()]


@pytest.mark.parametrize("health", DOWN)
async def test_messages_are_refused_while_a_queued_task_cannot_start(core, health):
    first = await core.post("wait")
    second = await core.post("find", policy="enqueue")

    def goes_down(task):
        core.store.health = health if task.task_id == first else core.store.health

    core.interruptions.register_status_callback(goes_down)
    await core.settled(first)
    await asyncio.sleep(0.5)
    with pytest.raises(StoreUnavailable):
        async with asyncio.timeout(0.1):
            await core.post("find")
    core.store.health = Health.WELL
    await core.quiet()
    assert await status(core, second) is TaskStatus.COMPLETED


@pytest.mark.parametrize("health", DOWN)
async def test_queued_task_that_cannot_be_stopped_stays_queued(core, health):
    await core.post("wait")
    second = await core.post("find", policy="enqueue")
    core.store.health = health
    with pytest.raises(StoreUnavailable):
        async with asyncio.timeout(0.1):
            await core.runner.stop("ann", second)
    core.store.health = Health.WELL
    await core.quiet()
    assert await status(core, second) is TaskStatus.COMPLETED


@pytest.mark.parametrize("health", DOWN)
async def test_failed_deletion_is_reported_and_queued_task_goes_on(core, health):
    await core.post("wait")
    second = await core.post("find", policy="enqueue")
    core.store.health = health
    with pytest.raises(StoreUnavailable):
        async with asyncio.timeout(60):
            await core.runner.delete_user("ann")
    core.store.health = Health.WELL
    await core.quiet()
    assert await status(core, second) is TaskStatus.COMPLETED
    await core.runner.delete_user("ann")
    assert await core.store.snapshot("ann", history=1) is None


@pytest.mark.requirement("EVENTS-TELL-CHANGES")
async def test_queued_task_whose_reads_fail_runs_once(core, monkeypatch):
    await core.settled(await core.post("find"))
    await core.settled(await core.post("say"))
    await core.post("wait")
    resumed = await core.post("back find", policy="enqueue")
    read, failures = core.store.get_task_metadata, [StoreUnavailable("not now")] * 2

    async def fails_twice(user_id, task_id):
        if failures and core.interruptions.running_tasks() == []:
            raise failures.pop()
        return await read(user_id, task_id)

    monkeypatch.setattr(core.store, "get_task_metadata", fails_twice)
    await core.quiet()
    assert failures == []
    told = [
        event["status"]
        for event in await core.events()
        if event["type"] == "status_update" and event["task_id"] == resumed
    ]
    assert told == ["queued", "running", "completed"]


@pytest.mark.requirement("A-TASK-WAITS-FOR-THE-STORE")
@pytest.mark.parametrize("workflow", [None, of_a_graph], ids=["script", "graph"])
@pytest.mark.parametrize("seconds", [0.0, 0.003, 0.008, 0.013, 0.018])
async def test_task_that_begins_during_an_outage_waits(workflow, seconds):
    """The store goes down so many seconds after a message is accepted: at each step of a beginning."""
    async with started(Parts(DiskStore(), workflow=workflow)) as core:
        first = await core.post("find wait")
        await core.settled(first)
        task = await core.post("find wait")
        await asyncio.sleep(seconds)
        core.store.health = Health.REFUSES
        await asyncio.sleep(5)
        assert core.interruptions.running_tasks() == [task]
        core.store.health = Health.WELL
        await core.settled(task)
        assert await status(core, task) is TaskStatus.COMPLETED


@pytest.mark.requirement("A-TASK-WAITS-FOR-THE-STORE")
async def test_task_whose_first_reads_fail_completes(monkeypatch):
    async with started(Parts(DiskStore(), workflow=of_a_graph)) as core:
        await core.settled(await core.post("find"))
        conversation = core.runner.conversations.get("ann")
        conversation.cache = UserCache()  # as if it had been more than memory holds: else nothing is read
        failed = []
        for name in (
            "get_thread_step",
            "get_checkpoint",
            "get_messages",
            "get_tool_calls",
            "get_model_steps",
        ):
            monkeypatch.setattr(core.store, name, fails_once(getattr(core.store, name), name, failed))
        task = await core.post("find")
        await core.quiet()
        assert await status(core, task) is TaskStatus.COMPLETED
        assert {"get_thread_step", "get_tool_calls"} <= set(failed)


@pytest.mark.requirement("A-TASK-WAITS-FOR-THE-STORE")
async def test_task_waiting_for_the_store_is_interrupted_at_once(monkeypatch):
    async with started(Parts(DiskStore(), workflow=of_a_graph)) as core:
        read = core.store.get_thread_step

        async def fails(*_given):
            raise StoreUnavailable("not now")

        monkeypatch.setattr(core.store, "get_thread_step", fails)
        first = await core.post("find")
        await asyncio.sleep(5)
        second = await core.post("find")
        await asyncio.sleep(0.1)  # less than any pause between two tries by now
        task = await core.task(first)
        assert (task.status, task.reason) == (TaskStatus.INTERRUPTED, InterruptReason.SUPERSEDED)
        monkeypatch.setattr(core.store, "get_thread_step", read)
        await core.settled(second)
        assert await status(core, second) is TaskStatus.COMPLETED


@pytest.mark.requirement("A-TASK-WAITS-FOR-THE-STORE")
@pytest.mark.parametrize("fails", ["commit", "get_task_metadata"])
async def test_retry_that_begins_during_an_outage_waits(monkeypatch, fails):
    server = Server()
    async with server.dying() as old:
        lost = await old.post("find wait find")
        await asyncio.sleep(0.5)
    failed = []
    begins_here = asyncio.Event()
    works = getattr(server.store, fails)

    def fails_thrice(*given, **more):
        asked = [each for each in given if isinstance(each, Task) and each.begun and each.attempt == 2]
        # A beginning reads the attempt before it once its own mark is durable.
        begins = (
            asked and asked[0].status is TaskStatus.RUNNING if fails == "commit" else begins_here.is_set()
        )
        if begins and len(failed) < 3:
            failed.append(given)
            raise StoreUnavailable("not now")
        return works(*given, **more)

    async with server.running() as new:
        inherit = new.ledger.writes.inherit

        async def inherits(context):
            begins_here.set()
            await inherit(context)
            begins_here.clear()

        monkeypatch.setattr(new.ledger.writes, "inherit", inherits)
        monkeypatch.setattr(server.store, fails, fails_thrice)
        await new.quiet()
        assert len(failed) == 3
        shown = (await new.store.standing("ann")).task
        assert (shown.attempt, shown.previous_task_id, shown.status) == (2, lost, TaskStatus.COMPLETED)
