"""What LangGraph's clients send; an error names the field."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import orjson
from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from ...domain.errors import BadInput, DetourError, NotFound
from ...domain.task import Policy
from ...http.edge.refusals import note_input, reply_headers
from ...http.routes.calls import Endpoint
from ...http.wire.bodies import is_user_id, json_response
from ...http.wire.requests import MessageText, checked_policy
from ..bodies import object_in, read_json
from ..threads import client_id_of
from .messages import SentMessage, sent_message

Strategy = Literal["interrupt", "enqueue", "reject", "rollback"]

_POLICIES: Mapping[Strategy, Policy] = {
    "interrupt": "interrupt",
    "enqueue": "enqueue",
    "reject": "reject",
    "rollback": "interrupt",
}

POLICY = "detour_policy"
"""In a run's metadata or `configurable`: its policy. `multitask_strategy` has no word for `steer`."""

DEFAULT_MODES = ("values",)
MODES = frozenset(
    {
        "values", "updates", "messages", "messages-tuple", "custom", "debug", "tasks", "checkpoints",
        "events", "tools", "lifecycle",
    }
)  # fmt: skip
"""Nothing is ever sent of the last line: clients ask for these along with others."""

MOST_METADATA_BYTES = 16 * 1024
"""Of a thread's metadata, and of a run's: both are read and written with each run."""

MOST_STEPS = 100_000
"""Of a run, as `config.recursion_limit`: some ten times the 10,007 that LangGraph allows by default."""

LONGEST_WAIT_S = 7 * 24 * 3600
"""Until a run begins, as `after_seconds`: its conversation stays in memory until then."""

_WITHOUT_EFFECT = (
    "stream_resumable",
    "checkpoint_during",
    "feedback_keys",
    "langsmith_tracer",
)
"""Fields of a run that the SDK sends and that change nothing here; `docs/protocols.md` says why."""

_FIELDS = frozenset(
    {
        "assistant_id", "input", "command", "config", "context", "metadata", "checkpoint", "checkpoint_id",
        "stream_mode", "multitask_strategy", "on_disconnect", "on_completion", "if_not_exists", "durability",
        "interrupt_before", "interrupt_after", "stream_subgraphs", "strict_resume", "webhook",
        "after_seconds", *_WITHOUT_EFFECT,
    }
)  # fmt: skip
_OWN_CONFIGURABLE = ("__", "checkpoint", "langgraph_", "x-")
"""Beginnings of names in `configurable` that are the SDK's own, and no part of a graph's configuration."""

_text = TypeAdapter[str](MessageText)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """The body of a request for a run.

    `text` is None if it has no message, which was sent in `text_field`, and its id in `id_field`; `content`
    is what comes with it for its graph. `resume` is None if it resumes
    nothing; the answer to a question of `resume_fields` was sent in another field than `command.resume`.
    With `subgraphs` its streams show what graphs within say and call. `goes_on` if its input is null: the
    thread goes on from where its last run failed, or from a state that a client wrote. `moves` are the `goto`
    and the `update` of its command, if any, `breakpoints` the nodes before and after which it stops, or "*".
    `fields` are the other fields of its input. `policy`
    is what it does while another run is under way, None if neither the body nor the request's header says
    so; `strategy` is the API's own word for it.
    """

    assistant_id: str | None
    text: str | None
    message_id: str | None
    id_field: str
    text_field: str
    content: Mapping[str, Any]
    resume: Any
    modes: tuple[str, ...]
    policy: Policy | None
    strategy: Strategy | None
    cancels_on_disconnect: bool
    creates_thread: bool
    keeps_thread: bool
    metadata: Mapping[str, Any]
    names_checkpoint: bool
    checkpoint_id: str | None
    goes_on: bool = False
    moves: Mapping[str, Any] = field(default_factory=dict[str, Any])
    breakpoints: Mapping[str, Any] = field(default_factory=dict[str, Any])
    subgraphs: bool = False
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    context: Mapping[str, Any] = field(default_factory=dict[str, Any])
    configurable: Mapping[str, Any] = field(default_factory=dict[str, Any])
    recursion_limit: int | None = None
    webhook: str | None = None
    after_s: float | None = None
    resume_fields: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def rolls_back(self) -> bool:
        """Whether the run that it interrupts is shown no more."""
        return self.strategy == "rollback" and self.policy == "interrupt"


