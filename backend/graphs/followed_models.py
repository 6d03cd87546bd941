"""Streams the text of a run's models, as LangChain reports it to a callback handler.

A model streams although its node only awaits the whole answer. The text of a replying node is the reply, that
of any other is shown as its node's. Of two answers of replying nodes at once, the first is the reply.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from ..domain.events import Speaker
from ..domain.model_usage import REFUSED, MeteredCall, reported_usage
from ..tasks.task_context import TaskContext
from .graph_options import Graph
from .langgraph_internals import graphs_within, namespace_of, nodes_of
from .told_messages import ToldMessages

# --- replying ------------------------------------------------------------------------------------------
# The nodes of a graph that speak to the user: those from which the run may end.
#
# A graph does not declare which of its models writes the reply. A node with an edge to the end does; the text
# of any other, such as a planner, is work. The rule is read from the drawn graphs, once.

_END = "__end__"
HOOKS = (".before_agent", ".before_model", ".after_model", ".after_agent", "post_model_hook")
"""How `create_agent` names the nodes of its middleware, which run before and after its model.

And `create_react_agent`, before it, the one that runs after.
"""

PREPARING = "pre_model_hook"
"""How `create_react_agent` names the node that may make its model's prompt of the conversation."""

_AGENT = "agent"
"""How it names the node of its model."""


class ReplyingNodes:
    """The nodes of a graph, and of the graphs within it, from which a run may end."""

    def __init__(self, graph: Graph) -> None:
        self._by_place: dict[tuple[str, ...], Set[str]] = {
            (): _before_the_end(graph),
            **{
                tuple(place.split("|")): _before_the_end(each) for place, each in graphs_within(graph).items()
            },
        }

    def include(self, path: tuple[str, ...]) -> bool:
        """Tell whether a node replies, given the names of the nodes from the outermost one to it.

        Of a graph that a node starts by itself nothing is known: its text is that of the node.
        """
        if path[-1:] == (PREPARING,):
            path = (*path[:-1], _AGENT)
        return all(
            name in self._by_place[path[:depth]]
            for depth, name in enumerate(path)
            if self._by_place.get(path[:depth])
        )


def _before_the_end(graph: Any) -> Set[str]:
    """Return the nodes with an edge to the end; middleware is passed through on the way there."""
    sources: dict[str, set[str]] = {}
    try:
        edges = graph.get_graph().edges
    except UnboundLocalError:  # LangGraph 1.2.22 cannot draw a graph that ends in its first step
        return set()
    for edge in edges:
        sources.setdefault(edge.target, set()).add(edge.source)
    found: set[str] = set()
    to_visit = [*sources.get(_END, ())]
    while to_visit:
        name = to_visit.pop()
        if name not in found:
            found.add(name)
            if name.endswith(HOOKS):
                to_visit += sources.get(name, ())
    return found


# --- followed models -----------------------------------------------------------------------------------


NOSTREAM = "nostream"
"""The tag of a model whose text is not streamed, as on LangGraph's own server."""

BETWEEN = "\n\n"
"""What stands in the reply between the texts of two messages."""


@dataclass(slots=True)
class _Answer:
    """An answer in progress; `by` is known from its first piece on, `length` are its characters so far.

    A structured answer is for a program; its node says what it makes of it.
    """

    nodes: tuple[str, ...]
    namespace: str
    is_hidden: bool
    is_structured: bool
    meter: MeteredCall
    by: Speaker | None = None
    length: int = 0


class _Unclaimed:
    """The text of a node's models that the node has not yet said itself."""

    # Joined only when the node says something: adding to one string copies it for each piece.
    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._text, self._claimed = "", 0

    def add(self, text: str) -> None:
        self._pieces.append(text)

    def claim(self, text: str) -> bool:
        """Take this text from the front; return whether it was there."""
        if self._pieces:
            self._text = self._text[self._claimed :] + "".join(self._pieces)
            self._pieces, self._claimed = [], 0
        if not self._text.startswith(text, self._claimed):
            return False
        self._claimed += len(text)
        return True


