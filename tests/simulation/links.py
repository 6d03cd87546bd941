"""The network between replicas and their database: connections, and what goes wrong with them.

A statement travels, is carried out, and its answer travels back; each way takes a few milliseconds. A link
can be cut, so that nothing arrives and nobody is told, or a connection be reset: its client knows at once,
but not what became of what it had sent. An answer can be lost, and the connection with it. Hints are lost,
late or doubled as often as `Server.hints` says.
"""

import asyncio
import contextlib
from asyncio import Future
from collections.abc import AsyncGenerator, Callable
from contextvars import Context, copy_context
from dataclasses import dataclass
from random import Random
from typing import Any

import asyncpg

from backend.store.postgres.database import ANSWER_WITHIN_S
from tests.simulation.database import Database
from tests.simulation.rows import Raised
from tests.simulation.statements import Do, Notify, Waits, meaning

LOCK_AGAIN_S = 0.05
NOTICED_AFTER_S = 30.0
"""Seconds after which the server gives up a session whose client it cannot reach."""


@dataclass
class Hints:
    """How many of a hundred hints are lost, come twice, and come late."""

    lost: int = 0
    twice: int = 0
    late: int = 0
    late_s: float = 0.0


@dataclass
class Loss:
    """The loss of the next answer to a statement that matters; `then` is given its values at that moment."""

    statement: str
    matters: Callable[[tuple[Any, ...], Any], bool] = lambda _values, _answer: True
    then: Callable[[tuple[Any, ...]], object] = lambda _values: None


class Server:
    """The database as processes reach it: `sessions` are the connections that it believes in."""

    def __init__(self, database: Database, random: Random) -> None:
        self.database = database
        self.random = random
        self.hints = Hints()
        self.sessions: list[Connection] = []
        self.up = True
        self.wrong: list[str] = []
        self.context: Context = copy_context()
        """Of nobody: what is under way here goes on, whatever becomes of its sender."""

    def later(self, seconds: float, call: Callable[..., object], *values: Any) -> None:
        """Call something after a while, in no process."""
        asyncio.get_running_loop().call_later(seconds, call, *values, context=self.context)

    def delay_s(self) -> float:
        """Return how long the next message travels."""
        return self.random.choice((0.0005, 0.001, 0.001, 0.002, 0.004))

    def go_down(self) -> None:
        """Stop serving; what was not carried out never is."""
        self.up = False
        self.database.restart()
        for each in [*self.sessions]:
            each.reset()

    def come_up(self) -> None:
        """Serve again."""
        self.up = True

    def forget(self, connection: "Connection") -> None:
        """End a session: what it holds is free."""
        if connection in self.sessions:
            self.sessions.remove(connection)
        self.database.release(connection)

    def notify(self, channel: str, payload: str) -> None:
        """Tell whoever listens, as well as hints are told."""
        hints, chance = self.hints, self.random.randrange(100)
        if chance < hints.lost:
            return
        times = 2 if chance < hints.lost + hints.twice else 1
        for each in self.sessions:
            for _ in range(times if channel in each.listeners else 0):
                late = self.random.randrange(100) < hints.late
                self.later(self.delay_s() + (hints.late_s if late else 0.0), each.hear, channel, payload)


class Link:
    """The way of one process to the server; `context` is that of the process."""

    def __init__(self, server: Server, context: Context) -> None:
        self.server = server
        self.context = context
        self.is_cut = False
        self.hints_are_cut = False
        self.is_gone = False
        self._loss: Loss | None = None
        self._held: list[tuple[Callable[..., object], tuple[Any, ...]]] = []
        self.connections: list[Connection] = []

    async def connect(self) -> "Connection":
        """Return a new connection. Raises `OSError` and `TimeoutError`."""
        if self.is_cut:
            await asyncio.sleep(3)
            raise TimeoutError
        await asyncio.sleep(self.server.delay_s())
        if self.is_gone or not self.server.up:
            raise ConnectionRefusedError
        return Connection(self)

    def carry(self, deliver: Callable[..., object], *values: Any) -> None:
        """Deliver something at the other end: now, or once the link is whole again."""
        if self.is_cut:
            self._held.append((deliver, values))
        else:
            deliver(*values)

    def cut(self) -> None:
        """Let nothing through, without telling anybody."""
        self.is_cut = True

    def mend(self) -> None:
        """Let everything through again; of what was under way some arrives late, and some never."""
        self.is_cut = self.hints_are_cut = False
        held, self._held = self._held, []
        for deliver, values in held:
            if self.server.random.randrange(2):
                self.server.later(self.server.delay_s(), deliver, *values)

    def reset(self) -> None:
        """Break all connections, and tell their clients so."""
        for each in [*self.connections]:
            each.reset()

    def lose_answer(self, loss: "Loss") -> None:
        """Lose an answer, with its connection, once there is one such."""
        self._loss = loss

    def loses_answer(self, do: Do, values: tuple[Any, ...], answer: Any) -> bool:
        """Return whether the answer to what was carried out just now is lost."""
        loss = self._loss
        if loss is None or do is not meaning(loss.statement) or not loss.matters(values, answer):
            return False
        self._loss = None
        loss.then(values)
        return True

    def end(self) -> None:
        """Break all connections of a process that has died."""
        self.is_gone = True
        self.reset()


