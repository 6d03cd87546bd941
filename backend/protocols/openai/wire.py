"""Reads the requests of OpenAI's clients; errors name the fields as the client has them.

Clients send the conversation with each message: the last message is the new one, and the user's. What the
graph decides by itself, such as its instructions, its tools and its temperature, may hold anything.
"""

import mimetypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

from pydantic import TypeAdapter, ValidationError
from starlette.datastructures import Headers

from ...domain.errors import BadInput
from ...domain.task import Policy
from ...http.wire.requests import MessageText, checked_policy, policy_in
from ..bodies import object_in
from ..content import Block, Content, content_of, media_block
from ..threads import client_id_of

THREAD = "Detour-Thread"
"""The header that names the conversation, for clients that send no metadata."""

MOST_METADATA = 16
LONGEST_KEY = 64
LONGEST_VALUE = 512
"""Bounds of metadata, as OpenAI publishes them."""

LISTED = 20
MOST_LISTED = 100
"""Items on a page, by default and at most, as OpenAI has it."""

Json = Mapping[str, Any]

_message_text = TypeAdapter[str](MessageText)


class Said(NamedTuple):
    """The text of a message; `role` is `user` or `assistant`."""

    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a request asks for: an answer to `text`, sent in `field`, by the agent `model`.

    `thread_id` is the conversation that it names. If it names none, what was `said` before the new message,
    which is the last of it, tells which one it is, among those of the same `end_user`.
    """

    model: str | None
    text: str
    content: Json
    field: str
    said: Sequence[Said]
    thread_id: str | None
    end_user: str
    policy: Policy | None
    client_id: str | None
    streams: bool
    metadata: Mapping[str, str]
    tells_usage: bool = False
    is_background: bool = False
    previous_id: str | None = None

    def of_thread(self, thread_id: str) -> "Wanted":
        """Return the same request of a conversation."""
        return replace(self, thread_id=thread_id)


def read_completion(body: Any, headers: Headers) -> Wanted:
    """Read a request for a chat completion. Raises `BadInput`."""
    fields = object_in(body)
    _refuse(fields, _NOT_OF_COMPLETIONS)
    sent = fields.get("messages")
    if not isinstance(sent, list) or not sent:
        raise BadInput.of_fields(("messages", "should be a list of messages"))
    options = object_in(fields.get("stream_options"))
    return Wanted(
        **_of_both(fields, headers),
        **_of_messages(cast("list[Any]", sent), "messages"),
        thread_id=_thread_id(fields, headers),
        tells_usage=_truth(options, "include_usage", "stream_options.include_usage"),
    )


def read_response(body: Any, headers: Headers) -> Wanted:
    """Read a request for a response. Raises `BadInput`."""
    fields = object_in(body)
    _refuse(fields, _NOT_OF_RESPONSES)
    sent = fields.get("input")
    if isinstance(sent, str):
        text = _checked(sent, "input")
        new: dict[str, Any] = {"text": text, "content": {}, "field": "input", "said": (Said("user", text),)}
    elif isinstance(sent, list) and sent:
        new = _of_messages(cast("list[Any]", sent), "input")
    else:
        raise BadInput.of_fields(("input", "should be text, or a list of messages"))
    conversation = fields.get("conversation")
    named = object_in(conversation).get("id") if isinstance(conversation, Mapping) else conversation
    return Wanted(
        **_of_both(fields, headers),
        **new,
        thread_id=_thread_id(fields, headers) or _name(named, "conversation"),
        is_background=_truth(fields, "background"),
        previous_id=_name(fields.get("previous_response_id"), "previous_response_id"),
    )


def number_after(query: Mapping[str, str]) -> int:
    """Return the `sequence_number` of the last event that a client has; -1 for none. Raises `BadInput`."""
    given = query.get("starting_after") or "-1"
    if not given.removeprefix("-").isascii() or not given.removeprefix("-").isdigit() or len(given) > 15:
        raise BadInput.of_fields(("starting_after", "should be a whole number"))
    return int(given)


class PageWanted(NamedTuple):
    """Which page of a list: at most `limit` items after that one, the newest first or the oldest."""

    limit: int
    after: str | None
    oldest_first: bool


def read_page(query: Mapping[str, str]) -> PageWanted:
    """Return which page a query asks for. Raises `BadInput`."""
    limit, order = query.get("limit") or str(LISTED), query.get("order") or "desc"
    if not (limit.isascii() and limit.isdigit() and len(limit) < 4 and 1 <= int(limit) <= MOST_LISTED):
        raise BadInput.of_fields(("limit", f"should be a number from 1 to {MOST_LISTED}"))
    if order not in ("asc", "desc"):
        raise BadInput.of_fields(("order", "should be one of: asc, desc"))
    return PageWanted(int(limit), query.get("after") or None, order == "asc")


# --- fields --------------------------------------------------------------------------------------------


def _of_both(fields: Json, headers: Headers) -> dict[str, Any]:
    metadata = _metadata(fields)
    policy = checked_policy(metadata.get("detour_policy"), "metadata.detour_policy") or policy_in(headers)
    if policy == "steer":
        # The answer of a run that was asked for something else would be told twice.
        raise BadInput.of_fields(("metadata.detour_policy", "steer is not served here"))
    key = headers.get("Idempotency-Key")
    return {
        "model": _name(fields.get("model"), "model"),
        "end_user": _name(fields.get("user"), "user") or "",
        "policy": policy,
        "client_id": client_id_of(key) if key else None,
        "streams": _truth(fields, "stream"),
        "metadata": metadata,
    }


def _metadata(fields: Json) -> Mapping[str, str]:
    given = fields.get("metadata")
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise BadInput.of_fields(("metadata", "should be an object"))
    metadata = cast("Json", given)
    if len(metadata) > MOST_METADATA:
        raise BadInput.of_fields(("metadata", f"should have {MOST_METADATA} keys at most"))
    for name, value in metadata.items():
        if len(name) > LONGEST_KEY:
            raise BadInput.of_fields(("metadata", f"a key should have {LONGEST_KEY} characters at most"))
        if not isinstance(value, str) or len(value) > LONGEST_VALUE:
            fault = f"should be text of {LONGEST_VALUE} characters at most"
            raise BadInput.of_fields((f"metadata.{name}", fault))
    return metadata


def _thread_id(fields: Json, headers: Headers) -> str | None:
    named = object_in(fields.get("metadata")).get("thread_id")
    return _name(named, "metadata.thread_id") or headers.get(THREAD) or None


def _name(value: Any, field: str) -> str | None:
    if value is None or (isinstance(value, str) and value):
        return value
    raise BadInput.of_fields((field, "should be text that is not empty"))


def _truth(fields: Json, name: str, field: str = "") -> bool:
    value = fields.get(name)
    if value is None or isinstance(value, bool):
        return bool(value)
    raise BadInput.of_fields((field or name, "should be true or false"))


# --- messages ------------------------------------------------------------------------------------------


def _of_messages(sent: Sequence[Any], field: str) -> dict[str, Any]:
    """Return the new message and those before it. Raises `BadInput` if the last one is not the user's."""
    placed = [(f"{field}[{number}]", object_in(each)) for number, each in enumerate(sent)]
    # Graphs have instructions of their own.
    said = [(at, each) for at, each in placed if each.get("role") not in ("system", "developer")]
    nothing: tuple[str, Json] = (field, {})
    last, new = said[-1] if said else nothing
    if new.get("role") != "user":
        fault = "the last message should be the user's; tools are called by the server"
        raise BadInput.of_fields((last, fault))
    content = _content_of(new.get("content"), f"{last}.content")
    return {
        "text": _checked(content.text, f"{last}.content"),
        "content": content.given,
        "field": f"{last}.content",
        "said": [
            Said(each["role"], _words(each.get("content")))
            for _, each in said
            if each.get("role") in ("user", "assistant")
        ],
    }


