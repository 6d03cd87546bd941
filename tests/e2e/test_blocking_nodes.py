"""Nodes that call a tool in each of the ways there are, in a real server: entered, paid once, told truly."""

import asyncio
import os
from pathlib import Path

import pytest

from tests.api.live import BOUND_S
from tests.e2e.test_any_agent import calls, said

pytestmark = pytest.mark.requirement("TOOLS-NOBODY-DECLARED", "STATE-LIVES-ON")

WAYS = {"agent": "pay", "invoke": "pay", "ainvoke": "pay_async", "plain": "pay", "pool": "node"}
"""What the ledger has of each way: its tool, or the node that no callback follows."""


@pytest.fixture
def pipes(tmp_path: Path) -> Path:
    for name in ("begun", "released"):
        os.mkfifo(tmp_path / name)
    return tmp_path


async def paid(folder: Path) -> list[str]:
    """Wait until the tool has begun to pay, and return all that was paid."""
    async with asyncio.timeout(BOUND_S):
        await asyncio.to_thread((folder / "begun").read_text)
    return (folder / "paid.txt").read_text().split()


@pytest.mark.parametrize("way", WAYS)
async def test_tool_is_not_paid_twice_after_a_kill_whichever_way_its_node_calls_it(
    process, pipes, way: str
) -> None:
    server = process(graph=f"tests.graphs.paying:{way}")
    await server.start()
    task = (await server.chat("ann", "Pay"))["task_id"]
    assert await paid(pipes) == ["Rome"]
    await server.kill()
    await server.start()
    async with server.socket("ann", "?since=0") as socket:
        told = await said(socket, "The server was cut off while this ran")
        assert f"cut off while this ran: {WAYS[way]}. It may have had its effect" in told
    [call] = await calls(server, task)
    assert (call["tool"], call["outcome"]) == (WAYS[way], "unknown")
    assert call.get("kind", "tool") == ("step" if way == "pool" else "tool")
    assert (pipes / "paid.txt").read_text().split() == ["Rome"]


@pytest.mark.parametrize("way", WAYS)
async def test_tool_ends_and_its_node_answers_whichever_way_it_calls_it(process, pipes, way: str) -> None:
    server = process(graph=f"tests.graphs.paying:{way}")
    await server.start()
    task = (await server.chat("ann", "Pay"))["task_id"]
    assert await paid(pipes) == ["Rome"]
    await asyncio.to_thread((pipes / "released").write_text, "")
    async with server.socket("ann", "?since=0") as socket:
        await said(socket, "It is paid." if way == "agent" else "paid Rome")
    [call] = await calls(server, task)
    assert (call["tool"], call["outcome"]) == (WAYS[way], "completed")
