"""The state that a page shares with the agent: what is found, by which agents, and what was interrupted."""

from collections.abc import Iterable
from typing import Any

import orjson

from ..thread.state import Frame, Run, TaskState, ThreadState
from .events import patch

_OF_AN_EVENT = frozenset({"type", "seq", "task_id", "at", "agent"})


MOST_INTERRUPTED_BYTES = 1024 * 1024
"""The results of interrupted tasks in the state: the page sends the state back with each message."""


def task_of(run: Run, state: ThreadState) -> TaskState:
    """Return the task that works on a run: that of its message, or of the message's last retry."""
    of_run = (each for each in reversed(state.tasks.values()) if each.first_task_id == run.task_id)
    return next(of_run, None) or TaskState(run.task_id, run.task_id, status=_STATUS[run.status])


_STATUS = {
    "pending": "queued",
    "running": "running",
    "success": "completed",
    "error": "failed",
    "interrupted": "interrupted",
    "timeout": "interrupted",
}


def progress_of(frame: Frame) -> dict[str, Any]:
    """Return how far an agent is."""
    return {name: value for name, value in frame.items() if name not in _OF_AN_EVENT}


class SharedState:
    """The state as the page has it, so that each change can be sent alone.

    A patch that does not apply is dropped without a word: the list of an agent's results exists before its
    first element is added.
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def snapshot(self, task: TaskState, state: ThreadState) -> dict[str, Any]:
        """Return the whole state."""
        found = {agent: list(task.found.get(agent, ())) for agent in {**task.agents, **task.found}}
        self._counts = {agent: len(items) for agent, items in found.items()}
        return {
            "status": task.status,
            "partial_results": found,
            "agents": {agent: progress_of(frame) for agent, frame in task.agents.items()},
            "interrupted": _within_bounds(state.interrupted.values()),
        }

    def interrupted(self, state: ThreadState) -> bytes:
        """Return the change that another task's interruption makes."""
        return patch(("replace", ("interrupted",), _within_bounds(state.interrupted.values())))

    def changes(self, frame: Frame, task: TaskState) -> list[bytes] | None:
        """Return what an event changes; None if the page needs the whole state."""
        out: list[bytes] = []
        if frame["type"] == "status_update":
            out.append(patch(("replace", ("status",), task.status)))
        elif frame["type"] == "agent_update":
            agent = frame["agent"]
            out.append(patch(("add", ("agents", agent), progress_of(frame))))
            if agent not in self._counts and agent not in task.found:
                self._counts[agent] = 0
                out.append(patch(("add", ("partial_results", agent), [])))
        if any(len(task.found.get(agent, ())) < count for agent, count in self._counts.items()):
            return None  # a retry of the message begins with nothing
        for agent, items in task.found.items():
            count = self._counts.get(agent)
            self._counts[agent] = len(items)
            if count is None:
                out.append(patch(("add", ("partial_results", agent), list(items))))
            elif len(items) > count:
                new = items[count:]
                out.append(patch(*(("add", ("partial_results", agent, "-"), item) for item in new)))
        return out


def _within_bounds(interrupted: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the interrupted tasks, the oldest without their results where all would be too much."""
    shown: list[dict[str, Any]] = []
    size = 0
    for left in reversed([*interrupted]):
        size += len(orjson.dumps(left["partial_results"]))
        shown.append(left if size <= MOST_INTERRUPTED_BYTES else {**left, "partial_results": {}})
    return shown[::-1]
