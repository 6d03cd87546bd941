"""JSON answers, and the OpenAPI documentation of errors."""

from typing import Any

from starlette.responses import Response

from ...domain.encoding import encode
from ...errors import ErrorAnswer

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
