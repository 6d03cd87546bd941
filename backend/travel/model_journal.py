"""What language models have done for one task: read and written by the agents that a model drives."""

from collections.abc import Sequence

from ..domain.model_usage import ModelStep, Past, RequestedCall, Usage, UsageMeter
from ..tasks.task_context import TaskContext


class ModelJournal:
    """The steps of one task's models, stored as they are kept."""

    __slots__ = ("_task",)

    def __init__(self, task: TaskContext) -> None:
        self._task = task

    @property
    def turn(self) -> int:
        """The turn of the task's message."""
        return self._task.task.turn

    @property
    def conversation_turn(self) -> int:
        """The turn at which the conversation is: later than `turn` once the user has answered a question."""
        return self._task.task.spoken_turn or self._task.task.turn

    @property
    def steps(self) -> Sequence[ModelStep]:
        """The task's steps in the order they were kept."""
        return self._task.trace.steps

    @property
    def usage(self) -> UsageMeter:
        """What the task's model calls use."""
        return self._task.trace.usage

    async def past(self, since_turn: int) -> Past:
        """Return the steps of the user's tasks from a turn on, and the calls of those tasks, as stored.

        Raises `StoreUnavailable`.
        """
        return await self._task.trace.past(since_turn)

    def keep(self, agent: str, text: str, calls: Sequence[RequestedCall], usage: Usage) -> None:
        """Keep a whole answer of the model that drives an agent."""
        task = self._task.task
        step = ModelStep(
            user_id=task.user_id,
            task_id=task.task_id,
            turn=task.turn,
            said_in=self.conversation_turn,
            position=len(self.steps),
            agent=agent,
            text=text,
            calls=tuple(calls),
            usage=usage,
            at=self._task.now(),
        )
        self._task.trace.steps.append(step)
        self._task.record(step)
