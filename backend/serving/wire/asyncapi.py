"""The AsyncAPI document: the WebSocket, every frame of either side, and the codes that it is closed with.

AsyncAPI rather than a bare JSON Schema: it also says who sends what, where, and what the query may hold. Its
`components.schemas` are plain JSON Schema. Directions are the server's: it receives commands.
"""

from typing import Any

from ..edge.version import VERSION
from . import recorded_examples
from .frame_schemas import COMPONENTS, frame_schemas

PATH = "/asyncapi.json"

CLOSE_CODES = {
    1009: "a frame is too long: send less",
    1011: "pings were not answered, or a fault of the server: come back with the position",
    1012: "the server goes down or restarts: come back with the position",
    1013: "too slow, the store is down, or too many conversations begin: come back with the position",
    4401: "not signed in",
    4404: "that is no user id",
    4409: "the user has too many connections open: close one",
}

_DESCRIPTION = (
    "Every change of a user's conversation, as an event with a number. The position of a client is "
    "`(epoch, seq)`: the epoch of the hello, and the `seq` of the last snapshot or event that it has seen. "
    "With it as `since` and `epoch` in the query, a client gets what it missed. `GET /v1/events/{user_id}` "
    "streams the same frames, without replies, as server-sent events. Close codes: "
)


def asyncapi_document(*, title: str, version: str) -> dict[str, Any]:
    """Return the document of a server of that title and version."""
    schemas = frame_schemas()
    from_server = _names(schemas["Frame"]["oneOf"]) + _names(schemas["Reply"]["anyOf"])
    from_client = _names(schemas["Command"]["oneOf"])
    codes = "; ".join(f"{code} {meaning}" for code, meaning in CLOSE_CODES.items())
    query = {name: {"type": "string"} for name in ("since", "epoch")}
    return {
        "asyncapi": "3.0.0",
        "info": {"title": title, "version": version, "description": f"{_DESCRIPTION}{codes}."},
        "defaultContentType": "application/json",
        "channels": {
            "user": {
                "address": f"{VERSION}/ws/{{user_id}}",
                "parameters": {
                    "user_id": {"description": "Whose events", "examples": [recorded_examples.USER_ID]}
                },
                "messages": {
                    name: {"$ref": f"#/components/messages/{name}"} for name in (*from_server, *from_client)
                },
                "bindings": {"ws": {"query": {"type": "object", "properties": query}}},
            }
        },
        "operations": {
            "sendFrame": _operation("send", from_server, "Events, what comes before them, and replies."),
            "receiveCommand": _operation(
                "receive", from_client, "Commands; a `ref` comes back with the reply."
            ),
        },
        "components": {
            "messages": {name: _message(name, schemas[name]) for name in (*from_server, *from_client)},
            "schemas": schemas,
        },
    }


def _names(choices: list[dict[str, str]]) -> list[str]:
    return [choice["$ref"].removeprefix(COMPONENTS) for choice in choices]


def _operation(action: str, messages: list[str], summary: str) -> dict[str, Any]:
    return {
        "action": action,
        "channel": {"$ref": "#/channels/user"},
        "summary": summary,
        "messages": [{"$ref": f"#/channels/user/messages/{name}"} for name in messages],
    }


def _message(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": schema["properties"]["type"]["const"],
        "title": name,
        "summary": schema.get("description", "").partition("\n")[0],
        "payload": {"$ref": f"{COMPONENTS}{name}"},
    }
