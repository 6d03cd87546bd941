"""The ledger as the agents of one task use it: they call tools and read what became of their calls."""

from collections.abc import Collection, Sequence
from typing import TypeVar

from ..domain.tool_call import ToolCall
from ..tasks.ledger.base import Tool, WriteTool
from ..tasks.ledger.ledger import Ledger
from ..tasks.task_context import TaskContext
from .permission import with_permission

A = TypeVar("A")


class AgentTools:
    """The tools of one task's agents."""

    __slots__ = ("_ledger", "_task")

    def __init__(self, task: TaskContext, ledger: Ledger) -> None:
        self._task = task
        self._ledger = ledger

    @property
    def calls(self) -> Sequence[ToolCall]:
        """The task's calls, in the order they were made."""
        return tuple(self._task.tool_calls.values())

    async def read(self, agent: str, tool: Tool[A], arguments: A) -> ToolCall:
        """Run a tool that reads, and return the finished call; as `Ledger.call`."""
        return await self._ledger.call(self._task, agent, tool, arguments)

    async def write(self, agent: str, tool: WriteTool[A], arguments: A) -> ToolCall:
        """Run a tool that writes if the user allows it, and return the finished call; as `with_permission`.

        Asking ends the run of the node.
        """
        return await with_permission(self._task, self._ledger.writes, agent, tool, arguments)

    async def writes_at_rest(self, agent: str) -> None:
        """Wait until no write of the user is running, so that what is read next has its effect."""
        await self._ledger.writes.at_rest(self._task, agent)

    def adopt(self, keys: Collection[str]) -> None:
        """Take over the reads in progress, or still fresh, that the task turns out to ask for."""
        self._ledger.adopt(self._task, keys)

    async def calls_of(self, turn: int) -> Sequence[ToolCall]:
        """Return every call of the user's task of a turn as it is by now. Raises `StoreUnavailable`."""
        return await self._ledger.calls_of(self._task.user_id, turn)
