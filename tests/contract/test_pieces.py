"""A value that is packed again, as a step does, comes to the same pieces as if it had never been packed."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from backend.graphs.langgraph_internals import ENCODED
from backend.graphs.state import pieces
from backend.graphs.state.pieces import Marks, Pieces, pack
from backend.store.threads import ids_in

pytestmark = pytest.mark.requirement("STATE-IS-KEPT-BY-STEPS")


def message(text: str) -> Any:
    return AIMessage(
        text * 40,
        id=text,
        additional_kwargs={"seen": [text]},
        tool_calls=[{"name": "look", "args": {"city": text}, "id": f"call-{text}", "type": "tool_call"}],
    )


class Channel:
    """One channel, packed at each step as `ThreadWriter` does, and anew beside it."""

    def __init__(self) -> None:
        self.known: set[bytes] = set()
        self.held: dict[bytes, bytes] = {}
        self.marks: Marks = {}

    def step(self, value: Any) -> dict[bytes, bytes]:
        packed, new = pack(value, self.known, self.held, self.marks)
        assert packed == pack(value, set())[0]
        assert new == pack(value, self.known)[1]
        self.held |= new
        self.known = {*ids_in(packed.pages), *ids_in(packed.pieces)}
        read, faults = Pieces(self.held).value(packed)
        assert faults == []
        assert ENCODED.dumps_typed(read) == ENCODED.dumps_typed(value)
        return new


def grown(messages: list[Any]) -> None:
    messages.append(message(f"new {len(messages)}"))


def said_otherwise(messages: list[Any]) -> None:
    messages[3].content = "something else" * 40


def noted_within(messages: list[Any]) -> None:
    messages[5].additional_kwargs["seen"].append("again")


def called_otherwise(messages: list[Any]) -> None:
    messages[7].tool_calls[0]["args"]["city"] = "Oslo"


def with_another_field(messages: list[Any]) -> None:
    messages[2].mood = "glad"


def of_another_class(messages: list[Any]) -> None:
    messages[4] = HumanMessage(**messages[4].model_dump(exclude={"type", "tool_calls", "invalid_tool_calls"}))


def with_a_document(messages: list[Any]) -> None:
    messages[6].additional_kwargs["found"] = Document("a page")


CHANGES: list[Callable[[list[Any]], None]] = [
    grown,
    said_otherwise,
    noted_within,
    called_otherwise,
    with_another_field,
    of_another_class,
    with_a_document,
]


@pytest.mark.parametrize("change", CHANGES)
def test_value_changed_in_place_is_packed_anew(change: Callable[[list[Any]], None]) -> None:
    """Marks that are made of identities alone fail all of it but `grown`."""
    channel, messages = Channel(), [message(f"m{nth}") for nth in range(30)]
    channel.step(messages)
    assert channel.step(messages) == {}
    change(messages)
    assert channel.step(messages) != {}
    assert channel.step(messages) == {}


def test_value_changed_at_random_is_packed_as_if_anew() -> None:
    chance = random.Random(7)
    channel, values = Channel(), [message(f"m{nth}") for nth in range(20)]
    for nth in range(400):
        match chance.randrange(8):
            case 0:
                values.insert(chance.randrange(len(values) + 1), message(f"n{nth}"))
            case 1:
                values += [message(f"n{nth}-{each}") for each in range(chance.randrange(30))]
            case 2 if values:
                del values[chance.randrange(len(values)) :]
            case 3 if values:
                values[chance.randrange(len(values))] = {"a dict": nth}
            case 4 if values:
                values[chance.randrange(len(values))] = "text" * chance.randrange(200)
            case 5:
                values.append(ToolMessage("short", tool_call_id=f"c{nth}"))
            case _ if values:
                each = chance.choice(values)
                if isinstance(each, AIMessage):
                    each.additional_kwargs["seen"].append(nth)
            case _:
                pass
        channel.step(values)


def test_marks_of_pieces_that_are_not_held_are_not_used() -> None:
    messages = [message(f"m{nth}") for nth in range(30)]
    channel = Channel()
    channel.step(messages)
    channel.held, channel.known = {}, set()
    assert len(channel.step(messages)) > 3


def test_unchanged_messages_are_not_encoded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[Any] = []

    class Counting:
        def dumps_typed(self, value: Any) -> tuple[str, bytes]:
            encoded.append(value)
            return ENCODED.dumps_typed(value)

    channel, messages = Channel(), [message(f"m{nth}") for nth in range(600)]
    channel.step(messages)
    grown(messages)
    monkeypatch.setattr(pieces, "ENCODED", Counting())
    pack(messages, channel.known, channel.held, channel.marks)
    assert len(encoded) <= 2 * pieces.GROUP
