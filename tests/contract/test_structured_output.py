"""Structured output is for programs: it is not streamed as the reply, which is what a person can read."""

from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import MessagesState
from pydantic import BaseModel
from typing_extensions import TypedDict

from tests.contract.default_clients import PROVIDERS, DefaultClients
from tests.contract.hosting import Hosting
from tests.contract.test_followed_models import said
from tests.fakes.model_script import Call, Step, Text
from tests.graphs.building import pipeline
from tests.graphs.scripted_chat import ScriptedChat

pytestmark = pytest.mark.requirement("TOKENS-OF-ANY-GRAPH")

every_provider = pytest.mark.parametrize("provider", PROVIDERS)


class Stop(BaseModel):
    name: str
    nights: int


class Trip(BaseModel):
    """A trip."""

    city: str
    by_train: bool
    stops: list[Stop]  # OpenAI refuses a default in a strict schema
    note: str | None = None


TRIP: dict[str, Any] = {"city": "Rome", "by_train": True, "stops": [{"name": "Pisa", "nights": 2}]}
READABLE = "- City: Rome\n- By train: yes\n- Stops:\n  - Name: Pisa, Nights: 2"
JSON = (Text('{"city":"Rome",'), Text('"by_train":true,"stops":[{"name":"Pisa","nights":2}]}'))

METHODS: dict[str, tuple[Step, ...]] = {
    "function_calling": (Text("Here it is. "), Call("Trip", TRIP)),
    "json_schema": JSON,
    "json_mode": JSON,
}


@tool(return_direct=True)
def look_up(city: str) -> str:
    """Look a city up."""
    return f"{city} is fine"


def replied(hosting: Hosting) -> str:
    return "".join(text for _, text in said(hosting))


# OpenAI's own client parses the answer into a field that its type does not foresee.
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings:UserWarning")
@every_provider
@pytest.mark.parametrize("method", METHODS)
async def test_structured_answer_of_a_node_is_not_streamed_as_its_reply(
    provider: str, method: str, clients: DefaultClients
) -> None:
    if (provider, method) == ("anthropic", "json_mode"):
        method = "json_schema"  # Anthropic has no mode of its own for it
    model = clients.client(provider).with_structured_output(Trip, method=method)

    async def node(state: MessagesState) -> dict[str, Any]:
        trip: Any = await model.ainvoke(state["messages"])
        return {"messages": [AIMessage(f"You go to {trip.city}.")]}

    clients.server.script(*METHODS[method])
    hosting = Hosting(pipeline(node=node))
    assert await hosting.reply() == "You go to Rome."
    assert replied(hosting) == ""
    assert hosting.context.partial_results.text == ""


@pytest.mark.parametrize(
    ("provider", "bound"),
    [
        ("openai", {"response_format": {"type": "json_object"}}),
        ("ollama", {"format": "json"}),
        (
            "anthropic",
            {"output_config": {"format": {"type": "json_schema", "schema": Trip.model_json_schema()}}},
        ),
    ],
)
async def test_format_bound_by_hand_is_structured_output(
    provider: str, bound: dict[str, Any], clients: DefaultClients
) -> None:
    model = clients.client(provider).bind(**bound)

    async def node(state: MessagesState) -> dict[str, Any]:
        await model.ainvoke(state["messages"])
        return {"messages": [AIMessage("Noted.")]}

    clients.server.script(*JSON)
    hosting = Hosting(pipeline(node=node))
    assert await hosting.reply() == "Noted."
    assert replied(hosting) == ""


async def test_format_that_asks_for_text_is_the_reply(clients: DefaultClients) -> None:
    clients.server.script(Text("Just "), Text("text."))
    model = clients.client("openai").bind(response_format={"type": "text"})

    async def node(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke(state["messages"])]}

    hosting = Hosting(pipeline(node=node))
    assert await hosting.reply() == replied(hosting) == "Just text."


@every_provider
async def test_agent_with_provider_strategy_replies_readably(provider: str, clients: DefaultClients) -> None:
    clients.server.script(*JSON)
    agent = create_agent(clients.client(provider), [look_up], response_format=ProviderStrategy(Trip))
    hosting = Hosting(agent)
    assert await hosting.reply() == READABLE
    assert replied(hosting) == ""


@every_provider
async def test_agent_with_tool_strategy_replies_readably(provider: str, clients: DefaultClients) -> None:
    clients.server.script(Call("Trip", TRIP))
    hosting = Hosting(create_agent(clients.client(provider), [], response_format=ToolStrategy(Trip)))
    assert await hosting.reply() == READABLE
    assert replied(hosting) == ""


@every_provider
async def test_text_beside_a_structure_is_the_reply(provider: str, clients: DefaultClients) -> None:
    clients.server.script(Text("Rome "), Text("it is."), Call("Trip", TRIP))
    hosting = Hosting(create_agent(clients.client(provider), [], response_format=ToolStrategy(Trip)))
    assert await hosting.reply() == replied(hosting) == "Rome it is."


async def test_agent_within_graph_replies_readably(clients: DefaultClients) -> None:
    clients.server.script(Call("Trip", TRIP))
    agent = create_agent(clients.client("openai"), [], response_format=ToolStrategy(Trip))
    assert await Hosting(pipeline(node=agent)).reply() == READABLE


async def test_tool_message_content_of_the_author_is_not_the_reply(clients: DefaultClients) -> None:
    clients.server.script(Call("Trip", TRIP))
    strategy = ToolStrategy(Trip, tool_message_content="Trip captured.")
    agent = create_agent(clients.client("openai"), [], response_format=strategy)
    assert await Hosting(agent).reply() == READABLE


async def test_tool_that_returns_directly_replies_by_itself() -> None:
    call: Any = {"name": "look_up", "args": {"city": "Rome"}, "id": "c1"}
    model = ScriptedChat(script=[AIMessage("", tool_calls=[call])])
    assert await Hosting(create_agent(model, [look_up])).reply() == "Rome is fine"


class Answer(TypedDict):
    """An answer."""

    summary: Annotated[str, ..., "The answer"]


async def test_structure_of_one_text_replies_that_text(clients: DefaultClients) -> None:
    clients.server.script(Call("Answer", {"summary": "Rome is fine."}))
    agent = create_agent(clients.client("openai"), [], response_format=ToolStrategy(Answer))
    assert await Hosting(agent).reply() == "Rome is fine."
