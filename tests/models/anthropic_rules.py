"""What Anthropic requires of the messages that a model is sent, as a function from messages to faults.

The rules are those of the reference of its messages API; it answers 400 to a conversation that breaks one.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, cast

from backend.travel.models.history import Message

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_ID = re.compile(r"[a-zA-Z0-9_-]+")


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
    faults += _pairs(turns)
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
            _ID.fullmatch(str(block.get("id")))
            and _NAME.fullmatch(str(block.get("name")))
            and isinstance(block.get("input"), dict)
        ):
            yield "a tool_use has an id, a name, and an object as its input"
    kinds = [block.get("type") == "tool_result" for block in blocks]
    if any(later and not earlier for earlier, later in pairwise(kinds)):
        yield "a tool_result comes behind other content"


def _ids(turn: Message, kind: str, name: str) -> tuple[str, ...]:
    return tuple(str(block.get(name)) for block in turn["content"] if block.get("type") == kind)


def _pairs(turns: Sequence[Message]) -> Iterator[str]:
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
