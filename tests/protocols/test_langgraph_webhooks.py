"""Webhooks of runs by LangGraph's SDKs: called once runs have ended, tried again, and never within walls."""

import asyncio
import ipaddress
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx2
import orjson
import pytest
from langgraph_sdk import get_client
from structlog.testing import capture_logs

from backend.http.outgoing import AddressRefused, _is_public, resolved
from backend.protocols.langgraph import webhooks
from tests.api.live import BOUND_S, base_url, running, serving
from tests.fakes.waiting import until
from tests.protocols.sdk_streams import human

pytestmark = pytest.mark.asyncio(loop_scope="module")

TALKING = "tests.protocols.talking_graph:graph"


class Receiver:
    """Takes what webhooks send, for `async with`; answers with these statuses, the last one for ever."""

    def __init__(self, *statuses: int, headers: str = "") -> None:
        self._statuses = [*statuses] or [200]
        self._headers = headers
        self.got: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()

    async def __aenter__(self) -> "Receiver":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/ended?x=1"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lengths = [
            line.split(":")[1] for line in head.lower().split("\r\n") if line.startswith("content-length")
        ]
        body = await reader.readexactly(int(lengths[0]))
        status = self._statuses.pop(0) if len(self._statuses) > 1 else self._statuses[0]
        writer.write(f"HTTP/1.1 {status} X\r\n{self._headers}Content-Length: 0\r\n\r\n".encode())
        await writer.drain()
        writer.close()
        self.got.put_nowait((head.split("\r\n")[0], orjson.loads(body)))

    async def told(self) -> dict[str, Any]:
        async with asyncio.timeout(BOUND_S):
            line, body = await self.got.get()
        assert line == "POST /ended?x=1 HTTP/1.1"
        return body


async def pending(server: Any) -> Sequence[Any]:
    stored = await server.detour.store.get_checkpoint("!", -3)
    return [*webhooks.items_in(stored.body if stored is not None else b"")]


async def test_webhook_gets_the_run_with_its_values_once_it_has_ended(tmp_path: Path) -> None:
    async with (
        Receiver() as receiver,
        serving(tmp_path, graph=TALKING, webhook_hosts=f"127.0.0.1:{receiver.port}") as server,
        get_client(url=base_url(server.port), api_key=None) as sdk,
    ):
        thread = (await sdk.threads.create())["thread_id"]
        run = await sdk.runs.create(
            thread, "agent", input=human("hello"), webhook=receiver.url, metadata={"order": 5}
        )
        told = await receiver.told()
        assert (told["run_id"], told["thread_id"], told["status"]) == (run["run_id"], thread, "success")
        assert told["metadata"] == {"order": 5}
        assert [each["content"] for each in told["values"]["messages"]] == ["hello", "You said: hello"]
        assert told["run_started_at"] <= told["run_ended_at"] <= told["webhook_sent_at"]
        assert "error" not in told
        asked = await sdk.runs.wait(thread, "agent", input=human("ask me"), webhook=receiver.url)
        assert (await receiver.told())["values"]["__interrupt__"] == asked["__interrupt__"]
        await sdk.runs.create(None, "agent", input=human("fail"), webhook=receiver.url)
        told = await receiver.told()
        assert (told["status"], bool(told["error"]["message"])) == ("error", True)
        await until(lambda: _none(server))
        assert receiver.got.empty()


async def _none(server: Any) -> bool:
    return not await pending(server)


async def test_javascript_client_names_a_webhook(node, tmp_path: Path) -> None:
    async with (
        Receiver() as receiver,
        serving(tmp_path, graph=TALKING, webhook_hosts="127.0.0.1") as server,
    ):
        js = await node("langgraph")
        payload = {"input": human("hello"), "webhook": receiver.url}
        args = [None, "agent", payload]
        await js.call("call", url=base_url(server.port), of="runs", method="create", args=args)
        assert (await receiver.told())["status"] == "success"


async def test_stopped_run_calls_its_webhook_too(tmp_path: Path) -> None:
    async with (
        Receiver() as receiver,
        serving(tmp_path, graph=TALKING, webhook_hosts="127.0.0.1") as server,
        get_client(url=base_url(server.port), api_key=None) as sdk,
    ):
        thread = (await sdk.threads.create())["thread_id"]
        run = await sdk.runs.create(thread, "agent", input=human("slow"), webhook=receiver.url)
        await sdk.runs.cancel(thread, run["run_id"])
        assert (await receiver.told())["status"] == "interrupted"