def _checked(text: str, field: str) -> str:
    try:
        return _message_text.validate_python(text)
    except ValidationError as error:
        raise BadInput.of_fields((field, error.errors()[0]["msg"])) from None


def _content_of(content: Any, field: str) -> Content:
    if isinstance(content, str):
        return Content(content)
    if not isinstance(content, list):
        raise BadInput.of_fields((field, "should be text, or a list of parts"))
    parts = enumerate(cast("list[Any]", content))
    return content_of([_block(object_in(each), f"{field}[{number}]") for number, each in parts], field)


def _words(content: Any) -> str:
    """Return the text of a message, "" if it has none."""
    if isinstance(content, list):
        parts = [object_in(each) for each in cast("list[Any]", content)]
        texts = [each.get("text") for each in parts if str(each.get("type")).endswith("text")]
        content = "".join(each for each in texts if isinstance(each, str))
    return content.strip() if isinstance(content, str) else ""


def _block(part: Json, field: str) -> Block:
    """Return a part as LangChain has it; both of OpenAI's forms of a part are taken."""
    match part.get("type"):
        case "text" | "input_text":
            return {"type": "text", "text": part.get("text")}
        case "image_url" | "input_image":
            given = part.get("image_url")
            url = object_in(given).get("url") if isinstance(given, Mapping) else given
            return media_block(_type_in(url) or "image/*", url=_address(url, f"{field}.image_url"))
        case "input_audio":
            audio = object_in(part.get("input_audio"))
            data = _address(audio.get("data"), f"{field}.input_audio.data")
            return media_block(f"audio/{audio.get('format') or 'wav'}", base64=data)
        case "file" | "input_file":
            inner = part.get("file")
            file, at = (object_in(inner), f"{field}.file") if isinstance(inner, Mapping) else (part, field)
            name = str(file.get("filename") or "")
            url = _address(file.get("file_url") or file.get("file_data"), f"{at}.file_data")
            mime_type = _type_in(url) or mimetypes.guess_type(name)[0] or "application/octet-stream"
            is_address = ":" in url[:10]
            given = {"url": url} if is_address else {"base64": url}
            return media_block(mime_type, **given, name=name)
        case unknown:
            raise BadInput.of_fields((f"{field}.type", f"there is no such part: {unknown!r:.60}"))


