"""Begins runs: with a message, with the answer to a question, or with the last message once more."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...domain.task import Policy
from ...errors import BadInput
from ...serving.services import Services
from ..agents import Agents
from ..ids import uuid_of
from ..thread.state import Run, ThreadState
from ..threads import Sent, Threads
from .branches import AFTER, ROLLED_BACK, Asked, branch_of, head_of, undone
from .checkpoints import Checkpoints
from .field_names import naming
from .index import Index, with_mark, with_run
from .resuming import Resuming
from .wire import POLICY, RunRequest, unknown_thread

_STRATEGIES: Mapping[Policy, str] = {"steer": "enqueue"}
"""What the API calls a policy that it does not know: a run of its own would begin after the one at work."""


_FIELDS = {
    "context": "context",
    "configurable": "config.configurable",
    "recursion_limit": "config.recursion_limit",
}
"""Where the API has what a message may bring for its run."""


class Begun(NamedTuple):
    """A run that a request has begun, or whose request came again, or that its message steers.

    Of a message that was sent to steer, `message_id` is its id if another run is to take it in, or has; and
    `steering` is what has become of it.
    """

    run: Run
    asked: Asked
    modes: Sequence[str]
    message_id: str | None = None
    steering: Mapping[str, Any] | None = None


class _Beginning(NamedTuple):
    text: str
    message_id: str | None
    given: Mapping[str, Any]
    after: str | None = None


def _steering(sent: Sent) -> Mapping[str, Any]:
    """Return what has become of a message that was sent to steer, as its run's metadata has it."""
    accepted = sent.accepted
    told: dict[str, Any] = {POLICY: accepted.policy}
    if accepted.steer is not None:
        told |= {"detour_steer": accepted.steer, "message_id": accepted.message_id}
    return told