class Connection:
    """A connection, as asyncpg's looks to the replicas."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._server = link.server
        self._closed = False
        self._asked: Future[Any] | None = None
        self._number = 0
        self.listeners: dict[str, Callable[..., None]] = {}
        self._server.sessions.append(self)
        link.connections.append(self)

    async def fetch(self, statement: str, *values: Any) -> Any:
        return await self._ask(meaning(statement), values)

    async def fetchrow(self, statement: str, *values: Any) -> Any:
        return await self._ask(meaning(statement), values)

    async def fetchval(self, statement: str, *values: Any, timeout: float | None = None) -> Any:
        return await self._ask(meaning(statement), values, within_s=timeout or ANSWER_WITHIN_S)

    async def execute(self, statement: str, *values: Any, timeout: float = 0.0) -> Any:
        return await self._ask(meaning(statement), values)

    async def read(self, read: Callable[[], Any]) -> Any:
        """Read what is stored of users' tasks."""
        return await self._ask(lambda _database, _session: read(), ())

    async def add_listener(self, channel: str, heard: Callable[..., None]) -> None:
        await self._ask(lambda _database, _session: self.listeners.update({channel: heard}), ())

    @contextlib.asynccontextmanager
    async def transaction(self, **_options: Any) -> AsyncGenerator[None, None]:
        yield

    def is_closed(self) -> bool:
        return self._closed

    def terminate(self) -> None:
        """Close the client's end; the server notices soon, or late if the link is cut."""
        if not self._closed:
            self._close()
            noticed_s = NOTICED_AFTER_S if self._link.is_cut else self._server.delay_s()
            self._server.later(noticed_s, self._server.forget, self)

    async def close(self, *, timeout: float = 0.0) -> None:
        self.terminate()

    def reset(self) -> None:
        """Break: the client learns it now, and what it had sent is carried out or not."""
        if self._server.random.randrange(2):
            self._number += 1  # what is under way to the server never arrives
        self._break()

    def _break(self) -> None:
        asked = self._asked
        self._close()
        self._server.forget(self)
        if asked is not None and not asked.done():
            asked.set_exception(ConnectionResetError())

    def hear(self, channel: str, payload: str) -> None:
        """Take a notification, in the process's own time."""
        if not self._closed and not self._link.hints_are_cut and channel in self.listeners:
            self._link.carry(self._heard, channel, payload)

    def _heard(self, channel: str, payload: str) -> None:
        def tell() -> None:
            if not self._closed:
                self.listeners[channel](self, 0, channel, payload)

        asyncio.get_running_loop().call_soon(tell, context=self._link.context)

    def _close(self) -> None:
        self._closed = True
        if self in self._link.connections:
            self._link.connections.remove(self)

    async def _ask(self, do: Do, values: tuple[Any, ...], *, within_s: float = ANSWER_WITHIN_S) -> Any:
        if self._closed:
            raise asyncpg.InterfaceError("the connection is closed")
        self._number += 1
        asked = self._asked = asyncio.get_running_loop().create_future()
        self._server.later(
            self._server.delay_s(), self._link.carry, self._arrive, self._number, asked, do, values
        )
        async with asyncio.timeout(within_s):
            return await asked

    def _arrive(self, number: int, asked: "Future[Any]", do: Do, values: tuple[Any, ...]) -> None:
        """Carry out a statement at the server."""
        server = self._server
        if number != self._number or not server.up:
            return
        answer: Any = None
        error: Exception | None = None
        try:
            answer = do(server.database, self, *values)
        except Raised as raised:
            error = raised
        except Exception as fault:  # noqa: BLE001 - the model's own; what it leaves without an answer hides it
            server.wrong.append(repr(fault))
            error = ConnectionResetError()
        if self not in server.sessions:
            server.database.release(self)  # what came after its end holds nothing
        elif isinstance(answer, Waits):
            server.later(LOCK_AGAIN_S, self._arrive, number, asked, do, values)
            return
        if isinstance(answer, Notify):
            for channel, payload in answer.told:
                server.notify(channel, payload)
            answer = None
        if error is None and self._link.loses_answer(do, values, answer):
            self._break()
            return
        server.later(server.delay_s(), self._link.carry, _answer, asked, answer, error)


def _answer(asked: "Future[Any]", answer: Any, error: Exception | None) -> None:
    if asked.done():
        return
    if error is not None:
        asked.set_exception(error)
    else:
        asked.set_result(answer)