def _address(value: Any, field: str) -> str:
    if isinstance(value, str) and value:
        return value
    raise BadInput.of_fields((field, "should be there; the server keeps no files that `file_id` could name"))


def _type_in(url: Any) -> str | None:
    """Return the type that a `data:` address tells."""
    is_data = isinstance(url, str) and url.startswith("data:")
    return url[5:].partition(";")[0].partition(",")[0] or None if is_data else None


# --- what is refused -----------------------------------------------------------------------------------
# Fields whose answer a client would miss; docs/protocols-openai.md lists them, and those that are ignored.


Refused = Mapping[str, tuple[Callable[[Any], bool], str]]
"""By field, whether a value of it is refused, and why."""


def _is_forced(choice: Any) -> bool:
    return choice == "required" or isinstance(choice, Mapping)


def _is_other_format(given: Any) -> bool:
    return object_in(given).get("type", "text") != "text"


_NOT_OF_BOTH: Refused = {
    "tool_choice": (_is_forced, "the server calls its tools as its graph decides"),
    "top_logprobs": (bool, "there are no log probabilities"),
}
_NOT_OF_COMPLETIONS: Refused = {
    **_NOT_OF_BOTH,
    "n": (lambda n: n != 1, "there is one answer"),
    "response_format": (_is_other_format, "the answer is text"),
    "modalities": (lambda kinds: kinds != ["text"], "the answer is text"),
    "audio": (bool, "the answer is text"),
    "logprobs": (bool, "there are no log probabilities"),
    "function_call": (_is_forced, "the server calls its tools as its graph decides"),
}
_NOT_OF_RESPONSES: Refused = {
    **_NOT_OF_BOTH,
    "text": (lambda text: _is_other_format(object_in(text).get("format")), "the answer is text"),
    "prompt": (bool, "the server keeps no prompts"),
}


def _refuse(fields: Json, refused: Refused) -> None:
    for name, (is_refused, why) in refused.items():
        value = fields.get(name)
        if value is not None and is_refused(value):
            raise BadInput.of_fields((name, why))
