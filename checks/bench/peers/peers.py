"""The servers: starts each, posts messages to it and keeps what its stream delivers, with the time."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import socketio

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
START_TIMEOUT_S = 90.0
STREAM_MODES = ["custom", "updates"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Peer(ABC):
    """A server in a process group of its own, and its log of nodes. `bin` is its environment's folder."""

    ready = "/ok"

    def __init__(self, bin_folder: Path, folder: Path) -> None:
        self.bin, self.folder, self.port = bin_folder, folder, free_port()
        self.log = folder / "nodes.jsonl"
        self.log.touch()
        self.seen: dict[str, list[tuple[float, str]]] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.http = httpx.AsyncClient(base_url=f"http://127.0.0.1:{self.port}", timeout=30)

    @abstractmethod
    def command(self) -> list[str]:
        """Return the program that serves, with its arguments."""

    def settings(self) -> Mapping[str, str]:
        return {}

    def cwd(self) -> Path:
        return self.folder

    def launch(self) -> None:
        for name in ("graph.py", "chainlit_app.py"):
            (self.folder / name).write_text((HERE / name).read_text())
        project = json.dumps({"dependencies": ["."], "graphs": {"peers": "./graph.py:graph"}})
        for name in ("langgraph.json", "aegra.json"):
            (self.folder / name).write_text(project)
        environment = os.environ | {"PEERS_LOG": str(self.log)} | self.settings()
        with (self.folder / "server.log").open("a") as output:
            self.process = subprocess.Popen(
                self.command(),
                cwd=self.cwd(),
                env=environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    async def start(self) -> None:
        """Raises RuntimeError with the server's last output if it does not come up."""
        self.launch()
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                if (await self.http.get(self.ready)).status_code == 200:
                    return
            except httpx.HTTPError:
                pass
            await asyncio.sleep(0.2)
        raise RuntimeError(self.output())

    def output(self) -> str:
        return (self.folder / "server.log").read_text()[-2000:]

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def follow(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    async def collect(self, user: str, method: str, path: str, body: Any = None) -> None:
        try:
            async with self.http.stream(method, path, json=body, timeout=None) as answer:
                async for line in answer.aiter_lines():
                    self.seen[user].append((time.monotonic(), line))
        except httpx.HTTPError as error:
            self.seen[user].append((time.monotonic(), repr(error)))

    async def open(self, user: str) -> None:
        self.seen[user] = []

    @abstractmethod
    async def post(self, user: str, message: str) -> None:
        """Send a message, as the server documents a change of mind."""

    async def stop(self, user: str) -> None:
        """Tell the server to stop the run, where its own page does so before it sends a message."""
        return

    async def kept(self, user: str) -> dict[str, str]:
        """What can be looked up of the user's conversation, by where."""
        return {}


class LangGraph(Peer):
    """`langgraph dev`: LangGraph's own server, in memory."""

    def __init__(self, bin_folder: Path, folder: Path) -> None:
        super().__init__(bin_folder, folder)
        self.threads: dict[str, str] = {}

    def command(self) -> list[str]:
        return [str(self.bin / "langgraph"), "dev", "--no-browser", "--no-reload", "--port", str(self.port)]

    def settings(self) -> Mapping[str, str]:
        return {"PATH": f"{self.bin}:{os.environ['PATH']}", "LANGSMITH_TRACING": "false"}

    async def open(self, user: str) -> None:
        await super().open(user)
        self.threads[user] = (await self.http.post("/threads", json={})).json()["thread_id"]

    async def post(self, user: str, message: str) -> None:
        body = {
            "assistant_id": "peers",
            "input": {"message": message},
            "stream_mode": STREAM_MODES,
            "multitask_strategy": "interrupt",
            "stream_resumable": True,
        }
        self.follow(self.collect(user, "POST", f"/threads/{self.threads[user]}/runs/stream", body))

    async def kept(self, user: str) -> dict[str, str]:
        thread = f"/threads/{self.threads[user]}"
        state = (await self.http.get(f"{thread}/state")).json()
        runs = (await self.http.get(f"{thread}/runs")).json()
        runs.sort(key=lambda run: run["created_at"])
        return {
            "state": json.dumps(state.get("values")),
            "history": (await self.http.post(f"{thread}/history", json={"limit": 100})).text,
            "stream": await self.replayed(f"{thread}/runs/{runs[0]['run_id']}/stream"),
            "statuses": " ".join(run["status"] for run in runs),
        }

    async def replayed(self, path: str) -> str:
        """What the run's resumable stream delivers within a second to a client that joins it."""
        lines: list[str] = []
        try:
            async with (
                asyncio.timeout(1),
                self.http.stream("GET", path, headers={"Last-Event-ID": "-1"}) as answer,
            ):
                async for line in answer.aiter_lines():
                    lines.append(line)
        except (TimeoutError, httpx.HTTPError):
            pass
        return "\n".join(lines)


class Aegra(LangGraph):
    """Aegra speaks the same protocol; its database is at `PEERS_POSTGRES`, its queue at `PEERS_REDIS`."""

    ready = "/health"

    def command(self) -> list[str]:
        app = ["aegra_api.main:app", "--host", "127.0.0.1", "--port", str(self.port)]
        return [str(self.bin / "uvicorn"), *app]

    def settings(self) -> Mapping[str, str]:
        redis = os.environ.get("PEERS_REDIS", "")
        broker = {"REDIS_BROKER_ENABLED": "true", "REDIS_URL": redis} if redis else {}
        return {"DATABASE_URL": os.environ["PEERS_POSTGRES"], "AUTH_TYPE": "noop"} | broker


class Chainlit(Peer):
    """Chainlit, spoken to over socket.io as its page does."""

    ready = "/"

    def __init__(self, bin_folder: Path, folder: Path) -> None:
        super().__init__(bin_folder, folder)
        self.sockets: dict[str, socketio.AsyncClient] = {}

    def command(self) -> list[str]:
        return [str(self.bin / "chainlit"), "run", "chainlit_app.py", "--headless", "--port", str(self.port)]

    async def open(self, user: str) -> None:
        await super().open(user)
        client = self.sockets[user] = socketio.AsyncClient()
        keep = self.seen[user]

        @client.on("*")
        async def any_event(event: str, *data: object) -> None:
            keep.append((time.monotonic(), json.dumps([event, *data])))

        auth = {"sessionId": str(uuid.uuid4()), "clientType": "webapp", "userEnv": "{}", "chatProfile": ""}
        address = f"http://127.0.0.1:{self.port}"
        await client.connect(
            address, socketio_path="/ws/socket.io", auth=auth | {"threadId": ""}, transports=["websocket"]
        )
        await client.emit("connection_successful")
        await asyncio.sleep(0.2)

    async def post(self, user: str, message: str) -> None:
        step = {"id": str(uuid.uuid4()), "threadId": "", "name": "user", "type": "user_message"}
        step |= {"output": message, "createdAt": "2026-01-01T00:00:00Z"}
        await self.sockets[user].emit("client_message", {"message": step, "fileReferences": []})

    async def stop(self, user: str) -> None:
        await self.sockets[user].emit("stop")


class Detour(Peer):
    """Detour with the graph behind it, or with `graph` in its place."""

    ready = "/ready"
    graph = "checks.bench.peers.graph:graph"

    def command(self) -> list[str]:
        return [str(self.bin / "python"), "-m", "backend.main"]

    def settings(self) -> Mapping[str, str]:
        return {
            "DETOUR_PORT": str(self.port),
            "DETOUR_DATA_DIR": str(self.folder / "data"),
            "DETOUR_GRAPH": self.graph,
        }

    def cwd(self) -> Path:
        return ROOT

    async def open(self, user: str) -> None:
        await super().open(user)
        self.follow(self.collect(user, "GET", f"/events/{user}"))
        await asyncio.sleep(0.2)

    async def post(self, user: str, message: str) -> None:
        answer = await self.http.post("/chat", json={"user_id": user, "message": message})
        answer.raise_for_status()

    async def kept(self, user: str) -> dict[str, str]:
        return {
            "partial results": (await self.http.get(f"/partial-results/{user}")).text,
            "history": (await self.http.get(f"/history/{user}")).text,
        }


PEERS = {"langgraph": LangGraph, "aegra": Aegra, "chainlit": Chainlit, "detour": Detour}
