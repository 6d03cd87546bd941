"""A thread as LangGraph's clients see it: its values, its states, its runs. Pure."""

import uuid
from collections.abc import Mapping, Sequence, Set
from typing import Any

from ...domain.encoding import to_wire
from ...store.threads import SavedThread
from ..thread.state import Frame, Run, ThreadState
from ..threads import uuid_of
from .messages import human, messages_of, pending_of

# --- branches ------------------------------------------------------------------------------------------
# A run shows the messages of its own branch of the thread. It follows the run before it, unless it began from
# an earlier checkpoint; no run follows one that was rolled back.


Options = Mapping[str, Mapping[str, Any]]
"""The options that clients gave each run, by its id (`SavedThread.runs`)."""

_NOTHING: Options = {}

AFTER = "after"
"""Of a run that began from a checkpoint: the task of the message that it follows, "" if it follows none."""

ROLLED_BACK = "rolled_back"

REPEATS = "repeats"
"""Of a run that answers a message once more, instead of its first answer: the task of that message."""


def options_in(saved: SavedThread | None) -> Options:
    """Return the options of the runs of a thread."""
    return saved.runs if saved is not None else _NOTHING


def branch_of(run: Run | None, state: ThreadState, options: Options) -> Sequence[str]:
    """Return the tasks of the messages on a run's branch, the run's own last; none without a run."""
    if run is None:
        return ()
    followed = _followed(state, options)
    branch = [run.task_id]
    before = followed.get(run.task_id)
    while before:
        branch.append(before)
        before = followed.get(before)
    return branch[::-1]


def shown_tasks(run: Run | None, state: ThreadState, options: Options) -> Set[str]:
    """Return the tasks whose messages a run shows: of its branch, and those that are known without a run."""
    # Of tasks that are older than all that is known of runs, only messages are left: they belong to all.
    oldest = {message["task_id"] for message in state.messages.values()} - {
        task.task_id for task in state.tasks.values()
    }
    with_runs = {each.task_id for each in state.runs.values()}
    return {*branch_of(run, state, options), *(oldest - with_runs)}


def head_of(state: ThreadState, options: Options) -> Run | None:
    """Return the run whose state is the thread's: the newest that was not rolled back."""
    return next(
        (each for each in reversed(state.runs.values()) if not _is_rolled_back(each.task_id, state, options)),
        None,
    )


def undone(state: ThreadState, options: Options) -> Set[str]:
    """Return the tasks of the messages that were rolled back and that no later run has gone on without."""
    found: set[str] = set()
    for run in reversed(state.runs.values()):
        if _is_rolled_back(run.task_id, state, options):
            found.add(run.task_id)
        elif run.status == "success":
            break
    return found


def _followed(state: ThreadState, options: Options) -> dict[str, str]:
    """Return of each task the one that it follows, "" if none."""
    followed: dict[str, str] = {}
    newest = ""
    for run in state.runs.values():
        if run.number == 1:
            before = options.get(run.run_id, {}).get(AFTER)
            followed[run.task_id] = newest if before is None else before
            if not _is_rolled_back(run.task_id, state, options):
                newest = run.task_id
    return followed


def _is_rolled_back(task_id: str, state: ThreadState, options: Options) -> bool:
    return any(
        options.get(each.run_id, {}).get(ROLLED_BACK)
        for each in state.runs.values()
        if each.task_id == task_id
    )


# --- views ---------------------------------------------------------------------------------------------


View = dict[str, Any]
INTERRUPT = "__interrupt__"

_WORKING = frozenset({"waiting", "working"})
_QUESTION = ("prompt", "schema", "defaults", "agent", "kind", "expires_at")
_QUESTION_EXTRAS = ("facts", "tool", "call_id")


def values_of(
    state: ThreadState, run: Run | None, options: Options, *, rest: Mapping[str, Any] | None = None
) -> View:
    """Return the values of a thread as a run shows them; `rest` are the others of its graph's state."""
    task = state.task_of(run)
    messages = messages_of(state, shown_tasks(run, state, options))
    for repeating in branch_of(run, state, options):
        _keep_id(messages, repeating, state, options)
    return {
        **(rest or {}),
        "messages": [*messages, *(pending_of(state, run) if run is not None else ())],
        "partial_results": {agent: list(items) for agent, items in task.found.items()} if task else {},
        "interrupted": list(state.interrupted.values()),
    }


def _keep_id(messages: Sequence[View], task_id: str, state: ThreadState, options: Options) -> None:
    """Show a message that is answered once more under the id that it was sent with."""
    repeated = options.get(task_id, {}).get(REPEATS)
    if repeated is not None:
        own, first = _message_id_of(task_id, state), _message_id_of(repeated, state)
        for message in messages:
            if first is not None and message["id"] == own:
                message["id"] = first


