"""JSON Web Tokens of one issuer, for this server: the subject is the person, the scopes are its rights.

What is checked: a signature of an asymmetric algorithm by a key of the issuer, `iss`, `aud`, `exp`, which
must be there, and `nbf` and `iat` if they are. Which algorithm a key may be used with is decided by the key.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt

from ....errors import TokenExpired, Unauthorized
from .keys import Keys
from .principal import SCOPES, Principal, Scope, is_person

LEEWAY_S = 10
"""Seconds by which the clocks of the issuer and of this server may differ."""

LONGEST_TOKEN = 8 * 1024


class JsonWebTokens:
    """Tells whose a JSON Web Token is.

    Scopes are those of the claim `scope` or `scp` that begin with `scope_prefix`, without it; a token that
    has neither claim has `default_scopes`.
    """

    knows_persons = True

    def __init__(
        self,
        keys: Keys,
        *,
        issuer: str,
        audience: str,
        scope_prefix: str = "",
        default_scopes: Iterable[Scope] = (),
    ) -> None:
        self._keys = keys
        self._issuer = issuer
        self._audience = audience
        self._scope_prefix = scope_prefix
        self._default_scopes = frozenset(default_scopes)

    @property
    def issuer(self) -> str:
        """Return the issuer and the audience."""
        return f"jwt {self._issuer} {self._audience}"

    async def principal(self, token: bytes) -> Principal:
        """Return the person of a token. Raises `Unauthorized`, and `KeysUnavailable`."""
        claims = await self._claims(token)
        person: Any = claims["sub"]
        if not isinstance(person, str) or not is_person(person):
            raise Unauthorized("The token names nobody: its `sub` must be 1 to 255 printable characters.")
        expires_at = datetime.fromtimestamp(int(claims["exp"]), UTC) + timedelta(seconds=LEEWAY_S)
        return Principal(person=person, scopes=self._scopes(claims), expires_at=expires_at)

    async def close(self) -> None:
        """Let go of the connections to the issuer."""
        await self._keys.close()

    async def _claims(self, token: bytes) -> dict[str, Any]:
        if len(token) > LONGEST_TOKEN:
            raise Unauthorized(f"The token is longer than {LONGEST_TOKEN} bytes.")
        try:
            header = jwt.get_unverified_header(token)
            algorithm, key_id = str(header.get("alg")), header.get("kid")
            key = await self._keys.key(key_id, algorithm)
            if key is None:
                raise Unauthorized("The token is signed with a key that its issuer does not have.")
            return jwt.decode(
                token,
                key.material,
                algorithms=key.algorithms,
                audience=self._audience,
                issuer=self._issuer,
                leeway=LEEWAY_S,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.ExpiredSignatureError:
            raise TokenExpired("The token has expired.") from None
        except jwt.InvalidAudienceError:
            raise Unauthorized("The token is not for this server: it has another `aud`.") from None
        except jwt.InvalidIssuerError:
            raise Unauthorized("The token is of another issuer.") from None
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError):
            # Not the library's words, which may quote the token.
            raise Unauthorized("The token is none that this server takes.") from None

    def _scopes(self, claims: dict[str, Any]) -> frozenset[Scope]:
        told: Any = claims.get("scope", claims.get("scp"))
        if told is None:
            return self._default_scopes
        named: Any = told.split() if isinstance(told, str) else told
        if not isinstance(named, list):
            return frozenset()
        return frozenset(each for each in SCOPES if f"{self._scope_prefix}{each}" in named)
