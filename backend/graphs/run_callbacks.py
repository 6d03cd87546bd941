"""What the callback handlers of a run have in common: LangChain calls them in the thread that they follow."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress

from langchain_core.callbacks import BaseCallbackHandler

from ..tasks.task_context import TaskContext, TooMuchShownError


class RunCallbacks(BaseCallbackHandler):
    """A handler for one run of one task's graph."""

    # In the thread of the call and in order: LangChain would otherwise take a thread for each token.
    run_inline = True
    # A task that shows too much fails at the piece that is too much, and not after the whole answer.
    raise_error = True

    def __init__(self, context: TaskContext) -> None:
        self._context = context
        self.loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()

    @property
    def ignore_chain(self) -> bool:
        """Whether starts and ends of nodes are passed over: those come with the run's stream."""
        return True

    @property
    def ignore_retriever(self) -> bool:
        """Whether retrievers are passed over."""
        return True

    @property
    def is_on_loop(self) -> bool:
        """Whether the caller runs on the event loop, and not in the thread of a plain node or tool."""
        return threading.get_ident() == self._thread

    def on_loop(self, call: Callable[[], None]) -> None:
        """Call at once on the event loop; from another thread, soon. What the task must not show is dropped.

        Raises what the call raises, on the event loop alone.
        """
        if self.is_on_loop:
            call()
        else:
            with suppress(RuntimeError):  # the loop is closed: the process is about to end
                self.loop.call_soon_threadsafe(_within_bounds, call)


def _within_bounds(call: Callable[[], None]) -> None:
    with suppress(TooMuchShownError):  # the context has noted it, which fails the task
        call()
