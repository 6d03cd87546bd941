"""JSON Web Tokens of one issuer, and its public keys: given in a setting, or fetched from its JWKS address.

Keys are fetched when a token needs one that is not known, at most every `AGAIN_AFTER_S`, and anew in the
background once they are `FRESH_S` old. Those known before stay in use while the issuer does not answer; a
request waits for them at most `FETCH_WITHIN_S`, and other requests are served meanwhile. (PyJWT's own client
blocks its thread, and all who need a known key while it fetches.)

Only a server with `DETOUR_AUTH=jwt` imports this: the libraries for signatures take 9 MiB.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import httpx2
import jwt
import orjson
import structlog
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa

from ...domain.errors import DetourError, KeysUnavailable, TokenExpired, Unauthorized
from ..settings import Settings
from .principal import (
    LEAST_RSA_BITS,
    MOST_RSA_BITS,
    SCOPES,
    STRONG_RSA_BITS,
    TOKEN_TYPES,
    Principal,
    Scope,
    TokenType,
    is_person,
)

FRESH_S = 600.0
AGAIN_AFTER_S = 30.0
FETCH_WITHIN_S = 5.0
MOST_BYTES = 256 * 1024
MOST_KEYS = 100

LONGEST_KEY_ID = 100
"""Characters of a key's id in the log."""

_CURVES = {"secp256r1": "ES256", "secp384r1": "ES384", "secp521r1": "ES512"}

_NO_KEY = (
    jwt.PyJWTError,
    UnsupportedAlgorithm,
    # The algorithm `none` has no keys, and PyJWT says so in this way.
    NotImplementedError,
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    OverflowError,
)
"""What the libraries raise for an entry that they make no key of."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key, its id if it has one, and the algorithms whose signatures it may check.

    Asymmetric ones alone: with `HS256`, anybody who knows a public key could sign.
    """

    key_id: str | None
    algorithms: tuple[str, ...]
    material: Any


class GivenKeys:
    """The keys of an issuer that do not change."""

    def __init__(self, keys: Iterable[PublicKey] = ()) -> None:
        self._keys = [*keys]

    async def key(self, key_id: str | None, algorithm: str) -> PublicKey | None:
        """Return the key of that id that fits, None if there is none."""
        return fitting(self._keys, key_id, algorithm)

    async def close(self) -> None:
        """Close what was opened."""


class FetchedKeys(GivenKeys):
    """Keys at an address. `spawn_detached` starts asyncio tasks that their owner holds."""

    def __init__(
        self,
        address: str,
        spawn_detached: Callable[..., Any],
        *,
        monotonic: Callable[[], float],
        transport: httpx2.AsyncBaseTransport | None = None,
        least_rsa_bits: int = LEAST_RSA_BITS,
    ) -> None:
        super().__init__()
        self._address = address
        self._spawn_detached = spawn_detached
        self._monotonic = monotonic
        self._transport = transport
        self._least_rsa_bits = least_rsa_bits
        self._told_weak = False
        self._http: httpx2.AsyncClient | None = None
        self._tried_at = self._fetched_at = float("-inf")
        self._fetching: asyncio.Task[None] | None = None

    async def key(self, key_id: str | None, algorithm: str) -> PublicKey | None:
        """Return the key that fits, fetched if it is not known.

        Raises `KeysUnavailable` if none was ever fetched. Cancelling the wait does not end the fetch.
        """
        found = fitting(self._keys, key_id, algorithm)
        now = self._monotonic()
        if found is not None and now - self._fetched_at < FRESH_S:
            return found
        if self._fetching is None and now - self._tried_at >= AGAIN_AFTER_S:
            self._tried_at = now
            self._fetching = self._spawn_detached(self._fetch(), name="fetch keys")
        if found is None and self._fetching is not None:
            await asyncio.wait({self._fetching})
            found = fitting(self._keys, key_id, algorithm)
        if found is None and not self._keys:
            raise KeysUnavailable("Cannot fetch the token signing keys right now.")
        return found

    async def close(self) -> None:
        """Close the connections."""
        if self._http is not None:
            await self._http.aclose()

    async def _fetch(self) -> None:
        try:
            async with asyncio.timeout(FETCH_WITHIN_S):
                self._keys = read_keys(await self._document(), self._least_rsa_bits)
            self._fetched_at = self._monotonic()
            if not self._told_weak:
                self._told_weak = warn_of_weak_keys(self._keys)
        except (httpx2.HTTPError, TimeoutError, ValueError, OSError) as error:
            # Not the error's words, which may quote the answer.
            _log.error(
                "the keys of tokens could not be fetched",
                address=self._address,
                reason=type(error).__name__,
                known=len(self._keys),
            )
        finally:
            self._fetching = None

    async def _document(self) -> bytes:
        """Return the document. Raises `ValueError` if it is too long, or the answer is no 200."""
        if self._http is None:
            self._http = httpx2.AsyncClient(
                transport=self._transport, follow_redirects=False, timeout=FETCH_WITHIN_S, trust_env=False
            )
        async with self._http.stream("GET", self._address, headers={"accept": "application/json"}) as answer:
            if answer.status_code != 200:
                raise ValueError(f"it answered with {answer.status_code}")
            body = bytearray()
            async for piece in answer.aiter_bytes():
                body += piece
                if len(body) > MOST_BYTES:
                    raise ValueError("it is too long")
        return bytes(body)


