"""The messages of a thread as AG-UI shows them, under the ids that the stream gave them.

A streamed text and the reply that is stored of it later are one message. The prompt of a question is no
message while the question is open: the interrupt carries it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ..thread.fold import Step
from ..thread.state import Frame, ThreadState, stands_before
from .events import INTERRUPTION

BETWEEN = "\n\n"
"""What stands in a reply between the texts of two models."""


class Change(NamedTuple):
    """What an event changed: a text grew by a piece, is complete, or an interruption is accounted for."""

    kind: Literal["piece", "complete", "interruption"]
    message_id: str
    piece: str = ""
    node: str | None = None


@dataclass(slots=True)
class _Entry:
    message: dict[str, Any]
    prompt_of: str | None = None
    unstored: bool = False
    """Whether it was streamed, and no stored message has it so far."""


class Transcript:
    """The messages of a thread, event by event. `state` arguments are the state after the event."""

    def __init__(self) -> None:
        self._by_task: dict[str, list[_Entry]] = {}
        self._texts: dict[tuple[str, str], _Entry] = {}
        self._replies: dict[str, int] = {}
        self._between: dict[str, str] = {}
        self._held: dict[str, tuple[Frame, str]] = {}
        self._before: dict[str, int] = {}

    def take(self, step: Step, state: ThreadState) -> list[Change]:
        """Take the next event; return what it changed."""
        frame = step.frame
        task_id = frame["task_id"]
        run_id = step.run.run_id if step.run is not None else task_id
        changes = self._release(task_id, frame)
        kind = frame["type"]
        if step.message is not None:
            changes += self._message(step.message, run_id)
        elif kind == "text_delta" and frame.get("reply", True):
            changes += self._text(frame, run_id)
        elif kind == "receipt":
            changes.append(self._interruption(task_id, frame["receipt"]))
        return changes

    def begin_with(self, state: ThreadState) -> None:
        """Begin with what is known of a thread whose first events are not stored any more."""
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
        known = [dict(each.message) for each in entries if each.prompt_of not in state.requests]
        return [*known, *map(_of_user, state.pending.values())]

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
        """Find the streamed text that a stored message repeats, and add what of it was not streamed."""
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
        task_id = frame["task_id"]
        key = (task_id, frame.get("message_id", ""))
        entry = self._texts.get(key)
        if entry is None:
            entry = self._texts[key] = self._add(task_id, _of_assistant(self._next_id(run_id), ""))
            entry.unstored = True
        entry.message["content"] += piece
        return Change("piece", entry.message["id"], piece, frame.get("node"))

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
    """Return the open question whose prompt a message is, if any."""
    for request in state.requests.values():
        if (request["task_id"], request["prompt"]) == (message["task_id"], message["text"]):
            return request["request_id"]
    return None


def _of_user(message: Frame) -> dict[str, Any]:
    return {"id": message["client_id"] or message["message_id"], "role": "user", "content": message["text"]}


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
