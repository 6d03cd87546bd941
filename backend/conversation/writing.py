"""Writes what a client says to the state of a user's thread: a task of its own, which never runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from typing_extensions import TypedDict

from ..domain import events
from ..domain.errors import Conflict
from ..domain.partials import PartialResults
from ..domain.task import InterruptReason, Message, Role, Task, TaskStatus
from ..store.records import NewUser, Record
from ..tasks.workflow import StateWrite, WrittenState
from .answering import find_out
from .conversation import Conversation

_ROLES: Mapping[str, Role] = {"human": "user", "user": "user", "ai": "assistant", "assistant": "assistant"}


class StateAnswer(TypedDict):
    """A state that was written: the task that stands for it, and the last step that it made."""

    task_id: str
    step_id: str
    parent: str | None
    seq: int


async def write_state(
    conversation: Conversation,
    *,
    supersteps: Sequence[Sequence[Mapping[str, Any]]],
    graph: str | None = None,
    step_id: str | None = None,
) -> StateAnswer:
    """Write to the state of a thread; the caller holds the conversation. When this returns, it is durable.

    Of several graphs it is the thread of `graph`, by default of the one that the user has spoken to last.
    A task that only waits for its user ends, and its questions are withdrawn: they are of the state before.
    Raises `Conflict` while a task runs or is queued, `BadInput` for what the graph refuses, `NotFound` for
    a step that is not kept, `StoreUnavailable` and `ShuttingDown`; then nothing was written.
    """
    conversation.check_open()
    await find_out(conversation)
    waiting = conversation.resting
    if conversation.queued or (conversation.active is not None and waiting is None):
        raise Conflict(
            "A run is under way in this thread: wait for its end, or cancel it.", code="task_active"
        )
    before = conversation.situation.last_request or {}
    task = _task(conversation, conversation.turn + 1, graph or before.get("graph"))
    write = StateWrite(task=task, supersteps=supersteps, step_id=step_id, store=conversation.store)
    written = await conversation.workflow.write_state(write)
    records = [*_begun(conversation), *_records(task, written, written.records)]
    if waiting is not None:
        waiting.announce_interruption(InterruptReason.STOPPED, task.created_at)
        records += [*conversation.mark_in_use(), waiting.task]
    try:
        seq = await conversation.commit(*records)
    except Exception:
        if waiting is not None:
            waiting.retract_interruption()
        raise
    if waiting is not None:
        conversation.interrupt(waiting, InterruptReason.STOPPED)
    _take_over(conversation, task)
    if written.newest is not None:
        conversation.cache.keep(written.thread, written.newest)
    else:
        conversation.cache.threads.pop(written.thread, None)
    return {"task_id": task.task_id, "step_id": written.step_id, "parent": written.parent, "seq": seq}


class CopiedState(TypedDict):
    """A state of a thread to copy: its `step_id`, None if it has none, and what came with it."""

    graph: str | None
    step_id: str | None
    messages: Sequence[Mapping[str, Any]]
    changed: Sequence[str]
    removed: Sequence[str]


async def copy_states(
    conversation: Conversation, *, source: str, states: Sequence[CopiedState]
) -> Sequence[str]:
    """Begin a conversation with the states of the user `source`, oldest first; return their tasks.

    The steps keep their ids. Raises `Conflict` for a user who has spoken, `StoreUnavailable` and
    `ShuttingDown`; then nothing was copied.
    """
    conversation.check_open()
    if conversation.stored:
        raise Conflict("There is a thread of this id already.", code="thread_exists")
    records = _begun(conversation)
    parents: dict[str, str] = {}
    held: set[bytes] = set()
    tasks: list[Task] = []
    for number, state in enumerate(states, start=1):
        task = _task(conversation, number, state["graph"])
        thread = state["graph"] or ""
        step = await conversation.store.get_thread_step(source, thread, state["step_id"] or "")
        parent = parents.get(thread)
        steps: list[Record] = []
        if step is not None:
            new = {name: piece for name, piece in step.held.items() if name not in held}
            held |= new.keys()
            steps = [replace(step, number=number, parent=parent, turn=number, held=new)]
            parents[thread] = step.step_id
        copied = WrittenState(
            records=steps,
            thread=thread,
            newest=None,
            step_id=step.step_id if step is not None else "",
            parent=parent,
            as_node=None,
            channels=(),
            messages=state["messages"],
            changed=frozenset(state["changed"]),
            removed=state["removed"],
        )
        records += _records(task, copied, steps)
        tasks.append(task)
    await conversation.commit(*records)
    for task in tasks:
        _take_over(conversation, task)
    return [each.task_id for each in tasks]


def _task(conversation: Conversation, turn: int, graph: str | None) -> Task:
    now = conversation.runtime.clock()
    return Task(
        task_id=conversation.runtime.new_task_id(),
        user_id=conversation.user_id,
        turn=turn,
        message="",
        status=TaskStatus.COMPLETED,
        created_at=now,
        updated_at=now,
        request={"graph": graph} if graph else None,
        previous_task_id=conversation.requests.latest_task_id,
        writes_state=True,
        messages=0,
    )


def _begun(conversation: Conversation) -> list[Record]:
    return [] if conversation.stored else [NewUser(conversation.epoch)]


def _records(task: Task, written: WrittenState, steps: Sequence[Record]) -> list[Record]:
    """Return the records of a written state, in their order."""
    said = [*_said(task, written)]
    task = replace(task, messages=len(said))
    told = events.state_written(
        task,
        written.step_id,
        parent=written.parent,
        as_node=written.as_node,
        channels=written.channels,
        messages=written.messages,
        removed=written.removed,
    )
    # First of its events: it says what the messages after it are.
    records: list[Record] = [task, *steps, told]
    for message, content in said:
        records += [message, events.message(message, content)]
    return [*records, events.status_update(task, PartialResults())]


def _take_over(conversation: Conversation, task: Task) -> None:
    """Update the conversation in memory with a task that is stored."""
    conversation.stored = True
    conversation.turn = task.turn
    if conversation.requests.latest_task_id is None:
        conversation.requests.set(task)


def _said(task: Task, written: WrittenState) -> Iterator[tuple[Message, Sequence[Mapping[str, Any]]]]:
    """Yield the messages that come into the conversation with a write, each with its blocks.

    What is no text of the user or of the assistant is in the event alone, and so is what a client has changed
    in earlier messages: the conversation keeps these as they were said.
    """
    position = 0
    for each in written.messages:
        role = _ROLES.get(each.get("type") or each.get("role") or "")
        content: Any = each.get("content")
        text = content if isinstance(content, str) else _text_of(content)
        if role is None or not text or each["id"] in written.changed:
            continue
        position += 1
        message = Message(
            user_id=task.user_id,
            task_id=task.task_id,
            turn=task.turn,
            position=position,
            role=role,
            text=text,
            at=task.created_at,
            client_id=each["id"],
        )
        yield message, () if isinstance(content, str) or role != "user" else content


def _text_of(content: Any) -> str:
    """Return the text in the blocks of a message."""
    blocks = cast("list[Any]", content) if isinstance(content, list) else []
    texts = [cast("dict[str, Any]", each).get("text") for each in blocks if isinstance(each, dict)]
    return "\n\n".join(each for each in texts if isinstance(each, str))
