"""The steps of a thread: shown to its user, and how much of them is kept."""

import threading
from collections import deque
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson
import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage
from langgraph.graph import MessagesState
from pydantic import BaseModel, field_serializer

from backend.domain.encoding import encode
from backend.domain.errors import NotFound
from backend.graphs.state.state_history import LARGE_BYTES, StateHistory
from backend.store import base
from backend.store import threads as thread_steps
from tests.contract.serving import serving
from tests.graphs.building import pipeline
from tests.graphs.scripted_chat import ScriptedChat
from tests.interruption.parts import Parts

pytestmark = pytest.mark.requirement("STATE-IS-KEPT-BY-STEPS")


async def states(parts: Parts, graph: Any, user: str = "ann", **which: Any) -> list[dict[str, Any]]:
    """Return the states of a user's thread as they are sent, newest first."""
    history = StateHistory(parts.store, parts.workflow)
    return orjson.loads(encode(await history.states(user, **{"limit": 100, **which})))


def id_of(state: dict[str, Any]) -> str:
    return state["checkpoint"]["checkpoint_id"]


def texts(state: dict[str, Any]) -> list[str]:
    return [each["content"] for each in state["values"].get("messages", [])]


def chat(*script: Any, tools: Any = ()) -> tuple[Any, ScriptedChat]:
    model = ScriptedChat(script=list(script))
    return create_agent(model, list(tools)), model


async def at(parts: Parts, graph: Any, *said: str) -> str:
    """Return the id of the newest step at which just this had been said."""
    return next(id_of(each) for each in await states(parts, graph) if texts(each) == list(said))


@dataclass
class Mood:
    name: Any


# --- shown -----------------------------------------------------------------------------------------------


async def test_steps_are_shown_newest_first_with_the_step_they_came_from() -> None:
    graph, _ = chat("First.", "Second.")
    async with serving(graph) as parts:
        for message in ("one", "two"):
            await parts.settled(await parts.post(message))
        found = await states(parts, graph)
    assert [texts(each)[-1:] for each in found] == [["Second."], ["two"], ["First."], ["First."], ["one"], []]
    assert [each["metadata"]["source"] for each in found] == ["loop", "loop", "input"] * 2
    assert [each["type"] for each in found[0]["values"]["messages"]] == ["human", "ai"] * 2
    assert [each["metadata"]["turn"] for each in found] == [2, 2, 2, 1, 1, 1]
    assert [each["metadata"]["step"] for each in found] == [4, 3, 2, 1, 0, -1]
    assert [each["next"] for each in found[:2]] == [[], ["model"]]
    parents = [each["parent_checkpoint"] for each in found]
    assert parents == [*(each["checkpoint"] for each in found[1:]), None]
    assert all(each["created_at"].endswith("Z") for each in found)


async def test_states_of_two_users_are_apart_and_deleted_with_their_user() -> None:
    graph, _ = chat("To ann.", "To bob.")
    async with serving(graph) as parts:
        await parts.settled(await parts.post("I am ann"))
        await parts.settled(await parts.post("I am bob", user="bob"))
        assert texts((await states(parts, graph))[0]) == ["I am ann", "To ann."]
        assert texts((await states(parts, graph, "bob"))[0]) == ["I am bob", "To bob."]
        await parts.runner.delete_user("ann")
        assert await states(parts, graph) == []
        assert len(await states(parts, graph, "bob")) == 3


async def test_history_is_read_in_pages_of_a_number_and_a_size(monkeypatch) -> None:
    graph, _ = chat(*(f"Answer {number}." for number in range(5)))
    async with serving(graph) as parts:
        for number in range(5):
            await parts.settled(await parts.post(f"message {number}"))
        whole = await states(parts, graph)
        read = await states(parts, graph, limit=4)
        while page := await states(parts, graph, limit=4, before=id_of(read[-1])):
            read += page
        assert read == whole
        monkeypatch.setattr("backend.graphs.state.state_history.HISTORY_BYTES", 1)
        assert await states(parts, graph) == whole[:1]
        with pytest.raises(NotFound, match="before: the thread has no step 'none'"):
            await states(parts, graph, before="none")


async def test_value_without_json_form_is_shown_as_a_list_or_text() -> None:
    class Odd(MessagesState, total=False):
        odd: Any

    async def node(_state: Odd) -> Any:
        return {"odd": [{1}, deque([2]), b"x", Path("a"), Decimal("1.50"), float("nan"), {3: (4,)}]}

    async with serving(graph := pipeline(Odd, node=node)) as parts:
        await parts.settled(await parts.post("one"))
        [newest, *_] = await states(parts, graph)
    assert newest["values"]["odd"] == [[1], [2], "b'x'", "a", "1.50", None, {"3": [4]}]


