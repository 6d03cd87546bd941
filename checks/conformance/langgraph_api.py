"""Any server that speaks the LangGraph API, as the kit knows it: plain HTTP, and no client of anybody's.

A user is a thread. A task is a run, together with the runs that resume it when it is answered. Such a server
reports less than Detour does: `translated` reduces the table to that.
"""

import asyncio
import json
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx2

from backend.tasks.task_owner import TaskOwner
from checks.conformance import langgraph_terms
from checks.conformance.phases import Phase
from checks.conformance.server import Account, Entry, Event, Kept
from checks.conformance.table import Outcome

ANSWERS_WITHIN_S = 30.0
GRACE_S = 5.0
"""How long the readers of streams may take to notice that the server is gone."""

_MODES = ("updates", "custom", "messages-tuple")
_ENDED: Mapping[str, str] = {
    "success": "completed",
    "error": "failed",
    "timeout": "failed",
    "interrupted": "interrupted",
}
"""Our words for the statuses with which a run has ended."""


class Process(Protocol):
    """The server's process, which serves `checks.conformance.plain_graph:graph` and no other graph."""

    @property
    def name(self) -> str:
        """What it is; `{version}` becomes the version that `GET /info` tells."""
        ...

    @property
    def steers(self) -> bool:
        """Whether a message steers by `detour_policy` in the metadata, which is no part of the API."""
        ...

    @property
    def url(self) -> str:
        """Where it serves."""
        ...

    async def start(self, world: str) -> None:
        """Start it, or start it again on its data; return once it serves."""
        ...

    async def kill(self) -> None:
        """End it by SIGKILL."""
        ...

    async def close(self) -> None:
        """End it, and remove its data."""
        ...


@dataclass(slots=True)
class _Task:
    """A task of a thread: its first run, and the latest of those that resume it."""

    first: str
    run: str
    status: str = "running"
    asked: set[str] = field(default_factory=set[str])
    resumed: bool = False


@dataclass(slots=True)
class _Thread:
    """The state of one user: its tasks by their first run, and all their events.

    `steering` is the request with a message that steers, until its own run is known, or that it has none.
    """

    thread_id: str
    tasks: dict[str, _Task] = field(default_factory=dict[str, _Task])
    steering: Mapping[str, Any] | None = None
    told: list[Event] = field(default_factory=list[Event])
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, *events: Event) -> None:
        self.told.extend(events)
        self.changed.set()
        self.changed = asyncio.Event()


