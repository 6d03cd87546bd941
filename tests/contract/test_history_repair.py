"""What a conversation is completed with: each call gets its own result, whatever ids the model gives."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from backend.domain.tool_call import Outcome
from backend.graphs.history_repair import CUT_SHORT, complete_conversation, open_calls, turns_of_unknown
from tests.records import a_tool_call

pytestmark = pytest.mark.requirement("MODEL-HISTORY-IS-VALID")


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
