"""What events tell of a run's messages: the tool calls that models ask for, and what enters the state."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, TypedDict

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import tool
from langgraph.graph import MessagesState
from langgraph.prebuilt import ToolNode

from backend.domain.task import InterruptReason
from tests.contract.hosting import Hosting
from tests.graphs.building import pipeline
from tests.graphs.scripted_chat import ScriptedChat, calling

KINDS = frozenset({"tool_call", "graph_message", "tool_update"})


@tool
async def look(city: str) -> str:
    """Look at a city."""
    if city == "Atlantis":
        raise ValueError("no such city")
    if city == "Paris":
        await asyncio.get_running_loop().create_future()
    return f"{city} is sunny"


class InPieces(ScriptedChat):
    """Streams the arguments of a call four characters at a time, its id and its name once, as OpenAI does."""

    async def _astream(
        self, messages: list[BaseMessage], *_: Any, **options: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        answer = self._next(messages)
        if answer.text:
            yield ChatGenerationChunk(message=AIMessageChunk(answer.text))
        for index, call in enumerate(answer.tool_calls):
            text = json.dumps(call["args"])
            pieces: list[Any] = [{"name": call["name"], "id": call["id"], "args": "", "index": index}]
            pieces += [
                {"name": None, "id": None, "args": text[at : at + 4], "index": index}
                for at in range(0, len(text), 4)
            ]
            for piece in pieces:
                await asyncio.sleep(0)
                yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[piece]))


class Whole(ScriptedChat):
    """Answers in one piece."""

    disable_streaming: bool = True


async def run(graph: Any) -> Hosting:
    """Run a graph to its end."""
    hosting = Hosting(graph, message="How is Rome?")
    await hosting.start()
    await hosting.ended()
    await hosting.store.check()
    return hosting


def told(hosting: Hosting, *kinds: str) -> list[dict[str, Any]]:
    """Return the events of some kinds, without what all events have."""
    common = {"seq", "at", "task_id", "type"}
    return [
        {name: value for name, value in each.items() if name not in common}
        for each in hosting.events
        if each["type"] in kinds
    ]


def calls(hosting: Hosting) -> dict[str, tuple[str, str]]:
    """Return tool and arguments of each call that models have asked for, of pieces that fit together."""
    found: dict[str, tuple[str, str]] = {}
    for each in told(hosting, "tool_call"):
        before = found.get(each["tool_call_id"], (each["tool"], ""))[1]
        assert each["offset"] == len(before)
        found[each["tool_call_id"]] = (each["tool"], before + each["arguments"])
    assert all(
        [each["whole"] for each in told(hosting, "tool_call") if each["tool_call_id"] == call_id][-1]
        for call_id in found
    )
    return found


@pytest.mark.parametrize("model", [InPieces, ScriptedChat, Whole])
async def test_call_of_an_agent_is_told_with_arguments_and_result(model: type[ScriptedChat]) -> None:
    agent = create_agent(model(script=[calling("look", city="Rome"), "It is sunny."]), [look])
    hosting = await run(agent)
    assert calls(hosting) == {"c1": ("look", '{"city": "Rome"}')} or calls(hosting) == {
        "c1": ("look", '{"city":"Rome"}')
    }
    began, ended = told(hosting, "tool_update")
    assert (began["tool_call_id"], began["state"], began["arguments"]) == ("c1", "running", {"city": "Rome"})
    assert (ended["tool_call_id"], ended["state"], ended["result"]) == ("c1", "completed", "Rome is sunny")
    (result,) = told(hosting, "graph_message")
    assert result.pop("message_id")
    assert result == {
        "role": "tool", "node": "tools", "tool_call_id": "c1", "tool": "look", "status": "success",
        "text": "Rome is sunny",
    }  # fmt: skip


async def test_arguments_come_as_their_model_streams_them() -> None:
    hosting = await run(create_agent(InPieces(script=[calling("look", city="Rome"), "Sunny."]), [look]))
    pieces = [each["arguments"] for each in told(hosting, "tool_call")]
    assert len(pieces) > 2
    assert "".join(pieces) == '{"city": "Rome"}'


async def test_call_belongs_to_the_message_whose_text_came_before_it() -> None:
    script = [calling("look", text="Let me look. ", city="Rome"), "Sunny."]
    hosting = await run(create_agent(InPieces(script=script), [look]))
    first = told(hosting, "text_delta")[0]
    assert {each["message_id"] for each in told(hosting, "tool_call")} == {first["message_id"]}


async def test_failed_call_is_told_as_an_error() -> None:
    model = ScriptedChat(script=[calling("look", city="Atlantis")])

    async def think(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke(state["messages"])]}

    tools = ToolNode([look], handle_tool_errors=lambda error: f"failed: {error}")
    *_, result = told(await run(pipeline(think=think, tools=tools)), "graph_message")
    assert (result["status"], result["text"]) == ("error", "failed: no such city")


async def test_node_that_calls_tools_by_hand_tells_results_under_their_ids() -> None:
    """As LangGraph's own quickstart does: the call has no id for LangChain, the message it makes has."""
    model = ScriptedChat(script=[calling("look", city="Rome"), "It is sunny."])

    async def think(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke(state["messages"])]}

    async def act(state: MessagesState) -> dict[str, Any]:
        asked: Any = state["messages"][-1]
        results = [
            ToolMessage(await look.ainvoke(each["args"]), tool_call_id=each["id"])
            for each in asked.tool_calls
        ]
        return {"messages": results}

    hosting = await run(pipeline(think=think, act=act, answer=think))
    results = [each for each in told(hosting, "graph_message") if each["role"] == "tool"]
    assert [(each["tool_call_id"], each["text"]) for each in results] == [("c1", "Rome is sunny")]
    assert [*calls(hosting)] == ["c1"]


