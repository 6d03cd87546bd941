"""Derives how a task ended, and returns the records of its ending, to be stored in one transaction.

An ending is a terminal status, the messages that the conversation shows, the final state of every agent, and
the receipt; it resolves open questions. An interruption also leaves a context for later tasks.
"""

from asyncio import Task as AsyncioTask
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog

from ..domain import events
from ..domain.context import InterruptedContext, ReceiptAnswer
from ..domain.encoding import encode, is_json_text, to_wire
from ..domain.errors import DetourError
from ..domain.questions import InputRequest
from ..domain.task import (
    AgentState,
    InterruptReason,
    ResultSorter,
    StoppedBy,
    TaskStatus,
    counts_of,
    sort_results,
)
from ..domain.task_life import Transition
from ..domain.tool_call import ToolCall
from ..store.records import ForgetCheckpoint, Record, SavedReceipt
from .task_context import TaskContext

# --- handover ------------------------------------------------------------------------------------------
# What one task hands to the next: the context it leaves behind, and the event of what the next took over.


def interrupted_context(context: TaskContext, at: datetime) -> InterruptedContext:
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


def context_for_next(context: TaskContext, at: datetime) -> InterruptedContext:
    """Return what the next task is handed: what this one found, else what it was handed itself."""
    # Two quick changes of mind: the task between them found nothing, and the first one's results are kept.
    left = interrupted_context(context, at)
    return context.previous if context.previous is not None and left.found_nothing else left


def record_transfer(
    context: TaskContext, sorter: ResultSorter | None, *, adopted: Sequence[str] = ()
) -> None:
    """Publish what a task took over from the one before it, if anything.

    Carries the results that stay by the sorter, all without one; an agent of which none stays is dropped.
    `adopted` are the ids of adopted calls.
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
        staying = found if sorter is None else _staying(previous, sorter)
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


def _staying(previous: InterruptedContext, sorter: ResultSorter) -> Mapping[str, int]:
    return {agent: len(each["stays"]) for agent, each in sort_results(previous.items(), sorter).items()}


# --- settlement ----------------------------------------------------------------------------------------


FAILURE = "Something went wrong on our side. What was found until then is kept; please try again."

_REASON_PHRASES = {
    InterruptReason.SUPERSEDED: "Interrupted by a newer message",
    InterruptReason.STOPPED: "Stopped by the user",
    InterruptReason.TIMED_OUT: "Stopped for taking too long",
    InterruptReason.SHUTDOWN: "Interrupted by a restart of the server",
    InterruptReason.LOST: "Interrupted by a failure of the server",
}
_STOPPED_PHRASES: Mapping[StoppedBy | None, str] = {"operator": "Stopped by an operator"}
_FINAL_AGENT_STATES: Mapping[TaskStatus, tuple[AgentState, str]] = {
    TaskStatus.INTERRUPTED: ("interrupted", "interrupted"),
    TaskStatus.FAILED: ("failed", "failed"),
    TaskStatus.COMPLETED: ("done", ""),
}
"""State and detail that an agent gets which had not ended when its task did."""

_log = structlog.get_logger(__name__)
_NOT_ANSWERED = "The question was not answered in time"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a work ended: the task's last step, and its text: the reply, the failure, or a remark."""

    step: Transition
    text: str = ""


