"""The checkpoints of threads, from which runs may begin; the index of threads."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence, Set
from contextlib import aclosing
from dataclasses import replace
from datetime import timedelta
from typing import Any, NamedTuple, cast

import orjson

from ...domain.encoding import Clock, encode
from ...domain.errors import NotFound
from ...http.services import Services
from ...store.base import Keep, StateStore
from ...store.threads import SavedThread
from ..thread.state import Run, ThreadState
from .views import AFTER, ROOT, Options, beginning_id_of, branch_of, checkpoint_id_of, options_in
from .wire import MOST_METADATA_BYTES, metadata_too_large, size_of

_PAGE = 10
_MOST_TASKS = 200

Step = Mapping[str, Any]


class Fork(NamedTuple):
    """The place where a run begins: after the message of a task, "" for none, at the graph's step if any.

    The step "" is that before everything.

    `repeats` is the task of the message that was next there, if the checkpoint has that message already.
    """

    after: str
    step_id: str | None
    repeats: str | None = None


class Checkpoints:
    """Reads the steps that graphs keep of threads."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def last_steps(self, user_id: str, runs: Sequence[Run]) -> Mapping[str, Step]:
        """Return the newest step of each message's task, by the task; those that are kept.

        Without its messages: of each step of a long thread these are all that was said until then.
        """
        found: dict[str, Step] = {}
        for graph in dict.fromkeys(run.graph for run in runs):
            missing = {run.task_id for run in runs if run.graph == graph}
            async with aclosing(self.steps(user_id, graph)) as steps:
                async for task_id, step in steps:
                    if task_id in missing:
                        missing.remove(task_id)
                        found[task_id] = {**step, "values": rest_of(step)}
                    if not missing:
                        break
        return found

    async def last_step(self, user_id: str, run: Run) -> Step | None:
        """Return the newest step of a run's message, None if none is kept.

        Of a run that ended with a question, the newest at that time: steps after the answer are the next
        run's, and a replay must show the same as before.
        """
        async with aclosing(self.steps(user_id, run.graph)) as steps:
            async for task_id, step in steps:
                if task_id == run.task_id and _is_shown_by(step, run):
                    return step
        return None

    async def before(
        self, user_id: str, graph: str, undone: Set[str], *, unless_newest: bool = False
    ) -> str | None:
        """Return the newest step of a graph's thread that the messages of these tasks have not made.

        "" if they have made all of them, None if there is none at all, or it is the newest `unless_newest`.
        """
        found: str | None = None
        async with aclosing(self.steps(user_id, graph)) as steps:
            async for task_id, step in steps:
                if task_id not in undone:
                    is_newest = found is None
                    return None if is_newest and unless_newest else _id_of(step)
                found = ""
        return found

    async def steps(self, user_id: str, graph: str | None) -> AsyncGenerator[tuple[str, Step], None]:
        """Yield the steps of a graph's thread, newest first, each with its message's task, "" if unknown.

        There are none of the travel assistant.
        """
        served = self._services.graphs
        if served is None:
            return
        tasks = await self._services.store.recent_tasks(user_id, limit=_MOST_TASKS)
        turns = {each.turn: each.asked_in or each.task_id for each in tasks}
        known = graph if graph in served.names else None
        name = known or served.of(await self._services.conversations.last_request(user_id))
        before: str | None = None
        while page := await served.states[name].states(user_id, limit=_PAGE, before=before):
            for each in page:
                step: Step = orjson.loads(encode(each))
                before = _id_of(step)
                yield turns.get(step["metadata"]["turn"], ""), step

    async def options(self, user_id: str, saved: SavedThread | None) -> Options:
        """Return the options of a thread's runs, with the steps that runs of Detour's own API began from."""
        options = options_in(saved)
        if self._services.graphs is None:
            return options
        tasks = await self._services.store.recent_tasks(user_id, limit=_MOST_TASKS)
        turns = {each.turn: each.asked_in or each.task_id for each in tasks}
        for task in tasks:
            run_id, step_id = task.asked_in or task.task_id, (task.request or {}).get("checkpoint_id")
            if step_id is not None and AFTER not in options.get(run_id, {}):
                step = await self._services.store.get_thread_step(user_id, task.graph or "", step_id)
                if step is not None:
                    own = {**options.get(run_id, {}), AFTER: turns.get(step.turn, "")}
                    options = {**options, run_id: own}
        return options

    async def fork(
        self, user_id: str, state: ThreadState, options: Options, checkpoint_id: str
    ) -> Fork | None:
        """Return where a run begins that names a checkpoint; None for the newest one. Raises `NotFound`."""
        runs = [each for each in state.runs.values() if each.number == 1]
        steps = await self.last_steps(user_id, runs)
        head = next(reversed(state.runs.values()), None)
        # Of messages older than all runs that are known, the steps are not known either.
        has_all = {each["task_id"] for each in state.messages.values()} <= state.tasks.keys()
        first = Fork("", "" if steps and has_all else None)
        for run in runs:
            step = steps.get(run.task_id)
            if checkpoint_id in {checkpoint_id_of(run), checkpoint_id_of(run, step)}:
                if head is not None and head.task_id == run.task_id:
                    return None
                return Fork(run.task_id, _id_of(step) if step is not None else None)
            if checkpoint_id == beginning_id_of(run, options):
                branch = branch_of(run, state, options)
                if len(branch) < 2:
                    return first._replace(repeats=run.task_id)
                step = steps.get(branch[-2])
                return Fork(branch[-2], _id_of(step) if step is not None else None, run.task_id)
        if checkpoint_id == ROOT:
            return first
        for graph in dict.fromkeys(run.graph for run in state.runs.values()):
            async with aclosing(self.steps(user_id, graph)) as within:
                async for task_id, step in within:
                    if _id_of(step) == checkpoint_id:  # a step within the work on a message
                        return Fork(task_id, checkpoint_id)
        raise NotFound(f"There is no checkpoint {checkpoint_id!r} in this thread.", code="unknown_checkpoint")


