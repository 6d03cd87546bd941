"""Graphs whose input or result is no text: as ordinary graphs have them, written for no chat."""

import asyncio
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.config import get_stream_writer
from langgraph.func import entrypoint
from langgraph.graph import END, START, MessagesState, StateGraph, add_messages
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime
from pydantic import BaseModel
from typing_extensions import TypedDict

from backend.graphs.graph_options import GraphOptions
from backend.graphs.hosted_graph import HostedGraph
from tests.contract.hosting import Hosting
from tests.graphs.building import chain
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.interruption.parts import Parts, started

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("GRAPHS-GET-WHAT-THEY-NEED")]


class Price(BaseModel):
    amount: Decimal
    on: date


NINE = Price(amount=Decimal("9.50"), on=date(2026, 3, 1))
NINE_AS_JSON = '{"amount":"9.50","on":"2026-03-01"}'


# --- the reply -------------------------------------------------------------------------------------------


class Wanted(TypedDict, total=False):
    topic: str
    price: Any
    sources: list[str]


class Found(TypedDict):
    price: Any


async def look_up(state: Wanted) -> Any:
    return {"price": NINE, "sources": ["shop"]}


async def reply_of(graph: Any, **options: Any) -> str:
    return await Hosting(graph, options=GraphOptions(**options)).reply()


async def test_the_only_result_of_a_graph_is_its_reply_as_json() -> None:
    graph = chain(look_up, state=Wanted, schemas={"output_schema": Found})
    assert await reply_of(graph) == NINE_AS_JSON


async def test_of_several_results_the_setting_names_the_reply() -> None:
    graph = chain(look_up, state=Wanted)
    assert await reply_of(graph) == "Done."
    assert await reply_of(graph, reply_key="price") == NINE_AS_JSON


class Routed(MessagesState, total=False):
    next: str
    report: str


@pytest.mark.parametrize(("report", "reply"), [("", "Done."), ("All is well.", "All is well.")])
async def test_where_a_router_goes_next_is_no_reply(report: str, reply: str) -> None:
    async def supervisor(state: Routed) -> Any:
        return {"next": END, "report": report}

    assert await reply_of(chain(supervisor, state=Routed)) == reply


RETURNED: list[tuple[Any, str]] = [
    (NINE, NINE_AS_JSON),
    ({"price": 9}, '{"price":9}'),
    (9, "9"),
    ([], "Done."),
    ([HumanMessage("hi")], "Done."),
    ({"messages": [HumanMessage("hi")]}, "Done."),
    (object(), "Done."),
]


@pytest.mark.parametrize(("value", "reply"), RETURNED)
async def test_what_a_function_returns_is_its_reply_as_json(value: Any, reply: str) -> None:
    @entrypoint()
    async def work(message: str) -> Any:
        return value

    assert await reply_of(work) == reply


# --- an input that no text is ----------------------------------------------------------------------------


class Email(TypedDict):
    subject: str


@dataclass
class Inbox:
    email: Email
    tone: str = "kind"
    language: str = "English"


async def answer_email(state: Inbox) -> Any:
    get_stream_writer()({"subject": state.email["subject"], "tone": state.tone})
    return {}


def served(graph: Any, **options: Any) -> Parts:
    given = GraphOptions(**options)
    return Parts(workflow=lambda ledger, owner: HostedGraph(graph, ledger=ledger, owner=owner, options=given))


async def test_an_input_that_no_text_fits_is_brought_by_each_message() -> None:
    graph = chain(answer_email, state=Inbox)
    async with started(served(graph, input_field="email")) as parts:
        brought = {"input": {"email": {"subject": "Lunch"}}}
        await parts.settled(await parts.post("Answer it.", given=brought))
        found = [event for event in await parts.events() if event["type"] == "partial_result"]
        assert [event["items"] for event in found] == [[{"subject": "Lunch", "tone": "kind"}]]
        await parts.settled(await parts.post("And this."))
        assert (await parts.history())[-1][1] == "The graph needs email: send it in the message's input."


# --- messages that are no input --------------------------------------------------------------------------


class Topic(TypedDict):
    topic: str


class Research(Topic):
    messages: Annotated[list[BaseMessage], add_messages]


async def test_messages_that_a_graph_keeps_for_itself_are_completed_too() -> None:
    entered = asyncio.Event()

    @tool
    async def search(topic: str) -> str:
        """Search."""
        entered.set()
        await asyncio.get_running_loop().create_future()
        return topic

    script = [calling("search", topic="Rome"), "It is Oslo.", "Half of it ...", "It is Turin."]
    model = ScriptedChat(script=script)

    async def agent(state: Research) -> Any:
        return {"messages": [await model.ainvoke([HumanMessage(state["topic"]), *state["messages"]])]}

    async def is_done(state: Research) -> str:
        last = state["messages"][-1]
        return "tools" if isinstance(last, AIMessage) and last.tool_calls else END

    builder = StateGraph(Research, input_schema=Topic)
    builder.add_node("agent", agent)
    builder.add_node("tools", ToolNode([search]))
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", is_done)
    builder.add_edge("tools", "agent")
    async with started(served(builder.compile())) as parts:
        await parts.post("Rome")
        await entered.wait()
        await parts.settled(await parts.post("Oslo"))
        assert [each.type for each in model.given[-1]] == ["human", "ai", "tool"]
        assert model.given[-1][-1].text.startswith("Cancelled before it was done")
        await parts.post("Bern")
        async with asyncio.timeout(20):
            while not any("Half" in event.get("text", "") for event in await parts.events()):  # noqa: ASYNC110
                await asyncio.sleep(0)
        await parts.settled(await parts.post("Turin"))
        # No message of a user follows: half an answer would end the list, which many models refuse.
        assert [each.type for each in model.given[-1]] == ["human", "ai", "tool", "ai"]
        assert model.given[-1][-1].text == "It is Oslo."


@pytest.mark.parametrize(
    "returned",
    [
        {"role": "assistant", "content": "Sunny."},
        {"role": "assistant", "content": [{"type": "text", "text": "Sunny."}]},
        [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Sunny."}],
    ],
)
async def test_function_may_return_a_message_as_a_mapping(returned: Any) -> None:
    @entrypoint()
    async def work(message: str) -> Any:
        return returned

    assert await Hosting(work).reply() == "Sunny."


async def test_node_finds_its_user_where_no_context_is_declared() -> None:
    async def node(_state: MessagesState, runtime: Runtime[Any], config: RunnableConfig) -> dict[str, Any]:
        found = runtime.context["user_id"], config.get("configurable", {})["user_id"]
        return {"messages": [AIMessage(" ".join(found))]}

    assert await Hosting(chain(node, state=MessagesState)).reply() == "ann ann"
