"""Checks answers against the schemas of their questions; an error names the field.

Schemas come from graphs, and perhaps from a model: a check runs none of a schema's text as code, and fetches
nothing (docs/decisions/0001-give-every-dependency-a-reason.md). `bounded_schema` bounds its time.
"""

import importlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from ..domain.encoding import encode
from ..domain.errors import BadInput
from ..domain.questions import BARE_FIELD, Question, Review
from .asking import check_own_value, is_own_value, value_of_form

if TYPE_CHECKING:
    from jsonschema import ValidationError

MOST_FAULTS = 100
"""Faults of one answer in an error; the error's sentence has the first one."""

LONGEST_FAULT = 300
"""Characters of one fault: the library puts the whole answer into some."""

_TYPES = {
    "string": "should be text",
    "integer": "should be a whole number",
    "number": "should be a number",
    "boolean": "should be true or false",
    "array": "should be a list",
    "object": "should be an object",
}


class TooMuchToCheckError(Exception):
    """What cannot be checked within the bounds; the message says why, as part of a sentence."""


def schema_fault(schema: Mapping[str, Any]) -> str | None:
    """Return what is wrong with a schema, None if answers can be checked against it."""
    try:
        fault = _bounded().fault_of_schema(schema)
    except TooMuchToCheckError as error:
        return str(error)
    return None if fault is None else _shortened(str(fault.cause or fault.message))


def required(question: Question) -> tuple[str, ...]:
    """Return the fields that an answer must have: those that the schema requires, without a default."""
    wanted = _defaults(question)
    return tuple(name for name in _listed(question.schema, "required") if name not in wanted)


def checked(question: Question, answer: Any) -> dict[str, Any]:
    """Return an answer, completed from the question's defaults, as the fields that are stored.

    `answer` is any JSON; most questions take an object only. Raises `BadInput` if it does not fit the schema,
    or if the check exceeds its bounds.
    """
    if question.review is not None:
        return {BARE_FIELD: _decisions(question, question.review, answer)}
    if question.any_json and not _is_answer_field(answer):
        return _valid({BARE_FIELD: answer}, {})
    if not isinstance(answer, Mapping):
        raise BadInput.of_fields((BARE_FIELD, _TYPES["object"]))
    complete = {**_defaults(question), **cast("Mapping[str, Any]", answer)}
    value = complete.get(BARE_FIELD)
    takes_it = question.any_json and value is not None and not isinstance(value, str)
    return _valid(complete, {} if takes_it else question.schema)


def _is_answer_field(answer: Any) -> bool:
    """Return whether an answer is the form's, with its one field or empty, and not the value itself."""
    return isinstance(answer, Mapping) and set(cast("Mapping[str, Any]", answer)) <= {BARE_FIELD}


def _decisions(question: Question, review: Review, answer: Any) -> Any:
    """Return what the graph expects for decisions, which are a form, or that value already."""
    if is_own_value(review, answer):
        _valid({BARE_FIELD: answer}, {})
        check_own_value(review, answer)
        value = answer
    elif isinstance(answer, Mapping):
        form = {**_defaults(question), **cast("Mapping[str, Any]", answer)}
        value = value_of_form(review, _valid(form, question.schema))
    else:
        raise BadInput.of_fields((BARE_FIELD, _TYPES["object"]))
    # LangGraph checks by the same schema what the graph gets, and its refusal would fail the task.
    if review.schema is not None:
        _valid(value, review.schema)
    return value


