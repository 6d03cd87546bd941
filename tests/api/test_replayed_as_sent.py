"""A client that returns is sent the very bytes that were sent live."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.api.live import BOUND_S, LiveServer, serving

pytestmark = [pytest.mark.uvloop, pytest.mark.requirement("REPLAYED-AS-SENT")]

STORES = pytest.mark.parametrize("store", ["memory", "sqlite"])


async def next_frames(socket: Any, until: int) -> list[str]:
    """Return the text of the events up to that number."""
    frames: list[str] = []
    async with asyncio.timeout(BOUND_S):
        while not frames or not frames[-1].startswith(f'{{"seq":{until},'):
            frames.append(await socket.recv())
    return [frame for frame in frames if frame.startswith('{"seq":')]


async def compare(live: LiveServer, watching: Any, *, until: int) -> list[str]:
    """Compare what was sent live with what is replayed from each of some positions; return what was sent."""
    sent = await next_frames(watching, until)
    for since in (0, 1, until // 2, until - 1):
        async with live.socket("ada", f"?since={since}") as returning:
            assert await next_frames(returning, until) == sent[since:]
    return sent


@STORES
async def test_hosted_task_that_asks_twice_is_replayed_as_sent(tmp_path: Path, store: str) -> None:
    async with serving(tmp_path, store=store) as live, live.socket("ada", "?since=0") as watching:
        accepted = await live.chat("ada", "find 3, ask Where, big 5000, ask When, find 2")
        asked: set[str] = set()
        for reply in ("Rome", "today"):
            request = (await live.until_asked("ada"))["input_request"]["request_id"]
            assert request not in asked
            asked.add(request)
            await live.answer("ada", request, answer=reply)
        ended = await live.until_ended("ada", accepted["task_id"])
        sent = await compare(live, watching, until=ended["seq"])
        updates = [frame for frame in sent if '"type":"status_update"' in frame and '"finder":[' in frame]
        assert len(updates) == 5


async def test_continued_task_is_replayed_as_sent(tmp_path: Path) -> None:
    async with serving(tmp_path, store="sqlite") as live, live.socket("ada", "?since=0") as watching:
        accepted = await live.chat("ada", "find 3, ask Where, find 2")
        asked = await live.until_asked("ada")
        sent = await compare(live, watching, until=asked["seq"])
    async with (
        serving(tmp_path, store="sqlite") as live,
        live.socket("ada", f"?since={asked['seq']}") as watching,
    ):
        await live.answer("ada", asked["input_request"]["request_id"], answer="Rome")
        ended = await live.until_ended("ada", accepted["task_id"])
        sent += await next_frames(watching, ended["seq"])
        async with live.socket("ada", "?since=0") as returning:
            assert await next_frames(returning, ended["seq"]) == sent
