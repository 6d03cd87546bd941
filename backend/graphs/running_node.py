"""Tells for which task and node of a graph an asyncio task runs, seen from another thread."""

import asyncio
from collections.abc import Callable, Sequence
from contextvars import Context
from typing import Any

from ..tasks.loop_watch import Running
from ..tasks.task_context import TaskContext
from ..tasks.user_threads import THREADS_OF
from .hosted_calls import NODE_CONTEXT
from .langgraph_internals import step_within


class RunningNodes:
    """Finds tasks by the context of an asyncio task; `of_user` returns a user's that have not settled yet."""

    def __init__(self, of_user: Callable[[str], Sequence[TaskContext]]) -> None:
        self._of_user = of_user

    def __call__(self, task: "asyncio.Task[Any]", context: Context | None) -> Running:
        """Return what an asyncio task runs for."""
        if context is None:
            return Running(None, "")
        node = context.get(NODE_CONTEXT)
        if node is not None:
            found = node.task
        else:
            # A tool that was declared is cut off from its node, and may work for two tasks of its user.
            of_user = self._of_user(context.get(THREADS_OF, ""))
            found = of_user[0] if len(of_user) == 1 else None
        return Running(found, " > ".join(step_within(context)))