class FollowedModels:
    """Follows the models of one run, on its event loop."""

    def __init__(
        self,
        context: TaskContext,
        replying: ReplyingNodes,
        told: ToldMessages,
        asking: set[tuple[str, ...]] | None = None,
    ) -> None:
        """Note in `asking` the paths of the nodes that ask a model."""
        self._context = context
        self._told = told
        self._asking = set[tuple[str, ...]]() if asking is None else asking
        self._replying = replying
        self._answers: dict[UUID, _Answer] = {}
        self._replies: UUID | None = None
        self._unclaimed: dict[str, _Unclaimed] = {}

    @property
    def is_interrupted(self) -> bool:
        """Whether the task of the run was interrupted, or suspended for the next process."""
        return self._context.reason is not None or self._context.life.suspended

    def claims(self, text: str, node: str) -> bool:
        """Tell whether a text of a node is its model's, and was streamed already."""
        unclaimed = self._unclaimed.get(node)
        return unclaimed is not None and unclaimed.claim(text)

    def begin(
        self,
        run_id: UUID,
        sent: Callable[[], int],
        tags: Sequence[str],
        metadata: Mapping[str, Any],
        *,
        is_structured: bool = False,
    ) -> None:
        """Follow an answer; that of a model tagged `nostream` is not shown.

        `sent` counts the characters that the model is sent, if its service does not report them.
        """
        nodes = nodes_of(metadata)
        self._asking.update(nodes[:depth] for depth in range(1, len(nodes) + 1))
        meter = self._context.trace.usage.begin(
            sent,
            provider=str(metadata.get("ls_provider") or ""),
            model=str(metadata.get("ls_model_name") or ""),
            agent=nodes[0] if nodes else "",
        )
        namespace = namespace_of(metadata).rpartition("|")[0]
        self._answers[run_id] = _Answer(nodes, namespace, NOSTREAM in tags, is_structured, meter)

    def count(self, run_id: UUID, characters: int) -> None:
        """Count a piece of an answer that is no text: a part of a tool call, or of its reasoning."""
        answer = self._answers.get(run_id)
        if answer is not None:
            answer.meter.received += characters

    def ask(self, run_id: UUID, chunks: Sequence[Any], message_id: str | None) -> None:
        """Tell pieces of tool calls. Raises `TooMuchShownError`."""
        answer = self._answers.get(run_id)
        if answer is not None and not (answer.is_hidden or answer.is_structured):
            self._told.asked(self._by(run_id, answer, message_id), chunks)

    def say(self, run_id: UUID, text: str, message_id: str | None) -> None:
        """Say a piece of an answer. Raises `TooMuchShownError`."""
        answer = self._answers.get(run_id)
        if answer is None:
            return
        answer.meter.received += len(text)
        if answer.is_hidden:
            return
        if not text.isascii():
            text = text.encode(errors="replace").decode()  # a model may say half a character
        context, by = self._context, self._by(run_id, answer, message_id)
        if by.is_reply and self._replies not in (None, run_id):
            by = answer.by = by._replace(is_reply=False)  # another one has begun to reply since it was known
        if by.is_reply and not answer.length:
            self._replies = run_id
            if context.partial_results.text_length:
                context.say(BETWEEN)
        context.say(text, by=by, offset=None if by.is_reply else answer.length)
        if not answer.is_structured:
            self._told.said(by, text)
        answer.length += len(text)
        outermost = answer.nodes[0] if answer.nodes else ""
        self._unclaimed.setdefault(outermost, _Unclaimed()).add(text)

    def _by(self, run_id: UUID, answer: _Answer, message_id: str | None) -> Speaker:
        """Return whose answer it is; whether it replies is decided with its first piece."""
        if answer.by is None:
            may_reply = self._replies is None and not answer.is_structured
            is_reply = may_reply and self._replying.include(answer.nodes)
            node = answer.nodes[-1] if answer.nodes else ""
            answer.by = Speaker(node, message_id or f"run-{run_id}", is_reply, answer.namespace)
        return answer.by

    def end(
        self,
        run_id: UUID,
        message: Any,
        whole: str,
        message_id: str | None,
        usage: Mapping[str, Any] | None,
        *,
        not_shown: int = 0,
    ) -> None:
        """End an answer; say it if it did not come in pieces. Raises `TooMuchShownError`.

        `not_shown` are the characters of its tool calls and of its reasoning.
        """
        answer = self._answers.get(run_id)
        if answer is None:
            return
        try:
            if not answer.length and whole:
                self.say(run_id, whole, message_id)
            if message is not None and not (answer.is_hidden or answer.is_structured):
                self._told.ended(self._by(run_id, answer, message_id), message)
        finally:
            answer.meter.received = len(whole) + not_shown
            answer.meter.end(reported_usage(usage, received=answer.meter.received))
            self._let_go(run_id)

    def fail(self, run_id: UUID, *, refused: bool = False) -> None:
        """End an answer that was cut short, or `refused` by its service with a status."""
        answer = self._answers.get(run_id)
        if answer is not None:
            # A refused call is not charged, unless it had begun to answer.
            is_free = refused and not answer.meter.received
            answer.meter.end(REFUSED if is_free else None, failed=not self.is_interrupted)
        self._let_go(run_id)

    def _let_go(self, run_id: UUID) -> None:
        self._answers.pop(run_id, None)
        if self._replies == run_id:
            self._replies = None
