"""What a subscriber does with frames: read them, hold them to the contract, and fold them into a state.

The fold is what the contract promises: from a snapshot and the events after it a client knows all that the
lookups would tell.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, get_args, get_type_hints

from backend.http.wire import frames
from tests.api.live import BOUND_S, ENDED
from tests.shapes import check_shape

COMMON = {"seq", "type", "task_id", "at"}
SHAPES: dict[str, Any] = {}
"""The published shape of each type of frame."""
for _shape in (*get_args(frames.Frame), *get_args(frames.Reply)):
    (_kind,) = get_args(get_type_hints(_shape)["type"])
    SHAPES[_kind] = SHAPES[_kind] | _shape if _kind in SHAPES else _shape

Frame = dict[str, Any]


def check_frame(text: str | bytes) -> Frame:
    """Return a frame. Raises `ValidationError` where a field is missing, wrong or not published."""
    frame = json.loads(text)
    check_shape(SHAPES[frame["type"]], text)
    return frame


async def receive(socket) -> Frame:
    """Return the next frame of a WebSocket."""
    async with asyncio.timeout(BOUND_S):
        return check_frame(await socket.recv())


async def receive_until(socket, matches: Callable[[Frame], bool]) -> list[Frame]:
    """Return the next frames, up to the first that matches."""
    frames: list[Frame] = []
    while not frames or not matches(frames[-1]):
        frames.append(await receive(socket))
    return frames


def ends(task_id: str) -> Callable[[Frame], bool]:
    """Match the last event of a task: a receipt where it was interrupted, its status where it was not."""

    def matches(frame: Frame) -> bool:
        if frame.get("task_id") != task_id:
            return False
        ended = frame["type"] == "status_update" and frame["status"] in ENDED
        return frame["type"] == "receipt" or (ended and frame["status"] != "interrupted")

    return matches


def check_event(event: Frame) -> None:
    """Hold an event to its published shape."""
    assert set(event) >= COMMON
    check_frame(json.dumps(event))


@dataclass
class State:
    """All that a subscriber knows. `tasks` holds what each task was seen to do, by its id."""

    seq: int = 0
    latest: str | None = None
    tasks: dict[str, dict[str, Any]] = field(default_factory=dict)
    history: list[Frame] = field(default_factory=list)
    receipts: dict[str, Frame] = field(default_factory=dict)

    def take(self, frame: Frame) -> None:
        """Take a snapshot, or the event whose turn it is."""
        if frame["type"] == "snapshot":
            assert set(frame) == {"type", "seq", "epoch", "status", "partial_results", "history"}
            self._begin(frame)
            return
        check_event(frame)
        assert frame["seq"] == self.seq + 1, f"{frame['seq']} after {self.seq}"
        self.seq = frame["seq"]
        task = self.tasks.setdefault(frame["task_id"], {"agents": {}, "found": {}, "text": ""})
        getattr(self, "_" + frame["type"])(task, frame)

    def _begin(self, snapshot: Frame) -> None:
        self.__init__(seq=snapshot["seq"], history=list(snapshot["history"]))
        status, found = snapshot["status"], snapshot["partial_results"]
        if status is not None:
            self.latest = status["task_id"]
            self.tasks[self.latest] = {
                **{name: status[name] for name in ("status", "reason", "message", "updated_at")},
                "agents": status["agents"],
                "found": found["partial_results"],
                "text": found["text"],
            }

    def _status_update(self, task: dict[str, Any], event: Frame) -> None:
        task |= {name: event[name] for name in ("status", "reason", "message")}
        task["updated_at"] = event["at"]
        assert event["partial_results"] == task["found"]
        assert event["current_agent"] == current_agent(task)
        if event["status"] == "running":
            self.latest = event["task_id"]

    def _agent_update(self, task: dict[str, Any], event: Frame) -> None:
        before = task["agents"].get(event["agent"], {})
        request = {name: before[name] for name in before if name == "request"}
        told = {name: event[name] for name in event if name not in COMMON | {"agent"}}
        task["agents"][event["agent"]] = request | told
        task["updated_at"] = event["at"]

    def _partial_result(self, task: dict[str, Any], event: Frame) -> None:
        found = task["found"].setdefault(event["agent"], [])
        found += event["items"]
        assert event["count"] == len(found)

    def _text_delta(self, task: dict[str, Any], event: Frame) -> None:
        if event.get("reply", True):
            assert event["offset"] == len(task["text"])
            task["text"] += event["text"]

    def _message(self, _task: dict[str, Any], event: Frame) -> None:
        names = ("message_id", "role", "text", "task_id", "at", "interrupted", "client_id")
        self.history.append({name: event[name] for name in (*names, "suggestions") if name in event})

    def _receipt(self, _task: dict[str, Any], event: Frame) -> None:
        self.receipts[event["task_id"]] = event["receipt"]

    def _input_request(self, task: dict[str, Any], event: Frame) -> None:
        assert event["request_id"] not in task.setdefault("asked", [])
        task["asked"].append(event["request_id"])

    def _task_resting(self, task: dict[str, Any], _event: Frame) -> None:
        assert task["asked"]

    def _input_resolved(self, task: dict[str, Any], event: Frame) -> None:
        task["asked"].remove(event["request_id"])

    def _tool_update(self, task: dict[str, Any], event: Frame) -> None:
        task.setdefault("calls", {})[event["call_id"]] = event["state"]

    def _context_transfer(self, _task: dict[str, Any], event: Frame) -> None:
        assert event["from_task_id"] in self.tasks

    def _results_sorted(self, _task: dict[str, Any], event: Frame) -> None:
        found = self.tasks[event["from_task_id"]]["found"]
        for agent, fates in event["results"].items():
            positions = sorted(position for each in fates.values() for position in each)
            assert positions == list(range(len(found[agent])))

    def _offers_pointed_out(self, _task: dict[str, Any], event: Frame) -> None:
        assert self._found_of(event["agent"]) >= set(event["offer_ids"])

    def _offers_ordered(self, _task: dict[str, Any], event: Frame) -> None:
        assert self._found_of(event["agent"])

    def _found_of(self, agent: str) -> set[str]:
        return {item["offer_id"] for task in self.tasks.values() for item in task["found"].get(agent, ())}


def current_agent(task: dict[str, Any]) -> str | None:
    """Return the first agent of a task that is at work."""
    return next((name for name, agent in task["agents"].items() if agent["state"] == "working"), None)
