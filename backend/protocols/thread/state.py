"""The state of a thread after an event: messages, tasks, runs, open questions, interrupted tasks.

A *thread* is a user's conversation. A *run* is a stretch of a task: from the message, or from an answer,
until the task ends or only waits for its user. Frames of Detour's own events are kept as they are, and never
changed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import orjson

Frame = Mapping[str, Any]
"""An event of Detour's own, decoded."""

RunStatus = Literal["pending", "running", "success", "error", "interrupted", "timeout"]
"""The LangGraph API's words. `success` is also that of a run whose task waits for its user."""

KEPT_INTERRUPTED = 5
"""How many interrupted tasks are shown, as many as the server keeps of a user."""


@dataclass(slots=True)
class Run:
    """A stretch of a task, the `number`th of it.

    `task_id` is the task of the message; a task that retried it after a crash continues the same run.
    `message_id` is that of the user's message which began it, None if an answer had no words. `ended_seq` is
    the number of its last event, None while it is under way; `ended_waiting` if it waits for its user then.
    `writes_state` if it is none: it stands for what a client wrote to the state of the thread.
    """

    task_id: str
    number: int
    message: str
    began_seq: int
    created_at: str
    updated_at: str
    message_id: str | None = None
    graph: str | None = None
    status: RunStatus = "pending"
    reason: str | None = None
    ended_seq: int | None = None
    ended_waiting: bool = False
    writes_state: bool = False

    @property
    def run_id(self) -> str:
        """Unique, and stable over restarts; it has no colon, which some clients split ids at."""
        return self.task_id if self.number == 1 else f"{self.task_id}-r{self.number}"

    @property
    def ended(self) -> bool:
        """Whether nothing of it will come any more."""
        return self.ended_seq is not None


@dataclass(slots=True)
class Text:
    """The text of one message of a model, as far as it was streamed.

    `node` is whose model it is, `seq` the number of its first event. `is_whole` unless its beginning is in
    events that are not stored any more. `in_graph` once it is in the state of the graph.
    """

    message_id: str
    text: str = ""
    node: str | None = None
    is_reply: bool = True
    seq: int = 0
    is_whole: bool = True
    in_graph: bool = False
    namespace: str = ""


