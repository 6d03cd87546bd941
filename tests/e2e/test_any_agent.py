"""An ordinary LangChain agent behind a real server: its words, its tools and its memory, over a kill too."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from tests.api.frames import Frame, ends, receive_until
from tests.api.live import BOUND_S
from tests.e2e.server_process import ServerProcess

GRAPH = "tests.graphs.agents:graph"


async def booked(folder: Path) -> list[str]:
    """Wait until the tool has begun to book, and return all that was booked."""
    async with asyncio.timeout(BOUND_S):
        await asyncio.to_thread((folder / "begun").read_text)
    return (folder / "booked.txt").read_text().split()


async def said(socket: Any, text: str) -> str:
    """Wait for a message of the conversation that holds a text, and return it."""

    def holds(frame: Frame) -> bool:
        return frame["type"] == "message" and text in frame["text"]

    return (await receive_until(socket, holds))[-1]["text"]


async def calls(server: ServerProcess, task: str) -> list[dict[str, Any]]:
    """Return the calls in a task's receipt."""
    return (await server.call("GET", f"/receipts/ann/{task}")).json()["tool_calls"]


@pytest.mark.requirement("TOKENS-OF-ANY-GRAPH", "STATE-LIVES-ON")
async def test_agent_words_are_streamed_and_it_remembers(process) -> None:
    server = process(graph=GRAPH)
    await server.start()
    async with server.socket("ann", "?since=0") as socket:
        for message in ("Hello there.", "Again."):
            task = (await server.chat("ann", message))["task_id"]
            events = await receive_until(socket, ends(task))
            pieces = [each["text"] for each in events if each["type"] == "text_delta"]
            assert "".join(pieces) == "First you said: Hello there. The hotel told me: []"
            assert len(pieces) > 5


@pytest.fixture
def pipes(tmp_path: Path) -> Path:
    for name in ("begun", "released"):
        os.mkfifo(tmp_path / name)
    return tmp_path


@pytest.mark.requirement("TOOLS-NOBODY-DECLARED")
async def test_booking_that_nothing_can_stop_is_told_truly_and_its_model_learns_of_it(process, pipes) -> None:
    server = process(graph=GRAPH)
    await server.start()
    async with server.socket("ann", "?since=0") as socket:
        task = (await server.chat("ann", "Book Rome"))["task_id"]
        assert await booked(pipes) == ["Rome"]
        await server.chat("ann", "Do NOT book anything!")
        await said(socket, "First you said: Book Rome The hotel told me: ['Not known: it had begun")
        [call] = await calls(server, task)
        assert (call["tool"], call["outcome"]) == ("book_hotel", "unknown")
        assert call["summary"].startswith("still running")
        await asyncio.to_thread((pipes / "released").write_text, "")
        await said(socket, "book hotel went through after all. a room in Rome")
        [call] = await calls(server, task)
        assert (call["outcome"], call["summary"]) == ("completed_after_interrupt", "a room in Rome")
        await server.chat("ann", "And now?")
        known = "Completed, although the user had interrupted: a room in Rome"
        await said(socket, f"First you said: Book Rome The hotel told me: ['{known}']")


@pytest.mark.requirement("STATE-LIVES-ON", "TOOLS-NOBODY-DECLARED")
async def test_booking_is_not_repeated_after_a_kill(process, pipes) -> None:
    server = process(graph=GRAPH)
    await server.start()
    await server.chat("ann", "Book Oslo")
    assert await booked(pipes) == ["Oslo"]
    await server.kill()
    await server.start()
    async with server.socket("ann", "?since=0") as socket:
        assert (await said(socket, "The hotel:")).startswith("The hotel: Not known: it had begun")
    assert (pipes / "booked.txt").read_text().split() == ["Oslo"]
