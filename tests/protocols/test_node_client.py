"""The harness of the JavaScript clients: what a client does wrong is told, and nothing waits for ever."""

import asyncio

import pytest

from tests.protocols.node_client import ClientFailed, NodeClient

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_commands_return_results_in_any_order_and_news_come_in_order(node):
    client = await node("echo")
    values = [None, 5, "ünïcode\n\u2028", {"a": [1, {"b": None}]}, "x" * 1_000_000]
    assert await asyncio.gather(*(client.call("echo", value=each) for each in values)) == values
    assert await client.call("nothing") is None
    await client.call("say", times=3)
    assert await client.until(lambda news: news.get("number") == 3)
    assert [each["number"] for each in client.news if each["kind"] == "said"] == [1, 2, 3]
    heard = len(client.news)
    await client.call("say", times=1)
    assert await client.until(lambda news: news["kind"] == "said", after=heard) == client.news[heard]


async def test_errors_of_a_client_are_raised_and_uncaught_ones_are_news(node):
    client = await node("echo")
    with pytest.raises(ClientFailed, match="no such thing") as failed:
        await client.call("fail")
    assert (failed.value.kind, failed.value.status) == ("TypeError", 404)
    with pytest.raises(ClientFailed, match="there is no command toString"):
        await client.call("toString")
    await client.call("forget")
    await client.until(lambda news: news["kind"] == "unhandled")
    assert "nobody awaits this" in client.unhandled[0]


async def test_client_that_does_not_start_says_why(node):
    with pytest.raises(ClientFailed, match="broken from the start"):
        await NodeClient("echo", "broken").__aenter__()


async def test_client_that_ends_fails_whoever_waits_for_it(node):
    async with NodeClient("echo") as client:
        with pytest.raises(ClientFailed, match="echo has ended"):
            await asyncio.gather(client.call("vanish"), client.until(lambda news: news.get("never")))
        with pytest.raises(ClientFailed, match="farewell"):
            await client.call("echo", value=1)
        with pytest.raises(ClientFailed):
            await client.until(lambda news: news.get("never"))
