"""Answers and withdraws open questions, as a client's `resume` says."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ...domain.inputs import BARE_FIELD
from ...errors import BadInput, Conflict, NotFound, NotOpen
from ...serving.services import Services
from ...tasks.input_schema import checked
from ..field_names import renamed
from ..thread.state import Frame, Run, ThreadState
from ..threads import Threads
from .wire import Resumed, object_in

_DECISIONS: Mapping[str | bool, Literal["allow", "deny"]] = {
    "allow": "allow",
    "deny": "deny",
    True: "allow",
    False: "deny",
}


class NoSuchInterrupt(Conflict):
    """The question is not known, or is not open any more."""

    code = "no_such_interrupt"


class Resuming(NamedTuple):
    """What a resume led to: a run to follow, or none, since the task of the questions has been stopped."""

    run: Run | None
    task_id: str


async def resume(services: Services, threads: Threads, user_id: str, resumed: Sequence[Resumed]) -> Resuming:
    """Answer and withdraw all open questions of a task. Raises as `Threads.answer`, and `NoSuchInterrupt`.

    Where an answer does not fit, nothing is answered and nothing withdrawn.
    """
    state = await threads.state(user_id)
    asked = _asked(state, resumed)
    await _check(services, user_id, asked, resumed)
    task_id = asked[0]["task_id"]
    answered = [each for each in resumed if not each.cancelled]
    withdrawn = [each for each in asked if all(each["request_id"] != one.interrupt_id for one in answered)]
    run: Run | None = None
    if withdrawn and not answered and not _works(state, task_id):
        await services.runner.stop(user_id, task_id)
        return Resuming(None, task_id)
    try:
        for request in withdrawn:
            await services.runner.stop_agent(user_id, request["agent"], task_id)
    except Conflict:
        # Its node expects an answer and nothing else, so the whole task ends.
        await services.runner.stop(user_id, task_id)
        return Resuming(None, task_id)
    for each in answered:
        request = next(one for one in asked if one["request_id"] == each.interrupt_id)
        try:
            run = await threads.answer(user_id, each.interrupt_id, **answer_of(request, each))
        except BadInput as error:
            raise _named(error, request, each) from None
        except (NotFound, NotOpen) as error:
            if run is None:
                raise NoSuchInterrupt(error.message) from None
            # An answer before it has resolved this question as well.
    if run is None:
        after = await threads.state(user_id)
        run = after.last_run_of(task_id) if after is not None else None
    return Resuming(run, task_id)


def _asked(state: ThreadState | None, resumed: Sequence[Resumed]) -> list[Frame]:
    """Return the open questions that are resumed: all of one task."""
    requests = state.requests if state is not None else {}
    for each in resumed:
        if each.interrupt_id not in requests:
            raise NoSuchInterrupt(f"There is no open question {each.interrupt_id!r}.")
    task_id = requests[resumed[0].interrupt_id]["task_id"]
    asked = [each for each in requests.values() if each["task_id"] == task_id]
    given = {each.interrupt_id for each in resumed}
    missing = [each["request_id"] for each in asked if each["request_id"] not in given]
    if missing:
        raise BadInput.of_fields(("resume", f"it must say what becomes of {', '.join(missing)}, too"))
    return asked


async def _check(
    services: Services, user_id: str, asked: Sequence[Frame], resumed: Sequence[Resumed]
) -> None:
    """Raise `BadInput` if an answer does not fit: once one is taken, it cannot be taken back."""
    requests = {each["request_id"]: each for each in asked}
    for each in resumed:
        request = requests[each.interrupt_id]
        if each.cancelled:
            continue
        given = answer_of(request, each)
        stored = await services.store.get_input(user_id, each.interrupt_id)
        if request["kind"] != "permission" and stored is not None:
            try:
                checked(stored.question, given["answer"])
            except BadInput as error:
                raise _named(error, request, each) from None


def _named(error: BadInput, request: Frame, resumed: Resumed) -> BadInput:
    """Return an error that names what the client sent: a bare value has no field."""
    bare = not isinstance(resumed.payload, Mapping)
    wrapping = {BARE_FIELD, _only_field(request)} if bare else {BARE_FIELD} - {*_fields(request)}

    def theirs(field: str) -> str:
        first, _, rest = field.partition(".")
        inner = rest if first in wrapping else field
        return ".".join(filter(None, (resumed.field, "payload", inner)))

    return renamed(error, theirs)


def _works(state: ThreadState | None, task_id: str) -> bool:
    """Return whether something else of a task still runs."""
    task = state.tasks.get(task_id) if state is not None else None
    run = state.last_run_of(task.first_task_id) if state is not None and task is not None else None
    return run is not None and not run.ended


def _only_field(request: Frame) -> str | None:
    """Return the only field that a question has, if it has just one."""
    names = _fields(request)
    return names[0] if len(names) == 1 else None


def _fields(request: Frame) -> Sequence[str]:
    return list(request["schema"].get("properties", {}))


def answer_of(request: Frame, resumed: Resumed) -> dict[str, Any]:
    """Return how `Threads.answer` takes a payload: text answers a question with one field."""
    payload = resumed.payload
    fields = object_in(payload)
    if request["kind"] == "permission":
        said = fields.get("decision", fields.get("approved")) if fields else payload
        decision = _DECISIONS.get(said) if isinstance(said, str | bool) else None
        if decision is None:
            raise BadInput.of_fields((f"{resumed.field}.payload", "should be allow or deny"))
        note = fields.get("note")
        return {"decision": decision, "note": note if isinstance(note, str) else None}
    only = _only_field(request)
    if not isinstance(payload, Mapping) and payload is not None and only is not None:
        return {"answer": {only: payload}}
    return {"answer": {} if payload is None else payload}
