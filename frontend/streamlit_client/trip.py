"""From the server's frames to what is known of one user: what was said, is at work, is asked, and was kept.

No input or output, no thread and no clock: `hear` takes a frame in, and the time. A frame that was heard
before changes nothing, so a replay needs no care. The page in the browser folds the same in `lib/reduce.js`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from backend.clients.cli.words import OUTCOME_OF_REQUEST, Agent, tool_name

Frame = Mapping[str, Any]
Found = dict[str, list[Any]]

ACTIVE = {"queued", "running", "input_required", "cancelling"}
LEFT_KEPT = 5
"""How many interrupted tasks are remembered, as the server does."""
TASKS_KEPT = 20


@dataclass(slots=True)
class Task:
    """One task. `began_s` is local time; `reply` is what it has said that is not a message yet."""

    task_id: str
    began_s: float
    status: str = "queued"
    message: str = ""
    agents: dict[str, Agent] = field(default_factory=dict[str, Agent])
    found: Found = field(default_factory=dict[str, list[Any]])
    reply: str = ""
    taken_over: list[str] = field(default_factory=list[str])

    @property
    def is_active(self) -> bool:
        """Whether it has not ended."""
        return self.status in ACTIVE

    @property
    def searches(self) -> bool:
        """Whether it has anything to show but its reply; small talk has not."""
        return bool(self.agents or self.found)


@dataclass(frozen=True, slots=True)
class Left:
    """What an interrupted task had found: it is kept."""

    task_id: str
    message: str
    found: Found


class Trip:
    """All that was heard of one user.

    `edition` grows with each change of what is drawn outside the part of the page that refreshes itself:
    messages, what is asked, and what was kept.
    """

    def __init__(self) -> None:
        self.epoch = ""
        self.seq = 0
        self.synced = False
        self.edition = 0
        self.messages: list[Frame] = []
        self.requests: list[Frame] = []
        self.receipts: dict[str, Frame] = {}
        self.left: dict[str, Left] = {}
        self.note = ""
        self._tasks: dict[str, Task] = {}
        self._tools: dict[str, str] = {}
        self._readers = {
            "status_update": self._status,
            "agent_update": self._agent,
            "partial_result": self._partial,
            "text_delta": self._text,
            "message": self._message,
            "tool_update": self._tool,
            "input_request": self._asked,
            "input_resolved": self._resolved,
            "context_transfer": self._transferred,
            "receipt": self._receipt,
        }

    @property
    def position(self) -> tuple[int, str] | None:
        """Where to go on after a lost connection; None where nothing is known yet."""
        return (self.seq, self.epoch) if self.synced else None

    @property
    def task(self) -> Task | None:
        """The task to show: the newest at work that searches, else the last one that ended with something."""
        at_work = [task for task in self._tasks.values() if task.is_active and task.status != "queued"]
        ended = [task for task in self._tasks.values() if not task.is_active]
        searching = [task for task in at_work if task.searches]
        told = [task for task in ended if task.searches]
        known = list(self._tasks.values())
        return next((some[-1] for some in (searching, at_work, told, ended, known) if some), None)

    def hear(self, frame: Frame, now_s: float) -> None:
        """Take a frame in. `now_s` is any clock that goes on."""
        kind = frame["type"]
        if kind == "snapshot":
            self._snapshot(frame, now_s)
        elif kind == "reset":
            self.synced, self.seq = False, 0
        elif kind in self._readers and frame["seq"] > self.seq:
            self.seq = frame["seq"]
            if kind in {"message", "input_request", "input_resolved", "receipt"}:
                self.edition += 1
            self._readers[kind](frame, self._task(str(frame["task_id"]), now_s))

    def _task(self, task_id: str, now_s: float) -> Task:
        if task_id not in self._tasks:
            self._tasks[task_id] = Task(task_id, now_s)
            while len(self._tasks) > TASKS_KEPT:
                del self._tasks[next(iter(self._tasks))]
        return self._tasks[task_id]

    def _snapshot(self, frame: Frame, now_s: float) -> None:
        self.epoch, self.seq, self.synced = frame["epoch"], frame["seq"], True
        self.edition += 1
        self.messages = list(frame.get("history") or ())
        self.requests, self.note = [], ""
        self.receipts, self.left, self._tasks = {}, {}, {}
        status: Frame | None = frame.get("status")
        partial: Frame = frame.get("partial_results") or {}
        for each in reversed(partial.get("interrupted") or ()):
            self._leave(each["task_id"], each["message"], each["partial_results"])
        if status is None:
            return
        task = self._task(status["task_id"], now_s)
        task.status, task.message = status["status"], status["message"]
        task.agents = {name: Agent.of(agent) for name, agent in status["agents"].items()}
        task.found = _copied(partial.get("partial_results"))
        replied = any(one["role"] == "assistant" and one["task_id"] == task.task_id for one in self.messages)
        task.reply = "" if replied else partial.get("text") or ""
        self.requests = list(status.get("input_requests") or ())

    def _status(self, frame: Frame, task: Task) -> None:
        task.status, task.message = frame["status"], frame.get("message") or task.message
        task.found |= _copied(frame.get("partial_results"))
        if task.status == "interrupted":
            self._leave(task.task_id, task.message, task.found)

    def _leave(self, task_id: str, message: str, found: Found) -> None:
        if any(found.values()):
            self.left[task_id] = Left(task_id, message, found)
            self.edition += 1
            while len(self.left) > LEFT_KEPT:
                del self.left[next(iter(self.left))]

    def _agent(self, frame: Frame, task: Task) -> None:
        task.agents[frame["agent"]] = Agent.of(frame)

    def _partial(self, frame: Frame, task: Task) -> None:
        task.found.setdefault(frame["agent"], []).extend(frame["items"])

    def _text(self, frame: Frame, task: Task) -> None:
        task.reply = task.reply[: frame["offset"]] + frame["text"]

    def _message(self, frame: Frame, task: Task) -> None:
        others = [one for one in self.messages if one["message_id"] != frame["message_id"]]
        self.messages = sorted([*others, frame], key=_turn)
        if frame["role"] == "assistant":
            task.reply = ""

    def _tool(self, frame: Frame, _: Task) -> None:
        self._tools[frame["call_id"]] = frame["tool"]

    def _asked(self, frame: Frame, _: Task) -> None:
        if all(one["request_id"] != frame["request_id"] for one in self.requests):
            self.requests.append(frame)
            self.note = ""

    def _resolved(self, frame: Frame, _: Task) -> None:
        self.requests = [one for one in self.requests if one["request_id"] != frame["request_id"]]
        self.note = OUTCOME_OF_REQUEST.get(frame["outcome"], "")

    def _transferred(self, frame: Frame, task: Task) -> None:
        tools = [self._tools[call] for call in frame.get("adopted") or () if call in self._tools]
        task.taken_over = list(
            dict.fromkeys([*task.taken_over, *(tool_name(tool).lower() for tool in tools)])
        )

    def _receipt(self, frame: Frame, _: Task) -> None:
        self.receipts[frame["task_id"]] = frame["receipt"]


def _copied(found: Found | None) -> Found:
    return {agent: list(items) for agent, items in (found or {}).items()}


def _turn(message: Frame) -> tuple[str, int]:
    """Where the server's history has a message: by its task, and then by the position behind its id's dot."""
    return message["task_id"], int(message["message_id"].rpartition(".")[2])
