"""A whole conversation as the AI SDK's messages: what `useChat` begins with after a reload.

Assistant messages are reduced from the chunks of their runs, as the client reduces them. So a run that is
still under way is there as far as it got, and a stream that is resumed replaces it.
"""

from collections.abc import Mapping
from typing import Any

from ..thread.fold import Step
from ..thread.reading import ThreadReader
from ..thread.state import Frame, ThreadState, stands_before
from . import chunks
from .chunks import Chunk
from .rendering import REPLIES, TAKEN_IN, RunChunks

Part = dict[str, Any]


class UIMessage:
    """One assistant message, chunk by chunk."""

    def __init__(self) -> None:
        self.message_id = ""
        self.metadata: dict[str, Any] = {}
        self.parts: list[Part] = []
        self._open: dict[str, Part] = {}

    def take(self, chunk: Chunk) -> None:
        """Take the next chunk."""
        kind: str = chunk["type"]
        name, _, step = kind.partition("-")
        if kind == "start":
            self.message_id = chunk["messageId"]
        elif kind == "reset-step":
            self.parts, self._open = [], {}
        elif name == "data":
            self._show(chunk)
        elif step == "start":
            part = self._open[chunk["id"]] = {"type": name, "text": "", "state": "streaming"}
            self.parts.append(part)
        elif step == "delta":
            self._open[chunk["id"]]["text"] += chunk["delta"]
        elif step == "end":
            self._open.pop(chunk["id"])["state"] = "done"
        elif kind == "error":
            self.parts.append({"type": "text", "text": chunk["errorText"], "state": "done"})
        self.metadata |= chunk.get("messageMetadata", {})

    def resolve(self, outcomes: Mapping[str, str]) -> None:
        """Tell of each question what became of it: the run that asked may have ended before."""
        for part in self.parts:
            if part["type"] == "data-question" and part["id"] in outcomes:
                part["data"] = {**part["data"], "outcome": outcomes[part["id"]]}

    def to_wire(self) -> dict[str, Any]:
        """Return it as the AI SDK has it."""
        return {"id": self.message_id, "role": "assistant", "metadata": self.metadata, "parts": self.parts}

    def _show(self, chunk: Chunk) -> None:
        part = {name: chunk[name] for name in ("type", "id", "data") if name in chunk}
        for number, shown in enumerate(self.parts):
            if "id" in part and (shown["type"], shown.get("id")) == (part["type"], part["id"]):
                self.parts[number] = part
                return
        self.parts.append(part)


class Conversation:
    """All messages of a thread, event by event."""

    def __init__(self) -> None:
        self._shown: dict[str, UIMessage | Frame] = {}
        self._rendered: dict[str, RunChunks] = {}
        self._outcomes: dict[str, str] = {}
        self._current: dict[str, str] = {}
        """Of a run that has taken a message in, the assistant message behind that."""

    def take(self, step: Step, state: ThreadState) -> None:
        """Take the next event; `state` is that after it."""
        frame = step.frame
        if step.message is not None and step.message["role"] == "user":
            self._show_users(step.message)
        elif frame["type"] == "input_resolved":
            self._outcomes[frame["request_id"]] = frame["outcome"]
        for run_id in dict.fromkeys(each.run_id for each in (step.run, step.ended) if each is not None):
            rendered = self._rendered.setdefault(run_id, RunChunks(run_id))
            for chunk in rendered.step(step, state):
                if chunk["type"] == TAKEN_IN:
                    chunk = chunk["start"]
                    self._current[run_id] = chunk["messageId"]
                self._message_of(run_id).take(chunk)
        if step.run is None and frame["type"] == "receipt":
            # A task that waited for its user was interrupted: its run had ended with the question.
            run = state.last_run_of(state.tasks[frame["task_id"]].first_task_id)
            if run is not None and run.run_id in self._shown:
                self._message_of(run.run_id).take(chunks.interruption(frame["receipt"]))

    def to_wire(self) -> list[dict[str, Any]]:
        """Return the messages that show anything, oldest first."""
        for message in self._shown.values():
            if isinstance(message, UIMessage):
                message.resolve(self._outcomes)
        shown = [
            each.to_wire() if isinstance(each, UIMessage) else _plain(each) for each in self._shown.values()
        ]
        return [each for each in shown if each["parts"]]

    def _show_users(self, message: Frame) -> None:
        if not stands_before(message):
            self._shown[message["message_id"]] = message
            return
        shown: dict[str, UIMessage | Frame] = {}
        for name, each in self._shown.items():
            if name == f"{message['task_id']}.0":
                shown[message["message_id"]] = message
            shown[name] = each
        self._shown = {**shown, message["message_id"]: message}

    def _message_of(self, run_id: str) -> UIMessage:
        message = self._shown.setdefault(self._current.get(run_id, run_id), UIMessage())
        assert isinstance(message, UIMessage), "no user's message has the id of a run"
        return message


async def ui_messages(reader: ThreadReader) -> list[dict[str, Any]]:
    """Return all messages of a thread, oldest first. Raises `StoreUnavailable`."""
    conversation, told = Conversation(), set[str]()
    async for steps in reader.stored():
        for step in steps:
            conversation.take(step, reader.state)
            told.add(step.frame.get("message_id", ""))
    # Messages whose events are not stored any more.
    earlier = [each for each in reader.state.messages_in_order() if each["message_id"] not in told]
    shown = [_plain(each) for each in earlier if each["role"] in {"user", *REPLIES}] + conversation.to_wire()
    # A page that has sent one has it at its end, too.
    return [*shown, *map(_plain, reader.state.pending.values())]


def _plain(message: Frame) -> dict[str, Any]:
    """Return a message that is text alone, under the id that it was sent with."""
    return {
        "id": message["client_id"] or message["message_id"],
        "role": message["role"],
        "metadata": {"taskId": message["task_id"], "createdAt": message["at"], **_steer(message)},
        "parts": [{"type": "text", "text": message["text"], "state": "done"}],
    }


def _steer(message: Frame) -> dict[str, Any]:
    return {"steer": message["steer"]} if message.get("steer") is not None else {}
