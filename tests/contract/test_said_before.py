"""What a model is told of calls whose outcome was not known, and of it once that is."""

from dataclasses import replace

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph.message import add_messages

from backend.graphs.said_before import repairs, turns_of_unknown
from tests.records import a_tool_call

pytestmark = pytest.mark.requirement("MODEL-HISTORY-IS-VALID")


def test_a_result_that_was_not_known_is_replaced_in_its_place_once_it_is_known() -> None:
    running = a_tool_call(turn=3, purpose="x", state="running", effect="write", observed=True)
    asked = AIMessage("", tool_calls=[{"name": "book", "args": {}, "id": "x"}])
    before: list[AnyMessage] = [HumanMessage("Book it"), asked]
    [told] = repairs(before, [running], "")
    assert str(told["content"]).startswith("Not known: ")
    said = add_messages(before, [told, HumanMessage("And?"), AIMessage("I do not know.")])  # type: ignore[list-item]
    assert turns_of_unknown(said) == {3}
    assert repairs(said, [running], "") == []
    ended = replace(running, state="ended", outcome="completed", result="a room")
    [known] = repairs(said, [ended], "")
    assert (known["id"], known["content"]) == (told["id"], "Completed: a room")
    said = add_messages(said, [known])  # type: ignore[list-item]
    assert [each.type for each in said] == ["human", "ai", "tool", "human", "ai"]
    assert said[2].text == "Completed: a room"
    assert turns_of_unknown(said) == set()
    assert repairs(said, [ended], "") == []
