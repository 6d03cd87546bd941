"""What the client tells the server: messages, answers, stops. HTTP, with the token where there is one."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import httpx2

_TIMEOUT_S = 20.0


class Refused(Exception):
    """The server answered, and did not take it; the message is its sentence."""


class Unreachable(Exception):
    """Nothing answered, or nothing that may not be sent again; the message says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where the server is, who talks to it, and the token if it asks for one."""

    url: str
    user_id: str
    token: str | None

    @property
    def is_this_machine(self) -> bool:
        """Whether no proxy could know the way to it better."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    @property
    def headers(self) -> dict[str, str]:
        """What each request and each handshake carries."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def path(self, what: str) -> str:
        """Return the address of something of this user's."""
        return f"{self.url.rstrip('/')}/{what}/{quote(self.user_id, safe='')}"

    def socket_url(self, seq: int | None, epoch: str) -> str:
        """Return the WebSocket's address: what came after a position, or a snapshot without one."""
        position = "" if seq is None else f"?{urlencode({'since': seq, 'epoch': epoch})}"
        return "ws" + self.path("ws").removeprefix("http") + position


class Api:
    """The calls of one user. All raise `Refused` or `Unreachable`; cancelling one leaves open what it did."""

    def __init__(self, server: Server, http: httpx2.AsyncClient) -> None:
        self._server = server
        self._http = http

    async def chat(self, message: str, *, client_id: str) -> dict[str, Any]:
        """Send a message, and return what `POST /chat` answers. The same `client_id` sends it once."""
        body = {"user_id": self._server.user_id, "message": message, "client_id": client_id}
        return await self._post(f"{self._server.url.rstrip('/')}/chat", body)

    async def answer(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a question or decide a permission."""
        return await self._post(self._server.path("answer"), body)

    async def stop(self) -> None:
        """Stop what is at work."""
        await self._post(self._server.path("stop"), {})

    async def _post(self, url: str, body: Mapping[str, Any]) -> dict[str, Any]:
        try:
            response = await self._http.post(
                url, json=dict(body), headers=self._server.headers, timeout=_TIMEOUT_S
            )
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            raise Unreachable(f"The server cannot be reached: {error or type(error).__name__}") from error
        if response.status_code == 503:
            raise Unreachable(sentence_of(response))
        if response.status_code >= 400:
            raise Refused(sentence_of(response))
        return response.json()


def sentence_of(response: httpx2.Response) -> str:
    """Return what a refusal says to a person."""
    try:
        return str(response.json()["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return f"The server answered {response.status_code}."