def thread_id_of(request: Request) -> str:
    """Return the thread that a path names. Raises `BadInput` for what can be no thread's id."""
    thread_id = request.path_params["thread_id"]
    return checked_thread_id(thread_id)


def checked_thread_id(thread_id: Any) -> str:
    """Return a thread's id. Raises `BadInput` for what can be none."""
    if not isinstance(thread_id, str) or not is_user_id(thread_id):
        raise BadInput(
            "thread_id: it must be a UUID, or 1 to 64 letters, digits and `._@-`, a letter or digit first."
        )
    return thread_id


async def body_of(request: Request) -> Mapping[str, Any]:
    """Return a body's object, an empty one for an empty body. Raises `BadInput`."""
    body = await read_json(request)
    if body is not None and not isinstance(body, dict):
        raise BadInput("The body: it should be an object.")
    return object_in(body)


def run_request(body: Mapping[str, Any], header: Policy | None = None) -> RunRequest:
    """Read a request for a run, whose header may name a policy. Raises `BadInput`."""
    for name, value in body.items():
        if name not in _FIELDS and value is not None:
            raise BadInput(f"{name}: a run has no such field.")
    _choice(body, "durability", (None, "sync", "async", "exit"))  # each step is stored, whatever it says
    own, limit = config_of(body)
    command = mapping(body, "command")
    moves = {name: command[name] for name in ("goto", "update") if command.get(name)}
    if moves and command.get("resume") is not None:
        raise BadInput(f"command.{min(moves)}: a run that resumes takes nothing beside the answer.")
    checkpoint = mapping(body, "checkpoint")
    message = sent_message(body.get("input"))
    if message is None and "resume" in command and command["resume"] is None:
        raise BadInput("command.resume: it is null, which answers nothing; send the answer to the question.")
    configurable = mapping(mapping(body, "config"), "configurable", within="config.")
    given = body.get("input")
    metadata = metadata_of(body)
    strategy: Strategy | None = _choice(body, "multitask_strategy", (None, *_POLICIES))
    after_s = _after_s(body)
    policy = (
        checked_policy(metadata.get(POLICY), f"metadata.{POLICY}")
        or checked_policy(configurable.get(POLICY), f"config.configurable.{POLICY}")
        or (_POLICIES[strategy] if strategy is not None else header)
    )
    if after_s is not None:
        if "resume" in command:
            raise BadInput("after_seconds: an answer begins its run at once.")
        # It waits like a queued run.
        policy, strategy = ("reject" if policy == "reject" else "enqueue"), None
    return RunRequest(
        assistant_id=text(body, "assistant_id"),
        text=None if message is None else _checked_text(message),
        message_id=client_id_of(message.message_id) if message is not None and message.message_id else None,
        id_field=message.id_field if message is not None else "",
        text_field=message.field if message is not None else "",
        content=message.content if message is not None else {},
        fields=cast("Mapping[str, Any]", given) if isinstance(given, Mapping) else {},
        resume=command.get("resume"),
        modes=stream_modes(body.get("stream_mode")) or DEFAULT_MODES,
        policy=policy,
        strategy=strategy,
        cancels_on_disconnect=_choice(body, "on_disconnect", ("continue", "cancel")) == "cancel",
        creates_thread=_choice(body, "if_not_exists", ("reject", "create")) == "create",
        keeps_thread=_choice(body, "on_completion", ("delete", "keep", "complete")) == "keep",
        metadata=metadata,
        names_checkpoint=bool(checkpoint) or bool(body.get("checkpoint_id")),
        subgraphs=body.get("stream_subgraphs") is True,
        goes_on=given is None and not command,
        moves=moves,
        breakpoints={name: _nodes(body, name) for name in BREAKPOINTS if body.get(name)},
        checkpoint_id=text(body, "checkpoint_id") or text(checkpoint, "checkpoint_id", within="checkpoint."),
        context=mapping(body, "context"),
        configurable=own,
        recursion_limit=limit,
        webhook=text(body, "webhook") or None,
        after_s=after_s,
    )


