"""What a run begins from: the newest step of its thread, the step that its message names, or nothing.

The newest is in memory as long as the user's conversation is (`tasks/kept`), and read only if it is not.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..errors import GraphFailedError
from ..log.state_store.base import StateStore
from ..log.state_store.records import THREAD, ForgetCheckpoint, Record
from ..log.state_store.thread_steps import ThreadStep
from ..tasks.stored_reads import StoredCheckpoint, StoredStep
from ..tasks.task_context import TaskContext
from .manifest import Manifest
from .older_threads import step_of_blob
from .threads import UNREADABLE, CommittedStep, Thread

_GONE = (
    "The step {!r} that this message was to begin from is not kept any more: send it without checkpoint_id."
)
_UNREADABLE = "the step that the run was to begin from cannot be read ({})"


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a run begins from: `thread` is None for a fresh state, `fault` says why if there is a newest step.

    `newest` is the number of the thread's newest step. `first` are records to store before the next step.
    """

    thread: Thread | None = None
    newest: int = 0
    first: Sequence[Record] = ()
    fault: str = ""


class StoredThreads:
    """Reads the steps of one user's threads, those of earlier versions included.

    `graphs` are the name of the graph, and those of graphs whose thread it takes over if it has none itself.
    `fault` says why what was to be taken over cannot be.
    """

    def __init__(
        self, graphs: Sequence[str], read_step: StoredStep, read_checkpoint: StoredCheckpoint
    ) -> None:
        self._graphs = graphs
        self._read_step = read_step
        self._read_checkpoint = read_checkpoint
        self.fault = ""

    @classmethod
    def of(cls, graphs: Sequence[str], store: StateStore, user_id: str) -> "StoredThreads":
        """Read from a store."""
        return cls(graphs, partial(store.get_thread_step, user_id), partial(store.get_checkpoint, user_id))

    async def step(self, step_id: str | None) -> ThreadStep | None:
        """Return a step, by default the newest; None if there is none."""
        step = await self._read_step(self._graphs[0], step_id)
        if step is None:
            taken_over, _ = await self.taken_over()
            step = taken_over if taken_over is not None and step_id in (None, taken_over.step_id) else None
        return step

    async def taken_over(self) -> tuple[ThreadStep | None, Sequence[Record]]:
        """Return the newest step of another thread as the first of this one, and the records that make it so.

        None if this thread has steps, or there is no other.
        """
        own, *others = self._graphs
        if await self._read_step(own, None) is not None:
            return None, ()
        for graph in self._graphs:
            step = await self._read_step(graph, None) if graph in others else None
            if step is not None:
                step = replace(step, graph=own, number=1, parent=None)
                return step, (step,)
            blob = None if graph else await self._read_checkpoint(THREAD)
            if blob is not None:
                try:
                    step = replace(step_of_blob(blob.body), graph=own)
                except UNREADABLE as error:
                    self.fault = _UNREADABLE.format(error)
                else:
                    return step, (step, ForgetCheckpoint(THREAD))
        return None, ()


async def beginning_of(context: TaskContext, graphs: Sequence[str], step_id: str | None) -> Beginning:
    """Return what the run of a task begins from: the newest step, or the one of that id; with "" from none.

    A later attempt at the same message begins from the newest: the attempts before have begun from that step.
    Raises `GraphFailedError` if the step is not kept any more.
    """
    stored = StoredThreads(graphs, context.thread_step, context.checkpoint)
    kept = context.kept.threads.get(graphs[0])
    committed = kept if isinstance(kept, CommittedStep) else None
    first: Sequence[Record] = ()
    newest = committed.step if committed is not None else await context.thread_step(graphs[0], None)
    if newest is None:
        newest, first = await stored.taken_over()
    if newest is None:
        if step_id is not None:
            raise GraphFailedError(_GONE.format(step_id))
        return Beginning(fault=stored.fault)
    begun: ThreadStep | None = newest
    if step_id == "" and not _is_of(newest, committed, context):
        return Beginning(None, newest.number, first)
    if step_id not in (None, newest.step_id) and not _is_of(newest, committed, context):
        begun = await context.thread_step(graphs[0], step_id)
        if begun is None:
            raise GraphFailedError(_GONE.format(step_id))
    try:
        if committed is not None and begun is newest:
            return Beginning(Thread.of(committed), newest.number)
        return Beginning(Thread(begun, as_it_went_on=begun is newest), newest.number, first)
    except UNREADABLE as error:
        return Beginning(None, newest.number, first, _UNREADABLE.format(error))


def _is_of(step: ThreadStep, committed: CommittedStep | None, context: TaskContext) -> bool:
    """Tell whether an attempt at the message of a task has committed a step."""
    try:
        manifest = committed.manifest if committed is not None else Manifest.of(step)
    except UNREADABLE:
        return False
    return manifest.asked_in == (context.task.asked_in or context.task_id)
