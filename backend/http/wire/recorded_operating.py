"""What the operator's view of that server answered; written by `scripts/record_examples.py`."""

from typing import Any

OPERATE_ANSWER: dict[str, Any] = {
    "at": "2026-01-05T09:00:00.500Z",
    "replica": "",
    "replicas": [],
    "serving": "serving",
    "phases": {"ending": 0, "working": 1, "queued": 0, "needs_user": 0},
    "tasks": [
        {
            "user_id": "ada",
            "task_id": "01j7m14ax10076w4g9pahd3ev8",
            "graph": None,
            "status": "running",
            "phase": "working",
            "since": "2026-01-05T09:00:00.000Z",
            "accepted_at": "2026-01-05T09:00:00.000Z",
            "attempt": 1,
            "aside": False,
            "asks": None,
            "agents": [
                {"agent": "agent", "state": "working", "count": 0, "since": "2026-01-05T09:00:00.000Z"}
            ],
            "calls": [
                {
                    "call_id": "01j7m14ax101edtxd5kybmvcp5",
                    "tool": "find_rooms",
                    "agent": "agent",
                    "state": "running",
                    "since": "2026-01-05T09:00:00.000Z",
                }
            ],
            "found": 1,
            "usage": {"input_tokens": 0, "output_tokens": 0, "model_calls": 0, "estimated": False},
        }
    ],
}
STOPPED_TASK_ANSWER: dict[str, Any] = {
    "user_id": "ada",
    "task_id": "01j7m14ax10076w4g9pahd3ev8",
    "status": "interrupted",
    "reason": "stopped",
}
TASK_TIMELINE_ANSWER: dict[str, Any] = {
    "user_id": "ada",
    "task_id": "01j7m14ax10076w4g9pahd3ev8",
    "turn": 1,
    "graph": None,
    "status": "interrupted",
    "reason": "stopped",
    "attempt": 1,
    "aside": False,
    "previous_task_id": None,
    "accepted_at": "2026-01-05T09:00:00.000Z",
    "started_at": "2026-01-05T09:00:00.000Z",
    "ended_at": "2026-01-05T09:00:00.500Z",
    "usage": {"input_tokens": 0, "output_tokens": 0, "model_calls": 0, "estimated": False},
    "parts": [
        {
            "part_id": "agent 2026-01-05T09:00:00.000Z",
            "kind": "agent",
            "name": "agent",
            "agent": "agent",
            "state": "interrupted",
            "began_at": "2026-01-05T09:00:00.000Z",
            "ended_at": "2026-01-05T09:00:00.500Z",
            "found": 1,
            "usage": None,
        },
        {
            "part_id": "01j7m14ax101edtxd5kybmvcp5",
            "kind": "tool_call",
            "name": "find_rooms",
            "agent": "agent",
            "state": "cancelled",
            "began_at": "2026-01-05T09:00:00.000Z",
            "ended_at": "2026-01-05T09:00:00.500Z",
            "found": None,
            "usage": None,
        },
    ],
    "events": [
        {
            "seq": 1,
            "at": "2026-01-05T09:00:00.000Z",
            "type": "message",
            "about": "",
            "state": "user",
            "count": 1,
        },
        {
            "seq": 2,
            "at": "2026-01-05T09:00:00.000Z",
            "type": "status_update",
            "about": "",
            "state": "running",
            "count": 1,
        },
        {
            "seq": 3,
            "at": "2026-01-05T09:00:00.000Z",
            "type": "agent_update",
            "about": "agent",
            "state": "working",
            "count": 1,
        },
        {
            "seq": 4,
            "at": "2026-01-05T09:00:00.000Z",
            "type": "tool_update",
            "about": "find_rooms",
            "state": "running",
            "count": 1,
        },
        {
            "seq": 5,
            "at": "2026-01-05T09:00:00.500Z",
            "type": "partial_result",
            "about": "agent",
            "state": "",
            "count": 1,
        },
        {
            "seq": 6,
            "at": "2026-01-05T09:00:00.500Z",
            "type": "tool_update",
            "about": "find_rooms",
            "state": "cancelled",
            "count": 1,
        },
        {
            "seq": 7,
            "at": "2026-01-05T09:00:00.500Z",
            "type": "agent_update",
            "about": "agent",
            "state": "interrupted",
            "count": 1,
        },
        {
            "seq": 8,
            "at": "2026-01-05T09:00:00.500Z",
            "type": "message",
            "about": "",
            "state": "system",
            "count": 1,
        },
        {
            "seq": 9,
            "at": "2026-01-05T09:00:00.500Z",
            "type": "status_update",
            "about": "",
            "state": "interrupted: stopped",
            "count": 1,
        },
        {
            "seq": 10,
            "at": "2026-01-05T09:00:00.500Z",
            "type": "receipt",
            "about": "",
            "state": "",
            "count": 1,
        },
    ],
    "complete": True,
    "receipt": {
        "reason": "stopped",
        "requested_at": "2026-01-05T09:00:00.500Z",
        "settled_at": "2026-01-05T09:00:00.500Z",
        "text_kept": 0,
        "partial_results": {"agent": 1},
        "tool_calls": [
            {
                "call_id": "01j7m14ax101edtxd5kybmvcp5",
                "tool": "find_rooms",
                "effect": "read",
                "outcome": "cancelled",
            }
        ],
        "adopted_by": None,
        "amendments": 0,
        "stopped_by": "operator",
    },
}
SERVING_ANSWER: dict[str, Any] = {"serving": "draining"}
