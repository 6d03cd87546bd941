"""A state that does not fit its graph: the user is answered from what does, and told of the rest."""

import dataclasses
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import interrupt
from pydantic import BaseModel, Field, create_model, model_validator
from structlog.testing import capture_logs
from typing_extensions import TypedDict

from backend.store.records import THREAD, Checkpoint, NewUser
from tests.contract import test_state_after_upgrade as this_module
from tests.contract.serving import serving
from tests.contract.test_thread_history import id_of, states, texts
from tests.graphs.building import pipeline
from tests.interruption.parts import Parts
from tests.records import ANN

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("STATE-AFTER-AN-UPGRADE")]

SET_ASIDE = "a part of a stored state does not fit its graph and is set aside"

BLOB = Path(__file__).parent / "data_files" / "threads" / "version_7.hex"
"""The thread of a user who had said "one" and "two" to the graph of `Notes`, as version 7 stored it."""


class Notes(MessagesState, total=False):
    notes: Annotated[list[str], operator.add]
    mood: Any


class WithoutNotes(MessagesState, total=False):
    mood: Any


class NotesAsText(MessagesState, total=False):
    notes: Annotated[str, operator.add]
    mood: Any


class Strict(BaseModel):
    messages: Annotated[list[AnyMessage], add_messages] = []
    mood: str = "unknown"


@dataclass
class Mood:
    name: str


@dataclass
class Removed:
    name: str


def graph_of(state: Any, **update: Any) -> tuple[Any, list[Any]]:
    """Return a graph that leaves an update behind, and what it was given each time."""
    given: list[Any] = []

    async def node(state: Any) -> Any:
        given.append(state if isinstance(state, dict) else state.model_dump())
        return {"messages": [AIMessage("noted")], **update}

    return pipeline(state, node=node), given


async def upgraded(before: Any, after: Any, *, check: Callable[[Parts, list[Any]], Any]) -> None:
    """Have one graph answer a message, then the other three, and look at the first of these."""
    async with serving(before) as old:
        await old.settled(await old.post("one"))
    async with serving(after, store=old.store, like=old) as new:
        with capture_logs() as logs:
            task = await new.post("two")
            await new.settled(task)
            for message in ("three", "four"):
                await new.settled(await new.post(message))
        told = [each for each in logs if each["event"] == SET_ASIDE]
        await check(new, [task, *told])


async def an_earlier_version_has_served(parts: Parts) -> None:
    """Leave a thread as version 7 did; its messages have the first ids that are given out."""
    await parts.log.commit(ANN, NewUser("e1"), Checkpoint(THREAD, bytes.fromhex(BLOB.read_text())))
    for _ in range(9):
        parts.new_id()


async def reported(parts: Parts, task: str, told: list[Any], *sentences: str) -> None:
    """Check that the task's record and receipt, and the log once, say what was set aside."""
    assert (await parts.task(task)).set_aside == sentences
    assert (await parts.receipt(task))["set_aside"] == list(sentences)
    assert [each["channels"] for each in told] == [sentences]


async def test_a_channel_that_the_graph_has_no_more_is_set_aside_and_said_once() -> None:
    before, _ = graph_of(Notes, notes=["a note"], mood="fine")
    after, given = graph_of(WithoutNotes)

    async def check(parts: Parts, found: list[Any]) -> None:
        task, *told = found
        await reported(parts, task, told, "notes: the graph has no such channel any more")
        assert [each.get("mood") for each in given] == ["fine"] * 3
        assert [each.text for each in given[0]["messages"]] == ["one", "noted", "two"]
        old = [each for each in await states(parts, after) if each["metadata"]["turn"] == 1]
        assert old[0]["values"]["notes"] == ["a note"]

    await upgraded(before, after, check=check)


async def test_a_value_that_its_reducer_refuses_is_set_aside_and_the_user_is_answered() -> None:
    before, _ = graph_of(Notes, notes=["a note"])
    after, given = graph_of(NotesAsText, notes="text")

    async def check(parts: Parts, found: list[Any]) -> None:
        task, *told = found
        [sentence] = (await parts.task(task)).set_aside
        assert sentence.startswith("notes: its reducer refuses what was stored: TypeError")
        await reported(parts, task, told, sentence)
        assert [each["notes"] for each in given] == ["", "text", "texttext"]

    await upgraded(before, after, check=check)


def asking_graph_of(state: Any, **update: Any) -> Any:
    """Return a graph that asks when it is told to, and else leaves an update behind."""

    async def node(state: Any) -> Any:
        if state["messages"][-1].text == "ask":
            return {"messages": [AIMessage(f"You said {interrupt('What?')}")]}
        return {"messages": [AIMessage("noted")], **update}

    return pipeline(state, node=node)