async def test_message_that_a_node_makes_is_told_whole_and_once() -> None:
    async def greet(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage("Hello.")]}

    async def leave(state: MessagesState) -> dict[str, Any]:
        return {"messages": [{"role": "assistant", "content": "Goodbye."}]}

    hosting = await run(pipeline(greet=greet, leave=leave))
    assert [(each["node"], each["text"]) for each in told(hosting, "graph_message")] == [
        ("greet", "Hello."),
        ("leave", "Goodbye."),
    ]


async def test_streamed_reply_is_not_told_again() -> None:
    hosting = await run(create_agent(ScriptedChat(script=["It is sunny."]), []))
    assert told(hosting, "graph_message") == []


async def test_copy_of_a_streamed_answer_is_not_told_again() -> None:
    model = ScriptedChat(script=["It is sunny."])

    async def answer(state: MessagesState) -> dict[str, Any]:
        said = await model.ainvoke(state["messages"])
        return {"messages": [{"role": "assistant", "content": said.content}]}

    assert told(await run(pipeline(answer=answer)), "graph_message") == []


async def test_answer_of_a_node_that_does_not_reply_is_told_without_its_text() -> None:
    planner, writer = ScriptedChat(script=["First Rome."]), ScriptedChat(script=["Go to Rome."])

    async def plan(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await planner.ainvoke(state["messages"])]}

    async def write(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await writer.ainvoke(state["messages"])]}

    hosting = await run(pipeline(plan=plan, write=write))
    (message,) = told(hosting, "graph_message")
    streamed = [each for each in told(hosting, "text_delta") if each.get("node") == "plan"]
    assert message == {"message_id": streamed[0]["message_id"], "role": "assistant", "node": "plan"}


async def test_messages_of_a_graph_within_are_told_with_its_namespace_and_again_once_they_are_handed_on() -> (
    None
):
    inner = create_agent(ScriptedChat(script=[calling("look", city="Rome"), "It is sunny."]), [look])
    hosting = await run(pipeline(agent=inner))
    results = [each for each in told(hosting, "graph_message") if each["role"] == "tool"]
    assert [each.get("namespace", "").partition(":")[0] for each in results] == ["agent", ""]
    assert len({each["message_id"] for each in results}) == 1
    (piece, *_) = told(hosting, "tool_call")
    assert piece["namespace"].startswith("agent:")


async def test_messages_of_the_turns_before_are_not_told_again() -> None:
    async def recall(state: MessagesState) -> dict[str, Any]:
        return {"messages": [*state["messages"], AIMessage("That is all.")]}

    model = ScriptedChat(script=["Sunny."])

    async def answer(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke(state["messages"])]}

    hosting = await run(pipeline(answer=answer, recall=recall))
    assert [each["text"] for each in told(hosting, "graph_message") if "text" in each] == ["That is all."]


