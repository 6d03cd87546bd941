"""The entry to the core of one replica among several: asks a user's owner where that is another one.

What cannot be decided here becomes a command, which the owner carries out in the order in which commands
were left, as if its client had come to the owner itself. A command is repeated until it is answered; an
owner that lives carries it out once, and then answers until that is stored. The owner may die meanwhile, and
then who has the user next carries it out, or this replica does: perhaps for the second time. A message is
accepted once all the same, by its client id, and an answer counts once, since its question is then closed:
its sender may be told that it was answered already. A stop that names a task changes nothing the second
time; one that names none stops what runs by then, and a deletion deletes what has come since.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, TypeVar, cast

import orjson
import structlog

from ..conversation.accepted import Accepted
from ..conversation.agent_manager import AgentManager
from ..conversation.answering import AnsweredAnswer, Decision
from ..conversation.conversation import Conversation
from ..conversation.conversations import Conversations
from ..conversation.steering import Change, PendingAnswer
from ..conversation.stopping import StoppedAgentAnswer
from ..domain.encoding import encode
from ..domain.errors import WENT_WRONG, DetourError, ShuttingDown, StoreUnavailable
from ..domain.task import DEFAULT_PRIORITY, Policy, StoppedBy, TaskStatus
from ..store.codec import saved_thread_from_json, to_json
from ..store.event_log import EventLog
from ..store.ownership import OwnedElsewhere, Tenure, TenureEnded
from ..store.records import Record
from ..store.retry import until_available
from ..store.threads import SavedThread
from ..tasks.workflow import CALLER_TRACE
from .leases import Command, Hint, Membership, Registry, Tally, Uncounted
from .owners import (
    CARRIED_OUT,
    CarriedOut,
    NotWantedError,
    Owners,
    done_reply,
    read_accepted,
    read_command,
    refused_reply,
)

# --- taken elsewhere -----------------------------------------------------------------------------------
# Forgets the users whom another replica has taken while they were only waited for here.
#
# A task that has asked, and rests, keeps its user with no replica: whichever gets the answer claims the
# user. The replica where the task rested is told nothing, and writes nothing that could be refused: so it
# looks.


async def forget_taken(
    conversations: Conversations, log: EventLog, registry: Registry, replica: str, counted: Iterable[str]
) -> None:
    """Drop whom a replica does not own any more, of those who rest here or are counted here.

    Raises `StoreUnavailable`.
    """
    resting = [each.user_id for each in conversations if each.resting is not None]
    known = {user_id: conversations.get(user_id) for user_id in (*resting, *counted)}
    # Of whoever is at work here the fence tells.
    waiting = {user_id: each for user_id, each in known.items() if each is None or each.idle}
    if not waiting:
        return
    owned = await registry.owned([*waiting], replica)
    for user_id, conversation in waiting.items():
        if user_id in owned or conversations.get(user_id) is not conversation:
            continue
        if conversation is None:
            if not conversations.knows(user_id):  # else taken here meanwhile, and loaded soon
                log.let_go(user_id)
        elif conversation.idle:
            conversations.end(conversation.tenure)


# --- forwarding ----------------------------------------------------------------------------------------


TELL_WITHIN_S = 1.0
"""Seconds for which a replica that ends waits for the database to note it; a database may hang."""

RECOVERIES_AT_ONCE = 2
"""Lots of users that are recovered at once: some while the next are taken, so that nothing idles between."""

T = TypeVar("T")
_log = structlog.get_logger(__name__)


class ForwardingManager(AgentManager):
    """Decides for the users whom this replica owns, and asks the owners of the others."""

    registry: Registry
    membership: Membership
    lease_s: float
    tally: Tally = Uncounted()

    def join(self, registry: Registry, membership: Membership, *, lease_s: float) -> None:
        """Use this registry; to be called once, before anything else."""
        self.registry = registry
        self.membership = membership
        self.lease_s = lease_s
        self._owners = Owners(registry, self._take_here, lease_s=lease_s, tally=self.tally)
        self._serving: set[str] = set()

    # --- what users do -------------------------------------------------------------------------------

    async def handle_user_message(
        self,
        user_id: str,
        message: str,
        *,
        policy: Policy = "interrupt",
        priority: int = DEFAULT_PRIORITY,
        client_id: str | None = None,
        task_id: str | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> Accepted:
        """Accept a message, here or at the user's owner."""
        accept = super().handle_user_message
        body = {
            "message": message,
            "policy": policy,
            "priority": priority,
            # One of our own where the client has none: a message that is carried out twice must count once.
            "client_id": client_id or f"forwarded-{secrets.token_hex(8)}",
            "given": given,
            "traceparent": CALLER_TRACE.get(),
        }
        if policy == "steer":
            body["task_id"] = task_id
        answer = await self._here_or_there(
            user_id,
            # A kind of its own: an owner of an earlier release would have it interrupt.
            "steer" if policy == "steer" else "message",
            body,
            lambda: accept(
                user_id,
                message,
                policy=policy,
                priority=priority,
                client_id=client_id,
                task_id=task_id,
                given=given,
            ),
        )
        return answer if isinstance(answer, Accepted) else read_accepted(answer)

    async def answer(
        self,
        user_id: str,
        request_id: str,
        *,
        answer: Any = None,
        decision: Decision | None = None,
        note: str | None = None,
    ) -> AnsweredAnswer:
        """Answer a question, here or at the user's owner."""
        take = super().answer
        body = {"request_id": request_id, "answer": answer, "decision": decision, "note": note}
        answered = await self._here_or_there(
            user_id,
            "answer",
            body,
            lambda: take(user_id, request_id, answer=answer, decision=decision, note=note),
        )
        return cast("AnsweredAnswer", {**answered, "status": TaskStatus(answered["status"])})

    async def change_pending(
        self,
        user_id: str,
        message_id: str,
        how: Change,
        *,
        text: str | None = None,
        revision: int | None = None,
    ) -> PendingAnswer:
        """Decide about a message that is to steer, here or at the user's owner."""
        change = super().change_pending
        body = {"message_id": message_id, "how": how, "text": text, "revision": revision}
        return await self._here_or_there(
            user_id,
            "change_pending",
            body,
            lambda: change(user_id, message_id, how, text=text, revision=revision),
        )

    async def stop(
        self,
        user_id: str,
        task_id: str | None = None,
        *,
        by: StoppedBy | None = None,
        withdraws: bool = False,
    ) -> bytes | None:
        """Stop a task, here or at the user's owner."""
        stop = super().stop
        body: dict[str, Any] = {"task_id": task_id} | ({} if by is None else {"by": by})
        if withdraws:
            body["withdraws"] = True
        stopped = await self._here_or_there(
            user_id, "stop", body, lambda: stop(user_id, task_id, by=by, withdraws=withdraws)
        )
        return encode(stopped) if stopped is not None and not isinstance(stopped, bytes) else stopped

    async def stop_agent(
        self, user_id: str, agent: str, task_id: str | None = None
    ) -> StoppedAgentAnswer | None:
        """Stop an agent, here or at the user's owner."""
        stop = super().stop_agent
        body = {"agent": agent, "task_id": task_id}
        return await self._here_or_there(user_id, "stop_agent", body, lambda: stop(user_id, agent, task_id))

    async def delete_user(self, user_id: str) -> None:
        """Delete everything about a user, here or at the user's owner."""
        delete = super().delete_user
        await self._here_or_there(user_id, "delete", {}, lambda: delete(user_id))

    async def keep(self, user_id: str, record: Record) -> None:
        """Store a thread of the index, here or at the user's owner."""
        if not isinstance(record, SavedThread):
            raise TypeError(f"a {type(record).__name__} is kept with a task alone")
        keep = super().keep
        body = {"thread": orjson.loads(to_json(record))}
        await self._here_or_there(user_id, "keep", body, lambda: keep(user_id, record))

    async def last_request(self, user_id: str) -> Mapping[str, Any] | None:
        """Return the request that a user's next message is read after, from here or from the owner."""
        read = super().last_request
        return await self._here_or_there(user_id, "last_request", {}, lambda: read(user_id))

    async def drain(self) -> None:
        """Drain as `AgentManager.drain` does; take over nobody who is left elsewhere."""
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
        """Take over nobody from now on, so that the others take over whom this replica gives up.

        Never fails, and takes `TELL_WITHIN_S` at most: nothing may keep a server from ending.
        """
        if self._leaving:
            return
        await super().leave()
        try:
            async with asyncio.timeout(TELL_WITHIN_S):
                await self.membership.drain()
        except Exception as error:  # noqa: BLE001 - the tasks must be interrupted all the same
            _log.warning("the other replicas could not be told of the end", reason=str(error))

    async def close(self, *, grace_s: float) -> None:
        """End as `AgentManager.close` does; the other replicas take over what is given up."""
        await self.leave()
        await super().close(grace_s=grace_s)

    async def earliest_now(self) -> datetime:
        """Return the time by this machine's clock or the database's. Raises `StoreUnavailable`.

        What is aged is deleted for all replicas: a machine whose clock is ahead must not do it too early.
        """
        return min(await super().earliest_now(), await self.registry.now())

    async def epoch(self, user_id: str) -> str:
        """Return the epoch that is stored, or promised, of a user's log. Raises `StoreUnavailable`.

        What is in memory may be of a log that was deleted elsewhere since.
        """
        position = await self._runtime.store.position(user_id)
        return position.epoch if position else await self._runtime.store.new_epoch(user_id)

    def end_tenure(self, tenure: Tenure) -> None:
        """Let go of a user as `AgentManager.end_tenure` does, and count it."""
        conversation = self.conversations.get(tenure.user_id)
        if conversation is not None and conversation.tenure == tenure:
            self.tally.let_go()
        super().end_tenure(tenure)

    async def forget_taken(self, counted: Iterable[str]) -> None:
        """Forget whom another replica has taken from here, of these and those who rest. As `forget_taken`."""
        await forget_taken(self.conversations, self._runtime.log, self.registry, self.replica, counted)

    def _take_over_asked(self, user_id: str) -> None:
        if user_id not in self.conversations.recovering:
            self.tally.took_over("asked")
        super()._take_over_asked(user_id)

    async def with_conversation(
        self, user_id: str, step: Callable[[Conversation], Awaitable[T]], *, loaded: bool = True
    ) -> T:
        """Take a step as `AgentManager.decide` does; for a command, only if its sender still waits for it.

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

        # With the conversation held: a command that still waits for its turn can be withdrawn.
        return await super().with_conversation(user_id, begin, loaded=loaded)

    # --- asking the owner ----------------------------------------------------------------------------

    async def _here_or_there(
        self, user_id: str, kind: str, body: Mapping[str, Any], here: Callable[[], Awaitable[Any]]
    ) -> Any:
        """Do something here, or have the owner do it. Cancelling the wait takes nothing back."""
        try:
            return await here()
        except OwnedElsewhere as elsewhere:
            command = Command(user_id, secrets.token_hex(8), kind, encode(body), self.membership.replica)
            work = self._owners.ask(command, elsewhere.owner)
            return await self._runtime.owner.run_to_end(work, name=f"forward {kind} of {user_id}")

    async def _take_here(self, user_id: str) -> None:
        """Claim a user whose owner may have died, or has given them up, and carry out what was left for it.

        Raises `OwnedElsewhere` and `StoreUnavailable`.
        """
        await self.with_conversation(user_id, _nothing)
        await self._serve(user_id)

    # --- as the owner --------------------------------------------------------------------------------

    def heard(self, hint: Hint) -> None:
        """Take a hint about a command: that one was left for this replica, or that its own has a reply."""
        if hint.kind == "command":
            self._runtime.owner.spawn_detached(
                self._serve_quietly(hint.user_id), name=f"serve {hint.user_id}"
            )
        elif hint.kind == "reply":
            self._owners.heard(hint)

    async def take_over_neglected(self) -> None:
        """Take over users whose owner has died, or has given them up, until there are none.

        A few are recovered while the next are taken, so that one whose provider does not answer keeps few
        waiting; no more, so that several processes share those of a dead one. Raises `StoreUnavailable` once
        those taken are recovered. Cancelling this cancels their recovery.
        """
        self.conversations.vacate_all()
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
            self._runtime.owner.spawn_detached(self._serve_quietly(user_id), name=f"serve {user_id}")

    async def _serve_quietly(self, user_id: str) -> None:
        try:
            await self._serve(user_id)
        except StoreUnavailable as error:
            _log.warning("commands could not be read yet", user_id=user_id, reason=error.message)

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
            # Not from the start if that fails: what was done once would be done again.
            answer = partial(self.registry.answer_command, command, reply)
            await until_available(answer, user_id=command.user_id)
            self.tally.commanded("carried_out")
        except NotWantedError:
            return
        except (OwnedElsewhere, TenureEnded, ShuttingDown, StoreUnavailable):
            # Whoever owns the user by now finds the command where it is; else it is repeated.
            if carried.begun:
                release = partial(self.registry.release_command, command, self.membership.replica)
                await until_available(release, user_id=command.user_id)
        finally:
            self._serving.discard(command.command_id)

    async def _reply(self, command: Command) -> bytes:
        """Do what a command says, and return what its sender is told: what a local caller would be.

        Raises what whoever owns the user by then, or this replica a moment later, may do better.
        """
        try:
            said = read_command(command.kind, command.body)
        except StoreUnavailable as error:
            return refused_reply(error)
        try:
            return done_reply(await self._do(command, said))
        except (OwnedElsewhere, TenureEnded, StoreUnavailable, NotWantedError):
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

    async def _do(self, command: Command, body: dict[str, Any]) -> Any:
        """Do what a command says, as the owner; raises `OwnedElsewhere` if this replica is not."""
        user_id = command.user_id
        match command.kind:
            case "message" | "steer":
                # Always: what carries this out may run where another request is being served.
                CALLER_TRACE.set(body.pop("traceparent", None))
                return (await super().handle_user_message(user_id, **body)).to_wire()
            case "answer":
                return await super().answer(user_id, **body)
            case "change_pending":
                return await super().change_pending(user_id, **body)
            case "stop":
                receipt = await super().stop(user_id, **body)
                return None if receipt is None else orjson.loads(receipt)
            case "stop_agent":
                return await super().stop_agent(user_id, **body)
            case "delete":
                return await super().delete_user(user_id)
            case "keep":
                return await super().keep(user_id, saved_thread_from_json(orjson.dumps(body["thread"])))
            case _:
                return await super().last_request(user_id)


async def _nothing(_conversation: Any) -> None:
    return
