"""Runs a task's graph so that it may ask its user, and resumes it with the answers.

It asks with `interrupt()`, or by stopping at a breakpoint (`interrupt_before`, `interrupt_after`): the user
then decides whether it goes on.
"""

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

import orjson
from langchain_core.messages import ToolCall as Asked
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, Interrupt

from ..domain.encoding import encode
from ..domain.errors import BadInput, GraphFailedError
from ..domain.questions import (
    AGENT_INBOX,
    BARE_FIELD,
    DECISION_SCHEMA,
    LANGCHAIN,
    Action,
    Decision,
    InputRequest,
    Permission,
    Question,
    Review,
    page_call_of,
)
from ..domain.tool_call import ToolCall
from ..tasks.asking import ask, defaults_of, form_of, rest
from ..tasks.input_schema import answer_in_words, asks_for_text, checked, schema_fault
from ..tasks.task_context import TaskContext
from .followed_tools import FollowedTools
from .graph_options import Graph, describe_error
from .graph_output import with_plain_objects
from .langgraph_internals import checkpointed, interrupts_among, node_of_branch, node_of_path
from .page_tools import page_value
from .state.checkpoints import TaskCheckpointer, calls_in, steps_in
from .state.thread import UNREADABLE
from .state.writer import ThreadWriter

# --- gone nodes ----------------------------------------------------------------------------------------
# Finds questions whose node an upgrade has renamed or removed: LangGraph resumes nothing, in silence.


async def gone_nodes(
    graph: Graph, configuration: Any, saver: InMemorySaver, pauses: Iterable[str]
) -> Mapping[str, str]:
    """Return the nodes that are gone, by the id of the pause in which they asked; "" for an unknown name.

    `saver` holds the checkpoints that the graph would resume from. A graph that a node starts by itself, and
    that LangGraph does not find in it, cannot be looked into.
    """
    snapshot = await graph.aget_state(configuration, subgraphs=True)
    tasks = dict(_tasks_of("", snapshot))
    gone: dict[str, str] = {}
    wanted = {*pauses}
    for (_, namespace, _), writes in saver.writes.items():
        for (task_id, _), (_, channel, value, path) in writes.items():
            asked = {each.id for each in interrupts_among([(channel, saver.serde.loads_typed(value))])}
            if namespace in tasks and task_id not in tasks[namespace]:
                gone |= dict.fromkeys(asked & wanted, node_of_path(path))
    return gone


def _tasks_of(namespace: str, snapshot: Any) -> Iterator[tuple[str, set[str]]]:
    """Yield the ids of the tasks that are next, by the namespace of their graph."""
    yield namespace, {each.id for each in snapshot.tasks}
    for each in snapshot.tasks:
        inner = each.state
        if inner is not None and hasattr(inner, "tasks"):
            yield from _tasks_of(inner.config["configurable"]["checkpoint_ns"], inner)


def gone_stops(graph: Graph, configuration: Any, saver: InMemorySaver) -> list[str]:
    """Return the nodes before which a graph, or one within it, had stopped, and that are gone."""
    outermost: Any = graph
    graphs: dict[str, Any] = {"": graph, **dict(outermost.get_subgraphs(recurse=True))}
    thread_id = configuration["configurable"]["thread_id"]
    gone: list[str] = []
    for namespace in saver.storage[thread_id]:
        held = saver.get_tuple({"configurable": {"thread_id": thread_id, "checkpoint_ns": namespace}})
        within = graphs.get("|".join(each.partition(":")[0] for each in namespace.split("|")))
        if held is not None and within is not None:
            next_ones = (node_of_branch(each) for each in held.checkpoint["channel_values"])
            gone += [name for name in next_ones if name and name not in within.nodes]
    return gone


# --- asked reviews -------------------------------------------------------------------------------------
# Recognises an interrupt that asks for decisions on actions, in the shapes that ordinary graphs use.
#
# The shapes are those of LangChain's `human_in_the_loop` middleware and of Agent Inbox's published schema.
# A value that only resembles one of them is an ordinary question.


_ALLOWANCES: Mapping[str, str] = {
    "accept": "allow_accept",
    "edit": "allow_edit",
    "response": "allow_respond",
    "ignore": "allow_ignore",
}


