"""Ends a user's tasks at the user's request; deletes a user."""

import asyncio
import contextlib
from collections.abc import Iterable, Mapping, Sequence

from ..domain import events
from ..domain.errors import BadInput, Conflict, NotFound, StoreUnavailable
from ..domain.task import ENDED_AGENT_STATES, AgentProgress, AgentView, InterruptReason, StoppedBy, Task
from ..domain.tool_call import ToolCall, ToolCallView
from ..interruption_manager import CANCEL_GRACE_S, InterruptionManager
from ..store.event_bus import Ended
from ..store.event_log import EventLog
from ..store.records import Record
from ..tasks.inbox import message_of
from ..tasks.ledger.ledger import Ledger
from ..tasks.task_context import TaskContext
from .answering import find_out, waive
from .conversation import Conversation
from .steering import withdrawal

STOP_WAIT_S = 10.0
"""Seconds that a stop waits for the receipt before it answers without one."""

DELETE_WAIT_S = 30.0
"""Seconds that a deletion waits for tasks to end: more than the slowest takes while the store works."""


async def stop_task(
    conversation: Conversation,
    task_id: str | None,
    *,
    by: StoppedBy | None = None,
    withdraws: bool = False,
) -> str:
    """Interrupt the active task, or the one named, for its user or for an operator; return its id.

    If it `withdraws`, messages that the active task might have taken in are withdrawn with it, and start
    no task. The caller holds the conversation. A task that has ended does not change. Raises `NotFound`, and
    `StoreUnavailable` for what is to be withdrawn; then nothing was.
    """
    conversation.check_known()
    # An answer that the store took must not be withdrawn; but a stop does not wait for a store that is down.
    with contextlib.suppress(StoreUnavailable):
        await find_out(conversation)
    running = _running_to_stop(conversation, task_id)
    if running is None:
        # What waits to be taken in is about to be the next task, which ends before it has begun.
        is_over = task_id is None or (withdraws and conversation.active is None)
        if is_over and conversation.inbox.free:
            await _withdraw(conversation, conversation.inbox.free)
            return task_id or await conversation.shown_task_id()
    else:
        if withdraws and running is conversation.active:
            await _withdraw(conversation, conversation.inbox.free, running)
        if not running.is_ending:
            running.revise(stopped_by=by)
        conversation.interrupt(running, InterruptReason.STOPPED)
        if withdraws and running is conversation.active:
            # The run had these in hand, and stores no step any more.
            await _withdraw(conversation, conversation.inbox.waiting)
        return running.task_id
    held = conversation.inbox.held
    queued = next(
        (
            each
            for each in conversation.queued
            if task_id in (None, each.task_id) and each.task_id not in held
        ),
        None,
    )
    if queued is not None:
        # Read before the commit: after it, a failure would refuse a stop that has happened.
        tasks = [each for each in await conversation.requesting_tasks() if each.task_id != queued.task_id]
        context = conversation.interruptions.create_task_context(queued, lease=conversation.lease)
        context.revise(stopped_by=by)
        records: list[Record] = []
        if queued.steer == "pending":
            context.revise(steer="withdrawn", aside=True)
            told = events.steer(queued.task_id, queued, "withdrawn", at=conversation.runtime.clock())
            records = [message_of(queued, "withdrawn"), told]
        # Removed only once that is durable: a stop that fails leaves the task its turn.
        await conversation.interruptions.settle(context, InterruptReason.STOPPED, *records)
        conversation.queued.remove(queued)
        if tasks:
            conversation.requests.restore(tasks)
        return queued.task_id
    if task_id is None:
        return await conversation.shown_task_id()
    task = await conversation.store.get_task_metadata(conversation.user_id, task_id)
    if task is None:
        raise NotFound(f"There is no task {task_id!r}.", code="unknown_task")
    return task_id


