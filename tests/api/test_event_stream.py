"""`GET /events/{user_id}`: the frames of the WebSocket as server-sent events."""

import asyncio
import json

import pytest

from tests.api.frames import check_event, ends, receive
from tests.api.live import BOUND_S, refusal, serving
from tests.fakes.waiting import until

pytestmark = pytest.mark.uvloop


class Stream:
    """Reads a response as a browser's `EventSource` does."""

    def __init__(self, response) -> None:
        self._lines = response.aiter_lines()
        self.comments: list[str] = []
        self.last_id: str | None = None

    async def next(self) -> dict:
        """Return the next event's data."""
        data: list[str] = []
        async with asyncio.timeout(BOUND_S):
            async for line in self._lines:
                name, _, value = line.partition(": ")
                if line.startswith(":"):
                    self.comments.append(line)
                elif name == "id":
                    self.last_id = value
                elif name == "data":
                    data.append(value)
                elif not line and data:
                    return json.loads("\n".join(data))
        raise EOFError

    async def until(self, matches) -> list[dict]:
        frames: list[dict] = []
        while not frames or not matches(frames[-1]):
            frames.append(await self.next())
        return frames


def opened(live, user_id="ada", **options):
    return live.http.stream("GET", f"/events/{user_id}", timeout=None, **options)


async def test_stream_has_the_frames_of_the_socket_numbered(live):
    async with opened(live) as response, live.socket("ada") as socket:
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert response.headers["cache-control"] == "no-store"
        stream = Stream(response)
        hello, told = await stream.next(), await receive(socket)
        assert hello == {**told, "at": hello["at"]}, "each says what time it is"
        assert await stream.next() == await receive(socket)
        accepted = await live.chat("ada", "find 5")
        for event in await stream.until(ends(accepted["task_id"])):
            check_event(event)
            assert await receive(socket) == event
        assert stream.last_id == str(event["seq"])


@pytest.mark.requirement("REPLAY-WITHOUT-HOLES")
async def test_stream_resumes_after_the_last_id(live):
    accepted = await live.chat_to_end("ada", "find 20")
    seen: list = []
    last_id = "0"
    while not seen or not ends(accepted["task_id"])(seen[-1]):
        # The header, which a browser sends when it reconnects, goes before the address it began with.
        async with opened(live, headers={"Last-Event-ID": last_id}, params={"since": "7"}) as response:
            stream = Stream(response)
            assert (await stream.next())["type"] == "hello"
            for _ in range(4):
                if not (seen and ends(accepted["task_id"])(seen[-1])):
                    seen.append(await stream.next())
            last_id = stream.last_id
    assert [event["seq"] for event in seen] == list(range(1, len(seen) + 1))


async def test_stream_position_in_the_address_counts_or_is_reset(live):
    accepted = await live.chat("ada", "find 3")
    await live.until_ended("ada", accepted["task_id"])
    for params, kind in [
        ({"since": 4}, "agent_update"),
        ({"since": 4, "epoch": accepted["epoch"]}, None),
        ({"since": 4, "epoch": "other"}, "reset"),
        ({"since": 10**6}, "reset"),
        ({"since": "garbage"}, "reset"),
        ({}, "snapshot"),
    ]:
        async with opened(live, params=params) as response:
            stream = Stream(response)
            assert (await stream.next())["type"] == "hello"
            frame = await stream.next()
            assert frame.get("seq") == 5 if kind in (None, "agent_update") else frame["type"] == kind


async def test_stream_has_comments_while_nothing_happens(tmp_path):
    async with serving(tmp_path, heartbeat_s=0.02) as live, opened(live) as response:
        stream = Stream(response)
        await stream.next()
        await stream.next()
        waiting = asyncio.get_running_loop().create_task(stream.next())
        await until(lambda: len(stream.comments) >= 3)
        await live.chat("ada", "hold")
        assert (await waiting)["seq"] == 1
        assert set(stream.comments) == {": still here"}


async def test_stream_that_ends_makes_room_for_another(tmp_path):
    async with serving(tmp_path, sockets_per_user=1) as live:
        for _ in range(3):
            async with opened(live) as response:
                await Stream(response).next()
                refused = await live.call("GET", "/events/ada")
                refusal(refused, 429, "too_many_requests")
            await live.until_all_have_left()


async def test_stream_ends_with_the_server_after_the_endings_of_tasks(live):
    accepted = await live.chat("ada", "find 1, hold")
    async with opened(live, params={"since": 0}) as response:
        stream = Stream(response)
        await stream.next()
        await live.detour.end_tasks()
        assert (await stream.until(ends(accepted["task_id"])))[-1]["receipt"]["reason"] == "shutdown"
        with pytest.raises(EOFError):
            await stream.next()


@pytest.mark.requirement("A-SOCKET-IS-NEVER-A-STOP")
async def test_stream_that_is_closed_stops_no_task(live):
    await live.chat("ada", "find 1, hold")
    async with opened(live) as response:
        await Stream(response).next()
    await live.until_all_have_left()
    assert (await live.status("ada"))["status"] == "running"