def _message_id_of(task_id: str, state: ThreadState) -> str | None:
    """Return the id under which a task's message is shown, None if the message is not known any more."""
    run = state.runs.get(task_id)
    message = state.messages.get(run.message_id or "") if run is not None else None
    return human(message)["id"] if message is not None else None


def with_questions(values: View, requests: Sequence[Frame]) -> View:
    """Return values with the open questions, if there are any."""
    return {**values, INTERRUPT: [interrupt(each) for each in requests]} if requests else values


def interrupt(request: Frame) -> View:
    """Return an open question as LangGraph's interrupt: the graph's own value, with our fields beside it.

    A value that is no mapping is the field `value`.
    """
    value = {name: request[name] for name in _QUESTION}
    value |= {name: request[name] for name in _QUESTION_EXTRAS if name in request}
    own = request.get("value")
    value |= own if isinstance(own, Mapping) else {} if own is None else {"value": own}
    return {"id": request["request_id"], "value": value}


def failure_of(state: ThreadState, run: Run) -> View:
    """Return the error of a run that failed, in the words that its user got."""
    return {"error": "TaskFailed", "message": state.last_reply(run) or "The task failed."}


# --- runs ------------------------------------------------------------------------------------------------


def run_view(
    thread_id: str, run: Run, options: Options, agent: str, *, steering: Mapping[str, Any] | None = None
) -> View:
    """Return a run; `steering` is added to its metadata for a message that was sent to steer it."""
    wanted = options.get(run.run_id, {})
    return {
        "run_id": run.run_id,
        "thread_id": thread_id,
        "assistant_id": wanted.get("assistant_id") or uuid_of(agent),
        "created_at": run.created_at,
        "updated_at": run.updated_at,
        "status": run.status,
        "metadata": {**wanted.get("metadata", {}), **(steering or {})},
        "multitask_strategy": wanted.get("strategy", "interrupt"),
        "kwargs": {},
        "cancel_reason": run.reason if run.status == "interrupted" else None,
    }


# --- states ----------------------------------------------------------------------------------------------


def status_of(state: ThreadState) -> str:
    """Return the status of a thread."""
    if state.active_run() is not None:
        return "busy"
    if state.requests:
        return "interrupted"
    last = next(reversed(state.runs.values()), None)
    return "error" if last is not None and last.status == "error" else "idle"


ROOT = "00000000-0000-6000-8000-000000000000"
"""The checkpoint before everything."""


def checkpoint_id_of(run: Run, step: Mapping[str, Any] | None = None) -> str:
    """Return the id of the state after a run's message: of the graph's own step, or one made up for it."""
    if step is not None:
        return str(step["checkpoint"]["checkpoint_id"])
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"detour:checkpoint:{run.task_id}"))


def beginning_id_of(run: Run, options: Options) -> str:
    """Return the id of the state with a run's message before any answer; all its answers share it."""
    message = options.get(run.task_id, {}).get(REPEATS, run.task_id)
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"detour:beginning:{message}"))


def checkpoint(thread_id: str, checkpoint_id: str | None) -> View:
    """Return a checkpoint."""
    return {"thread_id": thread_id, "checkpoint_ns": "", "checkpoint_id": checkpoint_id}


def state_view(
    thread_id: str,
    state: ThreadState,
    run: Run | None,
    options: Options,
    *,
    step: Mapping[str, Any] | None = None,
    rest: Mapping[str, Any] | None = None,
    parent_id: str | None = None,
    number: int = 0,
    is_head: bool = True,
    is_leaving: bool = False,
) -> View:
    """Return the state of a thread after a run's message, the `number`th of its branch.

    `step` is the newest step of the graph for it. A run that is leaving is shown as if it had ended.
    """
    pending = _pending(state, run) if run is not None and is_head and not is_leaving else []
    if run is not None and run.writes_state and is_head and step is not None:
        pending = [_task(run.task_id, name) for name in step["next"]]
    failed = run is not None and run.status == "error"
    tasks = [_failed_task(state, run)] if failed and run is not None else pending
    values = values_of(state, run, options, rest=rest) if run is not None else {}
    metadata: View = {"step": number, "source": "loop", "thread_id": thread_id}
    if step is not None:
        metadata |= {name: value for name, value in step["metadata"].items() if name in {"source", "turn"}}
    if run is not None:
        metadata["run_id"] = run.run_id
    return {
        "values": values,
        "next": [each["name"] for each in pending],
        "tasks": tasks,
        "metadata": metadata,
        "created_at": run.updated_at if run is not None else state.at,
        "checkpoint": checkpoint(thread_id, checkpoint_id_of(run, step) if run is not None else None),
        "parent_checkpoint": checkpoint(thread_id, parent_id) if parent_id is not None else None,
        "interrupts": [each for task in pending for each in task["interrupts"]],
        **({"lost": step["lost"]} if step is not None and "lost" in step else {}),
    }


