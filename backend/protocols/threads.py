"""The threads of a server: their agents, states and readers; messages, answers and stops sent to them."""

import asyncio
import hashlib
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import structlog

from ..conversation.accepted import Accepted
from ..conversation.answering import Decision
from ..domain.errors import DetourError, NotFound
from ..domain.task import Policy
from ..http.services import Services
from ..http.wire.requests import LONGEST_CLIENT_ID, USER_ID_PATTERN, policy_of
from .following import Following, run_with
from .thread.reading import ThreadReader
from .thread.state import Run, ThreadState

# --- ids of other protocols ----------------------------------------------------------------------------


_USER_ID = re.compile(USER_ID_PATTERN)


def user_of(thread_id: str) -> str:
    """Return the user of a thread: its id, or one derived from it where that can be no user's."""
    return thread_id if _USER_ID.fullmatch(thread_id) else _derived(thread_id)


def client_id_of(message_id: str) -> str:
    """Return the `client_id` of a message: its id, or one derived from it if that cannot be one."""
    plain = message_id.isprintable() and 0 < len(message_id) <= LONGEST_CLIENT_ID
    return message_id if plain else _derived(message_id)


def _derived(foreign_id: str) -> str:
    return "x-" + hashlib.sha256(foreign_id.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def uuid_of(name: str) -> str:
    """Return the fixed UUID of an agent's name."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"detour:{name}"))


# --- agents --------------------------------------------------------------------------------------------


class Agents:
    """The agents of a server: its graphs by name, the default's first, or the travel assistant.

    The only graph of a server is called by its module.
    """

    def __init__(self, services: Services) -> None:
        graphs = services.graphs
        self._graphs = {"travel": "travel"}
        if graphs is not None:
            named = dict.fromkeys((graphs.default, *graphs.names))
            alone = graphs.module if len(named) == 1 else ""
            self._graphs = {alone: graphs.default} if alone else {name: name for name in named}

    @property
    def names(self) -> Sequence[str]:
        """All names."""
        return (*self._graphs,)

    @property
    def default(self) -> str:
        """The agent of a message that names none."""
        return self.names[0]

    def knows(self, wanted: str | None) -> bool:
        """Return whether an agent has this name or UUID."""
        try:
            self.named(wanted)
        except NotFound:
            return False
        return True

    def named(self, wanted: str | None) -> str:
        """Return the agent of a name or of a UUID; `agent` is the default. Raises `NotFound`.

        The only graph of a server also has the name of its attribute.
        """
        for name in self.names:
            if wanted in {name, uuid_of(name)}:
                return name
        own = self.graph_of(self.default)
        if wanted in {None, "agent", own, uuid_of(own)}:
            return self.default
        raise NotFound(
            f"There is no assistant {wanted!r}; there are: {', '.join(self.names)}.", code="unknown_agent"
        )

    def graph_of(self, name: str) -> str:
        """Return the name of an agent among the graphs of the server."""
        return self._graphs[name]

    def given_for(self, name: str | None) -> dict[str, str]:
        """Return the fields with which a message reaches this agent; none unless there are several."""
        return {"graph": name} if name is not None and len(self._graphs) > 1 else {}


# --- threads -------------------------------------------------------------------------------------------


class Sent(NamedTuple):
    """A message that was accepted: the run that it begins, or steers, and the contract's answer to it.

    `steers` is its id if it was sent to steer a run, unless it is not known any more.
    """

    run: Run
    accepted: Accepted
    steers: str | None = None

    def following(self) -> Following:
        """Return how to follow its answer."""
        return Following(None if self.steers else self.run.run_id, message_id=self.steers)


class Threads:
    """All threads; a thread is a user, by its id."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def reader(self, user_id: str) -> ThreadReader:
        """Return a new reader of a thread, also of one without messages."""
        position = await self._services.store.position(user_id)
        epoch = position.epoch if position is not None else await self._services.conversations.epoch(user_id)
        return ThreadReader(self._services.store, self._services.log, user_id, epoch)

    async def state(self, user_id: str) -> ThreadState | None:
        """Return the present state of a thread, None for an unknown user. Raises `StoreUnavailable`."""
        if await self._services.store.position(user_id) is None:
            return None
        return await (await self.reader(user_id)).to_end()

    async def send(
        self,
        user_id: str,
        text: str,
        *,
        client_id: str | None = None,
        policy: Policy | None = None,
        given: Mapping[str, Any] | None = None,
        after_s: float | None = None,
    ) -> Sent:
        """Take a message; return its run, or that of its first sending. With `after_s` it begins later.

        Without a `policy` it does what the server's setting says.
        Raises as `AgentManager.handle_user_message` does, and `TooManyRequests`.
        """
        await self._services.admit_message(user_id, client_id)
        accepted = await self._services.conversations.handle_user_message(
            user_id,
            text,
            client_id=client_id,
            policy=policy_of(policy, self._services.policy, given),
            given=given,
            after_s=after_s,
        )
        if accepted.message_id is not None and accepted.steer is not None:
            return await self._steering(user_id, accepted, accepted.message_id)
        return Sent(await self._run_at(user_id, accepted.task_id, accepted.seq), accepted)

    async def answer(
        self,
        user_id: str,
        request_id: str,
        *,
        answer: Any = None,
        decision: Decision | None = None,
        note: str | None = None,
        page: Mapping[str, Any] | None = None,
    ) -> Run:
        """Take the answer to a question; return the run that it begins. Raises as `AgentManager.answer`."""
        await self._services.admit_answer(user_id)
        answered = await self._services.conversations.answer(
            user_id, request_id, answer=answer, decision=decision, note=note, page=page
        )
        return await self._run_at(user_id, answered["task_id"], answered["seq"])

    async def stop(self, user_id: str, run: Run) -> None:
        """Stop a run; does nothing if it has ended. Returns once it has settled, or after ten seconds."""
        if not run.ended:
            await self._services.conversations.stop(user_id, await self.task_at_work(user_id, run))

    async def task_at_work(self, user_id: str, run: Run) -> str:
        """Return the id of the task that works on a run: of its message, or of the message's last retry."""
        for task in await self._services.store.recent_tasks(user_id, limit=50):
            if run.task_id in (task.task_id, task.asked_in):
                return task.task_id
        return run.task_id

    async def _steering(self, user_id: str, accepted: Accepted, message_id: str) -> Sent:
        """Return the run that a steering message is in by now, or is for."""
        state = await (await self.reader(user_id)).to_end()
        message = state.messages.get(message_id) or state.pending.get(message_id)
        # It is gone if it was withdrawn, and its run may be too old to be known.
        run = run_with(message, state) if message is not None else state.run_of(accepted.task_id)
        if run is None:
            raise _unknown(accepted.task_id)
        # Of one that was just sent the events tell the rest, even if it is gone by now.
        return Sent(run, accepted, None if message is None and accepted.duplicate else message_id)

    async def _run_at(self, user_id: str, task_id: str, seq: int) -> Run:
        state = await (await self.reader(user_id)).to_end()
        run = state.run_at(task_id, seq)
        if run is None:
            raise _unknown(task_id)
        return run


def _unknown(task_id: str) -> NotFound:
    return NotFound(f"The run of the task {task_id!r} is not known any more.", code="unknown_task")


# --- disconnected clients ------------------------------------------------------------------------------
# Stops a run whose client has disconnected, where that is the client's only way to stop it.
#
# Some clients close the line just before they send the next message. So the run is stopped a moment later:
# a newer message that comes first supersedes it, and takes over its results.


LEAVE_S = 0.5
"""Seconds between the end of the line and the stop."""

_log = structlog.get_logger(__name__)


class Leaving:
    """The runs that are about to be stopped because their client has disconnected."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._threads = Threads(services)
        self._leaving: set[tuple[str, str]] = set()

    def is_leaving(self, user_id: str, run: Run) -> bool:
        """Return whether a run is about to be stopped: clients that have left expect to see it ended."""
        return (user_id, run.run_id) in self._leaving

    def show_as_ended(self, user_id: str, run_id: str) -> None:
        """Show a run as ended from now on: its client has stopped it, and reads the state at once.

        That lasts for `LEAVE_S`, by when the run has ended unless a write that has begun holds it up.
        """
        self._leaving.add((user_id, run_id))
        asyncio.get_running_loop().call_later(LEAVE_S, self._leaving.discard, (user_id, run_id))

    def leave(self, user_id: str, run_id: str, *, unless: Callable[[], bool]) -> None:
        """Stop a run soon, unless it has ended by then, or somebody has come back to it."""
        if (user_id, run_id) not in self._leaving:
            self._leaving.add((user_id, run_id))
            self._services.owner.spawn(self._stop(user_id, run_id, unless), name=f"leave {run_id}")

    async def _stop(self, user_id: str, run_id: str, unless: Callable[[], bool]) -> None:
        try:
            await asyncio.sleep(LEAVE_S)
            state = await self._threads.state(user_id)
            now = state.runs.get(run_id) if state is not None else None
            # A run that ended with a question leaves it open.
            if now is not None and not now.ended and not unless():
                await self._threads.stop(user_id, now)
        except DetourError as error:
            # Nobody waits for this stop. The task goes on, and its user still sees it work.
            _log.warning("cannot stop a run whose client has disconnected", reason=error.message)
        finally:
            self._leaving.discard((user_id, run_id))
