"""What changing one's mind costs: a message while the old task works, alone and with 1,000 other tasks alive.

From the moment the POST is written: to its answer, to the end of the old nodes' code (which the nodes record
themselves, see checks.bench.graph), to the new task's first event, and to the first that the new graph
itself emits, on the WebSocket.
"""

import asyncio
import contextlib
import random
import time
from collections.abc import Sequence

import orjson

from checks.bench.alive import start_tasks
from checks.bench.figures import Figure, percentile
from checks.bench.graph import WAITING_WORKERS
from checks.bench.load import HttpClient, Subscriber, chat_request
from checks.bench.servers import Server, ServerKind, running

OTHERS = 1000
DEADLINE_S = 10.0
PAUSE_S = (0.003, 0.009)
SETTLE_S = 0.1
"""What a socket gets to be greeted before the first POST, whose events the snapshot may hold otherwise."""
PERCENTS = (50, 99)
ANSWER, OLD_END, FIRST_EVENT, FIRST_PARTIAL = (
    "its answer",
    "the old code's end",
    "the new task's first event",
    "the new graph's first own event",
)
SPANS = (ANSWER, OLD_END, FIRST_EVENT, FIRST_PARTIAL)


class Ends(asyncio.DatagramProtocol):
    """The moments at which the code of nodes ended, by message."""

    def __init__(self) -> None:
        self._at: dict[str, list[float]] = {}
        self._changed = asyncio.Event()

    def datagram_received(self, data: bytes, addr: object) -> None:
        message, _, ended = data.decode().rpartition(" ")
        self._at.setdefault(message, []).append(float(ended))
        self._changed.set()

    async def last_of(self, message: str) -> float:
        """When the last of the message's workers ended."""
        while len(self._at.get(message, ())) < WAITING_WORKERS:
            self._changed.clear()
            await self._changed.wait()
        return max(self._at.pop(message))


class Frames:
    """The frames that one user's WebSocket received, with the time of each."""

    def __init__(self, kind: ServerKind) -> None:
        self._kind = kind
        self._frames: list[tuple[float, bytes]] = []
        self._changed = asyncio.Event()

    def on_frame(self, frame: bytes) -> None:
        self._frames.append((time.perf_counter(), frame))
        self._changed.set()

    def forget(self) -> None:
        self._frames.clear()

    async def firsts_of(self, task_id: str) -> tuple[float, float]:
        """When the task's first event and its first partial result arrived."""
        event: float | None = None
        looked_at = 0
        while True:
            while looked_at < len(self._frames):
                at, frame = self._frames[looked_at]
                looked_at += 1
                if orjson.loads(frame).get("task_id") == task_id:
                    event = at if event is None else event
                    if self._kind.partial_mark in frame:
                        return event, at
            self._changed.clear()
            await self._changed.wait()


class FickleUser:
    """Changes its mind again and again; `spans` holds the milliseconds from each POST.

    Its first message may begin at another server than the rest go to, and it may listen at a third.
    """

    def __init__(
        self,
        server: Server,
        ends: Ends,
        *,
        name: str = "fickle",
        begins_at: Server | None = None,
        listens_at: Server | None = None,
    ) -> None:
        self._server = server
        self._begins_at = begins_at or server
        self._listens_at = listens_at or server
        self._name = name
        self._ends = ends
        self._frames = Frames(server.kind)
        self._random = random.Random(7)
        self._posted = 0
        self.spans: dict[str, list[float]] = {}

    async def connect(self) -> None:
        self._http = await HttpClient.connect(self._begins_at.port)
        self._subscriber = await Subscriber.connect(
            port=self._listens_at.port, path=f"/ws/{self._name}", on_frame=self._frames.on_frame
        )
        await asyncio.sleep(SETTLE_S)

    def _message(self, nth: int) -> str:
        return f"trip {self._name} {self._server.kind.name}{nth}"

    async def change_mind(self, *, times: int) -> None:
        """Post once, then supersede that as often as asked, each time after both workers began to wait."""
        self.spans = {span: [] for span in SPANS}
        for nth in range(times + 1):
            await self._post(superseding=nth > 0)
            if nth == 0 and self._begins_at is not self._server:
                self._http.close()
                self._http = await HttpClient.connect(self._server.port)
            await asyncio.sleep(self._random.uniform(*PAUSE_S))

    async def _post(self, *, superseding: bool) -> None:
        old, new = self._message(self._posted), self._message(self._posted + 1)
        request = chat_request(port=self._server.port, user_id=self._name, message=new)
        self._frames.forget()
        async with asyncio.timeout(DEADLINE_S):
            posted = time.perf_counter()
            answer = await self._http.send(request)
            event, partial = await self._frames.firsts_of(answer.task_id)
            ended = await self._ends.last_of(old) if self._posted else posted
        self._posted += 1
        if superseding:
            for span, at in zip(SPANS, (answer.at, ended, event, partial), strict=True):
                self.spans[span].append((at - posted) * 1000)

    def close(self) -> None:
        self._http.close()
        self._subscriber.close()


async def one_situation(
    situation: str, servers: Sequence[Server], ends: Ends, *, blocks: int, times: int
) -> list[Figure]:
    """Blocks that alternate between the servers; each block gives one sample of every percentile.

    So one burst of other work on the machine shows in a figure's range, not in its median.
    """
    figures = {
        (span, percent): Figure("supersede", f"{situation}: POST to {span}, p{percent}", "ms")
        for span in SPANS
        for percent in PERCENTS
    }
    for _ in range(blocks):
        for server in servers:
            user = FickleUser(server, ends)
            await user.connect()
            await user.change_mind(times=times)
            user.close()
            for (span, percent), figure in figures.items():
                figure.add(server.kind.name, percentile(user.spans[span], percent))
    return list(figures.values())


async def measure(kinds: Sequence[ServerKind], *, short: bool) -> list[Figure]:
    blocks, times = (2, 100) if short else (5, 200)
    transport, ends = await asyncio.get_running_loop().create_datagram_endpoint(
        Ends, local_addr=("127.0.0.1", 0)
    )
    environment = {"BENCH_ENDED_AT": f"127.0.0.1:{transport.get_extra_info('sockname')[1]}"}
    async with contextlib.AsyncExitStack() as stack:
        servers = [
            await stack.enter_async_context(running(kind, graph="waiting", environment=environment))
            for kind in kinds
        ]
        alone = await one_situation("alone", servers, ends, blocks=blocks, times=times)
        for server in servers:
            await start_tasks(server, count=OTHERS, prefix="other")
        crowded = await one_situation(f"{OTHERS} alive", servers, ends, blocks=blocks, times=times)
    transport.close()
    return [*alone, *crowded]