async def test_what_does_not_fit_is_found_too_if_the_upgrade_came_while_a_question_was_open() -> None:
    async with serving(asking_graph_of(Notes, notes=["a note"])) as old:
        await old.settled(await old.post("one"))
        await old.post("ask")
        await old.quiet()
    async with serving(asking_graph_of(NotesAsText, notes="text"), store=old.store, like=old) as new:
        await new.settled(await new.post("that"))
        task = await new.post("three")
        await new.settled(task)
        [sentence] = (await new.task(task)).set_aside
        assert sentence.startswith("notes: its reducer refuses what was stored: TypeError")
        assert [text for role, text in await new.history() if role == "assistant"][-2:] == [
            "You said that",
            "noted",
        ]


async def test_a_value_that_a_pydantic_state_refuses_is_set_aside() -> None:
    before, _ = graph_of(Notes, mood={"not": "text"})
    after, given = graph_of(Strict)

    async def check(parts: Parts, found: list[Any]) -> None:
        task, *told = found
        sentences = (await parts.task(task)).set_aside
        assert sentences[0] == "mood: Input should be a valid string"
        await reported(parts, task, told, *sentences)
        assert [each["mood"] for each in given] == ["unknown"] * 3

    await upgraded(before, after, check=check)


async def test_what_a_typed_dict_does_not_check_is_left_as_it_is() -> None:
    class Now(MessagesState, total=False):
        mood: str
        more: str

    before, _ = graph_of(Notes, mood=None)
    after, given = graph_of(Now)

    async def check(parts: Parts, found: list[Any]) -> None:
        assert [each for each in found[1:] if "mood" in str(each)] == []
        assert [each["mood"] for each in given] == [None] * 3

    await upgraded(before, after, check=check)


async def test_objects_whose_class_is_renamed_are_set_aside_and_the_others_of_a_list_are_kept(
    monkeypatch,
) -> None:
    before, _ = graph_of(Notes, notes=[Mood("kept"), Removed("lost"), "text"], mood=Removed("lost"))
    after, given = graph_of(Notes)

    async def check(parts: Parts, found: list[Any]) -> None:
        task, *told = found
        why = f"there is no {this_module.__name__}.Removed any more, or it takes no such value"
        await reported(parts, task, told, f"mood: {why}", f"notes: {why}")
        assert [each["notes"] for each in given] == [[Mood("kept"), "text"]] * 3
        assert [each.get("mood") for each in given] == [None] * 3
        shown = await states(parts, after)
        assert "lost" not in shown[0]
        old = [each for each in shown if each["metadata"]["turn"] == 1]
        assert (old[0]["values"]["notes"], old[0]["lost"]) == (
            [{"name": "kept"}, "text"],
            [f"notes: {why}", f"mood: {why}"],
        )

    async with serving(before) as old:
        await old.settled(await old.post("one"))
    monkeypatch.delattr(this_module, "Removed")
    async with serving(after, store=old.store, like=old) as new:
        with capture_logs() as logs:
            task = await new.post("two")
            await new.settled(task)
            await new.settled(await new.post("three"))
            await new.settled(await new.post("four"))
        await check(new, [task, *(each for each in logs if each["event"] == SET_ASIDE)])


async def test_a_state_that_fits_sets_nothing_aside() -> None:
    before, _ = graph_of(Notes, notes=["a note"], mood="fine")

    async def check(parts: Parts, found: list[Any]) -> None:
        task, *told = found
        assert told == []
        assert (await parts.task(task)).set_aside == ()
        assert "set_aside" not in await parts.receipt(task)

    await upgraded(before, before, check=check)


@pytest.mark.requirement("OLD-DATA-FILES")
async def test_the_thread_of_an_earlier_version_is_read_shown_and_begun_from() -> None:
    graph, given = graph_of(Notes, notes=["new"], mood="new")
    async with serving(graph) as parts:
        await an_earlier_version_has_served(parts)
        [old] = await states(parts, graph)
        assert (texts(old), old["values"]["notes"]) == (["one", "noted", "two", "noted"], ["one", "two"])
        assert await states(parts, graph, before=id_of(old)) == []
        await parts.settled(await parts.post("three"))
        assert (given[-1]["notes"], given[-1]["mood"]) == (["one", "two"], "fine")
        assert [each.text for each in given[-1]["messages"]] == ["one", "noted", "two", "noted", "three"]
        assert await parts.store.get_checkpoint("ann", THREAD) is None
        found = await states(parts, graph)
        assert found[-1]["checkpoint"] == old["checkpoint"]
        assert found[-1]["values"] == old["values"]
        await parts.settled(await parts.post("not three", given={"checkpoint_id": id_of(old)}))
        assert [each.text for each in given[-1]["messages"]][-2:] == ["noted", "not three"]


