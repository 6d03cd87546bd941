"""An ordinary LangChain agent behind a real server: its words, its tools and its memory, over a kill too."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.api.frames import ends, receive_until
from tests.api.live import BOUND_S
from tests.e2e.server_process import ServerProcess

GRAPH = "tests.graphs.agents:graph"


async def booked(folder: Path, city: str) -> None:
    """Wait until the tool has begun to book."""
    async with asyncio.timeout(BOUND_S):
        while city not in of(folder):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def of(folder: Path) -> list[str]:
    """Return what was booked."""
    path = folder / "booked.txt"
    return path.read_text().split() if path.exists() else []


async def said(server: ServerProcess, text: str) -> str:
    """Wait until the last message of the conversation holds a text, and return that message."""
    async with asyncio.timeout(BOUND_S):
        while text not in (last := (await server.history("ann"))["messages"][-1]["text"]):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    return last


async def calls(server: ServerProcess, task: str) -> list[dict[str, Any]]:
    """Return the calls in a task's receipt."""
    return (await server.call("GET", f"/receipts/ann/{task}")).json()["tool_calls"]


@pytest.mark.requirement("TOKENS-OF-ANY-GRAPH", "STATE-LIVES-ON")
async def test_its_words_are_streamed_and_it_remembers(process) -> None:
    server = process(graph=GRAPH)
    await server.start()
    async with server.socket("ann", "?since=0") as socket:
        for message in ("Hello there.", "Again."):
            task = (await server.chat("ann", message))["task_id"]
            events = await receive_until(socket, ends(task))
            pieces = [each["text"] for each in events if each["type"] == "text_delta"]
            assert "".join(pieces) == "First you said: Hello there. The hotel told me: []"
            assert len(pieces) > 5


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
async def test_a_booking_that_nothing_can_stop_is_told_truly_and_its_model_learns_of_it(
    process, tmp_path
) -> None:
    server = process(graph=GRAPH)
    await server.start()
    task = (await server.chat("ann", "Book Rome"))["task_id"]
    await booked(tmp_path, "Rome")
    await server.chat("ann", "Do NOT book anything!")
    await said(server, "First you said: Book Rome The hotel told me: ['Not known: it had begun")
    [call] = await calls(server, task)
    assert (call["tool"], call["outcome"]) == ("book_hotel", "unknown")
    assert call["summary"].startswith("still running")
    (tmp_path / "released").touch()
    await said(server, "book hotel went through after all. a room in Rome")
    [call] = await calls(server, task)
    assert (call["outcome"], call["summary"]) == ("completed_after_interrupt", "a room in Rome")


@pytest.mark.requirement("STATE-LIVES-ON", "TOOLS-NOBODY-DECLARED")
async def test_after_a_kill_nothing_is_booked_twice(process, tmp_path) -> None:
    server = process(graph=GRAPH)
    await server.start()
    await server.chat("ann", "Book Oslo")
    await booked(tmp_path, "Oslo")
    await server.kill()
    await server.start()
    assert (await said(server, "The hotel:")).startswith("The hotel: Not known: it had begun")
    assert of(tmp_path) == ["Oslo"]
