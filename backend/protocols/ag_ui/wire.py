"""Reads of AG-UI's `RunAgentInput` the fields that count here; errors name the field.

Any other field may hold anything or be missing, unlike in `ag_ui.core.RunAgentInput`: clients of all versions
are served.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from ...domain.errors import BadInput
from ...domain.task import Policy
from ...http.wire.requests import MessageText, checked_policy
from ..bodies import object_in
from ..content import Content, content_of, media_block
from ..page_tools import ToolResult, page_of
from ..threads import client_id_of
from .rendering import ClientRun

Json = Mapping[str, Any]

_POLICIES: Mapping[str, Policy] = {
    "interrupt": "interrupt",
    "rollback": "interrupt",
    "enqueue": "enqueue",
    "reject": "reject",
}
_message_text = TypeAdapter[str](MessageText)


@dataclass(frozen=True, slots=True)
class Resumed:
    """An answer to an open question, or its withdrawal, sent in `field`."""

    interrupt_id: str
    cancelled: bool
    payload: Any = None
    field: str = dataclasses.field(default="resume", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInput:
    """The request for a run: `text` is the user's newest message, sent in `field`, unless it resumes.

    `results` are those of all tool calls, `goes_on` if it ends with some. `page` is what the page offers.
    """

    client: ClientRun
    client_id: str | None
    text: str | None
    field: str
    content: Json
    resume: Sequence[Resumed]
    results: Sequence[ToolResult]
    goes_on: bool
    page: Json
    policy: Policy | None
    leaving_stops: bool


def client_run_in(body: Any) -> ClientRun | None:
    """Return the client's own ids, None if the body lacks one."""
    fields = object_in(body)
    thread_id, run_id = fields.get("threadId"), fields.get("runId")
    if not (isinstance(thread_id, str) and thread_id and isinstance(run_id, str) and run_id):
        return None
    sent = [each for each in _listed(fields, "messages") if isinstance(each.get("id"), str)]
    return ClientRun(thread_id, run_id, isinstance(fields.get("protocolVersion"), str), sent)


def read_client_run(body: Any) -> ClientRun:
    """Return the client's own ids. Raises `BadInput`."""
    client = client_run_in(body)
    if client is None:
        fields = object_in(body)
        field = "runId" if fields.get("threadId") and isinstance(fields["threadId"], str) else "threadId"
        raise BadInput.of_fields((field, "should be text that is not empty"))
    return client


def read_run(body: Any, header: Policy | None = None) -> RunInput:
    """Read a request for a run, whose header may name a policy. Raises `BadInput`."""
    client = read_client_run(body)
    fields = object_in(body)
    props = fields.get("forwardedProps")
    wanted = object_in(props)
    strategy = wanted.get("multitaskStrategy") or None
    if strategy is not None and (not isinstance(strategy, str) or strategy not in _POLICIES):
        fault = f"should be one of {', '.join(_POLICIES)}"
        raise BadInput.of_fields(("forwardedProps.multitaskStrategy", fault))
    if wanted.get("onDisconnect") not in (None, "continue", "cancel"):
        # Taken for "cancel", a misspelt "continue" would stop the task.
        raise BadInput.of_fields(("forwardedProps.onDisconnect", "should be continue or cancel"))
    resume = _resumed(fields)
    results = [] if resume else _results(fields)
    goes_on = any(each.is_new for each in results)
    field, message = ("", None) if resume else _newest_of_user(fields, is_needed=not goes_on)
    content = Content("") if message is None else _content_of(message, field)
    return RunInput(
        client=client,
        client_id=client_id_of(message["id"]) if message and isinstance(message.get("id"), str) else None,
        text=None if message is None else content.text,
        field=field,
        content=content.given,
        resume=resume,
        results=results,
        goes_on=goes_on,
        page=page_of(fields.get("tools"), fields.get("context")),
        policy=(
            checked_policy(wanted.get("policy"), "forwardedProps.policy")
            or (_POLICIES[strategy] if strategy is not None else header)
        ),
        leaving_stops=wanted.get("onDisconnect") != "continue",
    )


