"""Answers to questions and permissions, in all the forms in which clients of other protocols write them."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, cast

from ..domain.errors import BadInput
from ..domain.questions import BARE_FIELD, Question
from ..http.services import Services
from ..tasks.asking import is_own_value
from ..tasks.input_schema import checked
from .bodies import naming, object_in
from .thread.state import Frame

_DECISIONS: Mapping[str | bool, str] = {
    True: "allow",
    False: "deny",
    "accept": "allow",
    "ignore": "deny",
    "approve": "allow",
    "reject": "deny",
    # What people type into a field of a form that is a boolean.
    "true": "allow",
    "yes": "allow",
    "false": "deny",
    "no": "deny",
}


class Answer(NamedTuple):
    """An answer as a client has written it; `field` is where in the body, for errors.

    If `takes_defaults`, null stands for the defaults of its question.
    """

    request: Frame
    value: Any
    field: str
    takes_defaults: bool = False


async def arguments(services: Services, user_id: str, answer: Answer, *, checks: bool) -> dict[str, Any]:
    """Return an answer as `Threads.answer` takes it.

    Raises `BadInput` for no decision on a permission, and if it `checks`, for an answer that does not fit.
    """
    if answer.request["kind"] == "permission":
        return _decided(answer)
    asked = await services.store.get_input(user_id, answer.request["request_id"])
    value = _form(answer) if asked is None else _value(asked.question, answer)
    if checks and asked is not None:
        with naming_fields(answer):
            checked(asked.question, value)
    return {"answer": value}


def naming_fields(answer: Answer) -> AbstractContextManager[None]:
    """Have errors name a field of a question as it is in the body: within the answer, unless that is it."""
    form, fields = _form(answer), _fields(answer)
    if form is answer.value and isinstance(form, Mapping):
        # The whole of an answer is named `answer`, as is the only field of most questions.
        whole = {BARE_FIELD} - {*fields}
    else:
        whole = {BARE_FIELD, *object_in(form), *(fields if len(fields) == 1 else ())}

    def client_name(name: str) -> str:
        first, _, rest = name.partition(".")
        if _unpacked(answer.value) is not answer.value:
            return answer.field
        return ".".join(filter(None, (answer.field, rest if first in whole else name)))

    return naming(client_name)


def _decided(answer: Answer) -> dict[str, Any]:
    said, note = _unpacked(answer.value), None
    if isinstance(said, Mapping):
        fields = object_in(said)
        given = (fields.get(name) for name in ("decision", "approved", "type"))
        said, note = next((each for each in given if each not in (None, "")), None), fields.get("note")
        if fields.get("editedArgs") not in (None, ""):
            raise BadInput.of_fields(
                (f"{answer.field}.editedArgs", "the arguments of this call cannot be changed")
            )
        note = fields.get("reason") if note is None else note
    decision = _decision(said)
    if decision not in ("allow", "deny"):
        raise BadInput.of_fields((answer.field, "should be allow or deny"))
    return {"decision": decision, "note": note if isinstance(note, str) else None}


def _decision(said: Any) -> Any:
    return _DECISIONS.get(said, said) if isinstance(said, bool | str) else said


def _unpacked(answer: Any) -> Any:
    """Unpack an answer of an agent inbox, of the form `[{"type", "args"}]`; return any other as it is."""
    several = cast("list[Any]", answer if isinstance(answer, list) else [])
    only: Mapping[str, Any] = object_in(several[0]) if len(several) == 1 else {}
    match only.get("type"):
        case "response" | "edit":
            return only.get("args")
        case "accept" | "ignore" as kind:
            return kind
        case _:
            return cast("Any", answer)


def _value(question: Question, answer: Answer) -> Any:
    """Return an answer as the fields of its question's form, or as it is if its graph takes that."""
    if question.review is not None and is_own_value(question.review, answer.value):
        return answer.value
    return _form(answer)


def _form(answer: Answer) -> Any:
    """Return an answer as the fields of its question: a value is that of the only field, or only required."""
    fields = _fields(answer)
    value = _unpacked(answer.value)
    if value is None and answer.takes_defaults:
        return {}
    if isinstance(value, Mapping) and "decision" in fields and "approved" in value:
        return _approval(object_in(value))
    if isinstance(value, Mapping):
        fits = {*object_in(value)} <= {*fields} or [*fields] != [BARE_FIELD]
        return cast("Any", value) if fits else {BARE_FIELD: cast("Any", value)}
    if "decision" in fields and isinstance(value, bool | str):
        return {"decision": _decision(value)}
    wanted: Sequence[str] = fields if len(fields) == 1 else answer.request["schema"].get("required", ())
    return {wanted[0]: value} if len(wanted) == 1 else value


def _approval(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return an approval of AG-UI, `{approved, reason, editedArgs}`, as the fields of a review."""
    decision, changed = _decision(told["approved"]), told.get("editedArgs")
    if decision == "allow" and changed not in (None, ""):
        return {"decision": "edit", "arguments": changed}
    note = {"note": told["reason"]} if decision == "deny" and told.get("reason") else {}
    return {"decision": decision, **note}


def _fields(answer: Answer) -> Sequence[str]:
    return [*answer.request["schema"].get("properties", {})]