def review_question(value: Any, response_schema: Any, *, agent: str) -> Question | None:
    """Return the question that asks for decisions, None if the value has none of the shapes.

    Raises `TypeError` for arguments without a JSON form.
    """
    asked = _requests(value)
    if asked is None:
        return None
    requests, review = asked
    if isinstance(response_schema, Mapping):
        schema = cast("Mapping[str, Any]", response_schema)
        decisions = _of_schema(schema)
        actions = [replace(each, decisions=tuple(decisions)) for each in review.actions]
        review = Review(shape=review.shape, actions=tuple(actions), schema=schema)
    if not all(each.decisions for each in review.actions):
        return None
    told = zip(requests, review.actions, strict=True)
    return Question(
        agent=agent,
        prompt="\n\n".join(_told(request, action) for request, action in told),
        schema=form_of(review),
        defaults=defaults_of(review),
        bare=True,
        review=review,
    )


def _requests(value: Any) -> tuple[Sequence[Mapping[str, Any]], Review] | None:
    given = _mapping(value)
    if given.get("type") == "tool_approval" and _names_action(given, "name"):
        action = _action(given, "name", (*LANGCHAIN.values(),))
        return [given], Review(shape="decision", actions=(action,))
    requests: Any = given.get("action_requests")
    configs: Any = given.get("review_configs")
    if _is_list(requests) and _is_list(configs):
        if not all(_names_action(each, "name") for each in requests):
            return None
        allowed = [_allowed(each["name"], number, configs) for number, each in enumerate(requests)]
        actions = [
            _action(each, "name", decisions) for each, decisions in zip(requests, allowed, strict=True)
        ]
        return requests, Review(shape="decisions", actions=tuple(actions))
    # Agent Inbox's own examples hand over one request, or a list of one, and index the answer alike.
    requests = [value] if given else value
    if _is_list(requests) and all(_is_inbox_request(each) for each in requests):
        actions = [_action(each["action_request"], "action", _configured(each)) for each in requests]
        return requests, Review(shape="responses", actions=tuple(actions))
    return None


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and len(cast("Sequence[Any]", value)) > 0


def _mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping as it is, and an empty one in place of anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _names_action(request: Any, name: str) -> bool:
    given = _mapping(request)
    return isinstance(given.get(name), str) and isinstance(given.get("args"), Mapping)


def _is_inbox_request(request: Any) -> bool:
    given = _mapping(request)
    return isinstance(given.get("config"), Mapping) and _names_action(given.get("action_request"), "action")


def _action(request: Mapping[str, Any], name: str, decisions: Iterable[Decision]) -> Action:
    # Through JSON and back, as all that is asked: a restart reads JSON.
    arguments: dict[str, Any] = orjson.loads(encode(request["args"]))
    return Action(name=request[name], arguments=arguments, decisions=tuple(dict.fromkeys(decisions)))


def _allowed(name: str, number: int, configs: Sequence[Any]) -> list[Decision]:
    """Return the decisions on a request: the middleware lists its configurations in the requests' order."""
    own = _mapping(configs[number]) if number < len(configs) else _mapping(None)
    if own.get("action_name") != name:
        own = next(
            (each for each in map(_mapping, configs) if each.get("action_name") == name), _mapping(None)
        )
    words: Any = own.get("allowed_decisions")
    return [LANGCHAIN[word] for word in words if word in LANGCHAIN] if _is_list(words) else []


def _configured(request: Mapping[str, Any]) -> list[Decision]:
    config: Mapping[str, Any] = request["config"]
    return [AGENT_INBOX[word] for word, allowed in _ALLOWANCES.items() if config.get(allowed)]


def _of_schema(schema: Mapping[str, Any]) -> list[Decision]:
    """Return the decisions that the schema of one decision has a branch for, or is the only branch of."""
    shared: Mapping[str, Any] = schema.get("$defs", {})
    branches: Sequence[Mapping[str, Any]] = schema.get("oneOf", [schema])
    words: list[str] = []
    for branch in branches:
        whole = shared.get(str(branch.get("$ref", "")).removeprefix("#/$defs/"), branch)
        words.append(whole.get("properties", {}).get("type", {}).get("const", ""))
    return [LANGCHAIN[word] for word in words if word in LANGCHAIN]


