"""A client of MCP before two replicas, as a balancer has it: what belongs together reaches different ones."""

import asyncio
import contextlib

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.api.live import serving
from tests.fakes.waiting import until
from tests.protocols.mcp_clients import SCRIPTED, Calls, User, eras

pytestmark = pytest.mark.postgres


class TakingTurns(httpx2.AsyncHTTPTransport):
    """Sends each call to the other of two servers than the call before, and all else to that one."""

    def __init__(self, servers) -> None:
        super().__init__()
        self._servers = servers
        self._calls = 0

    async def handle_async_request(self, request):
        is_call = b'"tools/call"' in request.content if request.method == "POST" else False
        self._calls += is_call
        port = self._servers[self._calls % 2 if is_call else (self._calls + 1) % 2].port
        request.url = request.url.copy_with(port=port)
        request.headers["host"] = request.url.netloc.decode()
        return await super().handle_async_request(request)


@pytest.fixture
async def replicas(address, tmp_path):
    settings = {"graph": SCRIPTED, "protocols": "mcp", "postgres": address}
    async with serving(tmp_path / "one", **settings) as one, serving(tmp_path / "two", **settings) as two:
        yield [one, two]


@contextlib.asynccontextmanager
async def calling(replicas, era, **options):
    transport = TakingTurns(replicas)
    async with httpx2.AsyncClient(transport=transport, timeout=60) as http:
        balanced = streamable_http_client("http://127.0.0.1:1/mcp", http_client=http)
        async with Client(balanced, mode=era, **options) as client:
            yield Calls(client, "scripted_graph")


@pytest.mark.requirement("REPLICAS-ARE-ONE")
@eras
async def test_question_is_answered_at_another_replica_than_asked(replicas, era) -> None:
    user = User(content={"answer": "Rome"})
    async with calling(replicas, era, elicitation_callback=user) as call:
        for _ in range(2):  # each replica streams one of the calls
            told = (await call("find 1, field Where to?")).structured_content
            assert (told["status"], told["partial_results"]["finder"][-1]) == ("success", {"answer": "Rome"})
        assert [each.message for each in user.forms] == ["Where to?"] * 2


@pytest.mark.requirement("REPLICAS-ARE-ONE")
@pytest.mark.parametrize("in_session", [True, False])
async def test_call_is_cancelled_at_another_replica_than_streams_it(replicas, in_session) -> None:
    async with calling(replicas, "legacy") as call:
        session = (await call("find 1")).structured_content["thread_id"]
        thread = call.thread = session if in_session else "another"
        under_way = call.start("find 2, hold")
        await until(lambda: replicas[0].detour.store.position(thread), every_s=0.01)
        await replicas[0].until_status(thread, lambda status: status["message"] == "find 2, hold")
        await replicas[0].until_found(thread, 2)
        under_way.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await under_way
        await replicas[0].until_status(thread, lambda status: status["status"] == "interrupted")
