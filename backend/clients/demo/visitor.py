"""A user of the demo: sends messages, and notes when each event arrives."""

import asyncio
import time
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

import httpx2

from ..api import Api, Json, Refused, Unreachable, User
from ..follow import Connection, Frame, follow

PATIENCE_S = 10.0
"""How long an event is waited for."""


class SurpriseError(Exception):
    """The server did not do what it should have; the message says what."""


@dataclass(frozen=True, slots=True)
class Heard:
    """An event, and when it arrived: seconds of `time.perf_counter`."""

    at_s: float
    frame: Frame


@dataclass(frozen=True, slots=True)
class Posted:
    """A message that was accepted: when it was sent, when the 202 came, and what it says."""

    at_s: float
    accepted_s: float
    task_id: str
    answer: Json


class Visitor:
    """Calls the server over HTTP, and hears all events over a WebSocket. All calls raise `SurpriseError`."""

    def __init__(self, api: Api) -> None:
        self.heard: list[Heard] = []
        self._api = api
        self._news = asyncio.Event()

    async def post(self, message: str) -> Posted:
        """Send a message."""
        at_s = time.perf_counter()
        answer = await _expected("POST /chat", self._api.chat(message))
        return Posted(at_s, time.perf_counter(), answer["task_id"], answer)

    async def stop(self) -> Json:
        """Stop the active task and return the receipt."""
        return await _expected("POST /stop", self._api.stop())

    async def decide(self, request_id: str, decision: Literal["allow", "deny"]) -> float:
        """Allow or deny what a task asks permission for; return when that was sent."""
        at_s = time.perf_counter()
        await _expected("POST /answer", self._api.decide(request_id, decision))
        return at_s

    async def history(self) -> Json:
        """Return the conversation."""
        return await _expected("GET /history", self._api.history())

    async def partial_results(self) -> Json:
        """Return what the latest task and the interrupted ones have found."""
        return await _expected("GET /partial-results", self._api.partial_results())

    async def until(self, kind: str, task_id: str, *, times: int = 1, **fields: str) -> Heard:
        """Wait until events of this type and task, with these fields, have arrived so many times.

        Returns the last of them. Raises `SurpriseError` after `PATIENCE_S`.
        """
        try:
            async with asyncio.timeout(PATIENCE_S):
                while len(found := self.events(kind, task_id, **fields)) < times:
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            wanted = ", ".join([kind, *(f"{name}={value}" for name, value in fields.items())])
            raise SurpriseError(f"waited {PATIENCE_S:.0f} s in vain for {wanted}") from None
        return found[times - 1]

    def events(self, kind: str, task_id: str, **fields: str) -> list[Heard]:
        """Return the events of this type and task, with these fields, that have arrived."""
        wanted = {"type": kind, "task_id": task_id, **fields}
        return [
            heard
            for heard in self.heard
            if all(heard.frame.get(name) == value for name, value in wanted.items())
        ]

    def found(self, task_id: str) -> dict[str, int]:
        """Return how many partial results of a task have arrived, by agent."""
        counts: dict[str, int] = {}
        for heard in self.events("partial_result", task_id):
            agent = heard.frame["agent"]
            counts[agent] = counts.get(agent, 0) + len(heard.frame["items"])
        return counts

    async def listen(self, user: User, ready: asyncio.Event) -> None:
        """Hear the events until cancelled; set `ready` once the server sends them."""
        async with aclosing(follow(user)) as events:
            async for heard in events:
                if isinstance(heard, Connection):
                    continue
                self.heard.append(Heard(time.perf_counter(), heard))
                self._news.set()
                if heard["type"] == "snapshot":
                    ready.set()


@asynccontextmanager
async def visiting(url: str, user_id: str) -> AsyncGenerator[Visitor, None]:
    """Yield a visitor who hears the events already."""
    user = User(url=url, user_id=user_id)
    async with httpx2.AsyncClient(timeout=PATIENCE_S, trust_env=False) as http, asyncio.TaskGroup() as group:
        visitor, ready = Visitor(Api(user, http)), asyncio.Event()
        listening = group.create_task(visitor.listen(user, ready))
        try:
            await ready.wait()
            yield visitor
        finally:
            listening.cancel()


async def _expected(call: str, answer: Coroutine[Any, Any, Json]) -> Json:
    try:
        return await answer
    except Refused as refused:
        raise SurpriseError(f"{call} answered {refused.status}: {refused}") from refused
    except Unreachable as error:
        raise SurpriseError(f"{call} was not answered: {error}") from error
