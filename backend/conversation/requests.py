"""What a user has asked for: the requests of a conversation with their results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..domain import events
from ..domain.context import KEPT_CONTEXTS
from ..domain.errors import StoreUnavailable
from ..domain.partials import PartialResults, ShownResults
from ..domain.task import Task, sort_results
from ..store.base import StateStore
from ..tasks.task_context import TaskContext
from ..tasks.workflow import Workflow

# --- requests ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PastRequest:
    """The request of an earlier task, which a message may resume."""

    task_id: str
    turn: int
    subject: str
    request: Mapping[str, Any]


class Requests:
    """What a user has asked for.

    - `current`, of a `turn`, and its `subject`: the last request; `earlier`: those before it, latest first:
      the last few subjects, and the last few of any.
    - `latest_task_id`: the last task that was not an aside, without those that were stopped before their turn
      came.
    - `beside`: the last aside after the last request, if any.
    - `called_off`: the user said stop after the last request had ended.
    """

    __slots__ = ("beside", "called_off", "current", "earlier", "latest_task_id", "subject", "turn")

    def __init__(self) -> None:
        self.current: Mapping[str, Any] | None = None
        self.turn = 0
        self.subject: str | None = None
        self.earlier: tuple[PastRequest, ...] = ()
        self.latest_task_id: str | None = None
        self.beside: Task | None = None
        self.called_off = False

    @property
    def past(self) -> tuple[PastRequest, ...]:
        """The last request about each of the last few subjects, latest first, without the current subject."""
        by_subject: dict[str, PastRequest] = {}
        for each in self.earlier:
            if each.subject != self.subject:
                by_subject.setdefault(each.subject, each)
        return tuple(by_subject.values())[:KEPT_CONTEXTS]

    @property
    def alike(self) -> tuple[PastRequest, ...]:
        """The last requests that are not in `past`, latest first: later ones about the same replaced them."""
        past = {each.task_id for each in self.past}
        return tuple(each for each in self.earlier if each.task_id not in past)[:KEPT_CONTEXTS]

    @property
    def remembered(self) -> tuple[PastRequest, ...]:
        """All requests that may be resumed, in the order of `Reading.resumes`."""
        return (*self.past, *self.alike)

    @property
    def turns_with_results(self) -> list[int]:
        """The turns of the requests with a subject: their results are kept."""
        current = [self.turn] if self.subject is not None else []
        return [*current, *(each.turn for each in self.remembered)]

    def set(self, task: Task) -> None:
        """Make a task's request the current one; the one before it becomes past."""
        before: list[PastRequest] = []
        if self.latest_task_id is not None and self.current is not None and self.subject is not None:
            before = [PastRequest(self.latest_task_id, self.turn, self.subject, self.current)]
        earlier = (*before, *self.earlier)
        self._make_current(task)
        self._remember(earlier)
        self.called_off, self.beside = False, None

    def restore(self, tasks: Sequence[Task]) -> None:
        """Make the request of the first of these tasks the current one, and those of the others past."""
        latest, *before = tasks
        self._make_current(latest)
        self._remember(
            [
                PastRequest(task.task_id, task.turn, task.subject, task.request)
                for task in before
                if task.subject is not None and task.request is not None
            ]
        )

    def revise(self, task: Task) -> None:
        """Take over a task's request as an answer or a model has changed it."""
        if task.task_id == self.latest_task_id:
            self.current = task.request
        elif task.request is not None:
            # A later message is queued: this request is past already, and may be resumed.
            revised = PastRequest(task.task_id, task.turn, task.subject or "", task.request)
            self.earlier = tuple(revised if each.task_id == task.task_id else each for each in self.earlier)

    def revise_beside(self, task: Task) -> None:
        """Take over what the last aside's reply has added to its request."""
        if self.beside is not None and task.task_id == self.beside.task_id:
            self.beside = task

    def _make_current(self, task: Task) -> None:
        self.current, self.subject, self.latest_task_id = task.request, task.subject, task.task_id
        self.turn = task.turn

    def _remember(self, earlier: Sequence[PastRequest]) -> None:
        """Keep those of the earlier requests, latest first, that may be resumed."""
        # In two steps, since `remembered` chooses from `earlier`.
        self.earlier = tuple(earlier)
        kept = {each.task_id for each in self.remembered}
        self.earlier = tuple(each for each in earlier if each.task_id in kept)


# --- results -------------------------------------------------------------------------------------------


class EarlierResults(NamedTuple):
    """The results that a task has shown, by agent, and their request."""

    task_id: str
    request: Mapping[str, Any] | None
    found: Mapping[str, list[Any]]


async def read_earlier_results(
    context: TaskContext, store: StateStore, workflow: Workflow
) -> EarlierResults | None:
    """Return the results that were shown before a task, None if there were none.

    Of the task that was interrupted, or whose request is resumed; else of the last one, which has ended by
    itself. None as well if the store cannot be read: a task does not fail for that.
    """
    if workflow.result_sorter(None, context.task.request) is None:
        return None  # the workflow sorts no results: nothing needs to be read
    if context.previous is not None:
        return EarlierResults(context.previous.task_id, context.previous.request, context.previous.items())
    task = context.task
    try:
        before = await store.get_task_metadata(
            task.user_id, task.resumed_task_id or task.previous_task_id or ""
        )
        if before is None:
            return None
        return EarlierResults(before.task_id, before.request, await _found(store, before))
    except StoreUnavailable:
        return None


def sort_earlier_results(context: TaskContext, earlier: EarlierResults, workflow: Workflow) -> None:
    """Record the fates of earlier results, if there are any."""
    result_sorter = workflow.result_sorter(earlier.request, context.task.request)
    results = sort_results(earlier.found, result_sorter) if result_sorter is not None else {}
    if results:
        event = events.results_sorted(
            context.task_id, from_task_id=earlier.task_id, results=results, at=context.now()
        )
        context.revise(results_sorted={"from_task_id": earlier.task_id, "results": results})
        context.record(event, context.task)


def live_results(context: TaskContext) -> ShownResults | None:
    """Return what a task has shown so far; None for an aside."""
    if context.task.aside:
        return None
    return ShownResults(
        task_id=context.task_id,
        request=context.task.request,
        results=context.partial_results.to_json(),
        agents=dict(context.agents),
        is_active=not context.is_ending,
    )


async def stored_results(store: StateStore, user_id: str, task_id: str) -> ShownResults | None:
    """Return what a task has shown, from the store; None for an aside. Raises `StoreUnavailable`."""
    task = await store.get_task_metadata(user_id, task_id)
    if task is None or task.aside:
        return None
    found = await _found(store, task)
    agents = await store.get_progress(user_id, task.turn)
    return ShownResults(task_id=task_id, request=task.request, results=found, agents=agents)


async def _found(store: StateStore, task: Task) -> Mapping[str, list[Any]]:
    saved = await store.get_partials(task.user_id, task.turn)
    return PartialResults(each.found for each in saved if each.found is not None).to_json()
