"""Builds what checks the JSON Web Tokens of an issuer, from a server's settings.

Only a server with `DETOUR_AUTH=jwt` imports this: the libraries for signatures take 9 MiB.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ....errors import DetourError
from ...identity_settings import IdentitySettings
from .json_web_tokens import JsonWebTokens
from .keys import FetchedKeys, GivenKeys, Keys, key_of_pem, warn_of_weak_keys

_PATH_SHOWN = 200
"""Characters of a path that are told: a key without its first line would be taken for one."""


class KeyNotReadError(DetourError):
    """The public key of a setting cannot be read; the server does not start."""


def tokens_of(settings: IdentitySettings, spawn_detached: Callable[..., Any]) -> JsonWebTokens:
    """Return what tells whose a JSON Web Token is. Raises `KeyNotReadError`."""
    return JsonWebTokens(
        _keys(settings, spawn_detached),
        issuer=settings.jwt_issuer,
        audience=settings.jwt_audience,
        scope_prefix=settings.jwt_scope_prefix,
        default_scopes=settings.default_scopes,
        types=settings.jwt_types,
    )


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
