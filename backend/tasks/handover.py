"""What one task hands to the next: the context it leaves behind, and the event of what the next took over."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ..domain import events
from ..domain.context import InterruptedContext
from ..domain.fates import Fates, sort_results
from ..domain.task import InterruptReason
from .task_context import TaskContext


def left_by(context: TaskContext, at: datetime) -> InterruptedContext:
    """Return what a task leaves behind."""
    return InterruptedContext(
        user_id=context.user_id,
        task_id=context.task_id,
        turn=context.task.turn,
        message=context.task.message,
        reason=context.reason or InterruptReason.LOST,
        at=at,
        partial_results=context.partial_results.encoded(),
        counts=context.partial_results.counts(),
        text=context.partial_results.text,
        request=context.task.request,
        asked=tuple(each.question.prompt for each in context.inputs.unanswered),
    )


def handed_on_by(context: TaskContext, at: datetime) -> InterruptedContext:
    """Return what the next task is handed: what this one found, else what it was handed itself."""
    # Two quick changes of mind: the task between them found nothing, and the first one's results are kept.
    left = left_by(context, at)
    return context.previous if context.previous is not None and left.found_nothing else left


def record_transfer(context: TaskContext, fates: Fates | None, *, adopted: Sequence[str] = ()) -> None:
    """Publish what a task took over from the one before it, if anything.

    By their `fates` those results are carried that stay, all without any; an agent of which none stays is
    dropped. `adopted` are the ids of adopted calls.
    """
    task, previous = context.task, context.previous
    carried, dropped = task.carried, task.dropped
    # Slots and calls come from the request before this one, results from the last interrupted task.
    from_task_id = previous.task_id if previous else None
    if carried or dropped or adopted:
        from_task_id = task.resumed_task_id or task.previous_task_id or from_task_id
    anything = previous or carried or dropped or adopted
    if from_task_id is None or not anything:
        return
    taken_over: dict[str, Any] = {"slots": carried}
    if previous is not None:
        found = {agent: count for agent, count in previous.counts.items() if count}
        staying = found if fates is None else _staying(previous, fates)
        taken_over["partial_results"] = {each: count for each, count in staying.items() if count}
        dropped = (*dropped, *(f"partial_results.{each}" for each in found if not staying[each]))
        taken_over["questions"] = previous.asked
        taken_over["text"] = len(previous.text)
    event = events.context_transfer(
        task.task_id,
        from_task_id=from_task_id,
        relation=task.relation,
        carried=taken_over,
        dropped=dropped,
        adopted=adopted,
        at=context.now(),
    )
    context.record(event)


def _staying(previous: InterruptedContext, fates: Fates) -> Mapping[str, int]:
    return {agent: len(each["stays"]) for agent, each in sort_results(previous.items(), fates).items()}
