"""Asks a task's user. The question, its events and the graph's checkpoint are stored in one transaction.

A question without its checkpoint would have an answer that no process could resume the graph with.
"""

from collections.abc import Callable, Collection

from ..domain import events
from ..domain.inputs import InputRequest, Permission, Question
from ..domain.task_life import Step
from ..errors import GraphFailedError
from ..log.state_store.records import Checkpoint, Record
from .task_context import TaskContext

ASIDE_ASKS = (
    "To answer this I would have to ask you something, and a message that requests nothing cannot wait for "
    "an answer. Please tell me in full what you want."
)
"""The failure of an aside that asks."""


def ask(
    context: TaskContext,
    question: Question,
    *,
    pause_id: str,
    branch: str,
    checkpoint: Callable[[], bytes],
    permission: Permission | None = None,
) -> None:
    """Ask the user a question, or for a permission, unless the graph has asked it before at the same pause.

    The question of an agent that the user has stopped is waived: the graph resumes without an answer. Raises
    `TypeError` for a question that has no JSON form, `TooMuchShownError` for one that is too large, and
    `GraphFailedError` in an aside.
    """
    if context.closed:
        return
    if context.task.aside:
        # An answer resumes the active task, which an aside never is: its question would stay open for ever.
        raise GraphFailedError(ASIDE_ASKS)
    asked = context.inputs.of_pause(pause_id)
    if asked is not None:
        # A node that runs again asks again; its agent's progress went back to `working` as it began.
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
        # Stored, too: in the next process the graph must get past this pause in the same way.
        context.inputs.put(request.waived())
        context.record(request.waived(), Checkpoint(task.turn, checkpoint()))
        return
    # Encoded and counted before anything changes: a question that cannot be shown is not asked.
    event = events.input_request(request)
    if not context.reserve(len(event.body)) and context.failure is not None:
        raise context.failure
    context.inputs.put(request)
    records: list[Record] = [request, Checkpoint(task.turn, checkpoint())]
    records += context.progress_records(question.agent, "input_required", detail=question.prompt)
    records += context.message_records("assistant", question.prompt)
    # The message before the event: whoever sees the form has read the question.
    context.record(*records, event, *context.status_records(Step.ASK, now))


def rest(context: TaskContext, pauses: Collection[str], checkpoint: bytes) -> None:
    """Store the checkpoint of a graph all of whose branches have ended or wait for the user.

    Withdraws what it has asked at other pauses than these.
    """
    if context.closed:
        return
    now = context.now()
    # A node that ran again with other state may ask something else: nothing waits for the first answer.
    moot = [each.resolved("withdrawn") for each in context.inputs.open if each.pause_id not in pauses]
    for each in moot:
        context.inputs.put(each)
    records: list[Record] = [*moot, *(events.input_resolved(each, at=now) for each in moot)]
    if moot and not context.inputs.open:
        records += context.status_records(Step.ANSWER, now)
    if context.inputs.open:
        records.append(events.task_resting(context.task_id, at=now))
    # `resting`: a new process need not run this graph until an answer comes.
    context.record(*records, Checkpoint(context.task.turn, checkpoint, resting=True))
