"""Records what a real server tells, for the page's tests: `python -m tests.frontend.record [story...]`.

Each story becomes `logs/<story>.jsonl`: the events of one user in order, and between them the snapshots that
a client got who came at that point. They are kept in the repository, so that the page's tests need no server;
record them again where the contract has grown.
"""

import asyncio
import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from websockets import ConnectionClosed

from tests.api.live import BOUND_S
from tests.e2e.server_process import ServerProcess

LOGS = Path(__file__).parent / "logs"
PACE_S = 0.2
LARGEST_BYTES = 60_000
USER = "ada"

Frame = dict[str, Any]


class Recorder:
    """A user's events of one server, written down as they come."""

    def __init__(self, server: ServerProcess) -> None:
        self.server = server
        self.events: list[Frame] = []
        self.snapshots: list[Frame] = []
        self._came = asyncio.Condition()

    @contextlib.asynccontextmanager
    async def following(self):
        """Write down what comes, from where the last time ended."""
        query = f"?since={self.events[-1]['seq'] if self.events else 0}"
        async with self.server.socket(USER, query) as socket, asyncio.TaskGroup() as group:
            writing = group.create_task(self._write(socket))
            yield
            writing.cancel()

    async def _write(self, socket: Any) -> None:
        with contextlib.suppress(ConnectionClosed):  # a story may kill the server
            async for text in socket:
                frame = json.loads(text)
                if "seq" in frame and frame["type"] not in ("hello", "snapshot"):
                    async with self._came:
                        self.events.append(frame)
                        self._came.notify_all()

    async def until(self, wanted: Callable[[Frame], Any], *, since: int = 0) -> Frame:
        """Return the first event after number `since` that is as wanted."""
        async with asyncio.timeout(BOUND_S), self._came:
            await self._came.wait_for(lambda: any(map(wanted, self.events[since:])))
        return next(event for event in self.events[since:] if wanted(event))

    async def say(self, message: str) -> str:
        """Send a message; return its task."""
        return (await self.server.chat(USER, message))["task_id"]

    async def steer(self, message: str) -> str:
        """Send a message that is to steer the task that runs; return its id."""
        accepted = await self.server.chat(USER, message, policy="steer", client_id=f"c-{len(message)}")
        assert accepted["steer"] == "pending", accepted
        return accepted["message_id"]

    async def change(self, method: str, path: str, **body: Any) -> None:
        """Change a message that waits."""
        changed = await self.server.call(method, f"/pending/{USER}/{path}", json=body or None)
        assert changed.status_code == 200, changed.text

    async def until_called(self, task_id: str, tool: str) -> None:
        """Wait until a task has called a tool."""
        await self.until(
            lambda event: (
                (event["task_id"], event.get("tool"), event.get("state")) == (task_id, tool, "running")
            )
        )

    async def until_steered(self, message_id: str, steer: str) -> None:
        """Wait until this has become of a message."""
        await self.until(lambda event: (event.get("message_id"), event.get("steer")) == (message_id, steer))

    async def look(self) -> None:
        """Take a snapshot, as a client gets it who comes now."""
        async with self.server.socket(USER) as socket:
            await socket.recv()
            self.snapshots.append(json.loads(await socket.recv()))

    async def until_ended(self, task_id: str) -> None:
        """Wait until a task has ended."""
        ends = ("completed", "failed", "interrupted")
        await self.until(lambda event: event["task_id"] == task_id and event.get("status") in ends)

    async def until_asked(self, task_id: str) -> Frame:
        """Return what a task asks."""
        return await self.until(
            lambda event: event["task_id"] == task_id and event["type"] == "input_request"
        )

    async def until_found(self, task_id: str, *agents: str) -> None:
        """Wait until each of these agents has found something for a task."""
        for agent in agents:
            await self.until(
                lambda event, agent=agent: (
                    (event["task_id"], event["type"], event.get("agent"))
                    == (task_id, "partial_result", agent)
                )
            )

    async def answer(self, request: Frame, **body: Any) -> None:
        """Answer or decide what was asked."""
        request_id = request["request_id"]
        answered = await self.server.call("POST", f"/answer/{USER}", json={"request_id": request_id, **body})
        assert answered.status_code == 202, answered.text

    def lines(self) -> list[str]:
        """Return the log: events in order, each snapshot behind the last event that it holds."""
        frames = sorted(
            [*self.events, *self.snapshots], key=lambda each: (each["seq"], each["type"] == "snapshot")
        )
        return [json.dumps(frame, ensure_ascii=False, separators=(",", ":")) for frame in frames]


async def search(recorder: Recorder) -> None:
    """One message, found and answered."""
    async with recorder.following():
        task = await recorder.say("direct flights from Berlin to Lisbon on 10 December under 150 euros")
        await recorder.until_found(task, "flight")
        await recorder.look()
        await recorder.until_ended(task)
        await recorder.look()


async def interruption(recorder: Recorder) -> None:
    """A change of the hotel while both agents search: the flights are taken over; then thanks."""
    async with recorder.following():
        trip = "direct flights from Vienna to Graz on 10 December and a 5 star hotel for 2 nights"
        first = await recorder.say(trip)
        await recorder.until_found(first, "flight", "hotel")
        second = await recorder.say("make it 3 nights")
        await recorder.until_found(second, "hotel")
        await recorder.look()
        await recorder.until_ended(second)
        await recorder.until_ended(await recorder.say("thanks"))
        await recorder.look()


