"""Derives the messages that a model is sent from what is stored, and stores the steps of models.

The list is made anew for each question, and none is kept and repaired. Each call that a model made gets
exactly one result: what its row in the ledger says at this moment. So the list is valid at every instant,
whatever was interrupted and where. An answer that was cut short is not a step; the model sees as much of it
as the user did.

`openai_faults` tells what OpenAI requires of the messages. It answers 400 to a conversation that breaks a
rule, and to every later one that contains it. Messages are kept in this form whatever the service: its
client library translates them, and tests hold what comes of that to Anthropic's rules.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from ...domain.context import InterruptedContext
from ...domain.model_usage import ModelStep, Past, RequestedCall, Usage, UsageMeter
from ...domain.task import Message as Entry
from ...domain.tool_call import Outcome, ToolCall
from ...tasks.task_context import TaskContext

Message = Mapping[str, Any]
"""A message as a service takes it in JSON."""

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


# --- the rules of services -----------------------------------------------------------------------------


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


# --- the steps of a task -------------------------------------------------------------------------------


class ModelJournal:
    """The steps of one task's models, stored as they are kept."""

    __slots__ = ("_task",)

    def __init__(self, task: TaskContext) -> None:
        self._task = task

    @property
    def turn(self) -> int:
        """The turn of the task's message."""
        return self._task.task.turn

    @property
    def conversation_turn(self) -> int:
        """The turn at which the conversation is: later than `turn` once the user has answered a question."""
        return self._task.task.spoken_turn or self._task.task.turn

    @property
    def steps(self) -> Sequence[ModelStep]:
        """The task's steps in the order they were kept."""
        return self._task.trace.steps

    @property
    def usage(self) -> UsageMeter:
        """What the task's model calls use."""
        return self._task.trace.usage

    async def past(self, since_turn: int) -> Past:
        """Return the steps of the user's tasks from a turn on, and the calls of those tasks, as stored.

        Raises `StoreUnavailable`.
        """
        return await self._task.trace.past(since_turn)

    def keep(self, agent: str, text: str, calls: Sequence[RequestedCall], usage: Usage) -> None:
        """Keep a whole answer of the model that drives an agent."""
        task = self._task.task
        step = ModelStep(
            user_id=task.user_id,
            task_id=task.task_id,
            turn=task.turn,
            said_in=self.conversation_turn,
            position=len(self.steps),
            agent=agent,
            text=text,
            calls=tuple(calls),
            usage=usage,
            at=self._task.now(),
        )
        self._task.trace.steps.append(step)
        self._task.record(step)