def _told(request: Mapping[str, Any], action: Action) -> str:
    """Return the text of a request, with the arguments that the words of a graph leave out."""
    description = request.get("description")
    words = description.strip() if isinstance(description, str) else ""
    arguments = request.get("action_request", request)["args"]
    # LangChain's own description has both, the arguments as Python writes them.
    if action.name in words and str(arguments) in words:
        return words
    return f"{words}\n{action.name}: {encode(action.arguments).decode()}".strip()


# --- questions -----------------------------------------------------------------------------------------
# Turns the value that a graph pauses with into a question to its user.
#
# Whatever a node hands to `interrupt()` becomes a question. A mapping may have a `prompt`, a `schema` (the
# JSON Schema of an object) and `defaults`; any other value is the prompt. Nodes that others wrote call the
# prompt otherwise (`OTHER_PROMPT_KEYS`), and hand over more, which follows it. With a schema the node gets
# the whole answer, otherwise any JSON. LangGraph's own `response_schema` counts as the schema. What asks
# for decisions on actions is recognised above.


TEXT: Mapping[str, Any] = {"type": "string", "title": "Answer", "minLength": 1}


OTHER_PROMPT_KEYS = ("question", "query", "message", "instruction", "instructions")
"""The keys that may hold the prompt of a mapping without a `prompt`; the first that holds text counts."""

_TAKEN = {"schema", "defaults", "agent"}

_RUN_BY_PAGE = "The page is to run {}."


def question_of(interrupt: Interrupt, *, agent: str) -> Question:
    """Return the question that an interrupt asks. Raises `GraphFailedError` if its value makes none."""
    try:
        question = review_question(interrupt.value, interrupt.response_schema, agent=agent)
        question = question or _plain_question(interrupt, agent)
        if _says_more(interrupt.value):
            question = replace(question, value=_plain(interrupt.value))
    except TypeError as error:
        raise GraphFailedError(f"The node {agent!r} asked what has no JSON form: {error}.") from error
    own = question.review.schema if question.review is not None else None
    fault = schema_fault(question.schema) or (schema_fault(own) if own is not None else None)
    if fault is not None:
        raise GraphFailedError(f"The node {agent!r} asked with what is no JSON Schema: {fault}.")
    return question


def _plain(value: Any) -> Any:
    """Return a value as JSON has it, None if it has no such form: pages then have the question alone."""
    try:
        return orjson.loads(encode(with_plain_objects(value)))
    except TypeError:
        return None


def _says_more(value: Any) -> bool:
    """Return whether a value has more in it than the question that was made of it."""
    if isinstance(value, Mapping):
        return not _TAKEN.union({"prompt"}).issuperset(cast("Mapping[str, Any]", value))
    return value is not None and not isinstance(value, str)


def breakpoint_question(nodes: Sequence[str], state: Any) -> Question:
    """Return the question whether a graph that stopped before these nodes shall run them.

    `state` is the graph's: the tool calls that its last message asks for are the facts.
    """
    return Question(
        agent=nodes[0],
        prompt=f"Go on with {' and '.join(dict.fromkeys(nodes))}?",
        schema=DECISION_SCHEMA,
        facts=_open_calls(state),
    )


def page_question(asked: Asked, *, agent: str) -> Question:
    """Return the question whose answer is the result of a call that the page executes.

    Raises `TypeError` for arguments without a JSON form.
    """
    value = orjson.loads(encode(page_value(asked)))
    prompt = _RUN_BY_PAGE.format(asked["name"])
    return Question(
        agent=agent, prompt=prompt, schema=_of_one_field(TEXT), bare=True, any_json=True, value=value
    )


def _open_calls(state: Any) -> dict[str, Any]:
    values: Mapping[str, Any] = state if isinstance(state, Mapping) else {}  # pyright: ignore[reportUnknownVariableType]
    messages: Any = values.get("messages")
    last: Any = messages[-1] if messages else None
    calls: Any = getattr(last, "tool_calls", ())
    try:
        facts = {f"{number}. {call['name']}": call["args"] for number, call in enumerate(calls, 1)}
        return orjson.loads(encode(facts))
    except TypeError:
        return {}  # arguments without a JSON form are only left out of what is shown


