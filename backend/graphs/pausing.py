"""Runs a task's graph so that it may ask its user, and resumes it with the answers.

It asks with `interrupt()`, or by stopping at a breakpoint (`interrupt_before`, `interrupt_after`): the user
then decides whether it goes on.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any

from langgraph.types import Command, Interrupt

from ..domain.inputs import DECISION_SCHEMA, Permission, Question
from ..domain.tool_call import ToolCall
from ..errors import GraphFailedError
from ..tasks.asking import ask, rest
from ..tasks.task_context import TaskContext
from .checkpoints import TaskCheckpointer, calls_in, steps_in
from .followed_tools import FollowedTools
from .gone_nodes import gone_nodes, gone_stops
from .graph_options import Graph, described
from .langgraph_internals import checkpointed
from .questions import breakpoint_question, question_of
from .thread_writer import ThreadWriter
from .threads import UNREADABLE

_GONE = (
    "The answer cannot be used: the question came from {}, and the graph has no such node any more. "
    "The question is withdrawn, and nothing more was done; please send your message again."
)
_UNREADABLE = (
    "The answer cannot be used: what the graph had stored with its question cannot be read any more ({}). "
    "The question is withdrawn, and nothing more was done; please send your message again."
)
_UNPAUSABLE = "it is compiled with checkpointer=False now"

WAITS_FOR_ANOTHER = {"waits_for_another_agent": "detour"}
"""Handed to `interrupt()`, asks nothing: the node runs again when another node's question is answered."""

_BREAKPOINT = "breakpoint:"
"""What the id of a pause at a breakpoint begins with; no interrupt's id has a colon."""


