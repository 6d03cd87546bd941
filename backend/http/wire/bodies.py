"""Reads bodies, where every refusal is a `BadInput` that names the field, and encodes answers."""

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

from fastapi import Path
from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from ...domain.encoding import encode
from ...domain.errors import BadInput, ErrorAnswer
from .examples import RECORDED
from .requests import DEEPEST, USER_ID_PATTERN, ClientId, UserId, is_deeper_than

M = TypeVar("M")
B = TypeVar("B", bound=BaseModel)

MOST_VALUES = 100_000
"""Values that a body may hold. 4 MiB of two million nested lists held up the event loop for 2 s on a busy
machine; it takes 0.03 s to count them, and 0.15 s to read the most that are allowed (measured there)."""

_client_id = TypeAdapter[str](ClientId)
UserIdInPath = Annotated[str, Path(pattern=USER_ID_PATTERN, examples=[RECORDED["USER_ID"]])]
TaskIdInPath = Annotated[str, Path(examples=[RECORDED["TASK_ID"]])]
MessageIdInPath = Annotated[str, Path(max_length=80, examples=[f"{RECORDED['TASK_ID']}.0"])]

_user_id = TypeAdapter[str](UserId)


class MalformedJson(BadInput):
    """What was sent is not JSON."""

    code = "malformed_json"
    status_code = 400


def checked_values(body: bytes) -> bytes:
    """Return a body of JSON, unread. Raises `BadInput` if it has more than `MOST_VALUES` values."""
    # Each value is a byte or more. Strings are left out only where that matters: it takes longer.
    if len(body) <= MOST_VALUES or _openings_and_commas(body) <= MOST_VALUES:
        return body
    # Without their escapes, strings are between each two quotes. A list of all pieces would take as long as
    # reading them, so that of too many quotes none is made: a value comes with two strings at most.
    plain = body.replace(rb"\\", b"").replace(rb"\"", b"")
    is_short = plain.count(b'"') <= 4 * MOST_VALUES
    if is_short and _openings_and_commas(b"".join(plain.split(b'"')[::2])) <= MOST_VALUES:
        return body
    raise BadInput(f"The body: it holds more than {MOST_VALUES} values.")


def _openings_and_commas(text: bytes) -> int:
    return text.count(b"[") + text.count(b"{") + text.count(b",")


def check_keys(text: bytes | str) -> None:
    """Raise `BadInput` if an object of some JSON, which was read before, names a field twice.

    Of two equal fields the last one counts here, and another one perhaps for a proxy.
    """
    # 6 us for a message, 14 ms for 3 MB (measured): the libraries that read bodies cannot refuse such fields.
    _pairs.decode(text if isinstance(text, str) else text.decode())


def _once(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) < len(pairs):
        raise BadInput("The body: an object in it names a field twice.")


# Numbers stay text: they are not used, and Python refuses those of many digits.
_pairs = json.JSONDecoder(object_pairs_hook=_once, parse_int=str, parse_float=str)


def checked_depth(value: M) -> M:
    """Return a value. Raises `BadInput` if it is nested too deep to be read back from a store."""
    if is_deeper_than(value, DEEPEST):
        raise BadInput(f"The body: it is nested more than {DEEPEST} levels deep.")
    return value


def describe(errors: Sequence[Any]) -> BadInput:
    """Turn pydantic's errors into one error that names the first field; all are in its details."""
    details = [
        {"field": ".".join(str(part) for part in error["loc"]), "message": error["msg"]} for error in errors
    ]
    if errors[0]["type"] == "json_invalid":
        return MalformedJson("The body is not valid JSON.", details=details)
    field, message = details[0]["field"], details[0]["message"]
    return BadInput(f"{field or 'The body'}: {message}.", details=details)


