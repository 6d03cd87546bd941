"""The Python client of a Detour server: `from detour.client import AsyncClient, Client`.

    async with AsyncClient("http://127.0.0.1:8000", "ada") as detour:
        async for frame in detour.stream("Find flights from Berlin to Tokyo"):
            if frame["type"] == "message":
                print(frame["role"], frame["text"])

Frames and answers are plain dicts, typed in `clients.wire_frames` and `clients.wire_values`: `frame["type"]`
tells a type checker which fields there are. Of all that this package needs, a client uses httpx2, websockets
and orjson alone.
"""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Generator, Mapping
from contextlib import aclosing
from types import TracebackType
from typing import Any, Literal, TypedDict, TypeVar, Unpack, cast
from uuid import uuid4

import httpx2

from .clients.api import (
    TIMEOUT_S,
    Api,
    AtStop,
    Connection,
    Position,
    Refused,
    Unreachable,
    User,
    follow,
    wait_before,
)
from .clients.story import ACTIVE, Story
from .clients.wire_frames import Frame, SnapshotFrame
from .clients.wire_values import (
    AnsweredAnswer,
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

# --- reply ---------------------------------------------------------------------------------------------
# Tells which frames belong to a message that was sent: to its task, or to the task that has it in its run.
#
# No I/O. A message that steers has no task of its own at first: its `steer` events say which task has it.


class Reply:
    """What follows on one message; `accepted` is how it was taken. `has_ended` once no frame is its own."""

    def __init__(self, accepted: ChatAnswer) -> None:
        self.has_ended = False
        self._task_id = accepted["task_id"]
        self._message_id = accepted.get("message_id", "")
        # Of a withdrawn one, that was sent again: the event that says so is still to be heard.
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
        self.has_ended = _ends_task(frame)
        return True

    def _take_from(self, snapshot: SnapshotFrame) -> None:
        status = snapshot["status"]
        if self._waits:
            waiting = status.get("pending", []) if status is not None else []
            if any(each["message_id"] == self._message_id for each in waiting):
                return
            # In a history that does not go back so far its place is not told; its own task is the best guess.
            own, _, _ = self._message_id.rpartition(".")
            places = {each["message_id"]: each["task_id"] for each in snapshot["history"]}
            self._task_id, self._waits = places.get(self._message_id, own), False
        self.has_ended = not _is_active_in(status, self._task_id)


def _ends_task(event: Frame) -> bool:
    """Whether it is the last event of its task."""
    if event["type"] == "status_update":
        return event["status"] in ("completed", "failed")  # an interrupted one still gets its receipt
    return event["type"] == "receipt"


def _is_active_in(status: StatusAnswer | None, task_id: str) -> bool:
    if status is None:
        return False
    return task_id in status["queued"] or (status["task_id"] == task_id and status["status"] in ACTIVE)


# --- client --------------------------------------------------------------------------------------------


__all__ = ["AsyncClient", "Client", "Connection", "Frame", "Position", "Refused", "Story", "Unreachable"]

ATTEMPTS = 5
"""How often a message is sent until the server has answered; with about 4 s of waiting in between."""

Policy = Literal["interrupt", "steer", "enqueue", "reject"]
Stopped = ReceiptAnswer | StoppedAgentAnswer | StoppingAnswer
T = TypeVar("T")


class SendOptions(TypedDict, total=False):
    """What may go with a message; `task_id` is the task that it is to steer, and no other one.

    The last five are for a graph of one's own.
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


class AsyncClient:
    """One user of the server at `url`, for coroutines; `token` is the server's, if it asks for one.

    All calls raise `Refused` or `Unreachable`. Cancelling a call leaves open whether the server has taken it.
    """

    def __init__(
        self, url: str, user_id: str, *, token: str | None = None, timeout_s: float = TIMEOUT_S
    ) -> None:
        self.user = User(url=url, user_id=user_id, token=token)
        self._http = httpx2.AsyncClient(timeout=timeout_s, trust_env=not self.user.is_on_this_machine)
        self._api = Api(self.user, self._http)

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the HTTP connections; streams are closed by whoever iterates over them."""
        await self._http.aclose()

    async def send(self, message: str, **options: Unpack[SendOptions]) -> ChatAnswer:
        """Send a message, which by default interrupts the active task, and return how it was taken.

        With `policy="steer"` the running task takes it in: the answer has its `message_id`, and `steer` says
        what has become of it. It is sent again while the server cannot be reached, under one `client_id`: so
        it is taken once.
        """
        fields = {"client_id": uuid4().hex, **options}
        for attempt in range(ATTEMPTS - 1):
            try:
                return cast("ChatAnswer", await self._api.chat(message, **fields))
            except Unreachable:
                await asyncio.sleep(wait_before(attempt))
        return cast("ChatAnswer", await self._api.chat(message, **fields))

    async def stream(self, message: str, **options: Unpack[SendOptions]) -> AsyncGenerator[Frame, None]:
        """Send a message and yield the events of its task, in order and without a gap, until it has ended.

        An interrupted task ends with its receipt, any other with its final status. Closing the generator does
        not stop the task. If the server no longer keeps the events since the message, a snapshot is yielded.

        With `policy="steer"` the message's `steer` events are yielded, and questions that are asked while it
        is pending; then the events of the task that has it: that took it in, or that began with it. So the
        stream has the reply to this message, and no other one. It ends if the message is withdrawn.
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

        Begins with a hello and a snapshot; with a `position` with a hello and what has happened since. After
        a break it resumes where it was: no event is missing, and none comes twice. Raises `Refused` where
        another attempt would not help.
        """
        async with aclosing(follow(self.user, position)) as frames:
            async for frame in frames:
                yield cast("Frame | Connection", frame)

    async def stop(
        self, task_id: str | None = None, *, agent: str | None = None, pending: AtStop | None = None
    ) -> Stopped:
        """Stop a task, by default the active one, or one agent of it; return the receipt, or the agent.

        Messages that are pending begin a task then; with `pending="withdraw"` they are withdrawn. Returns
        `{"user_id", "status": "cancelling"}` while the task settles, as a write may.
        """
        return cast("Stopped", await self._api.stop(task_id, agent=agent, pending=pending))

    async def pending(self) -> PendingListAnswer:
        """Return the messages that wait for the running task to take them in, in order."""
        return cast("PendingListAnswer", await self._api.pending())

    async def edit(self, message_id: str, text: str, *, revision: int) -> PendingAnswer:
        """Replace the text of a message that is pending; `revision` is the one that its user has seen.

        Raises `Refused` with the code `stale_revision` if it was edited since, and with `not_pending`, as the
        other calls do, if it is pending no more; `details` tells what it is by now.
        """
        return cast("PendingAnswer", await self._api.edit(message_id, text, revision=revision))

    async def withdraw(self, message_id: str) -> PendingAnswer:
        """Take back a message that is pending."""
        return cast("PendingAnswer", await self._api.withdraw(message_id))

    async def now(self, message_id: str) -> PendingAnswer:
        """Interrupt the running task with a message that is pending."""
        return cast("PendingAnswer", await self._api.now(message_id))

    async def later(self, message_id: str) -> PendingAnswer:
        """Leave a message that is pending for the end of the running task."""
        return cast("PendingAnswer", await self._api.later(message_id))

    async def answer(self, request_id: str, values: Mapping[str, Any]) -> AnsweredAnswer:
        """Answer a question with the values of its fields."""
        return cast("AnsweredAnswer", await self._api.answer(request_id, values))

    async def decide(
        self, request_id: str, decision: Literal["allow", "deny"], note: str | None = None
    ) -> AnsweredAnswer:
        """Allow or deny what a task asks permission for; a `note` enters the conversation."""
        return cast("AnsweredAnswer", await self._api.decide(request_id, decision, note))

    async def status(self) -> StatusAnswer:
        """Return the state of the latest task."""
        return cast("StatusAnswer", await self._api.status())

    async def partial_results(self) -> PartialResultsAnswer:
        """Return what the latest task and the last interrupted ones have found."""
        return cast("PartialResultsAnswer", await self._api.partial_results())

    async def history(self, *, limit: int | None = None, before: str | None = None) -> HistoryAnswer:
        """Return the last messages, or the last ones before a message id; oldest first."""
        return cast("HistoryAnswer", await self._api.history(limit=limit, before=before))

    async def receipt(self, task_id: str) -> ReceiptAnswer:
        """Return what became of each call of a task that has ended."""
        return cast("ReceiptAnswer", await self._api.receipt(task_id))

    async def state(self, *, graph: str | None = None) -> StateView:
        """Return the newest state of the graph of one's own that the user spoke to last, or of `graph`."""
        return cast("StateView", await self._api.state(graph=graph))

    async def states(
        self, *, limit: int | None = None, before: str | None = None, graph: str | None = None
    ) -> StateHistoryAnswer:
        """Return the graph's last states, or the last ones before a checkpoint id; newest first."""
        return cast("StateHistoryAnswer", await self._api.states(limit=limit, before=before, graph=graph))

    async def forget(self) -> None:
        """Interrupt the user's tasks and delete all that the server stores of the user."""
        await self._api.forget()


class Client:
    """`AsyncClient` for code without an event loop: the same calls, which block.

    It runs a loop of its own while a call or a step of a stream is under way, so it cannot be used inside a
    running loop, nor by two threads at once. A stream that is not read for long is reconnected when it is.
    """

    def __init__(
        self, url: str, user_id: str, *, token: str | None = None, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._runner = asyncio.Runner()
        self._client = AsyncClient(url, user_id, token=token, timeout_s=timeout_s)

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the HTTP connections and the loop."""
        self._runner.run(self._client.close())
        self._runner.close()

    def send(self, message: str, **options: Unpack[SendOptions]) -> ChatAnswer:
        """See `AsyncClient.send`."""
        return self._runner.run(self._client.send(message, **options))

    def stream(self, message: str, **options: Unpack[SendOptions]) -> Generator[Frame, None, None]:
        """See `AsyncClient.stream`."""
        return self._each(self._client.stream(message, **options))

    def events(self, position: Position | None = None) -> Generator[Frame | Connection, None, None]:
        """See `AsyncClient.events`."""
        return self._each(self._client.events(position))

    def stop(
        self, task_id: str | None = None, *, agent: str | None = None, pending: AtStop | None = None
    ) -> Stopped:
        """See `AsyncClient.stop`."""
        return self._runner.run(self._client.stop(task_id, agent=agent, pending=pending))

    def pending(self) -> PendingListAnswer:
        """See `AsyncClient.pending`."""
        return self._runner.run(self._client.pending())

    def edit(self, message_id: str, text: str, *, revision: int) -> PendingAnswer:
        """See `AsyncClient.edit`."""
        return self._runner.run(self._client.edit(message_id, text, revision=revision))

    def withdraw(self, message_id: str) -> PendingAnswer:
        """See `AsyncClient.withdraw`."""
        return self._runner.run(self._client.withdraw(message_id))

    def now(self, message_id: str) -> PendingAnswer:
        """See `AsyncClient.now`."""
        return self._runner.run(self._client.now(message_id))

    def later(self, message_id: str) -> PendingAnswer:
        """See `AsyncClient.later`."""
        return self._runner.run(self._client.later(message_id))

    def answer(self, request_id: str, values: Mapping[str, Any]) -> AnsweredAnswer:
        """See `AsyncClient.answer`."""
        return self._runner.run(self._client.answer(request_id, values))

    def decide(
        self, request_id: str, decision: Literal["allow", "deny"], note: str | None = None
    ) -> AnsweredAnswer:
        """See `AsyncClient.decide`."""
        return self._runner.run(self._client.decide(request_id, decision, note))

    def status(self) -> StatusAnswer:
        """See `AsyncClient.status`."""
        return self._runner.run(self._client.status())

    def partial_results(self) -> PartialResultsAnswer:
        """See `AsyncClient.partial_results`."""
        return self._runner.run(self._client.partial_results())

    def history(self, *, limit: int | None = None, before: str | None = None) -> HistoryAnswer:
        """See `AsyncClient.history`."""
        return self._runner.run(self._client.history(limit=limit, before=before))

    def receipt(self, task_id: str) -> ReceiptAnswer:
        """See `AsyncClient.receipt`."""
        return self._runner.run(self._client.receipt(task_id))

    def state(self, *, graph: str | None = None) -> StateView:
        """See `AsyncClient.state`."""
        return self._runner.run(self._client.state(graph=graph))

    def states(
        self, *, limit: int | None = None, before: str | None = None, graph: str | None = None
    ) -> StateHistoryAnswer:
        """See `AsyncClient.states`."""
        return self._runner.run(self._client.states(limit=limit, before=before, graph=graph))

    def forget(self) -> None:
        """See `AsyncClient.forget`."""
        self._runner.run(self._client.forget())

    def _each(self, stream: AsyncGenerator[T, None]) -> Generator[T, None, None]:
        # Each step runs the loop until there is a frame. Between two steps the loop is paused, and no ping is
        # answered: the server may close the socket, and the next step reconnects with the position.
        try:
            while True:
                yield self._runner.run(_next(stream))
        except StopAsyncIteration:
            return
        finally:
            self._runner.run(stream.aclose())


def _next(stream: AsyncGenerator[T, None]) -> Coroutine[Any, Any, T]:
    async def step() -> T:  # a runner takes coroutines only, and `anext` returns another kind of awaitable
        return await anext(stream)

    return step()
