"""The HTTP calls of one user: `Api` for coroutines, `BlockingApi` for threads.

`Calls` describes each call once; the two classes differ only in how they send it. All calls raise `Refused`
or `Unreachable`. Cancelling a call leaves open whether the server has accepted it: send a message again with
the same `client_id`, and it is accepted once.
"""

from abc import ABC, abstractmethod
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import quote, urlsplit

import httpx2

TIMEOUT_S = 20.0
"""How long a client should wait for an answer. An agent that has to stop first may take seconds."""

VERSION = "/v1"
"""The version of the server's API that these clients speak, before every path."""

_AWAY = "The server cannot be reached."

Json = dict[str, Any]
AtStop = Literal["keep", "withdraw"]
"""What becomes of messages that are pending when their task is stopped."""
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A user of the server at `url`, and the server's token if it asks for one."""

    url: str
    user_id: str
    token: str | None = None

    @property
    def is_on_this_machine(self) -> bool:
        """Whether the server is on this machine, so that no proxy of the environment is to be used."""
        host = urlsplit(self.url).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    @property
    def headers(self) -> dict[str, str]:
        """The headers of each request and of each WebSocket handshake."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    @property
    def quoted_id(self) -> str:
        """The user id as one segment of a path."""
        return quote(self.user_id, safe="")


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request: `body` is sent as JSON, `query` after the question mark."""

    method: str
    path: str
    body: Json | None = None
    query: Json | None = None

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class Refused(Exception):
    """The server refused. The message is its sentence for a person, `code` its word for programs.

    `details` is what the server adds for programs, None if nothing.
    """

    def __init__(self, sentence: str, *, code: str = "", status: int = 0, details: Any = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.status = status
        self.details = details


class Unreachable(Exception):
    """No answer, or a 503. The call may be repeated; the message says what happened."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)


class Calls(ABC, Generic[Answer]):
    """The calls of one user. Each returns the JSON object that the server answers."""

    def __init__(self, user: User) -> None:
        self.user = user

    @abstractmethod
    def _send(self, request: Request) -> Answer: ...

    def chat(self, message: str, **fields: Any) -> Answer:
        """Send a message; by default it interrupts the active task.

        `fields` are those of `POST /chat`: `client_id`, which makes it safe to send the message again,
        `policy` and `priority`, `task_id` of the task that a message is to steer; for a graph of one's own
        also `graph`, `input`, `context`, `configurable`.
        """
        body = {"user_id": self.user.user_id, "message": message, **fields}
        return self._send(Request("POST", "/chat", body))

    def stop(
        self, task_id: str | None = None, *, agent: str | None = None, pending: AtStop | None = None
    ) -> Answer:
        """Stop a task, by default the active one, or only one agent of it.

        Messages that wait to be taken in begin a task then; with `pending="withdraw"` they are withdrawn.
        Returns the receipt, or `{"status": "cancelling"}` where it comes as an event once all has settled.
        """
        return self._post("stop", _given(task_id=task_id, agent=agent, pending=pending))

    def pending(self) -> Answer:
        """Return the messages that wait for the running task to take them in, in order."""
        return self._get("pending")

    def edit(self, message_id: str, text: str, *, revision: int) -> Answer:
        """Replace the text of a message that is pending; `revision` is the one that its user has seen."""
        body = {"message": text, "revision": revision}
        return self._send(Request("PUT", self._path_of(message_id), body))

    def withdraw(self, message_id: str) -> Answer:
        """Take back a message that is pending."""
        return self._send(Request("DELETE", self._path_of(message_id)))

    def now(self, message_id: str) -> Answer:
        """Interrupt the running task with a message that is pending."""
        return self._send(Request("POST", f"{self._path_of(message_id)}/now"))

    def later(self, message_id: str) -> Answer:
        """Leave a message that is pending for the end of the running task."""
        return self._send(Request("POST", f"{self._path_of(message_id)}/later"))

    def answer(self, request_id: str, values: Mapping[str, Any]) -> Answer:
        """Answer a question with the values of its fields."""
        return self._post("answer", {"request_id": request_id, "answer": dict(values)})

    def decide(self, request_id: str, decision: Literal["allow", "deny"], note: str | None = None) -> Answer:
        """Allow or deny what a task asks permission for; a `note` enters the conversation."""
        body = {"request_id": request_id, "decision": decision}
        return self._post("answer", body if note is None else {**body, "note": note})

    def status(self) -> Answer:
        """Return the state of the latest task."""
        return self._get("status")

    def partial_results(self) -> Answer:
        """Return what the latest task and the last interrupted ones have found."""
        return self._get("partial-results")

    def history(self, *, limit: int | None = None, before: str | None = None) -> Answer:
        """Return the last messages, or the last ones before a message id; oldest first."""
        return self._get("history", _given(limit=limit, before=before))

    def state(self, *, graph: str | None = None) -> Answer:
        """Return the newest state of the graph of one's own that the user spoke to last, or of `graph`."""
        return self._send(Request("GET", f"/threads/{self.user.quoted_id}/state", query=_given(graph=graph)))

    def states(
        self, *, limit: int | None = None, before: str | None = None, graph: str | None = None
    ) -> Answer:
        """Return the graph's last states, or the last ones before a checkpoint id; newest first."""
        query = _given(limit=limit, before=before, graph=graph)
        return self._send(Request("GET", f"/threads/{self.user.quoted_id}/history", query=query))

    def receipt(self, task_id: str) -> Answer:
        """Return what became of each call of a task that has ended."""
        return self._send(Request("GET", f"/receipts/{self.user.quoted_id}/{quote(task_id, safe='')}"))

    def bookings(self) -> Answer:
        """Return what the user holds, has booked and has cancelled; of the travel assistant only."""
        return self._get("bookings")

    def forget(self) -> Answer:
        """Interrupt the user's tasks and delete all that the server stores of the user. Returns `{}`."""
        return self._send(Request("DELETE", f"/users/{self.user.quoted_id}"))

    def _path_of(self, message_id: str) -> str:
        return f"/pending/{self.user.quoted_id}/{quote(message_id, safe='')}"

    def _post(self, what: str, body: Json) -> Answer:
        return self._send(Request("POST", f"/{what}/{self.user.quoted_id}", body))

    def _get(self, what: str, query: Json | None = None) -> Answer:
        return self._send(Request("GET", f"/{what}/{self.user.quoted_id}", query=query))


class Api(Calls[Coroutine[Any, Any, Json]]):
    """The calls for coroutines, over a client that the caller opens and closes."""

    def __init__(self, user: User, http: httpx2.AsyncClient) -> None:
        super().__init__(user)
        self._http = http

    async def _send(self, request: Request) -> Json:
        try:
            response = await self._http.request(**_arguments(self.user, request))
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            raise Unreachable(_AWAY) from error
        return _answer(response)


class BlockingApi(Calls[Json]):
    """The calls for threads, over a client that the caller opens and closes."""

    def __init__(self, user: User, http: httpx2.Client) -> None:
        super().__init__(user)
        self._http = http

    def _send(self, request: Request) -> Json:
        try:
            response = self._http.request(**_arguments(self.user, request))
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            raise Unreachable(_AWAY) from error
        return _answer(response)


def _given(**fields: Any) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


def _arguments(user: User, request: Request) -> dict[str, Any]:
    return {
        "method": request.method,
        "url": user.url.rstrip("/") + VERSION + request.path,
        "json": request.body,
        "params": request.query,
        "headers": user.headers,
    }


def _answer(response: httpx2.Response) -> Json:
    if response.is_success:
        return response.json() if response.content else {}
    try:
        error = response.json()["error"]
        code, sentence, details = str(error["code"]), str(error["message"]), error.get("details")
    except (ValueError, KeyError, TypeError):  # a proxy in between answers in its own words
        code, sentence, details = "", f"The server answered {response.status_code}.", None
    if response.status_code == 503:
        raise Unreachable(sentence)
    raise Refused(sentence, code=code, status=response.status_code, details=details)