def parse(read: Callable[[bytes | str], M], text: bytes | str) -> M:
    """Return what `read`, a `validate_json` of pydantic's, makes of JSON. Raises `BadInput`."""
    try:
        value = read(text)
    except ValidationError as error:
        refusal = describe(error.errors(include_url=False, include_input=False, include_context=False))
        if not isinstance(refusal, MalformedJson):
            check_keys(text)
        raise refusal from None
    check_keys(text)
    return value


async def read_body(model: type[B], request: Request) -> B:
    """Return a request's JSON body. Raises `BadInput`, also where it did not arrive whole."""
    try:
        body = await request.body()
    except ClientDisconnect:
        raise BadInput("The body did not arrive whole.") from None
    return parse(model.model_validate_json, body)


def is_user_id(text: str) -> bool:
    """Return whether a text is a user id."""
    try:
        _user_id.validate_python(text)
    except ValidationError:
        return False
    return True


def checked_client_id(text: str) -> str:
    """Return a client id. Raises `BadInput` if it is invalid."""
    try:
        return _client_id.validate_python(text)
    except ValidationError as error:
        raise describe([{**each, "loc": ("Idempotency-Key",)} for each in error.errors()]) from None


# --- answers -------------------------------------------------------------------------------------------


_ERRORS = {
    400: ("Not JSON", "malformed_json", "The body is not valid JSON."),
    401: ("A token is needed", "unauthorized", "That is not this server's token."),
    403: ("That is not allowed", "scope_missing", "This needs the scope `chat`, which you were not given."),
    404: ("Unknown user, task or question", "unknown_user", "Nothing is known of a user 'ada'."),
    409: ("It comes at the wrong moment", "task_active", "Another message is being worked on."),
    413: ("Too large", "too_large", "A request's body may have at most 131072 bytes."),
    415: ("Not sent as JSON", "unsupported_media_type", "Send JSON, with its `Content-Type`."),
    422: ("A field is wrong; the message names it", "bad_input", "message: Field required."),
    429: ("Too much, too fast", "too_many_requests", "That is more than 60 messages a minute."),
    502: ("The provider failed", "provider_failed", "The demo inventory cannot be read."),
    503: ("Not accepted: store down, or shutting down", "store_unavailable", "The store is closed."),
}
_RETRY_AFTER = {"Retry-After": {"description": "Seconds to wait", "schema": {"type": "integer"}}}


def errors_for(*codes: int) -> dict[int | str, dict[str, Any]]:
    """Return what the OpenAPI document says of an answer with one of these codes."""
    return {code: _error(code) for code in codes}


def _error(status: int) -> dict[str, Any]:
    description, code, message = _ERRORS[status]
    retryable = status in (429, 502, 503)
    example = {"error": {"code": code, "message": message, "retryable": retryable}}
    return {
        "model": ErrorAnswer,
        "description": description,
        "content": {"application/json": {"example": example}},
        **({"headers": _RETRY_AFTER} if status in (429, 503) else {}),
    }


def json_response(content: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return an answer in the contract's JSON."""
    return Response(encode(content), status_code=status, headers=headers, media_type="application/json")


# --- caching -------------------------------------------------------------------------------------------


NOT_CHANGED: dict[int | str, dict[str, Any]] = {304: {"description": "Nothing new since that `ETag`"}}
"""What the OpenAPI document says of such an answer."""


def named_etags(if_none_match: str | None) -> list[str]:
    """Return the tags a header names; a proxy that compresses answers marks them as weak (`W/`)."""
    return [tag.strip().removeprefix("W/") for tag in (if_none_match or "").split(",")]


def kept_response(content: Any, *, request: Request, max_age_s: int) -> Response:
    """Return an answer in the contract's JSON, or a 304 if the client has it already.

    The client may reuse it for `max_age_s` seconds. Shared caches may not, as the client may be signed in.
    """
    body = encode(content)
    etag = f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'
    headers = {"ETag": etag, "Cache-Control": f"private, max-age={max_age_s}"}
    if etag in named_etags(request.headers.get("if-none-match")):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type="application/json")