@pytest.mark.requirement("OLD-DATA-FILES")
async def test_a_message_may_begin_from_the_thread_of_an_earlier_version_at_once() -> None:
    graph, given = graph_of(Notes)
    async with serving(graph) as parts:
        await an_earlier_version_has_served(parts)
        [old] = await states(parts, graph)
        await parts.settled(await parts.post("three", given={"checkpoint_id": id_of(old)}))
        assert len(given[-1]["messages"]) == 5


async def test_a_thread_of_an_earlier_version_that_is_unreadable_is_said_and_left_out() -> None:
    graph, given = graph_of(Notes)
    async with serving(graph) as parts:
        await parts.log.commit(ANN, NewUser("e1"), Checkpoint(THREAD, b"\xc1 no thread"))
        with capture_logs() as logs:
            for message in ("one", "two"):
                await parts.settled(await parts.post(message))
        assert [each["event"] for each in logs] == [SET_ASIDE]
        assert len(given[-1]["messages"]) == 3


async def test_an_earlier_step_can_still_be_begun_from_where_the_newest_is_unreadable() -> None:
    graph, given = graph_of(Notes)
    async with serving(graph) as parts:
        for message in ("one", "two"):
            await parts.settled(await parts.post(message))
        newest, *earlier = await states(parts, graph)
        stored = await parts.store.get_thread_step("ann", "")
        assert stored is not None
        await parts.log.commit(ANN, replace(stored, body=b"\xc1 no manifest"))
        shown = await states(parts, graph)
        assert (shown[0]["values"], len(shown[0]["lost"])) == ({}, 1)
        assert shown[1:] == earlier
        step = next(id_of(each) for each in earlier if texts(each) == ["one", "noted"])
        await parts.settled(await parts.post("again", given={"checkpoint_id": step}))
        assert [each.text for each in given[-1]["messages"]] == ["one", "noted", "again"]
        assert newest["checkpoint"] == shown[0]["checkpoint"]


@dataclass(frozen=True)
class Reducer:
    """A reducer that is written the same whatever it does, as one whose code was changed in place."""

    add: Callable[[Any, Any], Any] = field(repr=False)

    def __call__(self, before: Any, more: Any) -> Any:
        return self.add(before, more)


def with_counts(before: list[Any], more: list[Any]) -> list[Any]:
    return [*({**each} for each in before), *more]


async def test_a_reducer_that_was_changed_in_place_is_noticed() -> None:
    def state(add: Any) -> Any:
        return TypedDict(
            "State", {"message": str, "answer": str, "notes": Annotated[list[Any], Reducer(add)]}
        )

    after, given = graph_of(state(with_counts), notes=[{"a": 1}])

    async def check(parts: Parts, found: list[Any]) -> None:
        task, *told = found
        [sentence] = (await parts.task(task)).set_aside
        assert sentence.startswith("notes: its reducer refuses what was stored: TypeError")
        await reported(parts, task, told, sentence)
        assert [len(each["notes"]) for each in given] == [0, 1, 2]

    await upgraded(graph_of(state(operator.add), notes=["a note"])[0], after, check=check)


def trips(**fields: Any) -> Any:
    """Return a pydantic state of a `Trip`, which has the same name whatever its fields are."""
    trip: Any = TypedDict("Trip", fields)
    return create_model("Trips", __base__=Strict, trip=(trip | None, None))


async def test_a_nested_value_that_gained_a_required_field_is_noticed() -> None:
    after, given = graph_of(trips(city=str, days=int), trip={"city": "Rome", "days": 3})

    async def check(parts: Parts, found: list[Any]) -> None:
        task, *told = found
        await reported(parts, task, told, "trip: days: Field required")
        assert [each["trip"] for each in given] == [None] + [{"city": "Rome", "days": 3}] * 2

    await upgraded(graph_of(trips(city=str), trip={"city": "Rome"})[0], after, check=check)


async def test_what_was_set_aside_is_not_said_again_after_the_next_restart() -> None:
    before, _ = graph_of(Notes, notes=["a note"], mood="fine")
    after, given = graph_of(NotesAsText)
    async with serving(before) as old:
        await old.settled(await old.post("one"))
    async with serving(after, store=old.store, like=old) as new:
        await new.settled(task := await new.post("two"))
        assert len((await new.task(task)).set_aside) == 1
    again, given = graph_of(NotesAsText)
    async with serving(again, store=old.store, like=new) as newer:
        await newer.settled(task := await newer.post("three"))
        assert (await newer.task(task)).set_aside == ()
        assert (given[0]["notes"], given[0]["mood"], len(given[0]["messages"])) == ("", "fine", 5)


# --- what a node writes and its graph refuses ----------------------------------------------------------


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
class StrictData:
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
    "dataclass": (StrictData, {"mood": 42}, "mood: TypeError: a mood is a text"),
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
