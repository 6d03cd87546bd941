"""One user in one browser tab: received events, outgoing messages and their answers.

Every method is short and is called while Streamlit handles a click or draws. All that a click changes is kept
here, in plain objects: Streamlit may abort a script at any access to its session state, also between a post
and the line that would have noted its answer.
"""

import asyncio
import secrets
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Literal, TypeVar

import httpx2

from ..api import (
    LONGEST_WAIT_S,
    Api,
    Connection,
    Position,
    Refused,
    Unreachable,
    User,
    follow,
    position_after,
)
from ..api import Frame as Event
from ..cli.narrator import INSTEAD_OF_STEERING
from ..story import Frame, Story, Task

# --- feed ----------------------------------------------------------------------------------------------
# One thread per browser tab follows the events and puts them into a queue.
#
# The thread touches nothing but its queue, so it needs no script context and cannot leak into another user's
# page. The script takes the events out when it draws. The thread ends by itself when nothing has been taken
# out for a while: a closed tab shows in no other way.


ABANDONED_S = 120.0
"""After how long without a read the tab counts as closed. A browser slows down hidden tabs."""
_LOOK_S = 0.2
"""How often the thread checks whether to end. Nothing wakes it for a closed tab."""
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
        self._heard: SimpleQueue[Event | Connection] = SimpleQueue()
        self._closed = threading.Event()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._listen()), name=f"feed of {user.user_id}", daemon=True
        )
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether it still listens; not after `close`, nor after a long time without a read."""
        return self._thread.is_alive() and not self._closed.is_set()

    def take(self) -> Iterator[Event | Connection]:
        """Yield everything since the last time. Never waits."""
        self._taken_at = self._now()
        while True:
            try:
                yield self._heard.get_nowait()
            except Empty:
                return

    def close(self) -> None:
        """Let the thread end soon, without waiting for it."""
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
            await asyncio.sleep(LONGEST_WAIT_S)  # the server may let this client in later


# --- conversation --------------------------------------------------------------------------------------


T = TypeVar("T")
Edition = tuple[int, int, bool]

TIMEOUT_S = 10.0
"""How long a click may take."""
RECEIPTS_TRIED = 3
"""How often a missing receipt is asked for: it exists once an interruption has settled."""


@dataclass(slots=True)
class Outgoing:
    """A message on its way; the `client_id` makes it safe to send again."""

    client_id: str
    text: str
    policy: Literal["interrupt", "steer"] = "interrupt"
    state: Literal["sending", "accepted", "unsent"] = "sending"
    error: str = ""


@dataclass(slots=True)
class Drawn:
    """A drawing of the whole page.

    `is_again` is true of one of an edition that was drawn before; `is_over` once all of it is drawn.
    """

    edition: Edition
    is_again: bool
    is_over: bool = False

    def is_stale(self, edition: Edition) -> bool:
        """Whether the whole page is to be drawn anew where this edition is known now.

        Each edition is drawn twice. Where a refresh is asked for just as a run of the script has ended, and
        its output still waits for Streamlit's event loop, Streamlit drops that output: it makes another
        `ScriptRunner`, and ignores what comes of the one before. News would be seen with the next news only.
        """
        return edition != self.edition or (self.is_over and not self.is_again)


class Conversation:
    """The state of a page, and the actions of its buttons."""

    def __init__(self, user: User, *, now: Callable[[], float] = time.monotonic) -> None:
        self.user = user
        self.story = Story()
        self.connection: Connection | None = None
        self.outbox: list[Outgoing] = []
        self.notice = ""
        self.takes_in = True
        """Whether the agent can be steered, as far as is known."""
        self.drawn: Edition | None = None
        self._changes = 0
        # Streamlit begins the next run of the script while the one before is on its way to where it stops:
        # a frame that one of them took out must not be heard after a later one that the other did.
        self._in_turn = threading.Lock()
        self._stopping = ""
        self._answered: set[str] = set()
        self._tried: dict[str, int] = {}
        self._verify = httpx2.create_ssl_context(trust_env=not user.is_on_this_machine)
        self._now = now
        self._position: Position | None = None
        self._feed = Feed(user, None, now=now)

    # --- events --------------------------------------------------------------------------------------

    def take_in(self) -> None:
        """Take in new events. Listens again if the feed had ended for want of a reader."""
        with self._in_turn:
            for heard in self._feed.take():
                if isinstance(heard, Connection):
                    self._changes += heard != self.connection
                    self.connection = heard
                else:
                    self._position = position_after(heard, self._position)
                    self.story.hear(heard, self._now())
            self.outbox = [item for item in self.outbox if not self._has_arrived(item)]
            if not self._feed.is_alive:
                self._feed = Feed(self.user, self._position, now=self._now)

    @property
    def edition(self) -> Edition:
        """Changes with everything outside the part of the page that refreshes itself."""
        return self.story.edition, self._changes, self.is_busy

    @property
    def is_busy(self) -> bool:
        """Whether news is to be expected soon."""
        return self.at_work is not None or bool(self.outbox)

    @property
    def at_work(self) -> Task | None:
        """The task that a stop would stop."""
        task = self.story.task_to_show
        return task if task is not None and task.is_active else None

    @property
    def is_stopping(self) -> bool:
        """Whether the active task was told to stop and has not ended yet."""
        return self.at_work is not None and self.at_work.task_id == self._stopping

    @property
    def requests(self) -> list[Frame]:
        """The unanswered requests, oldest first."""
        return [one for one in self.story.requests if one["request_id"] not in self._answered]

    def elapsed_s(self, task: Task) -> float:
        """Return the seconds since a task was first heard of here."""
        return max(0.0, self._now() - task.began_s)

    def receipt(self, task_id: str) -> Frame | None:
        """Return the receipt of an interrupted task; after a reload, from the server."""
        if task_id not in self.story.receipts and self._tried.get(task_id, 0) < RECEIPTS_TRIED:
            self._tried[task_id] = self._tried.get(task_id, 0) + 1
            try:
                self.story.receipts[task_id] = self._call(lambda api: api.receipt(task_id))
            except (Refused, Unreachable):
                return None
        return self.story.receipts.get(task_id)

    def close(self) -> None:
        """End the feed."""
        self._feed.close()

    # --- messages and answers ------------------------------------------------------------------------

    def say(self, text: str, *, steers: bool = False) -> None:
        """Send a message; if that fails it waits in the outbox to be sent again."""
        if text.strip():
            item = Outgoing(secrets.token_hex(8), text.strip(), "steer" if steers else "interrupt")
            with self._in_turn:
                self.outbox.append(item)
            self.say_again(item)

    def say_again(self, item: Outgoing) -> None:
        """Send a message that is in the outbox."""
        self.tell("")
        item.state, item.error = "sending", ""
        try:
            send = partial(Api.send, message=item.text, client_id=item.client_id, policy=item.policy)
            policy = self._call(send)["policy"]
            item.state = "accepted"
            if item.policy == "steer" and policy in INSTEAD_OF_STEERING:
                self.takes_in = False
                self.tell(INSTEAD_OF_STEERING[policy])
        except (Refused, Unreachable) as error:
            item.state, item.error = "unsent", str(error)

    def drop(self, item: Outgoing) -> None:
        """Remove an unsent message from the outbox."""
        with self._in_turn:
            self.outbox = [other for other in self.outbox if other is not item]

    def withdraw(self, message_id: str) -> None:
        """Withdraw a pending message."""
        self._try(lambda api: api.withdraw(message_id))

    def send_now(self, message_id: str) -> None:
        """Interrupt the active task with a pending message."""
        self._try(lambda api: api.now(message_id))

    def stop(self, task_id: str) -> None:
        """Stop a task of the server's; this script's own run has nothing to do with it."""
        self._stopping = task_id
        if not self._try(lambda api: api.stop(task_id), failed="Not stopped. "):
            self._stopping = ""

    def answer(self, request_id: str, answer: Mapping[str, Any]) -> None:
        """Answer a question."""
        if self._try(lambda api: api.answer(request_id, answer)):
            self._answered.add(request_id)

    def decide(self, request_id: str, decision: Literal["allow", "deny"]) -> None:
        """Allow or deny a permission."""
        if self._try(lambda api: api.decide(request_id, decision)):
            self._answered.add(request_id)

    def _try(self, call: Callable[[Api], Coroutine[Any, Any, Any]], *, failed: str = "") -> bool:
        """Make a call; return whether it succeeded, and show why it did not."""
        self.tell("")
        try:
            self._call(call)
        except (Refused, Unreachable) as error:
            self.tell(f"{failed}{error}")
            return False
        return True

    def _call(self, call: Callable[[Api], Coroutine[Any, Any, T]]) -> T:
        """Make a call on a loop of its own: two runs of the script may call at once."""

        async def once() -> T:
            is_near = self.user.is_on_this_machine
            async with httpx2.AsyncClient(
                timeout=TIMEOUT_S, verify=self._verify, trust_env=not is_near
            ) as http:
                return await call(Api(self.user, http))

        return asyncio.run(once())

    def tell(self, sentence: str) -> None:
        """Show a sentence until the next click; "" shows none."""
        self.notice, self.story.outcome = sentence, ""
        self._changes += 1

    def _has_arrived(self, item: Outgoing) -> bool:
        """Whether an accepted message is in the conversation by now."""
        return any(each.get("client_id") == item.client_id for each in self.story.messages)
