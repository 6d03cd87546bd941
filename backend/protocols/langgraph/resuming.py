"""Resumes runs with the answers to their questions, in all the forms in which clients write these."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from ...domain.inputs import Question
from ...errors import BadInput, Conflict
from ...serving.services import Services
from ...tasks.input_schema import checked
from ...tasks.reviewing import is_own_value
from ..thread.state import Frame, Run, ThreadState
from ..threads import Threads
from .field_names import naming

RESUME = "command.resume"

_ALLOWED = {
    True: "allow",
    False: "deny",
    "accept": "allow",
    "ignore": "deny",
    "approve": "allow",
    "reject": "deny",
}

_REQUEST_ID = re.compile(r"[0-9a-z]{26}-q[0-9]+")


class _Answer(NamedTuple):
    """An answer as a client has written it; `field` is where in the body, for errors."""

    request: Frame
    value: Any
    field: str


class Resuming:
    """Takes the answers that clients give."""

    def __init__(self, services: Services, threads: Threads) -> None:
        self._services = services
        self._threads = threads

    async def resume(
        self, thread_id: str, state: ThreadState | None, resume: Any, fields: Mapping[str, str]
    ) -> Run:
        """Take the answers to open questions; return the run that the last of them begins.

        `fields` are those of the body that hold the answers by question, and by "" that of all of them, which
        is `command.resume` by default. Raises `Conflict` if a question is not open, and `BadInput` for an
        answer that does not fit; then no answer was taken.
        """
        requests = state.requests if state is not None else {}
        if not requests:
            raise Conflict("Nothing is asked in this thread, so there is nothing to resume.", code="not_open")
        answers = _by_request(resume, requests, fields)
        if len(answers) > 1:
            await self._check_all(thread_id, answers)
        run: Run | None = None
        for answer in answers:
            run = await self._answer(thread_id, answer)
        if run is None:
            raise BadInput(f"{RESUME}: it answers no question.")
        return run

    async def _check_all(self, thread_id: str, answers: Sequence[_Answer]) -> None:
        """Raise `BadInput` if one of several answers does not fit: then none of them may be taken."""
        for answer in answers:
            asked = await self._services.store.get_input(thread_id, answer.request["request_id"])
            if answer.request["kind"] == "permission":
                _decision(answer)
            elif asked is not None:
                with naming(lambda name, answer=answer: _field_of(name, answer)):
                    checked(asked.question, _value(asked.question, answer))

    async def _answer(self, thread_id: str, answer: _Answer) -> Run:
        request_id = answer.request["request_id"]
        if answer.request["kind"] == "permission":
            decision, note = _decision(answer)
            return await self._threads.answer(thread_id, request_id, decision=decision, note=note)
        asked = await self._services.store.get_input(thread_id, request_id)
        value = answer.value if asked is None else _value(asked.question, answer)
        with naming(lambda name: _field_of(name, answer)):
            return await self._threads.answer(thread_id, request_id, answer=value)


def _by_request(resume: Any, requests: Mapping[str, Frame], fields: Mapping[str, str]) -> Sequence[_Answer]:
    """Return answers by question: of a mapping by their ids, else one for the oldest open question.

    Raises `Conflict` for the id of a question that is not open.
    """
    whole = fields.get("", RESUME)
    if isinstance(resume, Mapping):
        by_id = cast("Mapping[str, Any]", resume)
        if by_id and set(by_id) <= set(requests):
            return [
                _Answer(requests[name], value, fields.get(name, f"{whole}.{name}"))
                for name, value in by_id.items()
            ]
        if any(_REQUEST_ID.fullmatch(name) for name in by_id):
            raise Conflict("A question that this answers is not open.", code="not_open")
    return [_Answer(next(iter(requests.values())), resume, whole)]


def _decision(answer: _Answer) -> tuple[Any, str | None]:
    """Return the decision in an answer to a permission, and its note. Raises `BadInput`."""
    note = None
    found = _inbox(answer.value)
    if isinstance(found, Mapping):
        fields = cast("Mapping[str, Any]", found)
        found, noted = fields.get("decision") or fields.get("type"), fields.get("note")
        note = noted if isinstance(noted, str) else None
    if isinstance(found, bool | str):
        found = _ALLOWED.get(found, found)
    if found not in ("allow", "deny"):
        raise BadInput(f'{answer.field}: it should be "allow" or "deny", or hold that as its `decision`.')
    return found, note


def _inbox(answer: Any) -> Any:
    """Return what an answer of an agent inbox says, of the form `[{"type", "args"}]`; any other as it is."""
    if not isinstance(answer, list):
        return answer
    several = cast("list[Any]", answer)
    if len(several) != 1 or not isinstance(several[0], Mapping):
        return cast("Any", answer)
    only = cast("Mapping[str, Any]", several[0])
    kind = only.get("type")
    if not isinstance(kind, str):
        return cast("Any", answer)
    if kind in {"response", "edit"}:
        return only.get("args")
    return kind if kind in {"accept", "ignore"} else cast("Any", answer)


def _value(question: Question, answer: _Answer) -> Any:
    """Return the fields of a question's form that an answer gives, or what its graph takes as it is."""
    if question.review is not None and is_own_value(question.review, answer.value):
        return answer.value
    return _form(answer)


def _form(answer: _Answer) -> Any:
    """Return an answer as the fields of its question: a value is that of the only field, or only required."""
    schema: Mapping[str, Any] = answer.request["schema"]
    fields: Mapping[str, Any] = schema.get("properties", {})
    value = _inbox(answer.value)
    if isinstance(value, Mapping):
        named = set(cast("Mapping[str, Any]", value))
        fits = named <= set(fields) or set(fields) != {"answer"}
        return cast("Any", value) if fits else {"answer": cast("Any", value)}
    if "decision" in fields and isinstance(value, bool | str):
        return {"decision": _ALLOWED.get(value, value)}
    wanted: Sequence[str] = [*fields] if len(fields) == 1 else schema.get("required", ())
    return {wanted[0]: value} if len(wanted) == 1 else value


def _field_of(name: str, answer: _Answer) -> str:
    """Return where in the body a field of a question is: within the answer, unless that is its value."""
    value = answer.value
    is_form = isinstance(value, Mapping) and _form(answer) is value
    # The whole of an answer is named `answer`, as is the only field of most questions.
    is_whole = name == "answer" and name not in answer.request["schema"].get("properties", {})
    return f"{answer.field}.{name}" if is_form and not is_whole else answer.field
