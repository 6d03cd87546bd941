"""What belongs to a person and to no conversation, over two servers that share a database."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from backend.graphs.state.user_stores import items_in
from tests.api.live import LocalClient, running
from tests.fakes.waiting import until
from tests.protocols.sdk_streams import human
from tests.protocols.test_langgraph_webhooks import Receiver

pytestmark = [pytest.mark.postgres, pytest.mark.requirement("REPLICAS-ARE-ONE")]

REMEMBERING = "tests.protocols.remembering_graph:graph"
TALKING = "tests.protocols.talking_graph:graph"
TOKEN = "a token that is long enough"


async def called(server: LocalClient, method: str, path: str, body: Any = None) -> Any:
    headers = {"x-api-key": TOKEN}
    response = await server.call(method, path, headers=headers, **({} if body is None else {"json": body}))
    assert response.status_code < 300, response.text
    return response.json() if response.content else None


def settings(address: str, name: str, **more: Any) -> dict[str, Any]:
    return {"postgres": address, "replica": name, "token": TOKEN, "graph": REMEMBERING, **more}


@pytest.fixture
async def replicas(address: str, tmp_path: Path) -> AsyncIterator[list[LocalClient]]:
    async with AsyncExitStack() as started:
        yield [
            await started.enter_async_context(running(tmp_path / name, **settings(address, name)))
            for name in ("here", "there")
        ]


async def test_item_put_at_one_server_is_read_by_graphs_of_both(replicas) -> None:
    here, there = replicas
    for number, each in enumerate((here, there, here)):
        item = {"namespace": ["memories"], "key": f"k{number}", "value": {"by": "all"}}
        await called(each, "PUT", "/store/items", item)
    for each in (here, there):
        body = {"assistant_id": "agent", "input": human("tell")}
        values = await called(each, "POST", "/runs/wait", body)
        assert values["messages"][-1]["content"] == "k0=all k1=all k2=all"


async def test_assistant_that_both_servers_change_at_once_loses_no_version(replicas) -> None:
    made = await called(replicas[0], "POST", "/assistants", {"graph_id": "agent"})
    path = f"/assistants/{made['assistant_id']}"
    await asyncio.gather(
        *(called(each, "PATCH", path, {"name": f"n{number}"}) for number in range(3) for each in replicas)
    )
    for each in replicas:
        versions = await called(each, "POST", f"{path}/versions", {"limit": 100})
        assert [found["version"] for found in versions] == [7, 6, 5, 4, 3, 2, 1]


async def test_webhook_of_a_server_that_has_gone_is_called_by_the_next_one(address, tmp_path: Path) -> None:
    async with Receiver() as receiver:
        more = {"graph": TALKING, "webhook_hosts": "127.0.0.1"}
        async with running(tmp_path / "one", **settings(address, "one", **more)) as gone:
            body = {"assistant_id": "agent", "input": human("slow"), "webhook": receiver.url}
            await called(gone, "POST", "/threads", {"thread_id": "t1"})
            run = await called(gone, "POST", "/threads/t1/runs", body)
        assert receiver.got.empty()
        path = f"/threads/t1/runs/{run['run_id']}"
        async with running(tmp_path / "two", **settings(address, "two", **more)) as server:

            async def is_running() -> bool:
                return (await called(server, "GET", path))["status"] == "running"

            await until(is_running)
            await called(server, "POST", f"{path}/cancel")
            assert (await receiver.told())["run_id"] == run["run_id"]

            async def is_done() -> bool:
                stored = await server.detour.store.get_checkpoint("!", -3)
                return not [*items_in(stored.body)]

            await until(is_done)