def _plain_question(interrupt: Interrupt, agent: str) -> Question:
    value: Any = interrupt.value
    given: dict[str, Any] = {**value} if isinstance(value, Mapping) else {}
    if (call := page_call_of(value)) is not None:
        given = {"prompt": _RUN_BY_PAGE.format(call.tool)}
    asked_for: Any = given.get("schema") or interrupt.response_schema
    has_schema = isinstance(asked_for, Mapping)
    schema: dict[str, Any] = {**asked_for} if has_schema else {**TEXT}
    bare = schema.get("type", "object") != "object"
    values: dict[str, Any] = {
        "agent": str(given.get("agent") or agent),
        "prompt": _prompt(value, given),
        "schema": _of_one_field(schema) if bare else schema,
        "defaults": given.get("defaults") or {},
        "bare": bare,
        "any_json": not has_schema,
    }
    # Through JSON and back: the node may change what it handed over, and a restart reads JSON.
    return Question(**orjson.loads(encode(values)))


def _prompt(value: Any, given: Mapping[str, Any]) -> str:
    if "prompt" in given:
        return _as_text(given["prompt"])
    key = next((each for each in OTHER_PROMPT_KEYS if isinstance(given.get(each), str) and given[each]), None)
    if key is None:
        return _as_text("Please fill this in." if "schema" in given else value)
    more = (f"{name}: {_as_text(each)}" for name, each in given.items() if name not in {key, *_TAKEN})
    return "\n".join((given[key], *more))


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else encode(value).decode()


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


# --- typed answers -------------------------------------------------------------------------------------
# Reads a typed message as the answer to an open question, or as something else, which withdraws it.
#
# A text question could take every message for its answer, and would swallow a change of mind. So a message
# that calls off or turns away in its first words, or asks back, is no answer. The rule is one of plain
# English words and errs on the side of an answer: "Actually, Rome" and "Rome?" are answers. `POST /answer`
# takes any words as one.


_IT = r"( (it|that|this))?"
_YES = re.compile(
    rf"(yes|yeah|yep|please do|go ahead( with (it|that|this))?|do (it|that|this)"
    rf"|(allow|approve|accept|confirm){_IT}|allowed|approved|accepted|confirmed)"
)
_NO = re.compile(
    rf"(no|nope|(deny|reject|decline){_IT}|denied|rejected|declined"
    rf"|(do not|don't|dont)( do (it|that|this)| (allow|approve|accept|confirm){_IT})?)"
)
"""What allows and what denies, clause by clause: "Yes, allow it." has two."""

_PADDING = frozenset({"oh", "ok", "okay", "no", "well", "hm", "hmm", "sorry", "please", "just", "but"})
"""Words that are passed over in front."""

_POLITE = _PADDING | {"thanks", "thank you"}
"""Clauses that decide nothing beside others."""

_CALLS_OFF = re.compile(
    r"(never ?mind|forget (it|that|about it)|(i|i've|i have) changed my mind|on second thoughts?)\b"
)
"""Words that call off however the message continues."""

_STOPS = re.compile(
    r"(stop|cancel|abort|quit|drop|leave|scrap|skip)( (it|that|this|everything|all of it))?( now)?"
    r"|wait( a (moment|minute|second))?|hold on|hang on"
)
"""Words that call off as the whole first clause: "Stop at the museum" may well be an answer."""

_STOPS_ALONE = frozenset({"drop", "leave", "skip"})
"""Words that call off only with what they refer to: "skip" alone may be an answer."""

_TURNS_AWAY = re.compile(r"(instead|actually)\b(?! of\b)")
"""Words that turn away in front of a whole request."""

_ASKS = re.compile(
    r"(what|which|who|where|when|why|how)('s)?\b"
    r"|(whose|can|could|do|does|did|is|are|was|were|will|would|should|may|shall)\b"
)
"""How a question that asks back begins."""

_SHORTEST_REQUEST = 5
"""Words from which "Actually ..." counts as a request: fewer correct an answer ("Actually make it Rome")."""

_SHORTEST_QUESTION = 3
"""Words from which a question counts as one that asks back."""


