"""Detour, as the kit knows it: its HTTP calls and its events, started as a process of its own."""

import tempfile
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import httpx2

from backend import __version__
from backend.clients.api import Api, Connection, Position, User, follow
from backend.clients.server import ServerProcess
from checks.conformance.gates import CONFORMANCE_WORLD
from checks.conformance.phases import Phase
from checks.conformance.server import Account, Call, Entry, Event, Kept
from checks.conformance.table import Outcome

GRAPH = "checks.conformance.graph:graph"
ANSWERS_WITHIN_S = 30.0
"""How long a call may take. Many cells are played at once, and a stop waits for what it ends."""


class Detour:
    """A `Server`, to which all of the table applies."""

    described = f"Detour {__version__}, by its own protocol"
    not_applicable: Mapping[str, str] = {}
    unreported: Mapping[str, str] = {}
    steers = True

    def __init__(self, graph: str = GRAPH) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="conformance-", ignore_cleanup_errors=True)
        folder = Path(self._folder.name)
        self._world: dict[str, str] = {}
        self._process = ServerProcess(
            folder, settings={"graph": graph}, environment=self._world, log=folder / "log"
        )
        # Shorter than the 5 s of the server, which could otherwise close a connection as it is used again.
        limits = httpx2.Limits(keepalive_expiry=1.0)
        self._http = httpx2.AsyncClient(timeout=ANSWERS_WITHIN_S, limits=limits, trust_env=False)

    def translated(self, phase: Phase, event: str, outcome: Outcome) -> Sequence[Outcome]:
        """Return the outcome as it is."""
        return (outcome,)

    def user(self, cell: str) -> str:
        """Return the cell's name."""
        return cell

    async def start(self, world: str) -> None:
        """Start it with the data that it had. Raises `NotStarted` with its log."""
        self._world[CONFORMANCE_WORLD] = world
        await self._process.start()

    async def kill(self) -> None:
        """End its process."""
        await self._process.kill()

    async def close(self) -> None:
        """End its process, and remove its folder."""
        await self._process.kill()
        await self._http.aclose()
        self._folder.cleanup()

    async def send(self, user: str, message: str, *, wait_its_turn: bool = False) -> str:
        """POST /chat."""
        policy = "enqueue" if wait_its_turn else "interrupt"
        return (await self._calls_of(user).send(message, policy=policy))["task_id"]

    async def steer(self, user: str, message: str) -> str:
        """POST /chat with the policy `steer`."""
        accepted = await self._calls_of(user).send(message, policy="steer")
        return accepted["task_id"] if accepted.get("steer") != "pending" else ""

    async def stop(self, user: str, task: str) -> Account | None:
        """POST /stop."""
        answered = await self._calls_of(user).stop(task)
        return _account(answered) if "tool_calls" in answered else None

    async def fill_in(self, user: str, request: str, fields: Mapping[str, object]) -> None:
        """POST /answer with an answer."""
        await self._calls_of(user).answer(request, fields)

    async def allow(self, user: str, request: str) -> None:
        """POST /answer with a decision."""
        await self._calls_of(user).decide(request, "allow")

    async def events(self, user: str) -> AsyncGenerator[Event, None]:
        """The WebSocket, from the first event on."""
        async with aclosing(follow(self._user(user), Position(0))) as frames:
            async for frame in frames:
                event = None if isinstance(frame, Connection) else _event(frame)
                if event is not None:
                    yield event

    async def account(self, user: str, task: str) -> Account:
        """GET /receipts."""
        return _account(await self._calls_of(user).receipt(task))

    async def kept_of(self, user: str, task: str) -> Kept:
        """GET /partial-results: of the latest task, or of one that was interrupted."""
        told = await self._calls_of(user).partial_results()
        tasks: list[Mapping[str, Any]] = [told, *told["interrupted"]]
        left = next((each for each in tasks if each["task_id"] == task), None)
        return Kept(found=_items(left["partial_results"]), text=left["text"]) if left else Kept()

    async def history(self, user: str) -> list[Entry]:
        """GET /history."""
        told = await self._calls_of(user).history()
        return [
            Entry(role=each["role"], text=each["text"], cut_short=each["interrupted"])
            for each in told["messages"]
        ]

    async def latest(self, user: str) -> str:
        """GET /status."""
        return (await self._calls_of(user).status())["task_id"]

    def _user(self, user: str) -> User:
        return User(url=self._process.url, user_id=user)

    def _calls_of(self, user: str) -> Api:
        return Api(self._user(user), self._http)


def _items(found: Mapping[str, list[Any]]) -> int:
    return sum(map(len, found.values()))


def _account(receipt: Mapping[str, Any]) -> Account:
    return Account(
        calls=tuple(
            Call(call_id=call["call_id"], tool=call["tool"], outcome=call["outcome"])
            for call in receipt["tool_calls"]
        ),
        found=sum(receipt["partial_results"].values()),
        text_kept=receipt["text_kept"],
        input_request=receipt["input_request"] or "",
        adopted_by=receipt["adopted_by"] or "",
    )


def _event(told: Mapping[str, Any]) -> Event | None:
    task = str(told.get("task_id"))
    match told["type"]:
        case "status_update":
            return Event(kind="status", task=task, word=told["status"], why=told["reason"] or "")
        case "text_delta":
            return Event(kind="text", task=task, word=told["text"])
        case "partial_result":
            return Event(kind="found", task=task, count=len(told["items"]))
        case "input_request":
            return Event(kind="asked", task=task, word=told["request_id"])
        case "tool_update":
            return Event(kind="tool", task=task, word=told["tool"], why=told["state"])
        case "context_transfer":
            return Event(kind="taken over", task=task, calls=tuple(told["adopted"]))
        case "receipt":
            return Event(kind="settled", task=task)
        case "steer":
            return Event(kind="steered", task=task, word=told["steer"])
        case _:
            return None
