"""The events of one task, read from its user's log and told without a word of anybody.

A log may have megabytes of results in an event, and hundreds of thousands of events. So the first event of
the task is looked for by halves, a bounded number is read from there, and results are not decoded.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import orjson

from ...domain.clock import to_wire
from ...domain.events import StoredEvent
from ...domain.task import Task
from ...log.state_store.base import StateStore

MOST_READ = 2_000
"""Events of the user that are read: of this task, and of what was told between them."""

PAGE = 250

# Only numbers and strings without escapes precede these, in this order (`domain.events`).
_HEAD = re.compile(rb'\{"seq":(\d+),"type":"(\w+)","task_id":"([^"\\]*)","at":"([^"\\]*)"')
_STATUS = re.compile(rb',"status":"(\w+)","reason":(?:"(\w+)"|null)')
_AGENT = re.compile(rb',"agent":("(?:[^"\\]|\\.)*")')

_NAMED = {
    "agent_update": ("agent", "state"),
    "tool_update": ("tool", "state"),
    "input_request": ("agent", "kind"),
    "input_resolved": (None, "outcome"),
    "context_transfer": (None, "from_task_id"),
    "message": (None, "role"),
}
"""By type of event: the fields that name what it is about, and what that came to."""

_PROGRESS = frozenset({"text_delta", "partial_result"})
"""Types of events that say no more than that it goes on; so does an agent's update without a new state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskEvent:
    """One event, or several alike (`count`) while nothing but progress was made: what it is about, and what
    became of that.

    `told` are the fields of an `agent_update` or `input_resolved`.
    """

    seq: int
    at: str
    type: str
    about: str = ""
    state: str = ""
    count: int = 1
    told: Any = None


async def events_of(store: StateStore, task: Task) -> tuple[list[TaskEvent], bool]:
    """Return the events of a task that can be told, in order, and whether these are all.

    Raises `StoreUnavailable`.
    """
    position = await store.position(task.user_id)
    if position is None:
        return [], False
    after = await _before_first(store, task, position.seq)
    folded = _Folded()
    read, complete, more = 0, True, True
    while more and read < MOST_READ:
        page = await store.events_after(task.user_id, after, limit=PAGE)
        complete = complete and page.complete
        for event in _told_of(task, page.events):
            folded.add(event)
        read += len(page.events)
        more = page.more and bool(page.events) and not _is_past(task, page.events[-1])
        after = page.events[-1].seq if page.events else after
    return folded.events, complete and not more


class _Folded:
    """Events in order, with those that tell the same progress as one."""

    def __init__(self) -> None:
        self.events: list[TaskEvent] = []
        self._states: dict[str, str] = {}
        self._progress: dict[tuple[str, str, str], int] = {}

    def add(self, event: TaskEvent) -> None:
        """Add the next event, or count it where the same was told since something else happened."""
        key = event.type, event.about, event.state
        is_update = event.type == "agent_update"
        if event.type not in _PROGRESS and not (is_update and self._states.get(event.about) == event.state):
            self._progress.clear()
        elif key in self._progress:
            at = self._progress[key]
            self.events[at] = replace(self.events[at], count=self.events[at].count + 1, told=event.told)
            return
        if is_update:
            self._states[event.about] = event.state
        self._progress[key] = len(self.events)
        self.events.append(event)


async def _before_first(store: StateStore, task: Task, last: int) -> int:
    """Return the number of an event before which nothing of the task was told."""
    accepted_at = to_wire(task.created_at)
    low, high = 0, last
    while low < high:
        middle = (low + high) // 2
        page = await store.events_after(task.user_id, middle, limit=1)
        head = _HEAD.match(page.events[0].frame) if page.events else None
        if head is None or head[4].decode() >= accepted_at:
            high = middle
        else:
            low = max(middle + 1, page.events[0].seq)  # what is no longer stored is skipped at once
    return low


def _is_past(task: Task, event: StoredEvent) -> bool:
    """Tell whether nothing of a task comes after an event."""
    head = _HEAD.match(event.frame)
    return task.status.terminal and head is not None and head[4].decode() > to_wire(task.updated_at)


def _told_of(task: Task, events: tuple[StoredEvent, ...]) -> Iterator[TaskEvent]:
    for event in events:
        head = _HEAD.match(event.frame)
        if head is None or head[3].decode() != task.task_id:
            continue
        kind = head[2].decode()
        about, state, told = "", "", None
        if kind == "status_update" and (status := _STATUS.match(event.frame, head.end())):
            state = b": ".join(filter(None, status.groups())).decode()
        elif kind == "partial_result" and (agent := _AGENT.match(event.frame, head.end())):
            about = orjson.loads(agent[1])
        elif kind in _NAMED:
            fields = orjson.loads(event.frame)
            name, outcome = _NAMED[kind]
            about, state = fields[name] if name else "", fields[outcome]
            told = fields if kind in ("agent_update", "input_resolved") else None
        yield TaskEvent(seq=event.seq, at=head[4].decode(), type=kind, about=about, state=state, told=told)
