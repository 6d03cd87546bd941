"""Answers, and what the OpenAPI document says of those that are errors."""

from typing import Any

from starlette.responses import Response

from backend.api import schemas
from backend.domain.encoding import encode

_ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": schemas.ErrorAnswer, "description": description}
    for code, description in {
        400: "Not JSON",
        404: "Unknown user or task",
        409: "Refused while another message is worked on",
        413: "Too large",
        422: "A field is wrong; the message names it",
        429: "Too many messages",
        503: "Not accepted: the store is down, or the server is going down",
    }.items()
}


def errors_for(*codes: int) -> dict[int | str, dict[str, Any]]:
    """Return what the OpenAPI document says of an answer with one of these codes."""
    return {code: _ERRORS[code] for code in codes}


def json_response(content: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return an answer in the contract's JSON."""
    return Response(encode(content), status_code=status, headers=headers, media_type="application/json")
