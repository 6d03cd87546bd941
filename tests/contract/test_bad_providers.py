"""Providers and clients of models that misbehave: each task fails or ends alone, and is reported truly."""

import asyncio
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.graph import MessagesState

from backend.domain.task import InterruptReason
from tests.contract.default_clients import PROVIDERS, DefaultClients
from tests.contract.hosting import Hosting
from tests.contract.serving import Served
from tests.contract.test_followed_models import said, seen
from tests.fakes.model_dialects import Anthropic, Ollama, OpenAI
from tests.fakes.model_script import Drop, Raw, Refuse, Text, Wait
from tests.fakes.waiting import Gate
from tests.graphs.building import pipeline
from tests.graphs.scripted_chat import ScriptedChat

pytestmark = pytest.mark.requirement("TOKENS-OF-ANY-GRAPH")

every_provider = pytest.mark.parametrize("provider", PROVIDERS)
DIALECTS = {"openai": OpenAI(), "anthropic": Anthropic(), "ollama": Ollama()}
MANY = 5000


async def ended(hosting: Hosting) -> tuple[str, str]:
    """The status of the task, and what it said last."""
    await hosting.start()
    task = await hosting.ended()
    return task.status.value, await hosting.last_message()


@every_provider
async def test_provider_that_says_nothing_is_not_told_as_done(provider: str, clients: DefaultClients) -> None:
    clients.server.script()
    hosting = Hosting(create_agent(clients.client(provider), []))
    assert await ended(hosting) == ("completed", "The model answered nothing.")


@every_provider
@pytest.mark.parametrize("before", [(), (Text("Half of it "),)], ids=["at once", "in the middle"])
async def test_provider_that_breaks_off_fails_its_node_and_keeps_what_was_said(
    provider: str, before: tuple[Text, ...], clients: DefaultClients
) -> None:
    clients.server.script(*before, Drop())
    hosting = Hosting(create_agent(clients.client(provider), []))
    status, reply = await ended(hosting)
    assert status == "failed"
    assert reply.startswith("Something went wrong in model (")
    assert hosting.context.partial_results.text == "".join(each.text for each in before)


@every_provider
async def test_provider_that_refuses_fails_its_node(provider: str, clients: DefaultClients) -> None:
    clients.server.script(Refuse(503))
    status, reply = await ended(Hosting(create_agent(clients.client(provider), [])))
    assert status == "failed"
    assert reply.startswith("Something went wrong in model (")


@every_provider
async def test_many_tokens_in_one_chunk_are_all_said(provider: str, clients: DefaultClients) -> None:
    dialect = DIALECTS[provider]
    stream = dialect.stream({"model": "m", "messages": []})
    pieces = [piece for _ in range(MANY) for piece in stream.pieces(Text("word "))]
    clients.server.script(Raw(b"".join(pieces)))
    hosting = Hosting(create_agent(clients.client(provider), []))
    assert await ended(hosting) == ("completed", "word " * MANY)
    assert "".join(text for _, text in said(hosting)) == "word " * MANY


@every_provider
async def test_provider_that_drips_holds_up_nobody_else(
    provider: str, clients: DefaultClients, serve: Any
) -> None:
    drips = Gate()
    clients.server.script(Text("Slow"), Wait(drips), Text("ly."), when=lambda request: "slow" in request.text)
    clients.server.script(Text("Quick."))
    served: Served = await serve(create_agent(clients.client(provider), []))
    parts = served.parts
    slow = await parts.post("slow")
    await drips.arrived()
    await parts.settled(await parts.post("quick", user="bob"))
    assert (await parts.history("bob"))[-1] == ("assistant", "Quick.")
    assert (await parts.task(slow)).status == "running"
    drips.open()
    await parts.settled(slow)
    assert (await parts.history())[-1] == ("assistant", "Slowly.")


class Plain(ScriptedChat):
    """A client that knows no asyncio: LangChain has it answer in a thread, where no cancellation arrives."""

    gate: Any

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        if messages[-1].text == "slow":
            asyncio.run_coroutine_threadsafe(self.gate.wait(), self.gate.loop).result()
        return ChatResult(generations=[ChatGeneration(message=AIMessage(f"{messages[-1].text} it is"))])


class LoopGate(Gate):
    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.get_running_loop()


async def test_client_without_cancellation_holds_up_nobody_else(serve: Any) -> None:
    gate = LoopGate()
    model = Plain(script=[], gate=gate, disable_streaming=True)
    parts = (await serve(create_agent(model, []))).parts
    slow = await parts.post("slow")
    await gate.arrived()
    await parts.settled(await parts.post("quick", user="bob"), await parts.post("next"))
    assert (await parts.history("bob"))[-1] == ("assistant", "quick it is")
    assert (await parts.history())[-1] == ("assistant", "next it is")
    assert (await parts.task(slow)).status == "interrupted"
    gate.open()


async def test_model_of_one_node_that_fails_leaves_the_text_of_others(clients: DefaultClients) -> None:
    clients.server.script(Text("First."), when=lambda request: "one" in request.text)
    clients.server.script(Text("Half "), Drop(), when=lambda request: "one" in request.text)
    model = clients.client("openai")

    async def ask(_state: MessagesState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke("one")]}

    hosting = Hosting(pipeline(plan=ask, write=ask))
    status, reply = await ended(hosting)
    assert status == "failed"
    assert "in write (" in reply
    assert said(hosting, reply=False) == [("plan", "First.")]
    assert said(hosting) == [("write", "Half ")]


async def test_interruption_of_a_drip_keeps_what_was_said(clients: DefaultClients) -> None:
    gate = Gate()
    clients.server.script(Text("Half of it "), Wait(gate))
    hosting = Hosting(create_agent(clients.client("anthropic"), []))
    await hosting.start()
    await seen(hosting, "Half of it ")
    hosting.manager.interrupt_task(hosting.context.task_id, InterruptReason.STOPPED)
    assert (await hosting.ended()).status == "interrupted"
    await clients.server.requests[0].ended()
    assert clients.server.requests[0].cut_at is not None
