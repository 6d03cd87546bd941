"""Graphs of each kind behind one real server: they answer, remember, are interrupted truly, survive a kill.

Each kind has users of its own, and all are played side by side. A failure has the name of its kind as a note.
"""

import asyncio
import json
import os
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.api.frames import Frame, ends, receive_until
from tests.e2e.server_process import ServerProcess
from tests.graphs.kinds import ASKING, KINDS, MESSAGES

Until = Callable[[str], Callable[[Frame], bool]]
"""Returns, for a task, what matches the last frame that is waited for."""


def says(text: str) -> Callable[[Frame], bool]:
    return lambda frame: frame["type"] == "message" and frame["role"] == "assistant" and text in frame["text"]


def has_begun(frame: Frame) -> bool:
    return frame["type"] == "partial_result" and "begun" in frame["items"][0]


@contextmanager
def noting(kind: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        error.add_note(f"in the kind {kind!r}")
        raise


class Kind:
    """A kind of graph, and what its users say to it."""

    def __init__(self, server: ServerProcess, name: str) -> None:
        self.name, self.graph = name, KINDS[name]
        self._server = server
        self._look = MESSAGES.get(name, "look")

    async def converse(self) -> None:
        """Answer, remember, be interrupted in a tool, and begin another call of it as another user."""
        async with self._server.socket(f"ann-{self.graph}", "?since=0") as socket:
            task, frames = await self._say(socket, "ann", f"Rome {self._look}", ends)
            replies = [frame["text"] for frame in frames if says("found ROME")(frame)]
            texts = [frame for frame in frames if frame["type"] == "text_delta" and frame.get("reply", True)]
            assert replies
            # A structured response is no text that its model says.
            assert "".join(frame["text"] for frame in texts) in ("", *replies)
            assert ("look", "completed") in await self._calls(task)
            _, frames = await self._say(socket, "ann", "Oslo", ends)
            assert any(map(says("Rome"), frames))
            task, _ = await self._say(socket, "ann", f"wait {self._look} Bern", lambda _task: has_begun)
            _, frames = await self._say(socket, "ann", "Kyiv", ends)
            assert any(map(says("Kyiv"), frames))
            assert ("look", "cancelled") in await self._calls(task)
        async with self._server.socket(f"bob-{self.graph}", "?since=0") as socket:
            await self._say(socket, "bob", f"wait {self._look} Lima", lambda _task: has_begun)

    async def steer(self, folder: Path) -> None:
        """Send one more message while a tool is at work; it is taken in once that has ended."""
        user, pipe = f"eve-{self.graph}", folder / self.graph
        os.mkfifo(pipe)
        held = os.open(pipe, os.O_RDWR)
        async with self._server.socket(user, "?since=0") as socket:
            task, _ = await self._say(
                socket, "eve", f"hold {self._look} {self.graph}", lambda _task: has_begun
            )
            accepted = await self._server.chat(user, "Quito, too", graph=self.graph, policy="steer")
            os.close(held)
            if self.name in NOT_STEERED:
                assert accepted["policy"] == "enqueue"
                return
            assert (accepted["task_id"], accepted["steer"]) == (task, "pending")
            frames = await receive_until(socket, ends(task))
            fates = [frame["steer"] for frame in frames if frame["type"] == "steer"]
            assert fates == ["pending", "taken_in"]
            assert any(map(says("Quito"), frames))

    async def go_on(self) -> None:
        """Answer after a kill, or fail and say what was cut off; of another user nothing is known."""
        async with self._server.socket(f"bob-{self.graph}", "?since=0") as socket:
            frames = await receive_until(
                socket, lambda each: says("Not known")(each) or says("cut off")(each)
            )
        assert "Rome" not in frames[-1]["text"]

    async def _say(self, socket: Any, user: str, text: str, until: Until) -> tuple[str, list[Frame]]:
        """Send a message, allow what it asks, and return its task and its frames up to one that matches."""
        user = f"{user}-{self.graph}"
        task = (await self._server.chat(user, text, graph=self.graph))["task_id"]
        frames: list[Frame] = []
        if self.name in ASKING and "look" in text:
            frames = await receive_until(socket, lambda frame: frame["type"] == "input_request")
            await self._server.answer(user, frames[-1]["request_id"], **ASKING[self.name])
        return task, frames + await receive_until(socket, until(task))

    async def _calls(self, task: str) -> list[tuple[str, str]]:
        receipt = (await self._server.call("GET", f"/receipts/ann-{self.graph}/{task}")).json()
        return [(each["tool"], each["outcome"]) for each in receipt["tool_calls"]]


async def started(process: Callable[..., ServerProcess], folder: Path) -> ServerProcess:
    """Start a server with a graph of each kind."""
    graphs = {graph: f"tests.graphs.kinds:{graph}" for graph in KINDS.values()}
    (folder / "langgraph.json").write_text(json.dumps({"dependencies": ["."], "graphs": graphs}), "utf-8")
    server = process(graph="langgraph.json")
    await server.start()
    return server


async def each_of(kinds: list[Kind], do: Callable[[Kind], Coroutine[Any, Any, None]]) -> None:
    async def one(kind: Kind) -> None:
        with noting(kind.name):
            await do(kind)

    async with asyncio.TaskGroup() as group:
        for kind in kinds:
            group.create_task(one(kind))


NOT_STEERED = {"functional, with tasks and what it saved"}
"""The kinds whose runs take no messages in."""


@pytest.mark.requirement("STEERED-ONCE")
async def test_graphs_of_nearly_every_kind_take_a_message_in(
    process: Callable[..., ServerProcess], tmp_path: Path
) -> None:
    server = await started(process, tmp_path)
    await each_of([Kind(server, name) for name in KINDS], lambda kind: kind.steer(tmp_path))


@pytest.mark.requirement("ANY-KIND-OF-GRAPH")
async def test_graphs_of_every_kind_answer_remember_and_are_interrupted_truly(
    process: Callable[..., ServerProcess], tmp_path: Path
) -> None:
    server = await started(process, tmp_path)
    kinds = [Kind(server, name) for name in KINDS]
    await each_of(kinds, Kind.converse)
    await server.kill()
    await server.start()
    await each_of(kinds, Kind.go_on)
    calls = (tmp_path / "calls.txt").read_text().splitlines()
    # One for each kind, and three for that with `Send`.
    assert sum("Lima" in call for call in calls) == len(KINDS) + 2
