"""Everything that can be set, all of it optional: flags, environment variables `DETOUR_*`, or a `.env` file.

A variable that is set to nothing counts as not set: an empty token would let anyone in.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import orjson
from pydantic import Field, StringConstraints, field_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import NoDecode, SettingsConfigDict

from ..domain.task import Policy
from ..log.state_store.migration_files import Schema
from .database_settings import DatabaseSettings
from .identity_settings import IdentitySettings

PREFIX = "DETOUR_"
ENV_FILE = ".env"

Protocol = Literal["langgraph", "ai-sdk", "ag-ui"]
PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)

MOST_EXAMPLES = 6
LONGEST_EXAMPLE = 200


class Settings(DatabaseSettings, IdentitySettings):
    """The settings of one server. Only `read_settings` makes them; each field is also a flag of `flags`."""

    # `ignore`, since `.env` may hold variables of others; `read_settings` refuses unknown ones of ours.
    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_file=ENV_FILE, env_ignore_empty=True, extra="ignore", defer_build=True
    )

    host: str = Field(
        default="127.0.0.1",
        description="Address to listen on; anything but this machine needs a sign-in and `DETOUR_PUBLIC_URL`",
    )
    port: int = Field(
        default=8000,
        ge=0,
        le=65535,
        description="Port to listen on; `0` takes any free one, which the printed link names",
    )
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Further `Host` values to answer (`name` or `name:port`); their pages get in too",
    )
    allowed_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Origins whose pages may use this server beside its own (`https://app.example.com`); "
        "`*` for all, which needs a sign-in",
    )
    title: Annotated[str, StringConstraints(strip_whitespace=True)] = Field(
        default="Detour", max_length=60, description="Name of the page, in its header and its window's title"
    )
    examples: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Messages that an empty page offers to send",
        json_schema_extra={"written": "list, separated by vertical bars or line breaks, or a JSON list"},
    )
    protocols: Annotated[tuple[Protocol, ...], NoDecode] = Field(
        default=PROTOCOLS,
        description="Protocols of other people's clients that are served beside Detour's own, or `none`",
    )
    policy: Policy = Field(
        default="interrupt",
        description="What a message does while another one is worked on, if it does not say so itself",
    )
    store: Literal["sqlite", "memory"] = Field(
        default="sqlite", description="Where everything is kept; `memory` ends with the process"
    )
    data_dir: Path = Field(
        default=Path("data"),
        description="Folder of all that is stored, of one server at a time; created for you alone (`0700`)",
    )
    graph: str = Field(
        default="",
        description="`module:attribute` of a LangGraph graph to serve, looked for from the current folder, "
        "or the path of a `langgraph.json`, whose graphs are served; `path:name` or `path:a,b` picks some",
    )
    graph_default: str = Field(
        default="",
        description="Of several graphs, the one of a user's first message that names none; else the first",
    )
    graph_context: Annotated[dict[str, Any], NoDecode] = Field(
        default={},
        description="Parts of the graph's `context_schema` and `configurable`, the same for every user",
    )
    graph_input: str = Field(
        default="",
        description="Field of the graph's input that gets the message, where no rule finds it",
    )
    graph_reply: str = Field(
        default="", description="Key of the graph's final state that holds the reply, where no rule finds it"
    )
    graph_store: Literal["apart", "shared"] = Field(
        default="apart",
        description="Of a store that a graph was compiled with: whether each user has items of their own in "
        "it, or all users `shared` ones",
    )
    graph_start_s: float = Field(
        default=60.0,
        gt=0,
        description="Seconds that the import of a graph may take, and the function that makes it",
    )
    task_timeout_s: float = Field(
        default=600.0, gt=0, description="Seconds a task may run before it is interrupted as `timed_out`"
    )
    task_results_mib: float = Field(
        default=4.0,
        gt=0,
        description="MiB of results and text that a task may show before it fails; what it showed is kept",
    )
    blocked_warning_s: float = Field(
        default=1.0,
        gt=0,
        description="Seconds for which code may keep the event loop blocked, and with it all users, before "
        "the log says which node and line do",
    )
    blocked_attempt_s: float = Field(
        default=5.0,
        gt=0,
        description="Seconds of the same before it counts against the message: if the server is killed "
        "then, the message is tried once more, and not twice",
    )
    input_timeout_s: float = Field(
        default=86400.0,
        gt=0,
        description="Seconds that a question stays open before its task ends as `timed_out`",
    )
    permission_timeout_s: float = Field(
        default=900.0, gt=0, description="Seconds in which a write may be allowed, and then made"
    )
    calls_per_user: int = Field(default=8, ge=1, description="Tool calls of one user that run at once")
    calls_at_once: int = Field(default=256, ge=1, description="Tool calls that run at once in all")
    shutdown_grace_s: float = Field(
        default=5.0,
        gt=0,
        description="Seconds that running tasks get to settle when the server ends; then they are abandoned",
    )
    drain_s: float | None = Field(
        default=None,
        ge=0,
        description="Seconds for which a server that is told to end still serves everything, while `/ready` "
        "fails and its balancer finds out; unless set, 3 with `DETOUR_POSTGRES` and else 0",
    )
    events_kept: int = Field(
        default=2000,
        ge=100,
        description="Events kept for each user, for replay; up to 100 more before they are trimmed",
    )
    messages_per_minute: int = Field(
        default=60,
        ge=0,
        description="Messages a user may send in a minute, a minute's worth at once; `0` is no limit, here "
        "and in the limits that follow",
    )
    address_messages_per_minute: int = Field(
        default=1200, ge=0, description="Messages that may come from one address in a minute"
    )
    total_messages_per_minute: int = Field(
        default=30_000, ge=0, description="Messages of all users together in a minute"
    )
    address_requests_per_minute: int = Field(
        default=12_000, ge=0, description="Requests of any kind that may come from one address in a minute"
    )
    address_conversations_per_minute: int = Field(
        default=600, ge=0, description="Conversations that may begin from one address in a minute"
    )
    address_guesses_per_minute: int = Field(
        default=20,
        ge=0,
        description="Wrong tokens that may come from one address in a minute; beyond them it is refused "
        "whatever it sends",
    )
    sockets_per_user: int = Field(
        default=10, ge=1, description="WebSockets and event streams that a user may have open"
    )
    address_streams: int = Field(
        default=1000,
        ge=0,
        description="WebSockets and event streams that may be open from one address; `0` is no limit",
    )
    unread_mib: int = Field(
        default=128,
        ge=1,
        description="MiB of answers and events in all that wait for clients to read them; beyond them the "
        "slowest are cut off",
    )
    user_mib: int = Field(
        default=256,
        ge=0,
        description="MiB that may be stored of a user before no more messages are taken; `0` is no limit",
    )
    keep_days: int = Field(
        default=0,
        ge=0,
        le=36_500,
        description="Days after which what has ended is dropped, turn by turn, and then its user; `0` keeps "
        "everything until it is deleted",
    )
    heartbeat_s: float = Field(
        default=20.0,
        gt=0,
        description="Seconds between pings on a WebSocket, and between comments on an event stream",
    )
    plain_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Other machines whose model or collector may be called without TLS (`name` or "
        "`name:port`), where the way there is safe",
    )
    tracing: bool | None = Field(
        default=None,
        description="Whether spans are sent to an OpenTelemetry collector; unless set, where "
        "`OTEL_EXPORTER_OTLP_ENDPOINT` is",
    )
    tracing_words: bool = Field(
        default=False, description="Whether spans tell what users, agents and tools say, too"
    )
    tracing_users: Literal["hashed", "plain", "none"] = Field(
        default="hashed", description="How spans name users; who knows an id can tell its hash"
    )
    log_format: Literal["console", "json"] = Field(default="console", description="How log lines look")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Least severe log lines to show"
    )

    @property
    def schemas(self) -> Sequence[Schema]:
        """The schemas of `DETOUR_POSTGRES` that what is served needs beside the store's own."""
        return ()

    @field_validator("allowed_hosts", "allowed_origins", "plain_hosts", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return _parts(value) if isinstance(value, str) else value

    @field_validator("allowed_origins")
    @classmethod
    def _check_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for origin in origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise PydanticCustomError(
                    "no_origin",
                    "{origin} is no origin: it is a scheme, a host and perhaps a port, as https://app.example.com",
                    {"origin": origin},
                )
        return origins

    @field_validator("protocols", mode="before")
    @classmethod
    def _split_protocols(cls, value: object) -> object:
        return () if value == "none" else _parts(value) if isinstance(value, str) else value

    @field_validator("title")
    @classmethod
    def _check_title(cls, title: str) -> str:
        if not title.isprintable():
            raise PydanticCustomError("no_title", "a title is one line of text.")
        return title

    @field_validator("examples", mode="before")
    @classmethod
    def _split_examples(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        if not value.lstrip().startswith("["):
            return [text.strip() for text in re.split(r"[|\n]", value) if text.strip()]
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError as error:
            raise PydanticCustomError(
                "no_json", "it begins as a JSON list and is none: {fault}.", {"fault": str(error)}
            ) from None

    @field_validator("examples")
    @classmethod
    def _check_examples(cls, examples: tuple[str, ...]) -> tuple[str, ...]:
        if len(examples) > MOST_EXAMPLES:
            raise PydanticCustomError(
                "too_many", "an empty page has room for {most} of them.", {"most": MOST_EXAMPLES}
            )
        for example in examples:
            if not 0 < len(example) <= LONGEST_EXAMPLE:
                raise PydanticCustomError(
                    "no_example", "each has 1 to {most} characters.", {"most": LONGEST_EXAMPLE}
                )
        return examples

    @field_validator("graph_context", mode="before")
    @classmethod
    def _read_json(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        try:
            found: object = orjson.loads(value)
        except orjson.JSONDecodeError as error:
            raise PydanticCustomError("no_json", "it is no JSON: {fault}.", {"fault": str(error)}) from None
        if not isinstance(found, dict):
            raise PydanticCustomError("no_object", 'it must be a JSON object, such as {"model": "fast"}.')
        return found  # pyright: ignore[reportUnknownVariableType]


_ORIGIN = re.compile(r"https?://[^/\s?#@]+/?")


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
