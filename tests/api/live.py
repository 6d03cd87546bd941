"""The whole application for tests: over ASGI within the test, or as a real server on a port of its own.

What it runs is `tests.scripted_graph`, unless a test wants the travel graph (`graph=""`).
"""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import httpx2
import websockets

from backend.domain.errors import ErrorAnswer
from backend.http.settings import Settings, TravelSettings
from backend.http.wire import answers
from backend.main import Detour, Server, listen
from tests.fakes.waiting import BOUND_S, until
from tests.inventory import lend_inventory
from tests.shapes import check_shape

ENDED = {"completed", "failed", "interrupted"}


def settings(folder: Path, **changes: Any) -> Settings:
    values: dict[str, Any] = {
        "port": 8000,
        "token": None,
        "store": "memory",
        "data_dir": folder,
        "graph": "tests.scripted_graph:graph",
        "demo_pace": 0,
        "shutdown_grace_s": 2,
        "address_requests_per_minute": 0,  # the clients below ask again at once, without a pause
    }
    made = TravelSettings(_env_file=None, **values | changes)
    if not made.graph:
        lend_inventory(made.data_dir)
    return made


@dataclass
class Client:
    """Calls the application, and holds every answer to its shape."""

    http: httpx2.AsyncClient
    looks_every_s: ClassVar[float] = 0
    """The pause between two calls that wait for something; one in another process needs the CPU meanwhile."""

    async def call(self, method: str, path: str, **options: Any) -> httpx2.Response:
        async with asyncio.timeout(BOUND_S):
            return await self.http.request(method, path, **options)

    async def chat(self, user_id: str, message: str, **fields: Any) -> dict[str, Any]:
        body = {"user_id": user_id, "message": message, **fields}
        return answer(await self.call("POST", "/chat", json=body), 202, answers.ChatAnswer)

    async def until_asked(self, user_id: str) -> dict[str, Any]:
        """Return the status of a user as soon as there is a question."""
        return await self.until_status(user_id, lambda status: status["input_requests"])

    async def until_status(self, user_id: str, holds: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """Return the first status of a user of which something holds."""

        async def look() -> dict[str, Any] | None:
            status = await self.status(user_id)
            return status if holds(status) else None

        return await until(look, every_s=self.looks_every_s)

    async def answer(self, user_id: str, request_id: str, **fields: Any) -> dict[str, Any]:
        body = {"request_id": request_id, "answer": fields}
        return answer(await self.call("POST", f"/answer/{user_id}", json=body), 202, answers.AnsweredAnswer)

    async def stop(self, user_id: str, **fields: Any) -> dict[str, Any]:
        return answer(await self.call("POST", f"/stop/{user_id}", json=fields), 200, answers.ReceiptAnswer)

    async def status(self, user_id: str) -> dict[str, Any]:
        return answer(await self.call("GET", f"/status/{user_id}"), 200, answers.StatusAnswer)

    async def partial_results(self, user_id: str) -> dict[str, Any]:
        found = await self.call("GET", f"/partial-results/{user_id}")
        return answer(found, 200, answers.PartialResultsAnswer)

    async def history(self, user_id: str, **query: Any) -> dict[str, Any]:
        said = await self.call("GET", f"/history/{user_id}", params=query)
        return answer(said, 200, answers.HistoryAnswer)

    async def until_found(self, user_id: str, count: int, agent: str = "finder") -> dict[str, Any]:
        async def look() -> dict[str, Any] | None:
            found = await self.partial_results(user_id)
            return found if len(found["partial_results"].get(agent, [])) >= count else None

        return await until(look, every_s=self.looks_every_s)

    async def until_ended(self, user_id: str, task_id: str) -> dict[str, Any]:
        """Return the status of a user's latest task once it is this one and it has ended."""
        return await self.until_status(
            user_id, lambda status: status["task_id"] == task_id and status["status"] in ENDED
        )

    async def chat_to_end(self, user_id: str, message: str, **fields: Any) -> dict[str, Any]:
        """Send a message, and return the status of its task once it has ended."""
        return await self.until_ended(user_id, (await self.chat(user_id, message, **fields))["task_id"])


@dataclass
class LocalClient(Client):
    """A client of an application that lives in the same process."""

    detour: Detour


def answer(response: httpx2.Response, status: int, shape: type) -> dict[str, Any]:
    """Return an answer's JSON, held to its status and its exact set of fields."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    check_shape(shape, response.content)
    return response.json()


def refusal(response: httpx2.Response, status: int, code: str) -> dict[str, Any]:
    """Return an error's inner object, held to the contract's form."""
    body = answer(response, status, ErrorAnswer)
    assert set(body) == {"error"}
    error = body["error"]
    assert set(error) - {"details"} == {"code", "message", "retryable"}
    assert error["code"] == code, error
    assert error["message"].endswith("."), error
    assert error["retryable"] is (status in (429, 503))
    assert ("retry-after" in response.headers) is (status in (429, 503))
    return error


@contextlib.asynccontextmanager
async def running(folder: Path, **changes: Any):
    """Yield a client of the application, called over ASGI in this event loop."""
    detour = Detour(settings(folder, **changes))
    transport = httpx2.ASGITransport(app=detour.app)
    async with detour.life(), httpx2.AsyncClient(transport=transport, base_url=base_url(8000)) as http:
        yield LocalClient(http, detour)


@dataclass
class LiveServer(LocalClient):
    """A real server of this process, with its port."""

    server: Server
    port: int

    async def until_all_have_left(self) -> None:
        """Wait until no socket or event stream is open any more."""
        await until(lambda: not self.detour.open_streams)

    def socket(self, user_id: str, query: str = "", **options: Any):
        """Return an unopened WebSocket, for `async with`."""
        return open_socket(self.port, user_id, query, **options)


def open_socket(port: int, user_id: str, query: str = "", **options: Any):
    """Return an unopened WebSocket, for `async with`; it takes in whatever comes, read or not."""
    url = f"ws://127.0.0.1:{port}/ws/{user_id}{query}"
    options = {"open_timeout": BOUND_S, **options}
    return websockets.connect(url, max_size=None, max_queue=None, compression=None, **options)


@contextlib.asynccontextmanager
async def serving(folder: Path, **changes: Any):
    """Yield a real server on a free port, in this event loop; it ends in good order."""
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    server = Server(settings(folder, port=port, **changes))
    server.config.load()
    server.lifespan = server.config.lifespan_class(server.config)
    await server.startup([listener])
    try:
        # uvicorn closes an idle connection after 5 s, as long as httpx2 keeps one: a request sent in that
        # instant would find its connection closed.
        limits = httpx2.Limits(keepalive_expiry=2)
        async with httpx2.AsyncClient(base_url=base_url(port), timeout=BOUND_S, limits=limits) as http:
            yield LiveServer(http, server.detour, server, port)
    finally:
        await server.shutdown([listener])


def base_url(port: int) -> str:
    return f"http://127.0.0.1:{port}"
