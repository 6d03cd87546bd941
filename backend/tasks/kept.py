"""What is held in memory of a user's threads and store, as long as the conversation is: a run reads neither.

It is what the store holds, or will hold once it has written what it was given. Only the owner of a user
writes there, and only in the tenure of the conversation: so it is let go of with that, and whenever the
conversation is unloaded, since its user was deleted or something of it was dropped.
"""

from typing import Protocol

MOST_THREAD_BYTES = 4 * 1024 * 1024
"""The most that is held of one thread; a larger one is read back at the start of each run."""


class KeptThread(Protocol):
    """The newest step of a thread, in the form of its graphs."""

    @property
    def size(self) -> int:
        """Its bytes."""
        ...


class Kept:
    """What is held of one user: the newest step of each graph's thread, and the body of the user's store.

    What is not held has to be read. An empty body says that nothing is stored.
    """

    __slots__ = ("store", "threads")

    def __init__(self) -> None:
        self.threads: dict[str, KeptThread] = {}
        self.store: bytes | None = None

    def keep(self, graph: str, thread: KeptThread) -> None:
        """Hold the newest step of a thread in place of the one before, unless it is too large."""
        if thread.size <= MOST_THREAD_BYTES:
            self.threads[graph] = thread
        else:
            self.threads.pop(graph, None)

    @property
    def size(self) -> int:
        """The bytes of all of it."""
        return sum(each.size for each in self.threads.values()) + len(self.store or b"")