class Loose(BaseModel):
    """What any graph may keep in its state."""

    held: Any = None

    @field_serializer("held", mode="wrap")
    def _note_thread(self, held: Any, serialise: Any) -> Any:
        DUMPED_IN.append(threading.get_ident())
        return serialise(held)


DUMPED_IN: list[int] = []
"""The threads in which such a value was rendered."""

ODD_KEYS = {(1, 2): "pair", b"x": "bytes", 3: "number", None: "nothing", "text": {("deep",): [{b"y": 1}]}}
SHOWN_ODD_KEYS = {
    "(1, 2)": "pair",
    "b'x'": "bytes",
    "3": "number",
    "null": "nothing",
    "text": {"('deep',)": [{"b'y'": 1}]},
}


async def test_mapping_with_any_keys_is_shown_with_text_keys() -> None:
    class Odd(MessagesState, total=False):
        odd: Any

    async def node(_state: Odd) -> Any:
        return {"odd": [ODD_KEYS, Loose(held=ODD_KEYS), {(1,): Loose(held={(2,): {3}})}, Mood({(4,): 5})]}

    async with serving(graph := pipeline(Odd, node=node)) as parts:
        await parts.settled(await parts.post("one"))
        [newest, *_] = await states(parts, graph)
    assert newest["values"]["odd"] == [
        SHOWN_ODD_KEYS,
        {"held": SHOWN_ODD_KEYS},
        {"(1,)": {"held": {"(2,)": [3]}}},
        {"name": {"(4,)": 5}},
    ]
    assert texts(newest) == ["one"]


def large(size: int) -> Any:
    """Return a graph whose state is of so many bytes, and has a value that notes where it is rendered."""

    class Large(MessagesState, total=False):
        large: Any

    async def node(_state: Large) -> Any:
        return {"large": ["x" * size, Loose()]}

    return pipeline(Large, node=node)


@pytest.mark.parametrize(("size", "is_on_loop"), [(1000, True), (LARGE_BYTES, False)])
@pytest.mark.requirement("LARGE-READS-DELAY-NOBODY")
async def test_large_state_is_rendered_beside_the_event_loop(size: int, is_on_loop: bool) -> None:
    async with serving(graph := large(size)) as parts:
        await parts.settled(await parts.post("one"))
        DUMPED_IN.clear()
        [newest, *_] = await states(parts, graph)
    assert len(newest["values"]["large"][0]) == size
    assert (set(DUMPED_IN) == {threading.get_ident()}) is is_on_loop


# --- how much is kept --------------------------------------------------------------------------------------


async def test_long_thread_keeps_its_newest_steps_and_their_values(monkeypatch) -> None:
    monkeypatch.setattr(thread_steps, "KEPT_STEPS", 6)
    monkeypatch.setattr(thread_steps, "TRIM_EVERY_STEPS", 3)
    graph, model = chat(*(f"{number} {'long ' * 80}" for number in range(9)))
    async with serving(graph) as parts:
        for number in range(8):
            await parts.settled(await parts.post(f"message {number} {'long ' * 80}"))
        found = await states(parts, graph)
        assert len(found) == 6
        assert [len(texts(each)) for each in found] == [16, 15, 14, 14, 13, 12]
        pieces = [each async for each in parts.store.export("ann") if each.table == "thread_pieces"]
        assert len(pieces) <= 20
        await parts.settled(await parts.post("the last"))
        assert len(model.given[-1]) == 17


async def test_step_of_a_long_conversation_stores_its_new_messages_alone() -> None:
    said: list[BaseMessage] = [AIMessage(f"{number} {'word ' * 60}") for number in range(1000)]

    async def node(state: MessagesState) -> Any:
        more = len(state["messages"])
        return {"messages": said if more == 1 else [AIMessage("short")]}

    written: list[int] = []
    async with serving(pipeline(MessagesState, node=node)) as parts:
        keep = parts.store.record

        def measured(user_id: str, *records: base.Record) -> None:
            steps = [each for each in records if isinstance(each, thread_steps.ThreadStep)]
            written.extend(len(each.body) + len(each.pages) + len(each.pieces) for each in steps)
            written.extend(len(piece) for each in steps for piece in each.held.values())
            keep(user_id, *records)

        parts.store.record = measured  # type: ignore[method-assign]
        await parts.settled(await parts.post("one"))
        assert sum(written) > 300_000
        written.clear()
        await parts.settled(await parts.post("two"))
        assert 0 < sum(written) < 12_000
