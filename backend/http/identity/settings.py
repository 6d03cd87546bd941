"""The settings that say who may use a server, and where browsers find it."""

import ipaddress
import re
from collections.abc import Callable
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, StringConstraints, field_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from .principal import (
    LEAST_RSA_BITS,
    MOST_RSA_BITS,
    SCOPES,
    SHORTEST_TOKEN,
    STRONG_RSA_BITS,
    TOKEN_TYPES,
    Scope,
    TokenType,
)
from .proxies import Network, is_loopback

LOCAL_NAMES = ("127.0.0.1", "localhost", "::1")

HeaderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{0,60}$")]


def is_local(host: str) -> bool:
    """Return whether a host's name or address is this machine's own, which no other machine reaches."""
    return host.lower() in LOCAL_NAMES or is_loopback(host)


def _address(allow_path: bool) -> Callable[[str], str]:
    def check(text: str) -> str:
        if not text:
            return text
        parts = urlsplit(text)
        wrong = "no_address"
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.fragment:
            raise PydanticCustomError(wrong, "it is no address, such as https://trips.example.com.")
        if parts.scheme == "http" and not is_local(parts.hostname):
            raise PydanticCustomError(wrong, "it must begin with https://, unless it is on this machine.")
        if not allow_path and (parts.path.strip("/") or parts.query):
            raise PydanticCustomError(wrong, "it must be a scheme and a host, without a path.")
        return text if allow_path else f"{parts.scheme}://{parts.netloc}".lower()

    return check


