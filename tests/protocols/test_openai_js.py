"""OpenAI's JavaScript client, the `openai` package, against a real server."""

from typing import Any

import pytest
import pytest_asyncio

from tests.api.live import LiveServer
from tests.protocols.node_client import NodeClient

pytestmark = pytest.mark.asyncio(loop_scope="module")

TOKEN = "s3cret-s3cret-s3cret-token"


class Page:
    """The client, of one server; its streams are news of the kind of their name."""

    def __init__(self, client: NodeClient, server: LiveServer) -> None:
        self.client = client
        self.server = server

    async def call(self, name: str, **args: Any) -> Any:
        address = f"http://127.0.0.1:{self.server.port}"
        return await self.client.call(name, **{"server": address, **args})

    async def until(self, name: str, is_it: Any) -> Any:
        return await self.client.until(lambda news: news.get("kind") == name and is_it(news))


@pytest_asyncio.fixture(loop_scope="module")
async def page(node, live_servers) -> Page:
    return Page(await node("openai"), await live_servers(protocols="openai"))


def body(text: str, **fields: Any) -> dict[str, Any]:
    return {"model": "agent", "messages": [{"role": "user", "content": text}], **fields}


async def test_completion_and_stream_add_up_to_the_same(page):
    assert [each["id"] for each in await page.call("models")] == ["talking_graph"]
    whole = await page.call("complete", body=body("hello"))
    added = await page.call("added", body=body("hello"))
    told = [each["choices"][0]["message"]["content"] for each in (whole, added)]
    assert told == ["You said: hello"] * 2
    assert added["choices"][0]["finish_reason"] == "stop"


@pytest.mark.requirement("FOREIGN-STOP-STOPS", "LEAVING-IS-NOT-STOPPING")
async def test_abort_stops_the_run_and_keeps_what_it_has_said(page, ann):
    await page.call("stream", stream=ann, call="complete", body=body("slow", metadata={"thread_id": ann}))
    told = await page.until(
        ann, lambda news: "event" in news and news["event"]["choices"][0]["delta"].get("content")
    )
    await page.call("abort", stream=ann)
    status = await page.server.until_status(ann, lambda each: each["status"] == "interrupted")
    assert status["reason"] == "stopped"
    (kept,) = [each for each in (await page.server.history(ann))["messages"] if each["role"] == "assistant"]
    assert kept["text"].startswith(told["event"]["choices"][0]["delta"]["content"].strip())
    assert not page.client.unhandled


async def test_change_of_mind_ends_the_first_stream(page, ann):
    where = {"conversation": ann, "model": "agent"}
    await page.call("stream", stream=ann, call="respond", body={"input": "slow", **where})
    await page.until(ann, lambda news: news.get("event", {}).get("type") == "response.output_text.delta")
    second = await page.call("respond", body={"input": "hello", **where})
    assert second["output_text"] == "You said: hello"
    last = await page.until(ann, lambda news: news.get("event", {}).get("type") == "response.incomplete")
    assert last["event"]["response"]["detour"]["reason"] == "superseded"
    await page.until(ann, lambda news: news.get("over"))


async def test_background_response_is_polled_and_cancelled(page, ann):
    begun = await page.call(
        "respond", body={"model": "agent", "input": "slow", "background": True, "conversation": ann}
    )
    assert begun["status"] in {"queued", "in_progress"}
    assert (await page.call("retrieve", id=begun["id"]))["id"] == begun["id"]
    assert (await page.call("cancel", id=begun["id"]))["status"] == "cancelled"


async def test_response_tells_its_input_and_is_deleted(page, ann):
    told = [
        await page.call("respond", body={"model": "agent", "input": text, "conversation": ann})
        for text in ("one", "two")
    ]
    items = await page.call("inputItems", id=told[1]["id"])
    assert [each["content"][0]["text"] for each in items] == ["two", "You said: one", "one"]
    await page.call("delete", id=told[0]["id"])
    assert (await page.call("failure", id=told[0]["id"]))["name"] == "NotFoundError"
    assert (await page.call("retrieve", id=told[1]["id"]))["output_text"] == "You said: two"


async def test_errors_are_those_that_the_client_knows(page, live_servers):
    refused = [
        await page.call("refusal", call="complete", body=body("hi", model="gpt-4")),
        await page.call("refusal", call="complete", body=body("hi", n=2)),
        await page.call("refusal", call="respond", body={"model": "agent", "input": []}),
    ]
    assert [(each["name"], each["status"], each["param"]) for each in refused] == [
        ("NotFoundError", 404, "model"),
        ("BadRequestError", 400, "n"),
        ("BadRequestError", 400, "input"),
    ]
    closed = await live_servers(protocols="openai", token=TOKEN)
    address = f"http://127.0.0.1:{closed.port}"
    unknown = await page.call("refusal", call="complete", body=body("hi"), server=address, token="wrong")
    assert (unknown["name"], unknown["code"]) == ("AuthenticationError", "invalid_api_key")
    known = await page.call("complete", body=body("hi"), server=address, token=TOKEN)
    assert known["choices"][0]["message"]["content"] == "You said: hi"
