"""Has a run take in the messages that are to steer it, each at the first boundary where that is safe.

A boundary is where all nodes of a step have ended and the next step has not begun. It is safe if the next
step asks a model, so that somebody reads the message; if no tool call is open, since providers refuse a
message between a call and its result; and if the graph does not stop there to ask its user. The message is
one more write of the step, and stored with it in one transaction; nothing is cancelled or begun anew.

A graph within takes messages in if what it says is the reply. Its state is not stored step by step. So its
task stores which messages the run has taken in (`Task.took_in`), and one that is not in the conversation of
a later attempt is given to it again.

`PregelLoop.after_tick` is the one place where all of that is known, and it is private (langgraph 1.2.22).
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import structlog
from langchain_core.messages import HumanMessage

from ..domain.task import TakenIn, Task
from ..log.state_store.records import Record
from ..tasks.inbox import Inbox
from ..tasks.task_context import TaskContext
from .langgraph_internals import Boundary
from .replying import PREPARING
from .said_before import ends_with_answer, ids_of, open_calls

AsksModel = Callable[[tuple[str, ...], Any, bool], bool]
"""Tells whether a node asks a model whose text may be the reply, by its path and by what it runs.

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
        """Add what a graph within has taken in to the conversation, before what its node says."""
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
        """Return what the run has taken in before, and this conversation may lack.

        The outermost graph's may lack what a graph within has taken in, and has not returned.
        """
        if not boundary.namespace:
            return [*self._not_out, *self._undone(boundary.step)]
        taken = [each for each in self._context.task.took_in if not each.before]
        run, attempt = boundary.run_of_node
        before = ((each, self._places.get(each.message_id)) for each in taken)
        lost = [each for each, at in before if at is not None and at[0] == run and at[1] < attempt]
        return [*self._owed, *lost]

    def _undone(self, step: int) -> list[TakenIn]:
        """Return what the run has taken in at this step before, or at a later one.

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
        """Return what is to be stored with the step, which is about to be: from now on it is taken in."""
        taken, self._taken = self._taken, []
        if not taken:
            return []
        records = self._context.take_in(
            taken, self._nodes, within=within, step=None if within else self._step
        )
        self._inbox.taken_in(taken)
        return records

    def end(self) -> None:
        """Give back what was taken, if the run ends before the step was stored."""
        self._inbox.put_back(self._taken)
        self._taken = []


def _as_said(text: str, message_id: str, said: Sequence[Any]) -> Any:
    """Return a message in the form of those before it."""
    if said and isinstance(said[-1], Mapping):
        return {"role": "user", "content": text, "id": message_id}
    return HumanMessage(text, id=message_id)
