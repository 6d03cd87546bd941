"""A server process that ends, by a power cut or in good order, and is started again on the same data."""

import asyncio
import contextlib
import os
import random
import signal

import httpx2
import pytest
import websockets

from backend.clients.server import send_signal
from tests.api.frames import Frame, State, ends, receive, receive_until
from tests.api.live import BOUND_S, ENDED
from tests.api.test_websocket import closed_with
from tests.e2e.server_process import ServerProcess
from tests.fakes.waiting import until

KILLS = 6
MESSAGE = "Find flights from Berlin to Tokyo on 10 December"
SLOW = 5
"""Seconds between the batches of a source, for a search that is to be under way when its server ends."""


async def started_and_found(server: ServerProcess) -> tuple[str, State, str]:
    """Ask, wait for partial results over a socket; return the task, what was seen, and the epoch."""
    state = State()
    async with server.socket("ada", "?since=0") as socket:
        epoch = (await receive(socket))["epoch"]
        accepted = await server.chat("ada", MESSAGE)
        for event in await receive_until(socket, lambda frame: frame["type"] == "partial_result"):
            state.take(event)
    return accepted["task_id"], state, epoch


async def taken_up(server: ServerProcess, lost: str, state: State, epoch: str) -> str:
    """Follow until the message is answered by another task, and return that task."""
    async with server.socket("ada", f"?since={state.seq}&epoch={epoch}") as socket:
        assert (await receive(socket))["type"] == "hello"
        async with asyncio.timeout(BOUND_S):
            while state.latest == lost or state.tasks[state.latest]["status"] not in ENDED:
                state.take(await receive(socket))
    return state.latest


@pytest.mark.requirement("A-KILL-LOSES-NOTHING")
async def test_task_that_was_killed_is_ended_as_lost_and_its_message_answered_by_another(process):
    server: ServerProcess = process(demo_pace=SLOW)
    await server.start()
    lost, state, epoch = await started_and_found(server)
    seen = list(state.tasks[lost]["found"]["flight"])
    await server.kill()
    server.settings["demo_pace"] = 0
    await server.start()
    again = await taken_up(server, lost, state, epoch)
    assert (state.tasks[lost]["status"], state.tasks[lost]["reason"]) == ("interrupted", "lost")
    assert state.receipts[lost]["partial_results"]["flight"] >= len(seen)
    (left,) = (await server.partial_results("ada"))["interrupted"]
    assert left["task_id"] == lost
    assert left["partial_results"]["flight"][: len(seen)] == seen
    status = await server.status("ada")
    assert (status["task_id"], status["status"], status["message"]) == (again, "completed", MESSAGE)
    assert status["previous_task_id"] == lost
    said = (await server.history("ada"))["messages"]
    assert [each["role"] for each in said] == ["user", "system", "assistant"]


@pytest.mark.requirement("SHUTDOWN-IN-GOOD-ORDER")
async def test_server_told_to_end_settles_tells_and_leaves_and_goes_on_at_the_next_start(process):
    server: ServerProcess = process(demo_pace=SLOW, shutdown_grace_s=3)
    await server.start()
    task_id, state, epoch = await started_and_found(server)
    async with server.socket("ada", f"?since={state.seq}&epoch={epoch}") as socket:
        await receive(socket)
        assert await server.terminate() == -signal.SIGTERM
        for event in await receive_until(socket, ends(task_id)):
            state.take(event)
        assert await closed_with(socket) == 1012
    assert (state.tasks[task_id]["status"], state.tasks[task_id]["reason"]) == ("interrupted", "shutdown")
    assert "Traceback" not in server.log.read_text()
    server.settings["demo_pace"] = 0
    await server.start()
    again = await taken_up(server, task_id, state, epoch)
    assert state.tasks[again]["status"] == "completed"
    assert (await server.status("ada"))["message"] == MESSAGE


@pytest.mark.requirement("A-ROLLING-RESTART-REFUSES-NOTHING")
async def test_server_that_drains_takes_messages_until_a_second_signal(scripted):
    server: ServerProcess = scripted(drain_s=3600)
    await server.start()
    send_signal(server.process, signal.SIGTERM)

    async def drains() -> bool:
        return (await server.call("GET", "/ready")).status_code != 200

    await until(drains, every_s=0.01)
    assert (await server.chat_to_end("ada", "find 1"))["status"] == "completed"
    assert await server.terminate() == -signal.SIGTERM


