"""A node writes what its graph's state refuses: that is said, and does not fail each later message."""

import dataclasses
from collections.abc import Mapping
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from pydantic import BaseModel, Field, model_validator

from tests.contract.serving import serving
from tests.graphs.building import pipeline
from tests.interruption.parts import Parts

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("STATE-AFTER-AN-UPGRADE")]

Messages = Annotated[list[AnyMessage], add_messages]


class Inner(BaseModel):
    level: int = 1


class Typed(BaseModel):
    messages: Messages = []
    mood: str = "unknown"
    share: Annotated[float, Field(le=1)] = 0.5
    inner: Inner = Inner()


class Ruled(BaseModel):
    messages: Messages = []
    low: int = 0
    high: int = 10

    @model_validator(mode="after")
    def _in_order(self) -> "Ruled":
        if self.low > self.high:
            raise ValueError("low is above high")
        return self


@dataclasses.dataclass
class Strict:
    messages: Messages = dataclasses.field(default_factory=list)
    mood: str = "unknown"

    def __post_init__(self) -> None:
        if not isinstance(self.mood, str):
            raise TypeError("a mood is a text")


KINDS: Mapping[str, tuple[Any, dict[str, Any], str]] = {
    "type": (Typed, {"mood": 42}, "mood: Input should be a valid string"),
    "constraint": (Typed, {"share": 2.0}, "share: Input should be less than or equal to 1"),
    "nested": (Typed, {"inner": {"level": "high"}}, "inner: level: Input should be a valid integer"),
    "rule": (Ruled, {"low": 20}, "low: Value error, low is above high"),
    "dataclass": (Strict, {"mood": 42}, "mood: TypeError: a mood is a text"),
}
every_kind = pytest.mark.parametrize(("state", "update", "told"), KINDS.values(), ids=KINDS)


def writing(update: Mapping[str, Any]) -> Any:
    """Return a node that answers, and writes this once."""
    left = [update]

    async def node(state: Any) -> Any:
        return {"messages": [AIMessage("noted")], **(left.pop() if left else {})}

    return node


async def ask(parts: Parts, message: str) -> Any:
    """Return the task of a message, once it has ended."""
    task = await parts.post(message)
    await parts.settled(task)
    return await parts.task(task)


@every_kind
async def test_value_that_the_state_refuses_is_set_aside_at_the_next_message(
    state: Any, update: dict[str, Any], told: str
) -> None:
    async with serving(pipeline(state, node=writing(update))) as parts:
        first, second, third = [await ask(parts, message) for message in ("one", "two", "three")]
        assert {each.status for each in (first, second, third)} == {"completed"}
        assert not first.set_aside
        assert second.set_aside[0].startswith(told)
        assert not third.set_aside


@every_kind
async def test_node_that_wrote_what_the_next_cannot_read_is_named(
    state: Any, update: dict[str, Any], told: str
) -> None:
    async with serving(pipeline(state, first=writing(update), second=writing({}))) as parts:
        assert (await ask(parts, "one")).status == "failed"
        channel, why = told.split(": ", 1)
        reply = (await parts.history())[-1][1]
        assert reply.startswith(
            f"The graph's state refuses what was written to it. {channel} (by the node first): {why}"
        )
        assert (await ask(parts, "two")).status == "completed"
        assert (await ask(parts, "three")).set_aside == ()


def only_lists(kept: Any, added: Any) -> Any:
    if not isinstance(kept, list):
        raise TypeError("no list")
    return added


class Reduced(MessagesState, total=False):
    notes: Annotated[list[Any], only_lists]


async def test_value_that_its_reducer_refuses_fails_one_message_and_is_set_aside() -> None:
    async def node(state: Reduced) -> Any:
        return {
            "messages": [AIMessage("noted")],
            "notes": "a text" if len(state["messages"]) == 1 else ["a list"],
        }

    async with serving(pipeline(Reduced, node=node)) as parts:
        await ask(parts, "one")
        assert (await ask(parts, "two")).status == "failed"
        assert "notes (by the node node): TypeError" in (await parts.history())[-1][1]
        third = await ask(parts, "three")
        assert third.status == "completed"
        assert third.set_aside == ("notes: its reducer refuses what was stored: TypeError: no list",)
        assert (await ask(parts, "four")).set_aside == ()


async def test_failure_of_a_node_is_not_taken_for_a_refusal() -> None:
    async def node(state: Typed) -> Any:
        Typed(mood=42)  # pyright: ignore[reportArgumentType]

    async with serving(pipeline(Typed, node=node)) as parts:
        await ask(parts, "one")
        assert "in node (ValidationError)" in (await parts.history())[-1][1]


class Draft(BaseModel):
    draft: str


class Drafts(MessagesState, total=False):
    draft: Any


def of_drafts(**nodes: tuple[Any, Any]) -> Any:
    """Return a graph of nodes with input schemas of their own."""
    builder, before = StateGraph(Drafts), START
    for name, (node, schema) in nodes.items():
        builder.add_node(name, node, input_schema=schema)
        builder.add_edge(before, name)
        before = name
    return builder.add_edge(before, END).compile()


async def test_value_that_only_a_later_node_refuses_is_kept_while_others_rewrite_it() -> None:
    given: list[Any] = []

    async def write(state: Drafts) -> Any:
        given.append(state.get("draft"))
        return {"draft": "a text"}

    async def review(state: Draft) -> Any:
        return {"draft": 0, "messages": [AIMessage(state.draft)]}

    async with serving(of_drafts(write=(write, Drafts), review=(review, Draft))) as parts:
        for message in ("one", "two"):
            assert (await ask(parts, message)).set_aside == ()
        assert given == [None, 0]


async def test_value_that_a_later_node_refuses_fails_one_message_and_is_set_aside() -> None:
    left = [{"draft": 42}]

    async def write(state: Drafts) -> Any:
        return left.pop() if left else {} if "draft" in state else {"draft": "a text"}

    async def review(state: Draft) -> Any:
        return {"messages": [AIMessage(state.draft)]}

    async with serving(of_drafts(write=(write, Drafts), review=(review, Draft))) as parts:
        assert (await ask(parts, "one")).status == "failed"
        assert "draft (by the node write): Input should be a valid string" in (await parts.history())[-1][1]
        assert (await ask(parts, "two")).set_aside == ("draft: Input should be a valid string",)
        assert (await parts.history())[-1][1] == "a text"
