"""OpenAI's API and A2A over two servers that share a database: either of them has all of a conversation."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import openai
import orjson
import pytest

from tests.api.live import LiveServer, serving
from tests.fakes.waiting import BOUND_S
from tests.protocols.conftest import TALKING

pytestmark = pytest.mark.postgres


@pytest.fixture
async def servers(address: str, tmp_path: Path) -> AsyncIterator[list[LiveServer]]:
    settings = {"postgres": address, "protocols": "openai,a2a", "graph": TALKING}
    async with AsyncExitStack() as started:
        yield [
            await started.enter_async_context(serving(tmp_path / name, replica=name, **settings))
            for name in ("here", "there")
        ]


def client_of(server: LiveServer) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=f"http://127.0.0.1:{server.port}/v1", api_key="none", timeout=BOUND_S)


async def rpc(server: LiveServer, method: str, **params: Any) -> Any:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = (await server.call("POST", "/a2a", json=body)).json()
    assert "error" not in answer, answer
    return answer["result"]


async def until_said(stream: Any) -> Any:
    """Return the event by which a response has said something."""
    async for event in stream:
        if event.type == "response.output_text.delta":
            return event
    raise AssertionError("it said nothing")


async def test_response_of_one_replica_is_read_continued_and_cancelled_at_the_other(servers):
    here, there = servers
    async with client_of(here) as near, client_of(there) as far:
        first = await near.responses.create(model="agent", input="one", metadata={"a": "b"})
        assert await far.responses.retrieve(first.id) == first
        second = await far.responses.create(model="agent", input="recall", previous_response_id=first.id)
        assert second.output_text == "one / recall"
        begun = await near.responses.create(
            model="agent", input="slow", background=True, previous_response_id=second.id
        )
        events = await far.responses.retrieve(begun.id, stream=True)
        await until_said(events)
        assert (await far.responses.cancel(begun.id)).status == "cancelled"
        assert [each async for each in events][-1].response.status == "cancelled"


async def test_line_that_is_closed_at_the_replica_of_another_stops_the_run(servers):
    here, there = servers
    async with client_of(here) as near, client_of(there) as far:
        await near.responses.create(model="agent", input="one", conversation="ann")
        stream = await far.responses.create(model="agent", input="slow", conversation="ann", stream=True)
        await until_said(stream)
        await stream.close()
        status = await here.until_status("ann", lambda each: each["status"] == "interrupted")
        assert status["reason"] == "stopped"


async def test_message_at_one_replica_interrupts_the_response_at_the_other(servers):
    here, there = servers
    async with client_of(here) as near, client_of(there) as far:
        stream = await near.responses.create(model="agent", input="slow", conversation="ann", stream=True)
        await until_said(stream)
        done = await far.responses.create(model="agent", input="hello", conversation="ann")
        assert done.output_text == "You said: hello"
        assert [each async for each in stream][-1].response.detour["reason"] == "superseded"


async def test_task_of_one_replica_is_joined_and_cancelled_at_the_other(servers):
    here, there = servers
    message = {"role": "user", "parts": [{"kind": "text", "text": "slow"}], "contextId": "ann"}
    sent = await rpc(here, "message/send", message=message, configuration={"blocking": False})
    body = {"jsonrpc": "2.0", "id": 1, "method": "tasks/resubscribe", "params": {"id": sent["id"]}}
    async with there.http.stream("POST", "/a2a", json=body) as joined:
        lines = joined.aiter_lines()
        assert orjson.loads((await anext(lines)).removeprefix("data: "))["result"]["id"] == sent["id"]
        canceled = await rpc(there, "tasks/cancel", id=sent["id"])
        assert canceled["status"]["state"] == "canceled"
        told = [each async for each in lines if each.startswith("data: ")]
    last = orjson.loads(told[-1].removeprefix("data: "))["result"]
    assert (last["status"]["state"], last["final"]) == ("canceled", True)
    assert await rpc(here, "tasks/get", id=sent["id"]) == canceled
