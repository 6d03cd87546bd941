"""Breaks real bodies and frames of every protocol: a field gone, of another type, deep, long, stray bytes."""

import asyncio
import contextlib
import json
import random
from collections.abc import Iterable, Iterator
from typing import Any, cast

import httpx
import websockets
from websockets.frames import CloseCode

from checks.attack.target import Report, Target

USERS = ("mallory", "eve", "trudy")
MESSAGE = {"type": "human", "content": "find"}
RUN: dict[str, Any] = {
    "assistant_id": "graph",
    "input": {"messages": [MESSAGE]},
    "stream_mode": ["values", "messages-tuple"],
    "config": {"configurable": {"tone": "short"}, "recursion_limit": 25},
    "metadata": {"from": "here"},
    "multitask_strategy": "interrupt",
    "if_not_exists": "create",
}
BODIES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("POST", "/chat", {"user_id": "{user}", "message": "find", "policy": "steer"}),
    ("POST", "/stop/{user}", {"policy": "withdraw", "agents": ["work"]}),
    ("POST", "/answer/{user}", {"request_id": "q", "answer": {"choice": "yes", "fields": {"a": 1}}}),
    ("PUT", "/pending/{user}/m-1", {"message": "rather this", "revision": 1}),
    ("POST", "/threads", {"thread_id": "{user}", "metadata": {"a": 1}, "if_exists": "do_nothing"}),
    ("PATCH", "/threads/{user}", {"metadata": {"b": [1, 2]}}),
    ("POST", "/threads/search", {"metadata": {"a": 1}, "limit": 5, "offset": 0, "status": "idle"}),
    ("POST", "/threads/count", {"metadata": {"a": 1}}),
    ("POST", "/threads/{user}/history", {"limit": 3, "before": {"configurable": {"checkpoint_id": "c"}}}),
    ("POST", "/threads/{user}/runs", RUN),
    ("POST", "/threads/{user}/runs/stream", RUN),
    ("POST", "/threads/{user}/runs/wait", RUN),
    (
        "POST",
        "/threads/{user}/runs",
        RUN | {"input": None, "command": {"resume": {"q": "yes"}, "goto": "work"}},
    ),
    ("POST", "/runs/wait", RUN),
    ("POST", "/threads/{user}/commands", {"id": 1, "method": "run.start", "params": {"input": {}}}),
    ("POST", "/threads/{user}/stream/events", {"channels": ["values", "lifecycle"], "namespaces": [[]]}),
    ("POST", "/assistants/search", {"graph_id": "graph", "limit": 10}),
    (
        "POST",
        "/agui",
        {
            "threadId": "{user}",
            "runId": "run-1",
            "messages": [{"id": "m-1", "role": "user", "content": "find"}],
            "state": {"a": 1},
            "tools": [{"name": "t", "description": "d", "parameters": {"type": "object"}}],
            "context": [{"description": "d", "value": "v"}],
            "forwardedProps": {"command": {"resume": "yes"}},
        },
    ),
    (
        "POST",
        "/copilotkit",
        {"method": "agent/run", "params": {"agentId": "graph"}, "body": {"threadId": "{user}"}},
    ),
    (
        "POST",
        "/ai-sdk/chat",
        {
            "id": "{user}",
            "trigger": "submit-message",
            "messages": [{"id": "m1", "role": "user", "parts": [{"type": "text", "text": "find"}]}],
        },
    ),
)
COMMANDS: tuple[dict[str, Any], ...] = (
    {"type": "chat", "message": "find", "policy": "queue", "message_id": "m-2"},
    {"type": "stop", "policy": "withdraw"},
    {"type": "answer", "request_id": "q", "answer": {"choice": "yes"}},
    {"type": "ping"},
)
DEEP = "something deep"
"""Stands for a list in a list in a list, deeper than json can write."""

ODD: tuple[Any, ...] = (
    None, True, 0, -1, 2**63, 1e308, "", "\0", "\ud800", "\u202eabc", "a" * 20_000, [], {}, [None], [[]],
    {"": {}}, "../../etc", "%00", "null", {"$ref": "#"}, {"__proto__": 1}, [{"type": "x"}] * 300,
)  # fmt: skip
CLOSED_WELL = set(CloseCode) - {CloseCode.INTERNAL_ERROR, CloseCode.ABNORMAL_CLOSURE}
PATIENCE_S = 10.0
FRAMES = 20
"""The most frames on a socket."""

SHORTEST_REASON = 10
"""Bytes of a refusal's body; each protocol has a form of its own."""

