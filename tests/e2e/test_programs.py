"""A shell that an ordinary tool runs behind a real server ends with its task; the server and others go on."""

import psutil
import pytest

from tests.api.frames import ends, receive_until
from tests.e2e.server_process import ServerProcess
from tests.workers.programs import is_alive

pytestmark = pytest.mark.requirement("PROGRAMS-END-WITH-THEIR-TOOL")


async def begun(server: ServerProcess, user: str, message: str) -> tuple[str, list[psutil.Process]]:
    """Send a message; return its task, and the shell that it starts with all that the shell starts."""
    async with server.socket(user) as socket:
        task = (await server.chat(user, message))["task_id"]
        frames = await receive_until(socket, lambda frame: frame["type"] == "partial_result")
    shell = psutil.Process(frames[-1]["items"][0]["pid"])
    while not (started := shell.children()):
        pass
    return task, [shell, *started]


async def test_shell_and_its_child_end_by_a_stop_a_newer_message_and_a_shutdown(process) -> None:
    server = process(graph="tests.graphs.shell:graph")
    await server.start()
    async with server.socket("ann") as socket:
        task, anns = await begun(server, "ann", "Run it")
        _, bobs = await begun(server, "bob", "Run it")
        await server.call("POST", "/stop/ann")
        await receive_until(socket, ends(task))
        assert not any(map(is_alive, anns))
        [call] = (await server.call("GET", f"/receipts/ann/{task}")).json()["tool_calls"]
        assert (call["tool"], call["outcome"]) == ("run", "cancelled")
        assert "its program was ended" in call["summary"]

        task, anns = await begun(server, "ann", "Run it again")
        _, later = await begun(server, "ann", "And again")
        await receive_until(socket, ends(task))
        assert not any(map(is_alive, anns))
        assert all(map(is_alive, [*later, *bobs]))
    await server.terminate()
    assert not any(map(is_alive, [*later, *bobs]))
