"""Builds what signs people in from a server's settings."""

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ....domain.clock import Clock
from ....log.state_store.persons import Grants
from ...identity_settings import IdentitySettings
from .authentication import Authentication
from .proxies import NO_PROXIES, Proxies, ProxySignIn
from .sessions import Sessions
from .tokens import OneToken, Tokens


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
        # Imported only here: what checks signatures takes 9 MiB.
        issued: Any = importlib.import_module(".issued_tokens", __package__)
        tokens = issued.tokens_of(settings, spawn_detached)
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
