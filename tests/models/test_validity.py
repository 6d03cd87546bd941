"""What the services refuse is found, and what they take passes: by example, and by breaking valid lists."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.travel.models.history import openai_faults
from tests.models.anthropic_rules import anthropic_faults
from tests.models.asking import call

USER = {"role": "user", "content": "Rome"}
REPLY = {"role": "assistant", "content": "Yes."}


def asks(*call_ids: str) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": [call(each) for each in call_ids]}


def result(call_id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": "2 flights"}


def as_anthropic(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return messages in the form of OpenAI in that of Anthropic, one by one."""
    return [_as_anthropic(message) for message in messages]


def _as_anthropic(message: dict[str, Any]) -> dict[str, Any]:
    if message["role"] == "tool":
        block = {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message["content"]}
        return {"role": "user", "content": [block]}
    blocks = [{"type": "text", "text": message["content"]}] if message["content"] is not None else []
    for each in message.get("tool_calls", ()):
        name, arguments = each["function"]["name"], json.loads(each["function"]["arguments"])
        blocks.append({"type": "tool_use", "id": each["id"], "name": name, "input": arguments})
    return {"role": message["role"], "content": blocks}


VALID = {
    "one question": [USER],
    "a conversation": [USER, REPLY, USER],
    "a call and its result": [USER, asks("a"), result("a")],
    "parallel calls": [USER, asks("a", "b"), result("b"), result("a")],
    "calls one after the other": [USER, asks("a"), result("a"), asks("b"), result("b"), REPLY, USER],
    "two questions": [USER, USER],
}
BROKEN = {
    "nothing": [],
    "a call without its result": [USER, asks("a")],
    "a call whose result comes too late": [USER, asks("a"), USER, result("a")],
    "one of two calls without its result": [USER, asks("a", "b"), result("a"), USER],
    "a result without its call": [USER, result("a")],
    "a result of another call": [USER, asks("a"), result("b")],
    "a result that comes twice": [USER, asks("a"), result("a"), result("a")],
    "a result of an earlier call": [USER, asks("a"), result("a"), asks("b"), result("b"), result("a")],
    "two calls of one id": [USER, asks("a", "a"), result("a"), result("a")],
    "an unknown role": [{"role": "tourist", "content": "Rome"}],
}
BROKEN_FOR_OPENAI = {
    "an empty list of calls": [USER, {**REPLY, "tool_calls": []}],
    "a user that calls": [{**asks("a"), "role": "user", "content": "Rome"}, result("a")],
    "an assistant that says nothing": [USER, {"role": "assistant", "content": None}],
    "a result that names no call": [USER, asks("a"), {"role": "tool", "content": "2 flights"}],
    "a name with a space": [
        USER,
        {**REPLY, "tool_calls": [{**call("a"), "function": {"name": "a b", "arguments": "{}"}}]},
        result("a"),
    ],
    "arguments that are no text": [
        USER,
        {**REPLY, "tool_calls": [{**call("a"), "function": {"name": "a", "arguments": {}}}]},
        result("a"),
    ],
    "a call of another kind": [USER, {**REPLY, "tool_calls": [{**call("a"), "type": "magic"}]}, result("a")],
}
USE = {"type": "tool_use", "id": "a", "name": "search", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "2 flights"}
BROKEN_FOR_ANTHROPIC = {
    "the assistant begins": [REPLY, USER],
    "the assistant ends": [USER, REPLY],
    "a system message": [{"role": "system", "content": "Be brief."}, USER],
    "an empty text": [USER, {"role": "assistant", "content": " "}, USER],
    "a message without content": [USER, {"role": "assistant", "content": []}, USER],
    "a result behind a text": [
        USER,
        {"role": "assistant", "content": [USE]},
        {"role": "user", "content": [{"type": "text", "text": "so"}, RESULT]},
    ],
    "a use by the user": [{"role": "user", "content": [USE]}, {"role": "user", "content": [RESULT]}],
    "a result by the assistant": [USER, {"role": "assistant", "content": [USE, RESULT]}, USER],
    "an id that was used": [
        *[USER, {"role": "assistant", "content": [USE]}, {"role": "user", "content": [RESULT]}],
        *[{"role": "assistant", "content": [USE]}, {"role": "user", "content": [RESULT]}],
    ],
    "an id with a dot": [
        USER,
        {"role": "assistant", "content": [{**USE, "id": "a.b"}]},
        {"role": "user", "content": [{**RESULT, "tool_use_id": "a.b"}]},
    ],
    "input that is no object": [
        USER,
        {"role": "assistant", "content": [{**USE, "input": "{}"}]},
        {"role": "user", "content": [RESULT]},
    ],
    "a thought without its signature": [
        USER,
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, USE]},
        {"role": "user", "content": [RESULT]},
    ],
}


@pytest.mark.parametrize("messages", VALID.values(), ids=VALID)
def test_valid_conversation_passes_both_services(messages: list[dict[str, Any]]) -> None:
    assert openai_faults(messages) == []
    assert anthropic_faults(as_anthropic(messages)) == []


@pytest.mark.parametrize("messages", BROKEN.values(), ids=BROKEN)
def test_broken_conversation_is_found_for_both_services(messages: list[dict[str, Any]]) -> None:
    assert openai_faults(messages)
    assert anthropic_faults(as_anthropic(messages))


@pytest.mark.parametrize("messages", BROKEN_FOR_OPENAI.values(), ids=BROKEN_FOR_OPENAI)
def test_conversation_that_openai_refuses_is_found(messages: list[dict[str, Any]]) -> None:
    assert openai_faults(messages)


@pytest.mark.parametrize("messages", BROKEN_FOR_ANTHROPIC.values(), ids=BROKEN_FOR_ANTHROPIC)
def test_conversation_that_anthropic_refuses_is_found(messages: list[dict[str, Any]]) -> None:
    assert anthropic_faults(messages)


@st.composite
def conversations(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Valid conversations that end with a result, with one call at least."""
    messages = [USER]
    for step in range(draw(st.integers(1, 4))):
        ids = [f"c{step}-{n}" for n in range(draw(st.integers(1, 3)))]
        messages += [asks(*ids), *map(result, draw(st.permutations(ids)))]
        if draw(st.booleans()):
            messages += [REPLY, USER]
    return messages


@given(conversations(), st.data())
def test_conversation_with_a_lost_moved_or_doubled_result_is_refused(
    messages: list[dict[str, Any]], data: st.DataObject
) -> None:
    assert openai_faults(messages) == []
    assert anthropic_faults(as_anthropic(messages)) == []
    at = data.draw(st.sampled_from([n for n, each in enumerate(messages) if each["role"] == "tool"]))
    change = data.draw(st.sampled_from(["lost", "doubled", "moved", "called twice"]))
    broken = list(messages)
    if change == "doubled":
        broken.insert(at, messages[at])
    elif change == "called twice":
        broken += [asks(messages[at]["tool_call_id"])]
    else:
        del broken[at]
        broken = [messages[at], *broken] if change == "moved" else broken
    assert openai_faults(broken)
    assert anthropic_faults(as_anthropic(broken))
