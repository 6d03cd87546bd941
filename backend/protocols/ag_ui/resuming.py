"""Answers and withdraws open questions, as a client's `resume` says."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ...errors import BadInput, Conflict, NotFound, NotOpen
from ...serving.services import Services
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
    """Answer and withdraw all open questions of a task. Raises as `Threads.answer`, and `NoSuchInterrupt`."""
    state = await threads.state(user_id)
    asked = _asked(state, resumed)
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
            run = await threads.answer(user_id, each.interrupt_id, **answer_of(request, each.payload))
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


def _works(state: ThreadState | None, task_id: str) -> bool:
    """Return whether something else of a task still runs."""
    task = state.tasks.get(task_id) if state is not None else None
    run = state.last_run_of(task.first_task_id) if state is not None and task is not None else None
    return run is not None and not run.ended


def answer_of(request: Frame, payload: Any) -> dict[str, Any]:
    """Return how `Threads.answer` takes a payload: text answers a question with one field."""
    fields = object_in(payload)
    if request["kind"] == "permission":
        said = fields.get("decision", fields.get("approved")) if fields else payload
        decision = _DECISIONS.get(said) if isinstance(said, str | bool) else None
        if decision is None:
            raise BadInput.of_fields(("resume.payload", "should be allow or deny"))
        note = fields.get("note")
        return {"decision": decision, "note": note if isinstance(note, str) else None}
    names = list(request["schema"].get("properties", {}))
    if not isinstance(payload, Mapping) and payload is not None and len(names) == 1:
        return {"answer": {names[0]: payload}}
    return {"answer": {} if payload is None else payload}