def read_ending(context: TaskContext, work: "AsyncioTask[str | None] | None") -> Ending:
    """Derive a task's ending from its finished asyncio task; `work` is None for a task that only waited."""
    # The reason decides, whatever the work did: a graph may swallow its cancellation and return a reply.
    if context.reason is not None or work is None:
        if work is not None and not work.done():
            _log.error("a work still runs after its interruption", task_id=context.task_id)
        return Ending(step=Transition.SETTLE)
    # Nothing of ours cancels a work without a reason: foreign code did.
    if work.cancelled():
        _log.error("a work was cancelled from within", task_id=context.task_id)
        return Ending(step=Transition.FAIL, text=FAILURE)
    error = work.exception()
    reply = None if error else work.result()
    # Foreign code may return anything: a reply that cannot be encoded or is too long fails the task here,
    # where storing it would fail for ever.
    if reply is not None and is_json_text(reply) and context.reserve(len(reply.encode())):
        return Ending(step=Transition.COMPLETE, text=reply)
    # Before what the graph raised: its own handlers may have turned the limit's error into another one.
    error = context.failure or error
    if isinstance(error, DetourError) and is_json_text(error.message):
        return Ending(step=Transition.FAIL, text=error.message)
    _log.error("a task failed", task_id=context.task_id, exc_info=error)
    return Ending(step=Transition.FAIL, text=_failure(context, error))


def _failure(context: TaskContext, error: BaseException | None) -> str:
    """Return what is said of a fault: where it was and of which kind. Its own words may hold secrets."""
    failed = [agent for agent, now in context.agents.items() if now.state == "failed"]
    if not failed or error is None:
        return FAILURE
    return FAILURE.replace("on our side", f"in {', '.join(failed)} ({type(error).__name__})")


def receipt(
    context: TaskContext,
    calls: Sequence[ToolCall],
    *,
    settled_at: datetime,
    unanswered: Sequence[InputRequest] = (),
) -> ReceiptAnswer:
    """Return the account of how a task ended, in the contract's form, with the questions that end with it."""
    task = context.task
    found = dict.fromkeys(context.agents, 0) | context.partial_results.counts()
    requested_at = to_wire(task.interrupt_requested_at) if task.interrupt_requested_at else None
    account: ReceiptAnswer = {
        "task_id": task.task_id,
        "reason": task.reason,
        "at": requested_at or to_wire(settled_at),
        "requested_at": requested_at,
        "settled_at": to_wire(settled_at),
        "text_kept": len(context.partial_results.text),
        "partial_results": found,
        "input_request": unanswered[0].resolution if unanswered else None,
        "tool_calls": [call.as_account() for call in calls],
        "adopted_by": context.adopted_by,
        "usage": context.trace.usage.total().to_wire(),
    }
    if task.stopped_by is not None:
        account["stopped_by"] = task.stopped_by
    if task.set_aside:
        account["set_aside"] = task.set_aside
    if context.result_sorter is not None and any(found.values()):
        account["sorted_results"] = counts_of(
            sort_results(context.partial_results.to_json(), context.result_sorter)
        )
    return account


def ending_records(
    context: TaskContext, ending: Ending, calls: Sequence[ToolCall], *, now: datetime
) -> list[Record] | None:
    """End a task: change its record in the context, and return all records of the ending.

    Returns None if the task has ended already: the first ending stays.
    """
    ended = context.life.after(ending.step)
    if ended is None or not ended.status.terminal:
        return None
    # Before the step: a record of what was found must not follow the terminal status.
    context.flush()
    context.step(ending.step, at=now)
    interrupted = ended.status is TaskStatus.INTERRUPTED
    reason = context.reason or InterruptReason.LOST
    # A task that completed or failed keeps no reason: an announcement may have come too late to end it.
    context.revise(
        updated_at=now,
        reason=reason if interrupted else None,
        interrupt_requested_at=(context.task.interrupt_requested_at or now) if interrupted else None,
        stopped_by=context.task.stopped_by if interrupted else None,
    )
    # What the store did not take goes first: its events happened before these.
    records = [*context.unsaved, *context.end_agents(*_FINAL_AGENT_STATES[ended.status], at=now)]
    unanswered = _unanswered(context, now)
    records += [*unanswered, *(events.input_resolved(each, at=now) for each in unanswered)]
    sentences = _write_sentences(context, calls)
    if interrupted:
        # Half a reply is kept as it was streamed, for the user has read it; a model may begin with a blank.
        text = context.partial_results.text
        if text.strip():
            records += context.message_records("assistant", text, interrupted=True)
        expired = any(each.resolution == "expired" for each in unanswered)
        marker = (_marker(context, reason, expired=expired), *sentences, ending.text)
        records += context.message_records("system", " ".join(filter(None, marker)))
    elif ended.status is TaskStatus.FAILED:
        records += context.message_records("assistant", " ".join((ending.text, *sentences)))
    else:
        records += context.message_records("assistant", ending.text, suggestions=context.suggestions)
    account = receipt(context, calls, settled_at=now, unanswered=unanswered)
    # The task's record after the messages, which it counts; the status after the agents, whom it shows.
    records += [
        context.task,
        events.status_update(
            context.task, context.partial_results, context.agents, usage=context.trace.usage.total()
        ),
        SavedReceipt(context.task.turn, context.task_id, encode(account)),
    ]
    if interrupted:
        records += [interrupted_context(context, now), events.receipt(context.task_id, account, at=now)]
    if len(context.inputs):
        records.append(ForgetCheckpoint(context.task.turn))
    return records


