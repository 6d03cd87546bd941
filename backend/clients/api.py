"""The HTTP calls of one user, and the stream of the user's events over one WebSocket.

All calls raise `Refused` or `Unreachable`. Cancelling a call leaves open whether the server has accepted it:
send a message again with the same `client_id`, and it is accepted once.
"""

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Literal, NamedTuple, TypedDict, Unpack
from urllib.parse import quote, urlencode, urlsplit

import httpx2
import orjson
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI

from .wire import (
    AnsweredAnswer,
    CallsAnswer,
    ChatAnswer,
    HistoryAnswer,
    PartialResultsAnswer,
    PendingAnswer,
    PendingListAnswer,
    ReceiptAnswer,
    StateHistoryAnswer,
    StateView,
    StatusAnswer,
    StoppedAgentAnswer,
    StoppingAnswer,
)

TIMEOUT_S = 20.0
"""How long a client should wait for an answer. An agent that has to stop first may take seconds."""

VERSION = "/v1"
"""The version of the server's API that these clients speak, before every path."""

Json = dict[str, Any]
AtStop = Literal["keep", "withdraw"]
"""What becomes of pending messages when their task is stopped."""
Policy = Literal["interrupt", "steer", "enqueue", "reject"]
Stopped = ReceiptAnswer | StoppedAgentAnswer | StoppingAnswer


class SendOptions(TypedDict, total=False):
    """What may go with a message: `task_id` is the only task that it may steer.

    `client_id` makes it safe to send the message again. The last five are for a graph of one's own.
    """

    client_id: str
    policy: Policy
    task_id: str
    priority: int
    graph: str
    input: Mapping[str, Any]
    context: Mapping[str, Any]
    configurable: Mapping[str, Any]
    checkpoint_id: str


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


