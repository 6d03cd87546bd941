"""Recognises an interrupt that asks for decisions on actions, in the shapes that ordinary graphs use.

The shapes are those of LangChain's `human_in_the_loop` middleware and of Agent Inbox's published schema. A
value that only resembles one of them is an ordinary question.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import orjson

from ..domain.encoding import encode
from ..domain.inputs import Question
from ..domain.reviews import AGENT_INBOX, LANGCHAIN, Action, Decision, Review
from ..tasks.reviewing import defaults_of, form_of

_ALLOWANCES: Mapping[str, str] = {
    "accept": "allow_accept",
    "edit": "allow_edit",
    "response": "allow_respond",
    "ignore": "allow_ignore",
}


def review_question(value: Any, response_schema: Any, *, agent: str) -> Question | None:
    """Return the question that asks for decisions, None if the value has none of the shapes.

    Raises `TypeError` for arguments without a JSON form.
    """
    asked = _requests(value)
    if asked is None:
        return None
    requests, review = asked
    if isinstance(response_schema, Mapping):
        schema = cast("Mapping[str, Any]", response_schema)
        decisions = _of_schema(schema)
        actions = [_with_decisions(each, decisions) for each in review.actions]
        review = Review(shape=review.shape, actions=tuple(actions), schema=schema)
    if not all(each.decisions for each in review.actions):
        return None
    told = zip(requests, review.actions, strict=True)
    return Question(
        agent=agent,
        prompt="\n\n".join(_told(request, action) for request, action in told),
        schema=form_of(review),
        defaults=defaults_of(review),
        bare=True,
        review=review,
    )


def _requests(value: Any) -> tuple[Sequence[Mapping[str, Any]], Review] | None:
    given = _mapping(value)
    if given.get("type") == "tool_approval" and _names_action(given, "name"):
        action = _action(given, "name", (*LANGCHAIN.values(),))
        return [given], Review(shape="decision", actions=(action,))
    requests: Any = given.get("action_requests")
    configs: Any = given.get("review_configs")
    if _is_list(requests) and _is_list(configs):
        if not all(_names_action(each, "name") for each in requests):
            return None
        allowed = [_allowed(each["name"], number, configs) for number, each in enumerate(requests)]
        actions = [
            _action(each, "name", decisions) for each, decisions in zip(requests, allowed, strict=True)
        ]
        return requests, Review(shape="decisions", actions=tuple(actions))
    # Agent Inbox's own examples hand over one request, or a list of one, and index the answer alike.
    requests = [value] if given else value
    if _is_list(requests) and all(_is_inbox_request(each) for each in requests):
        actions = [_action(each["action_request"], "action", _configured(each)) for each in requests]
        return requests, Review(shape="responses", actions=tuple(actions))
    return None


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and len(cast("Sequence[Any]", value)) > 0


def _mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping as it is, and an empty one in place of anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _names_action(request: Any, name: str) -> bool:
    given = _mapping(request)
    return isinstance(given.get(name), str) and isinstance(given.get("args"), Mapping)


def _is_inbox_request(request: Any) -> bool:
    given = _mapping(request)
    return isinstance(given.get("config"), Mapping) and _names_action(given.get("action_request"), "action")


def _action(request: Mapping[str, Any], name: str, decisions: Iterable[Decision]) -> Action:
    # Through JSON and back, as all that is asked: a restart reads JSON.
    arguments: dict[str, Any] = orjson.loads(encode(request["args"]))
    return Action(name=request[name], arguments=arguments, decisions=tuple(dict.fromkeys(decisions)))


def _allowed(name: str, number: int, configs: Sequence[Any]) -> list[Decision]:
    """Return the decisions on a request: the middleware lists its configurations in the requests' order."""
    own = _mapping(configs[number]) if number < len(configs) else _mapping(None)
    if own.get("action_name") != name:
        own = next(
            (each for each in map(_mapping, configs) if each.get("action_name") == name), _mapping(None)
        )
    words: Any = own.get("allowed_decisions")
    return [LANGCHAIN[word] for word in words if word in LANGCHAIN] if _is_list(words) else []


def _configured(request: Mapping[str, Any]) -> list[Decision]:
    config: Mapping[str, Any] = request["config"]
    return [AGENT_INBOX[word] for word, allowed in _ALLOWANCES.items() if config.get(allowed)]


def _of_schema(schema: Mapping[str, Any]) -> list[Decision]:
    """Return the decisions that the schema of one decision has a branch for, or is the only branch of."""
    shared: Mapping[str, Any] = schema.get("$defs", {})
    branches: Sequence[Mapping[str, Any]] = schema.get("oneOf", [schema])
    words: list[str] = []
    for branch in branches:
        whole = shared.get(str(branch.get("$ref", "")).removeprefix("#/$defs/"), branch)
        words.append(whole.get("properties", {}).get("type", {}).get("const", ""))
    return [LANGCHAIN[word] for word in words if word in LANGCHAIN]


def _with_decisions(action: Action, decisions: Iterable[Decision]) -> Action:
    return Action(name=action.name, arguments=action.arguments, decisions=tuple(decisions))


def _told(request: Mapping[str, Any], action: Action) -> str:
    """Return what is shown of a request: nobody should allow what the words of a graph leave out."""
    description = request.get("description")
    words = description.strip() if isinstance(description, str) else ""
    arguments = request.get("action_request", request)["args"]
    # LangChain's own description has both, the arguments as Python writes them.
    if action.name in words and str(arguments) in words:
        return words
    return f"{words}\n{action.name}: {encode(action.arguments).decode()}".strip()
