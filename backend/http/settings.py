"""Everything that can be set, all of it optional: flags, environment variables `DETOUR_*`, or a `.env` file.

A variable that is set to nothing counts as not set: an empty token would let anyone in.
"""

import ast
import base64
import difflib
import importlib
import inspect
import ipaddress
import os
import re
from argparse import SUPPRESS, ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin
from urllib.parse import parse_qs, unquote, urlsplit

import orjson
from dotenv import dotenv_values
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from ..domain.errors import StoreUnavailable
from ..domain.task import Policy
from ..store.migration_files import Schema
from .identity.principal import (
    LEAST_RSA_BITS,
    MOST_RSA_BITS,
    SCOPES,
    SHORTEST_TOKEN,
    TOKEN_TYPES,
    Scope,
    TokenType,
)
from .identity.proxies import Network, is_local

PREFIX = "DETOUR_"
ENV_FILE = ".env"

Protocol = Literal["langgraph", "ai-sdk", "ag-ui", "mcp", "openai", "a2a"]
PROTOCOLS: tuple[Protocol, ...] = ("langgraph", "ai-sdk", "ag-ui")
"""Those that are on by default; the others are named in the setting."""

MOST_EXAMPLES = 6
LONGEST_EXAMPLE = 200

_STATED_MODES = ("disable", "require", "verify-ca", "verify-full")
"""Those with which it is certain whether what is sent is encrypted; all others fall back, and say nothing."""

_ORIGIN = re.compile(r"https?://[^/\s?#@]+/?")
_HeaderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{0,60}$")]


def _wrong(says: str, **values: Any) -> PydanticCustomError:
    return PydanticCustomError("wrong", says, values)  # pyright: ignore[reportArgumentType]


def _network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise _wrong("{fault}.", fault=str(error)) from None


def _base_url(text: str) -> str:
    parts = urlsplit(_url(text))
    if parts.path.strip("/") or parts.query:
        raise _wrong("it must be a scheme and a host, without a path.")
    return f"{parts.scheme}://{parts.netloc}".lower() if text else ""


def _url(text: str) -> str:
    parts = urlsplit(text)
    if not text:
        return text
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.fragment:
        raise _wrong("it is no address, such as https://trips.example.com.")
    if parts.scheme == "http" and not is_local(parts.hostname):
        raise _wrong("it must begin with https://, unless it is on this machine.")
    return text


