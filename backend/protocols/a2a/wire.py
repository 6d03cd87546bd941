"""Reads JSON-RPC calls in A2A's versions 1.0 and 0.3, which differ in the names of methods and of parts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple, cast

from pydantic import TypeAdapter, ValidationError
from starlette.datastructures import Headers

from ...domain.errors import BadInput
from ...domain.task import Policy
from ...http.wire.requests import MessageText, checked_policy, policy_in
from ..bodies import object_in
from ..content import Content, content_of, media_block
from ..threads import client_id_of

Json = Mapping[str, Any]

_message_text = TypeAdapter[str](MessageText)

METHODS: Mapping[str, tuple[str, bool]] = {
    "SendMessage": ("send", False),
    "SendStreamingMessage": ("stream", False),
    "GetTask": ("get", False),
    "ListTasks": ("list", False),
    "CancelTask": ("cancel", False),
    "SubscribeToTask": ("subscribe", False),
    "message/send": ("send", True),
    "message/stream": ("stream", True),
    "tasks/get": ("get", True),
    "tasks/cancel": ("cancel", True),
    "tasks/resubscribe": ("subscribe", True),
}
"""By its name, what a method does, and whether it is one of version 0.3, which lists no tasks by JSON-RPC."""

STATES = (
    "SUBMITTED",
    "WORKING",
    "COMPLETED",
    "FAILED",
    "CANCELED",
    "INPUT_REQUIRED",
    "REJECTED",
    "AUTH_REQUIRED",
)
"""The states that A2A knows; no task here is rejected, or needs another sign-in."""

MOST_LISTED = 100
LISTED = 50
"""Tasks on a page, at most and by default."""

_PUSH = ("PushNotificationConfig", "tasks/pushNotificationConfig/")


class Rejected(Exception):
    """A call that is refused with an error of JSON-RPC or of A2A."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Call(NamedTuple):
    """A call: `does` is one of the values in `METHODS`, `call_id` goes back with the answer."""

    call_id: Any
    does: str
    is_old: bool
    params: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message of the user, or with a `request_id` the answer to a question, as its form takes it."""

    text: str
    content: Json
    client_id: str | None
    context_id: str | None
    task_id: str | None
    policy: Policy | None
    waits: bool
    request_id: str | None = None
    answer: Any = None


def id_in(body: Any) -> Any:
    """Return the id of a call, None if it has none that can be sent back."""
    call_id = object_in(body).get("id")
    return call_id if isinstance(call_id, str | int) and not isinstance(call_id, bool) else None


def read_call(body: Any) -> Call:
    """Return a call. Raises `Rejected`."""
    fields = object_in(body)
    method = fields.get("method")
    if fields.get("jsonrpc") != "2.0" or not isinstance(method, str):
        raise Rejected(-32600, "It is no call of JSON-RPC 2.0; batches are not taken.")
    if method not in METHODS:
        if method.endswith(_PUSH[0]) or method.startswith(_PUSH[1]):
            raise Rejected(-32003, "There are no push notifications.")
        raise Rejected(-32601, f"There is no method {method!r:.100}.")
    does, is_old = METHODS[method]
    return Call(id_in(body), does, is_old, object_in(fields.get("params")))


def read_task_id(params: Json) -> str:
    """Return the task that a call is about. Raises `BadInput`."""
    return _text(params, "id", "id") or _missing("id")


def read_length(params: Json, field: str = "historyLength") -> int | None:
    """Return how many messages of a task's history are wanted, None for all. Raises `BadInput`."""
    length = params.get(field.rpartition(".")[2])
    if length is None or (isinstance(length, int) and not isinstance(length, bool) and length >= 0):
        return length
    raise BadInput.of_fields((field, "should be a number, 0 or more"))


class Listing(NamedTuple):
    """Which tasks are listed: of a context, in a state, changed at `since` or later; None for all.

    `after` is the time and the id of the last task of the page before.
    """

    context_id: str | None
    state: str | None
    since: datetime | None
    after: tuple[str, str] | None
    page_size: int
    history: int | None
    has_artifacts: bool


