"""Stops one agent of a task by its user's wish, while the task continues with the others.

Nothing of the work is cancelled. The agent's state becomes `interrupted`, from which instant nothing more is
accepted from it; the ledger ends its calls, as it does when a whole task ends; what it asks is withdrawn. Its
node receives its calls as they ended, or no answer to its question, and returns.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..domain.task import ENDED_AGENT_STATES, AgentProgress
from ..domain.tool_call import ToolCall
from ..errors import BadInput, Conflict, NotFound, StoreUnavailable
from ..interruption_manager import LET_GO_S
from ..tasks.task_context import TaskContext
from .answering import waive
from .conversation import Conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedAgent:
    """An agent after a stop request: its progress and its calls."""

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


async def stop_agent(
    conversation: Conversation, agent: str, task_id: str | None
) -> TaskContext | StoppedAgent:
    """Stop an agent of the active task, or of the one named; the caller holds the conversation.

    Returns the task, to be passed to `agent_as_stopped` once the conversation is released; or the agent as
    it is stored, if its task has ended. Raises `NotFound`, `BadInput` for an agent that the task does not
    have, `Conflict` for one that cannot be stopped by itself, and `StoreUnavailable`.
    """
    conversation.check_known()
    context = conversation.active
    if task_id is not None:
        context = next((each for each in conversation.unfinished if each.task_id == task_id), None)
    if context is None:
        return await _agent_of_ended_task(conversation, agent, task_id or conversation.latest_task_id or "")
    _check_agent(agent, context.agents)
    if not context.interrupted:
        await _stop(conversation, context, agent)
    return context


async def agent_as_stopped(
    conversation: Conversation, context: TaskContext, agent: str
) -> StoppedAgent | None:
    """Return a stopped agent once its reads have ended, and that is durable; None while it finishes a write.

    Raises `StoreUnavailable`. Cancelling the wait changes nothing.
    """
    if not await conversation.ledger.stopped(context, agent, patience_s=LET_GO_S):
        return None
    if not context.save_the_rest():
        raise StoreUnavailable("That could not be stored yet; please try again in a moment.")
    await conversation.log.commit(context.user_id)
    return _view(context.user_id, context.task_id, agent, context.agents, context.tool_calls.values())


async def _stop(conversation: Conversation, context: TaskContext, agent: str) -> None:
    if context.agents[agent].state not in ENDED_AGENT_STATES:
        if not _can_be_stopped(conversation, context, agent):
            sentence = f"What {agent!r} does just now cannot be ended by itself; stop the whole task instead."
            raise Conflict(sentence, code="agent_cannot_be_stopped")
        # Both in one step of the event loop: an agent must not start another call in between.
        context.stop(agent)
        conversation.ledger.stop(context, agent)
    if context.is_stopped(agent):
        # Also if the agent was stopped before, and only the withdrawal of its question had failed.
        await waive(conversation, context, agent)


def _can_be_stopped(conversation: Conversation, context: TaskContext, agent: str) -> bool:
    """Whether an agent does no more once it is stopped: it was declared, or all it does is on the ledger.

    What a node of a hosted graph asks by itself must be answered: it would not understand anything else.
    """
    if context.agents[agent].request is not None:
        return True
    asks = any(each.question.agent == agent and not each.permission for each in context.inputs.open)
    return not asks and conversation.ledger.works_for(context, agent)


async def _agent_of_ended_task(conversation: Conversation, agent: str, task_id: str) -> StoppedAgent:
    user_id, store = conversation.user_id, conversation.store
    task = await store.get_task_metadata(task_id)
    if task is None or task.user_id != user_id:
        raise NotFound(f"There is no task {task_id!r}.", code="unknown_task")
    agents = await store.get_progress(user_id, task.turn)
    _check_agent(agent, agents)
    return _view(user_id, task_id, agent, agents, await store.get_tool_calls(user_id, task.turn))


def _check_agent(agent: str, agents: Mapping[str, AgentProgress]) -> None:
    if agent not in agents:
        there = f"its agents are {', '.join(sorted(agents))}" if agents else "it has none yet"
        raise BadInput.of_fields(("agent", f"the task has no agent {agent!r}; {there}"))


def _view(
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
