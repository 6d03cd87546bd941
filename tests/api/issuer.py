"""An identity provider that a test plays: it has keys, gives tokens out, and answers for its keys."""

import json
from typing import Any

import httpx2
import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from backend.domain.encoding import system_clock

ISSUER = "https://id.example"
AUDIENCE = "trips"
KEYS = "https://id.example/keys"


class Issuer:
    """Signs with the key of `key_id`; `answers` counts how often its keys were fetched."""

    def __init__(self, key_id: str = "one") -> None:
        self.key_id = key_id
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.fetched = 0
        self.is_down = False

    @property
    def pem(self) -> str:
        """The public key."""
        form = serialization.PublicFormat.SubjectPublicKeyInfo
        return self.private.public_key().public_bytes(serialization.Encoding.PEM, form).decode()

    def document(self) -> dict[str, Any]:
        """Return the keys as a JWKS document."""
        key = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(self.private.public_key()))
        return {"keys": [{**key, "kid": self.key_id, "use": "sig", "alg": "ES256"}]}

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        """Answer for the keys, as the transport of a client."""
        assert str(request.url) == KEYS
        self.fetched += 1
        return httpx2.Response(503) if self.is_down else httpx2.Response(200, json=self.document())

    def token(
        self,
        person: str | None = "ann",
        scope: str | None = "read chat",
        headers: dict[str, Any] | None = None,
        **claims: Any,
    ) -> str:
        """Return a token; a claim of None is left out, and a header."""
        now = int(system_clock().timestamp())
        told = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "iat": now,
            "exp": now + 600,
            "sub": person,
            "scope": scope,
            **claims,
        }
        kept = {name: value for name, value in told.items() if value is not None}
        return jwt.encode(
            kept, self.private, algorithm="ES256", headers={"kid": self.key_id, **(headers or {})}
        )

    def settings(self, **changes: Any) -> dict[str, Any]:
        """Return the settings of a server that takes its tokens."""
        of_issuer = {"jwt_issuer": ISSUER, "jwt_audience": AUDIENCE, "jwt_key": self.pem}
        return {"auth": "jwt", **of_issuer, **changes}


def bearer(token: str) -> dict[str, str]:
    """Return the header that sends a token."""
    return {"Authorization": f"Bearer {token}"}
