"""Streamed tokens: fifty a second from the model of each of 50, then of 200 users, all at once.

A token is the moment at which it left the model, so its delay is the time until it is read here. Servers may
join tokens; each token counts. The graph is an ordinary one, whose node only awaits its model.
"""

import asyncio
import contextlib
import re
import time
from collections.abc import Callable, Sequence
from functools import partial

from checks.bench import langgraph_dev
from checks.bench.figures import Figure, percentile
from checks.bench.load import HttpClient, Subscriber, chat_request
from checks.bench.servers import Server, ServerKind, running

USERS = (50, 200)
PERIOD_S = 0.02
DEADLINE_S = 120.0
APART_S = 0.5
"""In which the users' messages are sent, so that their models do not speak in step."""
TOKEN = re.compile(rb"(\d+\.\d{6}) ")


class Listener:
    """The tokens that all users of a round have read, with their delays in milliseconds."""

    def __init__(self, mark: bytes, expected: int) -> None:
        self._mark = mark
        self._expected = expected
        self.delays: list[float] = []
        self.first_at = 0.0
        self.last_at = 0.0
        self.complete = asyncio.Event()

    def on_frame(self, frame: bytes) -> None:
        if self._mark not in frame:
            return
        now = time.perf_counter()
        self.first_at = self.first_at or now
        self.last_at = now
        self.delays += [(now - float(sent)) * 1000 for sent in TOKEN.findall(frame)]
        if len(self.delays) >= self._expected:
            self.complete.set()


class Round:
    """What one round of tokens cost."""

    def __init__(self, heard: Listener, *, server_cpu: float, own_cpu: float, elapsed: float) -> None:
        self.tokens_a_second = len(heard.delays) / (heard.last_at - heard.first_at)
        self.server_us_a_token = server_cpu / len(heard.delays) * 1e6
        self.delay_p50 = percentile(heard.delays, 50)
        self.delay_p99 = percentile(heard.delays, 99)
        self.own_share = own_cpu / elapsed


class Speakers:
    """Users of a server of ours, each with a WebSocket and a connection for posting."""

    def __init__(self, server: Server, users: int) -> None:
        self._server = server
        self._names = [f"speaker{users}-{nth}" for nth in range(users)]
        self._open: list[Subscriber | HttpClient] = []
        self._clients: list[HttpClient] = []
        self.name, self.mark = server.kind.name, server.kind.text_mark
        self.cpu_seconds = server.cpu_seconds

    async def connect(self, heard: Listener) -> None:
        port, greeting = self._server.port, self._server.kind.greeting
        for name in self._names:
            path = f"/ws/{name}"
            self._open.append(
                await Subscriber.connect(port=port, path=path, on_frame=heard.on_frame, greeting=greeting)
            )
            self._clients.append(await HttpClient.connect(port))

    async def speak(self, nth: int) -> None:
        request = chat_request(port=self._server.port, user_id=self._names[nth], message="speak")
        await self._clients[nth].send(request)

    def close(self) -> None:
        for each in (*self._open, *self._clients):
            each.close()


class LangGraphSpeakers:
    """Users of `langgraph dev`, each with a thread, whose runs are streamed as they are asked for."""

    name, mark = langgraph_dev.NAME, langgraph_dev.MARK

    def __init__(self, server: langgraph_dev.LangGraphDev, users: int) -> None:
        self._server = server
        self._users = users
        self._streams: list[langgraph_dev.Stream] = []
        self.cpu_seconds = server.cpu_seconds

    async def connect(self, heard: Listener) -> None:
        self._threads = [await self._server.new_thread() for _ in range(self._users)]
        self._on_line = heard.on_frame

    async def speak(self, nth: int) -> None:
        self._streams.append(await self._server.stream(self._threads[nth], self._on_line))

    def close(self) -> None:
        for each in self._streams:
            each.close()


async def one_round(speakers: Speakers | LangGraphSpeakers, *, users: int, tokens: int) -> Round:
    """Let every user's model speak once. Raises `RuntimeError` if a token did not come."""
    heard = Listener(speakers.mark, users * tokens)
    await speakers.connect(heard)

    async def speak(nth: int) -> None:
        await asyncio.sleep(APART_S * nth / users)
        await speakers.speak(nth)

    cpu, own, began = speakers.cpu_seconds(), time.process_time(), time.perf_counter()
    try:
        async with asyncio.timeout(DEADLINE_S):
            await asyncio.gather(*map(speak, range(users)))
            await heard.complete.wait()
    except TimeoutError as error:
        raise RuntimeError(
            f"{speakers.name} delivered {len(heard.delays)} of {users * tokens} tokens"
        ) from error
    finally:
        speakers.close()
    return Round(
        heard,
        server_cpu=speakers.cpu_seconds() - cpu,
        own_cpu=time.process_time() - own,
        elapsed=time.perf_counter() - began,
    )


async def measure(kinds: Sequence[ServerKind], *, short: bool) -> list[Figure]:
    rounds, tokens = (2, 150) if short else (3, 500)
    environment = {"BENCH_TOKENS": str(tokens), "BENCH_TOKEN_S": str(PERIOD_S)}
    figures = {
        (users, name): Figure("tokens", f"{users} users: {text}", unit)
        for users in USERS
        for name, text, unit in (
            ("tokens_a_second", "tokens a second", "/s"),
            ("server_us_a_token", "server CPU per token", "us"),
            ("delay_p50", "a token's delay, p50", "ms"),
            ("delay_p99", "a token's delay, p99", "ms"),
            ("own_share", "CPU share of the load generator, tokens", "of a core"),
        )
    }
    async with contextlib.AsyncExitStack() as stack:
        servers = [
            await stack.enter_async_context(running(kind, graph="talking", environment=environment))
            for kind in kinds
        ]
        speakers: list[Callable[[int], Speakers | LangGraphSpeakers]] = [
            partial(Speakers, server) for server in servers
        ]
        if langgraph_dev.COMMAND:
            other = await stack.enter_async_context(langgraph_dev.running(environment))
            speakers.append(partial(LangGraphSpeakers, other))
        for users in USERS:
            for _ in range(rounds):
                for speaking in (each(users) for each in speakers):
                    heard = await one_round(speaking, users=users, tokens=tokens)
                    for (of_users, name), figure in figures.items():
                        if of_users == users:
                            figure.add(speaking.name, getattr(heard, name))
    return list(figures.values())
