"""Renders one run as AG-UI's events: whatever it opens is closed before its end, however it ends."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import orjson

from ..content import media_in
from ..page_tools import call_of
from ..thread.fold import FoldedEvent
from ..thread.state import Frame, Run, TaskState, ThreadState, stands_before

# --- events --------------------------------------------------------------------------------------------
# AG-UI's events as server-sent events.
#
# The models of `ag-ui-protocol` 1.0 would write them as well, but take 5.6 us an event where this takes 0.7:
# folding and rendering a piece of text would take 14.3 us instead of 8.8 (measured).


INTERRUPTION = "detour.interruption"
"""The `activityType` of the receipt of an interruption."""


@dataclass(frozen=True, slots=True)
class ClientRun:
    """The client's own ids of a run, which are echoed.

    `versioned` if the client speaks 1.0, where a run may be `cancelled`. `sent` are its messages.
    """

    thread_id: str
    run_id: str
    versioned: bool = False
    sent: Sequence[Any] = ()


def event(kind: str, **fields: Any) -> bytes:
    """Return an event without the fields that are None: clients refuse null where a field is optional."""
    body = {"type": kind, **{name: value for name, value in fields.items() if value is not None}}
    return b"data: " + orjson.dumps(body) + b"\n\n"


def patch(*operations: tuple[str, tuple[str, ...], Any]) -> bytes:
    """Return changes of the state: each an operation of JSON Patch, a path and a value."""
    delta = [{"op": op, "path": _pointer(path), "value": value} for op, path, value in operations]
    return event("STATE_DELTA", delta=delta)


def _pointer(path: tuple[str, ...]) -> str:
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in path)


def run_started(client: ClientRun) -> bytes:
    """Return the first event of a run."""
    version = "1.0" if client.versioned else None
    return event("RUN_STARTED", threadId=client.thread_id, runId=client.run_id, protocolVersion=version)


def run_error(message: str, code: str) -> bytes:
    """Return the last event of a run that failed, or was not accepted."""
    return event("RUN_ERROR", message=message, code=code)


# --- shared state --------------------------------------------------------------------------------------
# The state that a page shares with the agent: results, agents, interrupted tasks.


_OF_AN_EVENT = frozenset({"type", "seq", "task_id", "at", "agent"})


MOST_INTERRUPTED_BYTES = 1024 * 1024
"""The results of interrupted tasks in the state: the page sends the state back with each message."""


def task_of(run: Run, state: ThreadState) -> TaskState:
    """Return the newest task of a run's message, made up where it is not known any more."""
    return state.task_of(run) or TaskState(run.task_id, run.task_id, status=_STATUS[run.status])


_STATUS = {
    "pending": "queued",
    "running": "running",
    "success": "completed",
    "error": "failed",
    "interrupted": "interrupted",
    "timeout": "interrupted",
}


def _progress(frame: Frame) -> dict[str, Any]:
    return {name: value for name, value in frame.items() if name not in _OF_AN_EVENT}


class SharedState:
    """The state as the page has it, so that each change can be sent alone.

    A patch that does not apply is dropped without a word: the list of an agent's results exists before its
    first element is added.
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def snapshot(self, task: TaskState, state: ThreadState) -> dict[str, Any]:
        """Return the whole state."""
        found = {agent: list(task.found.get(agent, ())) for agent in {**task.agents, **task.found}}
        self._counts = {agent: len(items) for agent, items in found.items()}
        return {
            "status": task.status,
            "partial_results": found,
            "agents": {agent: _progress(frame) for agent, frame in task.agents.items()},
            "interrupted": _within_bounds(state.interrupted.values()),
        }

    def interrupted(self, state: ThreadState) -> bytes:
        """Return the change that another task's interruption makes."""
        return patch(("replace", ("interrupted",), _within_bounds(state.interrupted.values())))

    def changes(self, frame: Frame, task: TaskState) -> list[bytes] | None:
        """Return the changes that an event makes; None if the page needs the whole state."""
        out: list[bytes] = []
        if frame["type"] == "status_update":
            out.append(patch(("replace", ("status",), task.status)))
        elif frame["type"] == "agent_update":
            agent = frame["agent"]
            out.append(patch(("add", ("agents", agent), _progress(frame))))
            if agent not in self._counts and agent not in task.found:
                self._counts[agent] = 0
                out.append(patch(("add", ("partial_results", agent), [])))
        if any(len(task.found.get(agent, ())) < count for agent, count in self._counts.items()):
            return None  # a retry of the message begins with nothing
        for agent, items in task.found.items():
            count = self._counts.get(agent)
            self._counts[agent] = len(items)
            if count is None:
                out.append(patch(("add", ("partial_results", agent), list(items))))
            elif len(items) > count:
                new = items[count:]
                out.append(patch(*(("add", ("partial_results", agent, "-"), item) for item in new)))
        return out


