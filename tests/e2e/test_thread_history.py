"""The steps of a thread behind a real server: shown, begun from, and taken up after a kill."""

import json
from typing import Any

import pytest

from backend.http.wire import answers
from tests.api.frames import ends, receive_until
from tests.api.live import answer
from tests.e2e.server_process import ServerProcess
from tests.e2e.test_any_agent import GRAPH, booked, pipes, said

__all__ = ["pipes"]  # a fixture

SAID = "First you said: {} The hotel told me: []"


async def history(server: ServerProcess, user_id: str, **which: Any) -> list[dict[str, Any]]:
    """Return the states of a thread, newest first."""
    response = await server.call("GET", f"/threads/{user_id}/history", params=which)
    return answer(response, 200, answers.StateHistoryAnswer)["states"]


async def newest(server: ServerProcess, user_id: str) -> list[str]:
    """Return what has been said, as the newest state holds it."""
    response = await server.call("GET", f"/threads/{user_id}/state")
    return words(answer(response, 200, answers.StateView))


def words(state: dict[str, Any]) -> list[str]:
    return [each["content"] for each in state["values"].get("messages", [])]


async def told(server: ServerProcess, user_id: str, *messages: str) -> None:
    """Send messages one after another, and wait for each answer."""
    for message in messages:
        await server.chat_to_end(user_id, message)


async def step_at(server: ServerProcess, user_id: str, *said_so_far: str) -> str:
    """Return the newest step at which just this had been said."""
    states = await history(server, user_id, limit=100)
    found = next(each for each in states if words(each) == list(said_so_far))
    return found["checkpoint"]["checkpoint_id"]


@pytest.mark.requirement("STATE-IS-KEPT-BY-STEPS", "RETURN-TO-A-STEP")
async def test_user_looks_back_and_goes_on_from_an_earlier_step_over_either_way_in(process) -> None:
    server = process(graph=GRAPH, protocols="none")
    await server.start()
    await told(server, "ann", "Hello.", "Again.")
    await told(server, "bob", "I am bob.")
    whole = await history(server, "ann", limit=100)
    assert words(whole[0]) == ["Hello.", SAID.format("Hello."), "Again.", SAID.format("Hello.")]
    assert await history(server, "ann", limit=2) == whole[:2]
    before = whole[1]["checkpoint"]["checkpoint_id"]
    assert await history(server, "ann", limit=2, before=before) == whole[2:4]
    assert await newest(server, "bob") == ["I am bob.", SAID.format("I am bob.")]

    step = await step_at(server, "ann", "Hello.", SAID.format("Hello."))
    async with server.socket("ann", "?since=0") as socket:
        body = {"user_id": "ann", "message": "By HTTP.", "checkpoint_id": step}
        task = (await server.call("POST", "/chat", json=body)).json()["task_id"]
        await receive_until(socket, ends(task))
        assert await newest(server, "ann") == [*words(whole[0])[:2], "By HTTP.", SAID.format("Hello.")]
        await socket.send(json.dumps({"type": "chat", "message": "By socket.", "checkpoint_id": step}))
        task = (await receive_until(socket, lambda frame: frame["type"] == "ack"))[-1]["task_id"]
        await receive_until(socket, ends(task))
    assert await newest(server, "ann") == [*words(whole[0])[:2], "By socket.", SAID.format("Hello.")]
    begun = [each for each in await history(server, "ann", limit=100) if each["parent_checkpoint"]]
    assert sum(each["parent_checkpoint"]["checkpoint_id"] == step for each in begun) == 3
    assert await newest(server, "bob") == ["I am bob.", SAID.format("I am bob.")]


@pytest.mark.requirement("RETURN-TO-A-STEP", "STATE-LIVES-ON")
async def test_message_goes_on_from_its_step_after_a_kill(process, pipes) -> None:
    server = process(graph=GRAPH, protocols="none")
    await server.start()
    await told(server, "ann", "Hello.", "Again.")
    step = await step_at(server, "ann", "Hello.", SAID.format("Hello."))
    body = {"user_id": "ann", "message": "Book Rome", "checkpoint_id": step}
    assert (await server.call("POST", "/chat", json=body)).status_code == 202
    assert await booked(pipes) == ["Rome"]
    await server.kill()
    await server.start()
    async with server.socket("ann", "?since=0") as socket:
        reply = await said(socket, "The hotel:")
    assert reply.startswith("The hotel: Not known: it had begun")
    found = await newest(server, "ann")
    assert [found[:3], found[-1]] == [["Hello.", SAID.format("Hello."), "Book Rome"], reply]
    assert (pipes / "booked.txt").read_text().split() == ["Rome"]
    # The branch that the message has left is there as well, after the kill too.
    assert await step_at(server, "ann", "Hello.", SAID.format("Hello."), "Again.", SAID.format("Hello."))