def typed_answer(message: str, asked: Sequence[InputRequest]) -> Mapping[str, Mapping[str, Any]]:
    """Return the answer in a message to the first open question that its text fits, or nothing.

    A plain yes or no decides on what is asked to be allowed, if that is a single thing.
    """
    asked = [each for each in asked if each.question.page_call is None]
    to_decide = [each for each in asked if _asks_to_decide(each)]
    for request in asked:
        if _asks_to_decide(request):
            answer = _decided(request, message) if len(to_decide) == 1 else None
        else:
            answer = _text(request, message)
        if answer is not None:
            return {request.request_id: answer}
    return {}


def is_no_answer(message: str) -> bool:
    """Tell whether a message calls off what is asked, turns to something else, or asks back."""
    text = message.casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    clause, *_ = re.split(r"[,.;:!?\n]| [-\N{EN DASH}\N{EM DASH}] ", _unpadded(text), maxsplit=1)
    clause = clause.strip().removesuffix(" please")
    words = len(text.split())
    if _CALLS_OFF.match(clause) or (_STOPS.fullmatch(clause) and clause not in _STOPS_ALONE):
        return True
    if _TURNS_AWAY.match(clause) and words >= _SHORTEST_REQUEST:
        return True
    return text.rstrip().endswith("?") and words >= _SHORTEST_QUESTION and bool(_ASKS.match(clause))


def _unpadded(text: str) -> str:
    """Return a text without the words in front that say nothing: "oh no, wait" is "wait"."""
    text = text.strip()
    while (word := re.match(r"[\w']+", text)) and word.group() in _PADDING and word.end() < len(text):
        text = text[word.end() :].lstrip(" ,.!-")
    return text


def _asks_to_decide(request: InputRequest) -> bool:
    question = request.question
    return request.permission is not None or question.review is not None or question.schema == DECISION_SCHEMA


def _decided(request: InputRequest, message: str) -> Mapping[str, Any] | None:
    decision = _decision_in(message)
    review = request.question.review
    if review is None:
        return {"decision": decision} if decision else None
    if len(review.actions) > 1:
        return None
    action = next(iter(review.actions))
    if action.decisions == ("respond",) and not is_no_answer(message):
        return _fitting(request, {"decision": "respond", "note": message})
    return _fitting(request, {"decision": decision}) if decision in action.decisions else None


def _decision_in(message: str) -> Decision | None:
    """Return what every clause of a message says, None unless all say the same."""
    text = message.casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    clauses = [_unpadded(each).removesuffix(" please") for each in re.split(r"[,.;!]+|\band\b", text)]
    said = [each for each in clauses if each and (each == "no" or each not in _POLITE)]
    if said and all(_YES.fullmatch(each) for each in said):
        return "allow"
    return "deny" if said and all(_NO.fullmatch(each) for each in said) else None


def _text(request: InputRequest, message: str) -> Mapping[str, Any] | None:
    if asks_for_text(request.question) and is_no_answer(message):
        return None
    return answer_in_words(request.question, message)


def _fitting(request: InputRequest, answer: Mapping[str, Any]) -> Mapping[str, Any] | None:
    try:
        return checked(request.question, answer)
    except BadInput:
        return None


# --- pausing -------------------------------------------------------------------------------------------


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

_PAGE_CALL = "page:"
"""The beginning of the id of a pause for a call that the page executes."""

_BREAKPOINT = "breakpoint:"
"""The beginning of the id of a pause at a breakpoint; no interrupt's id has a colon."""


def _no_input(_answers: Mapping[str, Any]) -> Any:
    return None


