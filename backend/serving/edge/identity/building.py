"""Builds what signs people in from a server's settings."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ....domain.clock import Clock
from ....errors import DetourError
from ....log.state_store.persons import Grants
from ...identity_settings import IdentitySettings
from .authentication import Authentication
from .json_web_tokens import JsonWebTokens
from .keys import FetchedKeys, GivenKeys, Keys, key_of_pem, warn_of_weak_keys
from .proxies import NO_PROXIES, Proxies, ProxySignIn
from .sessions import Sessions
from .tokens import OneToken, Tokens


class KeyNotReadError(DetourError):
    """The public key of a setting cannot be read; the server does not start."""


class Identity(NamedTuple):
    """What a server knows of whoever reaches it: `authentication` is None where nobody signs in."""

    authentication: Authentication | None = None
    proxies: Proxies = NO_PROXIES
    https_alone: bool = False
    public_hosts: tuple[str, ...] = ()

    @property
    def knows_persons(self) -> bool:
        """Whether people are told apart."""
        return self.authentication is not None and self.authentication.knows_persons


_PATH_SHOWN = 200
"""Characters of a path that are told: a key without its first line would be taken for one."""

NOBODY_SIGNS_IN = Identity()


def identity_of(
    settings: IdentitySettings, grants: Grants, clock: Clock, spawn_detached: Callable[..., Any]
) -> Identity:
    """Return what the settings of a server say of whoever reaches it. Raises `KeyNotReadError`."""
    return Identity(
        _authentication_of(settings, grants, clock, spawn_detached),
        Proxies(settings.proxy_addresses),
        _is_https(settings),
        (urlsplit(settings.public_url).netloc,) if settings.public_url else (),
    )


def _authentication_of(
    settings: IdentitySettings, grants: Grants, clock: Clock, spawn_detached: Callable[..., Any]
) -> Authentication | None:
    tokens: Tokens | None = None
    proxy: ProxySignIn | None = None
    if settings.auth == "jwt":
        tokens = JsonWebTokens(
            _keys(settings, spawn_detached),
            issuer=settings.jwt_issuer,
            audience=settings.jwt_audience,
            scope_prefix=settings.jwt_scope_prefix,
            default_scopes=settings.default_scopes,
            types=settings.jwt_types,
        )
    elif settings.auth == "proxy":
        proxy = ProxySignIn(
            Proxies(settings.proxy_addresses),
            header=settings.proxy_header.lower().encode(),
            scopes_header=settings.proxy_scopes_header.lower().encode(),
            default_scopes=frozenset(settings.default_scopes),
        )
    elif settings.token is not None:
        tokens = OneToken(settings.token.get_secret_value())
    else:
        return None
    issuer = tokens.issuer if tokens is not None else "proxy"
    sessions = Sessions(
        grants,
        clock,
        issuer=issuer,
        lasts_s=settings.session_hours * 3600,
        idle_s=settings.session_idle_hours * 3600,
    )
    return Authentication(sessions, tokens=tokens, proxy=proxy, secure=_is_https(settings))


def _is_https(settings: IdentitySettings) -> bool:
    return settings.public_url.startswith("https://")


def _keys(settings: IdentitySettings, spawn_detached: Callable[..., Any]) -> Keys:
    if settings.jwt_jwks:
        return FetchedKeys(
            settings.jwt_jwks,
            spawn_detached,
            monotonic=time.monotonic,
            least_rsa_bits=settings.jwt_rsa_bits,
        )
    given = settings.jwt_key
    try:
        pem = given.encode() if "-----BEGIN" in given else Path(given).read_bytes()
        keys = [key_of_pem(pem, settings.jwt_rsa_bits)]
    except (OSError, ValueError) as error:
        reason = f"{given[:_PATH_SHOWN]}: {error.strerror}" if isinstance(error, OSError) else str(error)
        raise KeyNotReadError(f"DETOUR_JWT_KEY: {reason}.") from None
    warn_of_weak_keys(keys)
    return GivenKeys(keys)