async def question(recorder: Recorder) -> None:
    """One question that is answered, and one that another message withdraws."""
    async with recorder.following():
        first = await recorder.say("a direct flight to Rome on 10 December under 150 euros")
        asked = await recorder.until_asked(first)
        await recorder.look()
        await recorder.answer(asked, answer={"origin": "Berlin"})
        await recorder.until_ended(first)
        second = await recorder.say("direct flights from Vienna to Rome under 100 euros")
        await recorder.until_asked(second)
        third = await recorder.say("a 5 star hotel in Graz from 4 to 6 December")
        await recorder.until_ended(second)
        await recorder.until_ended(third)
        await recorder.look()


async def booking(recorder: Recorder) -> None:
    """A booking that is denied, and one that is allowed."""
    async with recorder.following():
        found = await recorder.say("direct flights from Berlin to Lisbon on 10 December under 110 euros")
        await recorder.until_ended(found)
        for decision in ("deny", "allow"):
            task = await recorder.say("book the cheapest")
            asked = await recorder.until_asked(task)
            await recorder.look()
            await recorder.answer(asked, decision=decision)
            await recorder.until_ended(task)
        await recorder.look()


async def stop(recorder: Recorder) -> None:
    """A search that is stopped once both agents have found something."""
    async with recorder.following():
        flights = "direct flights under 200 euros from Berlin to Rome on 10 December"
        trip = f"{flights} and a 5 star hotel for 2 nights"
        task = await recorder.say(trip)
        await recorder.until_found(task, "flight", "hotel")
        await recorder.server.stop(USER)
        ended = await recorder.until(lambda event: event["type"] == "receipt")
        assert ended["task_id"] == task
        await recorder.look()


async def agent_stop(recorder: Recorder) -> None:
    """A search of which one agent is stopped once it has found something; the other goes on."""
    async with recorder.following():
        flights = "direct flights from Vienna to Graz on 10 December"
        task = await recorder.say(f"{flights} and a 5 star hotel for 2 nights")
        await recorder.until_found(task, "hotel")
        await recorder.server.call("POST", f"/stop/{USER}", json={"task_id": task, "agent": "hotel"})
        await recorder.until_ended(task)
        await recorder.look()


async def lost(recorder: Recorder) -> None:
    """A server that is killed while it searches, and started again."""
    async with recorder.following():
        task = await recorder.say("direct flights from Berlin to Lisbon on 10 December under 150 euros")
        await recorder.until_found(task, "flight")
        await recorder.server.kill()
    await recorder.server.start()
    async with recorder.following():
        await recorder.until_ended(task)
        again = await recorder.until(
            lambda event: event["task_id"] != task and event.get("status") == "completed"
        )
        assert again["message"]
        await recorder.look()


async def steering(recorder: Recorder) -> None:
    """Messages that steer: edited, taken in, withdrawn, sent now, merged, left for later, left over."""
    async with recorder.following():
        first = await recorder.say("Plan an offsite")
        await recorder.until_called(first, "search_venues")
        card, people = await recorder.steer("use my card"), await recorder.steer("We are 24")
        await recorder.change("PUT", card, message="use the company card", revision=0)
        await recorder.look()
        await recorder.until_steered(people, "taken_in")
        await recorder.until_called(first, "compare_prices")
        monday = await recorder.steer("Not on a Monday")
        await recorder.change("DELETE", monday)
        await recorder.look()
        train, hills = await recorder.steer("By train"), await recorder.steer("Near hills")
        await recorder.change("POST", f"{train}/now")
        await recorder.until_steered(hills, "merged")
        await recorder.look()
        second = train.partition(".")[0]
        await recorder.until_called(second, "check_dates")
        later = await recorder.steer("Plan another one later")
        await recorder.change("POST", f"{later}/later")
        await recorder.until_ended(second)
        third = later.partition(".")[0]
        await recorder.until_called(third, "search_venues")
        over = await recorder.steer("That is all for now")
        await recorder.server.stop(USER)
        await recorder.until_steered(over, "own_task")
        await recorder.until_ended(over.partition(".")[0])
        await recorder.look()


STORIES = {
    story.__name__: story
    for story in (search, interruption, question, booking, stop, agent_stop, lost, steering)
}
GRAPHS = {"steering": "tests.graphs.stepwise:graph"}


async def record(story: str) -> None:
    """Play a story on a server of its own and keep its log."""
    with tempfile.TemporaryDirectory() as folder:
        async with contextlib.AsyncExitStack() as stack:
            os.environ["STEPWISE_PACE_S"] = str(PACE_S)
            server = ServerProcess(Path(folder), demo_pace=PACE_S, graph=GRAPHS.get(story, ""))
            stack.push_async_callback(server.close)
            await server.start()
            recorder = Recorder(server)
            await STORIES[story](recorder)
    log = "\n".join([*recorder.lines(), ""])
    assert len(log.encode()) <= LARGEST_BYTES, f"{story} has {len(log.encode())} bytes"
    (LOGS / f"{story}.jsonl").write_text(log)


if __name__ == "__main__":
    for each in sys.argv[1:] or STORIES:
        asyncio.run(record(each))