class IdentitySettings(BaseSettings):
    """Adds to the settings of a server how people sign in."""

    model_config = SettingsConfigDict(defer_build=True)  # nobody makes these alone

    auth: Literal["token", "jwt", "proxy"] = Field(
        default="token",
        description="How people sign in: with the one `token` of all; with tokens of an identity provider "
        "(`jwt`); or at a `proxy` in front (docs/identity.md)",
    )
    token: SecretStr | None = Field(
        default=None,
        description="Once set, asked of everyone: `Authorization: Bearer …`, or the page's cookie; "
        f"{SHORTEST_TOKEN} random characters or more",
    )
    jwt_issuer: str = Field(default="", description="With `DETOUR_AUTH=jwt`, the `iss` of tokens")
    jwt_audience: str = Field(default="", description="The `aud` of tokens that are for this server")
    jwt_jwks: Annotated[str, AfterValidator(_address(allow_path=True))] = Field(
        default="", description="Address of the issuer's keys (JWKS); `https`, or `http` on this machine"
    )
    jwt_key: str = Field(
        default="", description="In its place, one public key or certificate in PEM, or the path of its file"
    )
    jwt_scope_prefix: str = Field(
        default="", description="What the issuer puts before `read`, `chat` and `operate` in its scopes"
    )
    jwt_types: Annotated[tuple[TokenType, ...], NoDecode] = Field(
        default=TOKEN_TYPES,
        min_length=1,
        description="What the header `typ` of tokens may be, `none` for one without; `at+jwt` alone where "
        "the issuer marks access tokens so (RFC 9068). ID tokens are refused in any case",
    )
    jwt_rsa_bits: int = Field(
        default=LEAST_RSA_BITS,
        ge=LEAST_RSA_BITS,
        le=MOST_RSA_BITS,
        description=f"Bits that RSA keys of the issuer must have; {STRONG_RSA_BITS} for 128 bits of security",
    )
    default_scopes: Annotated[tuple[Scope, ...], NoDecode] = Field(
        default=("read", "chat"), description="Scopes of people of whom no scopes are told, or `none`"
    )
    proxy_addresses: Annotated[tuple[Network, ...], NoDecode] = Field(
        default=(),
        description="Addresses or networks of proxies in front whose `X-Forwarded-*` headers are believed",
    )
    proxy_header: HeaderName = Field(
        default="X-Forwarded-User",
        description="With `DETOUR_AUTH=proxy`, the header in which the proxy names whom it has signed in",
    )
    proxy_scopes_header: HeaderName = Field(
        default="", description="The header in which it tells the person's scopes, if it does"
    )
    public_url: Annotated[str, AfterValidator(_address(allow_path=False))] = Field(
        default="",
        description="Where browsers find this server (`https://trips.example.com`); needed to listen on an "
        "address that is not this machine's",
    )
    sign_in_url: Annotated[str, AfterValidator(_address(allow_path=True))] = Field(
        default="",
        description="Where the page sends people whose sign-in is over; it sends back to `/#token=…`",
    )
    session_hours: float = Field(
        default=168.0, gt=0, le=8760, description="Hours after which a page has to sign in again"
    )
    session_idle_hours: float = Field(
        default=24.0,
        gt=0,
        le=8760,
        description="Hours without a request after which it has to do so earlier",
    )

    @field_validator("token")
    @classmethod
    def _check_token(cls, token: SecretStr | None) -> SecretStr | None:
        if token is None or not token.get_secret_value():
            return None  # an empty variable, such as Compose passes on
        if len(token.get_secret_value()) < SHORTEST_TOKEN:
            raise PydanticCustomError(
                "short_token",
                "it must have {least} characters or more; `openssl rand -hex 16` makes one.",
                {"least": SHORTEST_TOKEN},
            )
        return token

    @field_validator("jwt_types", mode="before")
    @classmethod
    def _split_types(cls, value: object) -> object:
        return tuple(re.split(r"[\s,]+", value.strip())) if isinstance(value, str) else value

    @field_validator("default_scopes", mode="before")
    @classmethod
    def _split_scopes(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        return () if value == "none" else tuple(re.split(r"[\s,]+", value.strip()))

    @field_validator("default_scopes")
    @classmethod
    def _check_scopes(cls, scopes: tuple[Scope, ...]) -> tuple[Scope, ...]:
        return tuple(each for each in SCOPES if each in scopes)

    @field_validator("proxy_addresses", mode="before")
    @classmethod
    def _split_networks(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        try:
            return tuple(ipaddress.ip_network(part.strip()) for part in value.split(",") if part.strip())
        except ValueError as error:
            fault = str(error)
            raise PydanticCustomError("no_network", "{fault}.", {"fault": fault}) from None


def sign_in_of(settings: IdentitySettings) -> str:
    """Return how people of the page sign in: see `routes.page_files.Face`."""
    if settings.auth == "jwt":
        return settings.sign_in_url or "elsewhere"
    if settings.auth == "proxy":
        return "proxy"
    return "token" if settings.auth == "token" and settings.token is not None else ""


def wrong_together(settings: IdentitySettings, host: str, *, any_origin: bool) -> list[str]:
    """Return a sentence for each thing about a server that would let strangers in, or nobody.

    `host` is where it listens; with `any_origin`, pages of all origins may use it.
    """
    signs_in = settings.auth != "token" or settings.token is not None
    wrong = [*_wrong_with_auth(settings)]
    if not signs_in:
        needed = "needs DETOUR_TOKEN, or DETOUR_AUTH=jwt or proxy"
        if not is_local(host):
            wrong.append(f"DETOUR_HOST: {host} {needed}; anyone could reach the server.")
        if settings.proxy_addresses:
            wrong.append(
                f"DETOUR_PROXY_ADDRESSES: a proxy {needed}; anyone could reach the server through it."
            )
        if settings.public_url and not is_local(urlsplit(settings.public_url).hostname or ""):
            wrong.append(f"DETOUR_PUBLIC_URL: {settings.public_url} {needed}; anyone could reach the server.")
        if any_origin:
            wrong.append(f"DETOUR_ALLOWED_ORIGINS: * {needed}; any page could use the server.")
    elif not is_local(host) and not settings.public_url and not settings.proxy_addresses:
        wrong.append(
            f"DETOUR_HOST: {host} needs DETOUR_PUBLIC_URL, the https address that browsers come by, or "
            "DETOUR_PROXY_ADDRESSES: what is sent would be readable on the way. Where the port is published "
            "to this machine only, as by docker compose, it is http://127.0.0.1 with that port."
        )
    return wrong


def _wrong_with_auth(settings: IdentitySettings) -> list[str]:
    if settings.auth == "token":
        given = {"jwt_issuer", "jwt_audience", "jwt_jwks", "jwt_key"} & settings.model_fields_set
        return [
            f"DETOUR_{name.upper()} is of no use without DETOUR_AUTH=jwt."
            for name in sorted(given)
            if getattr(settings, name)
        ]
    wrong: list[str] = []
    if settings.token is not None:
        wrong.append(f"DETOUR_TOKEN and DETOUR_AUTH={settings.auth} exclude each other: set one of them.")
    if settings.auth == "jwt":
        for name in ("jwt_issuer", "jwt_audience"):
            if not getattr(settings, name):
                wrong.append(f"DETOUR_AUTH=jwt needs DETOUR_{name.upper()}.")
        if bool(settings.jwt_jwks) == bool(settings.jwt_key):
            wrong.append("DETOUR_AUTH=jwt needs either DETOUR_JWT_JWKS or DETOUR_JWT_KEY.")
    elif not settings.proxy_addresses:
        wrong.append("DETOUR_AUTH=proxy needs DETOUR_PROXY_ADDRESSES: anybody could send the proxy's header.")
    return wrong