def _resumed(fields: Json) -> list[Resumed]:
    if fields.get("resume") is None:
        return []
    if not isinstance(fields["resume"], list):
        raise BadInput.of_fields(("resume", "should be a list"))
    resumed: dict[str, Resumed] = {}
    for index, each in enumerate(cast("list[Any]", fields["resume"])):
        entry, field = object_in(each), f"resume.{index}"
        status = entry.get("status")
        if not isinstance(entry.get("interruptId"), str):
            raise BadInput.of_fields((f"{field}.interruptId", "should be text"))
        if status not in ("resolved", "cancelled"):
            raise BadInput.of_fields((f"{field}.status", "should be resolved or cancelled"))
        one = Resumed(entry["interruptId"], status == "cancelled", entry.get("payload"), field)
        if resumed.setdefault(one.interrupt_id, one) != one:
            fault = f"it contradicts what is said of {one.interrupt_id!r} before"
            raise BadInput.of_fields((field, fault))
    return [*resumed.values()]


def _newest_of_user(fields: Json, *, is_needed: bool) -> tuple[str, Json | None]:
    """Return the user's newest message, after the field that holds it; none if it is not needed."""
    if not isinstance(fields.get("messages"), list):
        raise BadInput.of_fields(("messages", "should be a list"))
    sent = cast("list[Any]", fields["messages"])
    for index in reversed(range(len(sent))):
        message = object_in(sent[index])
        if message.get("role") == "user":
            return f"messages.{index}", message
    if is_needed:
        raise BadInput.of_fields(("messages", "there is no message of the user"))
    return "", None


def _results(fields: Json) -> list[ToolResult]:
    """Return the results of tool calls; those at the end of the messages are new."""
    results: list[ToolResult] = []
    is_new = True
    sent = fields.get("messages")
    messages = [*map(object_in, cast("list[Any]", sent))] if isinstance(sent, list) else []
    for number in reversed(range(len(messages))):
        message, field = messages[number], f"messages.{number}"
        is_new = is_new and message.get("role") in ("tool", "activity")
        if message.get("role") == "tool" and isinstance(message.get("toolCallId"), str):
            result = _result(message, field, is_new=is_new)
            results += [] if result is None else [result]
        elif message.get("role") == "tool" and is_new:
            raise BadInput.of_fields((f"{field}.toolCallId", "should be text"))
    return results[::-1]


def _result(message: Json, field: str, *, is_new: bool) -> ToolResult | None:
    text = message.get("error") or message.get("content")
    if not isinstance(text, str):
        if is_new:
            raise BadInput.of_fields((f"{field}.content", "should be text"))
        return None
    call_id: str = message["toolCallId"]
    own_id = message.get("id")
    message_id = own_id if isinstance(own_id, str) and own_id else f"{call_id}.result"
    return ToolResult(call_id, message_id, text, field, is_new)


def _content_of(message: Json, field: str) -> Content:
    """Return a message's content: a string, or parts of text and of files."""
    content = message.get("content")
    if isinstance(content, str):
        read = Content(content)
    else:
        read = content_of([_block(each) for each in _listed(message, "content")], field, joined_by="\n")
    try:
        return read._replace(text=_message_text.validate_python(read.text))
    except ValidationError as error:
        raise BadInput.of_fields((f"{field}.content", error.errors()[0]["msg"])) from None


def _block(part: Json) -> Json:
    """Return a part as LangChain has it: AG-UI's files are `binary`, or of their kind with a `source`."""
    source = object_in(part.get("source"))
    if part.get("type") == "binary":
        url, data, mime_type = part.get("url"), part.get("data"), part.get("mimeType")
    elif source:
        is_url = source.get("type") == "url"
        url, data = (source.get("value"), None) if is_url else (None, source.get("value"))
        mime_type = source.get("mimeType") or f"{part.get('type')}/*"
    else:
        return part
    return media_block(
        str(mime_type or ""),
        url=url and str(url),
        base64=data and str(data),
        name=str(part.get("filename") or ""),
    )


def _listed(fields: Json, name: str) -> list[Json]:
    """Return the objects in a list, none if it is no list."""
    found = fields.get(name)
    if not isinstance(found, list):
        return []
    return [cast("Json", each) for each in cast("list[Any]", found) if isinstance(each, Mapping)]
