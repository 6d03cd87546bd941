"""JSON Web Tokens of one issuer, for this server: the subject is the person, the scopes are its rights.

What is checked: a signature of an asymmetric algorithm by a key of the issuer, `iss`, `aud`, `exp`, which
must be there, and `nbf` and `iat` if they are. Which algorithm a key may be used with is decided by the key.

It must be an access token. Issuers that mark them (RFC 9068) do so by the type `at+jwt`. Others give access
tokens and ID tokens one type; an ID token, which is for the client alone, has claims that access tokens lack.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt

from ....errors import TokenExpired, Unauthorized
from .keys import Keys
from .principal import SCOPES, Principal, Scope, is_person
from .tokens import TOKEN_TYPES, TokenType

LEEWAY_S = 10
"""Seconds by which the clocks of the issuer and of this server may differ."""

LONGEST_TOKEN = 8 * 1024

_NEVER_S = int(datetime(9000, 1, 1, tzinfo=UTC).timestamp())
"""Seconds since 1970 at which a token expires that is to do so later: what is added to it is a date, too."""

_OF_ID_TOKENS = frozenset({"nonce", "at_hash", "c_hash", "s_hash"})
"""Claims that OpenID Connect gives to ID tokens."""


class JsonWebTokens:
    """Tells whose a JSON Web Token is.

    Scopes are those of the claim `scope` or `scp` that begin with `scope_prefix`, without it; a token that
    has neither claim has `default_scopes`. `types` are those that a token may have.
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
        types: Iterable[TokenType] = TOKEN_TYPES,
    ) -> None:
        self._keys = keys
        self._issuer = issuer
        self._audience = audience
        self._scope_prefix = scope_prefix
        self._default_scopes = frozenset(default_scopes)
        self._types = frozenset(each.lower() for each in types)

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
        # Some issuers write "never" as a year that no date can have.
        expires_at = datetime.fromtimestamp(min(int(claims["exp"]), _NEVER_S), UTC)
        expires_at += timedelta(seconds=LEEWAY_S)
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
            claims: dict[str, Any] = jwt.decode(
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
        self._check_type(header.get("typ"), claims)
        return claims

    def _check_type(self, typ: Any, claims: dict[str, Any]) -> None:
        """Raise `Unauthorized` unless a token is for access, by its header `typ` and by its claims."""
        kind = "none" if typ is None else str(typ).lower().removeprefix("application/")
        if kind not in self._types:
            raise Unauthorized("The token is of another `typ` than this server takes.")
        # Keycloak and Cognito tell by a claim; Keycloak's earlier access tokens have a `nonce`, too.
        told = str(claims.get("typ", claims.get("token_use", ""))).lower()
        is_id_token = told not in ("", "bearer", "access") or (not told and _OF_ID_TOKENS & claims.keys())
        if kind != "at+jwt" and is_id_token:
            raise Unauthorized("The token is no access token; send that one, not the ID token.")

    def _scopes(self, claims: dict[str, Any]) -> frozenset[Scope]:
        told: Any = claims.get("scope", claims.get("scp"))
        if told is None:
            return self._default_scopes
        named: Any = told.split() if isinstance(told, str) else told
        if not isinstance(named, list):
            return frozenset()
        return frozenset(each for each in SCOPES if f"{self._scope_prefix}{each}" in named)
