"""Creates task contexts: for new tasks, and for stored ones, perhaps of an earlier process."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

from ..domain.context import InterruptedContext
from ..domain.encoding import Clock
from ..domain.model_usage import ModelStep, ModelTrace, Past
from ..domain.questions import InputRequest
from ..domain.task import AgentProgress, Message, Task
from ..domain.tool_call import ToolCall
from ..store.base import StateStore
from ..store.event_log import EventLog
from ..store.ownership import Tenure
from ..store.records import Checkpoint, SavedPartial
from ..store.retry import until_available
from ..store.threads import ThreadStep
from .ledger.ledger import Ledger
from .task_context import TaskContext

T = TypeVar("T")


class _Reads:
    """Reads what is stored of one user; waits while the store is down."""

    __slots__ = ("_store", "_user_id")

    def __init__(self, store: StateStore, user_id: str) -> None:
        self._store = store
        self._user_id = user_id

    async def history(self, limit: int) -> tuple[Message, ...]:
        return await self._until(lambda: self._store.get_messages(self._user_id, limit=limit))

    async def recent_tasks(self, limit: int) -> tuple[Task, ...]:
        return await self._until(lambda: self._store.recent_tasks(self._user_id, limit=limit))

    async def checkpoint(self, turn: int) -> Checkpoint | None:
        return await self._until(lambda: self._store.get_checkpoint(self._user_id, turn))

    async def thread_step(self, graph: str, step_id: str | None) -> ThreadStep | None:
        return await self._until(lambda: self._store.get_thread_step(self._user_id, graph, step_id))

    async def past_steps(self, since_turn: int) -> Past:
        return await self._until(lambda: self._past_steps(since_turn))

    async def _past_steps(self, since_turn: int) -> Past:
        past = await self._store.get_model_steps(self._user_id, since_turn=since_turn)
        turns = sorted({step.turn for step in past})
        calls = [await self._store.get_tool_calls(self._user_id, turn) for turn in turns]
        return past, [call for each in calls for call in each]

    async def _until(self, read: Callable[[], Awaitable[T]]) -> T:
        return await until_available(read, user_id=self._user_id)


class TaskContexts:
    """Creates the contexts of one store; holds what they share."""

    def __init__(
        self,
        *,
        store: StateStore,
        log: EventLog,
        ledger: Ledger,
        clock: Clock,
        most_shown: int,
        answer_within: timedelta,
        allow_within: timedelta,
    ) -> None:
        self._store = store
        self._log = log
        self._ledger = ledger
        self._clock = clock
        self._most_shown = most_shown
        self._answer_within = answer_within
        self._allow_within = allow_within

    def create(
        self,
        task: Task,
        tenure: Tenure | None = None,
        *,
        previous: InterruptedContext | None = None,
        partials: Sequence[SavedPartial] = (),
        agents: Mapping[str, AgentProgress] | None = None,
        inputs: Sequence[InputRequest] = (),
        tool_calls: Sequence[ToolCall] = (),
        steps: Sequence[ModelStep] = (),
    ) -> TaskContext:
        """Return the context of a task that is not running, with what it has found and asked so far.

        Without a `tenure` it writes as in a process that owns everybody. What it reads waits while the store
        is down: a task that runs does not fail for an outage of seconds.
        """
        read = _Reads(self._store, task.user_id)
        return TaskContext(
            task,
            tenure=tenure or Tenure(task.user_id),
            log=self._log,
            clock=self._clock,
            history=read.history,
            recent_tasks=read.recent_tasks,
            checkpoint=read.checkpoint,
            thread_step=read.thread_step,
            answer_within=self._answer_within,
            allow_within=self._allow_within,
            previous=previous,
            partials=partials,
            agents=agents,
            inputs=inputs,
            tool_calls=tool_calls,
            most_shown=self._most_shown,
            trace=ModelTrace.of(read.past_steps, steps),
        )

    async def restore(self, task: Task, tenure: Tenure) -> TaskContext:
        """Return the context of a task that is not running, as stored. Raises `StoreUnavailable`.

        Ignores an interruption in the record: the process that was carrying it out is gone.
        """
        partials = await self._store.get_partials(task.user_id, task.turn)
        context = self.create(
            replace(task, reason=None),
            tenure,
            partials=partials,
            agents=await self._store.get_progress(task.user_id, task.turn),
            inputs=await self._store.get_inputs(task.user_id, task.turn),
            tool_calls=await self._store.get_tool_calls(task.user_id, task.turn),
            steps=[
                step
                for step in await self._store.get_model_steps(task.user_id, since_turn=task.turn)
                if step.turn == task.turn
            ],
        )
        if task.begun and task.started_at is not None:
            context.trace.usage.note_lost_calls()
        self._ledger.restore(context, [saved.found for saved in partials if saved.found is not None])
        return context