class Rests:
    """The values beside messages in the states of a thread's graphs, at the end of each of its runs.

    Those of runs up to the event `seq` are read once for all of them: reading them for each takes time that
    grows with the square of their number.
    """

    def __init__(self, checkpoints: Checkpoints, user_id: str, seq: int) -> None:
        self._checkpoints = checkpoints
        self._user_id = user_id
        self._seq = seq
        self._kept: dict[str | None, list[tuple[str, Step]]] = {}

    async def at_end_of(self, run: Run) -> Mapping[str, Any]:
        """Return the values beside messages when a run ended."""
        if run.ended_seq is None or run.ended_seq > self._seq:
            self._kept.clear()
            return rest_of(await self._checkpoints.last_step(self._user_id, run))
        if run.graph not in self._kept:
            async with aclosing(self._checkpoints.steps(self._user_id, run.graph)) as steps:
                self._kept[run.graph] = [each async for each in steps]
        of_message = (step for task_id, step in self._kept[run.graph] if task_id == run.task_id)
        return rest_of(next((step for step in of_message if _is_shown_by(step, run)), None))


def parent_id_of(run: Run, state: ThreadState, options: Options, steps: Mapping[str, Step]) -> str:
    """Return the checkpoint that a run's message began from."""
    branch = branch_of(run, state, options)
    if len(branch) < 2:
        return ROOT
    before = state.runs.get(branch[-2])
    return checkpoint_id_of(before, steps.get(branch[-2])) if before is not None else ROOT


def _id_of(step: Step) -> str:
    return str(step["checkpoint"]["checkpoint_id"])


def _is_shown_by(step: Step, run: Run) -> bool:
    made_at: str | None = step["created_at"]
    return not run.ended_waiting or (made_at is not None and made_at <= run.updated_at)


