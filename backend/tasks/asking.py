"""How a task asks its user: the question, its events and where the graph stands are stored as one."""

from collections.abc import Callable, Collection

from ..domain import events
from ..domain.inputs import InputRequest, Permission, Question
from ..domain.task_life import Step
from ..log.state_store.base import Checkpoint, Record
from .task_context import TaskContext


def ask(
    context: TaskContext,
    question: Question,
    *,
    pause_id: str,
    branch: str,
    checkpoint: Callable[[], bytes],
    permission: Permission | None = None,
) -> None:
    """Ask the user a question, or for a permission, unless the graph has asked this before at the same pause.

    Of an agent that its user has stopped meanwhile nothing is asked, and the graph goes on without an answer.
    Raises `TypeError` for a question that has no JSON form, `TooMuchShownError` for one that is too large.
    """
    if context.closed:
        return
    asked = context.inputs.of_pause(pause_id)
    if asked is not None:
        if asked.open and context.agents[question.agent].state != "input_required":
            context.progress(question.agent, "input_required", detail=asked.question.prompt)
        return
    number, now, task = len(context.inputs) + 1, context.now(), context.task
    request = InputRequest(
        request_id=f"{task.task_id}-q{number}",
        user_id=task.user_id,
        task_id=task.task_id,
        turn=task.turn,
        number=number,
        question=question,
        pause_id=pause_id,
        branch=branch,
        asked_at=now,
        expires_at=now + (context.answer_within if permission is None else context.allow_within),
        kind="question" if permission is None else "permission",
        permission=permission,
    )
    if context.is_stopped(question.agent):
        context.inputs.put(request.waived())
        context.record(request.waived(), Checkpoint(task.turn, checkpoint()))
        return
    event = events.input_request(request)
    if not context.reserve(len(event.body)) and context.failure is not None:
        raise context.failure
    context.inputs.put(request)
    records: list[Record] = [request, Checkpoint(task.turn, checkpoint())]
    records += context.progress_records(question.agent, "input_required", detail=question.prompt)
    records += context.message_records("assistant", question.prompt)
    context.record(*records, event, *context.status_records(Step.ASK, now))


def rest(context: TaskContext, pauses: Collection[str], checkpoint: bytes) -> None:
    """Store where the graph stands, now that nothing of it is at work but what waits for the user.

    What it has asked at other pauses than these it does not ask any more.
    """
    if context.closed:
        return
    now = context.now()
    moot = [each.resolved("withdrawn") for each in context.inputs.open if each.pause_id not in pauses]
    for each in moot:
        context.inputs.put(each)
    records: list[Record] = [*moot, *(events.input_resolved(each, at=now) for each in moot)]
    if moot and not context.inputs.open:
        records += context.status_records(Step.ANSWER, now)
    context.record(*records, Checkpoint(context.task.turn, checkpoint, resting=True))