def read_listing(params: Json) -> Listing:
    """Return which tasks a call lists. Raises `BadInput`."""
    state = (_text(params, "status", "status") or "").removeprefix("TASK_STATE_")
    if state not in {"", "UNSPECIFIED", *STATES}:
        raise BadInput.of_fields(("status", "should be a state of tasks"))
    size = params.get("pageSize", LISTED)
    if not isinstance(size, int) or isinstance(size, bool) or not 1 <= size <= MOST_LISTED:
        raise BadInput.of_fields(("pageSize", f"should be a number from 1 to {MOST_LISTED}"))
    artifacts = params.get("includeArtifacts", False)
    if not isinstance(artifacts, bool):
        raise BadInput.of_fields(("includeArtifacts", "should be true or false"))
    token = _text(params, "pageToken", "pageToken")
    at, _, task_id = (token or "").partition("_")
    if token is not None and not task_id:
        raise BadInput.of_fields(("pageToken", "should be the nextPageToken of the page before"))
    return Listing(
        context_id=_text(params, "contextId", "contextId"),
        state=state if state in STATES else None,
        since=_time(params, "statusTimestampAfter"),
        after=None if token is None else (at, task_id),
        page_size=size,
        history=read_length(params),
        has_artifacts=artifacts,
    )


def read_message(params: Json, headers: Headers) -> Message:
    """Return the message of a call. Raises `BadInput`."""
    message = object_in(params.get("message"))
    parts = message.get("parts")
    if message.get("role") not in ("ROLE_USER", "user"):
        raise BadInput.of_fields(("message.role", "should be the user's"))
    if not isinstance(parts, list) or not parts:
        raise BadInput.of_fields(("message.parts", "should be a list of parts"))
    read = [object_in(each) for each in cast("list[Any]", parts)]
    configuration = object_in(params.get("configuration"))
    policy = object_in(message.get("metadata")).get("detour_policy")
    policy = checked_policy(policy, "message.metadata.detour_policy") or policy_in(headers)
    if policy == "steer":
        raise BadInput.of_fields(("message.metadata.detour_policy", "steer is not served here"))
    named = _text(message, "messageId", "message.messageId")
    given = next((each["data"] for each in read if object_in(each.get("data")).get("request_id")), None)
    content = Content("") if given is not None else _content_of(read)
    return Message(
        text=content.text,
        content=content.given,
        client_id=client_id_of(named) if named else None,
        context_id=_text(message, "contextId", "message.contextId"),
        task_id=_text(message, "taskId", "message.taskId"),
        policy=policy,
        waits=configuration.get("returnImmediately") is not True
        and configuration.get("blocking") is not False,
        request_id=None if given is None else str(given["request_id"]),
        answer=None if given is None else given.get("decision", given.get("answer")),
    )


def _content_of(parts: list[Json]) -> Content:
    blocks = [_block(each, f"message.parts[{number}]") for number, each in enumerate(parts)]
    content = content_of(blocks, "message.parts", joined_by="\n")
    try:
        return content._replace(text=_message_text.validate_python(content.text))
    except ValidationError as error:
        raise BadInput.of_fields(("message.parts", error.errors()[0]["msg"])) from None


def _block(part: Json, field: str) -> Json:
    if isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    file = object_in(part.get("file")) or part
    url, data = file.get("uri") or file.get("url"), file.get("bytes") or file.get("raw")
    if not isinstance(url or data, str):
        fault = "should be text, a file, or data with the request_id of a question and an answer"
        raise BadInput.of_fields((field, fault))
    mime_type = str(file.get("mimeType") or file.get("mediaType") or "application/octet-stream")
    name = str(file.get("name") or file.get("filename") or "")
    return media_block(mime_type, url=url, base64=data, name=name)


def _text(fields: Json, name: str, field: str) -> str | None:
    value = fields.get(name)
    if value in (None, ""):
        return None
    if not isinstance(value, str):
        raise BadInput.of_fields((field, "should be text"))
    return value


def _time(fields: Json, name: str) -> datetime | None:
    given = _text(fields, name, name)
    try:
        at = None if given is None else datetime.fromisoformat(given)
    except ValueError:
        raise BadInput.of_fields((name, "should be a time in ISO 8601")) from None
    return at.replace(tzinfo=UTC) if at is not None and at.tzinfo is None else at


def _missing(field: str) -> str:
    raise BadInput.of_fields((field, "should be text that is not empty"))
