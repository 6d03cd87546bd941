"""Renders the stream of one call: progress while its run is at work, then a question or the result.

The messages are a function of the stored events alone, so that a stream that was cut goes on anywhere.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import mcp_types as types

from ...domain.encoding import encode
from ..following import Following
from ..thread.fold import FoldedEvent
from ..thread.state import Frame, Run, TaskState, ThreadState
from .wire import Json, StreamedCall, response, result_of

LONGEST_REPLY = 60_000
"""Characters of a reply in a result, which clients hand to a model; the conversation has all of it."""

MOST_RESULTS_BYTES = 256 * 1024
"""Bytes of results in a result: clients take events of a MiB, and these may come once more as interrupted."""

_LONGEST_WORDS = 300
"""Characters of a progress message: clients show the last one, in a line."""

_ENDED = {"completed": "success", "failed": "error", "interrupted": "interrupted"}


class AskedCall(Following):
    """A call that is followed over all runs of its task, once its client `waits` for the user's answers."""

    def __init__(self, call: StreamedCall) -> None:
        super().__init__(None if call.message_id is not None else call.run_id, message_id=call.message_id)
        self.waits = call.has_withdrawn

    def take(self, step: FoldedEvent, state: ThreadState) -> Run | None:
        """Return the run that is followed from this event on: after an answer, the next of its task."""
        before, run = state.runs.get(self.run_id or ""), step.run
        is_next = step.began and run is not None and before is not None and run.task_id == before.task_id
        if self.waits and is_next and run is not before:
            return self._go_on(run)
        return super().take(step, state)

    def over(self, state: ThreadState) -> bool:
        """Return whether nothing more will come: not while a question is open that the client is asked."""
        run = state.runs.get(self.run_id or "")
        if self.waits and run is not None and run.ended_waiting:
            task = state.task_of(run)
            if task is not None and not has_ended(task):
                return False
        return super().over(state)


def has_ended(task: TaskState) -> bool:
    """Return whether a task has ended, and its receipt is known if it was interrupted."""
    return task.status in _ENDED and (task.status != "interrupted" or task.receipt is not None)


class CallRenderer:
    """The messages of one call."""

    def __init__(self, call: StreamedCall, following: AskedCall) -> None:
        self._call = call
        self._following = following
        self._asked: set[str] = set()

    def step(self, step: FoldedEvent, state: ThreadState) -> Sequence[bytes | None]:
        """Render an event: progress, and the end of the run."""
        run = state.runs.get(self._following.run_id or "")
        if run is None:
            return []
        messages: list[Json] = []
        if step.run is run and self._call.token is not None:
            words = _words(step.frame, state)
            messages += [self._progress(step.seq, words)] if words else []
        waited = self._following.waits and run.ended_waiting
        if step.ended is run:
            messages += self._ended(run, state)
        elif waited and (task := state.task_of(run)) is not None and has_ended(task):
            messages.append(self._result(run, state))
        return [encode(each) for each in messages]

    def go_on(self, run: Run, step: FoldedEvent, state: ThreadState) -> Sequence[bytes | None]:
        """Render an event with which the next run of the task begins, or that which takes the message in."""
        return self.step(step, state)

    def present(self, run: Run, state: ThreadState) -> Sequence[bytes | None]:
        """Render a run as it is, without its events."""
        return [encode(each) for each in self._ended(run, state)] if run.ended else []

    # --- messages ------------------------------------------------------------------------------------

    def _progress(self, seq: int, words: str) -> Json:
        params = {"progressToken": self._call.token, "progress": seq, "message": words}
        return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}

    def _ended(self, run: Run, state: ThreadState) -> Sequence[Json]:
        """Return the end of a run: the result, unless its client is asked what the run asks."""
        task = state.task_of(run)
        if self._call.has_withdrawn and task is not None and not has_ended(task):
            return []  # this is the event with which it has asked
        questions = state.questions_of(run) if run.ended_waiting else []
        forms = {each["request_id"]: _form_of(each) for each in questions}
        if not (forms and all(forms.values()) and self._call.elicits):
            self._following.waits = False
            return [self._result(run, state)]
        if not self._call.is_resumable:
            requests = {name: _elicitation(form) for name, form in forms.items()}
            asks = {
                "resultType": "input_required",
                "inputRequests": requests,
                "requestState": self._call.user_id,
            }
            return [self._response(asks)]
        self._following.waits = True
        # An answer to one of several questions lets the task go on until it rests again, with the others.
        new = {name: form for name, form in forms.items() if name not in self._asked}
        self._asked |= {*new}
        return [
            {"jsonrpc": "2.0", "id": elicitation_id(self._call.user_id, name), **_elicitation(form)}
            for name, form in new.items()
        ]

    def _result(self, run: Run, state: ThreadState) -> Json:
        task = state.task_of(run)
        questions = state.questions_of(run)
        status = "input_required" if questions and run.ended_waiting else run.status
        if run.ended_waiting and task is not None and task.status in _ENDED:
            status = _ENDED[task.status]
        content = Told(status, run, state, questions).content(self._call)
        return self._response(
            {
                "content": content["texts"],
                "structuredContent": content["structured"],
                "isError": status == "error",
                "resultType": "complete",
            }
        )

    def _response(self, result: Json) -> Json:
        return response(self._call.request_id, result_of("tools/call", self._call.version, result))


