"""Derives the messages that a model is sent from what is stored, anew for each question.

No list of messages is kept and repaired. Each call that a model made gets exactly one result: what its row in
the ledger says at this moment. So the list is valid at every instant, whatever was interrupted and where. An
answer that was cut short is not a step; the model sees as much of it as the user did.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from ...domain.context import InterruptedContext
from ...domain.model_usage import ModelStep, RequestedCall
from ...domain.task import Message as Entry
from ...domain.tool_call import Outcome, ToolCall
from .validity import Message

CUT_SHORT = "[cut short here]"
"""Marks the end of an answer that was interrupted."""

_NOT_STARTED = "This was not started."
_TRUTH: Mapping[Outcome, str] = {
    "completed": "",
    "completed_after_interrupt": "This went through, after the user had interrupted.",
    "not_started": _NOT_STARTED,
    "cancelled": "This was cut short by an interruption; what had been found until then is incomplete.",
    "adopted": "The user's next request has taken this over, and shows what it finds.",
    "denied": "The user did not allow this. It was not done.",
    "failed": "This failed.",
    "unknown": "It is not known yet whether this took effect. It must not be repeated.",
}

Details = Callable[[ToolCall], Any]
"""Returns what a model learns of a completed call beside its summary, JSON-ready; None for nothing."""


def no_details(_call: ToolCall) -> Any:
    """Return nothing beside the summary."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What is stored of a conversation, up to the turn that a question is about.

    `entries` are the messages of user and assistant, with the markers of interruptions; `steps` the whole
    answers of models; `calls` the ledger's rows of their tasks, as they are now. `left` is what the previous
    task left if its ending is not stored yet.
    """

    entries: Sequence[Entry]
    steps: Sequence[ModelStep] = ()
    calls: Sequence[ToolCall] = ()
    left: InterruptedContext | None = None


@dataclass(slots=True)
class _List:
    """Messages in which user and assistant take turns: texts of one role that meet are joined."""

    messages: list[Message] = field(default_factory=list[Message])

    def say(self, role: str, text: str) -> None:
        """Add a text to the last message if that is of the same role; no service takes an empty one."""
        if not text.strip():
            return
        last = self.messages[-1] if self.messages else None
        if last is not None and last["role"] == role and "tool_calls" not in last:
            self.messages[-1] = {"role": role, "content": f"{last['content']}\n\n{text}"}
        else:
            self.messages.append({"role": role, "content": text})

    def step(self, step: ModelStep, results: Iterable[tuple[str, str]]) -> None:
        """Add what a model said, and the result of each of its calls."""
        if not step.calls:
            self.say("assistant", step.text)
            return
        # Content is None and not "" beside calls: Anthropic refuses an empty text.
        asked = [_asked(call) for call in step.calls]
        self.messages.append({"role": "assistant", "content": step.text.strip() or None, "tool_calls": asked})
        for call_id, text in results:
            self.messages.append({"role": "tool", "tool_call_id": call_id, "content": text})


def conversation(told: Told, *, agent: str | None = None, details: Details = no_details) -> list[Message]:
    """Return the messages that a model is sent behind its instructions, valid by the rules of all services.

    An `agent` is told of its own steps. The last message is the user's, or the result of a call, if the
    newest entry or step is; the first one is the user's. [] where the user has said nothing.
    """
    steps = [step for step in told.steps if step.agent == agent]
    # A write is stored under the key of its quote; the model asked for it by the key of its purpose.
    rows = {(call.task_id, key): call for call in told.calls for key in (call.key, call.purpose) if key}
    said = _List()
    spoken = [entry.turn for entry in told.entries if entry.role == "user" and entry.text.strip()]
    if not spoken:
        return []
    # Both services want the user to speak first, so what came before the first text of the user is left out.
    turns = {entry.turn for entry in told.entries} | {step.said_in for step in steps}
    for turn in sorted(each for each in turns if each >= min(spoken)):
        entries = sorted((each for each in told.entries if each.turn == turn), key=lambda each: each.position)
        for entry in entries:
            if entry.role == "user":
                said.say("user", entry.text)
        for step in sorted((each for each in steps if each.said_in == turn), key=_place):
            said.step(step, ((call.call_id, _result(step, call, rows, details)) for call in step.calls))
        for entry in entries:
            _tell(said, entry)
        _tell_what_is_left(said, entries, told.left)
    return said.messages


def _place(step: ModelStep) -> tuple[int, int]:
    return step.turn, step.position


def _tell(said: _List, entry: Entry) -> None:
    if entry.role == "assistant":
        said.say("assistant", f"{entry.text.rstrip()} {CUT_SHORT}" if entry.interrupted else entry.text)
    elif entry.role == "system":
        # As the user's: Anthropic takes instructions at the beginning of a conversation only.
        said.say("user", f"[{entry.text}]")


def _tell_what_is_left(said: _List, entries: Sequence[Entry], left: InterruptedContext | None) -> None:
    """Add how a task of this turn was interrupted, if the conversation does not say so yet.

    The next task begins as soon as the interrupted one has let go, which may be before its ending is stored.
    """
    is_here = left is not None and any(each.task_id == left.task_id for each in entries)
    if left is None or not is_here or any(each.role != "user" for each in entries):
        return
    if left.text.strip():
        said.say("assistant", f"{left.text.rstrip()} {CUT_SHORT}")
    said.say("user", f"[Interrupted: {left.reason}]")


def _asked(call: RequestedCall) -> Mapping[str, Any]:
    function = {"name": call.tool, "arguments": orjson.dumps(call.arguments).decode()}
    return {"id": call.call_id, "type": "function", "function": function}


def _result(
    step: ModelStep,
    call: RequestedCall,
    rows: Mapping[tuple[str, str], ToolCall],
    details: Details,
) -> str:
    """Return the result of a call: true at this moment, and never empty."""
    if call.refused:
        return f"This was refused and not done: {call.refused}"
    row = rows.get((step.task_id, call.key))
    if row is None:
        return _NOT_STARTED
    if row.outcome is None:
        return "This is still under way." if row.state == "running" else "This has not been started yet."
    told = " ".join(filter(None, (_TRUTH[row.outcome], row.summary)))
    more = details(row) if row.done else None
    if more is None:
        return told or "Done."
    return f"{told}\n{orjson.dumps(more).decode()}"
