"""The framework's OpenAPI document, completed: examples, the WebSocket and its frames, groups, who may call.

Examples are put in afterwards, since the framework drops every null, and with it fields that they show.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Annotated, Any

from fastapi import FastAPI, Request, Response
from pydantic import Field, TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from ...domain.encoding import encode
from ..edge.guard import OPEN_TO_ALL, VERSION
from ..identity.authentication import COOKIE_NAME
from .examples import RECORDED
from .frames import Frame, Reply
from .requests import USER_ID_PATTERN, Command

# --- frames --------------------------------------------------------------------------------------------
# Their schemas allow further fields: a later version may add some, and a client that refused them would
# break. The tests, which hold what this version sends to them, forbid what is not listed.


COMPONENTS = "#/components/schemas/"

_UNIONS: tuple[tuple[str, Any, JsonSchemaMode], ...] = (
    ("Frame", Annotated[Frame, Field(discriminator="type")], "serialization"),
    ("Reply", Reply, "serialization"),
    ("Command", Command, "validation"),
)


@cache
def frame_schemas() -> dict[str, Any]:
    """Return the schemas of `Frame`, `Reply` and `Command`, and of all that they are made of, by name."""
    schemas: dict[str, Any] = {}
    for name, union, mode in _UNIONS:
        schema = TypeAdapter[Any](union).json_schema(mode=mode, ref_template=COMPONENTS + "{model}")
        schemas |= schema.pop("$defs")
        # OpenAPI and AsyncAPI write a discriminator differently; each member's `type` is a constant anyway.
        schema.pop("discriminator", None)
        schemas[name] = {**schema, "title": name}
    return schemas


# --- AsyncAPI ------------------------------------------------------------------------------------------
# Its `components.schemas` are plain JSON Schema. Directions are the server's: it receives commands.


ASYNCAPI_PATH = "/asyncapi.json"

CLOSE_CODES = {
    1007: "a text frame is not UTF-8",
    1008: "too many frames, or too many fragments of one: send fewer",
    1009: "a frame is too long: send less",
    1011: "pings were not answered, or a fault of the server: come back with the position",
    1012: "the server goes down or restarts: come back with the position",
    1013: "too slow, the store is down, or too many conversations begin: come back with the position",
    4401: "not signed in",
    4403: "these credentials may not follow this user",
    4404: "that is no user id, or nobody's",
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
                "parameters": {"user_id": {"description": "Whose events", "examples": [RECORDED["USER_ID"]]}},
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


# --- document ------------------------------------------------------------------------------------------


OPENAPI_PATH = "/openapi.json"

GROUPS = {
    "Conversation": "Send messages, stop, answer, forget.",
    "Reading": "What a user's conversation and graph hold.",
    "Events": "Everything that happens to a user, as it happens: over a WebSocket, or as server-sent events.",
    "Operating": "Signing in, health, figures, what runs and how it went.",
}
"""The groups of the server's own calls; those of a plugin follow them."""

SECURITY_SCHEMES = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "`DETOUR_TOKEN` of the server, or a token of its issuer",
    },
    "api_key": {"type": "apiKey", "in": "header", "name": "x-api-key", "description": "The same token"},
    "cookie": {
        "type": "apiKey",
        "in": "cookie",
        "name": COOKIE_NAME,
        "description": "What `/v1/session` sets",
    },
}

_USER_ID = {
    "name": "user_id",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "pattern": USER_ID_PATTERN, "examples": [RECORDED["USER_ID"]]},
}
_POSITION = [
    {"name": name, "in": "query", "required": False, "description": about, "schema": {"type": "string"}}
    for name, about in (
        ("since", "Number of the last event seen"),
        ("epoch", "The epoch that number belongs to"),
    )
]
_WEBSOCKET = {
    "tags": ["Events"],
    "summary": "Follow the events over a WebSocket, and send commands",
    "description": (
        "Follow a user's events and send commands, over a WebSocket: one JSON object per text frame. "
        "`/v1/asyncapi.json` describes both directions."
    ),
    "operationId": "websocket",
    "parameters": [_USER_ID, *_POSITION],
    "responses": {"101": {"description": "The WebSocket is open; a hello is the first frame"}},
    "x-websocket": {
        "from_server": {"anyOf": [{"$ref": f"{COMPONENTS}Frame"}, {"$ref": f"{COMPONENTS}Reply"}]},
        "from_client": {"$ref": f"{COMPONENTS}Command"},
    },
}


def _described(groups: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "description": description} for name, description in groups.items()]


def _encoded_once(make: Callable[[], Mapping[str, Any]]) -> Callable[[Request], Awaitable[Response]]:
    encoded = cache(lambda: encode(make()))

    async def document(_request: Request) -> Response:
        return Response(encoded(), media_type="application/json")

    return document


class DocumentedApp(FastAPI):
    """The framework's application with the completed document.

    `examples` has one of each answer, by the name of its type. Of calls of other protocols, `paths_of_others`
    is what the document has of each, and `groups_of_others` describes their groups.
    """

    examples: Mapping[str, Any]
    paths_of_others: Mapping[str, Mapping[str, Any]]
    groups_of_others: Mapping[str, str]

    def setup(self) -> None:
        """Add the documents' routes.

        Each is encoded once: the framework's own route encodes 140 KB for each request, which takes 2 ms of
        every other client's time (measured).
        """
        asyncapi = _encoded_once(lambda: asyncapi_document(title=self.title, version=self.version))
        self.add_route(OPENAPI_PATH, _encoded_once(self.openapi), include_in_schema=False)
        self.add_route(ASYNCAPI_PATH, asyncapi, include_in_schema=False)
        super().setup()

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document; made once."""
        if self.openapi_schema is None:
            document = super().openapi()
            schemas = document["components"]["schemas"]
            for name in schemas.keys() & self.examples.keys():
                schemas[name]["examples"] = [self.examples[name]]
            # What an answer and a frame both hold is there already, and may have its example.
            document["components"]["schemas"] = {**frame_schemas(), **schemas}
            document["components"]["securitySchemes"] = SECURITY_SCHEMES
            # `{}` comes last: a server without a token asks for none.
            document["security"] = [*({name: []} for name in SECURITY_SCHEMES), {}]
            # A plugin's groups are not described, and come before those of other protocols.
            own = {
                tag for item in document["paths"].values() for each in item.values() for tag in each["tags"]
            }
            document["tags"] = [
                *_described(GROUPS),
                *({"name": name} for name in sorted(own - GROUPS.keys())),
                *_described(self.groups_of_others),
            ]
            for path in OPEN_TO_ALL & document["paths"].keys():
                for operation in document["paths"][path].values():
                    operation["security"] = []
            paths = {**document["paths"], "/ws/{user_id}": {"get": _WEBSOCKET}}
            # The version is this server's own: clients of other protocols call paths without one.
            document["paths"] = {f"{VERSION}{path}": item for path, item in paths.items()} | {
                path: {
                    method: {**operation, **({"security": []} if path in OPEN_TO_ALL else {})}
                    for method, operation in item.items()
                }
                for path, item in self.paths_of_others.items()
            }
        return self.openapi_schema or {}
