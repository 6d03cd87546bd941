"""What an operator meets: settings that are wrong, a port or data in use, a disk that is full."""

import asyncio
import logging
import resource
import socket
import stat
import sys

import pytest

from backend.conversation.recovery import MOST_ATTEMPTS
from backend.main import main
from tests import plain_logs
from tests.api.frames import State, ends, receive, receive_until
from tests.api.live import refusal
from tests.e2e.server_process import ServerProcess

KEPT = ("detour.mark", "detour.sqlite", "detour.sqlite-shm", "detour.sqlite-wal")
UNLIMITED = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


@pytest.fixture
def own_surroundings(monkeypatch, tmp_path):
    """Let what a starting server changes about its process end with the test."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    files = resource.getrlimit(resource.RLIMIT_NOFILE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("DETOUR_PORT", "0")
    yield
    root.handlers, root.level = handlers, level
    resource.setrlimit(resource.RLIMIT_NOFILE, files)
    plain_logs.configure()


@pytest.mark.requirement("PLAIN-REFUSAL-TO-START")
class TestRefusingToStart:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("PORT", "eighty"),
            ("PORT", "70000"),
            ("HOST", "0.0.0.0"),
            ("HOST", "::"),
            ("STORE", "redis"),
            ("DATA_DIR", "/dev/null/data"),
            ("DEMO_PACE", "-1"),
            ("TASK_TIMEOUT_S", "0"),
            ("LOG_LEVEL", "loud"),
            ("LOG_FORMAT", "xml"),
            ("PROT", "8001"),
            ("MODEL", "some:model"),
            ("GRAPH", "nowhere"),
            ("GRAPH", "no_such_module:graph"),
            ("GRAPH", "tests.scripted_graph:nothing"),
            ("GRAPH", "tests.scripted_graph:BOUND"),
        ],
    )
    def test_setting_that_is_wrong_is_named_in_a_sentence(self, own_surroundings, monkeypatch, name, value):
        monkeypatch.setenv(f"DETOUR_{name}", value)
        with pytest.raises(SystemExit) as refused:
            main()
        assert str(refused.value).startswith(f"DETOUR_{name}")
        assert "\n" not in str(refused.value)

    def test_empty_token_is_none(self, own_surroundings, monkeypatch):
        monkeypatch.setenv("DETOUR_HOST", "0.0.0.0")
        monkeypatch.setenv("DETOUR_TOKEN", "")
        with pytest.raises(SystemExit, match=r"^DETOUR_HOST: .*DETOUR_TOKEN"):
            main()

    async def test_second_server_on_the_same_data_says_so_and_the_first_goes_on(self, scripted):
        first, second = scripted(), scripted()
        await first.start()
        accepted = await first.chat("ada", "hold")
        code, said = await second.run_until_it_gives_up()
        assert (code, said.count("\n")) == (1, 1), said
        assert said.startswith("Another server has ")
        status = await first.status("ada")
        assert (status["task_id"], status["status"]) == (accepted["task_id"], "running")

    async def test_port_in_use_is_told_before_any_task_is_taken_up(
        self, own_surroundings, monkeypatch, scripted, tmp_path
    ):
        server: ServerProcess = scripted()
        await server.start()
        accepted = await server.chat("ada", "hold")
        await server.kill()
        monkeypatch.setenv("DETOUR_DATA_DIR", str(tmp_path / "data"))
        monkeypatch.setenv("DETOUR_PORT", str(server.port))
        with socket.create_server(("127.0.0.1", server.port)):
            for _ in range(MOST_ATTEMPTS):
                with pytest.raises(SystemExit, match=r"^DETOUR_HOST, DETOUR_PORT: cannot listen on .*\.$"):
                    main()
        await server.start()
        status = await server.status("ada")
        assert (status["status"], status["previous_task_id"]) == ("running", accepted["task_id"])


async def test_others_on_the_machine_cannot_read_what_users_said(scripted, tmp_path):
    server: ServerProcess = scripted()
    await server.start()
    await server.chat("ada", "find 1")
    data = tmp_path / "data"
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    kept = {path.name: stat.S_IMODE(path.stat().st_mode) for path in data.iterdir()}
    assert kept == dict.fromkeys(KEPT, 0o600)


async def test_server_may_hold_as_many_sockets_as_the_system_lets_it(scripted):
    server: ServerProcess = scripted()
    before, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most // 2, most))  # which the server inherits
    try:
        await server.start()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (before, most))
    assert resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE) == (most, most)


@pytest.mark.requirement("A-FULL-DISK-IS-SURVIVED")
async def test_full_disk_refuses_messages_until_there_is_room(scripted):
    server: ServerProcess = scripted()
    await server.start()
    first = await server.chat("ada", "find 1, hold")
    await server.until_found("ada", 1)
    # A limit on the size of files is a disk that is full, for one process.
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
    for _ in range(3):
        body = {"user_id": "ada", "message": "find 2", "client_id": "one"}
        refusal(await server.call("POST", "/chat", json=body), 503, "store_unavailable")
    status = await server.status("ada")
    assert (status["task_id"], status["status"]) == (first["task_id"], "running")
    ready = await server.call("GET", "/ready")
    assert (ready.status_code, ready.json()["status"]) == (503, "unavailable")
    assert ready.json()["store"].startswith("The store could not keep it")
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, UNLIMITED)
    second = await server.chat("ada", "find 2", client_id="one")
    assert (second["duplicate"], second["interrupted_task_id"]) == (False, first["task_id"])
    assert (await server.until_ended("ada", second["task_id"]))["status"] == "completed"
    while (await server.call("GET", "/ready")).status_code == 503:
        pass
    said = (await server.history("ada"))["messages"]
    assert [each["text"] for each in said if each["role"] == "user"] == ["find 1, hold", "find 2"]


@pytest.mark.requirement("A-FULL-DISK-IS-SURVIVED")
async def test_task_that_ends_while_the_disk_is_full_is_ended_once_there_is_room(scripted):
    server: ServerProcess = scripted()
    await server.start()
    state = State()
    async with server.socket("ada", "?since=0") as subscriber:
        await receive(subscriber)
        accepted = await server.chat("ada", "find 1, hold")
        for event in await receive_until(subscriber, lambda frame: frame["type"] == "partial_result"):
            state.take(event)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        stopping = asyncio.get_running_loop().create_task(server.stop("ada"))
        refused = await server.call("POST", "/chat", json={"user_id": "bob", "message": "hello"})
        refusal(refused, 503, "store_unavailable")
        assert not stopping.done()
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, UNLIMITED)
        assert (await stopping)["reason"] == "stopped"
        for event in await receive_until(subscriber, ends(accepted["task_id"])):
            state.take(event)
    assert state.tasks[accepted["task_id"]]["status"] == "interrupted"
