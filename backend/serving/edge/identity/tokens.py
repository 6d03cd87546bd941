"""What signs a program in: the server's one token here, and JSON Web Tokens in `json_web_tokens`."""

import hashlib
import hmac
from typing import Literal, Protocol, get_args

from ....errors import Unauthorized
from .principal import ONE_PARTY, Principal

SHORTEST_TOKEN = 22
"""Characters of `DETOUR_TOKEN`: so many random ones, of 64 kinds, have 128 bits or more."""

TokenType = Literal["at+jwt", "JWT", "none"]
TOKEN_TYPES: tuple[TokenType, ...] = get_args(TokenType)
"""What the header `typ` of a JSON Web Token may be; `none` is one without."""

LEAST_RSA_BITS = 2048

MOST_RSA_BITS = 8192
"""Longer keys of an issuer cost more with each token than anybody gains by them."""

STRONG_RSA_BITS = 3072
"""From here on a key is as hard to find as one of 128 bits."""


class Tokens(Protocol):
    """Tells whose a token is.

    Sessions that were begun with the token of another `issuer` are over.
    """

    @property
    def issuer(self) -> str:
        """Who gives the tokens out."""
        ...

    @property
    def knows_persons(self) -> bool:
        """Whether tokens tell people apart."""
        ...

    async def principal(self, token: bytes) -> Principal:
        """Return whose a token is. Raises `Unauthorized`; `KeysUnavailable` if that cannot be told now."""
        ...

    async def close(self) -> None:
        """Let go of what was opened."""
        ...


class OneToken:
    """The one token of a server: all its holders are one party."""

    knows_persons = False

    def __init__(self, token: str) -> None:
        if not token:
            raise ValueError("an empty token would let anyone in")
        self._token = token.encode()

    @property
    def issuer(self) -> str:
        """Return a text that another token has not, and that does not tell this one."""
        return "token " + hmac.new(self._token, b"detour issuer", hashlib.sha256).hexdigest()

    async def principal(self, token: bytes) -> Principal:
        """Return the one party. Takes the same time for every wrong token. Raises `Unauthorized`."""
        if not hmac.compare_digest(token, self._token):
            raise Unauthorized("That is not this server's token.")
        return ONE_PARTY

    async def close(self) -> None:
        """Do nothing."""