STREAMED_S = 0.2
"""How long an answer that does not end is read."""


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container within a value, with a key that it has."""
    pairs: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
    elif isinstance(value, list):
        pairs = enumerate(cast("list[Any]", value))
    for key, inner in pairs:
        yield value, key
        yield from _places(inner)


def mutated(value: Any, chance: random.Random) -> bytes:
    """Return the JSON of a value with one to three things wrong, now and then with bytes astray."""
    made = _copied(value)
    for _ in range(chance.randint(1, 3)):
        places = list(_places(made))
        if not places:
            break
        holder, key = chance.choice(places)
        match chance.randrange(6):
            case 0:
                del holder[key]
            case 1:
                holder[key] = DEEP
            case 2 if isinstance(holder, dict):
                holder[chance.choice(("id", "type", "user_id", "x" * 300, ""))] = _copied(holder[key])
            case 3:
                holder[key] = _copied(chance.choice(places)[0])
            case _:
                holder[key] = _copied(chance.choice(ODD))
    levels = chance.choice((50, 101, 2000, 10_000))
    text = bytearray(json.dumps(made).encode().replace(f'"{DEEP}"'.encode(), b"[" * levels + b"]" * levels))
    if chance.random() < 0.15:
        place = chance.randrange(len(text))
        text[place : place + chance.randint(0, 3)] = chance.randbytes(chance.randint(0, 3))
    return bytes(text)


def _copied(value: Any) -> Any:
    return json.loads(json.dumps(value))


class _Fuzzer:
    def __init__(self, target: Target, chance: random.Random, report: Report) -> None:
        self.target, self.chance, self.report = target, chance, report
        self.sent = {"bodies": 0, "frames": 0}

    async def send_bodies(self) -> None:
        async with self.target.client() as client:
            while True:
                method, path, body = self.chance.choice(BODIES)
                user = self.chance.choice(USERS)
                content = mutated(body, self.chance).replace(b"{user}", user.encode())
                kind = (
                    "application/json"
                    if self.chance.random() < 0.95
                    else self.chance.choice(("", "text/plain"))
                )
                await self._send(client, method, path.format(user=user), content, kind)
                self.sent["bodies"] += 1

    async def _send(
        self, client: httpx.AsyncClient, method: str, path: str, content: bytes, kind: str
    ) -> None:
        what = f"{method} {path} with {content[:300]!r}"
        try:
            async with client.stream(method, path, content=content, headers={"content-type": kind}) as answer:
                if answer.status_code >= 500 and answer.status_code != 501:
                    self.report.broken.append(
                        f"{answer.status_code} to {what}: {(await answer.aread())[:300]!r}"
                    )
                elif answer.status_code >= 400:
                    if len(await answer.aread()) < SHORTEST_REASON:
                        self.report.broken.append(f"{answer.status_code} without a reason to {what}")
                else:
                    await _read_a_while(answer)
        except (httpx.HTTPError, TimeoutError) as error:
            self.report.broken.append(f"{error!r} from {what}")

    async def send_frames(self) -> None:
        while True:
            user, frames = self.chance.choice(USERS), list[bytes | str]()
            address = f"{self.target.url.replace('http', 'ws', 1)}/ws/{user}"
            try:
                async with (
                    websockets.connect(address, proxy=None, open_timeout=PATIENCE_S) as socket,
                    asyncio.TaskGroup() as group,
                ):
                    reading = group.create_task(_discard(socket))
                    await self._talk(socket, frames)
                    await socket.close()  # with somebody reading, or a full buffer hides the answer to it
                    reading.cancel()
                if socket.close_code not in CLOSED_WELL:
                    self.report.broken.append(f"a socket closed with {socket.close_code} after {frames}")
            except (OSError, TimeoutError, websockets.InvalidHandshake) as error:
                self.report.broken.append(f"{error!r} from a socket")

    async def _talk(self, socket: websockets.ClientConnection, frames: list[bytes | str]) -> None:
        with contextlib.suppress(websockets.ConnectionClosed):
            for _ in range(self.chance.randint(1, FRAMES)):
                frame = mutated(self.chance.choice(COMMANDS), self.chance)
                sent = frame if self.chance.random() < 0.1 else frame.decode("utf-8", "replace")
                frames.append(sent[:300])
                self.sent["frames"] += 1
                await socket.send(sent)
            await (await socket.ping())


async def _discard(socket: websockets.ClientConnection) -> None:
    with contextlib.suppress(websockets.ConnectionClosed):
        async for _ in socket:
            pass


async def _read_a_while(answer: httpx.Response) -> None:
    """Read to the end, or what comes within `STREAMED_S`."""
    try:
        async with asyncio.timeout(STREAMED_S):
            async for _ in answer.aiter_raw():
                pass
    except TimeoutError:
        pass


async def send_mutations(target: Target, *, seconds: float, seed: int, report: Report) -> None:
    """Send broken bodies and frames for so long, two of each at a time; note what was answered wrongly."""
    fuzzer = _Fuzzer(target, random.Random(seed), report)
    try:
        async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
            for send in (fuzzer.send_bodies, fuzzer.send_bodies, fuzzer.send_frames, fuzzer.send_frames):
                group.create_task(send())
    except TimeoutError:
        pass
    report.figures |= {f"broken {kind}": str(count) for kind, count in fuzzer.sent.items()}
