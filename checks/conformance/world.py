"""The world outside the server, which is the runner's: gates that only it opens, and a provider's order book.

The graph and its tools come to a gate by connecting here, and are held until the runner opens it. So the
runner knows how far a task is without asking it, sees from outside whether its work has ended, since its
connection is then gone, and counts what was really ordered.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, cast


class World:
    """`async with World() as world` listens on `world.address`."""

    def __init__(self) -> None:
        self.address = ""
        self.came: Counter[tuple[str, str]] = Counter()
        self.orders: dict[str, tuple[str, str]] = {}
        self._visitors: dict[tuple[str, str], set[_Visitor]] = {}
        self._open: set[str] = set()
        self._waiting: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> "World":
        """Begin to listen, on a free port of this machine."""
        self._server = await asyncio.get_running_loop().create_server(lambda: _Visitor(self), "127.0.0.1", 0)
        host, port = self._server.sockets[0].getsockname()
        self.address = f"{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop listening, and dismiss all visitors."""
        assert self._server is not None
        self._server.close()
        for visitors in self._visitors.values():
            for visitor in visitors:
                visitor.dismiss()
        await self._server.wait_closed()

    def open(self, user: str) -> None:
        """Open all gates of a user, for good."""
        self._open.add(user)
        for (whose, _), visitors in self._visitors.items():
            if whose == user:
                for visitor in visitors:
                    visitor.let_through()

    def at_gates(self, user: str) -> tuple[str, ...]:
        """Return the gates at which something of the user waits."""
        return tuple(
            sorted(gate for (whose, gate), there in self._visitors.items() if whose == user and there)
        )

    def orders_of(self, user: str) -> int:
        """Return how many orders were taken for a user."""
        return sum(whose == user for whose, _ in self.orders.values())

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds of this world. Cancelling it leaves nothing behind."""
        while not holds():
            changed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            entry = (holds, changed)
            self._waiting.append(entry)
            try:
                await changed
            finally:
                self._waiting.remove(entry)

    def receive(self, visitor: "_Visitor", asked: Mapping[str, Any]) -> None:
        """Hold a visitor at its gate, unless it is passing; take its order first, where it has one, once."""
        user, gate = str(asked["user"]), str(asked["gate"])
        order = cast("str | None", asked.get("order"))
        if gate == "orders":
            _, reference = self.orders.get(str(order), ("", None))
            visitor.answer = {"reference": reference}
            visitor.let_through()
            return
        if order is not None:
            visitor.answer = {"reference": self.orders.setdefault(order, (user, f"R{len(self.orders)}"))[1]}
        self.came[user, gate] += 1
        if user in self._open or asked.get("passing"):
            visitor.let_through()
        else:
            visitor.place = (user, gate)
            self._visitors.setdefault(visitor.place, set()).add(visitor)
        self._changed()

    def release(self, visitor: "_Visitor") -> None:
        """Stop counting a visitor: it was let through, or is gone."""
        if visitor.place is not None:
            self._visitors[visitor.place].discard(visitor)
        self._changed()

    def _changed(self) -> None:
        for holds, changed in self._waiting:
            if not changed.done() and holds():
                changed.set_result(None)


class _Visitor(asyncio.Protocol):
    """One connection: a line of JSON asks, a line of JSON answers once the gate is open."""

    def __init__(self, world: World) -> None:
        self.place: tuple[str, str] | None = None
        self.answer: Mapping[str, Any] = {}
        self._world = world
        self._asked = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to listen to it."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Take in what it asks for once the line is whole."""
        self._asked += data
        if self._asked.endswith(b"\n"):
            self._world.receive(self, json.loads(self._asked))

    def connection_lost(self, exc: Exception | None) -> None:
        """Notice that it has gone."""
        self._world.release(self)

    def let_through(self) -> None:
        """Answer it, and end the connection."""
        assert self._transport is not None
        self._transport.write(json.dumps(self.answer).encode() + b"\n")
        self._transport.close()

    def dismiss(self) -> None:
        """End the connection without an answer."""
        assert self._transport is not None
        self._transport.abort()
