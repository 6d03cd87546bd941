"""Tells what a new request makes of the results that its user was shown before."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..domain import events
from ..domain.fates import sort_results
from ..domain.partials import PartialResults
from ..errors import StoreUnavailable
from ..tasks.task_context import TaskContext
from .conversation import Conversation


@dataclass(frozen=True, slots=True)
class EarlierResults:
    """What the task `task_id` had found for its `request`, by agent."""

    task_id: str
    request: Mapping[str, Any] | None
    found: Mapping[str, list[Any]]


async def read_earlier_results(conversation: Conversation, context: TaskContext) -> EarlierResults | None:
    """Return the results that the task before this one had shown; None if it had none.

    That is the one that was interrupted, or whose request is resumed; else the last one, which has ended by
    itself. None as well if the store cannot be read: a task does not fail for that.
    """
    if conversation.workflow.fates(None, context.task.request) is None:
        return None  # a graph that tells none: nothing is read for it
    previous = context.previous
    if previous is not None:
        return EarlierResults(previous.task_id, previous.request, previous.items())
    store, task = conversation.store, context.task
    try:
        before = await store.get_task_metadata(
            task.user_id, task.resumed_task_id or task.previous_task_id or ""
        )
        saved = await store.get_partials(task.user_id, before.turn) if before is not None else ()
    except StoreUnavailable:
        return None
    found = PartialResults(each.found for each in saved if each.found is not None)
    return EarlierResults(before.task_id, before.request, found.to_json()) if before is not None else None


def sort_earlier_results(conversation: Conversation, context: TaskContext, earlier: EarlierResults) -> None:
    """Record and store the fates of earlier results, if there are any."""
    fates = conversation.workflow.fates(earlier.request, context.task.request)
    results = sort_results(earlier.found, fates) if fates is not None else {}
    if results:
        event = events.results_sorted(
            context.task_id, from_task_id=earlier.task_id, results=results, at=context.now()
        )
        context.revise(results_sorted={"from_task_id": earlier.task_id, "results": results})
        context.record(event, context.task)