def beginning_view(
    thread_id: str,
    state: ThreadState,
    run: Run,
    options: Options,
    *,
    rest: Mapping[str, Any],
    parent_id: str,
    number: int,
) -> View | None:
    """Return the state of a thread with a run's message, before anything answers it.

    `number` is that of the state after the message. None where the message is not known any more.
    """
    values = values_of(state, run, options, rest=rest)
    ids = [each["id"] for each in values["messages"]]
    shown = options.get(run.task_id, {}).get(REPEATS, run.task_id)
    message_id = _message_id_of(shown, state) or _message_id_of(run.task_id, state)
    if message_id not in ids:
        return None
    task = state.task_of(run)
    first = _task(run.task_id, next(iter(task.agents), "agent") if task is not None else "agent")
    messages = values["messages"][: ids.index(message_id) + 1]
    return {
        "values": {**values, "messages": messages, "partial_results": {}},
        "next": [first["name"]],
        "tasks": [first],
        "metadata": {"step": number - 1, "source": "loop", "thread_id": thread_id, "run_id": run.task_id},
        "created_at": state.runs.get(run.task_id, run).created_at,
        "checkpoint": checkpoint(thread_id, beginning_id_of(run, options)),
        "parent_checkpoint": checkpoint(thread_id, parent_id),
        "interrupts": [],
    }


def root_view(thread_id: str, first: Run) -> View:
    """Return the state of a thread before everything; `first` is its first run that is known."""
    return {
        "values": {"messages": []},
        "next": ["__start__"],
        "tasks": [_task(first.task_id, "__start__")],
        "metadata": {"step": 0, "source": "input", "thread_id": thread_id},
        "created_at": first.created_at,
        "checkpoint": checkpoint(thread_id, ROOT),
        "parent_checkpoint": None,
        "interrupts": [],
    }


def _pending(state: ThreadState, run: Run) -> list[View]:
    """Return the nodes that run or wait for their user, as tasks."""
    task = state.task_of(run)
    if task is None:
        return [] if run.ended else [_task(run.task_id, "agent")]
    asked: dict[str, list[Frame]] = {}
    for request in state.questions_of(run):
        asked.setdefault(request["agent"], []).append(request)
    pending = [_task(task.task_id, agent, requests) for agent, requests in asked.items()]
    if not run.ended:
        working = [
            name for name, each in task.agents.items() if each["state"] in _WORKING and name not in asked
        ]
        pending += [_task(task.task_id, name) for name in working]
    return pending if pending or run.ended else [_task(task.task_id, "agent")]


def _task(task_id: str, name: str, requests: Sequence[Frame] = (), *, error: str | None = None) -> View:
    return {
        "id": f"{task_id}-{name}",
        "name": name,
        "path": [],
        "error": error,
        "interrupts": [interrupt(each) for each in requests],
        "checkpoint": None,
        "state": None,
        "result": None,
    }


def _failed_task(state: ThreadState, run: Run) -> View:
    task = state.task_of(run)
    agents = task.agents.items() if task is not None else ()
    name = next((name for name, each in agents if each["state"] == "failed"), "agent")
    return _task(run.task_id, name, error=failure_of(state, run)["message"])


# --- threads ---------------------------------------------------------------------------------------------


def thread_view(
    thread_id: str,
    saved: SavedThread | None,
    state: ThreadState | None,
    head: Run | None,
    *,
    rest: Mapping[str, Any] | None = None,
) -> View:
    """Return a thread; `state` is None before its first message, `rest` as in `values_of`."""
    options = options_in(saved)
    created = to_wire(saved.created_at) if saved is not None else None
    changed = to_wire(saved.updated_at) if saved is not None else None
    view: View = {
        "thread_id": thread_id,
        "created_at": created or (state.at if state is not None else None),
        "updated_at": changed,
        "metadata": dict(saved.metadata) if saved is not None else {},
        "config": {},
        "status": "idle",
        "values": None,
        "interrupts": {},
    }
    if saved is not None and saved.expires_at is not None:
        expires_at = to_wire(saved.expires_at)
        view["ttl"] = {"strategy": "delete", "ttl_minutes": saved.ttl_minutes, "expires_at": expires_at}
    if state is None:
        return view
    questions: dict[str, list[View]] = {}
    for request in state.requests.values():
        questions.setdefault(request["agent"], []).append(interrupt(request))
    return view | {
        "updated_at": max(filter(None, (changed, state.at)), default=None),
        "status": status_of(state),
        "values": values_of(state, head, options, rest=rest) if head is not None else None,
        "interrupts": questions,
    }


def selected(view: View, wanted: Sequence[str] | None) -> View:
    """Return only those fields of a view; `values.messages` is one of its values."""
    if not wanted:
        return view
    found = {name: view[name] for name in wanted if name in view}
    within = [name.removeprefix("values.") for name in wanted if name.startswith("values.")]
    if within and "values" not in found and isinstance(view.get("values"), dict):
        found["values"] = {name: view["values"][name] for name in within if name in view["values"]}
    return found
