"""Tells whether the runs of a graph can take messages in, and which of its nodes ask a model."""

import ast
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from itertools import takewhile
from typing import Any, cast

import structlog
from langchain_core.language_models import BaseLanguageModel
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langgraph.graph import START
from langgraph.prebuilt import ToolNode
from langgraph.pregel import Pregel

from ..domain.task import TakenIn, Task
from ..store.records import Record
from ..tasks.inbox import Inbox
from ..tasks.task_context import TaskContext
from .followed_models import BETWEEN, PREPARING
from .graph_input import GraphInput
from .graph_options import Graph
from .graph_output import GraphReply
from .history_repair import ends_with_answer, ids_of, open_calls
from .langgraph_internals import Boundary, adds_to, graphs_within
from .node_code import RUNNABLE, Body, Code, Made, codes_in, functions_in, is_of_library, package_of

_NO_THREAD = "it is compiled with checkpointer=False"
_NO_CONVERSATION = "its state has no conversation that messages are added to"
PENDING = "pending_messages"
"""The function by which a node takes messages in itself."""

_MOST_CODES = 200
"""Functions of one node that are looked at."""

_ONE_STEP = "it has one node, after which nothing follows"


def why_not_steered(graph: Graph, takes: GraphInput) -> str:
    """Return why the runs of a graph can take no message in; "" if they can."""
    outermost: Any = graph
    if reads_pending(graph):
        return ""
    if graph.checkpointer is False:
        return _NO_THREAD
    builder: Any = getattr(graph, "builder", None)
    if builder is None or not adds_to(outermost, takes.conversation_field):
        return _NO_CONVERSATION
    nodes = {name: node.bound for name, node in graph.nodes.items() if name != START}
    goes_on = (
        len(nodes) > 1
        or any(map(builder.branches.get, nodes))
        or any(begin == end for begin, end in builder.edges)
    )
    # The graph that a node runs has steps of its own.
    if not (goes_on or any(isinstance(part, Pregel) for bound in nodes.values() for part in _parts(bound))):
        return _ONE_STEP
    return ""


class ModelNodes(set[tuple[str, ...]]):
    """The nodes that have asked a model, by their paths."""

    def __init__(self) -> None:
        super().__init__()
        self._may: dict[tuple[str, ...], bool] = {}
        self._may_answer: dict[tuple[str, ...], bool] = {}

    def may(self, path: tuple[str, ...], runs: Any) -> bool:
        """Tell whether the code of a node names a model, or what may hold one: a chain, an agent, a graph."""
        known = self._may.get(path)
        if known is None:
            known = self._may[path] = any(map(_may_ask, _parts(runs)))
        return known

    def may_answer(self, path: tuple[str, ...], runs: Any, channel: str) -> bool:
        """Tell whether a node may add to the conversation, by what its functions return."""
        known = self._may_answer.get(path)
        if known is None:
            # A chain returns the result of its last part.
            codes = [*codes_in(runs)] if _is_function(runs) else []
            known = not codes or any(_may_return(channel, code.body) for code in codes)
            self._may_answer[path] = known
        return known


def reads_pending(graph: Graph) -> bool:
    """Tell whether a node of a graph, or of one within it, calls `pending_messages`."""
    graphs = [graph, *graphs_within(graph).values()]
    bound = (node.bound for each in graphs for node in each.nodes.values())
    values = (value for each in bound for value in _parts(each, reads_libraries=False))
    return any(getattr(value, "__name__", "") == PENDING for value in values)


def _may_return(channel: str, body: Body) -> bool:
    """Tell whether a function may return an update of a channel; so does what cannot be read."""
    if isinstance(body, ast.Lambda):
        return _may_update(channel, body.body)
    parts: list[ast.AST] = [*body.body]
    while parts:
        part = parts.pop()
        if isinstance(part, ast.Return) and _may_update(channel, part.value):
            return True
        if not isinstance(part, Body | ast.ClassDef):
            parts += ast.iter_child_nodes(part)
    return False


def _may_update(channel: str, value: ast.AST | None) -> bool:
    match value:
        case None | ast.Constant():
            return False
        case ast.Dict():
            return any(not isinstance(key, ast.Constant) or key.value == channel for key in value.keys)
        case ast.Call(func=ast.Name(id="Command"), args=[]):
            updates = [each.value for each in value.keywords if each.arg in ("update", None)]
            return any(_may_update(channel, each) for each in updates)
        case _:
            return True


