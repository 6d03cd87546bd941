"""The entry to the core of one replica among several: sends a user's actions to the owner if that is another.

An action that cannot be carried out here becomes a command, which the owner carries out as if its client had
connected to the owner itself, in the order in which commands were stored. A command is repeated until it is
answered; an owner that lives carries it out once, and then repeats the reply until that is stored. If the
owner dies meanwhile, the user's next owner carries it out, or this replica does: perhaps for the second time.
A message is accepted once all the same, by its client id, and an answer counts once, since its question is
then closed: its sender may get the error that it was answered already. A stop that names a task changes
nothing the second time; one that names none stops the task that runs then, and a deletion deletes what has
come since.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

import structlog

from ..conversation.agent_manager import AgentManager
from ..conversation.conversation import Conversation
from ..domain.errors import WENT_WRONG, DetourError, ShuttingDown, StoreUnavailable
from ..store.ownership import Lease, LeaseEnded, OwnedElsewhere
from ..store.retry import until_available
from ..tasks.workflow import CALLER_TRACE
from .leases import Membership, ReplicaFigures
from .owners import (
    CARRIED_OUT,
    CarriedOut,
    NotWantedError,
    Owners,
    done_reply,
    read_command,
    read_reply,
    refused_reply,
    write_command,
)
from .postgres import Command, Hint, PostgresRegistry

TELL_WITHIN_S = 1.0
"""Seconds for which a replica that ends waits for the database to record it; a database may hang."""

RECOVERIES_AT_ONCE = 2
"""Batches of users that are recovered at once: one while the next is taken."""

T = TypeVar("T")
_log = structlog.get_logger(__name__)


class ForwardingManager(AgentManager):
    """Carries out the actions of users whom this replica owns, and sends others' to their owners."""

    registry: PostgresRegistry
    membership: Membership
    tally: ReplicaFigures

    def join(self, registry: PostgresRegistry, membership: Membership, *, lease_s: float) -> None:
        """Use this registry; to be called once, before anything else."""
        self.registry = registry
        self.membership = membership
        self._owners = Owners(registry, self._acquire_here, lease_s=lease_s, tally=self.tally)
        self._serving: set[str] = set()

    async def _perform(self, action: str, user_id: str, **said: Any) -> Any:
        """Carry out an action here, or have the owner do it. Cancelling the wait takes nothing back."""
        try:
            return await super()._perform(action, user_id, **said)
        except OwnedElsewhere as elsewhere:
            kind, body = write_command(action, said)
            command = Command(user_id, secrets.token_hex(8), kind, body, self.membership.replica)
            work = self._owners.ask(command, elsewhere.owner)
            reply = await self._runtime.owner.run_to_end(work, name=f"forward {kind} of {user_id}")
            return read_reply(action, reply)

    async def drain(self) -> None:
        """Drain as `AgentManager.drain` does; take over no users of other replicas."""
        await super().drain()
        await self.membership.drain()

    async def serve_again(self) -> None:
        """Serve again as `AgentManager.serve_again` does."""
        await super().serve_again()
        await self.membership.serve_again()

    @property
    def replica(self) -> str:
        """This replica's name; "" while it is not part of its cluster."""
        return self.membership.replica

    async def replicas(self) -> Sequence[str]:
        """Return the names of the replicas that are alive, this one included."""
        return await self.registry.replicas()

    async def leave(self) -> None:
        """Take over no more users, so that the other replicas take those that this one gives up.

        Never fails, and takes `TELL_WITHIN_S` at most: nothing may keep a server from ending.
        """
        if self._leaving:
            return
        await super().leave()
        try:
            async with asyncio.timeout(TELL_WITHIN_S):
                await self.membership.drain()
        except Exception as error:  # noqa: BLE001 - the tasks must be interrupted all the same
            _log.warning("the other replicas could not be told that this one ends", reason=str(error))

    async def close(self, *, grace_s: float) -> None:
        """End as `AgentManager.close` does; the other replicas take over its users."""
        await self.leave()
        await super().close(grace_s=grace_s)

    async def earliest_now(self) -> datetime:
        """Return the earlier of this machine's time and the database's. Raises `StoreUnavailable`.

        Aged turns are dropped for all replicas: a machine whose clock is ahead must not do it too early.
        """
        return min(await super().earliest_now(), await self.registry.now())

    async def epoch(self, user_id: str) -> str:
        """Return the stored, or promised, epoch of a user's log. Raises `StoreUnavailable`.

        The one in memory may be of a log that was deleted elsewhere since.
        """
        position = await self._runtime.store.position(user_id)
        return position.epoch if position else await self._runtime.store.new_epoch(user_id)

    def end_lease(self, lease: Lease) -> None:
        """Drop a user as `AgentManager.end_lease` does, and count it."""
        conversation = self.conversations.get(lease.user_id)
        if conversation is not None and conversation.lease == lease:
            self.tally.fenced()
        super().end_lease(lease)

    async def drop_taken(self, counted: Iterable[str]) -> None:
        """Drop the users whom another replica has taken, of those who rest here and those `counted` here.

        A task that rests keeps its user with no replica: whichever gets the answer claims the user, and this
        one hears nothing of it. Raises `StoreUnavailable`.
        """
        conversations = self.conversations
        resting = [each.user_id for each in conversations if each.resting is not None]
        known = {user_id: conversations.get(user_id) for user_id in (*resting, *counted)}
        # Those at work here find out by their fence.
        waiting = {user_id: each for user_id, each in known.items() if each is None or each.idle}
        if not waiting:
            return
        owned = await self.registry.owned([*waiting], self.replica)
        for user_id, conversation in waiting.items():
            if user_id in owned or conversations.get(user_id) is not conversation:
                continue
            if conversation is None:
                if not conversations.knows(user_id):  # else taken here meanwhile, and loaded soon
                    self._runtime.log.let_go(user_id)
            elif conversation.idle:
                conversations.end(conversation.lease)

    def _reclaim_asked(self, user_id: str) -> None:
        if user_id not in self.conversations.recovering:
            self.tally.reclaimed("asked")
        super()._reclaim_asked(user_id)

    async def with_conversation(
        self, user_id: str, step: Callable[[Conversation], Awaitable[T]], *, loaded: bool = True
    ) -> T:
        """Take a step as `AgentManager.with_conversation` does; for a command, only if it is still wanted.

        Raises `NotWantedError` if not.
        """
        carried = CARRIED_OUT.get()
        if carried is None:
            return await super().with_conversation(user_id, step, loaded=loaded)

        async def begin(conversation: Conversation) -> T:
            CARRIED_OUT.set(None)  # what the step starts goes on after the command
            carried.begun = True
            if not await self.registry.begin_command(carried.command, self.membership.replica):
                carried.begun = False
                raise NotWantedError
            return await step(conversation)

        # With the conversation locked: a command that still waits for its turn can be withdrawn.
        return await super().with_conversation(user_id, begin, loaded=loaded)

    async def _acquire_here(self, user_id: str) -> None:
        """Claim a user whose owner may have died or given the user up, and carry out the user's commands.

        Raises `OwnedElsewhere` and `StoreUnavailable`.
        """
        await self.with_conversation(user_id, _nothing)
        await self._serve(user_id)

    # --- as the owner --------------------------------------------------------------------------------

    def heard(self, hint: Hint) -> None:
        """Take a hint about a command: there is one for this replica, or a reply to one of its own."""
        if hint.kind == "command":
            self._serve_soon(hint.user_id)
        elif hint.kind == "reply":
            self._owners.heard(hint)

    async def reclaim_neglected(self) -> None:
        """Take over users whose owner has died, or has given them up, until there are none.

        One batch is recovered while the next is taken, so that a provider that does not answer delays few
        users; no more, so that several replicas share the users of a dead one. Raises `StoreUnavailable` once
        those taken are recovered. Cancelling this cancels their recovery.
        """
        self.conversations.mark_all_unused()
        failure: StoreUnavailable | None = None
        async with asyncio.TaskGroup() as group:
            recoveries: set[asyncio.Task[None]] = set()
            try:
                while await self.begin_recovery():
                    recoveries.add(group.create_task(self.recover_users(), name="recovery"))
                    if len(recoveries) == RECOVERIES_AT_ONCE:
                        _, recoveries = await asyncio.wait(recoveries, return_when=asyncio.FIRST_COMPLETED)
            except StoreUnavailable as error:
                failure = error  # raised here, it would cancel the recoveries
        if failure is not None:
            raise failure

    async def serve_waiting(self) -> None:
        """Carry out the commands of this replica's users whose hints were lost. Raises `StoreUnavailable`."""
        for user_id in await self.registry.waiting_commands(self.membership.replica):
            self._serve_soon(user_id)

    def _serve_soon(self, user_id: str) -> None:
        async def serve() -> None:
            try:
                await self._serve(user_id)
            except StoreUnavailable as error:
                _log.warning("commands could not be read yet", user_id=user_id, reason=error.message)

        self._runtime.owner.spawn_detached(serve(), name=f"serve {user_id}")

    async def _serve(self, user_id: str) -> None:
        """Begin to carry out a user's commands, in order, if this replica owns the user."""
        for command in await self.registry.commands_of(user_id):
            if command.command_id not in self._serving:
                self._serving.add(command.command_id)
                work = self._carry_out(command)
                self._runtime.owner.spawn_detached(work, name=f"{command.kind} of {user_id}")

    async def _carry_out(self, command: Command) -> None:
        carried = CarriedOut(command)
        CARRIED_OUT.set(carried)
        try:
            reply = await self._reply(command)
            # Only the reply is repeated, and not the action.
            answer = partial(self.registry.answer_command, command, reply)
            await until_available(answer, user_id=command.user_id)
            self.tally.commanded("carried_out")
        except NotWantedError:
            return
        except (OwnedElsewhere, LeaseEnded, ShuttingDown, StoreUnavailable):
            # The user's owner of then finds the command where it is; else it is repeated.
            if carried.begun:
                release = partial(self.registry.release_command, command, self.membership.replica)
                await until_available(release, user_id=command.user_id)
        finally:
            self._serving.discard(command.command_id)

    async def _reply(self, command: Command) -> bytes:
        """Carry out a command, and return the reply to it.

        Raises errors after which the user's owner of then, or this replica a moment later, may succeed.
        """
        try:
            try:
                action, said = read_command(command.kind, command.body)
            except StoreUnavailable as error:
                return refused_reply(error)
            if action == "message":
                # Always: the command may be carried out in the context of another request.
                CALLER_TRACE.set(said.pop("traceparent", None))
            return done_reply(await super()._perform(action, command.user_id, **said))
        except (OwnedElsewhere, LeaseEnded, StoreUnavailable, NotWantedError):
            raise
        except ShuttingDown as error:
            if self._runtime.interruptions.shutting_down:
                raise
            return refused_reply(error)  # one that is drained stays the owner
        except DetourError as error:
            return refused_reply(error)
        except Exception:  # noqa: BLE001 - unanswered, it would be carried out again and again
            _log.exception("a command failed", kind=command.kind, user_id=command.user_id)
            return refused_reply(DetourError(WENT_WRONG))


async def _nothing(_conversation: Conversation) -> None:
    return
