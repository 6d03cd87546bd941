"""A question that is open while its server is killed: it is still there, and the task goes on from it."""

import pytest

from tests.api.frames import State, receive, receive_until
from tests.e2e.server_process import ServerProcess

MESSAGE = "Find flights to Tokyo, and a hotel there from 10 to 12 December"


@pytest.mark.requirement("QUESTIONS-SURVIVE")
@pytest.mark.parametrize("how", ["killed at work", "killed at rest", "ended in good order"])
async def test_question_survives_its_server_and_is_answered_after_the_restart(process, how):
    server: ServerProcess = process(demo_pace=0.1)
    await server.start()
    state = State()
    async with server.socket("ada", "?since=0") as socket:
        epoch = (await receive(socket))["epoch"]
        accepted = await server.chat("ada", MESSAGE)
        done = _hotel_done if how == "killed at rest" else _asked
        for event in await receive_until(socket, done):
            state.take(event)
    task_id = accepted["task_id"]
    before = (await server.status("ada"))["input_request"]
    await (server.terminate() if how == "ended in good order" else server.kill())
    await server.start()
    status = await server.status("ada")
    assert (status["task_id"], status["status"]) == (task_id, "input_required")
    assert status["input_request"] == before
    await server.answer("ada", before["request_id"], origin="Berlin")
    assert (await server.until_ended("ada", task_id))["status"] == "completed"
    found = (await server.partial_results("ada"))["partial_results"]
    for agent in ("flight", "hotel"):
        offers = [item["offer_id"] for item in found[agent]]
        assert len(offers) == len(set(offers)) > 0
    async with server.socket("ada", f"?since={state.seq}&epoch={epoch}") as socket:
        assert (await receive(socket))["type"] == "hello"
        for event in await receive_until(socket, lambda frame: frame.get("status") == "completed"):
            state.take(event)
    said = [each["role"] for each in (await server.history("ada"))["messages"]]
    assert said == ["user", "assistant", "user", "assistant"]


def _asked(frame) -> bool:
    return frame["type"] == "status_update" and frame["status"] == "input_required"


def _hotel_done(frame) -> bool:
    return frame["type"] == "agent_update" and (frame["agent"], frame["state"]) == ("hotel", "done")