class Starting:
    """Begins the runs that clients ask for."""

    def __init__(
        self, services: Services, threads: Threads, agents: Agents, index: Index, checkpoints: Checkpoints
    ) -> None:
        self._services = services
        self._threads = threads
        self._agents = agents
        self._index = index
        self._checkpoints = checkpoints
        self._resuming = Resuming(services, threads)

    async def begin(self, thread_id: str, request: RunRequest) -> Begun:
        """Begin a run, and note what was asked of it. Raises `DetourError`; then no run has begun."""
        agent = self._agents.named(request.assistant_id)
        state = await self._threads.state(thread_id)
        saved = await self._index.get(thread_id)
        if state is None and saved is None and not request.creates_thread:
            raise unknown_thread(thread_id)
        asked = await self._checkpoints.asked(thread_id, saved)
        noted: dict[str, Any] = {"modes": list(request.modes)}
        if request.metadata:
            noted["metadata"] = dict(request.metadata)
        policy = request.policy or self._services.policy
        strategy = "rollback" if request.rolls_back else _STRATEGIES.get(policy, policy)
        if strategy != "interrupt":
            noted["strategy"] = strategy
        sent: Sent | None = None
        if request.resume is not None:
            run = await self._resuming.resume(thread_id, state, request.resume, request.resume_fields)
        else:
            beginning = await self._beginning(thread_id, state, asked, request, agent)
            if beginning.after is not None:
                noted[AFTER] = beginning.after
            sent = await self._send(thread_id, beginning, request)
            run = sent.run
            active = state.active_run() if state is not None else None
            if request.rolls_back and active is not None and active.task_id != run.task_id:
                await self.roll_back(thread_id, active)
        # Of another message's run it is known what was asked of it, or nobody has asked here.
        is_own = sent is None or sent.accepted.steer is None or run.message_id == sent.accepted.message_id
        of_run = noted if is_own else None
        with_agent = {"graph_id": agent, "assistant_id": uuid_of(agent)}
        saved = await self._index.change(
            thread_id, lambda thread: with_run(thread, run.run_id, of_run, with_agent)
        )
        return Begun(
            run,
            await self._checkpoints.asked(thread_id, saved),
            request.modes,
            sent.steers if sent is not None else None,
            _steering(sent) if sent is not None and policy == "steer" else None,
        )

    async def _send(self, thread_id: str, beginning: _Beginning, request: RunRequest) -> Sent:
        with naming(lambda name: _FIELDS.get(name, request.id_field if name == "client_id" else name)):
            return await self._threads.send(
                thread_id,
                beginning.text,
                client_id=beginning.message_id,
                policy=request.policy,
                given=beginning.given or None,
            )

    async def roll_back(self, thread_id: str, run: Run) -> None:
        """Let later runs not show a run's message and what came of it."""
        await self._index.change(thread_id, lambda thread: with_mark(thread, run.run_id, ROLLED_BACK))

    # --- messages ------------------------------------------------------------------------------------

    async def _beginning(
        self, thread_id: str, state: ThreadState | None, asked: Asked, request: RunRequest, agent: str
    ) -> _Beginning:
        given: dict[str, Any] = dict(self._agents.given_for(agent))
        fork = None
        if request.checkpoint_id is not None and state is not None:
            fork = await self._checkpoints.fork(thread_id, state, asked, request.checkpoint_id)
            if fork is not None and fork.step_id is not None:
                given["checkpoint_id"] = fork.step_id
        if fork is None and state is not None:
            step_id = await self._before_rollback(thread_id, state, asked, request, agent)
            if step_id is not None:
                given["checkpoint_id"] = step_id
        text = request.text
        if text is None:
            text = self._last_message(state, asked, request, fork.after if fork is not None else None)
        if state is None or not state.requests or "checkpoint_id" in given:
            # What comes with values is read as a new message, never as the answer to an open question.
            given |= self._taken(agent, request)
        after = fork.after if fork is not None else None
        return _Beginning(text, request.message_id, given, after)

    async def _before_rollback(
        self, thread_id: str, state: ThreadState, asked: Asked, request: RunRequest, agent: str
    ) -> str | None:
        """Return the step to begin from without what was rolled back; None if nothing was."""
        gone = {*undone(state, asked)}
        active = state.active_run() if request.rolls_back else None
        if active is not None:
            gone.add(active.task_id)
        if not gone:
            return None
        # A run that came behind has begun without what was rolled back; its own message goes on with it.
        last = next(reversed(state.runs.values()))
        graph = self._agents.graph_of(agent) or ""
        return await self._checkpoints.before(thread_id, graph, gone, unless_newest=last.task_id not in gone)

    def _taken(self, agent: str, request: RunRequest) -> dict[str, Any]:
        """Return what of a request's values its graph takes; the rest is a parent's state, or another's."""
        graphs = self._services.graphs
        if graphs is None:
            return {}
        own = self._agents.graph_of(agent)
        view = next(each for each in graphs.views() if each["name"] == own)
        taken: dict[str, Any] = {}
        for name, values in (("input", request.fields), ("context", request.context)):
            known: Mapping[str, Any] = (view["input"] if name == "input" else view["context"]).get(
                "properties", {}
            )
            own = {key: value for key, value in values.items() if key in known and value is not None}
            if own:
                taken[name] = own
        if request.configurable:
            taken["configurable"] = dict(request.configurable)
        if request.recursion_limit is not None:
            taken["recursion_limit"] = request.recursion_limit
        return taken

    def _last_message(
        self, state: ThreadState | None, asked: Asked, request: RunRequest, after: str | None
    ) -> str:
        """Return the message that a request without one means: the last once more, from its checkpoint."""
        if not request.names_checkpoint or state is None or not state.runs:
            raise BadInput("input.messages: there is no message of the user in it.")
        if after is not None:
            for run in reversed(state.runs.values()):
                branch = branch_of(run, state, asked)
                following = (
                    branch[branch.index(after) + 1 :] if after in branch else branch if not after else ()
                )
                if following:
                    return state.runs[following[0]].message
        head = head_of(state, asked)
        if head is None:
            raise BadInput("input.messages: there is no message of the user in it.")
        return state.runs[head.task_id].message