def config_of(body: Mapping[str, Any]) -> tuple[Mapping[str, Any], int | None]:
    """Return what a body's `config` has for its graph, and its `recursion_limit`. Raises `BadInput`."""
    config = mapping(body, "config")
    own = mapping(config, "configurable", within="config.")
    for_graph = {
        name: value
        for name, value in own.items()
        if name not in {"thread_id", "user_id", "run_id", "assistant_id", "graph_id", POLICY}
        and not name.startswith(_OWN_CONFIGURABLE)
    }
    return for_graph, _recursion_limit(config)


FURTHEST = 10**9
"""The furthest that a client may skip to."""


BREAKPOINTS = ("interrupt_before", "interrupt_after")


def _nodes(body: Mapping[str, Any], name: str) -> str | list[str]:
    """Return the nodes of a breakpoint, "*" for all of them. Raises `BadInput`."""
    return "*" if body.get(name) in ("*", ["*"]) else [*(names(body, name) or ())]


def stream_modes(wanted: Any) -> tuple[str, ...]:
    """Return stream modes, none if none are named. Raises `BadInput` for unknown ones."""
    names: list[Any] = [wanted] if isinstance(wanted, str) else wanted or []
    if not isinstance(names, list):
        raise BadInput("stream_mode: it should be text or a list.")
    for name in names:
        if not isinstance(name, str) or (name and name not in MODES):
            raise BadInput(f"stream_mode: there is no mode {name!r}; there are: {', '.join(sorted(MODES))}.")
    return tuple(dict.fromkeys(name for name in names if name))


