"""The Python client of a Detour server: `from detour.client import AsyncClient, Client`.

    async with AsyncClient("http://127.0.0.1:8000", "ada") as detour:
        async for frame in detour.stream("Find flights from Berlin to Tokyo"):
            if frame["type"] == "message":
                print(frame["role"], frame["text"])

Frames and answers are plain dicts, typed in `clients.wire`: `frame["type"]` tells a type checker which fields
there are. Of this package's dependencies, a client uses httpx2, websockets and orjson alone.
"""

import asyncio
import functools
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import aclosing
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, Unpack, cast
from uuid import uuid4

import httpx2

from .clients.api import (
    TIMEOUT_S,
    Api,
    Connection,
    Position,
    Refused,
    SendOptions,
    Unreachable,
    User,
    follow,
    wait_before,
)
from .clients.story import ACTIVE, Story
from .clients.wire import ChatAnswer, Frame, SnapshotFrame, StatusAnswer

__all__ = ["AsyncClient", "Client", "Connection", "Frame", "Position", "Refused", "Story", "Unreachable"]

ATTEMPTS = 5
"""How often a message is sent until the server has answered; with about 4 s of waiting in between."""

T = TypeVar("T")
P = ParamSpec("P")


class Reply:
    """Selects the frames of one message: of its own task, or of the task that takes it in.

    `accepted` is the server's answer to the message. `has_ended` is true after the last frame.
    """

    def __init__(self, accepted: ChatAnswer) -> None:
        self.has_ended = False
        self._task_id = accepted["task_id"]
        self._message_id = accepted.get("message_id", "")
        # If a withdrawn message was sent again, the event that says so is still to come.
        self._waits = accepted.get("steer") in ("pending", "withdrawn")

    def hear(self, frame: Frame) -> bool:
        """Take a frame, and return whether it belongs to the message."""
        if frame["type"] == "hello" or frame["type"] == "reset":
            return False
        if frame["type"] == "snapshot":
            self._take_from(frame)
            return True
        if frame["type"] == "steer" and frame["message_id"] == self._message_id:
            self._task_id, self._waits = frame["task_id"], frame["steer"] == "pending"
            self.has_ended = frame["steer"] == "withdrawn"
            return True
        if self._waits:
            # Until it is answered no step follows that could take the message in.
            return frame["type"] == "input_request"
        if frame["task_id"] != self._task_id:
            return False
        # An interrupted task still gets its receipt.
        self.has_ended = frame["type"] == "receipt" or (
            frame["type"] == "status_update" and frame["status"] in ("completed", "failed")
        )
        return True

    def _take_from(self, snapshot: SnapshotFrame) -> None:
        status = snapshot["status"]
        if self._waits:
            waiting = status.get("pending", []) if status is not None else []
            if any(each["message_id"] == self._message_id for each in waiting):
                return
            # If the history does not go back that far, the message's own task is the best guess.
            own, _, _ = self._message_id.rpartition(".")
            tasks = {each["message_id"]: each["task_id"] for each in snapshot["history"]}
            self._task_id, self._waits = tasks.get(self._message_id, own), False
        self.has_ended = not _is_active(self._task_id, status)


def _is_active(task_id: str, status: StatusAnswer | None) -> bool:
    if status is None:
        return False
    return task_id in status["queued"] or (status["task_id"] == task_id and status["status"] in ACTIVE)


