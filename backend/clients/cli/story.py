"""From the server's frames to lines: what goes on, as far as it was told.

No input or output, and no clock: `hear` takes a frame and the time, and returns what is to be shown for good;
`live` is what goes on just now. A frame that was heard before shows nothing again, so a replay needs no care.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .lines import Line
from .offers import Offer, best, offer_line
from .words import (
    OUTCOME_OF_REQUEST,
    TASK,
    Agent,
    agent_words,
    elapsed,
    permission_lines,
    receipt_lines,
    tool_name,
)

Frame = Mapping[str, Any]

ACTIVE = {"queued", "running", "input_required", "cancelling"}
BEST = 3
"""How many offers of an agent are shown."""
EARLIER = 8
"""How many messages of before are shown at the start."""
TASKS_KEPT = 20


@dataclass(slots=True)
class Task:
    """One task: `text` is the reply so far, of which `told` characters are shown; `began_s` is local time."""

    task_id: str
    began_s: float
    status: str = "running"
    agents: dict[str, Agent] = field(default_factory=dict[str, Agent])
    found: dict[str, list[Offer]] = field(default_factory=dict[str, list[Offer]])
    text: str = ""
    told: int = 0

    @property
    def is_active(self) -> bool:
        """Whether it has not ended."""
        return self.status in ACTIVE


class Story:
    """All that was heard of one user: position, tasks, and what is asked."""

    def __init__(self) -> None:
        self.epoch = ""
        self.seq = 0
        self.synced = False
        self.requests: list[Frame] = []
        self._tasks: dict[str, Task] = {}
        self._tools: dict[str, str] = {}
        self._said: set[str] = set()
        self._shown: list[Line] = []
        self._readers: dict[str, Callable[[Frame, Task], list[Line]]] = {
            "status_update": self._status,
            "agent_update": self._agent,
            "partial_result": self._partial,
            "text_delta": self._text,
            "message": self._message,
            "tool_update": self._tool,
            "input_request": self._asked,
            "input_resolved": self._resolved,
            "context_transfer": self._taken_over,
            "receipt": self._receipt,
        }

    @property
    def at_work(self) -> Task | None:
        """The newest task that has not ended, if any."""
        return next((task for task in reversed(self._tasks.values()) if task.is_active), None)

    @property
    def waits_for_user(self) -> bool:
        """Whether nothing goes on that would come to an end by itself."""
        active = [task for task in self._tasks.values() if task.is_active]
        return not active or (bool(self.requests) and all(task.status == "input_required" for task in active))

    def hear(self, frame: Frame, now_s: float) -> list[Line]:
        """Take a frame in, and return what it adds to the conversation. `now_s` is any clock that goes on."""
        kind = frame.get("type")
        if kind == "hello":
            self.epoch = frame["epoch"]
        elif kind == "reset":
            self.seq, self.requests = 0, []
            self._tasks.clear()
        elif kind == "snapshot":
            return self._snapshot(frame, now_s)
        elif kind in self._readers and frame["seq"] > self.seq:
            self.seq, self.synced = frame["seq"], True
            return self._readers[kind](frame, self._task(str(frame["task_id"]), now_s))
        return []

    def live(self, now_s: float) -> list[Line]:
        """Return what the task at work is doing: its state, agents, best offers, and the reply so far."""
        task = self.at_work
        if task is None:
            return []
        state = f"{TASK.get(task.status, task.status)}, {elapsed(max(0.0, now_s - task.began_s))}"
        lines = [Line("note", state)]
        lines += [Line("progress", f"  {agent_words(name, agent)}") for name, agent in task.agents.items()]
        if task.status != "input_required":
            lines += best_of(task)
        if rest := task.text[task.told :]:
            lines.append(Line("reply", rest[-400:]))
        return lines

    def _task(self, task_id: str, now_s: float) -> Task:
        if task_id not in self._tasks:
            self._tasks[task_id] = Task(task_id, now_s)
            while len(self._tasks) > TASKS_KEPT:
                del self._tasks[next(iter(self._tasks))]
        return self._tasks[task_id]

    def _snapshot(self, frame: Frame, now_s: float) -> list[Line]:
        self.seq, self.synced = frame["seq"], True
        self.epoch = frame.get("epoch", self.epoch)
        lines: list[Line] = []
        for message in frame.get("history", ())[-EARLIER:]:
            lines += self._spoken(message, message["text"])
        self._said |= {message["message_id"] for message in frame.get("history", ())}
        if status := frame.get("status"):
            task = self._task(status["task_id"], now_s)
            task.status = status["status"]
            task.began_s = now_s - _seconds_between(status["created_at"], status["updated_at"])
            task.agents = {name: Agent.of(agent) for name, agent in status["agents"].items()}
            partial: Frame = frame.get("partial_results") or {}
            task.found = dict(partial.get("partial_results") or {})
            task.text = partial.get("text") or ""
            task.told = 0 if task.is_active else len(task.text)
            self.requests = []
            for request in status.get("input_requests") or ():
                lines += self._asked(request, task)
        return lines

    def _status(self, frame: Frame, task: Task) -> list[Line]:
        task.status = frame["status"]
        task.found = {**task.found, **(frame.get("partial_results") or {})}
        if task.is_active:
            waits = task.status in {"queued", "cancelling"}
            return [Line("note", f"{TASK[task.status]}.")] if waits else []
        failed = [Line("error", "That failed.")] if task.status == "failed" else []
        offers = best_of(task)
        if not offers or offers == self._shown:
            return failed
        self._shown = offers
        return [*failed, *offers]

    def _agent(self, frame: Frame, task: Task) -> list[Line]:
        before, name = task.agents.get(frame["agent"]), frame["agent"]
        now = task.agents[name] = Agent.of(frame)
        if before is not None and (before.state, before.done) == (now.state, now.done):
            return []
        return [Line("progress", agent_words(name, now))] if now.state != "waiting" else []

    def _partial(self, frame: Frame, task: Task) -> list[Line]:
        task.found.setdefault(frame["agent"], []).extend(frame["items"])
        return []

    def _text(self, frame: Frame, task: Task) -> list[Line]:
        task.text = task.text[: frame["offset"]] + frame["text"]
        task.told = min(task.told, len(task.text))
        end = task.text.rfind("\n")
        if end < task.told:
            return []
        whole, task.told = task.text[task.told : end], end + 1
        return [Line("reply", whole)]

    def _message(self, frame: Frame, task: Task) -> list[Line]:
        text = frame["text"]
        if frame["role"] == "assistant":
            if task.told and text.startswith(task.text[: task.told].rstrip("\n")):
                text = text[task.told :]
            task.text, task.told = "", 0
        return self._spoken(frame, text)

    def _spoken(self, message: Frame, text: str) -> list[Line]:
        if message["message_id"] in self._said:
            return []
        self._said.add(message["message_id"])
        match message["role"]:
            case "user":
                return [Line("you", f"You: {text}")]
            case "assistant":
                cut = [Line("note", "(interrupted here)")] if message.get("interrupted") else []
                return [*([Line("reply", text)] if text else []), *cut]
            case _:
                return [Line("note", text)]

    def _tool(self, frame: Frame, _: Task) -> list[Line]:
        self._tools[frame["call_id"]] = frame["tool"]
        return []

    def _asked(self, frame: Frame, _: Task) -> list[Line]:
        known = {request["request_id"] for request in self.requests}
        if frame["request_id"] in known:
            return []
        self.requests.append(frame)
        if frame["kind"] == "permission":
            return [Line("ask", line) for line in permission_lines(frame)]
        return []

    def _resolved(self, frame: Frame, _: Task) -> list[Line]:
        self.requests = [each for each in self.requests if each["request_id"] != frame["request_id"]]
        words = OUTCOME_OF_REQUEST.get(frame["outcome"])
        return [Line("note", words)] if words else []

    def _taken_over(self, frame: Frame, _: Task) -> list[Line]:
        tools = [self._tools[call] for call in frame.get("adopted") or () if call in self._tools]
        names = dict.fromkeys(tool_name(tool).lower() for tool in tools)
        return [Line("note", f"Taken over from your message before: {', '.join(names)}.")] if names else []

    def _receipt(self, frame: Frame, _: Task) -> list[Line]:
        return [Line("note", f"  {line}") for line in receipt_lines(frame["receipt"])]


def best_of(task: Task) -> list[Line]:
    """Return how much each agent of a task has found, and the cheapest few of it."""
    lines: list[Line] = []
    for agent, offers in task.found.items():
        if offers:
            lines.append(Line("note", f"{agent[:1].upper()}{agent[1:]}: {len(offers)} found, the best:"))
            lines += [Line("offer", f"  {offer_line(offer)}") for offer in best(offers, BEST)]
    return lines


def _seconds_between(earlier: str, later: str) -> float:
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()
