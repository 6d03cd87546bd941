"""Begins runs: with a message, with an answer, with the last message once more, or from a state alone."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from ...domain.errors import BadInput, Conflict
from ...domain.questions import DECISION_SCHEMA
from ...domain.task import Policy
from ..answers import Answer, arguments, naming_fields
from ..bodies import naming
from ..thread.state import Frame, Run, ThreadState
from ..threads import Sent, uuid_of
from .api import Api
from .checkpoints import Fork, with_mark, with_run
from .state_writes import StateWrites
from .views import AFTER, REPEATS, ROLLED_BACK, Options, branch_of, head_of, undone
from .wire import POLICY, RunRequest, unknown_run, unknown_thread

# --- resuming ------------------------------------------------------------------------------------------
# Resumes runs with the answers to their questions, in all the forms in which clients write them.


RESUME = "command.resume"

_REQUEST_ID = re.compile(r"[0-9a-z]{26}-q[0-9]+")


async def resume(
    api: Api, thread_id: str, state: ThreadState | None, given: Any, fields: Mapping[str, str]
) -> Run:
    """Take the answers to open questions; return the run that the last of them begins.

    `fields` are those of the body that hold the answers by question, and by "" that of all of them, which is
    `command.resume` by default. Raises `Conflict` if a question is not open, and `BadInput` for an answer
    that does not fit; then no answer was taken.
    """
    requests = state.requests if state is not None else {}
    if not requests:
        raise Conflict("Nothing is asked in this thread, so there is nothing to resume.", code="not_open")
    answers = _by_request(given, requests, fields)
    several = len(answers) > 1  # the only one is checked as it is taken
    taken = [await arguments(api.services, thread_id, each, checks=several) for each in answers]
    run: Run | None = None
    for answer, given in zip(answers, taken, strict=True):
        with naming_fields(answer):
            run = await api.threads.answer(thread_id, answer.request["request_id"], **given)
    if run is None:
        raise BadInput(f"{RESUME}: it answers no question.")
    return run


def _by_request(resume: Any, requests: Mapping[str, Frame], fields: Mapping[str, str]) -> Sequence[Answer]:
    """Return answers by question: of a mapping by their ids, else one for the oldest open question.

    Raises `Conflict` for the id of a question that is not open.
    """
    whole = fields.get("", RESUME)
    if isinstance(resume, Mapping):
        by_id = cast("Mapping[str, Any]", resume)
        if by_id and set(by_id) <= set(requests):
            return [
                Answer(requests[name], value, fields.get(name, f"{whole}.{name}"))
                for name, value in by_id.items()
            ]
        if any(_REQUEST_ID.fullmatch(name) for name in by_id):
            raise Conflict("A question that this answers is not open.", code="not_open")
    return [Answer(next(iter(requests.values())), resume, whole)]


# --- starting ------------------------------------------------------------------------------------------


_STRATEGIES: Mapping[Policy, str] = {"steer": "enqueue"}
"""The API's word for a policy that it does not know: a run of its own would begin after the one at work."""


_FIELDS = {
    "context": "context",
    "configurable": "config.configurable",
    "recursion_limit": "config.recursion_limit",
}
"""The fields in which the API has the values of a message for its run."""


GOES_ON_FROM = "goes_on_from"
"""Of a run without a message: the tasks of the failed runs, the last first, that it goes on from.

Or that of the state that a client wrote.
"""

GO_ON = "Go on."
"""In the conversation, the message of a run that goes on from a state that a client wrote, or elsewhere."""


class Begun(NamedTuple):
    """A run that a request has begun or joined, or whose request came again, or that its message steers.

    Of a message that was sent to steer, `message_id` is its id if another run takes it in; `steering` is its
    outcome so far.
    """

    run: Run
    options: Options
    modes: Sequence[str]
    message_id: str | None = None
    steering: Mapping[str, Any] | None = None


class _Beginning(NamedTuple):
    text: str
    message_id: str | None
    given: Mapping[str, Any]
    after: str | None = None
    goes_on_from: Sequence[str] = ()
    repeats: str | None = None


START, END = "__start__", "__end__"
"""LangGraph's names of the node before all others, and of what comes after them."""


def _only_end(moves: Mapping[str, Any]) -> bool:
    """Return whether a command goes to the end and nowhere else."""
    goto = moves.get("goto")
    return goto == END or goto == [END]


