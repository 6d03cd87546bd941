"""The messages of one user that wait for the running task to take them in."""

from collections.abc import Iterable, Sequence

from ..domain.task import Task
from ..errors import Conflict, NotFound

MOST_STEERED = 10
"""Messages that one run takes in, those that wait included."""


class Pending:
    """Those of a conversation's queued tasks whose messages wait to be taken in; the `Inbox` of its runs.

    `held` has the ids of those about which something is being decided: by a run that has taken them in and
    has not yet recorded that, or by whoever holds the conversation and stores it. Nobody else may decide.
    """

    __slots__ = ("_queued", "held")

    def __init__(self, queued: list[Task]) -> None:
        self._queued = queued
        self.held: frozenset[str] = frozenset()  # takes no memory while nobody steers

    @property
    def waiting(self) -> list[Task]:
        """All of them, in order."""
        return [each for each in self._queued if each.steer == "pending"]

    @property
    def queued(self) -> list[Task]:
        """All tasks that have not had their turn, these messages included."""
        return self._queued

    @property
    def free(self) -> list[Task]:
        """Those about which anything may be decided, in order."""
        return [each for each in self.waiting if each.task_id not in self.held]

    def find(self, message_id: str) -> Task:
        """Return the free one of this message. Raises `NotFound`, and `Conflict` for one that is held."""
        for each in self.waiting:
            if each.message_id == message_id:
                if each.task_id in self.held:
                    raise Conflict("The message is being taken in.", code="not_pending")
                return each
        raise NotFound(f"No message {message_id!r} is pending.", code="unknown_message")

    def hold(self, messages: Iterable[Task]) -> None:
        """Keep messages from being decided about by anybody else."""
        self.held |= {each.task_id for each in messages}

    def revise(self, message: Task) -> None:
        """Put a revised message in the place of what it was."""
        self._queued[:] = [message if each.task_id == message.task_id else each for each in self._queued]

    # --- what a run does -----------------------------------------------------------------------------

    def take(self, graph: str | None) -> Sequence[Task]:
        """Take all that is free of what was meant for a graph, and hold it."""
        taken = [each for each in self.free if each.graph == graph]
        self.hold(taken)
        return taken

    def put_back(self, messages: Iterable[Task]) -> None:
        """Let go of messages: nothing was decided about them."""
        self.held -= {each.task_id for each in messages}

    def taken_in(self, messages: Iterable[Task]) -> None:
        """Take messages out of the queue: they have another place by now."""
        gone = {each.task_id for each in messages}
        self._queued[:] = [each for each in self._queued if each.task_id not in gone]
        self.held -= gone
