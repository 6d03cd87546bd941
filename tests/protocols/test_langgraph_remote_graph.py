"""LangGraph's `RemoteGraph`, unchanged: by itself, and as a node of a graph that runs elsewhere."""

import asyncio
import uuid
from typing import Annotated, Any, TypedDict

import pytest
import pytest_asyncio
from langchain_core.messages import AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.pregel.remote import RemoteException, RemoteGraph
from langgraph.types import Command, interrupt
from langgraph_sdk import get_client, get_sync_client

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Parent(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    place: str


@pytest_asyncio.fixture(loop_scope="module")
async def remote(talking):
    async with get_client(url=talking.url, api_key=None) as client:
        with get_sync_client(url=talking.url, api_key=None) as sync_client:
            yield RemoteGraph("agent", client=client, sync_client=sync_client)


def of_thread() -> dict[str, Any]:
    return {"configurable": {"thread_id": str(uuid.uuid4())}}


def human(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


def texts(values: Any) -> list[str]:
    found = values["messages"]
    return [each["content"] if isinstance(each, dict) else each.content for each in found]


async def test_remote_graph_is_invoked_streamed_and_resumed_and_has_its_state(remote) -> None:
    config = of_thread()
    assert texts(await remote.ainvoke(human("hello"), config)) == ["hello", "You said: hello"]
    parts = [part async for part in remote.astream(human("hi"), config, stream_mode=["values", "messages"])]
    assert {part.event for part in parts} == {"values", "messages"}
    asked = [each async for each in remote.astream(human("ask"), config)]
    [question] = next(each["__interrupt__"] for each in asked if "__interrupt__" in each)
    state = await remote.aget_state(config)
    assert state.next == ("ask",)
    assert [each.id for each in state.interrupts] == [question["id"]]
    assert state.config["configurable"]["thread_id"] == config["configurable"]["thread_id"]
    values = await remote.ainvoke(Command(resume="Rome"), config)
    assert (values["place"], texts(values)[-1]) == ("Rome", "Then we go to Rome.")
    states = [each async for each in remote.aget_state_history(config)]
    assert states[0] == await remote.aget_state(config)
    assert await remote.aget_state(states[1].config) == states[1]
    assert states[0].parent_config == states[1].config
    with pytest.raises(RemoteException, match="Something went wrong in plan"):
        await remote.ainvoke(human("fail"), config)
    assert (await remote.aget_state(config)).tasks[-1].error is not None


async def test_remote_graph_works_without_a_loop_and_without_a_thread(remote) -> None:
    def work() -> None:
        config = of_thread()
        assert texts(remote.invoke(human("hello"), config))[-1] == "You said: hello"
        assert remote.get_state(config).next == ()
        output = remote.invoke(human("ask"), config, version="v2")
        assert len(output.interrupts) == 1
        assert texts(remote.invoke(human("hello")))[-1] == "You said: hello"
        assert {"plan", "ask", "finish"} <= set(remote.get_graph().nodes)

    await asyncio.to_thread(work)


async def test_remote_graph_forks_from_a_state_of_its_history(remote) -> None:
    config = of_thread()
    for words in ("one", "two"):
        await remote.ainvoke(human(words), config)
    states = [each async for each in remote.aget_state_history(config)]
    at = {"checkpoint_id": states[1].config["configurable"]["checkpoint_id"]}
    assert texts(await remote.ainvoke(human("other"), config, checkpoint=at))[::2] == ["one", "other"]


async def test_remote_node_hands_its_parent_what_was_said(remote) -> None:
    builder = StateGraph(Parent)
    builder.add_node("remote", remote)
    builder.add_edge(START, "remote")
    graph = builder.compile(checkpointer=InMemorySaver())
    config: Any = of_thread()
    values = await graph.ainvoke({"messages": [HumanMessage("hello")]}, config)
    assert texts(values) == ["hello", "You said: hello"]
    streamed: list[str] = []
    async for _, (piece, _) in graph.astream(
        {"messages": [HumanMessage("again")]}, config, stream_mode="messages", subgraphs=True
    ):
        streamed.append(piece["content"] if isinstance(piece, dict) else piece.content)
    assert "".join(streamed).startswith("You said: again")
    values = (await graph.aget_state(config)).values
    assert texts(values) == ["hello", "You said: hello", "again", "You said: again"]


@pytest.mark.requirement("A-MESSAGE-KEEPS-ITS-ID")
async def test_remote_node_raises_its_question_in_the_parent_and_asks_the_same_again(remote) -> None:
    builder = StateGraph(Parent)
    builder.add_node("remote", remote)
    builder.add_edge(START, "remote")
    graph = builder.compile(checkpointer=InMemorySaver())
    config: Any = of_thread()
    first = await graph.ainvoke({"messages": [HumanMessage("ask")]}, config)
    [asked] = first["__interrupt__"]
    # LangGraph sends the same input once more, and never the answer (langchain-ai/langgraph#4879).
    again = await graph.ainvoke(Command(resume="Rome"), config)
    assert [each.id for each in again["__interrupt__"]] == [asked.id]
    assert len(await remote.client.runs.list(config["configurable"]["thread_id"])) == 1


async def test_node_that_hands_the_answer_over_is_the_way_to_answer(remote) -> None:
    async def ask_remote(state: Parent, config: RunnableConfig) -> Parent:
        own: Any = {"configurable": {"thread_id": config.get("configurable", {})["thread_id"]}}
        values = await remote.ainvoke({"messages": [state["messages"][-1].model_dump()]}, own)
        if (await remote.aget_state(own)).interrupts:
            answer = interrupt("Which place?")
            values = await remote.ainvoke(Command(resume=answer), own)
        return {"messages": values["messages"], "place": values.get("place", "")}

    builder = StateGraph(Parent)
    builder.add_node("remote", ask_remote)
    builder.add_edge(START, "remote")
    graph = builder.compile(checkpointer=InMemorySaver())
    config: Any = of_thread()
    first = await graph.ainvoke({"messages": [HumanMessage("ask")]}, config)
    assert first["__interrupt__"][0].value == "Which place?"
    values = await graph.ainvoke(Command(resume="Rome"), config)
    assert (values["place"], texts(values)[-1]) == ("Rome", "Then we go to Rome.")
