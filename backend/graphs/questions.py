"""Turns what a graph pauses with into the question that its user is asked.

Whatever a node hands to `interrupt()` becomes a question. A mapping may have a `prompt`, a `schema` (the JSON
Schema of an object) and `defaults`; any other value is the prompt. Nodes that others wrote call the prompt
otherwise (`OTHER_PROMPT_KEYS`), and hand over more, which follows it. With a schema the node gets the whole
answer, otherwise any JSON. LangGraph's own `response_schema` counts as the schema. What asks for
decisions on actions is recognised by `asked_reviews`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from langgraph.types import Interrupt

from ..domain.encoding import encode
from ..domain.inputs import BARE_FIELD, DECISION_SCHEMA, Question
from ..errors import GraphFailedError
from ..tasks.input_schema import schema_fault
from .asked_reviews import review_question

TEXT: Mapping[str, Any] = {"type": "string", "title": "Answer", "minLength": 1}


OTHER_PROMPT_KEYS = ("question", "query", "message", "instruction", "instructions")
"""The keys that may hold the prompt of a mapping without a `prompt`; the first that holds text counts."""

_TAKEN = {"schema", "defaults", "agent"}


def question_of(interrupt: Interrupt, *, agent: str) -> Question:
    """Return the question that an interrupt asks. Raises `GraphFailedError` if its value makes none."""
    try:
        question = review_question(interrupt.value, interrupt.response_schema, agent=agent)
        question = question or _plain_question(interrupt, agent)
    except TypeError as error:
        raise GraphFailedError(f"The node {agent!r} asked what has no JSON form: {error}.") from error
    own = question.review.schema if question.review is not None else None
    fault = schema_fault(question.schema) or (schema_fault(own) if own is not None else None)
    if fault is not None:
        raise GraphFailedError(f"The node {agent!r} asked with what is no JSON Schema: {fault}.")
    return question


def breakpoint_question(nodes: Sequence[str], state: Any) -> Question:
    """Return the question whether a graph that stopped before these nodes shall run them.

    `state` is the graph's: the tool calls that its last message asks for are the facts.
    """
    return Question(
        agent=nodes[0],
        prompt=f"Go on with {' and '.join(dict.fromkeys(nodes))}?",
        schema=DECISION_SCHEMA,
        facts=_open_calls(state),
    )


def _open_calls(state: Any) -> dict[str, Any]:
    values: Mapping[str, Any] = state if isinstance(state, Mapping) else {}  # pyright: ignore[reportUnknownVariableType]
    messages: Any = values.get("messages")
    last: Any = messages[-1] if messages else None
    calls: Any = getattr(last, "tool_calls", ())
    try:
        facts = {f"{number}. {call['name']}": call["args"] for number, call in enumerate(calls, 1)}
        return orjson.loads(encode(facts))
    except TypeError:
        return {}  # arguments without a JSON form are only left out of what is shown


def _plain_question(interrupt: Interrupt, agent: str) -> Question:
    value: Any = interrupt.value
    given: dict[str, Any] = {**value} if isinstance(value, Mapping) else {}
    asked_for: Any = given.get("schema") or interrupt.response_schema
    has_schema = isinstance(asked_for, Mapping)
    schema: dict[str, Any] = {**asked_for} if has_schema else {**TEXT}
    bare = schema.get("type", "object") != "object"
    values: dict[str, Any] = {
        "agent": str(given.get("agent") or agent),
        "prompt": _prompt(value, given),
        "schema": _of_one_field(schema) if bare else schema,
        "defaults": given.get("defaults") or {},
        "bare": bare,
        "any_json": not has_schema,
    }
    # Through JSON and back: the node may change what it handed over, and a restart reads JSON.
    return Question(**orjson.loads(encode(values)))


def _prompt(value: Any, given: Mapping[str, Any]) -> str:
    if "prompt" in given:
        return _as_text(given["prompt"])
    key = next((each for each in OTHER_PROMPT_KEYS if isinstance(given.get(each), str) and given[each]), None)
    if key is None:
        return _as_text("Please fill this in." if "schema" in given else value)
    more = (f"{name}: {_as_text(each)}" for name, each in given.items() if name not in {key, *_TAKEN})
    return "\n".join((given[key], *more))


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else encode(value).decode()


def _of_one_field(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object whose only field has this schema."""
    field = {name: part for name, part in schema.items() if name != "$defs"}
    shared = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    return {
        "type": "object",
        "properties": {BARE_FIELD: field},
        "required": [BARE_FIELD],
        "additionalProperties": False,
        **shared,
    }
