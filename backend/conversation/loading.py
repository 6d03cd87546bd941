"""Loads a conversation from the store, and what an interrupted task left for the next one."""

from ..domain.context import InterruptedContext
from ..domain.task import InterruptReason, Task, TaskStatus
from ..tasks.handover import left_by
from .conversation import Conversation

LOOKED_THROUGH = 50
"""How many of a user's tasks are searched for past requests."""


async def load(conversation: Conversation) -> None:
    """Load a conversation from the store, without its queue, which recovery fills; of nobody it has none.

    Raises `StoreUnavailable`; it can then be called again.
    """
    # A load that failed halfway may have left these.
    conversation.active, conversation.handed_on = None, None
    standing = await conversation.store.standing(conversation.user_id)
    if standing is None:
        conversation.queued.clear()  # the user was deleted, though the store could not say so
        conversation.epoch = await conversation.store.new_epoch(conversation.user_id)
    else:
        shown, turn = standing.task, standing.position.turn
        conversation.stored = True
        conversation.epoch = standing.position.epoch
        conversation.turn = turn
        # Not the queued ones: recovery adds their requests.
        counting = await requesting_tasks(conversation)
        tasks = [task for task in counting if task.status is not TaskStatus.QUEUED] or [shown]
        conversation.restore_requests(tasks)
        for task in sorted(conversation.queued, key=lambda each: each.turn):
            if task.task_id != conversation.latest_task_id and task.steer != "pending":
                conversation.set_request(task)
        latest = tasks[0]
        if can_resume(shown):
            await _load_resting(conversation, shown)
        elif latest.status is TaskStatus.INTERRUPTED:
            conversation.handed_on = await stored_left_by(conversation, latest)
        asides = await _asides_after(conversation, latest, until=turn)
        conversation.called_off = any(task.relation == "stop" for task in asides)
        conversation.beside = asides[-1] if asides else None
    # Last: a load that fails before this is done again by the next holder.
    conversation.loaded = True


def can_resume(task: Task) -> bool:
    """Return whether a task that is not running was only paused, provided that it has asked anything."""
    unfinished = task.status in (TaskStatus.RUNNING, TaskStatus.INPUT_REQUIRED)
    return unfinished and not task.aside and task.reason in (None, InterruptReason.SHUTDOWN)


async def _load_resting(conversation: Conversation, task: Task) -> None:
    context = await conversation.interruptions.restore_task_context(task, conversation.tenure)
    # A task that never asked has no checkpoint; recovery ends it and retries its message.
    if len(context.inputs):
        context.kept = conversation.kept
        conversation.active = context
        if conversation.shared:  # another process may have stored it
            conversation.log.tell([task, *context.inputs.open])
        before = await _task(conversation, task.resumed_task_id or task.previous_task_id)
        if before is not None and before.status is TaskStatus.INTERRUPTED:
            context.previous = await stored_left_by(conversation, before)


def was_withdrawn(task: Task) -> bool:
    """Return whether a task was stopped before its turn came: its request counts as never made."""
    stopped = task.status is TaskStatus.INTERRUPTED and task.reason is InterruptReason.STOPPED
    return stopped and task.started_at is None


async def shown_task_id(conversation: Conversation) -> str:
    """Return the id of the task that the user is shown. Raises `StoreUnavailable`."""
    # Not `latest_task_id`: users are shown a withdrawn task as well.
    standing = await conversation.store.standing(conversation.user_id)
    return standing.task.task_id if standing is not None else ""


async def requesting_tasks(conversation: Conversation) -> list[Task]:
    """Return the user's last tasks whose requests count, latest first. Raises `StoreUnavailable`."""
    tasks = await conversation.store.recent_tasks(conversation.user_id, limit=LOOKED_THROUGH)
    return [task for task in tasks if not was_withdrawn(task)]


async def _asides_after(conversation: Conversation, latest: Task, *, until: int) -> list[Task]:
    """Return the asides after the latest task, up to a turn, oldest first."""
    asides = min(until - latest.turn, LOOKED_THROUGH)
    said = await conversation.store.get_messages(latest.user_id, limit=2 * asides) if asides > 0 else ()
    later = [message.task_id for message in said if message.role == "user" and message.turn > latest.turn]
    tasks = [await _task(conversation, task_id) for task_id in later]
    return [task for task in tasks if task is not None and task.aside]


async def stored_left_by(conversation: Conversation, task: Task) -> InterruptedContext | None:
    """Return what an interrupted task hands on, from the store.

    A task that found nothing hands on what it was handed itself: by the task whose request it resumed, or by
    the one interrupted before it. One that was withdrawn hands on nothing of its own.
    """
    left = None
    if not was_withdrawn(task):
        left = await conversation.store.get_interrupted_context(task.user_id, task.turn)
        if left is None or not left.found_nothing:
            return left
    before_id = task.resumed_task_id or task.previous_task_id
    before = await _task(conversation, before_id)
    return (await stored_left_by(conversation, before) if before else None) or left


async def left_by_task(conversation: Conversation, task_id: str | None) -> InterruptedContext | None:
    """Return what an interrupted task left, even if its ending is not stored yet; else None."""
    if task_id is None:
        return None
    # Live tasks first: a task that still settles has no context in the store.
    context = conversation.interruptions.context_of(task_id)
    if context is not None and context.reason is not None:
        return left_by(context, conversation.clock())
    task = await _task(conversation, task_id)
    return await conversation.store.get_interrupted_context(task.user_id, task.turn) if task else None


async def _task(conversation: Conversation, task_id: str | None) -> Task | None:
    return await conversation.store.get_task_metadata(conversation.user_id, task_id) if task_id else None
