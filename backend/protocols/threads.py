"""The threads of a server: reads and follows them; takes messages, answers and stops for them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..conversation.accepted import Accepted
from ..conversation.answering import Decision
from ..domain.task import Policy
from ..errors import NotFound
from ..serving.services import Services
from ..serving.wire.policy import policy_of
from .following import Following, run_with
from .thread.reading import ThreadReader
from .thread.state import Run, ThreadState


class Sent(NamedTuple):
    """A message that was accepted: the run that it begins, or steers, and the contract's answer to it.

    `steers` is its id if it was sent to steer what runs, unless nothing more is known of it.
    """

    run: Run
    accepted: Accepted
    steers: str | None = None

    def following(self) -> Following:
        """Return how to follow what comes of it."""
        return Following(None if self.steers else self.run.run_id, message_id=self.steers)


class Threads:
    """All threads; a thread is a user, by its id."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def reader(self, user_id: str) -> ThreadReader:
        """Return a new reader of a thread, also of one that nobody has written to yet."""
        position = await self._services.store.position(user_id)
        epoch = position.epoch if position is not None else await self._services.runner.epoch(user_id)
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
    ) -> "Sent":
        """Take a message; return what came of it, or of its first sending.

        Without a `policy` it does what the server's setting says.
        Raises as `AgentManager.handle_user_message` does, and `TooManyRequests`.
        """
        await self._services.admit_message(user_id, client_id)
        accepted = await self._services.runner.handle_user_message(
            user_id,
            text,
            client_id=client_id,
            policy=policy_of(policy, self._services.policy, given),
            given=given,
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
    ) -> Run:
        """Take the answer to a question; return the run that it begins. Raises as `AgentManager.answer`."""
        await self._services.admit_answer(user_id)
        answered = await self._services.runner.answer(
            user_id, request_id, answer=answer, decision=decision, note=note
        )
        return await self._run_at(user_id, answered["task_id"], answered["seq"])

    async def stop(self, user_id: str, run: Run) -> None:
        """Stop a run; does nothing if it has ended. Returns once it has settled, or after ten seconds."""
        if not run.ended:
            await self._services.runner.stop(user_id, await self.task_at_work(user_id, run))

    async def task_at_work(self, user_id: str, run: Run) -> str:
        """Return the id of the task that works on a run: of its message, or of the message's last retry."""
        for task in await self._services.store.recent_tasks(user_id, limit=50):
            if run.task_id in (task.task_id, task.asked_in):
                return task.task_id
        return run.task_id

    async def _steering(self, user_id: str, accepted: Accepted, message_id: str) -> Sent:
        """Return what came of a message that was to steer: the run that it is in by now, or is for."""
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
