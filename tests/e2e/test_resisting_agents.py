"""Agents with a provider's default client that leave tasks, cancel themselves, or cannot be cancelled.

Each is served by a real process, whose models are behind real sockets. What goes wrong stays with its task,
which says so truly; another user is answered meanwhile, and the user's next message is.
"""

import asyncio

import pytest

from tests.api.live import BOUND_S
from tests.e2e.model_server_process import models, receipt_of, text_of
from tests.fakes import Gate
from tests.fakes.model_script import Call, Text, Wait, words
from tests.fakes.waiting import until
from tests.graphs.resisting import LEFT

__all__ = ["models"]

pytestmark = pytest.mark.requirement("FAULTS-STAY-ALONE")


@pytest.fixture
def start(process, models, monkeypatch):
    async def start(graph):
        monkeypatch.setenv("OPENAI_BASE_URL", f"{models.url}/v1")
        server = process(graph=f"tests.graphs.resisting:{graph}")
        await server.start()
        return server

    return start


def says(text):
    """Match the requests whose last message is this."""
    return lambda request: request.messages[-1]["content"] == text


async def answered(server, models, user_id, message="Hello"):
    """Have a user ask and be answered."""
    models.script(*words("Good day."), when=says(message))
    assert (await server.chat_to_end(user_id, message))["status"] == "completed"
    assert (await server.history(user_id))["messages"][-1]["text"] == "Good day."


async def closed(request):
    """Wait until the client of a model has closed its answer."""
    async with asyncio.timeout(BOUND_S):
        await request.ended()
    assert request.cut_at is not None


async def test_message_is_answered_while_a_task_that_its_node_left_is_still_at_work(start, models):
    gate = Gate()
    models.script(Text("Once"), Wait(gate), Text(" upon"), when=says(LEFT))
    models.script(*words("Once."), when=says(LEFT), always=True)
    server = await start("leaves")
    await answered(server, models, "ann")
    await gate.arrived()
    await answered(server, models, "bob")
    gate.open()
    left = await models.asked(when=says(LEFT))
    await left.ended()
    await answered(server, models, "ann", "Again")


async def test_interruption_ends_a_model_that_a_node_left_at_its_next_token(start, models):
    awaited, left_gate, last = Gate(), Gate(), Gate()
    models.script(Text("Once"), Wait(left_gate), Text(" upon"), Wait(last), when=says(LEFT))
    models.script(*words("Once."), when=says(LEFT), always=True)
    models.script(Text("Well"), Wait(awaited), when=says("Speak"))
    server = await start("leaves")
    task = (await server.chat("ann", "Speak"))["task_id"]
    await awaited.arrived()
    await left_gate.arrived()
    await server.stop("ann")
    speaking, left = await models.asked(when=says("Speak")), await models.asked(when=says(LEFT))
    await closed(speaking)
    left_gate.open()
    await closed(left)
    assert (await receipt_of(server, "ann", task))["reason"] == "stopped"
    await answered(server, models, "ann", "Again")


@pytest.mark.parametrize("name", ["cancels_itself", "cancels_in_a_thread"])
async def test_tool_that_raises_a_cancellation_itself_fails_its_task_alone(start, models, name):
    models.script(Call(name, {}), when=says("Look it up"))
    server = await start("cancelling")
    task = (await server.chat("ann", "Look it up"))["task_id"]
    assert (await server.until_ended("ann", task))["status"] == "failed"
    sentence = (await server.history("ann"))["messages"][-1]["text"]
    assert sentence.startswith("Something went wrong in tools (")
    [call] = (await receipt_of(server, "ann", task))["tool_calls"]
    assert (call["tool"], call["outcome"]) == (name, "cancelled")
    await answered(server, models, "bob")
    await answered(server, models, "ann", "Again")


@pytest.mark.parametrize("graph", ["without_async", "uncancelled"])
async def test_model_client_without_cancellation_ends_at_its_next_token(start, models, graph):
    gate, last = Gate(), Gate()
    models.script(Text("Once"), Wait(gate), Text(" upon"), Wait(last), when=says("Speak"))
    server = await start(graph)
    task = (await server.chat("ann", "Speak"))["task_id"]
    await gate.arrived()
    await text_of(server, "ann", "Once")
    async with asyncio.TaskGroup() as group:
        group.create_task(server.stop("ann"))
        await answered(server, models, "bob")
        gate.open()
        await closed(await models.asked(when=says("Speak")))
    assert (await receipt_of(server, "ann", task))["reason"] == "stopped"
    await answered(server, models, "ann", "Again")
    [kept] = [each["text"] for each in (await server.history("ann"))["messages"] if each["interrupted"]]
    assert kept == "Once"


async def test_model_client_that_answers_whole_and_cannot_be_cancelled_is_told_as_running_on(start, models):
    gate = Gate()
    models.script(Wait(gate), *words("Never mind."), when=says("Speak"))
    server = await start("uncancelled_whole")
    task = (await server.chat("ann", "Speak"))["task_id"]
    await gate.arrived()
    async with asyncio.TaskGroup() as group:
        group.create_task(answered(server, models, "ann", "Again"))
        await answered(server, models, "bob")
    receipt = await receipt_of(server, "ann", task)
    [call] = receipt["tool_calls"]
    assert (receipt["reason"], call["tool"], call["outcome"]) == ("superseded", "model", "unknown")
    assert call["summary"].startswith("a step that is still running")
    gate.open()

    async def told():
        messages = (await server.history("ann"))["messages"]
        return [each["text"] for each in messages if each["text"].startswith("No longer running: model")]

    assert (await until(told, every_s=0.01))[0].endswith("what it returned is not kept.")
    assert (await server.partial_results("ann"))["still_running"] == []
