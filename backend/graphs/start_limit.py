"""Bounds the code of a graph that runs before the server serves: its module's import, and its factory."""

import contextlib
import os
import sys
import threading
from collections.abc import Generator

LAST_S = 5.0
"""Seconds that async code gets to end after its cancellation, before the process is ended."""


@contextlib.contextmanager
def ended_after(seconds: float, sentence: str) -> Generator[None]:
    """Write the sentence and end the process if the block has not ended after so many seconds.

    Plain code cannot be cancelled, and it holds up the only thread, which might never reach another signal
    or timeout. Nothing is lost: it runs before the data file is opened.
    """
    limit = threading.Timer(seconds, _give_up, [sentence])
    limit.daemon = True
    limit.start()
    try:
        yield
    finally:
        limit.cancel()


def _give_up(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()
    os._exit(1)
