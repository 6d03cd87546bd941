"""Reads JSON-RPC messages of MCP, and writes them; types and versions are those of `mcp_types`.

There are two kinds of versions. Up to 2025-11-25 a client begins with `initialize`, gets the id of a session
and sends it with each message. From 2026-07-28 on each request says all about itself in `_meta`.
"""

import base64
import binascii
import uuid
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import mcp_types as types
import orjson
from fastapi import Request, Response
from mcp_types import methods
from mcp_types.version import (
    HANDSHAKE_PROTOCOL_VERSIONS,
    KNOWN_PROTOCOL_VERSIONS,
    LATEST_HANDSHAKE_VERSION,
    MODERN_PROTOCOL_VERSIONS,
    is_version_at_least,
)
from pydantic import ValidationError
from starlette.datastructures import Headers

from ...domain.encoding import encode
from ...domain.errors import BadInput, DetourError
from ...http.edge.refusals import note_input, reply_headers
from ...http.wire.bodies import MalformedJson
from ..bodies import object_in, read_json
from ..following import Place

Json = Mapping[str, Any]

SESSION = "mcp-session-id"
VERSION = "mcp-protocol-version"
LAST_EVENT = "last-event-id"

REFUSED = -32010
"""The code of a refusal that is none of the protocol's own; its data is the error as Detour's API has it."""