@pytest.mark.requirement("SHUTDOWN-IN-GOOD-ORDER")
@pytest.mark.parametrize("tasks", [1, 10])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
async def test_server_whose_nodes_block_their_threads_ends_and_lets_go_of_its_data(process, how, tasks):
    server: ServerProcess = process(graph="tests.graphs.loadable:blocking", shutdown_grace_s=3)
    await server.start()
    users = [f"user-{number}" for number in range(tasks)]
    for user in users:
        await server.chat(user, "find")
    for user in users[: os.cpu_count()]:  # as many have a thread for sure
        await server.until_found(user, 1, "blocker")
    assert await server.terminate(how) == (0 if how is signal.SIGINT else -signal.SIGTERM)
    server.settings["graph"] = "tests.graphs.loadable:graph"
    await server.start()
    for user in users:
        (left,) = (await server.partial_results(user))["interrupted"]
        assert left["reason"] == "shutdown"


class Sender:
    """Posts messages one after the other, each again and again until it is accepted."""

    def __init__(self, server: ServerProcess, user_id: str) -> None:
        self.server = server
        self.user_id = user_id
        self.accepted: dict[str, str] = {}
        self.ending = False

    async def run(self) -> None:
        while not self.ending:
            number = len(self.accepted)
            message = f"find 3, number {number}" + (", hold" if number % 2 else "")
            body = {"user_id": self.user_id, "message": message, "client_id": str(number)}
            with contextlib.suppress(httpx2.TransportError, RuntimeError):
                answered = await self.server.http.post("/chat", json=body)
                assert answered.status_code == 202, answered.text
                self.accepted[message] = answered.json()["task_id"]
            await asyncio.sleep(0)


class Follower:
    """Follows a user's events, and comes back with its position whenever the connection breaks."""

    def __init__(self, server: ServerProcess, user_id: str) -> None:
        self.server = server
        self.user_id = user_id
        self.seen: list[Frame] = []
        self.epoch = ""

    async def run(self) -> None:
        while True:
            query = f"?since={len(self.seen)}" + (f"&epoch={self.epoch}" if self.epoch else "")
            with contextlib.suppress(OSError, websockets.WebSocketException):
                async with self.server.socket(self.user_id, query) as socket:
                    async for text in socket:
                        self._take(text)
            await asyncio.sleep(0.01)

    def _take(self, text) -> None:
        frame = httpx2.Response(200, content=text).json()
        if frame["type"] == "hello":
            assert self.epoch in ("", frame["epoch"])
            assert frame["seq"] >= len(self.seen), "numbers that were seen are gone"
            # Before its first message a user has no log, and the epoch is only a promise.
            self.epoch = frame["epoch"] if frame["seq"] else ""
        else:
            assert frame["seq"] == len(self.seen) + 1
            self.seen.append(frame)


@pytest.mark.requirement("A-KILL-LOSES-NOTHING")
async def test_kills_at_any_instant_under_load_lose_no_accepted_message_and_no_number(scripted):
    server: ServerProcess = scripted(messages_per_minute=100_000, events_kept=1_000_000)
    await server.start()
    chance = random.Random(4)
    senders = [Sender(server, f"user-{n}") for n in range(4)]
    followers = [Follower(server, sender.user_id) for sender in senders]
    async with asyncio.TaskGroup() as group:
        sending = [group.create_task(sender.run()) for sender in senders]
        following = [group.create_task(follower.run()) for follower in followers]
        for _ in range(KILLS):
            await until_accepted(senders, accepted(senders) + chance.randint(5, 40))
            await server.kill()
            await server.start()
        for sender in senders:
            sender.ending = True
        await asyncio.wait(sending)
        for sender, follower in zip(senders, followers, strict=True):
            await check_nothing_is_lost(server, sender, follower)
        for task in following:
            task.cancel()


def accepted(senders: list[Sender]) -> int:
    return sum(len(sender.accepted) for sender in senders)


async def until_accepted(senders: list[Sender], enough: int) -> None:
    await until(lambda: accepted(senders) >= enough, every_s=0.001)


async def check_nothing_is_lost(server: ServerProcess, sender: Sender, follower: Follower) -> None:
    last = await server.chat(sender.user_id, "find 1")
    async with server.socket(sender.user_id, "?since=0") as socket:
        await receive(socket)
        log = await receive_until(socket, ends(last["task_id"]))
    assert [event["seq"] for event in log] == list(range(1, len(log) + 1))
    await until(lambda: len(follower.seen) >= len(log), every_s=0.001)
    assert follower.seen[: len(log)] == log, "a number was seen with another content"
    said = (await server.history(sender.user_id, limit=1000))["messages"]
    asked = {each["text"]: each["task_id"] for each in said if each["role"] == "user"}
    assert sender.accepted.items() <= asked.items()
    assert len(asked) == sum(each["role"] == "user" for each in said), "a message is there twice"
    ended = [
        event["task_id"] for event in log if event["type"] == "status_update" and event["status"] in ENDED
    ]
    assert len(ended) == len(set(ended)), "a task ended twice"
    assert set(asked.values()) <= set(ended)
