"""What an agent may do: publish results, say text, report progress, and read what came before.

The agents' view of a task. Only the core holds the `TaskContext` with its record and its life, so no node can
write a task's record. Nothing here waits, except `history`. Nothing fails because the task has ended: what
comes too late is dropped.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from ..domain import events
from ..domain.context import InterruptedContext
from ..domain.partials import PartialResults, ShownResults
from ..domain.task import AgentProgress, AgentState, Message
from .task_context import TaskContext


class AgentContext:
    """One task, as its agents see it."""

    __slots__ = ("_task",)

    def __init__(self, task: TaskContext) -> None:
        self._task = task

    @property
    def task_id(self) -> str:
        """The task's id."""
        return self._task.task_id

    @property
    def user_id(self) -> str:
        """The user whose task it is."""
        return self._task.user_id

    @property
    def previous(self) -> InterruptedContext | None:
        """What the interrupted task before this one left behind, or None."""
        return self._task.previous

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

    def stopped(self, agent: str) -> bool:
        """Whether the user has stopped this agent: it may do no more."""
        return self._task.is_stopped(agent)

    def publish(self, agent: str, items: Sequence[Any], *, source: str | None = None) -> None:
        """Publish new partial results: JSON-ready values, dataclasses and decimals included.

        Raises `TypeError` for what has no JSON form, and `TooMuchShownError`.
        """
        self._task.publish(agent, items, source=source)

    def say(self, text: str) -> None:
        """Stream a piece of the reply. Raises as `publish` does."""
        self._task.say(text)

    def progress(
        self, agent: str, state: AgentState, *, detail: str = "", done: int = 0, total: int = 0
    ) -> None:
        """Report an agent's progress: in words, and in `done` of `total` steps."""
        self._task.progress(agent, state, detail=detail, done=done, total=total)

    def declare(self, agent: str, request: Mapping[str, Any]) -> None:
        """Announce an agent and what it is asked to do; as `TaskContext.declare`."""
        self._task.declare(agent, request)

    def point_out(self, agent: str, offer_ids: Sequence[str]) -> None:
        """Tell which of an agent's offers the reply speaks of."""
        task = self._task
        task.record(events.offers_pointed_out(task.task_id, agent, offer_ids, at=task.now()))

    def put_in_order(self, agent: str, by: str, *, descending: bool) -> None:
        """Tell in which order the user wants an agent's offers shown."""
        task = self._task
        task.record(events.offers_ordered(task.task_id, agent, by, descending=descending, at=task.now()))

    def shown(self) -> AsyncGenerator[ShownResults]:
        """Yield what the conversation's requests have found: the current one, then those that can be resumed.

        Each is read only once it is asked for, so whoever has enough closes the generator. Raises
        `StoreUnavailable`. May be cancelled.
        """
        return self._task.shown()

    async def history(self, limit: int) -> tuple[Message, ...]:
        """Return the last `limit` messages of the conversation, oldest first, this task's own included.

        Waits while the store is down. May be cancelled.
        """
        return await self._task.history(limit)
