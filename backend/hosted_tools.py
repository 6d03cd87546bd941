"""What the nodes of a hosted graph may use of the server, and need not: text as it is made.

A node finds the run that it belongs to by itself. Where there is none, in a test or behind another server,
all of this does what can be done without one, so the graph runs there as well.
"""

from contextvars import ContextVar
from dataclasses import dataclass

from backend.task_context import TaskContext


@dataclass(frozen=True, slots=True)
class HostedRun:
    """The run of a hosted graph."""

    task: TaskContext


RUN: ContextVar[HostedRun | None] = ContextVar("hosted_run", default=None)
"""The run that this code belongs to; whatever a run starts, threads included, has it from there."""


def say(text: str) -> None:
    """Send a piece of the reply; nothing where no server listens.

    Raises `TooMuchShownError`, and `TypeError` for text that cannot be encoded.
    """
    run = RUN.get()
    if run is not None:
        run.task.say(text)
