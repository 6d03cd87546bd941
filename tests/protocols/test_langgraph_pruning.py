"""Threads that end over the LangGraph API: pruned by their ids, or when their time to live is over."""

import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio
from langgraph_sdk import get_client
from langgraph_sdk.errors import NotFoundError

from backend.conversation.retention import Expiry
from tests.api.issuer import Issuer, bearer
from tests.api.live import running
from tests.protocols.conftest import TALKING
from tests.protocols.langgraph_calls import THREAD
from tests.protocols.sdk_streams import begun, human, thread

__all__ = ["thread"]  # a fixture

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module")
async def server(live_servers):
    return await live_servers()


@pytest_asyncio.fixture(loop_scope="module")
async def sdk(server):
    async with get_client(url=f"http://127.0.0.1:{server.port}", api_key=None) as client:
        yield client


async def after(server: Any, **time: float) -> None:
    """Look for what has expired, so much later."""
    conversations = server.detour.conversations

    async def later() -> datetime:
        return await conversations.earliest_now() + timedelta(**time)

    await Expiry(conversations, server.detour.store, now=later).sweep()


async def is_known(sdk: Any, thread: str) -> bool:
    try:
        await sdk.threads.get(thread)
    except NotFoundError:
        return False
    return True


async def test_pruned_threads_are_gone_and_unknown_ones_do_not_count(sdk, thread) -> None:
    other = (await sdk.threads.create())["thread_id"]
    await sdk.runs.wait(thread, "agent", input=human("hello"))
    assert await sdk.threads.prune([thread, str(uuid.uuid4()), thread]) == {"pruned_count": 1}
    assert (await is_known(sdk, thread), await is_known(sdk, other)) == (False, True)
    assert await sdk.threads.prune([]) == {"pruned_count": 0}


@pytest.mark.requirement("NOBODY-REACHES-OTHERS")
async def test_thread_of_another_person_is_not_pruned(tmp_path) -> None:
    issuer = Issuer()
    async with running(tmp_path, graph=TALKING, **issuer.settings()) as api:
        ann, eve = bearer(issuer.token("ann")), bearer(issuer.token("eve"))
        await api.call("POST", "/threads", json={"thread_id": THREAD}, headers=ann)
        told = await api.call("POST", "/threads/prune", json={"thread_ids": [THREAD]}, headers=eve)
        assert told.json() == {"pruned_count": 0}
        assert (await api.call("GET", f"/threads/{THREAD}", headers=ann)).status_code == 200


async def test_thread_whose_time_to_live_is_over_is_forgotten(server, sdk) -> None:
    made = await sdk.threads.create(ttl=30)
    thread = made["thread_id"]
    assert (made["ttl"]["strategy"], made["ttl"]["ttl_minutes"]) == ("delete", 30)
    await sdk.runs.wait(thread, "agent", input=human("ask"))
    await after(server, minutes=29)
    assert await is_known(sdk, thread)
    await after(server, minutes=31)
    assert not await is_known(sdk, thread)


async def test_thread_lives_from_the_last_time_that_a_client_has_said_so(server, sdk, thread) -> None:
    assert "ttl" not in await sdk.threads.get(thread)
    await sdk.threads.update(thread, metadata={}, ttl=5)
    await sdk.threads.update(thread, metadata={"a": 1}, ttl={"ttl": 60, "strategy": "delete"})
    await sdk.threads.update(thread, metadata={"a": 2})
    await after(server, minutes=30)
    assert (await sdk.threads.get(thread))["ttl"]["ttl_minutes"] == 60
    await after(server, hours=2)
    assert not await is_known(sdk, thread)


async def test_thread_with_a_run_at_work_does_not_expire(server, sdk) -> None:
    thread = (await sdk.threads.create(ttl=1))["thread_id"]
    run, streamed = await begun(sdk, thread, "slow")
    await after(server, hours=1)
    assert await is_known(sdk, thread)
    await sdk.runs.cancel(thread, run, wait=True)
    await streamed.end()
    await after(server, hours=1)
    assert not await is_known(sdk, thread)
