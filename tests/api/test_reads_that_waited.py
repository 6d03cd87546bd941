"""A read that waited for its turn shows nothing of a conversation that has another owner by then."""

import asyncio
import contextlib

import pytest

from backend.http.edge.shares import ADDRESS_ANSWERS_AT_ONCE
from backend.tasks.task_owner import TaskOwner
from tests.api.issuer import bearer
from tests.api.live import BOUND_S, serving
from tests.fakes.waiting import until

pytestmark = pytest.mark.requirement("NOBODY-REACHES-OTHERS")

HERE = "127.0.0.1"
PATHS = [
    "/partial-results/trip",
    "/history/trip",
    "/receipts/trip/{task}",
    "/calls/trip/{task}",
    "/users/trip/export",
    "/threads/trip",
    "/threads/trip/runs",
    "/threads/trip/runs/{run}",
    "/threads/trip/state",
    "/ai-sdk/chat/trip/messages",
    "/events/trip",
]


@pytest.fixture
async def server(tmp_path, issuer):
    async with serving(tmp_path, **issuer.settings()) as server:
        yield server


async def say(server, who, text):
    """Say something in the conversation; return the task and the run that it begins."""
    said = {"messages": [{"role": "user", "content": text}]}
    begun = await server.http.post(
        "/threads/trip/runs",
        json={"assistant_id": "agent", "input": said, "if_not_exists": "create"},
        headers=who,
    )
    assert begun.status_code == 200, begun.text
    status = (await server.http.get("/status/trip", headers=who)).json()
    return {"task": status["task_id"], "run": begun.json()["run_id"]}


@pytest.mark.parametrize("path", PATHS)
async def test_read_that_waited_checks_the_owner_again(server, issuer, path):
    ann, eve = bearer(issuer.token("ann")), bearer(issuer.token("eve"))
    of_ann = await say(server, ann, "find 1")
    turns = server.detour._services.answers
    async with contextlib.AsyncExitStack() as taken:
        for _ in range(ADDRESS_ANSWERS_AT_ONCE):
            await taken.enter_async_context(turns.turn(HERE))
        reading = TaskOwner().spawn(server.http.get(path.format(**of_ann), headers=ann), name="a read")
        await until(lambda: turns._turns.waiting(HERE))
        assert (await server.http.delete("/users/trip", headers=ann)).status_code == 204
        await say(server, eve, "say eves own")
    async with asyncio.timeout(BOUND_S):
        answer = await reading
    assert "eves own" not in answer.text
    if path == "/events/trip":
        assert "snapshot" not in answer.text
    else:
        assert (answer.status_code, "Nothing is known of a user" in answer.text) == (404, True), answer.text
