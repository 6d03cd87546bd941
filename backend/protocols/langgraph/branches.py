"""Which messages a run shows: those of its own branch of the thread.

A run follows the one before it, unless it was begun from an earlier checkpoint. A run that was rolled back is
followed by none.
"""

from collections.abc import Mapping, Sequence, Set
from typing import Any

from ...log.state_store.saved_threads import SavedThread
from ..thread.state import Run, ThreadState

Asked = Mapping[str, Mapping[str, Any]]
"""What clients asked of each run, by its id (`SavedThread.runs`)."""

_NOTHING: Asked = {}

AFTER = "after"
"""Of a run that began from a checkpoint: the task of the message that it follows, "" if it follows none."""

ROLLED_BACK = "rolled_back"


def asked_in(saved: SavedThread | None) -> Asked:
    """Return what clients asked of the runs of a thread."""
    return saved.runs if saved is not None else _NOTHING


def branch_of(run: Run | None, state: ThreadState, asked: Asked) -> Sequence[str]:
    """Return the tasks of the messages on a run's branch, the run's own last; none without a run."""
    if run is None:
        return ()
    followed = _followed(state, asked)
    branch = [run.task_id]
    before = followed.get(run.task_id)
    while before:
        branch.append(before)
        before = followed.get(before)
    return branch[::-1]


def shown_tasks(run: Run | None, state: ThreadState, asked: Asked) -> Set[str]:
    """Return the tasks whose messages a run shows: of its branch, and those that are known without a run."""
    # Of tasks that are older than all that is known of runs, only messages are left: they belong to all.
    oldest = {message["task_id"] for message in state.messages.values()} - {
        task.task_id for task in state.tasks.values()
    }
    with_runs = {each.task_id for each in state.runs.values()}
    return {*branch_of(run, state, asked), *(oldest - with_runs)}


def head_of(state: ThreadState, asked: Asked) -> Run | None:
    """Return the run that the thread is shown by: its newest, if it was not rolled back."""
    return next(
        (each for each in reversed(state.runs.values()) if not _is_rolled_back(each.task_id, state, asked)),
        None,
    )


def undone(state: ThreadState, asked: Asked) -> Set[str]:
    """Return the tasks of the messages that were rolled back and that no later run has gone on without."""
    found: set[str] = set()
    for run in reversed(state.runs.values()):
        if _is_rolled_back(run.task_id, state, asked):
            found.add(run.task_id)
        elif run.status == "success":
            break
    return found


def _followed(state: ThreadState, asked: Asked) -> dict[str, str]:
    """Return of each task the one that it follows, "" if none."""
    followed: dict[str, str] = {}
    newest = ""
    for run in state.runs.values():
        if run.number == 1:
            before = asked.get(run.run_id, {}).get(AFTER)
            followed[run.task_id] = newest if before is None else before
            if not _is_rolled_back(run.task_id, state, asked):
                newest = run.task_id
    return followed


def _is_rolled_back(task_id: str, state: ThreadState, asked: Asked) -> bool:
    return any(
        asked.get(each.run_id, {}).get(ROLLED_BACK) for each in state.runs.values() if each.task_id == task_id
    )