def _is_breakpoint(question: Frame) -> bool:
    """Return whether a question is whether a graph shall go on that has stopped at a breakpoint."""
    return question["kind"] != "permission" and question["schema"] == DECISION_SCHEMA


def _steering(sent: Sent) -> Mapping[str, Any]:
    """Return the outcome so far of a message that was sent to steer, for the metadata of its run."""
    accepted = sent.accepted
    told: dict[str, Any] = {POLICY: accepted.policy}
    if accepted.steer is not None:
        told |= {"detour_steer": accepted.steer, "message_id": accepted.message_id}
    return told


def _declared(values: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    known: Mapping[str, Any] = schema.get("properties", {})
    return {name: value for name, value in values.items() if name in known and value is not None}


class Starting:
    """Begins the runs that clients ask for."""

    def __init__(self, api: Api, writes: StateWrites) -> None:
        self._api = api
        self._services = api.services
        self._writes = writes

    async def begin(self, thread_id: str, request: RunRequest, *, creates_thread: bool) -> Begun:
        """Begin a run, and keep its options. Raises `DetourError`; then no run has begun."""
        agent, assistant_id, request = await self._api.assistants.for_run(request)
        state = await self._api.threads.state(thread_id)
        saved = await self._api.index.get(thread_id)
        if state is None and saved is None and not creates_thread:
            raise unknown_thread(thread_id)
        options = await self._api.checkpoints.options(thread_id, saved)
        noted: dict[str, Any] = {"modes": list(request.modes)}
        if request.subgraphs:
            noted["subgraphs"] = True
        if request.metadata:
            noted["metadata"] = dict(request.metadata)
        if assistant_id != uuid_of(agent):
            noted["assistant_id"] = assistant_id
        policy = request.policy or self._services.policy
        strategy = "rollback" if request.rolls_back else _STRATEGIES.get(policy, policy)
        if strategy != "interrupt":
            noted["strategy"] = strategy
        sent: Sent | None = None
        self._check_nodes(request, agent)
        answer = self._resumed_with(request, state)
        if answer is not None:
            run = await resume(self._api, thread_id, state, answer, request.resume_fields)
        elif request.moves and _only_end(request.moves):
            run = await self._end(thread_id, request.moves, noted)
        else:
            beginning = await self._beginning(thread_id, state, options, request, agent)
            if beginning.after is not None:
                noted[AFTER] = beginning.after
            if beginning.goes_on_from:
                noted[GOES_ON_FROM] = [*beginning.goes_on_from]
            if beginning.repeats is not None:
                noted[REPEATS] = beginning.repeats
            sent = await self._send(thread_id, beginning, request)
            run = sent.run
            active = state.active_run() if state is not None else None
            if request.rolls_back and active is not None and active.task_id != run.task_id:
                await self.roll_back(thread_id, active)
        # The run of another message has options of its own, or did not begin here.
        is_own = sent is None or sent.accepted.steer is None or run.message_id == sent.accepted.message_id
        of_run = noted if is_own else None
        with_agent = {"graph_id": agent, "assistant_id": assistant_id}
        saved = await self._api.index.change(
            thread_id, lambda thread: with_run(thread, run.run_id, of_run, with_agent)
        )
        return Begun(
            run,
            await self._api.checkpoints.options(thread_id, saved),
            request.modes,
            sent.steers if sent is not None else None,
            _steering(sent) if sent is not None and policy == "steer" else None,
        )

    async def _end(self, thread_id: str, moves: Mapping[str, Any], noted: Mapping[str, Any]) -> Run:
        """Have nothing left to run in a thread; an open question is withdrawn."""
        update = moves.get("update")
        # As an input is: the nodes that it starts are then among those that do not run.
        first = [] if update is None else [[{"values": update, "as_node": START}]]
        clears = [{"values": None, "as_node": END}]
        written = await self._writes.write(thread_id, [*first, clears], noted=noted)
        state = await self._api.threads.state(thread_id)
        run = state.runs.get(written["task_id"]) if state is not None else None
        if run is None:
            raise unknown_run(written["task_id"])
        return run

    async def _send(self, thread_id: str, beginning: _Beginning, request: RunRequest) -> Sent:
        own = {"client_id": request.id_field, "content": request.text_field, **_FIELDS}
        with naming(lambda name: own.get(name, name)):
            return await self._api.threads.send(
                thread_id,
                beginning.text,
                client_id=beginning.message_id,
                policy=request.policy,
                given=beginning.given or None,
                after_s=request.after_s,
            )

    async def roll_back(self, thread_id: str, run: Run) -> None:
        """Hide a run's message and its answer from later runs."""
        await self._api.index.change(thread_id, lambda thread: with_mark(thread, run.run_id, ROLLED_BACK))

    # --- messages ------------------------------------------------------------------------------------

    async def _beginning(
        self, thread_id: str, state: ThreadState | None, options: Options, request: RunRequest, agent: str
    ) -> _Beginning:
        given: dict[str, Any] = dict(self._api.agents.given_for(agent))
        fork = None
        if request.checkpoint_id is not None and state is not None:
            fork = await self._api.checkpoints.fork(thread_id, state, options, request.checkpoint_id)
            if fork is not None and fork.step_id is not None:
                given["checkpoint_id"] = fork.step_id
        if fork is None and state is not None:
            step_id = await self._before_rollback(thread_id, state, options, request, agent)
            if step_id is not None:
                given["checkpoint_id"] = step_id
        given |= {**request.content, **request.breakpoints}
        after = fork.after if fork is not None else None
        if request.text is None or request.moves:
            on = await self._going_on(thread_id, state, options, request, fork)
            if on is not None:
                return on._replace(given={**given, **self._taken(agent, request), **on.given})
        text = request.text
        repeats: str | None = None
        if text is None:
            run = self._repeated(state, options, request, fork)
            text = run.message
            given |= _said_with(run, state)
            if fork is not None:
                repeats = options.get(run.task_id, {}).get(REPEATS, run.task_id)
        if state is None or not state.requests or "checkpoint_id" in given:
            # What comes with values is read as a new message, never as the answer to an open question.
            given |= self._taken(agent, request)
        message_id = request.message_id
        if message_id is not None and request.checkpoint_id is not None and state is not None:
            message_id = _id_after(message_id, fork, state, options)
        return _Beginning(text, message_id, given, after, repeats=repeats)

    async def _going_on(
        self,
        thread_id: str,
        state: ThreadState | None,
        options: Options,
        request: RunRequest,
        fork: Fork | None,
    ) -> _Beginning | None:
        """Return the beginning of a run that goes on from the state of the thread; None for any other."""
        if request.moves:
            given = {"command": dict(request.moves), "unsaid": True}
            return _Beginning(GO_ON, None, given, fork.after if fork is not None else None)
        head = head_of(state, options) if request.goes_on and fork is None and state is not None else None
        if state is None or head is None:
            return None
        if head.writes_state:
            step = await self._api.checkpoints.last_step(thread_id, head)
            if step is None or not step["next"]:
                raise BadInput("input: it is null, and nothing is left to run in this thread.")
            return _Beginning(GO_ON, None, _from([head.task_id], unsaid=True), None, [head.task_id])
        if head.status != "error":
            return None
        # The failed run may have stored no step of its own, and have gone on from another.
        tasks = [head.task_id, *options.get(head.run_id, {}).get(GOES_ON_FROM, ())]
        own = _from(tasks) if self._services.graphs is not None else {}
        *_, before = ["", *branch_of(head, state, options)[:-1]]
        return _Beginning(head.message, None, {**own, **_said_with(head, state)}, before, tasks)

    def _resumed_with(self, request: RunRequest, state: ThreadState | None) -> Any:
        """Return the answer with which a request resumes the thread, None for one that resumes nothing.

        Without a message it has a graph that stopped at a breakpoint go on. Raises `BadInput` for breakpoints
        that come with another answer: it is for the node that has asked.
        """
        stopped = [each for each in state.requests.values() if _is_breakpoint(each)] if state else []
        if request.resume is None and request.goes_on and stopped and not request.names_checkpoint:
            return {each["request_id"]: {"decision": "allow", **request.breakpoints} for each in stopped[:1]}
        if request.resume is not None and request.breakpoints:
            raise BadInput(
                f"{min(request.breakpoints)}: it comes with a message, or with `input: null` at a breakpoint."
            )
        return request.resume

    def _check_nodes(self, request: RunRequest, agent: str) -> None:
        """Raise `BadInput` for what names no nodes of an agent's graph."""
        named: list[tuple[str, list[Any]]] = [
            (name, each) for name, each in request.breakpoints.items() if each != "*"
        ]
        goto: Any = request.moves.get("goto")
        if goto:
            named.append(("command.goto", cast("list[Any]", goto) if isinstance(goto, list) else [goto]))
        if not (named or request.breakpoints or request.moves):
            return
        graphs = self._services.graphs
        if graphs is None:
            field = min((*request.breakpoints, *("command" for _ in request.moves)))
            raise BadInput(f"{field}: the travel assistant has no nodes and no state to change.")
        nodes = {each["id"] for each in graphs.drawn(self._api.agents.graph_of(agent))["nodes"]}
        for name, wanted in named:
            for each in wanted:
                node = cast("dict[str, Any]", each).get("node") if isinstance(each, dict) else each
                if not isinstance(node, str) or node not in nodes:
                    known = ", ".join(sorted(nodes))
                    raise BadInput(f"{name}: the graph has no node {node!r}; there are: {known}.")

    async def _before_rollback(
        self, thread_id: str, state: ThreadState, options: Options, request: RunRequest, agent: str
    ) -> str | None:
        """Return the step to begin from if messages were rolled back, None if none were."""
        gone = {*undone(state, options)}
        active = state.active_run() if request.rolls_back else None
        if active is not None:
            gone.add(active.task_id)
        if not gone:
            return None
        # A run that began later has begun without them: the newest step is right.
        last = next(reversed(state.runs.values()))
        graph = self._api.agents.graph_of(agent) or ""
        return await self._api.checkpoints.before(
            thread_id, graph, gone, unless_newest=last.task_id not in gone
        )

    def _taken(self, agent: str, request: RunRequest) -> dict[str, Any]:
        """Return the values of a request that its graph takes; the others are of a parent's state."""
        graphs = self._services.graphs
        if graphs is None:
            return {}
        own = self._api.agents.graph_of(agent)
        view = next(each for each in graphs.views() if each["name"] == own)
        taken = {
            "input": _declared(request.fields, view["input"]),
            "context": _declared(request.context, view["context"]),
            "configurable": dict(request.configurable),
            "recursion_limit": request.recursion_limit,
        }
        return {name: value for name, value in taken.items() if value}

    def _repeated(
        self, state: ThreadState | None, options: Options, request: RunRequest, fork: Fork | None
    ) -> Run:
        """Return the run whose message a request without one means: the last, or that of its checkpoint."""
        missing = BadInput("input.messages: there is no message of the user in it.")
        if not request.names_checkpoint or state is None or not state.runs:
            raise missing
        if fork is not None and fork.repeats is not None:
            return state.runs[fork.repeats]
        if fork is not None:
            for run in reversed(state.runs.values()):
                branch = ["", *branch_of(run, state, options)]
                following = branch[branch.index(fork.after) + 1 :] if fork.after in branch else ()
                said = [each for each in following if not state.runs[each].writes_state]
                if said:
                    return state.runs[said[0]]
        said = [state.runs[each] for each in branch_of(head_of(state, options), state, options)]
        said = [each for each in said if not each.writes_state]
        if not said:
            raise missing
        return said[-1]


def _id_after(message_id: str, fork: Fork | None, state: ThreadState, options: Options) -> str | None:
    """Return the id for a message that follows a checkpoint; None if it has followed another one before.

    Pages send a message again so, to have another answer to it: it is no retry, which would start nothing.
    """
    sent = [each for each in state.messages.values() if each["client_id"] == message_id]
    run = state.run_of(sent[0]["task_id"]) if sent else None
    if run is None:
        return message_id
    head = head_of(state, options)
    after = fork.after if fork is not None else head.task_id if head is not None else ""
    *_, before, _ = ["", *branch_of(run, state, options)]
    return message_id if before == after else None


def _from(tasks: Sequence[str], **more: Any) -> dict[str, Any]:
    return {GOES_ON_FROM: [*tasks], **more}


def _said_with(run: Run, state: ThreadState | None) -> dict[str, Any]:
    """Return what came with the message of a run for its graph, and whether its user did not say it."""
    message = (state.messages.get(run.message_id or "") if state is not None else None) or {}
    return {name: message[name] for name in ("content", "unsaid") if name in message}