class LangGraphApi:
    """A `Server`: the process that is given to it, through the LangGraph API."""

    not_applicable = langgraph_terms.NOT_APPLICABLE
    unreported = langgraph_terms.UNREPORTED

    def __init__(self, process: Process) -> None:
        self._process = process
        self._threads: dict[str, _Thread] = {}
        self._followers = TaskOwner()
        self._assistant = ""
        self.described = process.name
        self.steers = process.steers
        # Every cell keeps a stream open, so the pool must not be the bound.
        limits = httpx2.Limits(max_connections=None, keepalive_expiry=1.0)
        self._http = httpx2.AsyncClient(timeout=ANSWERS_WITHIN_S, limits=limits, trust_env=False)

    def user(self, cell: str) -> str:
        """Return the thread of a cell: its id has to be a UUID."""
        return str(uuid.uuid5(uuid.NAMESPACE_OID, cell))

    def translated(self, phase: Phase, event: str, outcome: Outcome) -> Sequence[Outcome]:
        """Return an outcome in the terms of this API."""
        return langgraph_terms.translated(phase, event, outcome)

    async def start(self, world: str) -> None:
        """Start it, and follow again the runs that had not ended when it was killed."""
        await self._process.start(world)
        assistants = await self._http.post(self._at("assistants", "search"), json={})
        (served,) = assistants.raise_for_status().json()
        self._assistant = served["assistant_id"]
        self.described = self._process.name.format(version=(await self._get("info"))["version"])
        for thread in self._threads.values():
            for task in thread.tasks.values():
                if task.status == "running":
                    self._begin(self._follow(thread, task, self._replay(thread, task.run)))

    async def kill(self) -> None:
        """End its process."""
        await self._process.kill()
        await self._followers.finish(grace_s=GRACE_S)

    async def close(self) -> None:
        """End its process, and remove its data."""
        await self._process.close()
        await self._followers.finish(grace_s=GRACE_S)
        await self._http.aclose()

    async def send(self, user: str, message: str, *, wait_its_turn: bool = False) -> str:
        """POST /threads/{id}/runs/stream with a message."""
        if user not in self._threads:
            self._threads[user] = _Thread(user)
            given = {"thread_id": user, "if_exists": "do_nothing"}
            (await self._http.post(self._at("threads"), json=given)).raise_for_status()
        messages = [{"role": "user", "content": message}]
        thread = self._threads[user]
        run, events = await self._start_run(
            thread,
            input={"message": message, "user_id": user, "messages": messages},
            multitask_strategy="enqueue" if wait_its_turn else "interrupt",
        )
        thread.tasks[run] = task = _Task(run, run)
        self._begin(self._follow(thread, task, events))
        return run

    async def steer(self, user: str, message: str) -> str:
        """POST /threads/{id}/runs with a message that steers, by its metadata."""
        thread = self._threads[user]
        thread.steering = {
            "assistant_id": self._assistant,
            "stream_mode": _MODES,
            "input": {"messages": [{"role": "user", "content": message, "id": str(uuid.uuid4())}]},
            "metadata": {"detour_policy": "steer"},
        }
        return await self._send_steering(thread)

    async def _send_steering(self, thread: _Thread) -> str:
        """Send the message that steers, if there is one; return its own run, "" if it has none yet.

        Sent again under the same id it is the same message, and the answer says what became of it by now.
        """
        if thread.steering is None:
            return ""
        where = self._at("threads", thread.thread_id, "runs")
        answered = (await self._http.post(where, json=thread.steering)).raise_for_status().json()
        run, became = answered["run_id"], answered["metadata"]["detour_steer"]
        if became != "pending":
            thread.steering = None
        if became != "own_task":
            return ""
        if run not in thread.tasks:
            thread.tasks[run] = task = _Task(run, run)
            self._begin(self._follow(thread, task, self._replay(thread, run)))
        return run

    async def stop(self, user: str, task: str) -> Account | None:
        """POST /threads/{id}/runs/{id}/cancel; a run that has ended, or is not known any more, is let be."""
        thread = self._threads[user]
        where = self._at("threads", user, "runs", thread.tasks[task].run, "cancel")
        answered = await self._http.post(where, params={"wait": "true", "action": "interrupt"})
        if answered.status_code not in (404, 409):
            answered.raise_for_status()
        await self._note_open_questions(thread)
        return None

    async def fill_in(self, user: str, request: str, fields: Mapping[str, object]) -> None:
        """POST /threads/{id}/runs/stream with a command that resumes."""
        thread = self._threads[user]
        task = next(each for each in thread.tasks.values() if request in each.asked)
        task.run, events = await self._start_run(thread, command={"resume": fields})
        task.status, task.resumed = "running", True
        self._begin(self._follow(thread, task, events))

    async def allow(self, user: str, request: str) -> None:
        """Raise: the phases with permissions are not applicable."""
        raise NotImplementedError

    async def events(self, user: str) -> AsyncGenerator[Event, None]:
        """The events of the streams of the thread's runs."""
        thread = self._threads[user]
        at = 0
        while True:
            changed = thread.changed
            while at < len(thread.told):
                yield thread.told[at]
                at += 1
            await changed.wait()

    async def account(self, user: str, task: str) -> Account:
        """GET /threads/{id}/state: of a task that asked and was not answered, whether it still asks."""
        asked = self._threads[user].tasks[task]
        if not asked.asked or asked.resumed:
            return Account()
        still = asked.asked & await self._open_questions(user)
        return Account(input_request="open" if still else "withdrawn")

    async def kept_of(self, user: str, task: str) -> Kept:
        """GET /threads/{id}/runs/{id}/stream, once more from its start: what it found, and its text."""
        thread = self._threads[user]
        told = [
            event
            async for name, data in self._replay(thread, thread.tasks[task].run)
            for event in events_of(task, name, data)
        ]
        text = "".join(each.word for each in told if each.kind == "text")
        completed = thread.tasks[task].status == "completed"
        # The text of a task that has completed is its answer, which the conversation has.
        return Kept(found=sum(each.count for each in told), text="" if completed else text)

    async def history(self, user: str) -> list[Entry]:
        """GET /threads/{id}/state: the messages of the user, and of the model where they have a text."""
        roles = {"human": "user", "ai": "assistant"}
        return [
            Entry(role=roles[each["type"]], text=str(each["content"]))
            for each in (await self._state(user))["values"].get("messages", [])
            if each["type"] in roles and each["content"] and not each.get("tool_calls") and not _is_note(each)
        ]

    async def latest(self, user: str) -> str:
        """Return the task of the newest run: GET /threads/{id}/runs."""
        newest = (await self._get("threads", user, "runs", limit="1"))[0]["run_id"]
        tasks = self._threads[user].tasks
        return next((each.first for each in tasks.values() if each.run == newest), newest)

    async def _start_run(self, thread: _Thread, **given: Any) -> tuple[str, AsyncIterator[tuple[str, Any]]]:
        """Start a run; return its id and its events, whose iteration closes the response."""
        body = {
            "assistant_id": self._assistant,
            "stream_mode": _MODES,
            "stream_subgraphs": True,
            "stream_resumable": True,
            "on_disconnect": "continue",
            **given,
        }
        url = self._at("threads", thread.thread_id, "runs", "stream")
        request = self._http.build_request("POST", url, json=body, timeout=None)
        response = await self._http.send(request, stream=True)
        if response.is_error:
            await response.aread()
            response.raise_for_status()
        return response.headers["content-location"].rpartition("/")[2], frames(response)

    async def _replay(self, thread: _Thread, run: str) -> AsyncGenerator[tuple[str, Any], None]:
        """Yield the events of a run from its first one on, until it ends."""
        url = self._at("threads", thread.thread_id, "runs", run, "stream")
        async with self._http.stream("GET", url, headers={"last-event-id": "-1"}, timeout=None) as response:
            response.raise_for_status()
            async for frame in frames(response):
                yield frame

    async def _follow(self, thread: _Thread, task: _Task, events: AsyncIterator[tuple[str, Any]]) -> None:
        """Pass on the events of a run's stream, then its end."""
        # A process that is killed ends the stream; `start` follows it again.
        run = task.run
        with suppress(httpx2.TransportError):
            await self._tell(thread, task, events)
            while (status := await self._status(thread, run)) in ("pending", "running"):
                await self._tell(thread, task, self._replay(thread, run))
            if run != task.run:
                return  # it was answered meanwhile, and the run that resumes it tells how the task ends
            # A run that asks ends as a success: that it has asked says that the task is not over.
            asks = status == "success" and task.asked and not task.resumed
            self._set_status(thread, task, "input_required" if asks else _ENDED[status])
            await self._note_open_questions(thread)
            await self._send_steering(thread)

    async def _tell(self, thread: _Thread, task: _Task, events: AsyncIterator[tuple[str, Any]]) -> None:
        async for name, data in events:
            for event in events_of(task.first, name, data):
                if event.kind == "asked":
                    task.asked.add(event.word)
                thread.tell(event)

    async def _note_open_questions(self, thread: _Thread) -> None:
        """End each task that waited for an answer to a question which is no longer there."""
        waiting = [each for each in thread.tasks.values() if each.status == "input_required"]
        if waiting:
            there = await self._open_questions(thread.thread_id)
            for task in waiting:
                if task.status == "input_required" and not task.asked & there:
                    self._set_status(thread, task, "interrupted")

    def _set_status(self, thread: _Thread, task: _Task, status: str) -> None:
        task.status = status
        thread.tell(Event(kind="status", task=task.first, word=status))
        if status == "interrupted":
            thread.tell(Event(kind="settled", task=task.first))

    async def _status(self, thread: _Thread, run: str) -> str:
        return (await self._get("threads", thread.thread_id, "runs", run))["status"]

    async def _state(self, user: str) -> dict[str, Any]:
        return await self._get("threads", user, "state")

    async def _open_questions(self, user: str) -> set[str]:
        tasks = (await self._state(user))["tasks"]
        return {str(asked["id"]) for each in tasks for asked in each["interrupts"]}

    async def _get(self, *path: str, **params: str) -> Any:
        return (await self._http.get(self._at(*path), params=params)).raise_for_status().json()

    def _at(self, *path: str) -> str:
        return "/".join((self._process.url, *path))

    def _begin(self, following: Coroutine[Any, Any, None]) -> None:
        self._followers.spawn_detached(following, name="a run's stream")