class Api:
    """The calls of one user, over an HTTP client that the caller opens and closes."""

    def __init__(self, user: User, http: httpx2.AsyncClient) -> None:
        self.user = user
        self._http = http

    async def send(self, message: str, **options: Unpack[SendOptions]) -> ChatAnswer:
        """Send a message, which by default interrupts the active task."""
        return await self._call(
            "POST", "/chat", {"user_id": self.user.user_id, "message": message, **options}
        )

    async def stop(
        self, task_id: str | None = None, *, agent: str | None = None, pending: AtStop | None = None
    ) -> Stopped:
        """Stop a task, by default the active one, or one agent of it; return the receipt, or the agent.

        Pending messages begin a task then; with `pending="withdraw"` they are withdrawn. Returns
        `{"user_id", "status": "cancelling"}` while the task settles, as a write may.
        """
        given = _given(task_id=task_id, agent=agent, pending=pending)
        return await self._call("POST", self._path("stop"), given)

    async def pending(self) -> PendingListAnswer:
        """Return the messages that wait for the running task to take them in, in order."""
        return await self._call("GET", self._path("pending"))

    async def edit(self, message_id: str, text: str, *, revision: int) -> PendingAnswer:
        """Replace the text of a pending message; `revision` is the one that its user has seen.

        Raises `Refused` with the code `stale_revision` if it was edited since, and with `not_pending`, as the
        other calls do, if it is no longer pending; `details` has its present state.
        """
        body = {"message": text, "revision": revision}
        return await self._call("PUT", self._path("pending", message_id), body)

    async def withdraw(self, message_id: str) -> PendingAnswer:
        """Withdraw a pending message."""
        return await self._call("DELETE", self._path("pending", message_id))

    async def now(self, message_id: str) -> PendingAnswer:
        """Interrupt the running task with a pending message."""
        return await self._call("POST", self._path("pending", message_id, "now"))

    async def later(self, message_id: str) -> PendingAnswer:
        """Leave a pending message for the end of the running task."""
        return await self._call("POST", self._path("pending", message_id, "later"))

    async def answer(self, request_id: str, values: Mapping[str, Any]) -> AnsweredAnswer:
        """Answer a question with the values of its fields."""
        return await self._call(
            "POST", self._path("answer"), {"request_id": request_id, "answer": dict(values)}
        )

    async def decide(
        self, request_id: str, decision: Literal["allow", "deny"], note: str | None = None
    ) -> AnsweredAnswer:
        """Allow or deny what a task asks permission for; a `note` enters the conversation."""
        given = _given(request_id=request_id, decision=decision, note=note)
        return await self._call("POST", self._path("answer"), given)

    async def status(self) -> StatusAnswer:
        """Return the state of the latest task."""
        return await self._call("GET", self._path("status"))

    async def partial_results(self) -> PartialResultsAnswer:
        """Return what the latest task and the last interrupted ones have found."""
        return await self._call("GET", self._path("partial-results"))

    async def history(self, *, limit: int | None = None, before: str | None = None) -> HistoryAnswer:
        """Return the last messages, or the last ones before a message id; oldest first."""
        return await self._call("GET", self._path("history"), query=_given(limit=limit, before=before))

    async def receipt(self, task_id: str) -> ReceiptAnswer:
        """Return the outcome of each call of a task that has ended."""
        return await self._call("GET", self._path("receipts", task_id))

    async def calls(self, task_id: str) -> CallsAnswer:
        """Return the tool calls of a task, with what each was given and what it came to."""
        return await self._call("GET", self._path("calls", task_id))

    async def state(self, *, graph: str | None = None) -> StateView:
        """Return the newest state of `graph`, by default of the graph that the user spoke to last."""
        return await self._call("GET", f"/threads/{self.user.quoted_id}/state", query=_given(graph=graph))

    async def states(
        self, *, limit: int | None = None, before: str | None = None, graph: str | None = None
    ) -> StateHistoryAnswer:
        """Return the graph's last states, or the last ones before a checkpoint id; newest first."""
        query = _given(limit=limit, before=before, graph=graph)
        return await self._call("GET", f"/threads/{self.user.quoted_id}/history", query=query)

    async def bookings(self) -> Json:
        """Return what the user holds, has booked and has cancelled; of the travel assistant only."""
        return await self._call("GET", self._path("bookings"))

    async def forget(self) -> None:
        """Interrupt the user's tasks and delete all that the server stores of the user."""
        await self._call("DELETE", self._path("users"))

    def _path(self, first: str, *rest: str) -> str:
        return "/".join(["", first, self.user.quoted_id, *(quote(each, safe="") for each in rest)])

    async def _call(self, method: str, path: str, body: Json | None = None, query: Json | None = None) -> Any:
        try:
            response = await self._http.request(
                method,
                self.user.url.rstrip("/") + VERSION + path,
                json=body,
                params=query,
                headers=self.user.headers,
            )
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            raise Unreachable("The server cannot be reached.") from error
        if response.is_success:
            return response.json() if response.content else {}
        raise _error_of(response)


def _given(**fields: Any) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


def _error_of(response: httpx2.Response) -> Refused | Unreachable:
    try:
        error = response.json()["error"]
        code, sentence, details = str(error["code"]), str(error["message"]), error.get("details")
    except (ValueError, KeyError, TypeError):  # a proxy in between answers in its own words
        code, sentence, details = "", f"The server answered {response.status_code}.", None
    if response.status_code == 503:
        return Unreachable(sentence)
    return Refused(sentence, code=code, status=response.status_code, details=details)


# --- follow --------------------------------------------------------------------------------------------
# Follows a user's events over one WebSocket, and reconnects after a break to the last event.


FIRST_WAIT_S = 0.25
LONGEST_WAIT_S = 8.0
OPEN_TIMEOUT_S = 10.0

Frame = dict[str, Any]

# The library logs a lost connection as an error with its traceback. For `follow` it is nothing unusual, and
# its caller is told; in a terminal the traceback would be written over the conversation.
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
    """Whether events arrive just now; `sentence` says why not, if the server said so."""

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

    Spread, because otherwise all clients of a returning server would connect at the same instant.
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
