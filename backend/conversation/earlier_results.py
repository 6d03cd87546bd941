"""Tells what a new request makes of the results that its user was shown before."""

from collections.abc import Mapping
from typing import Any

from ..domain import events
from ..domain.fates import sort_results
from ..domain.partials import PartialResults
from ..errors import StoreUnavailable
from ..tasks.task_context import TaskContext
from .conversation import Conversation


async def sort_earlier_results(conversation: Conversation, context: TaskContext) -> None:
    """Publish the fates of the results that the task before this one had shown, if it had any.

    That is the one that was interrupted, or whose request is resumed; else the last one, which has ended by
    itself. If the store cannot be read, nothing is published: a task does not fail for that.
    """
    task, workflow = context.task, conversation.workflow
    if workflow.fates(None, task.request) is None:
        return  # a graph that tells none: nothing is read for it
    before = await _found_before(conversation, context)
    if before is None:
        return
    from_task_id, request, found = before
    fates = workflow.fates(request, task.request)
    results = sort_results(found, fates) if fates is not None else {}
    if results:
        context.record(
            events.results_sorted(
                context.task_id, from_task_id=from_task_id, results=results, at=context.now()
            )
        )


async def _found_before(
    conversation: Conversation, context: TaskContext
) -> tuple[str, Mapping[str, Any] | None, Mapping[str, list[Any]]] | None:
    previous = context.previous
    if previous is not None:
        return previous.task_id, previous.request, previous.items()
    store, task = conversation.store, context.task
    try:
        before = await store.get_task_metadata(task.resumed_task_id or task.previous_task_id or "")
        saved = await store.get_partials(task.user_id, before.turn) if before is not None else ()
    except StoreUnavailable:
        return None
    found = PartialResults(each.found for each in saved if each.found is not None)
    return (before.task_id, before.request, found.to_json()) if before is not None else None
