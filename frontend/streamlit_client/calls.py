"""What this client tells the server: messages, answers, stops; each is short, made as a click is handled."""

from collections.abc import Mapping
from typing import Any

import httpx2

from backend.clients.cli.api import Refused, Server, Unreachable, sentence_of

TIMEOUT_S = 10.0


class Calls:
    """The calls of one user. All raise `Refused` or `Unreachable`, with a sentence for the user."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._http = httpx2.Client(
            headers=server.headers, timeout=TIMEOUT_S, trust_env=not server.is_this_machine
        )

    def chat(self, message: str, *, client_id: str) -> dict[str, Any]:
        """Send a message, which interrupts what is at work. The same `client_id` sends it once."""
        body = {"user_id": self._server.user_id, "message": message, "client_id": client_id}
        return self._call("POST", f"{self._server.url.rstrip('/')}/chat", body)

    def answer(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a question or decide a permission."""
        return self._call("POST", self._server.path("answer"), body)

    def stop(self, task_id: str) -> dict[str, Any]:
        """Stop a task; if it is over already, nothing happens."""
        return self._call("POST", self._server.path("stop"), {"task_id": task_id})

    def receipt(self, task_id: str) -> dict[str, Any]:
        """Return what became of each call of a task that has ended."""
        return self._call("GET", f"{self._server.path('receipts')}/{task_id}")

    def _call(self, method: str, url: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        try:
            response = self._http.request(method, url, json=None if body is None else dict(body))
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            raise Unreachable("The server cannot be reached.") from error
        if response.status_code == 503:
            raise Unreachable(sentence_of(response))
        if response.status_code >= 400:
            raise Refused(sentence_of(response))
        return response.json()

    def close(self) -> None:
        """Let go of the connection."""
        self._http.close()
