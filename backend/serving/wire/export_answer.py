"""What `GET /users/{user_id}/export` answers."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired

from pydantic import with_config
from typing_extensions import TypedDict

Entries = Sequence[Mapping[str, Any]]


@with_config(defer_build=True)
class ExportAnswer(TypedDict):
    """Everything that is stored of a user, by table; docs/data.md tells of each field.

    `bookings` are those of the demo inventory, of the travel assistant alone; `damaged` is how many rows of
    which table could not be read, and were left out.
    """

    user_id: str
    exported_at: str
    bookings: NotRequired[Entries]
    users: Entries
    messages: Entries
    tasks: Entries
    receipts: Entries
    tool_calls: Entries
    inputs: Entries
    acceptances: Entries
    model_steps: Entries
    contexts: Entries
    partials: Entries
    agents: Entries
    checkpoints: Entries
    events: Entries
    thread_steps: Entries
    thread_pieces: Entries
    threads: Entries
    conversations: Entries
    damaged: Mapping[str, int]


EXPORT_EXAMPLE: Mapping[str, Any] = {
    "user_id": "ada",
    "exported_at": "2026-03-01T08:30:05Z",
    "users": [{"epoch": "5f0c9a1be2d47f63", "seq": 1, "turn": 1}],
    "messages": [
        {
            "user_id": "ada",
            "turn": 1,
            "position": 0,
            "task_id": "01j7m14ax1005nxan31vtbnsg0",
            "role": "user",
            "text": "Lisbon",
            "at": "2026-03-01T08:30:00.123456+00:00",
            "interrupted": False,
        }
    ],
    **{
        table: []
        for table in (
            "tasks", "receipts", "tool_calls", "inputs", "acceptances", "model_steps", "contexts", "partials",
            "agents", "checkpoints", "events", "thread_steps", "thread_pieces", "threads", "conversations",
        )
    },
    "damaged": {},
}  # fmt: skip
"""An answer of the first moment, without most of what is in a real one."""
