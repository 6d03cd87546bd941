"""Folds a user's events into what a client shows: messages, tasks, questions, receipts.

No I/O, no thread and no clock: `Story.hear` takes a frame and the time. A repeated frame changes nothing, so
a replay needs no care. Words, cards and lines are up to each client.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

Frame = Mapping[str, Any]
Found = dict[str, list[Any]]

ACTIVE = {"queued", "running", "input_required", "cancelling"}
LEFT_KEPT = 5
"""How many interrupted tasks are remembered; the server keeps as many."""
TASKS_KEPT = 20


@dataclass(frozen=True, slots=True)
class Agent:
    """The latest state of an agent of a task; the fields are those of an `agent_update`."""

    state: str
    detail: str
    done: int
    total: int
    count: int

    @classmethod
    def of(cls, frame: Frame) -> "Agent":
        """Read it from an `agent_update`, or from an entry of a status."""
        numbers = [int(frame.get(name) or 0) for name in ("done", "total", "count")]
        return cls(str(frame["state"]), str(frame.get("detail") or ""), *numbers)


@dataclass(slots=True)
class Task:
    """One task. `began_s` is in the client's time; `text` is the reply so far, "" once it is a message.

    `taken_over` are the tools whose calls this task has adopted from the one before it.
    """

    task_id: str
    began_s: float
    status: str = "running"
    message: str = ""
    agents: dict[str, Agent] = field(default_factory=dict[str, Agent])
    found: Found = field(default_factory=dict[str, list[Any]])
    text: str = ""
    taken_over: list[str] = field(default_factory=list[str])

    @property
    def is_active(self) -> bool:
        """Whether it has not ended."""
        return self.status in ACTIVE

    @property
    def searches(self) -> bool:
        """Whether it has more to show than its reply, unlike small talk."""
        return bool(self.agents or self.found)


@dataclass(frozen=True, slots=True)
class Left:
    """What an interrupted task had found."""

    task_id: str
    message: str
    found: Found


class Story:
    """Everything known of one user.

    `pending` are the messages that wait for the running task to take them in; withdrawn ones are
    removed. `requests` are the questions and permissions that are open, oldest first, and
    `outcome` is that of the last resolved one, "" once another one is open. `edition` grows
    with each change of messages, requests, receipts or leftovers of interrupted tasks: a client that redraws
    them needs no other signal.
    """

    def __init__(self) -> None:
        self.seq = 0
        self.synced = False
        self.edition = 0
        self.messages: list[Frame] = []
        self.pending: list[Frame] = []
        self.requests: list[Frame] = []
        self.outcome = ""
        self.receipts: dict[str, Frame] = {}
        self.left: dict[str, Left] = {}
        self.tasks: dict[str, Task] = {}
        self.tools: dict[str, str] = {}
        self._readers: dict[str, Callable[[Frame, Task], None]] = {
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
    def active_task(self) -> Task | None:
        """The newest task that has not ended, if any."""
        return next((task for task in reversed(self.tasks.values()) if task.is_active), None)

    @property
    def task_to_show(self) -> Task | None:
        """The newest active task that searches, else the last task that has ended with something to show."""
        started = [task for task in self.tasks.values() if task.is_active and task.status != "queued"]
        ended = [task for task in self.tasks.values() if not task.is_active]
        searching = [task for task in started if task.searches]
        worth_showing = [task for task in ended if task.searches]
        known = list(self.tasks.values())
        return next((some[-1] for some in (searching, started, worth_showing, ended, known) if some), None)

    @property
    def waits_for_user(self) -> bool:
        """Whether nothing happens until the user says or answers something."""
        active = [task for task in self.tasks.values() if task.is_active]
        if not active:
            return not self.pending  # it becomes a task at once
        return bool(self.requests) and all(task.status == "input_required" for task in active)

    def hear(self, frame: Frame, now_s: float) -> bool:
        """Take a frame, and return whether it changed anything. `now_s` is monotonic."""
        kind = frame["type"]
        if kind == "snapshot":
            self._snapshot(frame, now_s)
        elif kind == "reset":
            self.synced, self.seq = False, 0
        elif kind in self._readers and frame["seq"] > self.seq:
            self.seq, self.synced = frame["seq"], True
            if kind in {"message", "input_request", "input_resolved", "receipt"}:
                self.edition += 1
            if frame.get("steer") == "pending":
                self._put(frame)  # of no task yet: one may begin with it
            else:
                self._readers[kind](frame, self._task(str(frame["task_id"]), now_s))
        elif kind == "steer" and frame["seq"] > self.seq:
            self.seq, self.synced = frame["seq"], True
            self.edition += 1
            self._steered(frame)
        else:
            return False
        return True

    def _task(self, task_id: str, now_s: float) -> Task:
        if task_id not in self.tasks:
            self.tasks[task_id] = Task(task_id, now_s)
            while len(self.tasks) > TASKS_KEPT:
                del self.tasks[next(iter(self.tasks))]
        return self.tasks[task_id]

    def _snapshot(self, frame: Frame, now_s: float) -> None:
        self.seq, self.synced, self.outcome = frame["seq"], True, ""
        self.edition += 1
        self.messages = [each for each in frame.get("history") or () if each.get("steer") != "withdrawn"]
        self.requests, self.receipts, self.left, self.tasks, self.pending = [], {}, {}, {}, []
        partial: Frame = frame.get("partial_results") or {}
        for each in reversed(partial.get("interrupted") or ()):
            self._leave(each["task_id"], each["message"], each["partial_results"])
        status: Frame | None = frame.get("status")
        if status is None:
            return
        began_s = now_s - _seconds_between(status["created_at"], status["updated_at"])
        task = self._task(status["task_id"], began_s)
        task.status, task.message = status["status"], status["message"]
        task.agents = {name: Agent.of(agent) for name, agent in status["agents"].items()}
        task.found = _copied(partial.get("partial_results"))
        replied = any(one["role"] == "assistant" and one["task_id"] == task.task_id for one in self.messages)
        task.text = "" if replied else partial.get("text") or ""
        self.requests = list(status.get("input_requests") or ())
        self.pending = list(status.get("pending") or ())

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
        if frame.get("reply", True):  # the text of a node that does not reply has offsets of its own
            task.text = task.text[: frame["offset"]] + frame["text"]

    def _message(self, frame: Frame, task: Task) -> None:
        self._put(frame)
        if frame["role"] == "assistant":
            task.text = ""

    def _put(self, message: Frame) -> None:
        others = [one for one in self.messages if one["message_id"] != message["message_id"]]
        own = _place_in_history(message)
        place = max((at for at, one in enumerate(others, 1) if _place_in_history(one) <= own), default=0)
        self.messages = [*others[:place], message, *others[place:]]

    def _steered(self, frame: Frame) -> None:
        message_id, steer = frame["message_id"], frame["steer"]
        if steer == "pending":
            known = {each["message_id"]: each for each in self.pending}
            at = known.get(message_id, frame)["at"]
            known[message_id] = {name: frame[name] for name in ("message_id", "text", "revision")} | {
                "at": at
            }
            self.pending = list(known.values())
            change: Frame = {"text": frame["text"]}
        else:
            self.pending = [each for each in self.pending if each["message_id"] != message_id]
            # It keeps its place: earlier words of its task stand before it, all else after it.
            change = {"text": frame["text"], "steer": steer, "task_id": frame["task_id"]}
        said = [{**one, **change} if one["message_id"] == message_id else one for one in self.messages]
        self.messages = [one for one in said if one.get("steer") != "withdrawn"]

    def _tool(self, frame: Frame, _: Task) -> None:
        self.tools[frame["call_id"]] = frame["tool"]

    def _asked(self, frame: Frame, _: Task) -> None:
        if all(one["request_id"] != frame["request_id"] for one in self.requests):
            self.requests.append(frame)
            self.outcome = ""

    def _resolved(self, frame: Frame, _: Task) -> None:
        self.requests = [one for one in self.requests if one["request_id"] != frame["request_id"]]
        self.outcome = frame["outcome"]

    def _transferred(self, frame: Frame, task: Task) -> None:
        tools = [self.tools[call] for call in frame.get("adopted") or () if call in self.tools]
        task.taken_over = list(dict.fromkeys([*task.taken_over, *tools]))

    def _receipt(self, frame: Frame, task: Task) -> None:
        # A receipt may be amended long after. If the snapshot left its task out, it is the task's first
        # event, and would make it look active for ever.
        if task.is_active:
            task.status = "interrupted" if frame["receipt"].get("reason") else "completed"
        self.receipts[frame["task_id"]] = frame["receipt"]


def _copied(found: Found | None) -> Found:
    return {agent: list(items) for agent, items in (found or {}).items()}


def _place_in_history(message: Frame) -> tuple[str, int]:
    """Return the order of the server's history: an id is the task's, a dot, and a number within the task."""
    return message["task_id"], int(message["message_id"].rpartition(".")[2])


def _seconds_between(earlier: str, later: str) -> float:
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()
