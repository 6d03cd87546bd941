"""What the store in memory drops for its age: `retention` says which."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from ...domain.task import Task
from .memory_persons import MemoryPersons
from .memory_threads import MemoryThread
from .memory_user import MemoryUser, resumable
from .retention import (
    CONVERSATIONS,
    TASKS,
    THREADS,
    USERS_AT_ONCE,
    AgedPlace,
    AgedUsers,
    Dropped,
    StoredTurn,
    aged_events,
    first_kept_step,
    following,
    planned,
)


def aged_users(
    users: Mapping[str, MemoryUser], persons: MemoryPersons, before: datetime, after: AgedPlace
) -> AgedUsers:
    """Find some users who may have something aged."""
    rows = sorted(
        (at, user_id, turn)
        for at, user_id, turn in _rows(users, persons, after.kind)
        if at < before.timestamp() and (at, user_id, turn) > after[1:]
    )[:USERS_AT_ONCE]
    found = (user_id for _, user_id, turn in rows if turn or user_id not in users or not users[user_id].tasks)
    return AgedUsers(tuple(dict.fromkeys(found)), following(after.kind, rows))


def _rows(
    users: Mapping[str, MemoryUser], persons: MemoryPersons, kind: int
) -> Iterator[tuple[float, str, int]]:
    if kind == CONVERSATIONS:
        yield from ((at, user_id, 0) for user_id, at in persons.begun())
    for user_id, user in users.items():
        if kind == TASKS:
            over = (task for task in user.tasks.values() if task.status.terminal)
            yield from ((task.updated_at.timestamp(), user_id, task.turn) for task in over)
        elif kind == THREADS and user.saved_thread is not None:
            yield user.saved_thread.updated_at.timestamp(), user_id, 0


def drop_aged(user: MemoryUser, begun_at: datetime | None, before: datetime, *, most: int) -> Dropped:
    """Drop some of a user's aged turns; `begun_at` is when a person has begun the conversation."""
    if not all(task.status.terminal for task in user.tasks.values()):
        return Dropped()
    held = {call.turn for call in [*user.tool_calls.values()] if call.left_open}
    held |= {task.turn for task in resumable(user)}
    in_order = (_stored(user.tasks[turn]) for turn in sorted(user.tasks))
    plan = planned(in_order, held, before.timestamp(), most=most)
    for turn in plan.turns:
        _drop_turn(user, turn)
    if plan.until is None:
        return Dropped(len(plan.turns), more=True)
    for thread in user.threads.values():
        _drop_steps(thread, plan.until)
    aged = aged_events(user.events[:-1], before)
    user.event_bytes -= sum(map(len, user.events[:aged]))
    del user.events[:aged]
    thread_at = user.saved_thread.updated_at if user.saved_thread is not None else None
    times = [each for each in (thread_at, begun_at) if each is not None]
    is_known = bool(user.tasks or times)
    are_aged = all(each < before for each in times)
    return Dropped(len(plan.turns), is_everything=plan.is_everything and is_known and are_aged)


def _stored(task: Task) -> StoredTurn:
    ended_at, last_turn = task.updated_at.timestamp(), max(task.turn, task.spoken_turn or 0)
    return StoredTurn(task.turn, task.task_id, task.status.terminal, task.reason, ended_at, last_turn)


def _drop_turn(user: MemoryUser, task: StoredTurn) -> None:
    said = {
        place: message
        for place, message in user.messages.items()
        if task.turn <= place[0] <= task.last_turn
        and (place[0] == task.turn or message.task_id == task.task_id)
    }
    for place, message in said.items():
        del user.messages[place]
        user.acceptances.pop(message.client_id or "", None)
    user.receipts.pop(task.task_id, None)
    for by_turn in (user.tasks, user.progress, user.contexts, user.checkpoints):
        by_turn.pop(task.turn, None)
    for by_place in (user.partials, user.tool_calls, user.model_steps):
        for place in [each for each in by_place if each[0] == task.turn]:
            del by_place[place]  # pyright: ignore[reportArgumentType]
    for request_id in [each.request_id for each in user.inputs.values() if each.turn == task.turn]:
        del user.inputs[request_id]


def _drop_steps(thread: MemoryThread, until: int) -> None:
    numbers = sorted(thread.steps)
    if numbers:
        steps = ((number, thread.steps[number].turn) for number in numbers)
        thread.drop(before=first_kept_step(steps, numbers[-1], until))
