"""What OpenAI and Anthropic require of the messages that a model is sent, as functions from them to faults.

Both answer 400 to a conversation that breaks a rule, and to every later one that contains it. The rules are
those of the two services' references (chat completions; messages): every tool call is answered exactly once,
directly after the message that makes it; roles and their order; nothing empty. Nothing is repaired here.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, cast

Message = Mapping[str, Any]
"""A message as a service takes it in JSON."""

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_ANTHROPIC_ID = re.compile(r"[a-zA-Z0-9_-]+")
_OPENAI_ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})


def openai_faults(messages: Sequence[Message]) -> list[str]:
    """Return what is wrong with the `messages` of a chat completion, one sentence each; [] if nothing is."""
    if not messages:
        return ["there are no messages"]
    return [*_openai_shapes(messages), *_openai_pairs(messages)]


def _openai_shapes(messages: Sequence[Message]) -> Iterator[str]:
    for at, message in enumerate(messages):
        role, content = message.get("role"), message.get("content")
        if role not in _OPENAI_ROLES:
            yield f"messages[{at}]: there is no role {role!r}"
            continue
        calls = message.get("tool_calls")
        if calls is not None and (role != "assistant" or not calls):
            yield f"messages[{at}]: tool_calls may only be an assistant's, and not empty"
        if role == "tool" and not isinstance(message.get("tool_call_id"), str):
            yield f"messages[{at}]: a tool message names its tool_call_id"
        if not isinstance(content, str | list) and not (content is None and role == "assistant" and calls):
            yield f"messages[{at}]: content is missing"
        for call in calls or ():
            function = call.get("function", {})
            if call.get("type") != "function" or not isinstance(call.get("id"), str):
                yield f"messages[{at}]: a tool call has an id and the type 'function'"
            if not _NAME.fullmatch(function.get("name", "")) or not isinstance(
                function.get("arguments"), str
            ):
                yield f"messages[{at}]: a tool call has a function's name, and arguments that are a string"


def _openai_pairs(messages: Sequence[Message]) -> Iterator[str]:
    """Every tool call has one answer among the tool messages directly after it, and they answer no others."""
    owed: Counter[str] = Counter()
    may_answer = False
    for at, message in enumerate(messages):
        if message.get("role") == "tool":
            call_id = str(message.get("tool_call_id"))
            if not may_answer or call_id not in owed:
                yield f"messages[{at}]: answers {call_id!r}, which the message before does not call"
            elif owed[call_id] != 1:
                yield f"messages[{at}]: {call_id!r} is answered twice"
            owed[call_id] -= 1
            continue
        yield from _unanswered(owed)
        calls = message.get("tool_calls") or ()
        owed = Counter(str(call.get("id")) for call in calls)
        may_answer = bool(owed)
        yield from (f"messages[{at}]: {one!r} is called twice" for one, count in owed.items() if count > 1)
    yield from _unanswered(owed)


def _unanswered(owed: Mapping[str, int]) -> Iterator[str]:
    yield from (f"the tool call {call_id!r} has no answer" for call_id, count in owed.items() if count > 0)


def anthropic_faults(messages: Sequence[Message]) -> list[str]:
    """Return what is wrong with the `messages` of Anthropic's API, one sentence each; [] if nothing is.

    Messages of one role that follow each other count as one, as the service takes them.
    """
    if not messages:
        return ["there are no messages"]
    turns = _joined(messages)
    strangers = {str(turn["role"]) for turn in turns} - {"user", "assistant"}
    faults = [f"there is no role {role!r}" for role in sorted(strangers)]
    if turns[0]["role"] != "user":
        faults.append("the first message is not the user's")
    if turns[-1]["role"] != "user":
        faults.append("the last message is not the user's")
    for turn in turns:
        faults += _block_faults(turn)
    faults += _anthropic_pairs(turns)
    used = Counter(one for turn in turns for one in _ids(turn, "tool_use", "id"))
    return faults + [f"the id {one!r} is used by two tool calls" for one, count in used.items() if count > 1]


def _joined(messages: Sequence[Message]) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = []
    for message in messages:
        blocks = _blocks(message.get("content"))
        if turns and turns[-1]["role"] == message.get("role"):
            turns[-1]["content"] = [*turns[-1]["content"], *blocks]
        else:
            turns.append({"role": message.get("role"), "content": blocks})
    return turns


def _blocks(content: Any) -> list[Message]:
    if isinstance(content, list):
        return cast("list[Message]", content)
    return [{"type": "text", "text": content}]


def _block_faults(turn: Message) -> Iterator[str]:
    role, blocks = turn["role"], turn["content"]
    if not blocks:
        yield f"a message of the {role} is empty"
    allowed = "assistant" if role == "assistant" else "user"
    for block in blocks:
        kind = block.get("type")
        if kind == "text" and not str(block.get("text") or "").strip():
            yield f"a text of the {role} is empty"
        if kind == "thinking" and not block.get("signature"):
            yield "a thought has no signature"
        if kind in ("tool_use", "thinking") and allowed != "assistant":
            yield f"a {kind} is the user's"
        if kind == "tool_result" and allowed != "user":
            yield "a tool_result is the assistant's"
        if kind == "tool_use" and not (
            _ANTHROPIC_ID.fullmatch(str(block.get("id")))
            and _NAME.fullmatch(str(block.get("name")))
            and isinstance(block.get("input"), dict)
        ):
            yield "a tool_use has an id, a name, and an object as its input"
    kinds = [block.get("type") == "tool_result" for block in blocks]
    if any(later and not earlier for earlier, later in pairwise(kinds)):
        yield "a tool_result comes behind other content"


def _ids(turn: Message, kind: str, name: str) -> tuple[str, ...]:
    return tuple(str(block.get(name)) for block in turn["content"] if block.get("type") == kind)


def _anthropic_pairs(turns: Sequence[Message]) -> Iterator[str]:
    owed: tuple[str, ...] = ()
    for turn in turns:
        results = Counter(_ids(turn, "tool_result", "tool_use_id"))
        yield from (f"the tool_use {one!r} has no tool_result after it" for one in owed if not results[one])
        yield from (
            f"the tool_result {one!r} has no tool_use before it" for one in results if one not in owed
        )
        yield from (f"the tool_use {one!r} has two results" for one, count in results.items() if count > 1)
        owed = _ids(turn, "tool_use", "id")
    yield from (f"the tool_use {one!r} has no tool_result after it" for one in owed)
