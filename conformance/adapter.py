"""Detour, as the kit knows it: its HTTP calls and its event stream, started as a process of its own."""

import asyncio
import json
import os
import re
import sys
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any

import httpx2

from conformance.gates import CONFORMANCE_WORLD
from conformance.server import Account, Call, Entry, Event, Left

GRAPH = "conformance.graph:graph"
START_S = 30.0
"""How long the server may take to start."""

_ROOT = Path(__file__).resolve().parents[1]


class Detour:
    """A `Server`."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="conformance-", ignore_cleanup_errors=True)
        self._log = Path(self._folder.name) / "log"
        self._process: asyncio.subprocess.Process | None = None
        self._http = httpx2.AsyncClient()

    async def start(self, world: str) -> None:
        """Start it on a free port, with the data that it had. Raises RuntimeError with its log."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("DETOUR_")}
        settings = {
            "DETOUR_GRAPH": GRAPH,
            "DETOUR_PORT": "0",
            "DETOUR_DATA_DIR": str(Path(self._folder.name) / "data"),
            "PYTHONPATH": os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH")])),
            CONFORMANCE_WORLD: world,
        }
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "backend.main"),
                cwd=_ROOT,
                env=inherited | settings,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        assert self._process.stdout is not None
        async with asyncio.timeout(START_S):
            said = (await self._process.stdout.readline()).decode()
        link = re.search(r"http://\S+", said)
        if link is None:
            raise RuntimeError(f"the server did not start:\n{self.log()}")
        self._http = httpx2.AsyncClient(base_url=link[0], timeout=START_S)

    async def kill(self) -> None:
        """End its process."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.communicate()
        await self._http.aclose()

    async def close(self) -> None:
        """End its process, and remove its folder."""
        await self.kill()
        self._folder.cleanup()

    def log(self) -> str:
        """Return what it has logged."""
        return self._log.read_text("utf-8", errors="replace") if self._log.exists() else ""

    async def send(self, user: str, message: str, *, wait_its_turn: bool = False) -> str:
        """POST /chat."""
        policy = "enqueue" if wait_its_turn else "interrupt"
        body = {"user_id": user, "message": message, "policy": policy}
        return (await self._call("POST", "/chat", json=body))["task_id"]

    async def stop(self, user: str, task: str) -> Account | None:
        """POST /stop."""
        answered = await self._call("POST", f"/stop/{user}", json={"task_id": task})
        return _account(answered) if "tool_calls" in answered else None

    async def fill_in(self, user: str, request: str, fields: Mapping[str, object]) -> None:
        """POST /answer with an answer."""
        await self._call("POST", f"/answer/{user}", json={"request_id": request, "answer": dict(fields)})

    async def allow(self, user: str, request: str) -> None:
        """POST /answer with a decision."""
        await self._call("POST", f"/answer/{user}", json={"request_id": request, "decision": "allow"})

    async def events(self, user: str) -> AsyncGenerator[Event, None]:
        """GET /events from the first one on."""
        stream = self._http.stream("GET", f"/events/{user}", params={"since": 0}, timeout=None)
        async with stream as response, aclosing(response.aiter_lines()) as lines:
            async for line in lines:
                event = _event(json.loads(line[6:])) if line.startswith("data: ") else None
                if event is not None:
                    yield event

    async def account(self, user: str, task: str) -> Account:
        """GET /receipts."""
        return _account(await self._call("GET", f"/receipts/{user}/{task}"))

    async def left_by(self, user: str, task: str) -> Left:
        """GET /partial-results: of the latest task, or of one that was interrupted."""
        told = await self._call("GET", f"/partial-results/{user}")
        tasks: list[dict[str, Any]] = [told, *told["interrupted"]]
        left = next((each for each in tasks if each["task_id"] == task), None)
        return Left(found=_items(left["partial_results"]), text=left["text"]) if left else Left()

    async def history(self, user: str) -> list[Entry]:
        """GET /history."""
        told = await self._call("GET", f"/history/{user}")
        return [
            Entry(role=each["role"], text=each["text"], cut_short=each["interrupted"])
            for each in told["messages"]
        ]

    async def latest(self, user: str) -> str:
        """GET /status."""
        return (await self._call("GET", f"/status/{user}"))["task_id"]

    async def _call(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        response = await self._http.request(method, path, **options)
        if response.is_error:
            raise RuntimeError(f"{method} {path} answered {response.status_code}: {response.text}")
        answered: dict[str, Any] = response.json()
        return answered


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
        case _:
            return None