def _parts(bound: Any, *, reads_libraries: bool = True) -> Iterator[Any]:
    """Yield the runnable of a node, and the values of names in its functions and those that they use.

    Without `reads_libraries`, of LangChain's own functions only the values that they close over.
    """
    yield bound
    try:
        yield from _named_in(bound, reads_libraries)
    except Exception:  # noqa: BLE001 - whatever foreign code holds: what it asks is seen when it runs
        return


def _named_in(bound: Any, reads_libraries: bool) -> Iterator[Any]:
    codes, seen = [*functions_in(bound)], set[Any]()
    while codes and len(seen) < _MOST_CODES:
        code = codes.pop()
        if code.function in seen:
            continue
        seen.add(code.function)
        reads = reads_libraries or not is_of_library(code.function)
        for value in _values_in(code) if reads else code.enclosed.values():
            yield value
            if package_of(value) == package_of(code.function):
                codes += functions_in(value)


def _values_in(code: Code) -> Iterator[Any]:
    for node in ast.walk(code.body) if code.is_readable else ():
        loads = isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
        if loads or isinstance(node, ast.Call):  # a model that the node makes
            yield code.value(node)


def _may_ask(value: Any) -> bool:
    if isinstance(value, BaseTool | ToolNode):
        return False
    if isinstance(value, BaseLanguageModel | Pregel) or value is RUNNABLE:
        return True
    if isinstance(value, Made):
        return isinstance(value.by, type) and issubclass(value.by, BaseLanguageModel)
    # A function made a runnable asks what its code says.
    return isinstance(value, Runnable) and not _is_function(value)


def _is_function(runnable: Any) -> bool:
    """Tell whether a runnable is made of a function, plain, async or both."""
    return [getattr(runnable, name, None) for name in ("func", "afunc")] != [None, None]


# --- taking in -----------------------------------------------------------------------------------------
# Has a run take in the messages that are to steer it, each at the first boundary where that is safe.
#
# A boundary is where all nodes of a step have ended and the next step has not begun. It is safe if the next
# step asks a model, so that somebody reads the message; if no tool call is open, since providers refuse a
# message between a call and its result; and if the graph does not stop there to ask its user. The message
# is one more write of the step, and stored with it in one transaction; nothing is cancelled or begun anew.
#
# A graph within takes messages in if what it says is the reply. Its state is not stored step by step. So
# its task stores which messages the run has taken in (`Task.took_in`), and one that is not in the
# conversation of a later attempt is given to it again.
#
# `PregelLoop.after_tick` is the one place where all of that is known, and it is private (langgraph 1.2.22).


AsksModel = Callable[[tuple[str, ...], Any, bool], bool]
"""Whether a node asks a model whose text may be the reply, by its path and its runnable.

And if that is True, whether a conversation may go on with it that ends with an answer.
"""

_log = structlog.get_logger(__name__)