def rest_of(step: Step | None) -> Mapping[str, Any]:
    """Return the values of a graph's state beside its messages."""
    values: Any = step["values"] if step is not None else None
    own = cast("dict[str, Any]", values) if isinstance(values, dict) else {}
    return {name: value for name, value in own.items() if name != "messages"}


# --- index ---------------------------------------------------------------------------------------------
# Keeps the index of threads: their metadata, and the options of their runs.


KEPT_RUNS = 100
"""The runs whose options are kept; the state of a thread knows fewer runs."""

_LOCKS = 64

Change = Callable[[SavedThread], SavedThread]


class Index:
    """Reads and changes threads of the index, each by one caller at a time."""

    def __init__(self, store: StateStore, keep: Keep, clock: Clock) -> None:
        self._store = store
        self._keep = keep
        self._clock = clock
        # Changes read before they write. Threads share locks, so that these need not be created and dropped.
        self._locks = [asyncio.Lock() for _ in range(_LOCKS)]
        self.hidden: set[str] = set()
        """Threads that are about to be forgotten: shown no more, though their runs may still be joined."""

    async def get(self, user_id: str) -> SavedThread | None:
        """Return a thread, None if it is not in the index. Raises `StoreUnavailable`."""
        return await self._store.get_saved_thread(user_id)

    async def make(
        self, user_id: str, metadata: Mapping[str, Any], *, ttl_minutes: float | None = None
    ) -> tuple[SavedThread, bool]:
        """Add a thread unless it is in the index; return it, and whether it was added."""
        async with self._lock(user_id):
            known = await self._store.get_saved_thread(user_id)
            if known is not None:
                return known, False
            made = self.living(replace(self._new(user_id), metadata=dict(metadata)), ttl_minutes)
            await self._keep(user_id, made)
            return made, True

    async def change(self, user_id: str, change: Change) -> SavedThread:
        """Change a thread, which is added first if it is not in the index; return it once it is durable."""
        async with self._lock(user_id):
            known = await self._store.get_saved_thread(user_id) or self._new(user_id)
            changed = change(known)
            if changed == known:
                return known
            changed = replace(changed, updated_at=self._clock())
            await self._keep(user_id, changed)
            return changed

    def living(self, thread: SavedThread, minutes: float | None) -> SavedThread:
        """Return a thread that expires so many minutes from now; as it is without."""
        if minutes is None:
            return thread
        expires_at = self._clock() + timedelta(minutes=minutes)
        return replace(thread, expires_at=expires_at, ttl_minutes=minutes)

    def _new(self, user_id: str) -> SavedThread:
        now = self._clock()
        return SavedThread(user_id=user_id, created_at=now, updated_at=now)

    def _lock(self, user_id: str) -> asyncio.Lock:
        return self._locks[hash(user_id) % _LOCKS]


def with_metadata(thread: SavedThread, metadata: Mapping[str, Any]) -> SavedThread:
    """Return a thread with this metadata beside its own, which it replaces by key.

    Raises `BadInput` if all of it would be too large. What makes too large a one smaller is taken: a run adds
    the name of its agent, whatever there is.
    """
    merged = {**thread.metadata, **metadata}
    if size_of(merged) > max(MOST_METADATA_BYTES, size_of(thread.metadata)):
        raise metadata_too_large()
    return replace(thread, metadata=merged)


def with_run(
    thread: SavedThread, run_id: str, options: Mapping[str, Any] | None, agent: Mapping[str, str]
) -> SavedThread:
    """Return a thread with the options of a run, if it has any; the first run says which agent it is with."""
    if run_id in thread.runs:  # a message that was sent again
        return thread
    runs = {**thread.runs, run_id: dict(options)} if options is not None else thread.runs
    kept = dict(list(runs.items())[-KEPT_RUNS:])
    return replace(thread, runs=kept, metadata={**agent, **thread.metadata})


def with_mark(thread: SavedThread, run_id: str, mark: str) -> SavedThread:
    """Return a thread with a mark at a run."""
    return replace(thread, runs={**thread.runs, run_id: {**thread.runs.get(run_id, {}), mark: True}})
