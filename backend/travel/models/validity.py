"""What OpenAI requires of the messages that a model is sent, as a function from messages to faults.

It answers 400 to a conversation that breaks a rule, and to every later one that contains it. The rules are
those of the reference of chat completions: every tool call is answered exactly once, directly after the
message that makes it; roles and their order; nothing empty. Nothing is repaired here. Messages are kept in
this form whatever the service: its client library translates them, and tests hold what comes of that to
Anthropic's rules.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Message = Mapping[str, Any]
"""A message as a service takes it in JSON."""

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
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
