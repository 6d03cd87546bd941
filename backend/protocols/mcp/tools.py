"""The tools of the server, one for each agent: how clients see them, and what a call of one says."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from ...domain.errors import BadInput
from ...http.services import Services
from ...http.wire.requests import MessageText
from ..bodies import object_in
from ..threads import Agents

Json = Mapping[str, Any]

MESSAGE, ANSWER, THREAD = "message", "answer", "thread_id"

INSTRUCTIONS = (
    "Each tool is an agent. A call sends it a message and returns its reply, with what it found. It may ask "
    "its user: answer with the next call, by `message` or by `answer`. A cancelled call stops the agent; "
    "what it had found is kept, and the next call of the conversation goes on from there."
)

_TRAVEL = (
    "Searches flights, hotels, activities and transfers, plans trips and books, with the user's permission."
)

_OWN: Mapping[str, Json] = {
    MESSAGE: {
        "type": "string",
        "description": "What the user says to the agent; needed unless there is an `answer`.",
    },
    ANSWER: {
        "description": "The answer to the question that the agent has asked in this conversation: the fields "
        "of its schema as an object, or the value of its only field; of a permission, allow or deny.",
    },
    THREAD: {
        "type": "string",
        "description": "The conversation to go on with, as an earlier result names it; without it that of "
        "the session, or a new one.",
    },
}

_OUTPUT: Json = {
    "type": "object",
    "properties": {
        "thread_id": {"type": "string", "description": "The conversation, for the next call."},
        "run_id": {"type": "string"},
        "status": {
            "type": "string",
            "enum": ["success", "error", "interrupted", "timeout", "input_required"],
        },
        "reason": {"type": "string", "description": "Why it was interrupted."},
        "reply": {"type": "string"},
        "partial_results": {"type": "object", "description": "What was found, by agent."},
        "left_out": {"type": "integer", "description": "How many results are left out, to be short."},
        "questions": {
            "type": "array",
            "items": {"type": "object"},
            "description": "What the agent asks its user, each with the JSON Schema of its answer.",
        },
        "receipt": {
            "type": "object",
            "description": "The outcome of each tool call of what was interrupted.",
        },
        "interrupted": {
            "type": "array",
            "items": {"type": "object"},
            "description": "What was interrupted just before this, with its results and its receipt.",
        },
    },
    "required": ["thread_id", "run_id", "status"],
}

_NAME = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME = 64

_text = TypeAdapter[str](MessageText)


class Arguments(NamedTuple):
    """What a call says: a message, or the `answer` to a question; and more input of the graph."""

    text: str | None
    answer: Any
    has_answer: bool
    thread_id: str | None
    given: Json


class Tools:
    """The tools, by name: that of their agent, where other characters than `A-Za-z0-9_-` are `_`."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self.agents = Agents(services)
        self._agents: dict[str, str] = {}
        for agent in self.agents.names:
            name = plain = _NAME.sub("_", agent)[:_LONGEST_NAME] or "agent"
            number = 1
            while name in self._agents:
                number += 1
                name = f"{plain[: _LONGEST_NAME - 4]}_{number}"
            self._agents[name] = agent

    def agent_of(self, name: Any) -> str | None:
        """Return the agent of a tool, None if there is no such tool."""
        return self._agents.get(name)

    def listed(self) -> Sequence[Json]:
        """Return all tools, as a client lists them."""
        return [self._view(name, agent) for name, agent in self._agents.items()]

    def read(self, agent: str, arguments: Json) -> Arguments:
        """Return what a call says to an agent. Raises `BadInput`, which names the argument."""
        own = self._fields(agent)
        unknown = sorted({*arguments} - {*_OWN, *own})
        if unknown:
            raise BadInput.of_fields(
                (unknown[0], f"there is no such argument; there are: {', '.join([*_OWN, *own])}")
            )
        thread_id = arguments.get(THREAD)
        if thread_id is not None and not (isinstance(thread_id, str) and thread_id):
            raise BadInput.of_fields((THREAD, "should be text that is not empty"))
        has_answer = ANSWER in arguments
        if has_answer and MESSAGE in arguments:
            raise BadInput.of_fields(
                (ANSWER, "should come without a message, which may be an answer by itself")
            )
        if not has_answer and MESSAGE not in arguments:
            raise BadInput.of_fields((MESSAGE, "it is missing"))
        further = {name: value for name, value in arguments.items() if name not in _OWN}
        if has_answer and further:
            raise BadInput.of_fields((next(iter(further)), "should come with a message"))
        given = {**self.agents.given_for(agent), **({"input": further} if further else {})}
        text = None if has_answer else _message(arguments[MESSAGE])
        return Arguments(text, arguments.get(ANSWER), has_answer, thread_id, given)

    def _view(self, name: str, agent: str) -> Json:
        fields = {**_OWN, **{key: value for key, value in self._fields(agent).items() if key not in _OWN}}
        schema: dict[str, Any] = {"type": "object", "properties": fields, "additionalProperties": False}
        if (named := self._input(agent).get("$defs")) is not None:
            schema["$defs"] = named
        about = self._about(agent) or f"Sends a message to the agent {agent}."
        return {
            "name": name,
            "title": agent,
            "description": f"{about} Returns its reply and what it found.",
            "inputSchema": schema,
            "outputSchema": _OUTPUT,
        }

    def _about(self, agent: str) -> str:
        served = self._services.graphs
        return _TRAVEL if served is None else str(self._graph(agent)["description"])

    def _fields(self, agent: str) -> Json:
        """Return the JSON Schemas of the fields that a message may bring for the graph of an agent."""
        return object_in(self._input(agent).get("properties"))

    def _input(self, agent: str) -> Json:
        return {} if self._services.graphs is None else object_in(self._graph(agent)["input"])

    def _graph(self, agent: str) -> Json:
        served, own = self._services.graphs, self.agents.graph_of(agent)
        return next(each for each in (served.views() if served is not None else ()) if each["name"] == own)


def _message(text: Any) -> str:
    try:
        return _text.validate_python(text)
    except ValidationError as error:
        raise BadInput.of_fields((MESSAGE, error.errors()[0]["msg"])) from None
