"""Begins runs: with a message, with the answer to a question, or with the last message once more."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from ...domain.inputs import Question
from ...errors import BadInput, Conflict
from ...serving.services import Services
from ...tasks.input_schema import checked
from ...tasks.reviewing import is_own_value
from ..agents import Agents
from ..ids import uuid_of
from ..thread.state import Frame, Run, ThreadState
from ..threads import Threads
from .branches import AFTER, ROLLED_BACK, Asked, branch_of, head_of
from .checkpoints import Checkpoints
from .index import Index, with_mark, with_run
from .wire import RunRequest, unknown_thread

_ALLOWED = {
    True: "allow",
    False: "deny",
    "accept": "allow",
    "ignore": "deny",
    "approve": "allow",
    "reject": "deny",
}


_REQUEST_ID = re.compile(r"[0-9a-z]{26}-q[0-9]+")


class Begun(NamedTuple):
    """A run that a request has begun, or whose request came again."""

    run: Run
    asked: Asked
    modes: Sequence[str]


class _Beginning(NamedTuple):
    text: str
    message_id: str | None
    given: Mapping[str, Any]
    after: str | None = None


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
        if request.strategy != "interrupt":
            noted["strategy"] = request.strategy
        if request.resume is not None:
            run = await self._resume(thread_id, state, request.resume)
        else:
            beginning = await self._beginning(thread_id, state, asked, request, agent)
            if beginning.after is not None:
                noted[AFTER] = beginning.after
            active = state.active_run() if state is not None else None
            run = await self._threads.send(
                thread_id,
                beginning.text,
                client_id=beginning.message_id,
                policy=request.policy,
                given=beginning.given or None,
            )
            if request.strategy == "rollback" and active is not None and active.task_id != run.task_id:
                await self.roll_back(thread_id, active)
        with_agent = {"graph_id": agent, "assistant_id": uuid_of(agent)}
        saved = await self._index.change(
            thread_id, lambda thread: with_run(thread, run.run_id, noted, with_agent)
        )
        return Begun(run, await self._checkpoints.asked(thread_id, saved), request.modes)

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
        text = request.text
        if text is None:
            text = self._last_message(state, asked, request, fork.after if fork is not None else None)
        if state is None or not state.requests or "checkpoint_id" in given:
            # What comes with values is read as a new message, never as the answer to an open question.
            given |= self._taken(agent, request)
        after = fork.after if fork is not None else None
        return _Beginning(text, request.message_id, given, after)

    def _taken(self, agent: str, request: RunRequest) -> dict[str, Any]:
        """Return what of a request's values its graph takes; the rest is a parent's state, or another's."""
        graphs = self._services.graphs
        if graphs is None:
            return {}
        view = next(each for each in graphs.views() if each["name"] == agent)
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

    # --- answers -------------------------------------------------------------------------------------

    async def _resume(self, thread_id: str, state: ThreadState | None, resume: Any) -> Run:
        requests = state.requests if state is not None else {}
        if not requests:
            raise Conflict("Nothing is asked in this thread, so there is nothing to resume.", code="not_open")
        answers = _by_request(resume, requests)
        if len(answers) > 1:
            await self._check_all(thread_id, answers, requests)
        run: Run | None = None
        for request_id, answer in answers.items():
            run = await self._answer(thread_id, requests[request_id], answer)
        if run is None:
            raise BadInput("command.resume: it answers no question.")
        return run

    async def _check_all(
        self, thread_id: str, answers: Mapping[str, Any], requests: Mapping[str, Frame]
    ) -> None:
        """Raise `BadInput` if one of several answers does not fit: then none of them may be taken."""
        for request_id, answer in answers.items():
            asked = await self._services.store.get_input(thread_id, request_id)
            if requests[request_id]["kind"] == "permission":
                _decision(answer)
            elif asked is not None:
                checked(asked.question, _value(asked.question, answer))

    async def _answer(self, thread_id: str, request: Frame, answer: Any) -> Run:
        if request["kind"] == "permission":
            decision, note = _decision(answer)
            return await self._threads.answer(thread_id, request["request_id"], decision=decision, note=note)
        asked = await self._services.store.get_input(thread_id, request["request_id"])
        value = answer if asked is None else _value(asked.question, answer)
        return await self._threads.answer(thread_id, request["request_id"], answer=value)


def _by_request(resume: Any, requests: Mapping[str, Frame]) -> Mapping[str, Any]:
    """Return answers by question: of a mapping by their ids, else one for the oldest open question.

    Raises `Conflict` for the id of a question that is not open.
    """
    if isinstance(resume, Mapping):
        by_id = cast("Mapping[str, Any]", resume)
        if by_id and set(by_id) <= set(requests):
            return by_id
        if any(_REQUEST_ID.fullmatch(name) for name in by_id):
            raise Conflict("A question that this answers is not open.", code="not_open")
    return {next(iter(requests)): resume}


def _decision(answer: Any) -> tuple[Any, str | None]:
    """Return the decision in an answer to a permission, and its note. Raises `BadInput`."""
    note = None
    found = _inbox(answer)
    if isinstance(found, Mapping):
        fields = cast("Mapping[str, Any]", found)
        found, noted = fields.get("decision") or fields.get("type"), fields.get("note")
        note = noted if isinstance(noted, str) else None
    if isinstance(found, bool | str):
        found = _ALLOWED.get(found, found)
    if found not in ("allow", "deny"):
        raise BadInput('command.resume: it should be "allow" or "deny", or hold that as its `decision`.')
    return found, note


def _inbox(answer: Any) -> Any:
    """Return what an answer of an agent inbox says, of the form `[{"type", "args"}]`; any other as it is."""
    if not isinstance(answer, list):
        return answer
    several = cast("list[Any]", answer)
    if len(several) != 1 or not isinstance(several[0], Mapping):
        return cast("Any", answer)
    only = cast("Mapping[str, Any]", several[0])
    kind = only.get("type")
    if not isinstance(kind, str):
        return cast("Any", answer)
    if kind in {"response", "edit"}:
        return only.get("args")
    return kind if kind in {"accept", "ignore"} else cast("Any", answer)


def _value(question: Question, answer: Any) -> Any:
    """Return the fields of a question's form that an answer gives, or what its graph takes as it is."""
    if question.review is not None and is_own_value(question.review, answer):
        return answer
    return _form(_inbox(answer), question.schema)


def _form(answer: Any, schema: Mapping[str, Any]) -> Any:
    """Return an answer as the fields of its question: a value is that of the only field, or only required."""
    fields: Mapping[str, Any] = schema.get("properties", {})
    if isinstance(answer, Mapping):
        named = set(cast("Mapping[str, Any]", answer))
        fits = named <= set(fields) or set(fields) != {"answer"}
        return cast("Any", answer) if fits else {"answer": cast("Any", answer)}
    if "decision" in fields and isinstance(answer, bool | str):
        return {"decision": _ALLOWED.get(answer, answer)}
    wanted: Sequence[str] = [*fields] if len(fields) == 1 else schema.get("required", ())
    return {wanted[0]: answer} if len(wanted) == 1 else answer
