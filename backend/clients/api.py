"""The HTTP calls of one user: `Api` for coroutines, `BlockingApi` for threads.

`Calls` describes each call once; the two classes differ only in how they send it. All calls raise `Refused`
or `Unreachable`. Cancelling a call leaves open whether the server has accepted it: send a message again with
the same `client_id`, and it is accepted once.
"""

import asyncio
import logging
import random
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Coroutine, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Generic, Literal, NamedTuple, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import httpx2
import orjson
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI

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


# --- follow --------------------------------------------------------------------------------------------
# Follows a user's events over one WebSocket, and reconnects after a break to the event it saw last.


FIRST_WAIT_S = 0.25
LONGEST_WAIT_S = 8.0
OPEN_TIMEOUT_S = 10.0

Frame = dict[str, Any]

# The library logs a lost connection as an error with its traceback. To `follow` it is nothing unusual, and
# whoever follows is told; in a terminal the traceback would be written over the conversation.
_UNHEARD = logging.Logger("detour websocket", level=logging.CRITICAL)

_FINAL_CLOSE_CODES = {
    4401: ("unauthorized", "The server asks for a token."),
    4403: ("forbidden", "This user is not yours."),
    4404: ("bad_user_id", "The server does not accept this user id."),
    4409: ("too_many_sockets", "This user has as many connections open as the server allows; close one."),
}
_FINAL_STATUSES = {
    401: ("unauthorized", "The server does not let this client in: it may need a token."),
    403: ("forbidden", "The server does not let this client in: it may need a token."),
    404: ("not_found", "There is a server, but it is not Detour."),
}


class Position(NamedTuple):
    """An event's number and the epoch of its log. `Position(0)` comes before the first event of any log."""

    seq: int
    epoch: str = ""


@dataclass(frozen=True, slots=True)
class Connection:
    """Whether the events arrive just now; `sentence` says why not, where the server said so."""

    is_open: bool
    sentence: str = ""


async def follow(user: User, position: Position | None = None) -> AsyncGenerator[Frame | Connection, None]:
    """Yield the server's frames and, with each change, the `Connection`; never ends by itself.

    The first frames are a hello and a snapshot; with a `position`, a hello and the events after it. After a
    break the events go on where they broke off: none is missing, and none comes twice. Where the server
    cannot resume, it sends a reset and a snapshot. Raises `Refused` where another attempt would not help.
    Closing the generator closes the socket.
    """
    attempt = 0
    while True:
        is_open = False
        try:
            async with _connect(user, position) as socket:
                async for text in socket:
                    frame: Frame = orjson.loads(text)
                    position = position_after(frame, position)
                    if not is_open:
                        is_open, attempt = True, 0
                        yield Connection(is_open=True)
                    yield frame
        except ConnectionClosed as closed:
            _raise_if_final(_FINAL_CLOSE_CODES, closed.rcvd.code if closed.rcvd else 0)
        except InvalidStatus as answered:
            _raise_if_final(_FINAL_STATUSES, answered.response.status_code)
        except InvalidURI as error:
            raise Refused(f"That is no address of a server: {user.url}") from error
        except (OSError, TimeoutError, InvalidHandshake, orjson.JSONDecodeError):
            pass  # down, restarting, or a proxy's page: worth another attempt
        yield Connection(is_open=False)
        await asyncio.sleep(wait_before(attempt))
        attempt += 1


def position_after(frame: Frame, position: Position | None) -> Position | None:
    """Return where to resume once a frame has arrived; None means from a snapshot.

    Of a hello only a new epoch counts. The reset that follows it may be lost with the connection, and the
    old number with the new epoch would name some other event.
    """
    match frame["type"]:
        case "hello" if position is not None and position.epoch in ("", frame["epoch"]):
            return Position(position.seq, frame["epoch"])
        case "hello" | "reset":
            return None
        case "snapshot":
            return Position(frame["seq"], frame["epoch"])
        case _ if position is not None and "seq" in frame:
            return Position(frame["seq"], position.epoch)
        case _:
            return position


def wait_before(attempt: int) -> float:
    """Return the seconds before the next attempt: doubled each time up to a bound, and spread by half.

    Spread, because all clients of a server that comes back would otherwise connect at the same instant.
    """
    longest = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** min(attempt, 10))
    return longest * random.uniform(0.5, 1.0)


def _connect(user: User, position: Position | None) -> connect:
    fields = {"since": position.seq, "epoch": position.epoch} if position else {}
    query = urlencode({name: value for name, value in fields.items() if value != ""})
    return connect(
        "ws" + user.url.rstrip("/").removeprefix("http") + f"{VERSION}/ws/{user.quoted_id}?{query}",
        additional_headers=user.headers,
        open_timeout=OPEN_TIMEOUT_S,
        max_size=None,  # a snapshot holds all that the latest tasks have found
        # No bound: at 16 unread frames the library stops reading, and closing in the middle of a replay then
        # waits its full 10 s for the server's close frame, which is behind them.
        max_queue=None,
        proxy=None if user.is_on_this_machine else True,
        logger=_UNHEARD,
    )


def _raise_if_final(final: dict[int, tuple[str, str]], code: int) -> None:
    if code in final:
        word, sentence = final[code]
        raise Refused(sentence, code=word)