class Told:
    """What a result tells of a run."""

    def __init__(self, status: str, run: Run, state: ThreadState, questions: Sequence[Frame]) -> None:
        self._status = status
        self._run = run
        self._state = state
        self._questions = questions
        self._task = state.task_of(run)

    def content(self, call: StreamedCall) -> Mapping[str, Any]:
        """Return the result as `texts` for a model, and `structured` for a program."""
        found, left_out = _bounded(self._found())
        reply = _cut(self._reply(), LONGEST_REPLY)
        reason, receipt = self._ending()
        asked = [
            {
                "request_id": each["request_id"],
                "kind": each["kind"],
                "prompt": each["prompt"],
                "schema": each["schema"],
                **({"facts": each["facts"]} if each.get("facts") else {}),
            }
            for each in self._questions
        ]
        structured = {
            "thread_id": call.user_id,
            "run_id": self._run.run_id,
            "status": self._status,
            "reason": reason,
            "reply": reply,
            "partial_results": found or None,
            "left_out": left_out or None,
            "questions": asked or None,
            "receipt": receipt,
            "interrupted": self._interrupted_before() or None,
        }
        texts = [reply or "Done."]
        if asked:
            texts.append(
                "This asks the user: ask them, and answer with the next call and the same thread_id."
            )
        if call.tells_thread:
            texts.append(f"thread_id: {call.user_id}")
        return {
            "texts": [{"type": "text", "text": each} for each in texts],
            "structured": {name: value for name, value in structured.items() if value is not None},
        }

    def _found(self) -> Mapping[str, list[Any]]:
        found: dict[str, list[Any]] = {}
        for task in reversed(self._state.tasks_of(self._run)):
            found |= task.found
        return found

    def _reply(self) -> str | None:
        """Return what was said last; of an interrupted run its text so far, and what became of it."""
        if self._questions:
            return "\n\n".join(_prompt_of(each) for each in self._questions)
        if self._status not in {"interrupted", "timeout"} or self._task is None:
            return self._state.last_reply(self._run)
        own = [each for each in self._state.messages_in_order() if each["task_id"] == self._task.task_id]
        markers = [each["text"] for each in own if each["role"] == "system"]
        return "\n\n".join(each for each in (self._task.said, *markers[-1:]) if each) or None

    def _ending(self) -> tuple[str | None, Any]:
        """Return why the run was interrupted, and the receipt; None of both if it was not."""
        if self._status not in {"interrupted", "timeout"} or self._task is None:
            return None, None
        return self._task.reason, _receipt(self._task.task_id, self._state)

    def _interrupted_before(self) -> Sequence[Json]:
        """Return what was interrupted just before this run: whoever cancelled it was told nothing."""
        before: list[Json] = []
        for run in reversed(
            [each for each in self._state.runs.values() if each.task_id != self._run.task_id]
        ):
            if run.began_seq > self._run.began_seq:
                continue
            task = self._state.task_of(run)
            left = self._state.interrupted.get(task.task_id) if task is not None else None
            if left is None or task is None or task.status != "interrupted":
                break
            found, _ = _bounded(left["partial_results"])
            told = {
                "message": left["message"],
                "reason": left["reason"],
                "partial_results": found,
                "receipt": _receipt(task.task_id, self._state),
            }
            before.insert(0, {name: value for name, value in told.items() if value is not None})
            if len(before) == _MOST_BEFORE:
                break
        return before


_MOST_BEFORE = 2


def _receipt(task_id: str, state: ThreadState) -> Any:
    task = state.tasks.get(task_id)
    if task is not None and task.receipt is not None:
        return task.receipt
    return state.interrupted.get(task_id, {}).get("receipt")


