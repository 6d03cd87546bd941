"""What stands behind the interruption core: something that reads a message and runs a task for it.

The travel graph is one workflow, any other LangGraph graph another; the core knows neither.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from backend.task_context import TaskContext

Manner = Literal["interrupt", "beside", "stop"]
"""How a message meets a running task: it takes its place, is answered beside it, or only ends it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A message, read against what was asked for before it.

    `request` is what is asked for now, JSON-ready: it is stored with the task, and handed back as `previous`
    when the next message is read. `carried` and `dropped` name the parts that were and were not taken over.
    """

    relation: str | None = None
    manner: Manner = "interrupt"
    request: Mapping[str, Any] | None = None
    carried: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


class Workflow(Protocol):
    """Answers messages."""

    def read(self, message: str, previous: Mapping[str, Any] | None, *, unfinished: bool) -> Reading:
        """Read a message; pure and quick (milliseconds), since it is done before the message is accepted.

        `previous` is the request before it; `unfinished` tells that its task was, or now will be, cut short.
        """
        ...

    async def run(self, context: TaskContext) -> str:
        """Work on the task and return the reply.

        It is run in an asyncio task of its own, which is cancelled once where the task is interrupted;
        whatever it raises fails the task, and what it had published is kept.
        """
        ...