def read_keys(document: bytes, least_rsa_bits: int = LEAST_RSA_BITS) -> list[PublicKey]:
    """Return the keys of a JWKS document that may check signatures. Raises `ValueError` if there are none."""
    read: Any = orjson.loads(document)
    listed: Any = cast("dict[str, Any]", read).get("keys") if isinstance(read, dict) else None
    entries = cast("list[Any]", listed)[:MOST_KEYS] if isinstance(listed, list) else []
    found = (_of_entry(cast("Any", each), least_rsa_bits) for each in entries if isinstance(each, dict))
    keys = [each for each in found if each is not None]
    if not keys:
        raise ValueError("it holds no key that can be used")
    return keys


def _of_entry(entry: Mapping[str, Any], least_rsa_bits: int) -> PublicKey | None:
    """Return a key of a JWKS document, None for one that does not check signatures of these algorithms."""
    if entry.get("use", "sig") != "sig" or "d" in entry:
        return None
    try:
        material: Any = jwt.PyJWK(dict(entry)).key
        algorithms = algorithms_of(material, least_rsa_bits)
    except _NO_KEY as error:
        # Of a kind that is not known here, or malformed: the others may be neither. Not the error's words.
        _log.warning(
            "a key of the issuer is left out",
            key_id=str(entry.get("kid", ""))[:LONGEST_KEY_ID],
            reason=type(error).__name__,
        )
        return None
    stated = entry.get("alg")
    if stated is not None:
        algorithms = tuple(each for each in algorithms if each == stated)
    return PublicKey(entry.get("kid"), algorithms, material) if algorithms else None


def key_of_pem(pem: bytes, least_rsa_bits: int = LEAST_RSA_BITS) -> PublicKey:
    """Return the key of a PEM text, a certificate's too. Raises `ValueError`."""
    if b"CERTIFICATE" in pem:
        material: Any = x509.load_pem_x509_certificate(pem).public_key()
    elif b"PUBLIC KEY" in pem:
        material = serialization.load_pem_public_key(pem)
    else:
        raise ValueError("it is no public key in PEM")
    return PublicKey(None, algorithms_of(material, least_rsa_bits), material)


def algorithms_of(material: Any, least_rsa_bits: int = LEAST_RSA_BITS) -> tuple[str, ...]:
    """Return the algorithms whose signatures a public key may check. Raises `ValueError` for none."""
    if isinstance(material, rsa.RSAPublicKey) and least_rsa_bits <= material.key_size <= MOST_RSA_BITS:
        return ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
    if isinstance(material, ec.EllipticCurvePublicKey) and material.curve.name in _CURVES:
        return (_CURVES[material.curve.name],)
    if isinstance(material, (ed25519.Ed25519PublicKey, ed448.Ed448PublicKey)):
        return ("EdDSA",)
    raise ValueError(
        f"it is no key of RSA with {least_rsa_bits} to {MOST_RSA_BITS} bits, of P-256, P-384, P-521, or EdDSA"
    )


def warn_of_weak_keys(keys: Iterable[PublicKey]) -> bool:
    """Log that a key is weaker than 128 bits, if one is; return whether."""
    sizes = [each.material.key_size for each in keys if isinstance(each.material, rsa.RSAPublicKey)]
    weak = [size for size in sizes if size < STRONG_RSA_BITS]
    if weak:
        _log.warning(
            "tokens are signed with RSA keys of less than 128 bits of security",
            bits=min(weak),
            advice=f"have the issuer use {STRONG_RSA_BITS} bits or P-256, then set DETOUR_JWT_RSA_BITS",
        )
    return bool(weak)