def _unanswered(context: TaskContext, now: datetime) -> list[InputRequest]:
    """Resolve the open questions, as expired if their time is up, else as withdrawn; expired ones first."""
    timed_out = context.reason is InterruptReason.TIMED_OUT
    resolved = [
        each.resolved("expired" if timed_out and each.expires_at <= now else "withdrawn")
        for each in context.inputs.open
    ]
    for each in resolved:
        context.inputs.put(each)
    return sorted(resolved, key=lambda each: each.resolution != "expired")


def _marker(context: TaskContext, reason: InterruptReason, *, expired: bool) -> str:
    counts = context.partial_results.counts()
    results = {agent: f"{count} {agent} result" for agent, count in counts.items() if count}
    kept = ", ".join(one if counts[agent] == 1 else f"{one}s" for agent, one in results.items())
    started_at, asked_at = context.task.started_at, context.task.interrupt_requested_at
    # The end of a lost process is not known, and a task that only waited did not run: no length for either.
    length = ""
    if reason is not InterruptReason.LOST and not expired and started_at is not None and asked_at is not None:
        length = f" after {max((asked_at - started_at).total_seconds(), 0):.1f} s"
    found = f"Kept so far: {kept}." if kept else "Nothing had been found yet."
    why = _STOPPED_PHRASES.get(context.task.stopped_by) or _REASON_PHRASES[reason]
    return f"{_NOT_ANSWERED if expired else why}{length}. {found}"


def _write_sentences(context: TaskContext, calls: Sequence[ToolCall]) -> list[str]:
    """Return a sentence on each allowed write, for a task that ends without a reply of its own."""
    # A write repeated under the same permission takes the place of its earlier attempts.
    last = {call.instead_of or call.call_id: call for call in calls if call.effect == "write"}
    return [sentence for call in last.values() if (sentence := _write_sentence(context, call))]


def _write_sentence(context: TaskContext, call: ToolCall) -> str:
    tool = call.tool.replace("_", " ").capitalize()
    reason = call.summary if call.summary.endswith((".", "!", "?")) else f"{call.summary}."
    if call.done:
        return f"{tool} went through: {reason}"
    if call.is_step:
        return f"{'Still' if call.outcome is None else 'No longer'} running: {call.tool}, {call.summary}."
    if call.observed and call.outcome is None:
        return f"{tool} is {call.summary}."
    if call.observed and call.outcome == "cancelled":
        return f"{tool} was {call.summary}."
    if call.unsettled or call.outcome == "unknown":
        return f"{tool} had begun; whether it went through is not known yet."
    if call.outcome == "failed" and call.started_at is not None:
        return f"{tool} did not go through: {reason}"
    asked = context.inputs.of_call(call.instead_of or call.call_id)
    return f"{tool} was allowed and not begun." if asked is not None and asked.resolution == "allowed" else ""
