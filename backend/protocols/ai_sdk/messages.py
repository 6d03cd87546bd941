"""A whole conversation as the AI SDK's messages: what `useChat` begins with after a reload.

Assistant messages are reduced from the chunks of their runs, as the client reduces them. So a run that is
still under way is there as far as it got, and a stream that is resumed replaces it.
"""

from typing import Any

from ..thread.reading import ThreadReader
from ..thread.state import Frame, ThreadState
from . import chunks
from .chunks import Chunk
from .rendering import REPLIES, RunChunks

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


async def ui_messages(reader: ThreadReader) -> list[dict[str, Any]]:
    """Return all messages of a thread, oldest first. Raises `StoreUnavailable`."""
    shown: dict[str, UIMessage | Frame] = {}
    rendered: dict[str, RunChunks] = {}
    outcomes: dict[str, str] = {}
    told: set[str] = set()
    async for steps in reader.stored():
        for step in steps:
            frame = step.frame
            if frame["type"] == "message":
                told.add(frame["message_id"])
                if frame["role"] == "user":
                    shown[frame["message_id"]] = frame
            elif frame["type"] == "input_resolved":
                outcomes[frame["request_id"]] = frame["outcome"]
            for run in {each.run_id: each for each in (step.run, step.ended) if each is not None}.values():
                message = shown.setdefault(run.run_id, UIMessage())
                assert isinstance(message, UIMessage)
                for chunk in rendered.setdefault(run.run_id, RunChunks(run.run_id)).step(step, reader.state):
                    message.take(chunk)
            if step.run is None and frame["type"] == "receipt":
                _interrupt(shown, reader.state, frame)
    earlier = [
        _plain(each)
        for each in reader.state.messages_in_order()
        if each["message_id"] not in told and each["role"] in {"user", *REPLIES}
    ]
    for message in shown.values():
        if isinstance(message, UIMessage):
            _resolve(message, outcomes)
    whole = [each.to_wire() if isinstance(each, UIMessage) else _plain(each) for each in shown.values()]
    return earlier + [each for each in whole if each["parts"]]


def _interrupt(shown: dict[str, UIMessage | Frame], state: ThreadState, frame: Frame) -> None:
    """Tell of an interruption in the message of a run that had ended with a question."""
    task = state.tasks[frame["task_id"]]
    run = state.last_run_of(task.first_task_id)
    message = shown.get(run.run_id) if run is not None else None
    if isinstance(message, UIMessage):
        message.take(chunks.interruption(frame["receipt"]))


def _resolve(message: UIMessage, outcomes: dict[str, str]) -> None:
    """Tell of each question what became of it; another run may have been told."""
    for part in message.parts:
        if part["type"] == "data-question" and part["id"] in outcomes:
            part["data"] = {**part["data"], "outcome": outcomes[part["id"]]}


def _plain(message: Frame) -> dict[str, Any]:
    """Return a message that is text alone, under the id that it was sent with."""
    return {
        "id": message["client_id"] or message["message_id"],
        "role": message["role"],
        "metadata": {"taskId": message["task_id"], "createdAt": message["at"]},
        "parts": [{"type": "text", "text": message["text"], "state": "done"}],
    }
