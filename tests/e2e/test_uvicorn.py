"""`uvicorn backend.main:app` serves what `python -m backend.main` does, checked and guarded alike."""

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import orjson
import psutil
import pytest

from backend.clients.server import environment_without_settings
from tests.api.live import BOUND_S, Client, base_url, refusal

GRAPH = "tests.scripted_graph:graph"


class Uvicorn:
    """One server process, started by uvicorn in `folder`, on a port that was free."""

    def __init__(self, folder: Path, *options: str, **settings: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        given = {f"DETOUR_{name.upper()}": value for name, value in settings.items()}
        self.folder = folder
        self.options = (*options, "--port", str(self.port))
        self.environment = {**environment_without_settings(), "DETOUR_GRAPH": GRAPH, **given}

    async def start(self) -> None:
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "uvicorn", "backend.main:app", *self.options),
            cwd=self.folder,
            env=self.environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )

    async def get(self, path: str, host: str = "127.0.0.1", **options) -> httpx2.Response:
        async with httpx2.AsyncClient(base_url=f"http://{host}:{self.port}", timeout=BOUND_S) as http:
            return await http.get(path, **options)

    async def end(self) -> None:
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
            await self.last_words()

    async def last_words(self) -> str:
        async with asyncio.timeout(3 * BOUND_S):
            said, _ = await self.process.communicate()
        return said.decode()


@contextlib.asynccontextmanager
async def served(folder: Path, *options: str, **settings: str) -> AsyncIterator[Uvicorn]:
    server = Uvicorn(folder, *options, **settings)
    await server.start()
    try:
        async with asyncio.timeout(3 * BOUND_S):
            while True:
                with contextlib.suppress(httpx2.TransportError):
                    await server.get("/health")
                    break
                assert server.process.returncode is None, await server.last_words()
                await asyncio.sleep(0.02)
        yield server
    finally:
        await server.end()


async def test_server_answers_on_the_port_that_uvicorn_is_given_and_on_no_other(tmp_path):
    async with served(tmp_path) as server:
        own = {"Origin": base_url(server.port)}
        refusal(await server.get("/status/ann", headers=own), 404, "unknown_user")
        foreign = {"Origin": base_url(8000)}
        refusal(await server.get("/status/ann", headers=foreign), 403, "origin_not_allowed")


async def test_server_without_token_answers_this_machine_only(tmp_path):
    addresses = [
        each.address
        for interface in psutil.net_if_addrs().values()
        for each in interface
        if each.family is socket.AF_INET and not each.address.startswith("127.")
    ]
    async with served(tmp_path, "--host", "0.0.0.0") as server:
        assert (await server.get("/health")).status_code == 200
        for address in addresses:
            refusal(await server.get("/health", address), 403, "no_token")
    async with served(tmp_path, "--host", "0.0.0.0", token="s3cret-s3cret-s3cret-token") as server:
        for address in addresses:
            refusal(await server.get("/status/ann", address), 401, "unauthorized")


@pytest.mark.requirement("PLAIN-REFUSAL-TO-START")
@pytest.mark.parametrize(
    ("name", "value"), [("host", "0.0.0.0"), ("model", "some:model"), ("data_dir", "/dev/null/data")]
)
async def test_setting_that_is_wrong_is_named_in_a_sentence(tmp_path, name, value):
    server = Uvicorn(tmp_path, **{name: value})
    await server.start()
    said = await server.last_words()
    assert server.process.returncode == 1
    assert said.startswith(f"DETOUR_{name.upper()}"), said
    assert said.count("\n") == 1


@pytest.mark.requirement("PLAIN-REFUSAL-TO-START")
async def test_graph_that_fails_on_the_event_loop_is_named_in_a_sentence_without_a_traceback(tmp_path):
    graph = "tests.graphs.entered:fail_to_make_one"
    server = Uvicorn(tmp_path, graph=graph)
    await server.start()
    ours, its_own = (await server.last_words()).splitlines()
    assert f"DETOUR_GRAPH={graph} made no graph: ConnectionError: the tools cannot be reached" in ours
    assert "Application startup failed. Exiting." in its_own
    assert server.process.returncode == 3


async def test_server_writes_our_log(tmp_path):
    async with served(tmp_path, log_format="json") as server:
        client = Client(httpx2.AsyncClient(base_url=base_url(server.port)))
        async with client.http:
            assert (await client.chat_to_end("ann", "fail"))["status"] == "failed"
        server.process.send_signal(signal.SIGTERM)
        lines = [orjson.loads(line) for line in (await server.last_words()).splitlines()]
    assert [line["event"] for line in lines] == ["a task failed"]
