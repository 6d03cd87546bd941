"""Messages and other objects that a node writes to its stream are partial results, as JSON."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, ChatMessage
from langgraph.config import get_stream_writer
from pydantic import BaseModel

from backend.domain.task import TaskStatus
from tests.contract.hosting import Hosting
from tests.graphs.building import State, chain

pytestmark = pytest.mark.requirement("FOUND-IS-KEPT")


class Price(BaseModel):
    amount: int


@dataclass
class Offer:
    price: Price


WRITTEN: list[tuple[Any, str, dict[str, Any]]] = [
    (
        ChatMessage(content=[{"state": "running"}], role="custom"),
        "write",
        {"type": "chat", "role": "custom", "content": [{"state": "running"}]},
    ),
    (AIMessage("It is sunny."), "write", {"type": "ai", "content": "It is sunny."}),
    (AIMessageChunk("It"), "write", {"type": "AIMessageChunk", "content": "It"}),
    (Price(amount=9), "write", {"amount": 9}),
    (Offer(Price(amount=9)), "write", {"price": {"amount": 9}}),
    ({"agent": "hotel", "items": [Price(amount=9)]}, "hotel", {"amount": 9}),
    ({"offers": (Price(amount=9),)}, "write", {"offers": [{"amount": 9}]}),
]


@pytest.mark.parametrize(("value", "agent", "fields"), WRITTEN)
@pytest.mark.parametrize("in_thread", [False, True])
async def test_an_object_is_shown_as_the_mapping_of_its_fields(
    value: Any, agent: str, fields: dict[str, Any], in_thread: bool
) -> None:
    async def write(state: State) -> State:
        writer = get_stream_writer()
        await asyncio.to_thread(writer, value) if in_thread else writer(value)
        return {}

    hosting = Hosting(chain(write))
    await hosting.start()
    assert (await hosting.ended()).status is TaskStatus.COMPLETED
    [(shown_as, [shown])] = hosting.found
    assert shown_as == agent
    assert shown | fields == shown


def holding_itself() -> list[Any]:
    circle: list[Any] = [Price(amount=1)]
    circle.append(circle)
    return circle


class Odd(BaseModel):
    inside: Any


@pytest.mark.parametrize("value", [holding_itself(), Odd(inside=object()), [Price(amount=1), object()]])
async def test_an_object_without_a_json_form_fails_its_task_with_a_sentence(value: Any) -> None:
    async def write(state: State) -> State:
        get_stream_writer()(value)
        return {}

    hosting = Hosting(chain(write))
    await hosting.start()
    assert (await hosting.ended()).status is TaskStatus.FAILED
    assert (await hosting.last_message()).startswith("The node 'write' wrote what has no JSON form: ")
