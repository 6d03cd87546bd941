"""What the SQLite store's thread reads; nothing else writes meanwhile, so each function sees one instant."""

import apsw
import ormsgpack

from backend.domain.context import InterruptedContext
from backend.domain.events import StoredEvent, stored
from backend.domain.partials import PartialBatch
from backend.domain.task import AgentProgress, Message, Task
from backend.state_store.base import (
    Page,
    SavedPartial,
    Snapshot,
    UserPosition,
    in_starting_order,
    latest_task,
)
from backend.state_store.codec import context_from_json, message_from_json, task_from_json

_TERMINAL = "('completed', 'failed', 'interrupted')"


def position(connection: apsw.Connection, user_id: str) -> UserPosition | None:
    """Read where a user's log stands."""
    query = """
    SELECT epoch, (SELECT max(last_seq) FROM events WHERE user_id = users.user_id),
        (SELECT max(turn) FROM tasks WHERE user_id = users.user_id)
    FROM users WHERE user_id = ?"""
    row = connection.execute(query, (user_id,)).fetchone()
    return UserPosition(epoch=row[0], seq=row[1] or 0, turn=row[2] or 0) if row else None


def snapshot(connection: apsw.Connection, user_id: str, history: int) -> Snapshot | None:
    """Read all that is told of a user."""
    at = position(connection, user_id)
    last = f"""
    SELECT turn FROM tasks INDEXED BY tasks_ended WHERE user_id = ?1 AND aside = %s AND status IN {_TERMINAL}
        AND reason IS %s 'superseded' ORDER BY updated_at DESC, turn DESC LIMIT 1"""
    kinds = [last % (aside, superseded) for aside in (0, 1) for superseded in ("", "NOT")]
    query = f"""
    SELECT document FROM tasks WHERE user_id = ?1 AND turn IN (
        SELECT turn FROM tasks INDEXED BY tasks_unfinished WHERE user_id = ?1 AND status NOT IN {_TERMINAL}
        UNION {" UNION ".join(f"SELECT * FROM ({kind})" for kind in kinds)})
    ORDER BY turn"""
    tasks = [task_from_json(row[0]) for row in connection.execute(query, (user_id,))]
    if at is None or not tasks:
        return None
    task = latest_task(tasks)
    queued = (each for each in tasks if each.status == "queued")
    return Snapshot(
        position=at,
        task=task,
        queued=tuple(each.task_id for each in in_starting_order(queued)),
        agents=progress(connection, user_id, task.turn),
        partials=partials(connection, user_id, task.turn),
        interrupted=contexts(connection, user_id),
        messages=messages(connection, user_id, history),
    )


def messages(connection: apsw.Connection, user_id: str, limit: int) -> tuple[Message, ...]:
    """Read the last messages of a conversation, oldest first."""
    query = "SELECT document FROM messages WHERE user_id = ? ORDER BY turn DESC, position DESC LIMIT ?"
    newest_first = [message_from_json(row[0]) for row in connection.execute(query, (user_id, limit))]
    return tuple(reversed(newest_first))


def task(connection: apsw.Connection, task_id: str) -> Task | None:
    """Read a task by its id."""
    row = connection.execute("SELECT document FROM tasks WHERE task_id = ?", (task_id,)).fetchone()
    return task_from_json(row[0]) if row else None


def partials(connection: apsw.Connection, user_id: str, turn: int) -> tuple[SavedPartial, ...]:
    """Read what the task of a turn has found and said, in order."""
    query = "SELECT found FROM partials WHERE user_id = ? AND turn = ? ORDER BY last_position"
    return tuple(
        SavedPartial(
            turn,
            position,
            PartialBatch(agent=agent, items=items, count=count, source=source) if agent else None,
            text,
        )
        for (found,) in connection.execute(query, (user_id, turn))
        for position, agent, source, count, items, text in ormsgpack.unpackb(found)
    )


def progress(connection: apsw.Connection, user_id: str, turn: int) -> dict[str, AgentProgress]:
    """Read how far each agent of the task of a turn is, by name."""
    query = "SELECT agent, state, detail, done, total, count FROM agents WHERE user_id = ? AND turn = ?"
    return {
        agent: AgentProgress(state=state, detail=detail, done=done, total=total, count=count)
        for agent, state, detail, done, total, count in connection.execute(query, (user_id, turn))
    }


def receipt(connection: apsw.Connection, user_id: str, task_id: str) -> bytes | None:
    """Read the JSON of a task's receipt."""
    query = "SELECT body FROM receipts WHERE user_id = ? AND task_id = ?"
    return connection.execute(query, (user_id, task_id)).get


def acceptance(connection: apsw.Connection, user_id: str, client_id: str) -> tuple[int, bytes] | None:
    """Read the `seq` and JSON of the answer a message with this client id got."""
    query = "SELECT seq, body FROM acceptances WHERE user_id = ? AND client_id = ?"
    row = connection.execute(query, (user_id, client_id)).fetchone()
    return (row[0], row[1]) if row else None


def contexts(connection: apsw.Connection, user_id: str) -> tuple[InterruptedContext, ...]:
    """Read the interrupted contexts that are kept, newest first."""
    query = "SELECT document FROM contexts WHERE user_id = ? ORDER BY turn DESC"
    return tuple(context_from_json(row[0]) for row in connection.execute(query, (user_id,)))


def events_after(connection: apsw.Connection, user_id: str, seq: int, limit: int) -> Page:
    """Read the events after a number."""
    first_kept = connection.execute("SELECT min(first_seq) FROM events WHERE user_id = ?", (user_id,)).get
    query = "SELECT first_seq, bodies FROM events WHERE user_id = ? AND last_seq > ? ORDER BY last_seq"
    found: list[StoredEvent] = []
    for first_seq, bodies in connection.execute(query, (user_id, seq)):
        numbered = enumerate(ormsgpack.unpackb(bodies), start=first_seq)
        found += [stored(number, body) for number, body in numbered if number > seq]
        if len(found) >= limit:
            break
    return Page(tuple(found[:limit]), complete=first_kept is None or seq >= first_kept - 1)


def resumable(connection: apsw.Connection) -> tuple[Task, ...]:
    """Read every unfinished task, and those that a shutdown ended unless a later one was at work."""
    query = f"""
    SELECT document FROM tasks INDEXED BY tasks_resumable
    WHERE (status NOT IN {_TERMINAL} OR reason = 'shutdown') AND (status NOT IN {_TERMINAL}
        OR (status = 'interrupted' AND NOT EXISTS (SELECT 1 FROM tasks AS later
            WHERE later.user_id = tasks.user_id AND later.turn > tasks.turn AND later.aside = tasks.aside
            AND CASE WHEN tasks.aside
                THEN later.document ->> '$.previous_task_id' = tasks.task_id
                    AND later.document ->> '$.message' = tasks.document ->> '$.message'
                ELSE later.status != 'queued' END)))
    ORDER BY user_id, turn"""
    return tuple(task_from_json(row[0]) for row in connection.execute(query))
