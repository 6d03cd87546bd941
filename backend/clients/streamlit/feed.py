"""Hearing the server: one thread per browser tab, which follows the events and puts them into a queue.

The thread touches nothing but its queue, so it needs no script context, and nothing of it can appear in
another user's page. Whoever draws the page takes out what has come. The thread ends by itself when nobody
has taken anything out for a while: that is all that can be seen of a closed tab from here.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import aclosing
from queue import Empty, SimpleQueue

from ..api import Refused, User
from ..follow import LONGEST_WAIT_S, Connection, Frame, Position, follow, position_after

ABANDONED_S = 120.0
"""How long nobody takes anything out until the tab counts as closed. A browser slows down hidden tabs."""
_LOOK_S = 0.2
"""How often the thread looks whether it is over. Nothing wakes it for a tab that is gone."""
_WANTS_TOKEN = "The server asks for a token: set DETOUR_TOKEN where Streamlit is started."


class Feed:
    """Follows a user's events from a position, or from a snapshot without one."""

    def __init__(
        self,
        user: User,
        position: Position | None,
        *,
        now: Callable[[], float] = time.monotonic,
        abandoned_s: float = ABANDONED_S,
    ) -> None:
        self._user = user
        self._position = position
        self._now = now
        self._abandoned_s = abandoned_s
        self._taken_at = now()
        self._heard: SimpleQueue[Frame | Connection] = SimpleQueue()
        self._closed = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._listen()), name=f"feed of {user.user_id}", daemon=True
        )
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether it still listens; not after `close`, nor when nobody took anything for too long."""
        return self._thread.is_alive() and not self._closed.is_set()

    def take(self) -> Iterator[Frame | Connection]:
        """Yield all that has come since the last time. Never waits."""
        self._taken_at = self._now()
        while True:
            try:
                yield self._heard.get_nowait()
            except Empty:
                return

    def close(self) -> None:
        """Let the thread end soon. It does not wait for it."""
        self._closed.set()

    async def _listen(self) -> None:
        async with asyncio.TaskGroup() as group:
            following = group.create_task(self._follow())
            while not self._closed.is_set():
                if self._now() - self._taken_at > self._abandoned_s:
                    self._closed.set()
                await asyncio.sleep(_LOOK_S)
            following.cancel()

    async def _follow(self) -> None:
        while True:
            try:
                async with aclosing(follow(self._user, self._position)) as events:
                    async for heard in events:
                        if not isinstance(heard, Connection):
                            self._position = position_after(heard, self._position)
                        self._heard.put(heard)
            except Refused as refused:
                sentence = _WANTS_TOKEN if refused.code == "unauthorized" else str(refused)
                self._heard.put(Connection(is_open=False, sentence=sentence))
            await asyncio.sleep(LONGEST_WAIT_S)  # whoever runs the server may let this client in later