def fitting(keys: Iterable[PublicKey], key_id: str | None, algorithm: str) -> PublicKey | None:
    """Return the key of an id for an algorithm; of a token or a key without an id, the only one that fits."""
    fits = [
        each
        for each in keys
        if algorithm in each.algorithms and (None in (key_id, each.key_id) or each.key_id == key_id)
    ]
    named = [each for each in fits if each.key_id == key_id]
    candidates = named or fits
    return candidates[0] if len(candidates) == 1 else None


# --- json web tokens -----------------------------------------------------------------------------------
# Checked are a signature of an asymmetric algorithm by a key of the issuer, which decides the algorithm,
# `iss`, `aud`, `exp`, which must be there, and `nbf` and `iat` if they are.
#
# It must be an access token. Issuers that mark them (RFC 9068) do so by the type `at+jwt`. Others give
# access tokens and ID tokens one type; an ID token, which is for the client alone, has claims that access
# tokens lack.


LEEWAY_S = 10
"""Seconds by which the clocks of the issuer and of this server may differ."""

LONGEST_TOKEN = 8 * 1024

_NEVER_S = int(datetime(9000, 1, 1, tzinfo=UTC).timestamp())
"""Seconds since 1970 at which a token expires that names a later time: sums with it are still dates."""

_OF_ID_TOKENS = frozenset({"nonce", "at_hash", "c_hash", "s_hash"})
"""Claims that OpenID Connect gives to ID tokens."""


class JsonWebTokens:
    """Finds the person of a JSON Web Token.

    Scopes are those of the claim `scope` or `scp` that begin with `scope_prefix`, without it; a token that
    has neither claim has `default_scopes`. `types` are those that a token may have.
    """

    knows_persons = True

    def __init__(
        self,
        keys: GivenKeys,
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
        """Close the connections to the issuer."""
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
        # Keycloak and Cognito have a claim; Keycloak's earlier access tokens have a `nonce`, too.
        use = str(claims.get("typ", claims.get("token_use", ""))).lower()
        is_id_token = use not in ("", "bearer", "access") or (not use and _OF_ID_TOKENS & claims.keys())
        if kind != "at+jwt" and is_id_token:
            raise Unauthorized("The token is no access token; send that one, not the ID token.")

    def _scopes(self, claims: dict[str, Any]) -> frozenset[Scope]:
        listed: Any = claims.get("scope", claims.get("scp"))
        if listed is None:
            return self._default_scopes
        named: Any = listed.split() if isinstance(listed, str) else listed
        if not isinstance(named, list):
            return frozenset()
        return frozenset(each for each in SCOPES if f"{self._scope_prefix}{each}" in named)


# --- building ------------------------------------------------------------------------------------------


_PATH_SHOWN = 200
"""Characters of a path in a message: a key without its first line would be taken for one."""


class KeyNotReadError(DetourError):
    """The public key of a setting cannot be read; the server does not start."""


def tokens_of(settings: Settings, spawn_detached: Callable[..., Any]) -> JsonWebTokens:
    """Return what checks the tokens of the issuer. Raises `KeyNotReadError`."""
    return JsonWebTokens(
        _keys(settings, spawn_detached),
        issuer=settings.jwt_issuer,
        audience=settings.jwt_audience,
        scope_prefix=settings.jwt_scope_prefix,
        default_scopes=settings.default_scopes,
        types=settings.jwt_types,
    )


def _keys(settings: Settings, spawn_detached: Callable[..., Any]) -> GivenKeys:
    bits = settings.jwt_rsa_bits
    if settings.jwt_jwks:
        return FetchedKeys(settings.jwt_jwks, spawn_detached, monotonic=time.monotonic, least_rsa_bits=bits)
    given = settings.jwt_key
    try:
        pem = given.encode() if "-----BEGIN" in given else Path(given).read_bytes()
        keys = [key_of_pem(pem, bits)]
    except (OSError, ValueError) as error:
        reason = f"{given[:_PATH_SHOWN]}: {error.strerror}" if isinstance(error, OSError) else str(error)
        raise KeyNotReadError(f"DETOUR_JWT_KEY: {reason}.") from None
    warn_of_weak_keys(keys)
    return GivenKeys(keys)
