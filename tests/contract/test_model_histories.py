"""Whatever make a graph is of, whatever ids its model gives, and wherever its run is cut off: what its model
is asked next is valid, has each message of the user once, and no tool has its effect twice.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_anthropic import chat_models as anthropic
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    ToolMessage,
)
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import tool
from langchain_openai.chat_models import base as openai

from backend.domain.tool_call import Outcome
from backend.graphs.history_repair import CUT_SHORT, complete_conversation, open_calls, turns_of_unknown
from backend.travel.models.history import openai_faults
from tests.contract.serving import dying, serving
from tests.graphs import two_bookings
from tests.graphs.scripted_chat import ScriptedChat, calling
from tests.graphs.two_bookings import MAKES, PLACES, Gate, Planner, booking
from tests.interruption.disk import DiskStore
from tests.interruption.parts import Parts
from tests.models.anthropic_rules import anthropic_faults
from tests.records import a_tool_call

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("MODEL-HISTORY-IS-VALID")]

ALIKE = "alike"
"""Calls are named `call_0` in each answer; parallel ones `call_0` and `call_1`."""


def faults(asked: Sequence[BaseMessage]) -> list[str]:
    """Return what the two services refuse, with ids that are used again made different.

    A model that names its calls alike is served by a service that takes that.
    """
    renamed = [*_renamed(asked)]
    to_anthropic: Any = anthropic
    to_openai: Any = openai
    _, turns = to_anthropic._format_messages(renamed, model=None)
    return [
        *openai_faults([to_openai._convert_message_to_dict(each) for each in renamed]),
        *anthropic_faults(turns),
    ]


def _renamed(asked: Sequence[BaseMessage]) -> Any:
    answers = 0
    for message in asked:
        if isinstance(message, AIMessage):
            answers += 1
            kinds = {"tool_calls": message.tool_calls, "invalid_tool_calls": message.invalid_tool_calls}
            yield message.model_copy(
                update={
                    kind: [{**call, "id": f"{call['id']}-{answers}"} for call in calls]
                    for kind, calls in kinds.items()
                }
            )
        elif isinstance(message, ToolMessage):
            yield message.model_copy(update={"tool_call_id": f"{message.tool_call_id}-{answers}"})
        else:
            yield message


class World:
    """A graph of one make, of which a run is held at a place."""

    def __init__(self, make: Callable[..., Any], ids: str, place: str) -> None:
        self.gate = Gate()
        self._make = make
        self._place = place
        made = iter(range(1_000))
        self.model = Planner(
            gate=self.gate,
            name_of_calls=(lambda at: f"call_{at}") if ids == ALIKE else lambda _: f"c{next(made)}",
        )
        self.graph = make(self.model, booking(self.gate))

    async def hold(self, parts: Parts, message: str) -> None:
        """Have a first turn run as it should, then one that is held."""
        await parts.settled(await parts.post("Turin"))
        self.gate.place = self._place
        await parts.post(message)
        await self.gate.held.wait()

    def check(self, *messages: str) -> None:
        """Hold all that the model was asked to what services take, and to what the user has said."""
        for asked in self.model.asked:
            assert faults(asked) == []
            said = [str(each.text) for each in asked if isinstance(each, HumanMessage)]
            if self._make in OWN_SAVE and said[1:2] == ["Oslo"]:
                said.insert(1, "Rome")
            assert said == [*messages[: len(said)]]
        assert {name: count for name, count in Counter(self.gate.effects).items() if count > 1} == {}


@pytest.fixture(params=MAKES, ids=lambda make: make.__name__)
def make(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return request.param


@pytest.fixture(params=[ALIKE, "unique"])
def ids(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("is_stopped", [True, False], ids=["stopped", "superseded"])
async def test_interrupted_run_leaves_a_valid_conversation(
    make: Any, ids: str, place: str, is_stopped: bool
) -> None:
    world = World(make, ids, place)
    async with serving(world.graph) as parts:
        await world.hold(parts, "Rome")
        if is_stopped:
            await parts.runner.stop("ann")
        await parts.settled(await parts.post("Oslo"))
        assert (await parts.history())[-1] == ("assistant", "Oslo: all done.")
    world.check("Turin", "Rome", "Oslo")


@pytest.mark.parametrize("place", PLACES)
async def test_killed_run_goes_on_where_it_was(make: Any, ids: str, place: str) -> None:
    world = World(make, ids, place)
    store = DiskStore()
    async with dying(world.graph, store) as old:
        await world.hold(old, "Rome")
        await asyncio.sleep(1)
    async with serving(world.graph, store=store, like=old) as new:
        await new.quiet()
        reply = (await new.history())[-1][1]
        # An agent that remembers goes on from its own last step, if that was no tool's.
        goes_on = place == "first model" or (make is two_bookings.remembering and place.endswith("model"))
        if make in UNFOLLOWED and not goes_on:
            assert "cut off while this ran: book." in reply
        else:
            assert reply == "Rome: all done."
        await new.settled(await new.post("Oslo"))
        assert (await new.history())[-1] == ("assistant", "Oslo: all done.")
    world.check("Turin", "Rome", "Oslo")


OWN_SAVE = (two_bookings.functional,)
"""What the function had not saved is not in its next conversation."""

UNFOLLOWED = (two_bookings.functional, two_bookings.within, two_bookings.remembering)
"""The answer that asked for the calls was in no step that was kept: the task fails, and names the tool."""


@tool("book")
async def book_city(city: str) -> str:
    """Book."""
    return f"{city} is booked"


@tool
async def give_up(city: str) -> str:
    """Give up."""
    raise asyncio.CancelledError(city)


class BreakingOff(ScriptedChat):
    """Breaks off in the middle of the first tool call that it asks for, with an error or without."""

    breaks: bool = True
    error: Exception | None = None

    async def _astream(self, messages: Any, *_: Any, **options: Any) -> AsyncIterator[ChatGenerationChunk]:
        if not self.breaks:
            async for chunk in super()._astream(messages):
                yield chunk
            return
        self.breaks = False
        yield ChatGenerationChunk(message=AIMessageChunk("I will "))
        part: Any = {"name": "book", "args": "city=Ro", "id": "c1", "index": 0}
        yield ChatGenerationChunk(message=AIMessageChunk("", tool_call_chunks=[part]))
        if self.error is not None:
            raise self.error


async def test_tool_that_cancels_itself_ends_its_task_and_the_model_is_told() -> None:
    model = ScriptedChat(script=[calling("give_up", call_id="call_0", city="Rome"), "Fine."])
    async with serving(create_agent(model, [give_up])) as parts:
        task = await parts.post("Book")
        await parts.settled(task)
        assert (await parts.task(task)).status != "completed"
        await parts.settled(await parts.post("And?"))
        assert (await parts.history())[-1] == ("assistant", "Fine.")
    assert faults(model.given[-1]) == []
    [result] = [each for each in model.given[-1] if isinstance(each, ToolMessage)]
    assert (result.status, result.text.partition(".")[0]) == ("error", "Cancelled before it was done")


async def test_answer_that_breaks_off_in_a_tool_call_leaves_its_text_and_no_call() -> None:
    model = BreakingOff(script=["Fine."], error=ConnectionError("the line is cut"))
    async with serving(create_agent(model, [book_city])) as parts:
        task = await parts.post("Book")
        await parts.settled(task)
        assert (await parts.task(task)).status == "failed"
        await parts.settled(await parts.post("And?"))
        assert (await parts.history())[-1] == ("assistant", "Fine.")
    assert faults(model.given[-1]) == []
    assert not any(isinstance(each, AIMessage) and each.tool_calls for each in model.given[-1])


async def test_call_with_unreadable_arguments_has_a_result_in_the_next_turn() -> None:
    model = BreakingOff(script=["Fine."])
    async with serving(create_agent(model, [book_city])) as parts:
        await parts.settled(await parts.post("Book"))
        await parts.settled(await parts.post("And?"))
        assert (await parts.history())[-1] == ("assistant", "Fine.")
    assert faults(model.given[-1]) == []
    [result] = [each for each in model.given[-1] if isinstance(each, ToolMessage)]
    assert (result.tool_call_id, result.status) == ("c1", "error")


# --- what a conversation is completed with -------------------------------------------------------------


def asks(*calls: tuple[str | None, str], text: str = "") -> AIMessage:
    """An answer that calls `book` with these ids, for these cities."""
    asked: Any = [{"name": "book", "args": {"city": city}, "id": each} for each, city in calls]
    return AIMessage(text, tool_calls=asked)


def entry(call_id: str, city: str, **more: Any) -> Any:
    """What the ledger has of a call of `book`."""
    key = {"key": f"book:{city}", "tool": "book", "arguments": {"city": city}}
    return a_tool_call(call_id=call_id, effect="write", observed=True, **key, **more)


def done(call_id: str, city: str, purpose: str = "call_0") -> Any:
    return entry(call_id, city, purpose=purpose, state="ended", outcome="completed", result=f"{city} booked")


def results(said: Sequence[Any] | None) -> list[tuple[str, str]]:
    return [(each.tool_call_id, each.text) for each in said or () if isinstance(each, ToolMessage)]


def test_unknown_result_is_replaced_in_its_place_once_known() -> None:
    running = entry("x", "Rome", turn=3, purpose="call_0", state="running")
    before: list[AnyMessage] = [HumanMessage("Book it"), asks(("call_0", "Rome"))]
    said = complete_conversation(before, [running], "")
    assert said is not None
    assert said[2].text.startswith("Not known: ")
    said += [HumanMessage("And?"), AIMessage("I do not know.")]
    assert turns_of_unknown(said) == {3}
    assert complete_conversation(said, [], "", earlier=[running]) is None
    ended = replace(running, state="ended", outcome="completed", result="a room")
    known = complete_conversation(said, [], "", earlier=[ended])
    assert known is not None
    assert [each.type for each in known] == ["human", "ai", "tool", "human", "ai"]
    assert (known[2].id, known[2].text, known[2].status) == (said[2].id, "Completed: a room", "success")
    assert turns_of_unknown(known) == set()
    assert complete_conversation(known, [], "", earlier=[ended]) is None


def test_result_answers_the_message_it_follows_and_no_later_one() -> None:
    first = [HumanMessage("Book Rome"), asks(("call_0", "Rome")), ToolMessage("fine", tool_call_id="call_0")]
    said: list[AnyMessage] = [*first, AIMessage("Done."), HumanMessage("Oslo"), asks(("call_0", "Oslo"))]
    assert [each["args"] for each in open_calls(said)] == [{"city": "Oslo"}]
    assert results(complete_conversation(said, [], ""))[1:] == [
        ("call_0", "Not started: the run was interrupted before.")
    ]


def test_open_call_is_not_answered_by_a_later_result_of_its_id() -> None:
    later = [HumanMessage("Oslo"), asks(("call_0", "Oslo")), ToolMessage("fine", tool_call_id="call_0")]
    whole = complete_conversation([HumanMessage("Rome"), asks(("call_0", "Rome")), *later], [], "")
    assert whole is not None
    assert [each.type for each in whole] == ["human", "ai", "tool", "human", "ai", "tool"]
    assert whole[2].text == "Not known: what became of it was not kept."


def test_results_of_parallel_calls_of_one_id_go_by_arguments() -> None:
    said = [HumanMessage("Both"), asks(("call_0", "Oslo"), ("call_0", "Rome"), ("call_0", "Bern"))]
    told = results(complete_conversation(said, [done("a", "Rome"), done("b", "Bern")], ""))
    assert [text.partition(":")[2].strip() for _, text in told] == [
        "the run was interrupted before.",
        "Rome booked",
        "Bern booked",
    ]


@pytest.mark.parametrize("call_id", ["", None])
def test_call_without_an_id_gets_the_result_of_its_arguments(call_id: str | None) -> None:
    said = [HumanMessage("Both"), asks((call_id, "Oslo"), (call_id, "Rome"))]
    told = results(complete_conversation(said, [done("a", "Rome", "")], ""))
    assert told[1] == ("", "Completed: Rome booked")
    assert told[0][1].startswith("Not started")


def test_newest_of_two_entries_of_one_call_counts() -> None:
    said = [asks(("x", "Rome"))]
    ran_again = [
        done("a", "Rome", "x"),
        entry("b", "Rome", purpose="x", state="ended", outcome="failed", result="no"),
    ]
    assert results(complete_conversation(said, ran_again, "")) == [("x", "Failed: no")]


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        ("completed", "success"),
        ("completed_after_interrupt", "success"),
        ("failed", "error"),
        (None, "error"),
    ],
)
def test_only_completed_calls_have_the_status_of_success(outcome: Outcome | None, status: str) -> None:
    call = entry("a", "Rome", purpose="x", state="running" if outcome is None else "ended", outcome=outcome)
    [_, result] = complete_conversation([asks(("x", "Rome"))], [call], "") or []
    assert (result.status, result.name) == (status, "book")
    [_, unstarted] = complete_conversation([asks(("x", "Rome"))], [], "") or []
    assert unstarted.status == "error"


def test_call_with_unreadable_arguments_gets_a_result() -> None:
    unreadable: Any = {"name": "book", "args": "{'city", "id": "y", "error": "no JSON"}
    said = AIMessage("", tool_calls=asks(("x", "Rome")).tool_calls, invalid_tool_calls=[unreadable])
    assert results(complete_conversation([HumanMessage("Book"), said], [], ""))[1] == (
        "y",
        "Not started: its arguments could not be read.",
    )


def test_conversation_of_mappings_stays_one() -> None:
    function = {"name": "book", "arguments": '{"city": "Rome"}'}
    asked = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "x", "type": "function", "function": function}],
    }
    said = [{"role": "user", "content": "Rome"}, asked]
    assert complete_conversation(said, [done("a", "Rome", "x")], "Half") == [
        *said,
        {"role": "tool", "content": "Completed: Rome booked", "tool_call_id": "x"},
        {"role": "assistant", "content": f"Half\n\n{CUT_SHORT}"},
    ]


def test_conversation_that_langchain_cannot_read_is_left_alone() -> None:
    assert complete_conversation([{"who": "nobody"}], [], "Half") is None


def test_answer_to_an_earlier_message_does_not_hide_half_an_answer() -> None:
    said = [HumanMessage("One"), AIMessage("Sunny"), HumanMessage("Two")]
    whole = complete_conversation(said, [], "Sunny and warm")
    assert whole is not None
    assert whole[-1].text == f"Sunny and warm\n\n{CUT_SHORT}"
