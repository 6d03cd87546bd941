"""Completed tasks per second at 50 users: each posts, waits for its task's terminal event, and posts again.

All servers are up at once and idle except the one whose turn it is; rounds alternate between them and the
bare graph, so that whatever else the machine does falls on all alike. Each round has new users, who send
the same number of messages: the state of the graph grows with each, and a faster server's would be longer.
"""

import asyncio
import contextlib
import time
from collections.abc import Sequence
from typing import NamedTuple

from checks.bench.bare_graph import in_fresh_process
from checks.bench.figures import Figure
from checks.bench.load import HttpClient, Subscriber, chat_request
from checks.bench.servers import Ended, Server, ServerKind, running

USERS = 50
BARE_SECONDS = 1.0
WARM_UP_MESSAGES = 4
DEADLINE_S = 120.0


class Outcomes:
    """The terminal events of one user's tasks, which may come before the answer that names the task."""

    def __init__(self, kind: ServerKind) -> None:
        self._ended = kind.ended
        self._early: dict[str, Ended] = {}
        self._expected: asyncio.Future[Ended] | None = None
        self._expected_id = ""

    def on_frame(self, frame: bytes) -> None:
        ended = self._ended(frame)
        if ended is None:
            return
        if self._expected is not None and ended.task_id == self._expected_id:
            self._expected.set_result(ended)
            self._expected = None
        else:
            self._early[ended.task_id] = ended

    async def of(self, task_id: str) -> Ended:
        if task_id in self._early:
            return self._early.pop(task_id)
        self._expected_id = task_id
        self._expected = asyncio.get_running_loop().create_future()
        return await self._expected


class User:
    """One connection for posting, one WebSocket, and requests built beforehand."""

    def __init__(self, server: Server, user_id: str) -> None:
        self.server = server
        self.user_id = user_id
        self.outcomes = Outcomes(server.kind)
        self.completed = 0
        self.not_completed = 0

    async def connect(self, nth: int, messages: int) -> None:
        kind, port = self.server.kind, self.server.port
        self.requests = [
            chat_request(port=port, user_id=self.user_id, message=kind.message(nth * messages + each))
            for each in range(messages)
        ]
        self.http = await HttpClient.connect(port)
        self.subscriber = await Subscriber.connect(
            port=port,
            path=f"/ws/{self.user_id}",
            on_frame=self.outcomes.on_frame,
            greeting=kind.greeting,  # a task that ended before it would be told in the snapshot only
        )

    async def load(self, messages: int) -> None:
        for _ in range(messages):
            answer = await self.http.send(self.requests.pop())
            ended = await self.outcomes.of(answer.task_id)
            self.completed += ended.completed
            self.not_completed += not ended.completed

    def close(self) -> None:
        self.http.close()
        self.subscriber.close()


class Round(NamedTuple):
    """Tasks completed a second, and the CPU shares of server and generator meanwhile."""

    per_second: float
    server_share: float
    own_share: float

    @property
    def server_ms(self) -> float:
        """The server's CPU a task, in milliseconds."""
        return self.server_share / self.per_second * 1000


async def one_round(server: Server, messages: int, *, nth: int) -> Round:
    """Let the users load one server, after a warm-up.

    Raises RuntimeError if a task did not complete, TimeoutError if a terminal event did not come.
    """
    users = [User(server, f"user{nth}-{user}") for user in range(USERS)]
    await asyncio.gather(
        *(user.connect(place, WARM_UP_MESSAGES + messages) for place, user in enumerate(users))
    )
    async with asyncio.timeout(DEADLINE_S):
        await load_all(users, WARM_UP_MESSAGES)
        before = sum(user.completed for user in users)
        server_cpu, own_cpu, started = server.cpu_seconds(), time.process_time(), time.perf_counter()
        await load_all(users, messages)
        elapsed = time.perf_counter() - started
        completed = sum(user.completed for user in users) - before
        server_cpu, own_cpu = server.cpu_seconds() - server_cpu, time.process_time() - own_cpu
    for user in users:
        user.close()
    if failed := sum(user.not_completed for user in users):
        raise RuntimeError(f"{failed} tasks of {server.kind.name} did not complete")
    return Round(completed / elapsed, server_cpu / elapsed, own_cpu / elapsed)


async def load_all(users: Sequence[User], messages: int) -> None:
    await asyncio.gather(*(user.load(messages) for user in users))


async def measure(kinds: Sequence[ServerKind], *, short: bool) -> list[Figure]:
    rounds, messages = (2, 10) if short else (9, 16)
    rate = Figure("throughput", "completed tasks a second, 50 users", "/s")
    cpu = Figure("throughput", "server CPU of a task", "ms")
    server_share = Figure("throughput", "CPU share of the server", "of a core")
    own_share = Figure("throughput", "CPU share of the load generator", "of a core")
    async with contextlib.AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(running(kind, graph="quick")) for kind in kinds]
        for nth in range(rounds):
            for name, how in (("bare", "throughput"), ("bare astream", "astream")):
                per_second, per_cpu_second = await asyncio.to_thread(
                    in_fresh_process, how, str(BARE_SECONDS), str(USERS)
                )
                rate.add(name, per_second)
                cpu.add(name, 1000 / per_cpu_second)
            for server in servers:
                ended = await one_round(server, messages, nth=nth)
                rate.add(server.kind.name, ended.per_second)
                cpu.add(server.kind.name, ended.server_ms)
                server_share.add(server.kind.name, ended.server_share)
                own_share.add(server.kind.name, ended.own_share)
    return [rate, cpu, server_share, own_share]
