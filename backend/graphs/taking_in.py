"""Has a run take in the messages that are to steer it, each at the first boundary where that is safe.

A boundary is where all nodes of a step have ended and the next step has not begun. It is safe if the next
step asks a model, so that somebody reads the message; if no tool call is open, since providers refuse a
message between a call and its result; and if the graph does not stop there to ask its user. The message is
one more write of the step, and stored with it in one transaction; nothing is cancelled or begun anew.

`PregelLoop.after_tick` is the one place where all of that is known, and it is private (langgraph 1.2.22).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import structlog
from langchain_core.messages import HumanMessage

from ..domain.task import Task
from ..log.state_store.records import Record
from ..tasks.inbox import Inbox
from ..tasks.task_context import TaskContext
from .langgraph_internals import Boundary
from .said_before import open_calls

_log = structlog.get_logger(__name__)


class TakingIn:
    """Takes messages into the `channel` of one run. `asks_model` tells whether a node asks a model."""

    def __init__(
        self, context: TaskContext, inbox: Inbox, *, channel: str, asks_model: Callable[[str], bool]
    ) -> None:
        self._context = context
        self._inbox = inbox
        self._channel = channel
        self._asks_model = asks_model
        self._taken: Sequence[Task] = ()
        self._nodes: Sequence[str] = ()

    def at(self, boundary: Boundary) -> None:
        """Take in what waits, if this boundary is safe. Never raises for what waits."""
        if self._context.closed or not self._inbox.waiting or self._taken:
            return
        following = boundary.following
        if not any(map(self._asks_model, following)) or boundary.stops_before(following):
            return
        said: Any = boundary.value(self._channel)
        if not isinstance(said, list) or open_calls(said):  # pyright: ignore[reportUnknownArgumentType]
            return
        taken = self._inbox.take()
        messages = [_as_said(each, said) for each in taken]  # pyright: ignore[reportUnknownArgumentType]
        try:
            boundary.value(self._channel, messages)
        except Exception as error:  # noqa: BLE001 - a reducer of the graph's own: the run goes on without
            _log.warning("a graph refuses to take a message in", reason=str(error))
            self._inbox.put_back(taken)
            return
        boundary.write(self._channel, messages)
        # It is answered by steps that the run had not counted on.
        boundary.grant_steps()
        self._taken, self._nodes = taken, boundary.nodes

    def records(self) -> list[Record]:
        """Return what is to be stored with the step, which is about to be: from now on it is taken in."""
        taken, self._taken = self._taken, ()
        if not taken:
            return []
        records = self._context.take_in(taken, self._nodes)
        self._inbox.taken_in(taken)
        return records

    def end(self) -> None:
        """Give back what was taken, if the run ends before the step was stored."""
        self._inbox.put_back(self._taken)
        self._taken = ()


def _as_said(task: Task, said: Sequence[Any]) -> Any:
    """Return a message in the form of those before it."""
    if said and isinstance(said[-1], Mapping):
        return {"role": "user", "content": task.message, "id": task.message_id}
    return HumanMessage(task.message, id=task.message_id)
