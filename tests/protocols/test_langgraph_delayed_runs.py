"""`after_seconds` by LangGraph's SDK: a run that begins later is pending until then."""

from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from langgraph_sdk import get_client

from tests.api.live import base_url, running
from tests.protocols.sdk_streams import human, said

pytestmark = pytest.mark.asyncio(loop_scope="module")

TALKING = "tests.protocols.talking_graph:graph"


@pytest_asyncio.fixture(loop_scope="module")
async def sdk(live_servers):
    async with get_client(url=base_url((await live_servers()).port), api_key=None) as client:
        yield client


@pytest_asyncio.fixture(loop_scope="module")
async def thread(sdk):
    return (await sdk.threads.create())["thread_id"]


async def later(sdk: Any, thread: str, **options: Any) -> str:
    run = await sdk.runs.create(thread, "agent", input=human("later"), after_seconds=3600, **options)
    assert run["status"] == "pending"
    return run["run_id"]


async def status(sdk: Any, thread: str, run_id: str) -> str:
    return (await sdk.runs.get(thread, run_id))["status"]


async def test_run_begins_later_and_is_waited_for(sdk, thread) -> None:
    values = await sdk.runs.wait(thread, "agent", input=human("hello"), after_seconds=0.01)
    assert said(values) == [("human", "hello"), ("ai", "You said: hello")]


@pytest.mark.parametrize("strategy", [None, "interrupt", "rollback", "enqueue", "reject"])
async def test_run_that_waits_is_cancelled_like_a_queued_one(sdk, thread, strategy) -> None:
    run_id = await later(sdk, thread, multitask_strategy=strategy)
    assert (await sdk.threads.get(thread))["status"] == "busy"
    await sdk.runs.cancel(thread, run_id, wait=True)
    assert await status(sdk, thread, run_id) == "interrupted"
    assert (await sdk.threads.get(thread))["status"] == "idle"


async def test_run_that_waits_interrupts_nothing_and_a_message_goes_before_it(sdk, thread) -> None:
    slow = await sdk.runs.create(thread, "agent", input=human("slow"))
    run_id = await later(sdk, thread, multitask_strategy="interrupt")
    assert await status(sdk, thread, slow["run_id"]) in ("pending", "running")
    values = await sdk.runs.wait(thread, "agent", input=human("hello"))
    assert said(values)[-1] == ("ai", "You said: hello")
    assert await status(sdk, thread, slow["run_id"]) == "interrupted"
    assert await status(sdk, thread, run_id) == "pending"
    await sdk.runs.cancel_many(thread_id=thread, run_ids=[run_id])
    assert await status(sdk, thread, run_id) == "interrupted"


async def test_run_that_waits_answers_no_question(sdk, thread) -> None:
    asked = await sdk.runs.wait(thread, "agent", input=human("ask me"))
    run_id = await later(sdk, thread)
    [question] = asked["__interrupt__"]
    values = await sdk.runs.wait(thread, "agent", command={"resume": {question["id"]: "Rome"}})
    assert ("ai", "Then we go to Rome.") in said(values)
    assert await status(sdk, thread, run_id) == "pending"
    await sdk.runs.cancel(thread, run_id, wait=True)


async def test_run_that_waits_outlives_a_restart(tmp_path: Path) -> None:
    settings: Any = {"graph": TALKING, "store": "sqlite"}
    body = {"assistant_id": "agent", "input": human("later"), "after_seconds": 3600}
    async with running(tmp_path, **settings) as api:
        await api.call("POST", "/threads", json={"thread_id": "t1"})
        run = (await api.call("POST", "/threads/t1/runs", json=body)).json()
    async with running(tmp_path, **settings) as api:
        path = f"/threads/t1/runs/{run['run_id']}"
        assert (await api.call("GET", path)).json()["status"] == "pending"
        await api.call("POST", f"{path}/cancel")
        assert (await api.call("GET", path)).json()["status"] == "interrupted"
