"""Asks a task's user. The question, its events and the graph's checkpoint are stored in one transaction.

A question without its checkpoint would have an answer that no process could resume the graph with.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, cast

from ..domain import events
from ..domain.errors import BadInput, GraphFailedError
from ..domain.questions import Action, Decided, InputRequest, Permission, Question, Review
from ..domain.task_life import Transition
from ..store.records import Checkpoint, Record
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
    if question.page_call is None:
        records += context.message_records("assistant", question.prompt)
    # The message before the event: a user who sees the form has read the question.
    context.record(*records, event, *context.status_records(Transition.ASK, now))


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
        records += context.status_records(Transition.ANSWER, now)
    if context.inputs.open:
        records.append(events.task_resting(context.task_id, at=now))
    # `resting`: a new process need not run this graph until an answer comes.
    context.record(*records, Checkpoint(context.task.turn, checkpoint, resting=True))


# --- reviewing -----------------------------------------------------------------------------------------
# The form in which a user decides on a graph's actions, and the check of what comes back.
#
# The form has a field for each part of a decision, numbered if there are several actions, since every
# client can show flat fields. A client that knows the graph's own shape may send that instead.


def form_of(review: Review) -> dict[str, Any]:
    """Return the JSON Schema of the form."""
    fields: dict[str, Any] = {}
    for number, action in enumerate(review.actions):
        decision, note, arguments = _names(review, number)
        about = f"{number + 1}. {action.name}: " if len(review.actions) > 1 else ""
        fields[decision] = {"enum": [*action.decisions], "title": f"{about}Decision"}
        if noted := review.noted(action):
            fields[note] = {
                "type": "string",
                "title": f"{about}Note",
                "description": f"With the decision {' or '.join(sorted(noted))}",
            }
        if "edit" in action.decisions:
            fields[arguments] = {
                "type": "object",
                "title": f"{about}Arguments",
                "description": "With the decision edit",
            }
    return {
        "type": "object",
        "properties": fields,
        "required": [_names(review, number)[0] for number in range(len(review.actions))],
        "additionalProperties": False,
    }


def defaults_of(review: Review) -> dict[str, Any]:
    """Return what the form is filled with: the arguments that can be edited."""
    return {
        _names(review, number)[2]: action.arguments
        for number, action in enumerate(review.actions)
        if "edit" in action.decisions
    }


def is_own_value(review: Review, answer: Any) -> bool:
    """Return whether an answer has the shape that the graph itself expects."""
    match review.shape:
        case "decisions":
            return isinstance(answer, Mapping) and "decisions" in answer
        case "decision":
            return isinstance(answer, Mapping) and "type" in answer
        case "responses":
            return isinstance(answer, list)


def value_of_form(review: Review, answer: Mapping[str, Any]) -> Any:
    """Return the graph's value for a form that fits its schema. Raises `BadInput` for parts that clash."""
    return review.value(
        _decided(review, action, _names(review, number), answer)
        for number, action in enumerate(review.actions)
    )


def check_own_value(review: Review, value: Any) -> None:
    """Raise `BadInput` for a value that the graph would fail on."""
    where = {"decisions": "decisions", "decision": "answer", "responses": "answer"}[review.shape]
    items: Any = value.get("decisions") if review.shape == "decisions" else review.items(value)
    count = len(review.actions)
    if not isinstance(items, list) or len(cast("Sequence[Any]", items)) != count:
        raise BadInput.of_fields((where, f"should be a list of {count}, one for each action"))
    for number, action in enumerate(review.actions):
        path = where if review.shape == "decision" else f"{where}.{number}"
        if (fault := _fault(review, action, items[number])) is not None:
            raise BadInput.of_fields((f"{path}.{fault[0]}".rstrip("."), fault[1]))


def _fault(review: Review, action: Action, item: Any) -> tuple[str, str] | None:
    """Return a field of a decision in the graph's own shape, and its fault."""
    given = _mapping(item)
    word = given.get("type")
    decision = review.words.get(word) if isinstance(word, str) else None
    if decision not in action.decisions:
        return "type", "is none of the choices"
    inbox = review.shape == "responses"
    if decision == "edit":
        edited = _mapping(given.get("args" if inbox else "edited_action"))
        name = "action" if inbox else "name"
        if not isinstance(edited.get(name), str) or not isinstance(edited.get("args"), Mapping):
            return "args" if inbox else "edited_action", f"should have `{name}` and `args`"
    message: Any = given.get("args" if inbox else "message")
    wants_text = decision == "respond" or (not inbox and message is not None)
    if wants_text and not isinstance(message, str):
        return "args" if inbox else "message", "should be text"
    return None


def _mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping as it is, and an empty one in place of anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _decided(
    review: Review, action: Action, names: tuple[str, str, str], answer: Mapping[str, Any]
) -> Decided:
    decision_field, note_field, arguments_field = names
    decision = answer[decision_field]
    note = answer.get(note_field, "").strip()
    arguments = answer.get(arguments_field, action.arguments)
    if note and decision not in review.noted(action):
        raise BadInput.of_fields((note_field, f"the graph takes no note with the decision {decision!r}"))
    if decision == "respond" and not note:
        raise BadInput.of_fields((note_field, "Field required"))
    # Who changed something and then allows it expects the change: what was asked for must not run instead.
    if decision == "allow" and arguments != action.arguments:
        raise BadInput.of_fields((arguments_field, "they were changed; the decision for that is 'edit'"))
    return Decided(decision=decision, note=note, arguments=arguments)


def _names(review: Review, number: int) -> tuple[str, str, str]:
    """Return the form's fields for an action: its decision, its note and its arguments."""
    suffix = f"_{number + 1}" if len(review.actions) > 1 else ""
    return f"decision{suffix}", f"note{suffix}", f"arguments{suffix}"