async def frames(response: httpx2.Response) -> AsyncGenerator[tuple[str, Any], None]:
    """Yield the name and the data of each server-sent event; close the response at the end."""
    name = ""
    try:
        async for line in response.aiter_lines():
            kind, _, value = line.partition(": ")
            if kind == "event":
                name = value
            elif kind == "data":
                yield name, json.loads(value) if value else None
    finally:
        await response.aclose()


def _is_note(message: Mapping[str, Any]) -> bool:
    """Tell whether a message is the server's own, about an interruption, and not the model's."""
    return message.get("additional_kwargs", {}).get("detour", {}).get("kind") == "interruption"


def events_of(task: str, name: str, data: Any) -> list[Event]:
    """Return what one event of a run's stream tells; a subgraph's name follows the mode after a bar."""
    match name.partition("|")[0]:
        case "messages" if data[0]["type"] == "AIMessageChunk" and data[0]["content"]:
            return [Event(kind="text", task=task, word=data[0]["content"])]
        case "custom" if "found" in data:
            return [Event(kind="found", task=task, count=1)]
        case "custom" if data.get("type") == "partial_result":
            return [Event(kind="found", task=task, count=len(data["items"]))]
        case "custom" if data.get("type") == "steer":
            return [Event(kind="steered", task=task, word=data["steer"])]
        case "updates" if "__interrupt__" in data:
            return [Event(kind="asked", task=task, word=str(each["id"])) for each in data["__interrupt__"]]
        case _:
            return []