class PausableRun:
    """One run of a task's graph, from its start or its checkpoint. `paused` says how it ended.

    `declined` holds the question at a breakpoint after which the user did not let the graph go on.
    `breakpoints` are those of this run, beside those that the graph is compiled with.

    `agent_of` returns the agent of a branch of the graph, given its id and namespace. `thread` is what it
    begins from and commits its steps to, and `tools` follows the tools that it calls. `told_by_page` returns
    the input with which a graph that has ended with calls for the page goes on, given the answers by call.
    """

    def __init__(
        self,
        context: TaskContext,
        *,
        agent_of: Callable[[str, str], str],
        tools: FollowedTools | None = None,
        keep_history: bool = False,
        thread: ThreadWriter | None = None,
        told_by_page: Callable[[Mapping[str, Any]], Any] = _no_input,
    ) -> None:
        self.paused = False
        self.declined: Question | None = None
        self._thread = thread
        self._context = context
        self._agent_of = agent_of
        self._tools = tools
        self._keep_history = keep_history
        self._begins_anew = False
        self._told_by_page = told_by_page
        self.breakpoints: Mapping[str, Any] = {}

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
        stored = await self._context.stored.checkpoint(self._context.task.turn)
        with _readable():
            held = calls_in(stored.body) if stored is not None else None
        if stored is None or held is None:
            return []
        calls = self._context.tool_calls.values()
        made = [each for each in calls if each.observed and each.begun and each.call_id not in held]
        before = self._thread.before if self._thread is not None else None
        if made and before is not None and before.step.step_id not in steps_in(stored.body):
            self._begins_anew = True
            self._context.inputs.take_answers()  # the run before had got them
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
        stored = await self._context.stored.checkpoint(self._context.task.turn) if self.is_resumed else None
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
            answers = self._context.inputs.take_answers()
            self.breakpoints = breakpoints_in(
                *(answer for pause_id, answer in answers.items() if _is_breakpoint(pause_id))
            )
            self.declined = self._declined_of(answers)
            if self.declined is not None:
                return None
            if any(map(_is_page_call, answers)):
                if left := {each.pause_id for each in self._context.inputs.open}:
                    self.paused = True
                    rest(self._context, left, self._to_bytes())
                    return None
                given = self._told_by_page(self._page_answers())
            else:
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
        """Run a graph that `invoke` has run once more, from the state that it left; as `invoke` does."""
        # "sync", since LangGraph's "async" writes a checkpoint while the next step runs: a node could ask
        # before the checkpoint that its question is stored with is complete.
        whole: Any = graph  # whose many signatures do not fit options by name
        state: Any = await whole.ainvoke(
            given,
            configuration,
            context=context,
            durability="sync",
            stream_mode=stream_mode,
            **self.breakpoints,
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

    async def ask_page(self, graph: Graph, configuration: Any, asked: Sequence[Asked], agent: str) -> None:
        """Have the page execute calls that a graph has ended with; the run goes on with their results.

        Raises `TypeError` for arguments without a JSON form, and as `ask`.
        """
        ended = await graph.aget_state(configuration)
        self.paused = True
        self._saver.encode()
        place: Any = ended.config.get("configurable", {})
        pauses: set[str] = set()
        for call in asked:
            # Many models give the calls of each answer the same ids.
            pause_id = f"{_PAGE_CALL}{place['checkpoint_id']}:{call['id']}"
            pauses.add(pause_id)
            question = page_question(call, agent=agent)
            ask(self._context, question, pause_id=pause_id, branch=pause_id, checkpoint=self._to_bytes)
        rest(self._context, pauses, self._to_bytes())

    def _page_answers(self) -> dict[str, Any]:
        """Return the answers to all calls that the graph has ended with the last time, by their ids."""
        asked = [each for each in self._context.inputs.all if _is_page_call(each.pause_id)]
        calls = [(each, each.question.page_call) for each in asked]
        return {call.call_id: each.graph_value for each, call in calls if call is not None}

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
            question_of(interrupt, agent=agent)
            if call is None
            else Question(agent=call.agent, prompt=call.asks["prompt"], schema=DECISION_SCHEMA),
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
        raise GraphFailedError(_UNREADABLE.format(describe_error(error))) from error


def _resumed(answers: Mapping[str, Any]) -> "Command[Any] | None":
    """Return the input that resumes a graph; without answers, None has LangGraph run what is unfinished."""
    given = {pause_id: answer for pause_id, answer in answers.items() if not _is_breakpoint(pause_id)}
    return Command(resume=given) if given else None


def _is_page_call(pause_id: str) -> bool:
    return pause_id.startswith(_PAGE_CALL)


def breakpoints_in(*given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the breakpoints that come with a message, or with the answer that has a graph go on."""
    names = ("interrupt_before", "interrupt_after")
    return {name: each[name] for each in given for name in names if each.get(name)}


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


def _permission_for(call: ToolCall) -> Permission:
    return Permission(call_id=call.call_id, tool=call.tool, key=call.key, facts=call.asks["facts"])