def metadata_of(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the metadata in a body. Raises `BadInput`."""
    metadata = mapping(body, "metadata")
    if size_of(metadata) > MOST_METADATA_BYTES:
        raise metadata_too_large()
    return metadata


LONGEST_TTL = 60 * 24 * 365 * 100
"""Of a thread, in minutes: a hundred years."""


def ttl_of(body: Mapping[str, Any]) -> float | None:
    """Return how many minutes a thread is to live, None if a body does not say it. Raises `BadInput`."""
    given: Any = body.get("ttl")
    if given is None:
        return None
    ttl = cast("Mapping[str, Any]", given) if isinstance(given, Mapping) else {"ttl": given}
    if ttl.get("strategy") not in (None, "delete"):
        raise BadInput("ttl.strategy: it should be delete; only the last 200 steps are kept anyhow.")
    minutes: Any = ttl.get("ttl")
    if not isinstance(minutes, int | float) or isinstance(minutes, bool) or not 0 < minutes <= LONGEST_TTL:
        raise BadInput(f"ttl.ttl: it should be minutes, more than 0 and at most {LONGEST_TTL}.")
    return float(minutes)


def size_of(metadata: Mapping[str, Any]) -> int:
    """Return how many bytes metadata has as JSON."""
    return len(orjson.dumps(metadata))


def metadata_too_large() -> BadInput:
    """Return the error for metadata of more than `MOST_METADATA_BYTES`."""
    return BadInput(f"metadata: all of it may have at most {MOST_METADATA_BYTES} bytes.")


def mapping(body: Mapping[str, Any], name: str, *, within: str = "") -> Mapping[str, Any]:
    """Return an object in a body, an empty one if it is missing or null. Raises `BadInput`."""
    value = body.get(name)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise BadInput(f"{within}{name}: it should be an object.")
    return cast("Mapping[str, Any]", value)


def text(body: Mapping[str, Any], name: str, *, within: str = "") -> str | None:
    """Return text in a body, None if it is missing or null. Raises `BadInput`."""
    value = body.get(name)
    if value is not None and not isinstance(value, str):
        raise BadInput(f"{within}{name}: it should be text.")
    return value


def number(values: Mapping[str, Any], name: str, default: int, *, most: int = 1000) -> int:
    """Return a number in a body or a query, between 0 and `most`. Raises `BadInput`."""
    value = values.get(name)
    if value is None or value == "":
        return default
    digits = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 18
    found = int(value) if digits else value
    if not isinstance(found, int) or isinstance(found, bool) or found < 0:
        raise BadInput(f"{name}: it should be a whole number, and not negative.")
    return min(found, most)


def names(body: Mapping[str, Any], name: str, *, most: int | None = None) -> Sequence[str] | None:
    """Return a list of texts in a body, None if it is missing or null. Raises `BadInput`."""
    value = body.get(name)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(each, str) for each in cast("list[Any]", value)):
        raise BadInput(f"{name}: it should be a list of texts.")
    found = cast("list[str]", value)
    if most is not None and len(found) > most:
        raise BadInput(f"{name}: it may have at most {most} entries.")
    return found


def truth(values: Mapping[str, Any], name: str) -> bool:
    """Return whether a query says yes."""
    return str(values.get(name) or "").lower() in {"1", "true", "yes"}


def unknown_thread(thread_id: str) -> NotFound:
    """Return the error for a thread that nobody has made or used."""
    return NotFound(f"There is no thread {thread_id!r}.", code="unknown_thread")


def unknown_run(run_id: str) -> NotFound:
    """Return the error for a run that the thread does not have."""
    return NotFound(f"There is no run {run_id!r} in this thread.", code="unknown_run")


def _checked_text(message: SentMessage) -> str:
    if not message.text.strip():
        raise BadInput(f"{message.field}: it has no text.")
    try:
        return _text.validate_python(message.text)
    except ValidationError as error:
        raise BadInput(f"{message.field}: {error.errors()[0]['msg']}.") from None


def _recursion_limit(config: Mapping[str, Any]) -> int | None:
    limit = config.get("recursion_limit")
    if limit is None:
        return None
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MOST_STEPS:
        raise BadInput(f"config.recursion_limit: it should be a whole number from 1 to {MOST_STEPS}.")
    return limit


def _after_s(body: Mapping[str, Any]) -> float | None:
    seconds: Any = body.get("after_seconds")
    if seconds is None or seconds == 0:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= LONGEST_WAIT_S:
        raise BadInput(f"after_seconds: it should be a number from 0 to {LONGEST_WAIT_S}.")
    return float(seconds)


def _choice(body: Mapping[str, Any], name: str, among: Sequence[Any]) -> Any:
    """Return one of some texts in a body, by default the first."""
    value = body.get(name)
    if value is None:
        return among[0]
    if value not in among:
        raise BadInput(f"{name}: it should be one of: {', '.join(filter(None, among))}.")
    return value


# --- errors --------------------------------------------------------------------------------------------


class NotImplementedHere(DetourError):
    """The LangGraph API has it, and this server does not."""

    code = "not_implemented"
    status_code = 501


def error_body(error: DetourError) -> Mapping[str, Any]:
    """Return an error as LangGraph's clients read it, and in the contract's form beside that."""
    return {"detail": error.message, **error.to_json()}


def error_response(error: DetourError) -> Response:
    """Return the response for an error."""
    note_input(error)
    return json_response(error_body(error), status=error.status_code, headers=reply_headers(error))


def not_implemented(what: str) -> Endpoint:
    """Return the endpoint of a call that this server does not have."""

    async def endpoint(_request: Request) -> Response:
        raise NotImplementedHere(f"This server has no {what}.")

    return endpoint
