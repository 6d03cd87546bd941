"""Stops one agent of a task by its user's wish; the task goes on with the others.

Nothing of the work is cancelled for it. The agent's state becomes `interrupted`, and from then on nothing
more is taken of it; what it has under way is the ledger's to end, as it is where the whole task ends; what it
asks is withdrawn. Its node gets its calls as they have ended, or no answer to its question, and returns.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..domain.task import ENDED_AGENT_STATES, AgentProgress
from ..domain.tool_call import ToolCall
from ..errors import BadInput, Conflict, NotFound, ShuttingDown, StoreUnavailable
from ..interruption_manager import LET_GO_S
from ..tasks.task_context import TaskContext
from .answering import Answering
from .conversation import Conversation
from .core_parts import CoreParts
from .execution import Execution


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedAgent:
    """What is so of an agent that was told to stop."""

    user_id: str
    task_id: str
    agent: str
    progress: AgentProgress
    calls: Sequence[ToolCall]

    def to_wire(self) -> dict[str, Any]:
        """Return the contract's form."""
        return {
            "user_id": self.user_id,
            "task_id": self.task_id,
            "agent": self.agent,
            **self.progress.to_wire(),
            "tool_calls": [call.as_account() for call in self.calls],
        }


class AgentStopping:
    """Stops agents; whoever asked for it may go away meanwhile."""

    def __init__(self, parts: CoreParts, execution: Execution, answering: Answering) -> None:
        self._store = parts.store
        self._log = parts.log
        self._interruptions = parts.interruptions
        self._conversations = parts.conversations
        self._ledger = parts.ledger
        self._owner = parts.owner
        self._execution = execution
        self._answering = answering

    async def stop(self, user_id: str, agent: str, task_id: str | None) -> StoppedAgent | None:
        """Stop an agent of the task at work, or of the one named, and return what is so of it then.

        None while something that it had begun is being finished. When this returns, it is durable. Raises
        `NotFound`, `BadInput` for an agent that the task does not have, `Conflict` for one that cannot be
        stopped by itself, `StoreUnavailable`, and `ShuttingDown` where the server is ending tasks itself.
        """
        if self._execution.closing:
            raise ShuttingDown("The server is going down; please try again in a moment.")
        stopping = self._stop(user_id, agent, task_id)
        return await self._owner.run_to_end(stopping, name=f"stop {agent} of {user_id}")

    async def _stop(self, user_id: str, agent: str, task_id: str | None) -> StoppedAgent | None:
        async with self._conversations.locked(user_id) as conversation:
            if not conversation.stored or conversation.latest_task_id is None:
                raise NotFound(f"Nothing is known of a user {user_id!r}.", code="unknown_user")
            context = self._context_of(conversation, task_id)
            if context is None:
                return await self._ended(user_id, agent, task_id or conversation.latest_task_id)
            _known(agent, context.agents)
            if not context.interrupted:
                await self._stop_in(conversation, context, agent)
        if not await self._ledger.stopped(context, agent, patience_s=LET_GO_S):
            return None
        if not context.save_the_rest():
            raise StoreUnavailable("That could not be stored yet; please try again in a moment.")
        await self._log.commit(user_id)
        return _so(context.user_id, context.task_id, agent, context.agents, context.tool_calls.values())

    async def _stop_in(self, conversation: Conversation, context: TaskContext, agent: str) -> None:
        """Stop an agent of a task that goes on; withdraw what it asks, also where only that failed before."""
        if context.agents[agent].state not in ENDED_AGENT_STATES:
            if not self._can_be_stopped(context, agent):
                sentence = (
                    f"What {agent!r} does just now cannot be ended by itself; stop the whole task instead."
                )
                raise Conflict(sentence, code="agent_cannot_be_stopped")
            context.stop(agent)
            self._ledger.stop(context, agent)
        if context.is_stopped(agent):
            await self._answering.waive(conversation, context, agent)

    def _can_be_stopped(self, context: TaskContext, agent: str) -> bool:
        """Whether an agent does no more once it is stopped: it was declared, or all it does is in the ledger.

        What a node of a hosted graph asks by itself must be answered: it would not understand anything else.
        """
        if context.agents[agent].request is not None:
            return True
        asks = any(each.question.agent == agent and not each.permission for each in context.inputs.open)
        return not asks and self._ledger.works_for(context, agent)

    def _context_of(self, conversation: Conversation, task_id: str | None) -> TaskContext | None:
        """Return the task of that id that has not ended; without one, the task at work."""
        if task_id is None:
            return conversation.active
        unfinished = [*self._interruptions.contexts_of(conversation.user_id), *conversation.resting_tasks]
        return next((each for each in unfinished if each.task_id == task_id), None)

    async def _ended(self, user_id: str, agent: str, task_id: str) -> StoppedAgent:
        """Return what is so of an agent of a task that is not at work. Raises `NotFound` and `BadInput`."""
        task = await self._store.get_task_metadata(task_id)
        if task is None or task.user_id != user_id:
            raise NotFound(f"There is no task {task_id!r}.", code="unknown_task")
        agents = await self._store.get_progress(user_id, task.turn)
        _known(agent, agents)
        calls = await self._store.get_tool_calls(user_id, task.turn)
        return _so(user_id, task_id, agent, agents, calls)


def _known(agent: str, agents: Mapping[str, AgentProgress]) -> None:
    if agent not in agents:
        there = f"its agents are {', '.join(sorted(agents))}" if agents else "it has none yet"
        raise BadInput.of_fields(("agent", f"the task has no agent {agent!r}; {there}"))


def _so(
    user_id: str,
    task_id: str,
    agent: str,
    agents: Mapping[str, AgentProgress],
    calls: Iterable[ToolCall],
) -> StoppedAgent:
    return StoppedAgent(
        user_id=user_id,
        task_id=task_id,
        agent=agent,
        progress=agents[agent],
        calls=[call for call in calls if call.agent == agent],
    )
