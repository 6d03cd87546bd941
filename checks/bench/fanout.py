"""One task whose items go to 200 subscribers of its user: items delivered a second, and CPU for each.

Servers may put several items into one frame, so items are what is counted and compared; frames are shown too.
An item counts when a subscriber has read it, in a frame of partial results.
"""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Sequence

from checks.bench.alive import quiet
from checks.bench.figures import Figure
from checks.bench.load import HttpClient, Subscriber, chat_request
from checks.bench.servers import Server, ServerKind, running

SUBSCRIBERS = 200
DEADLINE_S = 60.0
GULP_S = 0.004
USER = "crowd"
ITEM_MARK = b'"nth":'


class Audience:
    """Counts what all subscribers together received."""

    def __init__(self, kind: ServerKind) -> None:
        self._mark = kind.partial_mark
        self._ended = kind.ended
        self.reset(expected=0)

    def reset(self, *, expected: int) -> None:
        self.expected = expected
        self.items = self.frames = 0
        self.ends: Counter[str] = Counter()
        self.all_items_at = 0.0
        self.some_task_ended = asyncio.Event()
        self.done = False

    def on_frame(self, frame: bytes) -> None:
        if self._mark in frame:
            self.frames += 1
            self.items += frame.count(ITEM_MARK)
            if self.items == self.expected:
                self.all_items_at = time.perf_counter()
        elif (ended := self._ended(frame)) is not None:
            self.ends[ended.task_id] += 1
            if self.ends[ended.task_id] == SUBSCRIBERS:
                self.some_task_ended.set()

    async def all_saw_the_end_of(self, task_id: str) -> None:
        while self.ends[task_id] < SUBSCRIBERS:
            self.some_task_ended.clear()
            await self.some_task_ended.wait()
        self.done = True

    def read_in_gulps(self) -> None:
        """Let frames gather and read several at once: a read for each is what costs most."""
        if not self.done:
            time.sleep(GULP_S)
            asyncio.get_running_loop().call_soon(self.read_in_gulps)


class Round:
    """What one task's items cost."""

    def __init__(self, *, elapsed: float, audience: Audience, server_cpu: float, own_cpu: float) -> None:
        self.items_a_second = audience.items / elapsed
        self.frames_a_second = audience.frames / elapsed
        self.server_us_an_item = server_cpu / audience.items * 1e6
        self.server_us_a_frame = server_cpu / audience.frames * 1e6
        self.own_share = own_cpu / elapsed


async def one_round(server: Server, audience: Audience, client: HttpClient, items: int) -> Round:
    """Raises RuntimeError if a subscriber did not get every item."""
    audience.reset(expected=items * SUBSCRIBERS)
    server_cpu, own_cpu, posted = server.cpu_seconds(), time.process_time(), time.perf_counter()
    answer = await client.send(chat_request(port=server.port, user_id=USER, message=f"trip {items}"))
    audience.read_in_gulps()
    async with asyncio.timeout(DEADLINE_S):
        await audience.all_saw_the_end_of(answer.task_id)
    own_cpu = time.process_time() - own_cpu
    if audience.items != audience.expected:
        raise RuntimeError(f"{server.kind.name} delivered {audience.items} of {audience.expected} items")
    return Round(
        elapsed=audience.all_items_at - posted,
        audience=audience,
        server_cpu=server.cpu_seconds() - server_cpu,
        own_cpu=own_cpu,
    )


async def one_turn(server: Server, *, items: int) -> Round:
    """Connect the subscribers, let one task write, and disconnect them."""
    audience = Audience(server.kind)
    subscribers = [
        await Subscriber.connect(port=server.port, path=f"/ws/{USER}", on_frame=audience.on_frame)
        for _ in range(SUBSCRIBERS)
    ]
    client = await HttpClient.connect(server.port)
    await quiet(server)
    try:
        return await one_round(server, audience, client, items)
    except TimeoutError as error:
        codes = sorted({each.closed_with for each in subscribers if each.closed_with is not None})
        raise RuntimeError(
            f"{server.kind.name}: {audience.items} of {audience.expected} items came, "
            f"{audience.ends.total()} of {SUBSCRIBERS} subscribers saw the end; closed with {codes}"
        ) from error
    finally:
        audience.done = True
        client.close()
        for each in subscribers:
            each.close()


async def measure(kinds: Sequence[ServerKind], *, short: bool) -> list[Figure]:
    rounds, items = (2, 500) if short else (5, 2000)
    figures = {
        name: Figure("fanout", text, unit)
        for name, text, unit in (
            ("items_a_second", f"items delivered a second, {SUBSCRIBERS} subscribers", "/s"),
            ("frames_a_second", f"frames delivered a second, {SUBSCRIBERS} subscribers", "/s"),
            ("server_us_an_item", "server CPU per item delivered", "us"),
            ("server_us_a_frame", "server CPU per frame delivered", "us"),
            ("own_share", "CPU share of the load generator in fan-out", "of a core"),
        )
    }
    async with contextlib.AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(running(kind, graph="chatty")) for kind in kinds]
        for _ in range(rounds):
            for server in servers:
                ended = await one_turn(server, items=items)
                for name, figure in figures.items():
                    figure.add(server.kind.name, getattr(ended, name))
    return list(figures.values())