class TakingIn:
    """Takes messages into the `channel` of one run. Without a channel its nodes do, by `read`.

    `known` are the ids of the messages in the conversation that the run begins with; without a conversation
    that is kept, `is_stored` is False.
    """

    def __init__(
        self,
        context: TaskContext,
        inbox: Inbox,
        *,
        channel: str,
        asks_model: AsksModel,
        known: Callable[[], set[Any]],
        is_stored: bool = True,
    ) -> None:
        self._context = context
        self._inbox = inbox
        self._channel = channel
        self._asks_model = asks_model
        self._is_stored = is_stored
        self._taken: list[Task] = []
        self._nodes: Sequence[str] = ()
        self._step: int | None = None
        self._thread = threading.get_ident()
        # By which run of a node each message was taken in: one that is retried has lost it.
        self._places: dict[str, tuple[str, int]] = {}
        self._given = set[str]()  # to its nodes
        # The outermost conversation is given nothing twice: a summary may have taken the place of it.
        self._had: set[Any] = known() if context.task.took_in else set()
        taken = [each for each in context.task.took_in if each.within or not (each.before or is_stored)]
        self._owed = [each for each in taken if each.message_id not in self._had]

    # --- by the rule -----------------------------------------------------------------------------------

    def at(self, boundary: Boundary) -> None:
        """Take in what waits, if this boundary is safe. Never raises for what waits."""
        if not (self._inbox.waiting or self._context.task.took_in) or not self._channel:
            return
        # A graph within that a plain node calls has its steps in a thread.
        if self._context.closed or self._taken or threading.get_ident() != self._thread:
            return
        if not boundary.namespace:
            self._bring_out(boundary)
        said = self._said_if_safe(boundary)
        if said is None:
            return
        ids = ids_of(said)
        again = [each for each in self._missing(boundary) if each.message_id not in ids]
        taken = self._inbox.take(self._context.task.graph)
        if not (again or taken):
            return
        messages = [_as_said(each.text, each.message_id, said) for each in again]
        messages += [_as_said(each.message, each.message_id, said) for each in taken]
        try:
            boundary.value(self._channel, messages)
        except Exception as error:  # noqa: BLE001 - a reducer of the graph's own: the run goes on without
            _log.warning("a graph refuses to take a message in", reason=str(error))
            self._inbox.put_back(taken)
            return
        boundary.write(self._channel, messages)
        # They are answered by steps that the run had not counted on.
        boundary.grant_steps()
        self._places |= {each.message_id: boundary.run_of_node for each in (*again, *taken)}
        if not boundary.namespace:
            self._had |= {each.message_id for each in again}
        self._owed = []
        self._taken, self._nodes = [*taken], boundary.nodes
        self._step = None if boundary.namespace else boundary.step
        if boundary.namespace:
            self._context.record(*self.records(within=True))

    @property
    def _not_out(self) -> list[TakenIn]:
        taken = self._context.task.took_in
        return [each for each in taken if each.within and each.message_id not in self._had]

    def _bring_out(self, boundary: Boundary) -> None:
        """Add the messages taken in by a graph within to the conversation, before the text of its node."""
        within = self._not_out
        if not within or not boundary.adds_to(self._channel):
            return
        said: Any = boundary.value(self._channel)
        before: Any = boundary.before_step(self._channel)
        if {type(said), type(before)} != {list} or open_calls(before):
            return
        self._had |= ids_of(said)
        missing = self._not_out
        messages = [_as_said(each.text, each.message_id, said) for each in missing]
        try:
            if missing and boundary.write_first(self._channel, messages):
                self._had |= {each.message_id for each in missing}
        except Exception as error:  # noqa: BLE001 - a reducer of the graph's own: its conversation goes without
            _log.warning("a graph refuses what one within it has taken in", reason=str(error))

    def _said_if_safe(self, boundary: Boundary) -> "list[Any] | None":
        if PREPARING in boundary.nodes:
            return None  # the prompt is made by now
        following = boundary.following
        if not boundary.adds_to(self._channel) or boundary.stops_before(following):
            return None
        said: Any = boundary.value(self._channel)
        if not isinstance(said, list) or open_calls(said):  # pyright: ignore[reportUnknownArgumentType]
            return None
        # Behind a last answer a node may ask a model about it: to judge it, to remember it.
        is_answered = ends_with_answer(said)  # pyright: ignore[reportUnknownArgumentType]
        nodes = (((*boundary.path, name), runs) for name, runs in following.items())
        return said if any(self._asks_model(path, runs, is_answered) for path, runs in nodes) else None  # pyright: ignore[reportUnknownVariableType]

    def _missing(self, boundary: Boundary) -> list[TakenIn]:
        """Return the messages taken in before that this conversation may lack.

        The outermost one may lack those that a graph within has taken in, and has not returned.
        """
        if not boundary.namespace:
            return [*self._not_out, *self._undone(boundary.step)]
        taken = [each for each in self._context.task.took_in if not each.before]
        run, attempt = boundary.run_of_node
        before = ((each, self._places.get(each.message_id)) for each in taken)
        lost = [each for each, at in before if at is not None and at[0] == run and at[1] < attempt]
        return [*self._owed, *lost]

    def _undone(self, step: int) -> list[TakenIn]:
        """Return the messages that the run took in at this step before, or at a later one.

        After a kill a run that had asked goes on from its question, without the steps that came after it.
        """
        taken = self._context.task.took_in
        return [each for each in taken if each.step is not None and each.step >= step]

    # --- by its nodes ----------------------------------------------------------------------------------

    def read(self, node: str, step: int | None) -> list[TakenIn]:
        """Take in what waits for a node that reads it; to be called on the event loop.

        `step` is that of the node, None in a graph within. Returns what an earlier attempt has read, too, if
        the step that had read it is not there.
        """
        again = self._owed
        if self._is_stored:
            undone = self._undone(step) if step is not None else []
            again = [each for each in undone if each.message_id not in self._given]
        self._owed = []
        taken = [] if self._context.closed else [*self._inbox.take(self._context.task.graph)]
        self._taken += taken
        self._nodes, self._step = (node,), step
        self._given |= {each.message_id for each in (*again, *taken)}
        if not self._is_stored:
            self._context.record(*self.records())
        return again + [TakenIn(message_id=each.message_id, text=each.message) for each in taken]

    # --- how it is stored ------------------------------------------------------------------------------

    def records(self, *, within: bool = False) -> list[Record]:
        """Return the records to store with the step that is about to be stored: its messages are taken in."""
        taken, self._taken = self._taken, []
        if not taken:
            return []
        records = self._context.take_in(
            taken, self._nodes, within=within, step=None if within else self._step
        )
        self._inbox.taken_in(taken)
        return records

    def end(self) -> None:
        """Give back the messages taken, if the run ends before the step was stored."""
        self._inbox.put_back(self._taken)
        self._taken = []