def _within_bounds(interrupted: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the interrupted tasks, the oldest without their results where all would be too much."""
    shown: list[dict[str, Any]] = []
    size = 0
    for left in reversed([*interrupted]):
        size += len(orjson.dumps(left["partial_results"]))
        shown.append(left if size <= MOST_INTERRUPTED_BYTES else {**left, "partial_results": {}})
    return shown[::-1]


# --- outcome -------------------------------------------------------------------------------------------
# How a run ends in AG-UI's words.


INTERRUPTED = frozenset({"interrupted", "timeout"})
"""The statuses of runs that ended early."""


def ended(client: ClientRun, run: Run, state: ThreadState) -> bytes:
    """Return the last event of a run.

    A client that does not say which version it speaks would fail on `cancelled`, which is new in 1.0: it
    finds in the result that the run was interrupted.
    """
    task = task_of(run, state)
    if run.status == "error":
        return run_error(state.last_reply(run) or "The run has failed.", "failed")
    asked = state.questions_of(run)
    open_questions = [each for each in asked if call_of(each) is None]
    outcome: dict[str, Any] | None = {"type": "success"}
    # A run that ends before its task does has ended because another window has answered the question.
    result: dict[str, Any] = {"status": "completed" if task.status == "completed" else "answered"}
    # A task that only waits for its user is interrupted after its run has ended.
    if run.status in INTERRUPTED or (run.ended_waiting and task.status == "interrupted"):
        outcome = {"type": "cancelled"} if client.versioned else None
        left = state.interrupted.get(task.task_id, {})
        receipt = task.receipt or left.get("receipt")
        result = {"status": "interrupted", "reason": run.reason or task.reason}
        result = {name: value for name, value in {**result, "receipt": receipt}.items() if value is not None}
    elif run.ended_waiting and open_questions:
        outcome = {"type": "interrupt", "interrupts": [_interrupt(each, state) for each in open_questions]}
        result = {"status": "input_required"}
    elif run.ended_waiting and asked:
        result = {"status": "waiting_for_page"}
    return event(
        "RUN_FINISHED", threadId=client.thread_id, runId=client.run_id, outcome=outcome, result=result
    )


def _interrupt(request: Frame, state: ThreadState) -> dict[str, Any]:
    """Return an open question as an interrupt; the decision on a call that is shown has AG-UI's own form."""
    call = state.call_asked_about(request)
    call_id = call.call_id if call is not None else request.get("call_id")
    metadata = {
        name: request[name]
        for name in ("agent", "kind", "tool", "defaults", "facts", "value")
        if name in request
    }
    return {
        "id": request["request_id"],
        "reason": "tool_call" if call_id is not None else "input_required",
        "message": request["prompt"],
        "responseSchema": request["schema"] if call is None else _approval_schema(request["schema"]),
        "expiresAt": request["expires_at"],
        **({} if call_id is None else {"toolCallId": call_id}),
        "metadata": metadata,
    }


def _approval_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    fields = {
        "approved": {"type": "boolean", "title": "Approved"},
        "reason": {"type": "string", "title": "Reason"},
    }
    if "edit" in schema["properties"]["decision"]["enum"]:
        fields["editedArgs"] = {"type": "object", "title": "Arguments"}
    return {"type": "object", "properties": fields, "required": ["approved"]}


# --- transcript ----------------------------------------------------------------------------------------
# The messages of a thread as AG-UI shows them, under the ids that the stream gave them.
#
# A streamed text and the reply that is stored of it later are one message. The prompt of a question is no
# message while the question is open: the interrupt carries it.


BETWEEN = "\n\n"
"""What stands in a reply between the texts of two models."""


class Change(NamedTuple):
    """A change of the transcript.

    A text grew by a piece, or is complete; a tool call grew by a `piece` of its arguments, is complete, or
    has its result; an interruption has its receipt.
    """

    kind: Literal["piece", "complete", "call", "called", "result", "interruption"]
    message_id: str
    piece: str = ""
    node: str | None = None
    call_id: str = ""
    tool: str = ""
    is_from_page: bool = False


@dataclass(slots=True)
class _Entry:
    message: dict[str, Any]
    prompt_of: str | None = None
    unstored: bool = False
    """Whether it was streamed, and no stored message has it so far."""
    calls: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    """The tool calls that it asks for, by their ids; those that are whole are in the message."""

    def shown(self) -> dict[str, Any] | None:
        """Return the message; None for one that is nothing but calls which are not whole."""
        if not self.calls:
            return dict(self.message)
        message = {**self.message, "toolCalls": [*self.message.get("toolCalls", ())]}
        shown = {name: value for name, value in message.items() if value}
        return shown if len(shown) > len(("id", "role")) else None


class Transcript:
    """The messages of a thread, event by event. `state` arguments are the state after the event."""

    def __init__(self) -> None:
        self._by_task: dict[str, list[_Entry]] = {}
        self._texts: dict[tuple[str, str], _Entry] = {}
        self._replies: dict[str, int] = {}
        self._between: dict[str, str] = {}
        self._held: dict[str, tuple[Frame, str]] = {}
        self._before: dict[str, int] = {}
        self._open_calls: dict[str, dict[str, None]] = {}
        self._called: dict[str, dict[str, Any]] = {}

    def take(self, step: FoldedEvent, state: ThreadState) -> list[Change]:
        """Take the next event; return the changes."""
        frame = step.frame
        task_id = frame["task_id"]
        run_id = step.run.run_id if step.run is not None else task_id
        changes = self._release(task_id, frame)
        kind = frame["type"]
        if step.message is not None:
            changes += self._message(step.message, run_id)
        elif kind == "text_delta" and frame.get("reply", True):
            changes += self._text(frame, run_id)
        elif kind == "tool_call":
            changes += self._call(frame, run_id, state)
        elif kind == "graph_message" and frame["role"] == "tool":
            told = (frame["tool_call_id"], frame["message_id"], frame.get("text", ""))
            changes += self._result(state.tasks[task_id], *told)
        elif kind == "receipt":
            changes.append(self._interruption(task_id, frame["receipt"]))
        # Of a task that waited for its user, the run has ended before.
        if step.ended is not None or (kind == "receipt" and step.run is None):
            changes += self._outcomes(task_id, state)
        return changes

    def arguments_of(self, call_id: str) -> str:
        """Return the arguments of a call so far."""
        return self._called[call_id]["function"]["arguments"]

    def begin_with(self, state: ThreadState) -> None:
        """Begin with the known messages of a thread whose first events are not stored any more."""
        for message in state.messages_in_order():
            if "seq" in message:  # told by an event that is still stored, which is taken by itself
                continue
            task_id = message["task_id"]
            if message["role"] == "user":
                self._add(task_id, _of_user(message))
            elif message["role"] == "assistant":
                self._add(
                    task_id, _of_assistant(message["message_id"], message["text"]), _question(message, state)
                )
            else:
                receipt = state.interrupted.get(task_id, {}).get("receipt")
                self._interruption(task_id, receipt or {"task_id": task_id, "text": message["text"]})

    def shown(self, state: ThreadState) -> list[dict[str, Any]]:
        """Return the messages, task by task, without the prompts of open questions.

        Those that wait to be taken in are the last: a page that has sent one would lose it otherwise.
        """
        entries = (each for task_id in sorted(self._by_task) for each in self._by_task[task_id])
        known = [each.shown() for each in entries if each.prompt_of not in state.requests]
        return [*filter(None, known), *map(_of_user, state.pending.values())]

    # --- one kind of event each ------------------------------------------------------------------------

    def _release(self, task_id: str, frame: Frame) -> list[Change]:
        """Show the assistant's message before this event, unless it was the prompt of this question."""
        message, run_id = self._held.pop(task_id, (None, ""))
        if message is None:
            return []
        if frame["type"] == "input_request" and frame["prompt"] == message["text"]:
            prompt = _of_assistant(message["message_id"], message["text"])
            self._add(task_id, prompt, frame["request_id"])
            return []
        return self._stored(task_id, message["text"], run_id)

    def _message(self, frame: Frame, run_id: str) -> list[Change]:
        if frame["role"] == "user" and stands_before(frame):
            self._add_before(frame)
        elif frame["role"] == "user":
            self._add(frame["task_id"], _of_user(frame))
        elif frame["role"] == "assistant":
            # A question comes right after its prompt, so the next event tells whether it is one.
            self._held[frame["task_id"]] = (frame, run_id)
        return []

    def _stored(self, task_id: str, text: str, run_id: str) -> list[Change]:
        """Find the streamed text that a stored message repeats, and add the rest that was not streamed."""
        streaming = [each for each in self._by_task.get(task_id, ()) if each.unstored]
        if streaming and "".join(each.message["content"] for each in streaming).strip() == text.strip():
            for entry in streaming:
                entry.unstored = False
            return [Change("complete", each.message["id"]) for each in streaming]
        for entry in reversed(streaming):
            streamed = entry.message["content"]
            if text.startswith(streamed.strip()):
                entry.unstored = False
                message_id, rest = entry.message["id"], text[len(streamed) :]
                if rest and text.startswith(streamed):
                    entry.message["content"] = text
                    return [Change("piece", message_id, rest), Change("complete", message_id)]
                return [Change("complete", message_id)]
        entry = self._add(task_id, _of_assistant(self._next_id(run_id), text))
        message_id = entry.message["id"]
        return [Change("piece", message_id, text), Change("complete", message_id)]

    def _text(self, frame: Frame, run_id: str) -> list[Change]:
        task_id, piece = frame["task_id"], frame["text"]
        before = self._between.pop(task_id, "")
        if "message_id" not in frame:
            if piece == BETWEEN:
                # Between the texts of two models, each of which is a message here, or a piece like any other.
                self._between[task_id] = before + piece
                return []
            piece = before + piece
        return [self._piece(frame, piece, run_id)]

    def _piece(self, frame: Frame, piece: str, run_id: str) -> Change:
        entry = self._entry(frame, run_id)
        entry.unstored = True
        entry.message["content"] += piece
        return Change("piece", entry.message["id"], piece, frame.get("node"))

    def _entry(self, frame: Frame, run_id: str) -> _Entry:
        """Return the entry of the message of a model that a frame is a piece of."""
        key = (frame["task_id"], frame.get("message_id", ""))
        if key not in self._texts:
            self._texts[key] = self._add(frame["task_id"], _of_assistant(self._next_id(run_id), ""))
        return self._texts[key]

    def _call(self, frame: Frame, run_id: str, state: ThreadState) -> list[Change]:
        """Add a piece of a tool call to the message that asks for it."""
        entry, call_id = self._entry(frame, run_id), frame["tool_call_id"]
        task = state.tasks[frame["task_id"]]
        call = entry.calls.get(call_id)
        asked = task.asked[call_id]
        if asked.is_repeated_by(frame):
            return []
        if call is None:
            function = {"name": frame["tool"], "arguments": ""}
            call = entry.calls[call_id] = {"id": call_id, "type": "function", "function": function}
            self._called[call_id] = call
        piece = "" if asked.is_cut else frame["arguments"]
        call["function"]["arguments"] += piece
        of_call = (entry.message["id"], piece, frame["node"], call_id, frame["tool"])
        changes = [Change("call", *of_call)]
        if frame["whole"]:
            entry.message.setdefault("toolCalls", []).append(call)
            # By the first attempt at the message: a later one may bring the result.
            self._open_calls.setdefault(task.first_task_id, {})[call_id] = None
            changes.append(Change("called", entry.message["id"], call_id=call_id))
        return changes

    def _result(self, task: TaskState, call_id: str, message_id: str, text: str) -> list[Change]:
        """Add the result of a call, the first that there is of it."""
        asked = self._open_calls.get(task.first_task_id, {})
        if call_id not in asked:
            return []
        del asked[call_id]
        message = {"id": message_id, "role": "tool", "toolCallId": call_id, "content": text}
        self._add(task.task_id, message)
        is_from_page = task.for_page.get(call_id, False)
        return [Change("result", message_id, text, call_id=call_id, is_from_page=is_from_page)]

    def _outcomes(self, task_id: str, state: ThreadState) -> list[Change]:
        """Add the outcomes of calls whose task has ended without their results."""
        task = state.tasks.get(task_id)
        changes: list[Change] = []
        if task is None:
            return changes
        for call_id in [*self._open_calls.get(task.first_task_id, ())]:
            call = state.call_of(task, call_id)
            outcome = task.result_of(call) if call is not None else None
            if outcome is not None:
                changes += self._result(task, call_id, f"{call_id}.outcome", outcome.text)
        return changes

    def _interruption(self, task_id: str, receipt: Any) -> Change:
        message_id = f"{task_id}.interruption"
        message = {"id": message_id, "role": "activity", "activityType": INTERRUPTION, "content": receipt}
        for entry in self._by_task.get(task_id, ()):
            if entry.message["id"] == message_id:  # its receipt was amended
                entry.message = message
                break
        else:
            self._add(task_id, message)
        return Change("interruption", message_id)

    # --- entries --------------------------------------------------------------------------------------

    def _add(self, task_id: str, message: dict[str, Any], prompt_of: str | None = None) -> _Entry:
        entry = _Entry(message, prompt_of)
        self._by_task.setdefault(task_id, []).append(entry)
        return entry

    def _add_before(self, message: Frame) -> None:
        """Add a message that stands before that of its task, after others that do."""
        entries = self._by_task.setdefault(message["task_id"], [])
        number = self._before[message["task_id"]] = self._before.get(message["task_id"], 0) + 1
        entries.insert(number - 1, _Entry(_of_user(message)))

    def _next_id(self, run_id: str) -> str:
        self._replies[run_id] = number = self._replies.get(run_id, 0) + 1
        return f"{run_id}.reply" if number == 1 else f"{run_id}.reply-{number}"


def _question(message: Frame, state: ThreadState) -> str | None:
    """Return the open question that a message asks, if any."""
    for request in state.requests.values():
        if (request["task_id"], request["prompt"]) == (message["task_id"], message["text"]):
            return request["request_id"]
    return None


def _of_user(message: Frame) -> dict[str, Any]:
    said = message["text"] if "content" not in message else [*map(_part_of, message["content"])]
    return {"id": message["client_id"] or message["message_id"], "role": "user", "content": said}


def _part_of(block: Mapping[str, Any]) -> dict[str, Any]:
    media = media_in(block)
    if media is None:
        return {"type": "text", "text": block.get("text", "")}
    named = {"filename": media.name} if media.name else {}
    part = {"type": "binary", "mimeType": media.mime_type, **named}
    head, _, data = media.url.partition(";base64,")
    return {**part, "data": data} if head.startswith("data:") and data else {**part, "url": media.url}


def _of_assistant(message_id: str, text: str) -> dict[str, Any]:
    return {"id": message_id, "role": "assistant", "content": text}


def with_leading(sent: Iterable[Any], known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the known messages after those that the page has put before them, such as a greeting."""
    ids = {each["id"] for each in known}
    leading: list[dict[str, Any]] = []
    for each in sent:
        if each["id"] in ids:
            return [*leading, *known]
        leading.append(each)
    return known


# --- rendering -----------------------------------------------------------------------------------------


_CUSTOM = frozenset(
    {"tool_update", "context_transfer", "results_sorted", "offers_pointed_out", "offers_ordered", "steer"}
)
"""Our events without a counterpart in AG-UI."""

_BEFORE_ANYTHING_RUNS = frozenset({"message", "input_resolved"})


class RunRenderer:
    """The events of one run, for one request; of a message that steers (`message_id`), until its answer ends.

    A `Renderer`.
    """

    def __init__(self, run_id: str, client: ClientRun, *, message_id: str | None = None) -> None:
        self._run_id = run_id
        self._client = client
        self._message_id = message_id
        self._transcript: Transcript | None = None
        self._shared = SharedState()
        self._started = False
        self._snapshots_sent = False
        self._steps: dict[str, None] = {}
        self._texts: dict[str, str | None] = {}
        self._calls: dict[str, None] = {}

    def step(self, step: FoldedEvent, state: ThreadState) -> list[bytes]:
        """Render an event; `state` is that after it."""
        changes = self.see(step, state)
        out: list[bytes] = []
        if step.run is not None and step.run.run_id == self._run_id:
            out = self._of_run(step, step.run, changes, state)
        elif step.run is None and self._started:
            # The task before has waited for its page, and was interrupted by the message of this run.
            out = [told for each in changes if each.kind == "result" for told in self._called(each)]
        if step.ended is not None and step.ended.run_id == self._run_id:
            if not state.waits(self._message_id, step.ended):
                out += self._end(step.ended, state)
        elif step.ended is not None and step.ended.status in INTERRUPTED and self._snapshots_sent:
            # A superseded task settles after the first events of the run that superseded it.
            out.append(self._shared.interrupted(state))
        return out

    def follow(self, run_id: str, client: ClientRun) -> None:
        """Render this run from now on."""
        self._run_id, self._client = run_id, client

    def see(self, step: FoldedEvent, state: ThreadState) -> list[Change]:
        """Take an event without rendering it."""
        if self._transcript is None:
            self._transcript = Transcript()
            self._transcript.begin_with(state)
        return self._transcript.take(step, state)

    def go_on(self, run: Run, step: FoldedEvent, state: ThreadState) -> list[bytes]:
        """Render another run from this event on."""
        self.see(step, state)
        self._run_id = run.run_id
        return self.as_it_is(run, state)

    def present(self, run: Run, state: ThreadState) -> list[bytes]:
        """Render a run some of whose events are not stored any more, as far as it is known."""
        self.begin_with(state)
        self._run_id = run.run_id
        return self.as_it_is(run, state)

    def begin_with(self, state: ThreadState) -> None:
        """Begin with a state whose events are not stored any more, without rendering it."""
        self._transcript = Transcript()
        self._transcript.begin_with(state)

    def as_it_is(self, run: Run, state: ThreadState, *, was_told: bool = False) -> list[bytes]:
        """Render a run as it is now, with all messages before it; its end, too, if it has ended.

        `was_told` if the user has seen a failure before: then it is no error once more.
        """
        out = [*self._close(), *self._start(), self._messages(state), self._state(run, state)]
        self._snapshots_sent = True
        if run.ended and not state.waits(self._message_id, run):
            if run.status != "error" or not was_told:
                return [*out, ended(self._client, run, state)]
            ids = {"threadId": self._client.thread_id, "runId": self._client.run_id}
            return [*out, event("RUN_FINISHED", **ids, result={"status": "failed"})]
        for agent, frame in task_of(run, state).agents.items():
            out += self._agent(agent, frame["state"])
        return out

    # --- parts of a run --------------------------------------------------------------------------------

    def _of_run(
        self, step: FoldedEvent, run: Run, changes: Sequence[Change], state: ThreadState
    ) -> list[bytes]:
        out = self._start()
        kind = step.frame["type"]
        is_told = any(each.is_from_page for each in changes)  # perhaps not the last, and the snapshot has all
        if not self._snapshots_sent and kind not in _BEFORE_ANYTHING_RUNS and not is_told:
            self._snapshots_sent = True
            if run.number > 1:
                # The question and its answer, which no event has told this client.
                out.append(self._messages(state))
            out.append(self._state(run, state))
        elif self._snapshots_sent:
            patches = self._shared.changes(step.frame, task_of(run, state))
            out += [self._state(run, state)] if patches is None else patches
        if kind in _CUSTOM:
            out.append(event("CUSTOM", name=f"detour.{kind}", value=step.frame))
        if kind == "steer" and self._snapshots_sent:
            out.append(self._messages(state))
        for change in changes:
            out += self._said(change, state)
        if kind == "agent_update":
            out += self._agent(step.frame["agent"], step.frame["state"])
        return out

    def _start(self) -> list[bytes]:
        if self._started:
            return []
        self._started = True
        return [run_started(self._client)]

    def _agent(self, agent: str, now: str) -> list[bytes]:
        """Open the step of an agent that works, close that of any other."""
        if now == "working":
            if agent in self._steps:
                return []
            self._steps[agent] = None
            return [event("STEP_STARTED", stepName=agent)]
        out = [self._end_text(each) for each, node in [*self._texts.items()] if node == agent]
        if agent in self._steps:
            del self._steps[agent]
            out.append(event("STEP_FINISHED", stepName=agent))
        return out

    def _said(self, change: Change, state: ThreadState) -> list[bytes]:
        message_id = change.message_id
        if change.kind == "interruption":
            assert self._transcript is not None
            shown = self._transcript.shown(state)
            receipt = next(each["content"] for each in shown if each["id"] == message_id)
            about = {"messageId": message_id, "activityType": INTERRUPTION}
            return [*self._close(), event("ACTIVITY_SNAPSHOT", **about, content=receipt)]
        if change.kind == "complete":
            return [self._end_text(message_id)] if message_id in self._texts else []
        if change.kind in ("call", "called", "result"):
            return self._called(change)
        out: list[bytes] = []
        if message_id not in self._texts:
            self._texts[message_id] = change.node
            out.append(event("TEXT_MESSAGE_START", messageId=message_id, role="assistant"))
        if change.piece:
            out.append(event("TEXT_MESSAGE_CONTENT", messageId=message_id, delta=change.piece))
        return out

    def _called(self, change: Change) -> list[bytes]:
        """Render a piece of a tool call, its end, or its result."""
        call_id = change.call_id
        if change.kind == "called":
            return [self._end_call(call_id)] if call_id in self._calls else []
        if change.kind == "result" and change.is_from_page:
            return []  # its sender has it, and the snapshot at the beginning of the run
        if change.kind == "result":
            out = [self._end_call(call_id)] if call_id in self._calls else []
            about = {"messageId": change.message_id, "toolCallId": call_id, "role": "tool"}
            return [*out, event("TOOL_CALL_RESULT", **about, content=change.piece)]
        out: list[bytes] = []
        if call_id not in self._calls:
            self._calls[call_id] = None
            about = {"toolCallId": call_id, "toolCallName": change.tool}
            out.append(event("TOOL_CALL_START", **about, parentMessageId=change.message_id))
            # With what came before a client that joins in the middle of a call.
            change = change._replace(piece=self._transcript.arguments_of(call_id) if self._transcript else "")
        if change.piece:
            out.append(event("TOOL_CALL_ARGS", toolCallId=call_id, delta=change.piece))
        return out

    def _end_call(self, call_id: str) -> bytes:
        del self._calls[call_id]
        return event("TOOL_CALL_END", toolCallId=call_id)

    def _end_text(self, message_id: str) -> bytes:
        del self._texts[message_id]
        return event("TEXT_MESSAGE_END", messageId=message_id)

    def _close(self) -> list[bytes]:
        """Close all that is open."""
        out = [event("TEXT_MESSAGE_END", messageId=each) for each in self._texts]
        out += [event("TOOL_CALL_END", toolCallId=each) for each in self._calls]
        out += [event("STEP_FINISHED", stepName=each) for each in self._steps]
        self._texts.clear()
        self._calls.clear()
        self._steps.clear()
        return out

    def _end(self, run: Run, state: ThreadState) -> list[bytes]:
        out = [*self._start(), *self._close()]
        if run.ended_waiting:
            out.append(self._messages(state))
        out.append(self._state(run, state))
        return [*out, ended(self._client, run, state)]

    # --- snapshots -------------------------------------------------------------------------------------

    def _messages(self, state: ThreadState) -> bytes:
        shown = self._transcript.shown(state) if self._transcript is not None else []
        return event("MESSAGES_SNAPSHOT", messages=with_leading(self._client.sent, shown))

    def _state(self, run: Run, state: ThreadState) -> bytes:
        return event("STATE_SNAPSHOT", snapshot=self._shared.snapshot(task_of(run, state), state))