class PausableRun:
    """One run of a task's graph, from its start or its checkpoint. `paused` says how it ended.

    `declined` holds the question at a breakpoint after which the user did not let the graph go on.

    `agent_of` returns the agent of a branch of the graph, given its id and namespace. `thread` is what it
    begins from and commits its steps to, and `tools` follows the tools that it calls.
    """

    def __init__(
        self,
        context: TaskContext,
        *,
        agent_of: Callable[[str, str], str],
        tools: FollowedTools | None = None,
        keep_history: bool = False,
        thread: ThreadWriter | None = None,
    ) -> None:
        self.paused = False
        self.declined: Question | None = None
        self._thread = thread
        self._context = context
        self._agent_of = agent_of
        self._tools = tools
        self._keep_history = keep_history
        self._begins_anew = False

    @property
    def is_at_rest(self) -> bool:
        """Whether the graph has not ended, since it asks or its user did not allow it to go on."""
        return self.paused or self.declined is not None

    @property
    def is_resumed(self) -> bool:
        """Whether this run continues one that asked."""
        return len(self._context.inputs) > 0 and not self._begins_anew

    async def calls_since_the_pause(self) -> list[ToolCall]:
        """Return the tool calls that were made after the checkpoint that this run resumes from.

        There are some if a process was killed after it had resumed. If that had committed a step since, this
        run begins from its thread, and not from the checkpoint.
        """
        stored = await self._context.checkpoint(self._context.task.turn)
        with _readable():
            held = calls_in(stored.body) if stored is not None else None
        if stored is None or held is None:
            return []
        calls = self._context.tool_calls.values()
        made = [each for each in calls if each.observed and each.begun and each.call_id not in held]
        before = self._thread.before if self._thread is not None else None
        if made and before is not None and before.step.step_id not in steps_in(stored.body):
            self._begins_anew = True
            self._context.inputs.hand_over()  # the run before had got them
        return made

    async def invoke(
        self,
        graph: Graph,
        given: Any,
        configuration: Any,
        context: Any,
        *,
        stream_mode: Any = "values",
    ) -> Any:
        """Run the graph until it ends, or until all its unfinished branches have asked; return its state.

        Raises `GraphFailedError` if a question cannot be asked. A graph that is compiled with
        `checkpointer=False` cannot ask. Cancelling this cancels the graph.
        """
        if graph.checkpointer is False:
            if self.is_resumed:
                raise GraphFailedError(_UNREADABLE.format(_UNPAUSABLE))
            state: Any = await graph.ainvoke(given, configuration, context=context, stream_mode=stream_mode)
            return state
        stored = await self._context.checkpoint(self._context.task.turn) if self.is_resumed else None
        if self.is_resumed and stored is None:
            raise GraphFailedError("Where the graph stood when it asked is not known any more.")
        self._seen: set[str] = set()
        with _readable():
            self._saver = TaskCheckpointer(
                self._raised,
                thread_id=configuration["configurable"]["thread_id"],
                blob=stored.body if stored else None,
                keep_history=self._keep_history,
                thread=self._thread,
            )
        configuration["configurable"] |= checkpointed(self._saver)
        if self.is_resumed:
            answers = self._context.inputs.hand_over()
            self.declined = self._declined_of(answers)
            if self.declined is not None:
                return None
            await self._check_nodes_are_there(graph, configuration, answers)
            given = _resumed(answers)
        return await self.go_on(graph, given, configuration, context, stream_mode=stream_mode)

    async def go_on(
        self,
        graph: Graph,
        given: Any,
        configuration: Any,
        context: Any,
        *,
        stream_mode: Any = "values",
    ) -> Any:
        """Run a graph that `invoke` has run, once more with what it has left; as `invoke` does."""
        # "sync", since LangGraph's "async" writes a checkpoint while the next step runs: a node could ask
        # before the checkpoint that its question is stored with is complete.
        state: Any = await graph.ainvoke(
            given, configuration, context=context, durability="sync", stream_mode=stream_mode
        )
        self.paused = bool(self._saver.pauses)
        if self.paused:
            # A node that makes several calls at once ends as soon as one of them asks; the others go on.
            if self._tools is not None:
                await self._tools.ended()
            rest(self._context, self._seen, self._to_bytes())
        return state

    async def ask_to_go_on(self, graph: Graph, configuration: Any, state: Any) -> bool:
        """Ask whether a graph that stopped at a breakpoint shall go on; False if nothing is left to run.

        Raises `GraphFailedError` if its state cannot be kept while it waits.
        """
        stopped = await graph.aget_state(configuration)
        if not stopped.next:
            return False
        self.paused = True
        self._saver.encode()
        place: Any = stopped.config.get("configurable", {})
        pause_id = f"{_BREAKPOINT}{place['checkpoint_id']}"
        ask(
            self._context,
            breakpoint_question(stopped.next, state),
            pause_id=pause_id,
            branch=_BREAKPOINT,
            checkpoint=self._to_bytes,
        )
        rest(self._context, {pause_id}, self._to_bytes())
        return True

    async def _check_nodes_are_there(
        self, graph: Graph, configuration: Any, answers: Mapping[str, Any]
    ) -> None:
        """Raise `GraphFailedError` if a node that asked, or stopped, is not in the graph any more."""
        with _readable():
            gone = await gone_nodes(graph, configuration, self._saver, answers)
            stops = gone_stops(graph, configuration, self._saver) if any(map(_is_breakpoint, answers)) else []
            gone = gone or {each: stops[0] for each in answers if stops}
        for pause_id, name in gone.items():
            asked = self._context.inputs.of_pause(pause_id)
            raise GraphFailedError(_GONE.format(name or (asked.question.agent if asked is not None else "")))

    def _to_bytes(self) -> bytes:
        calls = self._context.tool_calls.values()
        return self._saver.to_bytes(
            each.call_id for each in calls if each.observed and each.outcome is not None
        )

    def _declined_of(self, answers: Mapping[str, Any]) -> Question | None:
        for pause_id, answer in answers.items():
            asked = self._context.inputs.of_pause(pause_id)
            # Without a decision, too: the agent was stopped before it could begin.
            if asked is not None and _is_breakpoint(pause_id) and answer.get("decision") != "allow":
                return asked.question
        return None

    def _raised(self, interrupt: Interrupt, branch: str, namespace: str) -> None:
        self._seen.add(interrupt.id)
        if interrupt.value == WAITS_FOR_ANOTHER:
            return
        agent = self._agent_of(branch, namespace)
        call = _to_be_allowed(self._context, interrupt.value)
        asked_before = len(self._context.inputs)
        ask(
            self._context,
            question_of(interrupt, agent=agent) if call is None else _question_about(call),
            pause_id=interrupt.id,
            branch=branch,
            checkpoint=self._to_bytes,
            permission=None if call is None else _permission_for(call),
        )
        asked = self._context.inputs.of_pause(interrupt.id)
        if self._tools is not None and asked is not None and len(self._context.inputs) > asked_before:
            self._tools.asked(interrupt, asked.request_id)


@contextmanager
def _readable() -> Generator[None]:
    """Raise `GraphFailedError` for a checkpoint that is damaged, or of another version."""
    try:
        yield
    except UNREADABLE as error:
        raise GraphFailedError(_UNREADABLE.format(described(error))) from error


def _resumed(answers: Mapping[str, Any]) -> "Command[Any] | None":
    """Return the input that resumes a graph; without answers, None has LangGraph run what is unfinished."""
    given = {pause_id: answer for pause_id, answer in answers.items() if not _is_breakpoint(pause_id)}
    return Command(resume=given) if given else None


def _is_breakpoint(pause_id: str) -> bool:
    return pause_id.startswith(_BREAKPOINT)


def _to_be_allowed(context: TaskContext, value: Any) -> ToolCall | None:
    """Return the write that an interrupt asks permission for, if it names one of this task.

    Prompt and facts come from the call, not from the interrupt: the user allows what the ledger will do.
    """
    asked: Mapping[str, Any] = value if isinstance(value, Mapping) else {}  # pyright: ignore[reportUnknownVariableType]
    call = context.tool_calls.get(str(asked.get("permission")))
    is_asked = call is not None and call.effect == "write" and not (call.begun or call.observed)
    return call if is_asked else None


def _question_about(call: ToolCall) -> Question:
    return Question(agent=call.agent, prompt=call.asks["prompt"], schema=DECISION_SCHEMA)


def _permission_for(call: ToolCall) -> Permission:
    return Permission(call_id=call.call_id, tool=call.tool, key=call.key, facts=call.asks["facts"])