def _words(frame: Frame, state: ThreadState) -> str | None:
    """Return what to say of an event as progress, None for nothing."""
    match frame["type"]:
        case "text_delta" if frame.get("reply", True):
            said = state.tasks[frame["task_id"]].said
            return said if len(said) <= _LONGEST_WORDS else f"…{said[-_LONGEST_WORDS:]}"
        case "partial_result":
            words = f"{frame['agent']} has found {frame['count']}"
            whole = f"{words}: {encode(frame['items']).decode()}"
            return whole if len(whole) <= _LONGEST_WORDS else words
        case "tool_update":
            summary = f": {frame['summary']}" if frame["summary"] else ""
            return _cut(f"{frame['tool']} {frame['state'].replace('_', ' ')}{summary}", _LONGEST_WORDS)
        case _:
            return None


def _cut(text: str | None, most: int) -> Any:
    return text if text is None or len(text) <= most else f"{text[:most]}…"


def _bounded(found: Mapping[str, Sequence[Any]]) -> tuple[Mapping[str, list[Any]], int]:
    """Return the results that fit into a result, and how many do not."""
    kept: dict[str, list[Any]] = {}
    left, left_out = MOST_RESULTS_BYTES, 0
    for agent, items in found.items():
        for item in items:
            left -= len(encode(item))
            if left < 0:
                left_out += 1
            else:
                kept.setdefault(agent, []).append(item)
    return kept, left_out


# --- questions -----------------------------------------------------------------------------------------


def elicitation_id(user_id: str, request_id: str) -> types.RequestId:
    """Return the id of a request to a client, whose answer may come to another replica."""
    return f"{user_id}/{request_id}"


def read_elicitation_id(given: Any) -> tuple[str, str] | None:
    """Return the user and the question of an answer, None if it answers nothing of ours."""
    user_id, slash, request_id = given.rpartition("/") if isinstance(given, str) else ("", "", "")
    return (user_id, request_id) if slash else None


def _prompt_of(question: Frame) -> str:
    """Return a question in words, with the facts of what is to be allowed."""
    facts: Json = question.get("facts") or {}
    return "\n".join((question["prompt"], *(f"{name}: {value}" for name, value in facts.items())))


def _elicitation(form: Json | None) -> Json:
    return {"method": "elicitation/create", "params": form}


_DECIDE: Json = {
    "type": "object",
    "properties": {"decision": {"type": "string", "title": "Decision", "enum": ["allow", "deny"]}},
    "required": ["decision"],
}
_TEXT: Json = {
    "type": "object",
    "properties": {"answer": {"type": "string", "title": "Answer"}},
    "required": ["answer"],
}


def _form_of(question: Frame) -> Json | None:
    """Return a question as a form, None if it needs a list or an object; fields that may be left out are."""
    schema: Json = question["schema"]
    if question["kind"] == "permission":
        form = _DECIDE
    elif not schema.get("properties"):
        form = _TEXT
    else:
        fields = {name: _plain(each) for name, each in schema["properties"].items()}
        required = schema.get("required", [])
        if any(fields.get(name) is None for name in required):
            return None
        if fields.get("arguments", ...) is None and (decision := fields.get("decision")) is not None:
            # Without them an action cannot be edited.
            fields["decision"] = {**decision, "enum": [each for each in decision["enum"] if each != "edit"]}
        defaults: Json = question.get("defaults") or {}
        shown = {
            name: {**field, **({"default": defaults[name]} if defaults.get(name) is not None else {})}
            for name, field in fields.items()
            if field is not None
        }
        form = {"type": "object", "properties": shown, "required": required}
    return {"mode": "form", "message": _prompt_of(question), "requestedSchema": form}


_TYPES = {
    "string": ("minLength", "maxLength", "format", "enum"),
    "number": ("minimum", "maximum"),
    "integer": ("minimum", "maximum"),
    "boolean": (),
}
_FORMATS = {"email", "uri", "date", "date-time"}


def _plain(field: Json) -> Json | None:
    """Return a field with what forms know of one of its type, None for a list or an object."""
    kind: Any = field.get("type", "string" if not {"anyOf", "oneOf", "allOf", "$ref"} & {*field} else None)
    if isinstance(kind, list):
        kinds = [each for each in cast("list[Any]", kind) if each != "null"]
        kind = kinds[0] if len(kinds) == 1 else None
    if not isinstance(kind, str) or kind not in _TYPES:
        return None
    plain = {name: field[name] for name in ("title", "description", *_TYPES[kind]) if name in field}
    if not all(isinstance(each, str) for each in plain.get("enum", ())):
        return None
    if plain.get("format") not in _FORMATS:
        plain.pop("format", None)
    return {"type": kind, **plain}
