"""A user's events, followed over breaks: none is missing, none comes twice, no other log's are mixed in."""

import asyncio
import json
from contextlib import aclosing, asynccontextmanager
from urllib.parse import parse_qs, urlsplit

import pytest
from websockets.asyncio.server import serve

from backend.clients.api import Connection, Position, Refused, User, follow
from tests.api.live import BOUND_S, serving
from tests.browser.proxy import Proxy


@asynccontextmanager
async def following(user, position=None):
    """Yield a coroutine function that returns all that comes up to the first that matches."""
    async with asyncio.timeout(BOUND_S), aclosing(follow(user, position)) as events:

        async def until(matches):
            heard = []
            while not heard or not matches(heard[-1]):
                heard.append(await anext(events))
            return heard

        yield until


def is_a(kind):
    return lambda heard: not isinstance(heard, Connection) and heard["type"] == kind


def is_reply(heard):
    return is_a("message")(heard) and heard["role"] == "assistant"


def seqs(heard):
    """The numbers of the events among all that was heard."""
    return [each["seq"] for each in heard if not isinstance(each, Connection) and "task_id" in each]


async def test_follow_begins_with_a_snapshot_and_then_yields_every_event(ada, api):
    await api.send("hello")
    async with following(ada) as until:
        first, hello, snapshot = await until(is_a("snapshot"))
        assert (first, hello["type"]) == (Connection(is_open=True), "hello")
        await api.send("hello")
        events = await until(is_reply)
        assert seqs(events) == list(range(snapshot["seq"] + 1, events[-1]["seq"] + 1))


async def test_follow_yields_every_event_once_after_a_broken_connection(tmp_path):
    async with Proxy() as proxy, serving(tmp_path, allowed_hosts=(f"127.0.0.1:{proxy.port}",)) as far:
        proxy.target = far.port
        user = User(url=f"http://127.0.0.1:{proxy.port}", user_id="ada")
        async with following(user, Position(0)) as until:
            await far.chat("ada", "hello")
            before = await until(is_reply)
            proxy.close()
            broken = await until(lambda heard: heard == Connection(is_open=False))
            await far.chat("ada", "hello")
            proxy.open()
            after = await until(is_reply)
        assert seqs([*before, *broken, *after]) == list(range(1, after[-1]["seq"] + 1))
        assert Connection(is_open=True) in after


async def test_follow_resumes_after_a_kill_and_restart_of_the_server(process):
    server = process(graph="tests.scripted_graph:graph")
    await server.start()
    user = User(url=server.url, user_id="ada")
    async with following(user, Position(0)) as until:
        await server.chat("ada", "hello")
        before = await until(is_reply)
        await server.kill()
        broken = await until(lambda heard: heard == Connection(is_open=False))
        await server.start()
        await server.chat("ada", "hello")
        after = await until(is_reply)
    assert seqs([*before, *broken, *after]) == list(range(1, after[-1]["seq"] + 1))


async def test_follow_sends_a_reset_and_a_snapshot_after_the_user_is_deleted(ada, api):
    await api.send("hello")
    async with following(ada, Position(0)) as until:
        await until(is_reply)
        await api.forget()
        heard = await until(is_a("snapshot"))
        assert [each["type"] for each in heard[-2:]] == ["reset", "snapshot"]


async def test_closing_during_a_replay_does_not_wait(ada, api, server):
    accepted = await api.send("find 50")
    await server.until_ended("ada", accepted["task_id"])
    async with asyncio.timeout(5):  # the library gives a close frame 10 s
        async with following(ada, Position(0)) as until:
            await until(is_a("message"))


async def test_lost_reset_is_replaced_by_a_snapshot():
    """The old number with the epoch of the hello would name some other event of the new log."""
    asked = []

    async def server(socket):
        asked.append(parse_qs(urlsplit(socket.request.path).query))
        await socket.send(json.dumps({"type": "hello", "epoch": "new", "seq": 9}))
        if len(asked) > 1:
            await socket.send(json.dumps({"type": "snapshot", "epoch": "new", "seq": 9}))

    async with serve(server, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        user = User(url=f"http://127.0.0.1:{port}", user_id="ada")
        async with following(user, Position(3, "old")) as until:
            await until(is_a("snapshot"))
    assert asked == [{"since": ["3"], "epoch": ["old"]}, {}]


@pytest.mark.parametrize(("user_id", "code"), [("no such user", "bad_user_id"), ("ada", "unauthorized")])
async def test_permanent_refusal_is_raised(tmp_path, user_id, code):
    async with serving(tmp_path, token="" if code == "bad_user_id" else "a-long-random-token-22") as guarded:
        user = User(url=f"http://127.0.0.1:{guarded.port}", user_id=user_id)
        with pytest.raises(Refused) as refused:
            async with following(user) as until:
                await until(is_a("snapshot"))
        assert refused.value.code == code


async def test_invalid_address_is_refused():
    with pytest.raises(Refused, match="no address"):
        async with following(User(url="ftp://example.org", user_id="ada")) as until:
            await until(is_a("snapshot"))