def _valid(complete: dict[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    # Python reads NaN and 1e999 as numbers, and the store would keep them as null.
    if (unreal := next(_not_finite(complete, ()), None)) is not None:
        raise BadInput.of_fields((unreal, "should be a finite number"))
    try:
        encode(complete)
        errors = _bounded().errors_of(complete, schema, most=MOST_FAULTS)
        faults = [fault for error in errors for fault in _faults(error)][:MOST_FAULTS]
    except TypeError as error:
        raise BadInput(f"answer: {error}.") from error
    except TooMuchToCheckError as error:
        raise BadInput(f"answer: it cannot be checked, since {error}.") from error
    if faults:
        raise BadInput.of_fields(*faults)
    return complete


def _bounded() -> Any:
    """Import what checks when there is something to check: it takes 2 MiB, and many graphs ask nothing."""
    return importlib.import_module(".bounded_schema", __package__)


def _not_finite(value: object, path: tuple[str, ...]) -> Iterator[str]:
    """Yield the path of each number that JSON has no form for."""
    if isinstance(value, float) and not math.isfinite(value):
        yield ".".join(path)
    elif isinstance(value, Mapping):
        for name, each in cast("Mapping[str, Any]", value).items():
            yield from _not_finite(each, (*path, name))
    elif isinstance(value, list | tuple):
        for index, each in enumerate(cast("Sequence[Any]", value)):
            yield from _not_finite(each, (*path, str(index)))


def answer_in_words(question: Question, text: str) -> dict[str, Any] | None:
    """Return the answer that a message alone gives, None if it gives none.

    It gives one if the question asks for a single text, or for one of several choices.
    """
    only = _only_field(question)
    if only is None:
        return None
    name, choices = only
    said = text.strip()
    value = choices.get(said.casefold()) if choices else said
    if value is None:
        return None
    try:
        return checked(question, {name: value})
    except BadInput:
        return None


def asks_for_text(question: Question) -> bool:
    """Return whether a question asks for a single field without choices, so that any text may answer it."""
    only = _only_field(question)
    return only is not None and not only[1]


def _only_field(question: Question) -> tuple[str, Mapping[str, Any]] | None:
    """Return the name and the choices of the single field that a message can answer, None if it has more."""
    fields: Mapping[str, Any] = question.schema.get("properties", {})
    asked = required(question) or tuple(fields)
    if len(asked) != 1 or asked[0] not in fields:
        return None
    [name] = asked
    return name, dict(_choices(fields[name])) if isinstance(fields[name], Mapping) else {}


def _choices(wanted: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each choice by its value and by its title, in the words of a message."""
    for value in _listed(wanted, "enum"):
        yield str(value).casefold(), value
    for each in (*_listed(wanted, "oneOf"), *_listed(wanted, "anyOf")):
        choice: Mapping[str, Any] = cast("Mapping[str, Any]", each) if isinstance(each, Mapping) else {}
        if "const" in choice:
            yield str(choice["const"]).casefold(), choice["const"]
            yield str(choice.get("title", choice["const"])).casefold(), choice["const"]


def _listed(schema: Mapping[str, Any], keyword: str) -> Sequence[Any]:
    """Return a schema's list, or nothing if it is not a list: the oldest draft's `required` is a boolean."""
    listed: Any = schema.get(keyword)
    return cast("Sequence[Any]", listed) if isinstance(listed, list | tuple) else ()


def _defaults(question: Question) -> dict[str, Any]:
    fields: Mapping[str, Any] = question.schema.get("properties", {})
    own = {
        name: cast("Mapping[str, Any]", field)["default"]
        for name, field in fields.items()
        if isinstance(field, Mapping) and "default" in field
    }
    return {**own, **question.defaults}


def _faults(error: "ValidationError") -> Iterator[tuple[str, str]]:
    """Yield an error's field and fault."""
    path = [str(part) for part in error.absolute_path]
    where = ".".join(path) or "answer"
    fault: Any = error
    instance, expected = fault.instance, fault.validator_value
    match error.validator:
        case "required" if expected is not True:  # which is how the oldest draft says it of one field
            # The library names one missing field in each error's words, and in none of its attributes.
            name = next(name for name in expected if name not in instance and repr(name) in error.message)
            yield ".".join([*path, name]), "Field required"
        case "additionalProperties" if isinstance(instance, Mapping):
            known: Any = fault.schema.get("properties", {})
            for name in map(str, fault.instance):
                if name not in known:
                    yield ".".join([*path, name]), "there is no such field"
        case "format" if expected == "date":
            yield where, "should be a date, such as 2026-12-10"
        case "enum" | "const" | "oneOf" | "anyOf":
            yield where, "is none of the choices"
        case "minLength" if not instance:
            yield where, "Field required"
        case "type" if isinstance(expected, str):
            yield where, _TYPES.get(expected) or _shortened(error.message)
        case _:
            yield where, _shortened(error.message)


def _shortened(message: str) -> str:
    return message if len(message) <= LONGEST_FAULT else f"{message[:LONGEST_FAULT]}..."
