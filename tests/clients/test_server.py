"""A server process of a program's own."""

import asyncio
import os
import signal
import socket
import threading

import httpx2
import psutil
import pytest

from backend.clients.server import NotStarted, ServerProcess
from tests.api.live import BOUND_S

GRAPH = "tests.scripted_graph:graph"


async def test_server_process_keeps_its_port_and_data_over_a_kill(tmp_path, http):
    async with ServerProcess(tmp_path, settings={"graph": GRAPH}, log=tmp_path / "log") as server:
        first = server.url
        body = {"user_id": "ada", "message": "hello"}
        assert (await http.post(f"{server.url}/chat", json=body)).status_code == 202
        await server.kill()
        await server.start()
        assert server.url == first
        assert (await http.get(f"{server.url}/status/ada")).json()["message"] == "hello"
        assert await server.terminate() == -signal.SIGTERM
        with pytest.raises(httpx2.TransportError):
            await http.get(f"{server.url}/health")


async def test_server_process_does_not_inherit_settings(tmp_path, monkeypatch, http):
    monkeypatch.setenv("DETOUR_TOKEN", "secret")
    monkeypatch.setenv("DETOUR_GRAPH", "no.such:graph")
    async with ServerProcess(tmp_path, log=tmp_path / "log") as server:
        assert (await http.get(f"{server.url}/status/ada")).status_code == 404


async def test_failed_start_says_why_and_leaves_no_process(tmp_path):
    server = ServerProcess(tmp_path, settings={"demo_pace": -1}, log=tmp_path / "log")
    with pytest.raises(NotStarted, match="DETOUR_DEMO_PACE"):
        await server.start()
    assert server.process.returncode == 1


async def test_exit_code_survives_a_signal_sent_before_the_wait(tmp_path, monkeypatch):
    """asyncio waits for a process in a thread, which is held here until the signal has been sent."""
    sent, waitpid = threading.Event(), os.waitpid

    class Server(ServerProcess):
        async def _wait(self):
            sent.set()
            await super()._wait()

    def wait_late(pid, options):
        assert sent.wait(BOUND_S)
        return waitpid(pid, options)

    monkeypatch.setattr(os, "waitpid", wait_late)
    server = Server(tmp_path, settings={"demo_pace": -1}, log=tmp_path / "log")
    with pytest.raises(NotStarted):
        await server.start()
    assert server.process.returncode == 1


async def test_cancelled_start_leaves_no_process(tmp_path):
    """It never says where it is, so that it is still starting for certain."""
    silent = ServerProcess(tmp_path, module="tests.clients.silent", log=None)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        silent.settings["hear"] = listener.getsockname()[1]
        listener.setblocking(False)
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(BOUND_S), asyncio.TaskGroup() as group:
            starting = group.create_task(silent.start())
            connection, _ = await loop.sock_accept(listener)
            starting.cancel()
        connection.close()
    assert not psutil.pid_exists(silent.process.pid)