class Settings(BaseSettings):
    """The settings of one server; each is also a flag of `detour serve`. Only `read_settings` makes them."""

    # `ignore`, since `.env` may hold variables of others; `read_settings` refuses unknown ones of ours.
    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_file=ENV_FILE, env_ignore_empty=True, extra="ignore", defer_build=True
    )

    auth: Literal["token", "jwt", "proxy"] = "token"
    """How people sign in: with the one `token` of all; with tokens of an identity provider (`jwt`); or at a
    `proxy` in front (docs/identity.md)"""
    token: SecretStr | None = None
    """Once set, asked of everyone: `Authorization: Bearer …`, or the page's cookie; 22 random characters or
    more"""
    jwt_issuer: str = ""
    """With `DETOUR_AUTH=jwt`, the `iss` of tokens"""
    jwt_audience: str = ""
    """The `aud` of tokens that are for this server"""
    jwt_jwks: Annotated[str, AfterValidator(_url)] = ""
    """Address of the issuer's keys (JWKS); `https`, or `http` on this machine"""
    jwt_key: str = ""
    """In its place, one public key or certificate in PEM, or the path of its file"""
    jwt_scope_prefix: str = ""
    """What the issuer puts before `read`, `chat` and `operate` in its scopes"""
    jwt_types: Annotated[tuple[TokenType, ...], NoDecode] = Field(TOKEN_TYPES, min_length=1)
    """What the header `typ` of tokens may be, `none` for one without; `at+jwt` alone where the issuer marks
    access tokens so (RFC 9068). ID tokens are refused in any case"""
    jwt_rsa_bits: int = Field(LEAST_RSA_BITS, ge=LEAST_RSA_BITS, le=MOST_RSA_BITS)
    """Bits that RSA keys of the issuer must have; 3072 for 128 bits of security"""
    default_scopes: Annotated[tuple[Scope, ...], NoDecode] = ("read", "chat")
    """Scopes of people of whom no scopes are told, or `none`"""
    proxy_addresses: Annotated[tuple[Annotated[Network, BeforeValidator(_network)], ...], NoDecode] = ()
    """Addresses or networks of proxies in front whose `X-Forwarded-*` headers are believed"""
    proxy_header: _HeaderName = "X-Forwarded-User"
    """With `DETOUR_AUTH=proxy`, the header in which the proxy names whom it has signed in"""
    proxy_scopes_header: _HeaderName = ""
    """The header in which it tells the person's scopes, if it does"""
    public_url: Annotated[str, AfterValidator(_base_url)] = ""
    """Where browsers find this server (`https://trips.example.com`); needed to listen on an address that is
    not this machine's"""
    sign_in_url: Annotated[str, AfterValidator(_url)] = ""
    """Where the page sends people whose sign-in is over; it sends back to `/#token=…`"""
    session_hours: float = Field(168.0, gt=0, le=8760)
    """Hours after which a page has to sign in again"""
    session_idle_hours: float = Field(24.0, gt=0, le=8760)
    """Hours without a request after which it has to do so earlier"""
    postgres: SecretStr | None = None
    """Address of a PostgreSQL database (`postgresql://user:password@host/database`), in the place of
    `DETOUR_STORE`; on another machine with `?sslmode=verify-full`, `require` or `disable`"""
    hints: Literal["listen", "poll"] = "listen"
    """How servers that share `DETOUR_POSTGRES` hear of each other's work: by `LISTEN` in a session, or by a
    question every 100 ms (`poll`), which any pooler lets through; then a server that was killed is noticed
    only by its lease"""
    postgres_direct: SecretStr | None = None
    """Address of the same database that leads past a pooler of transactions, for the three connections of
    hints, ownership and the lease; the others then prepare nothing"""
    migrate: bool = True
    """Whether the server brings the tables of `DETOUR_POSTGRES` up to date as it starts; if not, `python -m
    backend.migrate` does"""
    replica: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{0,40}$")] = ""
    """Name of this server among those that share `DETOUR_POSTGRES`, for logs"""
    lease_s: float = Field(10.0, gt=0.5)
    """Seconds after which a server counts as dead that does not renew its lease in `DETOUR_POSTGRES`; others
    then take its users over"""
    host: str = "127.0.0.1"
    """Address to listen on; anything but this machine needs a sign-in and `DETOUR_PUBLIC_URL`"""
    port: int = Field(8000, ge=0, le=65535)
    """Port to listen on; `0` takes any free one, which the printed link names"""
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    """Further `Host` values to answer (`name` or `name:port`); their pages get in too"""
    allowed_origins: Annotated[tuple[str, ...], NoDecode] = ()
    """Origins whose pages may use this server beside its own (`https://app.example.com`); `*` for all, which
    needs a sign-in"""
    title: Annotated[str, StringConstraints(strip_whitespace=True)] = Field("Detour", max_length=60)
    """Name of the page, in its header and its window's title"""
    examples: Annotated[tuple[str, ...], NoDecode] = Field(
        (), json_schema_extra={"written": "list, separated by vertical bars or line breaks, or a JSON list"}
    )
    """Messages that an empty page offers to send"""
    protocols: Annotated[tuple[Protocol, ...], NoDecode] = PROTOCOLS
    """Protocols of other people's clients that are served beside Detour's own, or `none`; also `openai`,
    `a2a`, and `mcp`, which needs the extra `mcp`"""
    policy: Policy = "interrupt"
    """What a message does while another one is worked on, if it does not say so itself"""
    store: Literal["sqlite", "memory"] = "sqlite"
    """Where everything is kept; `memory` ends with the process"""
    data_dir: Path = Path("data")
    """Folder of all that is stored, of one server at a time; created for you alone (`0700`)"""
    graph: str = ""
    """`module:attribute` of a LangGraph graph to serve, looked for from the current folder, or the path of a
    `langgraph.json`, whose graphs are served; `path:name` or `path:a,b` picks some"""
    graph_default: str = ""
    """Of several graphs, the one of a user's first message that names none; else the first"""
    graph_context: Annotated[dict[str, Any], NoDecode] = {}
    """Parts of the graph's `context_schema` and `configurable`, the same for every user"""
    graph_input: str = ""
    """Field of the graph's input that gets the message, where no rule finds it"""
    graph_reply: str = ""
    """Key of the graph's final state that holds the reply, where no rule finds it"""
    graph_store: Literal["apart", "shared"] = "apart"
    """Of a store that a graph was compiled with: whether each user has items of their own in it, or all users
    `shared` ones"""
    graph_start_s: float = Field(60.0, gt=0)
    """Seconds that the import of a graph may take, and the function that makes it"""
    task_timeout_s: float = Field(600.0, gt=0)
    """Seconds a task may run before it is interrupted as `timed_out`"""
    task_results_mib: float = Field(4.0, gt=0)
    """MiB of results and text that a task may show before it fails; what it showed is kept"""
    blocked_warning_s: float = Field(1.0, gt=0)
    """Seconds for which code may keep the event loop blocked, and with it all users, before the log says
    which node and line do"""
    blocked_attempt_s: float = Field(5.0, gt=0)
    """Seconds of the same before it counts against the message: if the server is killed then, the message is
    tried once more, and not twice"""
    input_timeout_s: float = Field(86400.0, gt=0)
    """Seconds that a question stays open before its task ends as `timed_out`"""
    permission_timeout_s: float = Field(900.0, gt=0)
    """Seconds in which a write may be allowed, and then made"""
    calls_per_user: int = Field(8, ge=1)
    """Tool calls of one user that run at once"""
    calls_at_once: int = Field(256, ge=1)
    """Tool calls that run at once in all"""
    shutdown_grace_s: float = Field(5.0, gt=0)
    """Seconds that running tasks get to settle when the server ends; then they are abandoned"""
    drain_s: float | None = Field(None, ge=0)
    """Seconds for which a server that is told to end still serves everything, while `/ready` fails and its
    balancer finds out; unless set, 3 with `DETOUR_POSTGRES` and else 0"""
    events_kept: int = Field(2000, ge=100)
    """Events kept for each user, for replay; up to 100 more before they are trimmed"""
    messages_per_minute: int = Field(60, ge=0)
    """Messages a user may send in a minute, a minute's worth at once; `0` is no limit, here and in the limits
    that follow"""
    address_messages_per_minute: int = Field(1200, ge=0)
    """Messages that may come from one address in a minute"""
    total_messages_per_minute: int = Field(30_000, ge=0)
    """Messages of all users together in a minute"""
    address_requests_per_minute: int = Field(12_000, ge=0)
    """Requests of any kind that may come from one address in a minute"""
    address_conversations_per_minute: int = Field(600, ge=0)
    """Conversations that may begin from one address in a minute"""
    address_guesses_per_minute: int = Field(20, ge=0)
    """Wrong tokens that may come from one address in a minute; beyond them it is refused whatever it sends"""
    sockets_per_user: int = Field(10, ge=1)
    """WebSockets and event streams that a user may have open"""
    address_streams: int = Field(1000, ge=0)
    """WebSockets and event streams that may be open from one address; `0` is no limit"""
    unread_mib: int = Field(128, ge=1)
    """MiB of answers and events in all that wait for clients to read them; beyond them the slowest are cut
    off"""
    user_mib: int = Field(256, ge=0)
    """MiB that may be stored of a user before no more messages are taken; `0` is no limit"""
    keep_days: int = Field(0, ge=0, le=36_500)
    """Days after which what has ended is dropped, turn by turn, and then its user; `0` keeps everything until
    it is deleted"""
    heartbeat_s: float = Field(20.0, gt=0)
    """Seconds between pings on a WebSocket, and between comments on an event stream"""
    plain_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    """Other machines whose model or collector may be called without TLS (`name` or `name:port`), where the
    way there is safe"""
    webhook_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    """Hosts (`name` or `name:port`) that a run's `webhook` may name although they have private addresses, or
    no TLS"""
    tracing: bool | None = None
    """Whether spans are sent to an OpenTelemetry collector; unless set, where `OTEL_EXPORTER_OTLP_ENDPOINT`
    is"""
    tracing_words: bool = False
    """Whether spans tell what users, agents and tools say, too"""
    tracing_users: Literal["hashed", "plain", "none"] = "hashed"
    """How spans name users; who knows an id can tell its hash"""
    log_format: Literal["console", "json"] = "console"
    """How log lines look"""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Least severe log lines to show"""

    @property
    def schemas(self) -> Sequence[Schema]:
        """The schemas of `DETOUR_POSTGRES` that what is served needs beside the store's own."""
        return ()

    @property
    def signs_in(self) -> bool:
        """Whether people have to sign in."""
        return self.auth != "token" or self.token is not None

    @property
    def sign_in(self) -> str:
        """How people of the page sign in: see `routes.page_files.Face`."""
        if self.auth == "jwt":
            return self.sign_in_url or "elsewhere"
        return self.auth if self.signs_in else ""

    @property
    def prepares_nothing(self) -> bool:
        """Whether there may be a pooler of transactions between this server and its database."""
        return self.hints == "poll" or self.postgres_direct is not None

    @field_validator(
        *("allowed_hosts", "allowed_origins", "default_scopes", "jwt_types", "plain_hosts"),
        *("protocols", "proxy_addresses", "webhook_hosts"),
        mode="before",
    )
    @classmethod
    def _split(cls, value: object, info: ValidationInfo) -> object:
        if not isinstance(value, str):
            return value
        if value == "none" and info.field_name in ("default_scopes", "protocols"):
            return ()
        return tuple(part for part in re.split(r"[\s,]+", value) if part)

    @field_validator("token")
    @classmethod
    def _check_token(cls, token: SecretStr | None) -> SecretStr | None:
        if token is None or not token.get_secret_value():
            return None  # an empty variable, such as Compose passes on
        if len(token.get_secret_value()) < SHORTEST_TOKEN:
            raise _wrong(
                "it must have {least} characters or more; `openssl rand -hex 16` makes one.",
                least=SHORTEST_TOKEN,
            )
        return token

    @field_validator("default_scopes")
    @classmethod
    def _order_scopes(cls, scopes: tuple[Scope, ...]) -> tuple[Scope, ...]:
        return tuple(each for each in SCOPES if each in scopes)

    @field_validator("postgres", "postgres_direct")
    @classmethod
    def _check_transport(cls, address: SecretStr | None) -> SecretStr | None:
        if address is not None and (host := _host_of_unclear_transport(address.get_secret_value())):
            raise _wrong(
                "{host} is not this machine, so the address needs `?sslmode=verify-full` or `require`, or "
                "`disable` where nobody else is on the way; otherwise it could go unencrypted unnoticed.",
                host=host,
            )
        return address

    @field_validator("hints", "postgres_direct")
    @classmethod
    def _check_use(cls, value: Any, info: ValidationInfo) -> Any:
        # An address of a database that is refused itself is not missing.
        if value not in (None, "listen") and info.data.get("postgres", "") is None:
            raise _wrong("it is of no use without DETOUR_POSTGRES.")
        if info.field_name == "postgres_direct" and value is not None and info.data.get("hints") == "poll":
            raise _wrong("it is of no use with DETOUR_HINTS=poll, which has no session.")
        return value

    @field_validator("allowed_origins")
    @classmethod
    def _check_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for origin in origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise _wrong(
                    "{origin} is no origin: it is a scheme, a host and perhaps a port, as https://app.example.com",
                    origin=origin,
                )
        return origins

    @field_validator("title")
    @classmethod
    def _check_title(cls, title: str) -> str:
        if not title.isprintable():
            raise _wrong("a title is one line of text.")
        return title

    @field_validator("examples", mode="before")
    @classmethod
    def _split_examples(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        if not value.lstrip().startswith("["):
            return [text.strip() for text in re.split(r"[|\n]", value) if text.strip()]
        return _from_json(value, "it begins as a JSON list and is none: {fault}.")

    @field_validator("examples")
    @classmethod
    def _check_examples(cls, examples: tuple[str, ...]) -> tuple[str, ...]:
        if len(examples) > MOST_EXAMPLES:
            raise _wrong("an empty page has room for {most} of them.", most=MOST_EXAMPLES)
        if not all(0 < len(example) <= LONGEST_EXAMPLE for example in examples):
            raise _wrong("each has 1 to {most} characters.", most=LONGEST_EXAMPLE)
        return examples

    @field_validator("graph_context", mode="before")
    @classmethod
    def _read_context(cls, value: object) -> object:
        found = _from_json(value, "it is no JSON: {fault}.") if isinstance(value, str) else value
        if not isinstance(found, dict):
            raise _wrong('it must be a JSON object, such as {"model": "fast"}.')
        return found  # pyright: ignore[reportUnknownVariableType]


def _from_json(text: str, says: str) -> object:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise _wrong(says, fault=str(error)) from None


def _host_of_unclear_transport(address: str) -> str:
    """Return a host that is not this machine, if nobody has said whether to encrypt; else ""."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""  # it is no address, which connecting tells
    asked = parse_qs(parts.query)
    mode = asked.get("sslmode", [os.environ.get("PGSSLMODE", "")])[-1]
    if mode in _STATED_MODES:
        return ""
    named = parts.netloc.rpartition("@")[2] or asked.get("host", [os.environ.get("PGHOST", "")])[-1]
    for each in unquote(named).split(","):
        host = each[1:].partition("]")[0] if each.startswith("[") else each.partition(":")[0]
        if host and not host.startswith("/") and not is_local(host):  # a Unix socket is none
            return host
    return ""


def wrong_together(settings: Settings) -> list[str]:
    """Return a sentence for each thing about a server that would let strangers in, or nobody."""
    if settings.signs_in:
        wrong = [*_wrong_with_auth(settings)]
        if not is_local(settings.host) and not settings.public_url and not settings.proxy_addresses:
            wrong.append(
                f"DETOUR_HOST: {settings.host} needs DETOUR_PUBLIC_URL, the https address that browsers come "
                "by, or DETOUR_PROXY_ADDRESSES: what is sent would be readable on the way. Where the port is "
                "published to this machine only, as by docker compose, it is http://127.0.0.1 with that port."
            )
        return wrong
    needed = "needs DETOUR_TOKEN, or DETOUR_AUTH=jwt or proxy"
    reached = f"{needed}; anyone could reach the server"
    opened = {
        f"DETOUR_HOST: {settings.host} {reached}.": not is_local(settings.host),
        f"DETOUR_PROXY_ADDRESSES: a proxy {reached} through it.": settings.proxy_addresses,
        f"DETOUR_PUBLIC_URL: {settings.public_url} {reached}.": settings.public_url
        and not is_local(urlsplit(settings.public_url).hostname or ""),
        f"DETOUR_ALLOWED_ORIGINS: * {needed}; any page could use the server.": "*"
        in settings.allowed_origins,
    }
    return [*_wrong_with_auth(settings), *(sentence for sentence, is_open in opened.items() if is_open)]


def _wrong_with_auth(settings: Settings) -> Iterator[str]:
    if settings.auth == "token":
        for name in ("jwt_audience", "jwt_issuer", "jwt_jwks", "jwt_key"):
            if getattr(settings, name):
                yield f"DETOUR_{name.upper()} is of no use without DETOUR_AUTH=jwt."
    elif settings.token is not None:
        yield f"DETOUR_TOKEN and DETOUR_AUTH={settings.auth} exclude each other: set one of them."
    if settings.auth == "jwt":
        for name in ("jwt_issuer", "jwt_audience"):
            if not getattr(settings, name):
                yield f"DETOUR_AUTH=jwt needs DETOUR_{name.upper()}."
        if bool(settings.jwt_jwks) == bool(settings.jwt_key):
            yield "DETOUR_AUTH=jwt needs either DETOUR_JWT_JWKS or DETOUR_JWT_KEY."
    if settings.auth == "proxy" and not settings.proxy_addresses:
        yield "DETOUR_AUTH=proxy needs DETOUR_PROXY_ADDRESSES: anybody could send the proxy's header."


# --- the travel assistant ------------------------------------------------------------------------------
# Apart from it: a server for a graph knows these settings too, and imports nothing else of the assistant.


_TABLES = {"..travel.providers.demo.migrations": "BOOKINGS", "..travel.providers.migrations": "SELLERS"}
"""The schemas of bookings, by the modules that know them: the demo's, and those at real sellers."""

_TEST_KEYS = {"duffel_token": "duffel_test_", "liteapi_key": "sand_"}
"""How keys begin with which nothing is bought."""


def is_test(field: str, key: SecretStr) -> bool:
    """Return whether nothing is bought with the key of a setting."""
    return key.get_secret_value().startswith(_TEST_KEYS[field])


_KEY_BYTES = 32
_MONEY_MOVES = "DETOUR_LIVE=yes takes keys with which money moves."


class TravelSettings(Settings):
    """Adds the language model, the keys of real sellers, and the pace and seed of the demo inventory."""

    model: str = ""
    """Language model, `provider:name` with `openai`, `anthropic` or `ollama`; without it the built-in rules
    do everything (docs/models.md)"""
    model_base_url: str = ""
    """Where the model is, if not at its provider: any server that speaks as the provider does"""
    model_key: SecretStr | None = None
    """Key for the provider; `OPENAI_API_KEY` or `ANTHROPIC_API_KEY` counts as well"""
    model_streams: bool = True
    """Whether the model's service can stream; if it cannot, an answer comes whole"""
    model_reading_s: float = Field(1.5, gt=0)
    """Seconds a model has to read a message before the rules' reading counts"""
    model_searches: bool = False
    """Whether the model may search further where nothing fits or several searches are needed: up to two more
    calls before the reply, of eight seconds together"""
    live: bool = False
    """Whether keys are taken with which money moves; without it only keys of test modes are"""
    duffel_token: SecretStr | None = None
    """Token of Duffel, which then sells the flights instead of the demo (docs/providers.md)"""
    duffel_url: str = "https://api.duffel.com"
    """Where Duffel is; a gateway perhaps"""
    liteapi_key: SecretStr | None = None
    """Key of LiteAPI, which then sells the hotels instead of the demo"""
    liteapi_url: str = "https://api.liteapi.travel/v3.0"
    """Where LiteAPI searches"""
    liteapi_book_url: str = "https://book.liteapi.travel/v3.0"
    """Where LiteAPI books"""
    travellers_key: SecretStr | None = None
    """Seals who travels where it is kept: 32 random bytes in base64 (`openssl rand -base64 32`)"""
    nationality: str = Field("DE", pattern="^[A-Z]{2}$")
    """Country whose citizens the guests are for LiteAPI (ISO 3166); some hotels' prices depend on it"""
    demo_pace: float = Field(0.6, ge=0)
    """Seconds between batches of a simulated source; `0` is at once"""
    demo_seed: int = 1
    """Seed of the demo inventory; another one makes other flights and hotels"""

    @property
    def schemas(self) -> Sequence[Schema]:
        """The tables of bookings, unless a graph of one's own is served."""
        modules = {} if self.graph else _TABLES
        return [getattr(importlib.import_module(each, __package__), name) for each, name in modules.items()]

    @field_validator(*_TEST_KEYS)
    @classmethod
    def _is_of_a_test_mode(cls, key: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        name = str(info.field_name)
        if key and not is_test(name, key) and not info.data.get("live"):
            raise _wrong(f"it is no key of a test mode, which begins with {_TEST_KEYS[name]}. {_MONEY_MOVES}")
        return key

    @field_validator("travellers_key")
    @classmethod
    def _seals(cls, key: SecretStr | None) -> SecretStr | None:
        if key is None:
            return None
        standard = key.get_secret_value().strip().replace("-", "+").replace("_", "/")
        try:
            fits = len(base64.b64decode(standard, validate=True)) == _KEY_BYTES
        except ValueError:
            fits = False
        if not fits:
            raise _wrong("it is no key; `openssl rand -base64 32` prints one.")
        return key

    @field_validator("model")
    @classmethod
    def _is_for_travel(cls, model: str, info: ValidationInfo) -> str:
        if model and info.data.get("graph"):
            raise _wrong("it is for the travel graph; the one of DETOUR_GRAPH has its own.")
        return model


# --- reading -------------------------------------------------------------------------------------------
# A flag counts before the environment, the environment before the file `.env` of the current folder, and
# that before the default.


NOT_OF_THE_SERVER = ("DETOUR_API", "DETOUR_TESTS_COMPLETE")
"""Variables of the Streamlit client and of the project's tests: one environment may configure them all."""

_OF_KUBERNETES = re.compile(r"DETOUR_(SERVICE_(HOST|PORT)|PORT_[0-9]+_)")
"""Begins the variables that a pod gets for a service called `detour`."""


class WrongSettingsError(Exception):
    """Settings are wrong. The message has a line for each."""


def read_settings(kind: type[Settings], flags: Mapping[str, str] | None = None) -> Settings:
    """Return the settings; `flags` are those of the command line, by field. Raises `WrongSettingsError`."""
    flags = flags or {}
    wrong = list(_mistyped(kind))
    try:
        # A mapping of strings: the settings class parses them as it does the environment's.
        settings = kind(**flags)  # pyright: ignore[reportArgumentType]
    except ValidationError as error:
        for each in error.errors():
            field = str(each["loc"][0])
            wrong.append(f"{flag_of(field) if field in flags else variable_of(field)}: {each['msg']}")
    else:
        if not wrong:
            return settings
    raise WrongSettingsError("\n".join(wrong))


def variable_of(field: str) -> str:
    """Return the environment variable of a field."""
    return f"{PREFIX}{field}".upper()


def flag_of(field: str) -> str:
    """Return the flag of a field."""
    return f"--{field.replace('_', '-')}"


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the name that is most like this one, "" if none is much like it."""
    return next(iter(difflib.get_close_matches(name, names, n=1)), "")


def _mistyped(kind: type[Settings]) -> Iterator[str]:
    """Yield a sentence for each variable with the prefix that is no setting."""
    known = {*map(variable_of, kind.model_fields), *NOT_OF_THE_SERVER}
    # The travel assistant's own settings are gone with it, so none of them is a mistake in typing.
    what = "no setting" if kind is not Settings else "no setting of a server without the travel assistant"
    file = dotenv_values(ENV_FILE) if Path(ENV_FILE).is_file() else {}
    for place, variables in (("", os.environ), (f" in {ENV_FILE}", file)):
        for name, value in sorted(variables.items()):
            typed = name.upper()  # pydantic-settings reads names in any case
            is_set = typed.startswith(PREFIX) and bool(value)  # one that is set to nothing counts as not set
            if is_set and typed not in known and not _OF_KUBERNETES.match(typed):
                # Compared without the prefix, which alone makes any two names alike.
                short = typed.removeprefix(PREFIX)
                found = nearest(short, (each.removeprefix(PREFIX) for each in sorted(known)))
                yield f"{name}{place} is {what}" + (f"; did you mean {PREFIX}{found}?" if found else "")


def meanings(kind: type[Settings]) -> Mapping[str, str]:
    """Return what each setting means, by field: the text below it in its class."""
    # Read from the source, and by `--help` alone: pydantic would read it at each start, which takes 60 ms.
    found: dict[str, str] = {}
    for each in (each for each in kind.__mro__ if issubclass(each, Settings)):
        for field, below in pairwise(ast.walk(ast.parse(inspect.getsource(each)))):
            match field, below:
                case ast.AnnAssign(target=ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                    found[name] = " ".join(text.split())
                case _:
                    pass
    return found


def read_flags(
    given: Sequence[str],
    kind: type[Settings],
    *,
    program: str,
    about: str,
    takes: Callable[[str], bool] = lambda _name: True,
) -> dict[str, str]:
    """Return the settings that a command line gives, by field, as typed in the environment.

    A graph may be given without its flag. `takes` picks the fields that have a flag. Raises SystemExit after
    `--help`, and for an unknown flag.
    """
    usage = f"{program} [GRAPH] [--setting VALUE ...]"  # argparse would list all flags with each error
    parser = ArgumentParser(prog=program, usage=usage, description=about, allow_abbrev=False)
    parser.add_argument(
        "place", nargs="?", metavar="GRAPH", help=f"short for {flag_of('graph')} GRAPH", default=SUPPRESS
    )
    meaning = meanings(kind)
    own = parser.add_argument_group("settings", "The environment and .env can give each of them, too.")
    names = [name for name in kind.model_fields if takes(name)]
    for name in names:
        told = _help(name, kind.model_fields[name], meaning[name])
        own.add_argument(flag_of(name), metavar="VALUE", dest=name, help=told, default=SUPPRESS)
    known, unknown = parser.parse_known_args(given)
    for each in unknown:
        flag = nearest(each, map(flag_of, names)) if each.startswith("-") else ""
        parser.error(f"{each} is no flag" + (f"; did you mean {flag}?" if flag else ""))
    flags: dict[str, str] = vars(known)
    if "place" in flags and "graph" in flags:
        parser.error(f"give the graph once, with {flag_of('graph')} or without")
    return {"graph" if name == "place" else name: value for name, value in flags.items()}


def as_typed(value: object) -> str:
    """Return a setting's value as one types it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(map(str, value))  # pyright: ignore[reportUnknownArgumentType]
    return f"{value:g}" if isinstance(value, float) else str(value)


def _help(name: str, field: FieldInfo, meaning: str) -> str:
    more = "" if field.default in (None, "", (), {}) else f"; default {as_typed(field.default)}"
    if get_origin(field.annotation) is Literal:
        more = f"; {' or '.join(get_args(field.annotation))}{more}"
    if SecretStr in get_args(field.annotation):
        more = ", which is safer: this machine's users can see the flags of its processes"
    # argparse fills in what follows a percent sign.
    return f"{meaning} ({variable_of(name)}{more})".replace("%", "%%").replace("`", "")


def settings_of_command(kind: type[Settings], given: Sequence[str], *, about: str) -> Settings:
    """Return the settings that a command line, the environment and `.env` give. Raises SystemExit."""
    try:
        settings = read_settings(kind, read_flags(given, kind, program="detour serve", about=about))
    except WrongSettingsError as error:
        raise SystemExit(str(error)) from None
    if wrong := wrong_together(settings):
        raise SystemExit("\n".join(wrong))
    return settings


# --- data folder ---------------------------------------------------------------------------------------


def make_folder(folder: Path) -> None:
    """Make the folder, private to its user, unless it is there. Raises `StoreUnavailable`."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # private: it holds what users said
    except OSError as error:
        # For a file in its place the system says that it exists, which is no reason.
        why = "it is a file, and no folder" if isinstance(error, FileExistsError) else error.strerror
        raise StoreUnavailable(f"DETOUR_DATA_DIR: {folder} cannot be used: {why}.") from None


def data_file(folder: Path) -> Path:
    """Return the file in it that holds every conversation."""
    return folder / "detour.sqlite"


def bookings_file(folder: Path) -> Path:
    """Return the file in it that holds the bookings of the demo inventory, if anybody has booked."""
    return folder / "bookings.sqlite"