class ProtocolFault(Exception):
    """A message that the protocol refuses: `code` is one of JSON-RPC's, `status` that of HTTP."""

    def __init__(self, code: int, message: str, *, status: int = 400, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.data = data


# --- what a client is ----------------------------------------------------------------------------------


class Caller(NamedTuple):
    """What a client says of itself with a message: its version, its session, whether it shows forms."""

    version: str
    session: str | None
    elicits: bool

    @property
    def is_modern(self) -> bool:
        """Whether each of its requests stands for itself, and it cancels one by closing its stream."""
        return self.version in MODERN_PROTOCOL_VERSIONS


_ELICITS = "-e"


def new_conversation() -> str:
    """Return an id for a conversation that nobody can guess."""
    return f"mcp-{uuid.uuid4().hex}"


def new_session(capabilities: Json) -> str:
    """Return an id for a session. It tells whether its client shows forms, which each replica can read."""
    return new_conversation() + (_ELICITS if shows_forms(capabilities) else "")


def shows_forms(capabilities: Json) -> bool:
    """Return whether a client with these capabilities asks its user what a server wants to know."""
    elicitation = capabilities.get("elicitation")
    if not isinstance(elicitation, Mapping):
        return False
    modes = cast("Json", elicitation)
    return not modes or "form" in modes


def caller_of(headers: Headers, message: Json) -> Caller:
    """Return who sends a message. Raises `ProtocolFault`."""
    version = headers.get(VERSION)
    if version is None or version in HANDSHAKE_PROTOCOL_VERSIONS:
        session = headers.get(SESSION) or None
        elicits = session is not None and session.endswith(_ELICITS)
        return Caller(version or HANDSHAKE_PROTOCOL_VERSIONS[1], session, elicits)
    if version not in MODERN_PROTOCOL_VERSIONS:
        told = {"supported": [*KNOWN_PROTOCOL_VERSIONS], "requested": version}
        raise ProtocolFault(types.UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version", data=told)
    if "id" not in message or "method" not in message:
        return Caller(version, None, elicits=False)
    meta = object_in(object_in(message.get("params")).get("_meta"))
    for name in (types.PROTOCOL_VERSION_META_KEY, types.CLIENT_CAPABILITIES_META_KEY):
        if name not in meta:
            raise ProtocolFault(types.INVALID_PARAMS, f"params._meta.{name}: it is missing.")
    _check_routing(headers, message, meta)
    return Caller(version, None, shows_forms(object_in(meta[types.CLIENT_CAPABILITIES_META_KEY])))


def _check_routing(headers: Headers, message: Json, meta: Json) -> None:
    """Raise `ProtocolFault` if headers, by which proxies route, say something else than the body."""
    said: dict[str, Any] = {
        VERSION: meta[types.PROTOCOL_VERSION_META_KEY],
        "mcp-method": message["method"],
    }
    if message["method"] == "tools/call":
        said["mcp-name"] = object_in(message.get("params")).get("name")
    for name, value in said.items():
        if [_decoded(each) for each in headers.getlist(name)] != [value]:
            raise ProtocolFault(types.HEADER_MISMATCH, f"The header {name} differs from the body.")


def _decoded(header: str) -> str:
    """Return the value of a header, which is Base64 in `=?base64?...?=` if it has other characters."""
    if header.startswith("=?base64?") and header.endswith("?="):
        try:
            return base64.b64decode(header[9:-2], validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            return ""
    return header


# --- messages ------------------------------------------------------------------------------------------


Message = types.JSONRPCMessage


async def read_message(request: Request) -> tuple[Message, Caller]:
    """Return the message of a request, and who sends it. Raises `ProtocolFault`."""
    try:
        body = await read_json(request)
    except MalformedJson as error:
        raise ProtocolFault(types.PARSE_ERROR, error.message) from None
    except BadInput as error:
        raise ProtocolFault(types.INVALID_REQUEST, error.message) from None
    if not isinstance(body, Mapping):
        raise ProtocolFault(types.INVALID_REQUEST, "The body should be one JSON-RPC message.")
    fields = object_in(cast("Any", body))
    kind: Any = types.JSONRPCNotification if "id" not in fields else types.JSONRPCRequest
    if "method" not in fields:
        kind = types.JSONRPCError if "error" in fields else types.JSONRPCResponse
    try:
        message: Message = kind.model_validate(fields)
    except ValidationError as error:
        raise ProtocolFault(types.INVALID_REQUEST, _first_of(error)) from None
    return message, caller_of(request.headers, fields)


def params_of(request: types.JSONRPCRequest, version: str) -> Json:
    """Return the parameters of a request, checked. Raises `ProtocolFault`."""
    try:
        methods.validate_client_request(request.method, version, request.params)
    except KeyError:
        raise unknown_method(request.method) from None
    except ValidationError as error:
        raise ProtocolFault(types.INVALID_PARAMS, _first_of(error)) from None
    return request.params or {}


def unknown_method(method: str) -> ProtocolFault:
    """Return the fault of a method that is not served."""
    return ProtocolFault(types.METHOD_NOT_FOUND, f"There is no method {method!r}.", status=404)


def negotiated(wanted: Any) -> str:
    """Return the version for a client that wants this one."""
    return wanted if wanted in HANDSHAKE_PROTOCOL_VERSIONS else LATEST_HANDSHAKE_VERSION


def result_of(method: str, version: str, result: Json) -> Json:
    """Return a result as this version has it: without fields that are newer."""
    return methods.serialize_server_result(method, version, result)


def _first_of(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(each) for each in fault["loc"])
    return f"{place}: {fault['msg']}." if place else f"{fault['msg']}."


# --- answers -------------------------------------------------------------------------------------------


def response(request_id: types.RequestId, result: Json) -> Json:
    """Return the answer to a request."""
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def failure(request_id: types.RequestId | None, code: int, message: str, data: Any = None) -> Json:
    """Return the refusal of a request."""
    error = {"code": code, "message": message, **({} if data is None else {"data": data})}
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def error_body(error: DetourError) -> Json:
    """Return a refusal by the server, of a message that may not have been read."""
    told = error.to_json()["error"]
    code = types.INVALID_REQUEST if isinstance(error, BadInput) else REFUSED
    return failure(None, code, told["message"], told)


def json_answer(body: Json, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return an answer that is one message."""
    return Response(encode(body), status, media_type="application/json", headers=headers)


def refusal(error: DetourError, request_id: types.RequestId | None = None) -> Response:
    """Return a refusal by the server as a response."""
    note_input(error)
    body = {**error_body(error), "id": request_id}
    return json_answer(body, status=error.status_code, headers=reply_headers(error))


# --- streams -------------------------------------------------------------------------------------------


class StreamedCall(NamedTuple):
    """A call that is answered by a stream: all that renders it once more, on any replica.

    `run_id` is where it began; with `message_id` it is the run that takes that message in. `has_withdrawn` if
    the call has withdrawn what the run had asked before.
    """

    user_id: str
    run_id: str
    message_id: str | None
    request_id: types.RequestId
    token: types.ProgressToken | None
    version: str
    elicits: bool
    tells_thread: bool = False
    has_withdrawn: bool = False

    @property
    def is_resumable(self) -> bool:
        """Whether its client comes back after a cut line: from 2026-07-28 on, to leave is to cancel."""
        return self.version not in MODERN_PROTOCOL_VERSIONS

    def event(self, place: Place, frame: bytes) -> bytes:
        """Return a message as an event of the stream."""
        if not self.is_resumable:
            return b"event: message\ndata: %b\n\n" % frame
        return b"id: %b\nevent: message\ndata: %b\n\n" % (self._event_id(place), frame)

    def opening(self) -> bytes:
        """Return what comes first: an id, so that a line may be cut before there is anything to say."""
        if self.is_resumable and is_version_at_least(self.version, LATEST_HANDSHAKE_VERSION):
            return b"id: %b\ndata:\n\n" % self._event_id(Place(0, 0))
        return b""

    def _event_id(self, place: Place) -> bytes:
        call = base64.urlsafe_b64encode(orjson.dumps([*self]))
        return b"%d.%d.%b" % (place.seq, place.number, call)


def read_event_id(text: str) -> tuple[StreamedCall, Place]:
    """Return the call and the place of an event. Raises `ProtocolFault` for what is no event of ours."""
    seq, _, rest = text.partition(".")
    number, _, encoded = rest.partition(".")
    try:
        fields: list[Any] = orjson.loads(base64.urlsafe_b64decode(encoded))
        call, place = StreamedCall(*fields), Place(int(seq), int(number))
        plain = [call.user_id, call.run_id, call.message_id or "", call.version]
        known = all(isinstance(each, str) for each in plain) and call.version in HANDSHAKE_PROTOCOL_VERSIONS
    except (ValueError, TypeError):
        known, call, place = False, None, None
    if call is None or place is None or not known:
        raise ProtocolFault(types.INVALID_REQUEST, f"{LAST_EVENT}: it is no event of this server.")
    return call, place
