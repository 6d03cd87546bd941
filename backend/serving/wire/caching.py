"""Cacheable answers: they change seldom, and their `ETag` changes with them."""

import hashlib
from typing import Any

from fastapi import Request, Response

from ...domain.encoding import encode

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
