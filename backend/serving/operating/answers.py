"""What the routes of the operator's view answer, beside a task's timeline."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import with_config
from typing_extensions import TypedDict

from ...domain.task import InterruptReason, TaskStatus
from ..services import Phase
from . import recorded_examples
from .running_tasks import RunningTask, TaskPhase
from .task_timeline import TaskTimelineAnswer


@with_config(defer_build=True)
class OperateAnswer(TypedDict):
    """What this process is about, and what runs in it: `tasks` are some of the tasks that `phases` counts.

    `replica` is its name among several, else "". `replicas` are those that are alive, itself included; null
    if the database does not say.
    """

    at: str
    replica: str
    replicas: Sequence[str] | None
    serving: Phase
    phases: Mapping[TaskPhase, int]
    tasks: Sequence[RunningTask]


@with_config(defer_build=True)
class StoppedTaskAnswer(TypedDict):
    """A task as it is once it was told to stop; one that had ended before has not changed."""

    user_id: str
    task_id: str
    status: TaskStatus
    reason: InterruptReason | None


@with_config(defer_build=True)
class ServingAnswer(TypedDict):
    """What this process is about now."""

    serving: Phase


OPERATE_EXAMPLES: Mapping[type, Mapping[str, Any]] = {
    OperateAnswer: recorded_examples.OPERATE_ANSWER,
    TaskTimelineAnswer: recorded_examples.TASK_TIMELINE_ANSWER,
    StoppedTaskAnswer: recorded_examples.STOPPED_TASK_ANSWER,
    ServingAnswer: recorded_examples.SERVING_ANSWER,
}
"""An example of each, for the OpenAPI document."""
