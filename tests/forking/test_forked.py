"""A forked process is like a new one, to itself and to its starter."""

import asyncio
import contextlib
import os
import resource
import signal
import sys

import orjson
import psutil
import pytest

from backend.clients.server import environment_without_settings, send_signal
from tests.conventions import ROOT
from tests.e2e.server_process import ServerProcess
from tests.forking.forked import fork_server

PROBE = "tests.forking.probe"
BOUND_S = 60.0


def variables(way: str) -> dict[str, str]:
    return {**environment_without_settings(), "DETOUR_PROBE": way}


@contextlib.asynccontextmanager
async def forked(folder, way):
    """Yield a forked probe that has said what it found, both lines of it, and the file of its errors."""
    with (folder / "log").open("wb") as log:
        process = await fork_server().fork(PROBE, folder=folder, environment=variables(way), log=log)
    try:
        async with asyncio.timeout(BOUND_S):
            yield process, await process.stdout.readline(), await process.stdout.readline()
    finally:
        send_signal(process, signal.SIGKILL)
        await process.communicate()


async def started_anew(folder):
    with (folder / "log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", PROBE),
            cwd=folder,
            env=variables("end"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
        )
    said, _ = await process.communicate()
    return said.splitlines(keepends=True)[0]


async def test_forked_process_finds_what_a_new_one_does(tmp_path):
    fork_server()  # has the limits that it started with, and a child those of the time of its start
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[0] - 1, before[1]))
    try:
        async with forked(tmp_path, "wait"), forked(tmp_path, "end") as (_, found, _):
            pass
        expected = await started_anew(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert orjson.loads(found) == orjson.loads(expected)


async def test_forked_processes_have_their_own_random_numbers(tmp_path):
    async with forked(tmp_path, "end") as (_, _, first), forked(tmp_path, "end") as (_, _, second):
        assert first != second


@pytest.mark.parametrize(
    ("way", "code", "last_words"),
    [("end", 0, ""), ("refuse", 1, "It cannot start.\n"), ("fail", 1, "RuntimeError: a fault\n")],
)
async def test_exit_code_and_last_words_are_its_own(tmp_path, way, code, last_words):
    async with forked(tmp_path, way) as (process, *_):
        assert await process.communicate() == (b"", None)
        assert process.returncode == code
    assert (tmp_path / "log").read_text().endswith(last_words)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
async def test_signal_ends_one_forked_process_and_is_its_exit_code(tmp_path, number):
    async with forked(tmp_path, "wait") as (other, *_):
        async with forked(tmp_path, "wait") as (process, *_):
            send_signal(process, number)
            await process.communicate()
            assert process.returncode == -number
            assert not psutil.pid_exists(process.pid)
        assert other.returncode is None
        assert psutil.pid_exists(other.pid)


async def test_fork_server_ends_with_its_starter(tmp_path):
    """Its socket closes then, even if that process is killed."""
    program = (
        "import os; from tests.forking.forked import fork_server;"
        "print(fork_server().pid, flush=True); os.kill(os.getpid(), 9)"
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await process.communicate()
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(int(said)).wait(BOUND_S)


async def test_server_is_forked_unless_its_imports_could_differ(tmp_path, monkeypatch):
    async with ServerProcess(tmp_path, graph="tests.scripted_graph:graph") as server:
        assert psutil.Process(server.process.pid).ppid() == fork_server().pid
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
    async with ServerProcess(tmp_path, graph="tests.scripted_graph:graph") as server:
        assert psutil.Process(server.process.pid).ppid() == os.getpid()