async def _withdraw(
    conversation: Conversation, waiting: Sequence[Task], stopped: TaskContext | None = None
) -> None:
    """Store that messages are withdrawn that might be taken in, and that the active task is to stop."""
    if not waiting:
        return
    records = withdrawal(conversation, waiting)
    conversation.inbox.hold(waiting)
    try:
        if stopped is not None and not stopped.is_ending:
            stopped.announce_interruption(InterruptReason.STOPPED, conversation.runtime.clock())
            records.append(stopped.task)
        await conversation.commit(*records)
    except Exception:
        conversation.inbox.put_back(waiting)
        if stopped is not None:
            stopped.retract_interruption()
        raise
    conversation.inbox.taken_in(waiting)


def _running_to_stop(conversation: Conversation, task_id: str | None) -> TaskContext | None:
    """Return the unfinished task of that id; without an id the active one, or else the latest aside."""
    unfinished = conversation.unfinished
    if task_id is not None:
        return next((each for each in unfinished if each.task_id == task_id), None)
    if conversation.active is not None or conversation.queued:
        return conversation.active
    return next((each for each in reversed(unfinished) if each.task.aside and not each.closed), None)


async def forget(conversation: Conversation, *, aged: bool = False) -> None:
    """Interrupt the user's tasks, then delete everything about the user; if `aged`, but for bookings.

    The caller holds the conversation. Raises `StoreUnavailable`; then nobody knows whether all was deleted
    or nothing, and queued tasks keep their turn if they are still stored.
    """
    unfinished = conversation.unfinished
    for context in unfinished:
        conversation.interrupt(context, InterruptReason.STOPPED)
    # All must have settled: one that ends later would write its ending for a user who is gone.
    task_ids = [each.task_id for each in unfinished]
    if not await settled(conversation.interruptions, task_ids, within_s=DELETE_WAIT_S):
        raise StoreUnavailable("Not everything has ended yet; please try again in a moment.")
    try:
        async with conversation.runtime.ledger.forgetting(conversation.user_id):
            await conversation.workflow.forget(conversation.user_id, aged=aged)
            await conversation.store.delete_user(conversation.lease, at_once=not aged)
    except StoreUnavailable:
        # The store may have done it all the same: a message that goes on from it would be stored for nobody.
        conversation.unload()
        raise
    conversation.reset()
    # After the deletion: whoever follows anew must be given the new epoch.
    conversation.log.end_followers(conversation.user_id, Ended.RESET)


async def settled(interruptions: InterruptionManager, task_ids: Iterable[str], *, within_s: float) -> bool:
    """Wait up to `within_s` seconds for tasks to settle; return whether they have.

    Cancelling the wait changes nothing.
    """
    try:
        async with asyncio.timeout(within_s):
            for task_id in task_ids:
                await interruptions.wait_settled(task_id)
    except TimeoutError:
        return False
    return True


# --- agent stopping ------------------------------------------------------------------------------------
# Stops one agent of a task for its user, while the task continues with the others.
#
# The work is not cancelled. The agent's state becomes `interrupted`, and from then on its results are
# dropped; the ledger ends its calls, as it does when a whole task ends; its questions are withdrawn. Its
# node receives the calls as they ended, or no answer to its question, and returns.


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
        return await _agent_of_ended_task(conversation, agent, task_id or await conversation.shown_task_id())
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
    if not await ledger.wait_stopped(context, agent, patience_s=CANCEL_GRACE_S):
        return None
    if not context.save_unsaved():
        raise StoreUnavailable("That could not be stored yet; please try again in a moment.")
    # A commit without records ends when everything recorded before it is durable.
    await log.commit(context.lease)
    return _view(context.user_id, context.task_id, agent, context.agents, context.tool_calls.values())


async def _stop(conversation: Conversation, context: TaskContext, agent: str) -> None:
    if context.agents[agent].state not in ENDED_AGENT_STATES:
        if not _can_be_stopped(conversation, context, agent):
            sentence = f"What {agent!r} does just now cannot be ended by itself; stop the whole task instead."
            raise Conflict(sentence, code="agent_cannot_be_stopped")
        # Both in one step of the event loop: an agent must not start another call in between.
        context.stop(agent)
        conversation.runtime.ledger.interrupt_calls_of_agent(context, agent)
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
    return not asks and conversation.runtime.ledger.has_open_call(context, agent)


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