@dataclass(slots=True)
class AskedCall:
    """A tool call that a message of a model asks for, as far as its `arguments` were streamed.

    `whole_seq` is the number of the event with the last piece, 0 until then. `answer` is the message with its
    result, once that is in the graph's state. `is_cut` if some of the arguments are not known.
    """

    call_id: str
    tool: str
    message_id: str
    node: str
    seq: int
    namespace: str = ""
    arguments: str = ""
    whole_seq: int = 0
    is_cut: bool = False
    answer: Frame | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all of its arguments are known."""
        return self.whole_seq > 0

    def is_repeated_by(self, frame: Frame) -> bool:
        """Return whether an event repeats the whole call, as a graph within does when it resumes."""
        return self.is_whole and self.message_id == frame["message_id"] and self.whole_seq < frame["seq"]

    @property
    def input(self) -> Any:
        """The arguments as JSON has them, as text if they are none, None if some of them are not known."""
        if self.is_cut:
            return None
        try:
            return orjson.loads(self.arguments or "{}")
        except orjson.JSONDecodeError:
            return self.arguments


class CallResult(NamedTuple):
    """What a tool call came to, in words."""

    text: str
    is_error: bool


_OUTCOMES = {
    "completed": "Completed",
    "completed_after_interrupt": "Completed after the interruption",
    "cancelled": "Cancelled",
    "denied": "Not allowed",
    "failed": "Failed",
    "adopted": "Taken over by the next task",
    "not_started": "Not started",
}


_NOT_TOLD_BY_PAGE = "Not known: the page has told no result."


@dataclass(slots=True)
class TaskState:
    """A task as far as it got; `agents`, `calls` and `receipt` hold the last event of each.

    `asked` are the tool calls that its models ask for, by their ids, `results` the messages with their
    results that are in the state of the graph, by theirs.

    `for_page` are the calls that its page executes, by their ids, and whether the page has told the result.
    `said` is the text of its reply so far, `unanswered` are the prompts of its questions by their ids.
    `written` is what a client wrote to the state of the thread, if it stands for that.
    """

    task_id: str
    first_task_id: str
    status: str = "queued"
    reason: str | None = None
    message: str = ""
    graph: str | None = None
    agents: dict[str, Frame] = field(default_factory=dict[str, Frame])
    calls: dict[str, Frame] = field(default_factory=dict[str, Frame])
    asked: dict[str, AskedCall] = field(default_factory=dict[str, AskedCall])
    results: dict[str, Frame] = field(default_factory=dict[str, Frame])
    found: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    texts: dict[str, Text] = field(default_factory=dict[str, Text])
    said: str = ""
    unanswered: dict[str, str] = field(default_factory=dict[str, str])
    for_page: dict[str, bool] = field(default_factory=dict[str, bool])
    receipt: Frame | None = None
    written: Frame | None = None

    def result_of(self, call: AskedCall) -> CallResult | None:
        """Return what a call came to: its result in the state of the graph, or its outcome in the end.

        None while neither is known.
        """
        if call.answer is not None:
            return CallResult(call.answer.get("text", ""), call.answer["status"] == "error")
        if self.status not in {"completed", "failed", "interrupted"}:
            return None
        if call.call_id in self.for_page:
            return CallResult(_NOT_TOLD_BY_PAGE, True)
        made = [each for each in self.calls.values() if each.get("tool_call_id") == call.call_id]
        outcome, words = (made[-1]["state"], made[-1]["summary"]) if made else ("not_started", "")
        told = _OUTCOMES.get(outcome, "Its outcome is not known")
        done = outcome in {"completed", "completed_after_interrupt"}
        return CallResult(f"{told}: {words}" if words else f"{told}.", not done)


@dataclass(slots=True)
class ThreadState:
    """The state of a thread after the event `seq` of the log `epoch`, at `at`.

    `messages` are by id, `requests` the open questions by id, oldest first. `interrupted` are the interrupted
    tasks by id, oldest first, as `/partial-results` shows them, each with its `receipt`. `pending` are the
    messages that wait for the run of their `task_id` to take them in: they are not among the `messages` yet.
    """

    epoch: str
    seq: int = 0
    at: str | None = None
    messages: dict[str, Frame] = field(default_factory=dict[str, Frame])
    tasks: dict[str, TaskState] = field(default_factory=dict[str, TaskState])
    runs: dict[str, Run] = field(default_factory=dict[str, Run])
    requests: dict[str, Frame] = field(default_factory=dict[str, Frame])
    interrupted: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    pending: dict[str, Frame] = field(default_factory=dict[str, Frame])

    def messages_in_order(self) -> list[Frame]:
        """Return the messages as the history has them: by task, and within a task as they came into it."""
        return sorted(self.messages.values(), key=_place)

    def run_of(self, task_id: str) -> Run | None:
        """Return the newest run of a task, or of the one whose message it retries."""
        task = self.tasks.get(task_id)
        return self.last_run_of(task.first_task_id if task is not None else task_id)

    def tasks_of(self, run: Run) -> list[TaskState]:
        """Return the tasks of a run's message, the newest first: its last retry is at work, or was last."""
        return [each for each in reversed(self.tasks.values()) if each.first_task_id == run.task_id]

    def call_of(self, task: TaskState, call_id: str) -> AskedCall | None:
        """Return the call that a task's result answers.

        Its own, or one of an attempt at the same message; else one of a failed run, from which it goes on.
        """
        asked = [each for each in reversed(self.tasks.values()) if call_id in each.asked]
        own = [each for each in asked if each.first_task_id == task.first_task_id]
        failed = [each for each in asked if each.status == "failed" and not each.asked[call_id].answer]
        return next((each.asked[call_id] for each in [*own, *failed]), None)

    def call_asked_about(self, request: Frame) -> AskedCall | None:
        """Return the tool call of a model that an open question decides on, if that is just one."""
        task = self.tasks.get(request["task_id"])
        decisions = request["schema"].get("properties", {}).get("decision", {}).get("enum", ())
        if task is None or "tool" not in request or not {"allow", "deny"} <= {*decisions}:
            return None
        if (made := task.calls.get(request.get("call_id", ""))) is not None:
            return self.call_of(task, made.get("tool_call_id", ""))
        attempts = [each for each in self.tasks.values() if each.first_task_id == task.first_task_id]
        asked = [call for each in attempts for call in each.asked.values() if call.tool == request["tool"]]
        waiting = [each for each in asked if each.is_whole and task.result_of(each) is None]
        return waiting[0] if len(waiting) == 1 else None

    def task_of(self, run: Run | None) -> TaskState | None:
        """Return the newest task of a run's message."""
        if run is None:
            return None
        return next(
            (each for each in reversed(self.tasks.values()) if each.first_task_id == run.task_id), None
        )

    def questions_of(self, run: Run | None) -> list[Frame]:
        """Return the open questions of a run's task."""
        task = self.task_of(run)
        return [each for each in self.requests.values() if task and each["task_id"] == task.task_id]

    def last_reply(self, run: Run) -> str | None:
        """Return the assistant's last message in a run's task: of a failed one, the reason."""
        task = self.task_of(run)
        said = [
            each["text"]
            for each in self.messages_in_order()
            if task is not None and each["task_id"] == task.task_id and each["role"] == "assistant"
        ]
        return said[-1] if said else None

    def waits(self, message_id: str | None, run: Run) -> bool:
        """Return whether a message still waits, for a run that has ended as well: it comes next then.

        Where the run asks its user something, the message waits for the answer.
        """
        return message_id in self.pending and not run.ended_waiting

    def last_run_of(self, first_task_id: str) -> Run | None:
        """Return the newest run of a message's task."""
        return next((each for each in reversed(self.runs.values()) if each.task_id == first_task_id), None)

    def run_at(self, task_id: str, seq: int) -> Run | None:
        """Return the run of a task that the event `seq` belongs to, or else its last before that."""
        task = self.tasks.get(task_id)
        first = task.first_task_id if task is not None else task_id
        of_task = [each for each in self.runs.values() if each.task_id == first]
        return next((each for each in reversed(of_task) if each.began_seq <= seq), None)

    def active_run(self) -> Run | None:
        """Return the newest run under way."""
        return next((each for each in reversed(self.runs.values()) if not each.ended), None)


def stands_before(message: Frame) -> bool:
    """Return whether a message was to steer an earlier task, and stands before that of its task."""
    return message.get("steer") == "merged"


def _place(message: Frame) -> tuple[str, bool, int]:
    # Those that no stored event tells of come first, in the order in which the store has them.
    return message["task_id"], not stands_before(message), message.get("seq", 0)