class AsyncClient(Api):
    """One user of the server at `url`, for coroutines; `token` is the server's, if it asks for one.

    All calls raise `Refused` or `Unreachable`. Cancelling a call leaves open whether the server has taken it.
    """

    def __init__(
        self, url: str, user_id: str, *, token: str | None = None, timeout_s: float = TIMEOUT_S
    ) -> None:
        user = User(url=url, user_id=user_id, token=token)
        super().__init__(user, httpx2.AsyncClient(timeout=timeout_s, trust_env=not user.is_on_this_machine))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the HTTP connections; streams are closed by whoever iterates over them."""
        await self._http.aclose()

    async def send(self, message: str, **options: Unpack[SendOptions]) -> ChatAnswer:
        """Send a message, which by default interrupts the active task, and return how it was taken.

        With `policy="steer"` the running task takes it in: the answer has its `message_id` and its state,
        `steer`. While the server cannot be reached the message is sent again under one `client_id`, and so
        accepted once.
        """
        options = {"client_id": uuid4().hex, **options}
        for attempt in range(ATTEMPTS - 1):
            try:
                return await super().send(message, **options)
            except Unreachable:
                await asyncio.sleep(wait_before(attempt))
        return await super().send(message, **options)

    async def stream(self, message: str, **options: Unpack[SendOptions]) -> AsyncGenerator[Frame, None]:
        """Send a message and yield the events of its task, in order and without a gap, until it has ended.

        An interrupted task ends with its receipt, any other with its final status. Closing the generator does
        not stop the task. If the server no longer keeps the events since the message, a snapshot is yielded.

        With `policy="steer"` the message's `steer` events are yielded, and questions that are asked while it
        is pending; then the events of the task that took it in, or that began with it. So the stream has the
        reply to this message, and no other one. It ends if the message is withdrawn.
        """
        accepted = await self.send(message, **options)
        reply = Reply(accepted)
        async with aclosing(self.events(Position(accepted["seq"], accepted["epoch"]))) as frames:
            async for frame in frames:
                if not isinstance(frame, Connection) and reply.hear(frame):
                    yield frame
                    if reply.has_ended:
                        return

    async def events(self, position: Position | None = None) -> AsyncGenerator[Frame | Connection, None]:
        """Yield every frame of the user and each change of the connection; never ends by itself.

        Begins with a hello and a snapshot; with a `position`, with a hello and the events since. After a
        break it resumes where it was: no event is missing, and none comes twice. Raises `Refused` where
        another attempt would not help.
        """
        async with aclosing(follow(self.user, position)) as frames:
            async for frame in frames:
                yield cast("Frame | Connection", frame)


def _blocking(
    call: Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]],
) -> "Callable[Concatenate[Client, P], T]":
    """Return a method of `Client` that runs a call of `AsyncClient` to its end."""

    @functools.wraps(call)
    def method(client: "Client", *args: P.args, **options: P.kwargs) -> T:
        return client._runner.run(call(client._client, *args, **options))  # pyright: ignore[reportPrivateUsage]

    return method


class Client:
    """`AsyncClient` for code without an event loop: the same calls, which block.

    It runs a loop of its own while a call or a step of a stream is under way, so it cannot be used inside a
    running loop, nor by two threads at once. A stream that is not read for long is reconnected when it is.
    """

    send = _blocking(AsyncClient.send)
    stop = _blocking(AsyncClient.stop)
    pending = _blocking(AsyncClient.pending)
    edit = _blocking(AsyncClient.edit)
    withdraw = _blocking(AsyncClient.withdraw)
    now = _blocking(AsyncClient.now)
    later = _blocking(AsyncClient.later)
    answer = _blocking(AsyncClient.answer)
    decide = _blocking(AsyncClient.decide)
    status = _blocking(AsyncClient.status)
    partial_results = _blocking(AsyncClient.partial_results)
    history = _blocking(AsyncClient.history)
    receipt = _blocking(AsyncClient.receipt)
    calls = _blocking(AsyncClient.calls)
    state = _blocking(AsyncClient.state)
    states = _blocking(AsyncClient.states)
    forget = _blocking(AsyncClient.forget)

    def __init__(
        self, url: str, user_id: str, *, token: str | None = None, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._runner = asyncio.Runner()
        self._client = AsyncClient(url, user_id, token=token, timeout_s=timeout_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the HTTP connections and the loop."""
        self._runner.run(self._client.close())
        self._runner.close()

    def stream(self, message: str, **options: Unpack[SendOptions]) -> Generator[Frame, None, None]:
        """See `AsyncClient.stream`."""
        return self._each(self._client.stream(message, **options))

    def events(self, position: Position | None = None) -> Generator[Frame | Connection, None, None]:
        """See `AsyncClient.events`."""
        return self._each(self._client.events(position))

    def _each(self, stream: AsyncGenerator[T, None]) -> Generator[T, None, None]:
        async def step() -> (
            T
        ):  # a runner takes coroutines only, and `anext` returns another kind of awaitable
            return await anext(stream)

        # Each step runs the loop until there is a frame. Between two steps the loop is paused, and no ping is
        # answered: the server may close the socket, and the next step reconnects with the position.
        try:
            while True:
                yield self._runner.run(step())
        except StopAsyncIteration:
            return
        finally:
            self._runner.run(stream.aclose())