def _as_said(text: str, message_id: str, said: Sequence[Any]) -> Any:
    """Return a message in the form of those before it."""
    if said and isinstance(said[-1], Mapping):
        return {"role": "user", "content": text, "id": message_id}
    return HumanMessage(text, id=message_id)


# --- unanswered ----------------------------------------------------------------------------------------
# Has a run go on that would end with a message which it has taken in and has not answered.
#
# A node is known to ask a model by its code and by its earlier runs; this time it may not have. Then
# nothing stands behind the message in the conversation. The graph runs once more with it, as for a message
# of its own, and the reply is what it has answered before and since.


class Unanswered:
    """The messages that one run has taken in and left without an answer; `wrote` as `GraphReply` has it."""

    def __init__(
        self, reply: GraphReply, takes: GraphInput, context: TaskContext, *, wrote: Set[str] | None
    ) -> None:
        self._reply = reply
        self._takes = takes
        self._context = context
        self._wrote = wrote
        self._seen = set[str]()
        self._answers: list[str] = []

    def again(self, state: Any) -> Any:
        """Return the input for a graph that has ended in this state, to go on with; None if it need not."""
        left = self._left(state)
        # Once for each: the graph may have its reasons not to answer.
        if not left or left[-1].message_id in self._seen:
            return None
        self._seen |= {each.message_id for each in left}
        self._answers.append(self._before(left, state))
        values: dict[str, Any] = {
            "message": left[-1].text,
            "messages": [],  # they are in the conversation
            "user_id": self._context.user_id,
            "previous_context": None,
            "partial_results": {},
        }
        return self._takes.of(values, {})

    def reply(self, state: Any) -> str:
        """Return the reply in the final state, behind what was answered before the run went on."""
        found = self._reply.found(state, self._context.task.message, wrote=self._wrote)
        said = BETWEEN.join(filter(None, [*self._answers, found]))
        return said or self._reply.of(state, self._context.task.message, wrote=self._wrote)

    def _left(self, state: Any) -> list[TakenIn]:
        # A graph within has read its messages.
        took_in = self._context.task.took_in
        taken = {each.message_id: each for each in took_in if not (each.before or each.within)}
        if not taken or self._takes.brought_field or not self._takes.wants("messages"):
            return []
        said = self._said(state)
        names = (next(iter(ids_of([each]))) for each in reversed(said))
        left = [taken[name] for name in takewhile(taken.__contains__, names)][::-1]
        # Some graphs answer elsewhere than in their conversation.
        if not left or not any(map(_is_of_an_agent, said)):
            return []
        return [] if self._reply.found(state, self._context.task.message, wrote=self._wrote) else left

    def _before(self, left: Sequence[TakenIn], state: Any) -> str:
        said = self._said(state)[: -len(left)]
        shorter = {**state, self._takes.conversation_field: said}
        is_answer = bool(said) and _is_of_an_agent(said[-1])
        return self._reply.found(shorter, self._context.task.message) if is_answer else ""

    def _said(self, state: Any) -> Sequence[Any]:
        whole: Mapping[str, Any] = state if isinstance(state, Mapping) else {}  # pyright: ignore[reportUnknownVariableType]
        said: Any = whole.get(self._takes.conversation_field)
        return said if isinstance(said, list) else ()  # pyright: ignore[reportUnknownVariableType]


def _is_of_an_agent(said: Any) -> bool:
    # In some graphs agents speak as users do, with a name: many models refuse to continue their own message.
    is_given = isinstance(said, Mapping)
    name = cast("Mapping[str, Any]", said).get("name") if is_given else getattr(said, "name", None)
    return bool(name and not isinstance(said, ToolMessage)) or ends_with_answer([said])
