"""Several runs at once by LangGraph's SDKs: begun as a batch, stopped by their ids or their status."""

from typing import Any

import pytest
import pytest_asyncio
from langgraph_sdk import get_client
from langgraph_sdk.errors import NotFoundError, UnprocessableEntityError

from tests.api.issuer import Issuer
from tests.api.live import base_url, serving
from tests.protocols.sdk_streams import human, said

pytestmark = pytest.mark.asyncio(loop_scope="module")

TALKING = "tests.protocols.talking_graph:graph"


@pytest_asyncio.fixture(loop_scope="module")
async def sdk(live_servers):
    async with get_client(url=base_url((await live_servers()).port), api_key=None) as client:
        yield client


async def slow(sdk: Any, **options: Any) -> tuple[str, str]:
    """Begin a slow run on a new thread; return the ids of both."""
    thread = (await sdk.threads.create())["thread_id"]
    run = await sdk.runs.create(thread, "agent", input=human("slow"), **options)
    return thread, run["run_id"]


async def status(sdk: Any, run: tuple[str, str]) -> str:
    return (await sdk.runs.get(*run))["status"]


async def test_batch_begins_each_run_on_a_thread_of_its_own(sdk) -> None:
    payloads: Any = [
        {"assistant_id": "agent", "input": human(text), "on_completion": "keep", "metadata": {"n": text}}
        for text in ("one", "two")
    ]
    runs = await sdk.runs.create_batch(payloads)
    assert [each["metadata"] for each in runs] == [{"n": "one"}, {"n": "two"}]
    for run, text in zip(runs, ("one", "two"), strict=True):
        values = await sdk.runs.join(run["thread_id"], run["run_id"])
        assert said(values) == [("human", text), ("ai", f"You said: {text}")]


async def test_batch_of_which_one_cannot_begin_leaves_none(sdk) -> None:
    before = await sdk.threads.count()
    payloads: Any = [
        {"assistant_id": "agent", "input": human("slow"), "on_completion": "keep"},
        {"assistant_id": "nobody", "input": human("slow"), "on_completion": "keep"},
    ]
    with pytest.raises(NotFoundError):
        await sdk.runs.create_batch(payloads)
    assert await sdk.threads.count() == before
    with pytest.raises(UnprocessableEntityError, match=r"\[1\]\.input: "):
        await sdk.runs.create_batch([payloads[0], {"assistant_id": "agent", "input": 5}])
    assert await sdk.threads.count() == before


async def test_runs_are_stopped_by_their_ids(sdk) -> None:
    first, other = await slow(sdk), await slow(sdk)
    queued = await sdk.runs.create(first[0], "agent", input=human("later"), multitask_strategy="enqueue")
    await sdk.runs.cancel_many(thread_id=first[0], run_ids=[first[1], queued["run_id"]])
    assert await status(sdk, first) == await status(sdk, (first[0], queued["run_id"])) == "interrupted"
    assert await status(sdk, other) == "running"
    await sdk.runs.cancel(*other, wait=True)


async def test_runs_of_all_threads_are_stopped_by_their_status(sdk) -> None:
    runs = [await slow(sdk), await slow(sdk)]
    thread = runs[0][0]
    waits = await sdk.runs.create(thread, "agent", input=human("later"), multitask_strategy="enqueue")
    queued = (thread, waits["run_id"])
    await sdk.runs.cancel_many(status="pending")
    assert await status(sdk, queued) == "interrupted"
    assert [await status(sdk, each) for each in runs] == ["running", "running"]
    await sdk.runs.cancel_many(status="all")
    assert [await status(sdk, each) for each in runs] == ["interrupted", "interrupted"]
    await sdk.runs.cancel_many(status="all")  # there are none


async def test_javascript_client_begins_a_batch_and_stops_it(node, live_servers, sdk) -> None:
    url = base_url((await live_servers()).port)
    js = await node("langgraph")
    payload = {"assistantId": "agent", "input": human("slow"), "onCompletion": "keep"}
    runs = await js.call("call", url=url, of="runs", method="createBatch", args=[[payload, payload]])
    assert len({each["thread_id"] for each in runs}) == 2
    await js.call("call", url=url, of="runs", method="cancelMany", args=[{"status": "running"}])
    told = [await status(sdk, (each["thread_id"], each["run_id"])) for each in runs]
    assert told == ["interrupted", "interrupted"]


@pytest.mark.requirement("NOBODY-REACHES-OTHERS")
async def test_status_stops_no_run_of_another_person(tmp_path_factory) -> None:
    issuer = Issuer()
    folder = tmp_path_factory.mktemp("persons")
    async with serving(folder, graph=TALKING, **issuer.settings()) as server:
        url = base_url(server.port)
        ann, bob = (get_client(url=url, api_key=issuer.token(each)) for each in ("ann", "bob"))
        async with ann, bob:
            hers, his = await slow(ann), await slow(bob)
            await ann.runs.cancel_many(status="all")
            assert (await status(ann, hers), await status(bob, his)) == ("interrupted", "running")
            with pytest.raises(NotFoundError):
                await ann.runs.cancel_many(thread_id=his[0], run_ids=[his[1]])
            await bob.runs.cancel(*his, wait=True)
