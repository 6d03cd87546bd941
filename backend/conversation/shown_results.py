"""Reads what a conversation's requests have found, for a message that asks about it."""

from collections.abc import AsyncGenerator

from ..domain.partials import PartialResults
from ..domain.shown_results import ShownResults
from ..tasks.task_context import TaskContext
from .conversation import Conversation


async def shown_results(conversation: Conversation) -> AsyncGenerator[ShownResults]:
    """Yield what the current request has found, then those that can be resumed, latest first.

    Of a live task that is what it has published so far; of one that has ended, what is stored of it: three
    reads, made only once the request is asked for. Raises `StoreUnavailable`.
    """
    live = {context.task_id: context for context in conversation.unfinished}
    current = conversation.active.task_id if conversation.active is not None else conversation.latest_task_id
    # Without a queued request, which has nothing to show before its turn.
    task_ids = dict.fromkeys([current, *(each.task_id for each in conversation.earlier)])
    for task_id in task_ids:
        if task_id is None:
            continue
        shown = _of_live(live[task_id]) if task_id in live else await _stored(conversation, task_id)
        if shown is not None:
            yield shown


def _of_live(context: TaskContext) -> ShownResults | None:
    if context.task.aside:  # the first message of all asks for nothing
        return None
    return ShownResults(
        task_id=context.task_id,
        request=context.task.request,
        results=context.partial_results.to_json(),
        agents=dict(context.agents),
        is_active=not context.told_to_end,
    )


async def _stored(conversation: Conversation, task_id: str) -> ShownResults | None:
    store, user_id = conversation.store, conversation.user_id
    task = await store.get_task_metadata(user_id, task_id)
    if task is None or task.aside:
        return None
    saved = await store.get_partials(user_id, task.turn)
    found = PartialResults(each.found for each in saved if each.found is not None)
    agents = await store.get_progress(user_id, task.turn)
    return ShownResults(task_id=task_id, request=task.request, results=found.to_json(), agents=agents)