async def test_webhook_that_fails_is_tried_again_and_one_that_is_refused_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "AGAIN_AFTER_S", (0.0, 0.0))
    async with serving(tmp_path, graph=TALKING, webhook_hosts="127.0.0.1") as server:
        url = base_url(server.port)
        async with get_client(url=url, api_key=None) as sdk:
            for statuses, times in (((503, 429, 200), 3), ((500,), 3), ((404,), 1), ((302,), 1)):
                async with Receiver(*statuses, headers=f"Location: {url}/health\r\n") as receiver:
                    await sdk.runs.create(None, "agent", input=human("hello"), webhook=receiver.url)
                    told = [await receiver.told() for _ in range(times)]
                    assert len({each["run_id"] for each in told}) == 1
                    await until(lambda: _none(server))
                    assert receiver.got.empty()


async def test_webhook_outlives_a_restart(tmp_path: Path) -> None:
    async with Receiver() as receiver:
        settings: Any = {"graph": TALKING, "store": "sqlite", "webhook_hosts": "127.0.0.1"}
        body = {"assistant_id": "agent", "input": human("slow"), "webhook": receiver.url}
        async with running(tmp_path, **settings) as api:
            await api.call("POST", "/threads", json={"thread_id": "t1"})
            run = (await api.call("POST", "/threads/t1/runs", json=body)).json()
        assert receiver.got.empty()
        path = f"/threads/t1/runs/{run['run_id']}"
        async with running(tmp_path, **settings) as api:

            async def is_running() -> bool:
                return (await api.call("GET", path)).json()["status"] == "running"

            await until(is_running)
            await api.call("POST", f"{path}/cancel")
            told = await receiver.told()
            await until(lambda: _none(api))
        assert (told["run_id"], told["status"]) == (run["run_id"], "interrupted")


async def test_deletion_of_a_thread_ends_its_run_and_leaves_no_webhook(tmp_path: Path) -> None:
    async with Receiver() as receiver, running(tmp_path, graph=TALKING, webhook_hosts="127.0.0.1") as api:
        body = {"assistant_id": "agent", "input": human("slow"), "webhook": receiver.url}
        await api.call("POST", "/threads/t1/runs", json={**body, "if_not_exists": "create"})
        assert len(await pending(api)) == 1
        await api.call("DELETE", "/threads/t1")
        assert (await receiver.told())["status"] == "interrupted"
        await until(lambda: _none(api))


async def test_too_many_webhooks_that_wait_are_refused_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "MOST_PENDING", 1)
    async with running(tmp_path, graph=TALKING, webhook_hosts="127.0.0.1") as api:
        body = {"assistant_id": "agent", "input": human("slow"), "webhook": "http://127.0.0.1:9/x"}
        body["if_not_exists"] = "create"
        assert (await api.call("POST", "/threads/t1/runs", json=body)).status_code == 200
        assert (await api.call("POST", "/threads/t2/runs", json=body)).status_code == 429
        assert (await api.call("GET", "/threads/t2")).status_code == 404


async def test_host_that_resolves_to_private_addresses_alone_is_not_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name passes as the run begins: what it leads to is found, and held to, as it is called."""
    loop = asyncio.get_running_loop()
    asked: list[str] = []

    async def lookup(host: str, *_: Any, **__: Any) -> list[Any]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 0))]

    monkeypatch.setattr(loop, "getaddrinfo", lookup)
    async with Receiver() as receiver, running(tmp_path, graph=TALKING) as api:
        address = f"https://walls.example:{receiver.port}/ended"
        body = {"assistant_id": "agent", "input": human("hello"), "webhook": address}
        with capture_logs() as logs:
            await api.call("POST", "/threads/t1/runs", json={**body, "if_not_exists": "create"})
            await until(lambda: _none(api))
        assert asked == ["walls.example"]
        assert receiver.got.empty()
        assert "a webhook is not called" in [each["event"] for each in logs]


async def test_address_that_was_checked_is_the_one_that_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    async def lookup(*_: Any, **__: Any) -> list[Any]:
        return [(0, 0, 0, "", ("10.0.0.1", 0)), (0, 0, 0, "", ("93.184.216.34", 0))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", lookup)
    address = httpx2.URL("https://example.com/x")
    assert await resolved(address, ()) == "93.184.216.34"
    assert await resolved(address, ["example.com"]) == "10.0.0.1"
    assert await resolved(address, ["example.com:443"]) == "10.0.0.1"
    assert await resolved(address, ["example.com:80"]) == "93.184.216.34"

    async def private(*_: Any, **__: Any) -> list[Any]:
        return [(0, 0, 0, "", ("fd00::1", 0))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", private)
    with pytest.raises(AddressRefused):
        await resolved(address, ())


@pytest.mark.parametrize(
    ("ip", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::a00:1", False),
        ("2002:a00:1::1", False),
    ],
)
async def test_address_of_the_whole_internet(ip: str, public: bool) -> None:
    assert _is_public(ipaddress.ip_address(ip)) is public