async def test_long_result_is_told_in_part() -> None:
    @tool
    async def read() -> str:
        """Read a book."""
        return "word " * 20_000

    hosting = await run(create_agent(ScriptedChat(script=[calling("read"), "Read."]), [read]))
    (result,) = told(hosting, "graph_message")
    assert result["cut"] is True
    assert len(result["text"]) == 16 * 1024
    assert "result" not in told(hosting, "tool_update")[-1]


async def test_results_beyond_what_a_task_may_show_are_left_out_and_fail_nothing() -> None:
    @tool
    async def read() -> str:
        """Read a page."""
        return "word " * 2_000

    script = [*(calling("read", call_id=f"c{number}") for number in range(4)), "Read."]
    hosting = Hosting(create_agent(ScriptedChat(script=script), [read]), message="Read it", most_shown=50_000)
    await hosting.start()
    assert (await hosting.ended()).status == "completed"
    results = told(hosting, "graph_message")
    assert [bool(each["text"]) for each in results] == [True, True, False, False]
    assert [each.get("cut", False) for each in results] == [False, False, True, True]


async def test_conversation_that_each_node_writes_whole_is_told_once() -> None:
    """A plain list of mappings, without a reducer and without ids."""

    class Plain(TypedDict):
        messages: list[Any]

    def saying(text: str) -> Any:
        async def node(state: Plain) -> dict[str, Any]:
            return {"messages": [*state["messages"], {"role": "assistant", "content": text}]}

        return node

    hosting = await run(pipeline(Plain, one=saying("One."), two=saying("Two."), again=saying("Two.")))
    assert [each["text"] for each in told(hosting, "graph_message")] == ["One.", "Two.", "Two."]


async def test_no_more_messages_are_told_than_a_log_can_take() -> None:
    async def flood(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(f"Number {number}.") for number in range(2_000)]}

    assert len(told(await run(pipeline(flood=flood)), "graph_message")) == 500


async def test_arguments_beyond_what_a_task_may_show_are_left_out_and_fail_nothing() -> None:
    @tool
    async def write(words: str) -> str:
        """Write a text."""
        return f"{len(words)} characters"

    script = [calling("write", words="word " * 10_000), "Written."]
    agent = create_agent(InPieces(script=script), [write])
    hosting = Hosting(agent, message="Write it", most_shown=25_000)
    await hosting.start()
    assert (await hosting.ended()).status == "completed"
    assert told(hosting, "tool_call")[-1].items() >= {"whole": True, "cut": True}.items()


async def test_calls_that_a_service_gives_one_place_stay_apart() -> None:
    class OnePlace(ScriptedChat):
        async def _astream(
            self, messages: list[BaseMessage], *_: Any, **options: Any
        ) -> AsyncIterator[ChatGenerationChunk]:
            for call in self._next(messages).tool_calls or [None]:
                chunk: Any = call and {**call, "args": json.dumps(call["args"]), "index": 0}
                message = AIMessageChunk("", tool_call_chunks=[chunk]) if call else AIMessageChunk("Done.")
                yield ChatGenerationChunk(message=message)

    asked = [{"name": "look", "args": {"city": city}, "id": city} for city in ("Rome", "Oslo")]
    hosting = await run(create_agent(OnePlace(script=[AIMessage("", tool_calls=asked), "Done."]), [look]))
    assert {name: json.loads(text) for name, (_, text) in calls(hosting).items()} == {
        "Rome": {"city": "Rome"},
        "Oslo": {"city": "Oslo"},
    }


async def test_interrupted_call_is_told_by_its_outcome() -> None:
    agent = create_agent(ScriptedChat(script=[calling("look", city="Paris"), "Never."]), [look])
    hosting = Hosting(agent, message="How is Paris?")
    await hosting.start()
    async with asyncio.timeout(20):
        while not any(each["type"] == "tool_update" for each in hosting.events):  # noqa: ASYNC110
            await asyncio.sleep(0)
    hosting.manager.interrupt(hosting.context, InterruptReason.STOPPED)
    await hosting.ended()
    assert told(hosting, "graph_message") == []
    assert told(hosting, "tool_update")[-1]["state"] == "cancelled"
