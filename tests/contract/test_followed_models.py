"""Models in the nodes of any graph: their tokens are shown as they come, as whose they are."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from langgraph.graph import MessagesState
from pydantic import Field

from backend.domain.errors import GraphFailedError
from backend.domain.task import InterruptReason
from backend.graphs.hosted_tools import say
from tests.contract.hosting import Hosting
from tests.fakes.waiting import until
from tests.graphs.building import beside, pipeline
from tests.graphs.scripted_chat import ScriptedChat, calling, pieces

pytestmark = pytest.mark.requirement("TOKENS-OF-ANY-GRAPH")


def speaking(*script: Any, **options: Any) -> ScriptedChat:
    return ScriptedChat(script=list(script), **options)


def asks(model: ScriptedChat) -> Any:
    """Return a node that awaits a model's whole answer."""

    async def node(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await model.ainvoke(state["messages"])]}

    return node


def said(hosting: Hosting, *, reply: bool = True) -> list[tuple[str, str]]:
    """Return the pieces that are part of the reply, or those that are not, as (node, text)."""
    pieces = [event for event in hosting.events if event["type"] == "text_delta"]
    return [(each["node"], each["text"]) for each in pieces if each.get("reply") is reply]


async def seen(hosting: Hosting, text: str) -> None:
    """Wait until a text was shown."""
    await until(lambda: text in hosting.context.partial_results.text)


async def test_awaited_answer_of_a_node_is_shown_word_by_word() -> None:
    hosting = Hosting(create_agent(speaking("It is sunny."), []))
    assert await hosting.reply() == "It is sunny."
    await hosting.store.check()
    assert said(hosting) == [("model", "It "), ("model", "is "), ("model", "sunny.")]
    offsets = [event["offset"] for event in hosting.events if event["type"] == "text_delta"]
    assert offsets == [0, 3, 6]
    assert len({event["message_id"] for event in hosting.events if event["type"] == "text_delta"}) == 1


async def test_model_of_a_plain_node_streams_from_its_thread() -> None:
    model = speaking("From a thread.")

    def node(state: MessagesState) -> dict[str, Any]:
        assert threading.current_thread() is not threading.main_thread()
        return {"messages": [model.invoke(state["messages"])]}

    hosting = Hosting(pipeline(node=node))
    assert await hosting.reply() == "From a thread."
    await hosting.store.check()
    assert "".join(text for _, text in said(hosting)) == "From a thread."


async def test_nostream_answer_is_not_shown_and_its_usage_is_counted() -> None:
    quiet = speaking(AIMessage("secret", usage_metadata=usage(3, 4)), disable_streaming=True)

    async def node(state: MessagesState) -> dict[str, Any]:
        await quiet.with_config(tags=["nostream"]).ainvoke(state["messages"])
        return {"messages": [AIMessage("Done with it.")]}

    hosting = Hosting(pipeline(node=node))
    assert await hosting.reply() == "Done with it."
    await hosting.store.check()
    assert said(hosting) + said(hosting, reply=False) == []
    used = hosting.context.trace.usage.total()
    assert (used.input_tokens, used.output_tokens, used.calls) == (3, 4, 1)


def usage(given: int, said: int) -> Any:
    return {"input_tokens": given, "output_tokens": said, "total_tokens": given + said}


async def test_text_of_the_last_node_is_the_reply_and_others_are_their_nodes() -> None:
    hosting = Hosting(pipeline(plan=asks(speaking("First think.")), write=asks(speaking("Then write."))))
    assert await hosting.reply() == "Then write."
    await hosting.store.check()
    assert said(hosting, reply=False) == [("plan", "First "), ("plan", "think.")]
    assert said(hosting) == [("write", "Then "), ("write", "write.")]
    assert hosting.context.partial_results.text == "Then write."


async def test_preamble_before_a_tool_and_the_reply_are_two_paragraphs() -> None:
    def look(city: str) -> str:
        """Look."""
        return f"{city} is fine"

    model = speaking(calling("look", text="Let me look.", city="Rome"), "Rome is fine.")
    hosting = Hosting(create_agent(model, [look]))
    assert await hosting.reply() == "Rome is fine."
    assert hosting.context.partial_results.text == "Let me look.\n\nRome is fine."


async def test_agent_within_a_node_replies() -> None:
    inner = create_agent(speaking("From within."), [])
    hosting = Hosting(pipeline(prepare=_nothing, agent=inner))
    assert await hosting.reply() == "From within."
    await hosting.store.check()
    assert said(hosting) == [("model", "From "), ("model", "within.")]


def _nothing(_state: MessagesState) -> dict[str, Any]:
    return {}


async def test_of_two_answers_at_once_one_is_the_reply_and_both_are_whole() -> None:
    sides = [(name, asks(speaking(f"I am the {name} one.", pause_s=0.001))) for name in ("left", "right")]
    hosting = Hosting(beside(*sides, state=MessagesState))
    await hosting.reply()
    await hosting.store.check()
    texts = {"".join(text for _, text in said(hosting, reply=reply)) for reply in (True, False)}
    assert texts == {"I am the left one.", "I am the right one."}
    assert hosting.context.partial_results.text in texts


async def test_answer_of_a_model_that_does_not_stream_is_said_at_once() -> None:
    hosting = Hosting(create_agent(speaking("All at once.", disable_streaming=True), []))
    assert await hosting.reply() == "All at once."
    await hosting.store.check()
    assert said(hosting) == [("model", "All at once.")]


class Halting(ScriptedChat):
    """Waits in its thread before each word but the first, until the event of the test is set."""

    go_on: threading.Event
    words: list[str] = Field(default_factory=list[str])

    def _stream(self, messages: list[BaseMessage], *_: Any, **options: Any) -> Iterator[ChatGenerationChunk]:
        for chunk in pieces(self._next(messages)):
            if self.words:
                self.go_on.wait(20)
            self.words.append(chunk.text)
            yield chunk


async def test_model_of_a_thread_that_outlives_its_run_ends_at_its_next_word() -> None:
    go_on, ended = threading.Event(), threading.Event()
    model = Halting(script=["Half of it, and more.", "Never said."], go_on=go_on)

    def node(state: MessagesState) -> dict[str, Any]:
        try:
            model.invoke(state["messages"])
        finally:
            with suppress(GraphFailedError):
                model.invoke(state["messages"])
            ended.set()
        return {}

    hosting = Hosting(pipeline(node=node))
    await hosting.start()
    await seen(hosting, "Half ")
    hosting.manager.interrupt_task(hosting.context.task_id, InterruptReason.SUPERSEDED)
    await hosting.ended()
    go_on.set()
    assert await asyncio.to_thread(ended.wait, 20)
    assert model.words == ["Half ", "of "]
    assert [line for line in model.script if line == "Never said."] == ["Never said."]


async def test_say_of_a_models_own_words_is_shown_once() -> None:
    model = speaking("Said by both.")

    async def node(state: MessagesState) -> dict[str, Any]:
        text = ""
        async for chunk in model.astream(state["messages"]):
            say(chunk.text)
            text += chunk.text
        say(" And more.")
        return {"messages": [AIMessage(text)]}

    hosting = Hosting(pipeline(node=node))
    await hosting.reply()
    assert hosting.context.partial_results.text == "Said by both. And more."


async def test_endless_answer_fails_its_task_at_the_bound() -> None:
    hosting = Hosting(create_agent(speaking("word " * 500), []), most_shown=2000)
    await hosting.start()
    task = await hosting.ended()
    assert task.status == "failed"
    assert (await hosting.last_message()).startswith("This came to more than")
    assert len(hosting.context.partial_results.text) < 2000
