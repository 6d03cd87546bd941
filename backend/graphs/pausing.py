"""Runs a task's graph so that its nodes may ask with `interrupt()`, and resumes it with the answers.

Whatever a node hands to `interrupt()` becomes a question. A mapping may have a `prompt`, a `schema` (the JSON
Schema of an object) and `defaults`; any other value is the prompt. With a schema the node gets the whole
answer, otherwise its text. LangGraph's own `response_schema` counts as the schema.
"""

from collections.abc import Callable, Mapping
from typing import Any

import orjson
from langgraph.types import Command, Interrupt

from ..domain.encoding import encode
from ..domain.inputs import BARE_FIELD, DECISION_SCHEMA, Permission, Question
from ..domain.tool_call import ToolCall
from ..errors import GraphFailedError
from ..tasks.asking import ask, rest
from ..tasks.input_schema import schema_fault
from ..tasks.task_context import TaskContext
from .checkpoints import TaskCheckpointer
from .graph_options import Graph
from .langgraph_internals import checkpointed
from .threads import ThreadWriter

WAITS_FOR_ANOTHER = {"waits_for_another_agent": "detour"}
"""Handed to `interrupt()`, asks nothing: the node runs again when another node's question is answered."""

TEXT: Mapping[str, Any] = {"type": "string", "title": "Answer", "minLength": 1}


class PausableRun:
    """One run of a task's graph, from its start or its checkpoint. `paused` says how it ended.

    `agent_of` returns the agent of a branch of the graph, given its id and namespace. `thread` is what it
    begins from and commits its steps to.
    """

    def __init__(
        self,
        context: TaskContext,
        *,
        agent_of: Callable[[str, str], str],
        keep_history: bool = False,
        thread: ThreadWriter | None = None,
    ) -> None:
        self.paused = False
        self._thread = thread
        self._context = context
        self._agent_of = agent_of
        self._keep_history = keep_history

    @property
    def is_resumed(self) -> bool:
        """Whether this run continues one that asked."""
        return len(self._context.inputs) > 0

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
            state: Any = await graph.ainvoke(given, configuration, context=context, stream_mode=stream_mode)
            return state
        stored = await self._context.checkpoint(self._context.task.turn) if self.is_resumed else None
        if self.is_resumed and stored is None:
            raise GraphFailedError("Where the graph stood when it asked is not known any more.")
        self._seen: set[str] = set()
        self._saver = TaskCheckpointer(
            self._raised,
            thread_id=configuration["configurable"]["thread_id"],
            blob=stored.body if stored else None,
            keep_history=self._keep_history,
            thread=self._thread,
        )
        if self.is_resumed:
            given = _resumed(self._context.inputs.hand_over())
        configuration["configurable"] |= checkpointed(self._saver)
        # "sync", since LangGraph's "async" writes a checkpoint while the next step runs: a node could ask
        # before the checkpoint that its question is stored with is complete.
        state: Any = await graph.ainvoke(
            given, configuration, context=context, durability="sync", stream_mode=stream_mode
        )
        self.paused = bool(self._saver.pauses)
        if self.paused:
            rest(self._context, self._seen, self._saver.to_bytes())
        return state

    def _raised(self, interrupt: Interrupt, branch: str, namespace: str) -> None:
        self._seen.add(interrupt.id)
        if interrupt.value == WAITS_FOR_ANOTHER:
            return
        agent = self._agent_of(branch, namespace)
        call = _to_be_allowed(self._context, interrupt.value)
        ask(
            self._context,
            question_of(interrupt, agent=agent) if call is None else _question_about(call),
            pause_id=interrupt.id,
            branch=branch,
            checkpoint=self._saver.to_bytes,
            permission=None if call is None else _permission_for(call),
        )


def _resumed(answers: Mapping[str, Any]) -> "Command[Any] | None":
    """Return the input that resumes a graph; without answers, None has LangGraph rerun unfinished nodes."""
    return Command(resume=dict(answers)) if answers else None


def _to_be_allowed(context: TaskContext, value: Any) -> ToolCall | None:
    """Return the write that an interrupt asks permission for, if it names one of this task.

    Prompt and facts come from the call, not from the interrupt: the user allows what the ledger will do.
    """
    asked: Mapping[str, Any] = value if isinstance(value, Mapping) else {}  # pyright: ignore[reportUnknownVariableType]
    call = context.tool_calls.get(str(asked.get("permission")))
    return call if call is not None and call.effect == "write" and not call.begun else None


def _question_about(call: ToolCall) -> Question:
    return Question(agent=call.agent, prompt=call.asks["prompt"], schema=DECISION_SCHEMA)


def _permission_for(call: ToolCall) -> Permission:
    return Permission(call_id=call.call_id, tool=call.tool, key=call.key, facts=call.asks["facts"])


def question_of(interrupt: Interrupt, *, agent: str) -> Question:
    """Return the question that an interrupt asks. Raises `GraphFailedError` if its value makes none."""
    value: Any = interrupt.value
    given: dict[str, Any] = {**value} if isinstance(value, Mapping) else {}
    asked_for: Any = given.get("schema") or interrupt.response_schema
    schema: dict[str, Any] = {**asked_for} if isinstance(asked_for, Mapping) else {**TEXT}
    bare = schema.get("type", "object") != "object"
    try:
        prompt = _prompt(value, given)
        values: dict[str, Any] = {
            "agent": str(given.get("agent") or agent),
            "prompt": prompt,
            "schema": _of_one_field(schema) if bare else schema,
            "defaults": given.get("defaults") or {},
            "bare": bare,
        }
        # Through JSON and back: the node may change what it handed over, and a restart reads JSON.
        question = Question(**orjson.loads(encode(values)))
    except TypeError as error:
        raise GraphFailedError(f"The node {agent!r} asked what has no JSON form: {error}.") from error
    fault = schema_fault(question.schema)
    if fault is not None:
        raise GraphFailedError(f"The node {agent!r} asked with what is no JSON Schema: {fault}.")
    return question


def _prompt(value: Any, given: Mapping[str, Any]) -> str:
    words = given.get("prompt", "Please fill this in." if "schema" in given else value)
    return words if isinstance(words, str) else encode(words).decode()


def _of_one_field(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object whose only field has this schema."""
    field = {name: part for name, part in schema.items() if name != "$defs"}
    shared = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    return {
        "type": "object",
        "properties": {BARE_FIELD: field},
        "required": [BARE_FIELD],
        "additionalProperties": False,
        **shared,
    }
