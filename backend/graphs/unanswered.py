"""Has a run go on that would end with a message which it has taken in and has not answered.

A node is known to ask a model by its code and by its earlier runs; this time it may not have. Then nothing
stands behind the message in the conversation. The graph runs once more with it, as for a message of its own,
and the reply is what it has answered before and since.
"""

from collections.abc import Mapping, Sequence, Set
from itertools import takewhile
from typing import Any, cast

from langchain_core.messages import ToolMessage

from ..domain.task import TakenIn
from ..tasks.task_context import TaskContext
from .followed_models import BETWEEN
from .graph_input import GraphInput
from .graph_reply import GraphReply
from .said_before import ends_with_answer, ids_of


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
        # What a graph within has taken in, it has read.
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
