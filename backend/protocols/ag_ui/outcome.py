"""How a run ends in AG-UI's words."""

from typing import Any

from ..thread.state import Frame, Run, ThreadState
from .events import event, refused
from .shared_state import task_of

INTERRUPTED = frozenset({"interrupted", "timeout"})
"""The statuses of runs that ended early."""


def ended(thread_id: str, run_id: str, versioned: bool, run: Run, state: ThreadState) -> bytes:
    """Return the last event of a run.

    A client that does not say which version it speaks would fail on `cancelled`, which is new in 1.0: it
    finds in the result that the run was interrupted.
    """
    task = task_of(run, state)
    if run.status == "error":
        said = [each["text"] for each in state.messages_in_order() if each["task_id"] == task.task_id]
        return refused(said[-1] if said else "The run has failed.", "failed")
    open_questions = [each for each in state.requests.values() if each["task_id"] == task.task_id]
    outcome: dict[str, Any] | None = {"type": "success"}
    # A run that ends before its task does has ended because another window has answered the question.
    result: dict[str, Any] = {"status": "completed" if task.status == "completed" else "answered"}
    # A task that only waits for its user is interrupted after its run has ended.
    if run.status in INTERRUPTED or (run.ended_waiting and task.status == "interrupted"):
        outcome = {"type": "cancelled"} if versioned else None
        left = state.interrupted.get(task.task_id, {})
        receipt = task.receipt or left.get("receipt")
        result = {"status": "interrupted", "reason": run.reason or task.reason}
        result = {name: value for name, value in {**result, "receipt": receipt}.items() if value is not None}
    elif run.ended_waiting and open_questions:
        outcome = {"type": "interrupt", "interrupts": [interrupt(each) for each in open_questions]}
        result = {"status": "input_required"}
    return event("RUN_FINISHED", threadId=thread_id, runId=run_id, outcome=outcome, result=result)


def failed_before(thread_id: str, run_id: str) -> bytes:
    """Return the last event of a run whose failure the user has been told already."""
    return event("RUN_FINISHED", threadId=thread_id, runId=run_id, result={"status": "failed"})


def interrupt(request: Frame) -> dict[str, Any]:
    """Return an open question as an interrupt."""
    call_id = request.get("call_id")
    metadata = {
        name: request[name] for name in ("agent", "kind", "tool", "defaults", "facts") if name in request
    }
    return {
        "id": request["request_id"],
        "reason": "tool_call" if call_id is not None else "input_required",
        "message": request["prompt"],
        "responseSchema": request["schema"],
        "expiresAt": request["expires_at"],
        **({} if call_id is None else {"toolCallId": call_id}),
        "metadata": metadata,
    }
