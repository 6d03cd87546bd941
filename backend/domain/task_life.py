"""A task's states and the steps between them. Pure: no clock, no asyncio.

`TRANSITIONS` is the only way from one state to the next; `TaskLife.after` looks a step up in it, and nothing
else changes a status. A state has two parts. The `TaskStatus` is shown to users and stored. The `Activity` is
what this process does for the task; it is never stored, since it dies with the process. An ended task allows
no step, so every terminal write is a compare-and-set.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from .task import InterruptReason, Task, TaskStatus

_QUEUED, _RUNNING, _ASKING = TaskStatus.QUEUED, TaskStatus.RUNNING, TaskStatus.INPUT_REQUIRED
_CANCELLING = TaskStatus.CANCELLING
_COMPLETED, _FAILED, _INTERRUPTED = TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.INTERRUPTED


class Activity(StrEnum):
    """What this process does for a task."""

    IDLE = "idle"
    """Nothing: the task is queued, waits for its user, or was read back from the store."""
    WORKING = "working"
    """Its work runs, or is about to."""
    SUSPENDED = "suspended"
    """Its work was cancelled at a checkpoint, for the next process to resume."""
    ENDING = "ending"
    """It was interrupted, and settles."""
    ENDED = "ended"
    """Nothing: the task has ended."""


class Transition(StrEnum):
    """What can happen to a task."""

    START = "start"
    """A queued task gets its turn."""
    TAKE_IN = "take_in"
    """The run of another task has taken in the message of a queued one."""
    RUN = "run"
    """Its work begins, or resumes after an answer."""
    ASK = "ask"
    """It asks its user something."""
    ANSWER = "answer"
    """Its last open question was resolved."""
    REOPEN = "reopen"
    """An answer could not be stored: its question is open again."""
    REST = "rest"
    """Its work ended at a checkpoint: only its user can resume it."""
    SUSPEND = "suspend"
    """The server shuts down, and the next process is to resume it."""
    INTERRUPT = "interrupt"
    """It is interrupted, for a reason; the first reason stays."""
    HOLD = "hold"
    """It was interrupted while a write was running, and waits for that to finish."""
    COMPLETE = "complete"
    FAIL = "fail"
    SETTLE = "settle"
    """Its interruption is over: every tool call has an outcome."""


State = tuple[TaskStatus, Activity]

_IDLE, _WORKING, _SUSPENDED = Activity.IDLE, Activity.WORKING, Activity.SUSPENDED
_ENDING, _ENDED = Activity.ENDING, Activity.ENDED

_WHILE_WORKING: Mapping[Transition, State] = {
    Transition.COMPLETE: (_COMPLETED, _ENDED),
    Transition.FAIL: (_FAILED, _ENDED),
}

TRANSITIONS: Mapping[State, Mapping[Transition, State]] = {
    (_QUEUED, _IDLE): {
        Transition.START: (_RUNNING, _IDLE),
        Transition.TAKE_IN: (_COMPLETED, _ENDED),
        Transition.INTERRUPT: (_QUEUED, _ENDING),
    },
    (_QUEUED, _ENDING): {Transition.SETTLE: (_INTERRUPTED, _ENDED)},
    (_RUNNING, _IDLE): {
        Transition.RUN: (_RUNNING, _WORKING),
        Transition.REOPEN: (_ASKING, _IDLE),
        Transition.INTERRUPT: (_RUNNING, _ENDING),
    },
    (_RUNNING, _WORKING): {
        **_WHILE_WORKING,
        Transition.ASK: (_ASKING, _WORKING),
        Transition.REOPEN: (_ASKING, _WORKING),
        Transition.REST: (_RUNNING, _IDLE),
        Transition.SUSPEND: (_RUNNING, _SUSPENDED),
        Transition.INTERRUPT: (_RUNNING, _ENDING),
    },
    # No `RUN` out of suspended: the next process reads the task back as idle, and runs it from there.
    (_RUNNING, _SUSPENDED): {
        Transition.REOPEN: (_ASKING, _SUSPENDED),
        Transition.INTERRUPT: (_RUNNING, _ENDING),
    },
    (_RUNNING, _ENDING): {
        Transition.REOPEN: (_ASKING, _ENDING),
        Transition.HOLD: (_CANCELLING, _ENDING),
        Transition.SETTLE: (_INTERRUPTED, _ENDED),
    },
    (_ASKING, _IDLE): {
        Transition.RUN: (_ASKING, _WORKING),  # it had two questions; one answer resumes it
        Transition.ANSWER: (_RUNNING, _IDLE),
        Transition.INTERRUPT: (_ASKING, _ENDING),
    },
    (_ASKING, _WORKING): {
        **_WHILE_WORKING,
        Transition.ANSWER: (_RUNNING, _WORKING),
        Transition.REST: (_ASKING, _IDLE),
        Transition.SUSPEND: (_ASKING, _SUSPENDED),
        Transition.INTERRUPT: (_ASKING, _ENDING),
    },
    (_ASKING, _SUSPENDED): {
        Transition.ANSWER: (_RUNNING, _SUSPENDED),
        Transition.INTERRUPT: (_ASKING, _ENDING),
    },
    (_ASKING, _ENDING): {
        Transition.ANSWER: (_RUNNING, _ENDING),
        Transition.HOLD: (_CANCELLING, _ENDING),
        Transition.SETTLE: (_INTERRUPTED, _ENDED),
    },
    # As a dead process left it; the next one finishes the interruption.
    (_CANCELLING, _IDLE): {Transition.INTERRUPT: (_CANCELLING, _ENDING)},
    (_CANCELLING, _ENDING): {Transition.SETTLE: (_INTERRUPTED, _ENDED)},
    (_COMPLETED, _ENDED): {},
    (_FAILED, _ENDED): {},
    (_INTERRUPTED, _ENDED): {},
}


@dataclass(frozen=True, slots=True)
class TaskLife:
    """A task's state, and the `reason` for which it was interrupted, if it was.

    `failure` is set once it has published more than it may: the sentence with which it will fail, whatever
    its work returns.
    """

    status: TaskStatus
    activity: Activity = Activity.IDLE
    reason: InterruptReason | None = None
    failure: str | None = None

    @classmethod
    def of(cls, task: Task) -> "TaskLife":
        """Return the life of a task that is not running.

        Ignores a reason in the record: the process that was ending the task for it is gone.
        """
        return cls(task.status, Activity.ENDED if task.status.terminal else Activity.IDLE)

    def after(self, step: Transition, *, reason: InterruptReason | None = None) -> "TaskLife | None":
        """Return the life after a step, None if the state does not allow it.

        Pass `reason` with `Transition.INTERRUPT`.
        """
        state = TRANSITIONS[self.status, self.activity].get(step)
        if state is None:
            return None
        status, activity = state
        return replace(self, status=status, activity=activity, reason=reason or self.reason)

    def failing(self, failure: str | None) -> "TaskLife":
        """Return the life of a task that will fail with this sentence; the first one stays."""
        return self if failure is None or self.failure else replace(self, failure=failure)

    @property
    def resting(self) -> bool:
        """Whether it waits for its user: no asyncio task exists for it."""
        return self.activity is Activity.IDLE and self.status in (_RUNNING, _ASKING)

    @property
    def suspended(self) -> bool:
        """Whether this process has paused it for the next one to resume."""
        return self.activity is Activity.SUSPENDED

    @property
    def is_ending(self) -> bool:
        """Whether it was interrupted, or has ended."""
        return self.activity in (_ENDING, _ENDED)

    @property
    def closed(self) -> bool:
        """Whether its agents can publish nothing more: it was interrupted or suspended, or has ended."""
        return self.activity in (_SUSPENDED, _ENDING, _ENDED)


def recorded(task: Task, life: TaskLife, *, at: datetime) -> Task:
    """Return the record of a task at a point of its life; only here does a record's status change."""
    return replace(task, status=life.status, updated_at=at)


def stepped(task: Task, *steps: Transition, at: datetime) -> Task:
    """Return the record of a task that is not running, after steps. Raises `LookupError` for a wrong one."""
    life: TaskLife | None = TaskLife.of(task)
    for step in steps:
        life = life.after(step) if life is not None else None
    if life is None:
        raise LookupError(f"{task.task_id} is {task.status}")
    return recorded(task, life, at=at)
