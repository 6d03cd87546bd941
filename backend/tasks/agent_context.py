"""What an agent may do: publish results, say text, report progress, and read what came before.

The agents' view of a task. Only the core holds the `TaskContext` with its record and its life, so no node can
write a task's record. Nothing fails because the task has ended: what comes too late is dropped.
"""

from collections.abc import Sequence

from ..domain import events
from ..domain.partials import PartialResults
from ..domain.task import AgentProgress
from .task_context import TaskContext


class AgentContext:
    """One task, as its agents see it.

    `previous` is what the interrupted task before it left behind, or None; `history` returns the last
    messages, this task's own included, and waits while the store is down; `shown` yields the results of the
    conversation's requests, the current one first. The rest is as in `TaskContext`.
    """

    def __init__(self, task: TaskContext) -> None:
        self._task = task
        self.task_id, self.user_id, self.previous = task.task_id, task.user_id, task.previous
        self.publish, self.say = task.publish, task.say
        self.declare, self.progress, self.stopped = task.declare, task.progress, task.is_stopped
        self.shown, self.history = task.shown, task.stored.history

    @property
    def found(self) -> PartialResults:
        """What all agents of the task have published; read-only."""
        return self._task.partial_results

    @property
    def cancelled(self) -> bool:
        """Whether the task was interrupted; for code that can check between two batches."""
        return self._task.cancel_event.is_set()

    def progress_of(self, agent: str) -> AgentProgress:
        """Return an agent's progress. Raises `KeyError` for one that has not reported any."""
        return self._task.agents[agent]

    def point_out(self, agent: str, offer_ids: Sequence[str]) -> None:
        """Publish which of an agent's offers the reply mentions."""
        task = self._task
        task.record(events.offers_pointed_out(task.task_id, agent, offer_ids, at=task.now()))

    def put_in_order(self, agent: str, by: str, *, descending: bool) -> None:
        """Publish in which order the user wants an agent's offers shown."""
        task = self._task
        task.record(events.offers_ordered(task.task_id, agent, by, descending=descending, at=task.now()))
