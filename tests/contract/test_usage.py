"""What a task's models have used, with the default clients of three providers: counted, or estimated."""

import base64
from dataclasses import replace
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import FakeListLLM
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import MessagesState

from backend.domain.model_usage import Usage
from backend.domain.task import InterruptReason
from backend.store.ownership import Lease
from tests.contract.default_clients import PROVIDERS, DefaultClients
from tests.contract.hosting import Hosting
from tests.fakes.model_script import Call, Drop, Refuse, Text, Wait
from tests.fakes.waiting import Gate, until
from tests.graphs.building import pipeline
from tests.graphs.scripted_chat import ScriptedChat
from tests.records import AT

pytestmark = pytest.mark.requirement("USAGE-IS-COUNTED-OR-ESTIMATED")

LONG = "Word for word, " * 400

every_provider = pytest.mark.parametrize("provider", PROVIDERS)


def look_up(city: str) -> str:
    """Look a city up."""
    return f"{city} is fine"


look_up.__doc__ = LONG


def used(hosting: Hosting) -> Usage:
    return hosting.context.trace.usage.total()


async def interrupted(hosting: Hosting, gate: Gate, *, heard: int = 0) -> Usage:
    """Stop the task once the client has heard so many tokens, and return what it used."""
    await hosting.start()
    await gate.arrived()
    await until(lambda: used(hosting).output_tokens >= heard)
    hosting.manager.interrupt_task(hosting.context.task_id, InterruptReason.STOPPED)
    await hosting.ended()
    return used(hosting)


@every_provider
async def test_call_that_is_cut_counts_messages_and_tool_schemas(
    provider: str, clients: DefaultClients
) -> None:
    gate = Gate()
    clients.server.script(Text("Half of "), Wait(gate))
    usage = await interrupted(Hosting(create_agent(clients.client(provider), [look_up])), gate, heard=2)
    assert usage.estimated
    assert usage.calls == 1
    assert 1500 < usage.input_tokens < 2000


@every_provider
async def test_call_that_breaks_off_is_estimated(provider: str, clients: DefaultClients) -> None:
    clients.server.script(Text("Half of it "), Drop())
    hosting = Hosting(create_agent(clients.client(provider), [look_up]))
    await hosting.start()
    task = await hosting.ended()
    assert task.status == "failed"
    assert used(hosting).estimated
    assert used(hosting).input_tokens > 1500


@every_provider
async def test_call_that_is_refused_has_used_nothing(provider: str, clients: DefaultClients) -> None:
    clients.server.script(Refuse(500))
    hosting = Hosting(create_agent(clients.client(provider), [look_up]))
    await hosting.start()
    await hosting.ended()
    assert used(hosting) == Usage(calls=1)


@pytest.mark.parametrize("provider", ["anthropic", "ollama"])
async def test_call_that_the_service_reports_is_exact(provider: str, clients: DefaultClients) -> None:
    clients.server.script(Call("look_up", {"city": "Rome"}))
    clients.server.script(Text("It "), Text("is fine."))
    hosting = Hosting(create_agent(clients.client(provider), [look_up]))
    assert await hosting.reply() == "It is fine."
    first, last = (each.usage for each in clients.server.requests)
    assert used(hosting) == Usage(first[0] + last[0], first[1] + last[1], 2)


@every_provider
async def test_cut_tool_call_counts_the_arguments_it_had(provider: str, clients: DefaultClients) -> None:
    gate = Gate()
    clients.server.script(Call("look_up", {"city": "Rome " * 100}), Wait(gate))
    usage = await interrupted(Hosting(create_agent(clients.client(provider), [look_up])), gate, heard=120)
    assert usage.output_tokens < 180


def asking(model: Any, given: Any) -> Any:
    async def node(_state: MessagesState) -> dict[str, Any]:
        await model.ainvoke(given)
        return {"messages": [AIMessage("Done with it.")]}

    return pipeline(node=node)


async def test_image_counts_as_one_and_not_by_its_bytes() -> None:
    data = base64.b64encode(b"x" * 300_000).decode()
    url = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
    block = {"type": "image", "base64": data, "mime_type": "image/png"}
    for image in (url, block):
        given = [HumanMessage([{"type": "text", "text": "What is this?"}, image])]  # pyright: ignore[reportArgumentType]
        hosting = Hosting(asking(ScriptedChat(script=["A square."]), given))
        await hosting.reply()
        assert 500 < used(hosting).input_tokens < 2000


async def test_completion_without_chat_counts_its_prompt() -> None:
    hosting = Hosting(asking(FakeListLLM(responses=["Fine."]), "How are you? " * 20))
    await hosting.reply()
    assert used(hosting) == Usage(65, 2, 1, estimated=True)


async def test_cached_and_reasoning_tokens_are_reported() -> None:
    told: Any = {
        "input_tokens": 900,
        "output_tokens": 50,
        "total_tokens": 950,
        "input_token_details": {"cache_read": 700, "cache_creation": 0, "ephemeral_5m_input_tokens": 100},
        "output_token_details": {"flex_reasoning": 30},
    }
    hosting = Hosting(
        create_agent(
            ScriptedChat(script=[AIMessage("Yes.", usage_metadata=told)], disable_streaming=True), []
        )
    )
    await hosting.start()
    await hosting.ended()
    last = [event for event in hosting.events if event["type"] == "status_update"][-1]
    assert last["usage"] == {
        "input_tokens": 900,
        "output_tokens": 50,
        "model_calls": 1,
        "estimated": False,
        "cache_read_tokens": 700,
        "cache_creation_tokens": 100,
        "reasoning_tokens": 30,
    }


async def test_zeros_that_a_service_reports_are_estimated() -> None:
    zeros: Any = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    model = ScriptedChat(script=[AIMessage("Yes, it is.", usage_metadata=zeros)], disable_streaming=True)
    hosting = Hosting(create_agent(model, []))
    await hosting.reply()
    assert used(hosting).estimated
    assert used(hosting).input_tokens > 0
    assert used(hosting).output_tokens == 3


async def test_conversation_is_dropped_once_its_call_has_ended() -> None:
    hosting = Hosting(create_agent(ScriptedChat(script=["Yes."]), []))
    await hosting.reply()
    (call,) = hosting.context.trace.usage._calls  # pyright: ignore[reportPrivateUsage]
    assert isinstance(call.sent, int)


async def test_task_lost_with_its_process_is_marked_as_estimated() -> None:
    hosting = Hosting(create_agent(ScriptedChat(script=["Yes."]), []))
    await hosting.start()
    task = await hosting.ended()
    lost = await hosting.manager.restore_task_context(replace(task, started_at=AT, begun=True), Lease("ann"))
    assert lost.trace.usage.total() == Usage(estimated=True)
    waiting = await hosting.manager.restore_task_context(replace(task, started_at=None), Lease("ann"))
    assert waiting.trace.usage.total() == Usage()
