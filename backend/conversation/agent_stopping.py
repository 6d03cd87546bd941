"""Stops one agent of a task for its user, while the task continues with the others.

The work is not cancelled. The agent's state becomes `interrupted`, and from then on its results are dropped;
the ledger ends its calls, as it does when a whole task ends; its questions are withdrawn. Its node receives
the calls as they ended, or no answer to its question, and returns.
"""

from collections.abc import Iterable, Mapping, Sequence

from ..domain.task import ENDED_AGENT_STATES, AgentProgress, AgentView
from ..domain.tool_call import ToolCall, ToolCallView
from ..errors import BadInput, Conflict, NotFound, StoreUnavailable
from ..interruption_manager import LET_GO_S
from ..log.event_log import EventLog
from ..tasks.ledger.ledger import Ledger
from ..tasks.task_context import TaskContext
from .answering import waive
from .closing import find_out
from .conversation import Conversation
from .loading import shown_task_id


class StoppedAgentAnswer(AgentView):
    """An agent after a stop request, with the outcomes of its tool calls."""

    user_id: str
    task_id: str
    agent: str
    tool_calls: Sequence[ToolCallView]


async def stop_agent(
    conversation: Conversation, agent: str, task_id: str | None
) -> TaskContext | StoppedAgentAnswer:
    """Stop an agent of the active task, or of the one named; the caller holds the conversation.

    Returns the task, for `agent_as_stopped` to wait on once the conversation is released; or the stored
    agent, if its task has ended. Raises `NotFound`, `BadInput` for an agent that the task does not have,
    `Conflict` for one that cannot be stopped by itself, and `StoreUnavailable`.
    """
    conversation.check_known()
    await find_out(conversation)
    context = conversation.active
    if task_id is not None:
        context = next((each for each in conversation.unfinished if each.task_id == task_id), None)
    if context is None:
        return await _agent_of_ended_task(conversation, agent, task_id or await shown_task_id(conversation))
    _check_agent(agent, context.agents)
    if not context.closed:
        await _stop(conversation, context, agent)
    return context


async def agent_as_stopped(
    context: TaskContext, agent: str, *, log: EventLog, ledger: Ledger
) -> StoppedAgentAnswer | None:
    """Return a stopped agent once the ends of its reads are durable; None while it finishes a write.

    Raises `StoreUnavailable`. Cancelling the wait changes nothing.
    """
    if not await ledger.stopped(context, agent, patience_s=LET_GO_S):
        return None
    if not context.save_unsaved():
        raise StoreUnavailable("That could not be stored yet; please try again in a moment.")
    # A commit without records ends when everything recorded before it is durable.
    await log.commit(context.tenure)
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
        # For an agent that was stopped before, too: the withdrawal of its question may have failed then.
        await waive(conversation, context, agent)


def _can_be_stopped(conversation: Conversation, context: TaskContext, agent: str) -> bool:
    """Return whether an agent can be stopped alone: it was declared, or all it does is on the ledger.

    A question that a hosted graph's node asks by itself must get an answer: the node expects nothing else.
    """
    if context.agents[agent].request is not None:
        return True
    asks = any(each.question.agent == agent and not each.permission for each in context.inputs.open)
    return not asks and conversation.ledger.works_for(context, agent)


async def _agent_of_ended_task(conversation: Conversation, agent: str, task_id: str) -> StoppedAgentAnswer:
    user_id, store = conversation.user_id, conversation.store
    task = await store.get_task_metadata(user_id, task_id)
    if task is None:
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
) -> StoppedAgentAnswer:
    return {
        "user_id": user_id,
        "task_id": task_id,
        "agent": agent,
        **agents[agent].to_wire(),
        "tool_calls": [call.as_account() for call in calls if call.agent == agent],
    }
