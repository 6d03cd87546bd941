"""What a server with `examples.rooms` was sent and answered; written by `scripts/record_examples.py`."""

from typing import Any

USER_ID: str = "ada"
CHAT_REQUEST: dict[str, Any] = {
    "user_id": "ada",
    "message": "Lisbon",
    "client_id": "3f1c9d52",
    "policy": "interrupt",
    "priority": 5,
}
CHAT_ANSWER: dict[str, Any] = {
    "task_id": "01j7m14ax1005nxan31vtbnsg0",
    "user_id": "ada",
    "status": "running",
    "policy": "interrupt",
    "relation": None,
    "interrupted_task_id": None,
    "duplicate": False,
    "seq": 2,
    "epoch": "788a29db",
    "websocket": "/ws/ada",
}
TASK_ID: str = "01j7m14ax1005nxan31vtbnsg0"
STATUS_ANSWER: dict[str, Any] = {
    "user_id": "ada",
    "task_id": "01j7m14bc990ek25hzfegv47w8",
    "status": "input_required",
    "reason": None,
    "message": "Porto",
    "policy": "interrupt",
    "current_agent": None,
    "agents": {
        "agent": {
            "state": "input_required",
            "detail": "Book Porto 27 for 95 EUR?",
            "done": 0,
            "total": 0,
            "count": 3,
            "since": None,
            "until": None,
        }
    },
    "input_request": {
        "request_id": "01j7m14bc990ek25hzfegv47w8-q1",
        "kind": "permission",
        "agent": "agent",
        "prompt": "Book Porto 27 for 95 EUR?",
        "schema": {
            "type": "object",
            "properties": {
                "decision": {"enum": ["allow", "deny"], "title": "Decision"},
                "note": {"type": "string"},
            },
            "required": ["decision"],
        },
        "defaults": {},
        "expires_at": "2026-01-05T09:15:02.000Z",
        "tool": "book_room",
        "call_id": "01j7m14ct240z08yymtqn2bgfk",
        "facts": {"Room": "Porto 27", "Total": "95 EUR", "Refund": "none"},
    },
    "input_requests": [
        {
            "request_id": "01j7m14bc990ek25hzfegv47w8-q1",
            "kind": "permission",
            "agent": "agent",
            "prompt": "Book Porto 27 for 95 EUR?",
            "schema": {
                "type": "object",
                "properties": {
                    "decision": {"enum": ["allow", "deny"], "title": "Decision"},
                    "note": {"type": "string"},
                },
                "required": ["decision"],
            },
            "defaults": {},
            "expires_at": "2026-01-05T09:15:02.000Z",
            "tool": "book_room",
            "call_id": "01j7m14ct240z08yymtqn2bgfk",
            "facts": {"Room": "Porto 27", "Total": "95 EUR", "Refund": "none"},
        }
    ],
    "queued": [],
    "still_running": [],
    "previous_task_id": "01j7m14ax1005nxan31vtbnsg0",
    "created_at": "2026-01-05T09:00:00.500Z",
    "updated_at": "2026-01-05T09:00:02.000Z",
    "seq": 24,
    "epoch": "788a29db",
}
PARTIAL_RESULTS_ANSWER: dict[str, Any] = {
    "user_id": "ada",
    "task_id": "01j7m14bc990ek25hzfegv47w8",
    "status": "input_required",
    "partial_results": {
        "agent": [
            {"room": "Porto 12", "price": 140},
            {"room": "Porto 27", "price": 95},
            {"room": "Porto 31", "price": 120},
        ]
    },
    "text": "",
    "interrupted": [
        {
            "task_id": "01j7m14ax1005nxan31vtbnsg0",
            "message": "Lisbon",
            "reason": "superseded",
            "at": "2026-01-05T09:00:01.500Z",
            "partial_results": {"agent": [{"room": "Lisbon 12", "price": 140}]},
            "text": "",
            "asked": [],
        }
    ],
    "still_running": [],
    "seq": 24,
    "epoch": "788a29db",
}
HISTORY_ANSWER: dict[str, Any] = {
    "user_id": "ada",
    "messages": [
        {
            "message_id": "01j7m14ax1005nxan31vtbnsg0.0",
            "role": "user",
            "text": "Lisbon",
            "task_id": "01j7m14ax1005nxan31vtbnsg0",
            "at": "2026-01-05T09:00:00.000Z",
            "interrupted": False,
            "client_id": "3f1c9d52",
        },
        {
            "message_id": "01j7m14ax1005nxan31vtbnsg0.1",
            "role": "system",
            "text": "Interrupted by a newer message after 0.5 s. Kept so far: 1 agent result.",
            "task_id": "01j7m14ax1005nxan31vtbnsg0",
            "at": "2026-01-05T09:00:01.500Z",
            "interrupted": False,
            "client_id": None,
        },
        {
            "message_id": "01j7m14bc990ek25hzfegv47w8.0",
            "role": "user",
            "text": "Porto",
            "task_id": "01j7m14bc990ek25hzfegv47w8",
            "at": "2026-01-05T09:00:00.500Z",
            "interrupted": False,
            "client_id": None,
        },
        {
            "message_id": "01j7m14bc990ek25hzfegv47w8.1",
            "role": "assistant",
            "text": "Book Porto 27 for 95 EUR?",
            "task_id": "01j7m14bc990ek25hzfegv47w8",
            "at": "2026-01-05T09:00:02.000Z",
            "interrupted": False,
            "client_id": None,
        },
    ],
    "seq": 24,
    "epoch": "788a29db",
}
STATE_ANSWER: dict[str, Any] = {
    "values": {"message": "Porto"},
    "next": ["agent"],
    "checkpoint": {"checkpoint_id": "1f1e6bd1-7538-6174-8002-bf2f216fb465"},
    "parent_checkpoint": {"checkpoint_id": "1f1e6bd1-7537-61f2-8001-22d548e4a939"},
    "metadata": {"source": "loop", "step": 2, "turn": 2},
    "created_at": "2026-11-22T21:38:43.975Z",
}
STATE_HISTORY_ANSWER: dict[str, Any] = {
    "user_id": "ada",
    "states": [
        {
            "values": {"message": "Porto"},
            "next": ["agent"],
            "checkpoint": {"checkpoint_id": "1f1e6bd1-7538-6174-8002-bf2f216fb465"},
            "parent_checkpoint": {"checkpoint_id": "1f1e6bd1-7537-61f2-8001-22d548e4a939"},
            "metadata": {"source": "loop", "step": 2, "turn": 2},
            "created_at": "2026-11-22T21:38:43.975Z",
        },
        {
            "values": {"message": "Lisbon"},
            "next": ["__start__"],
            "checkpoint": {"checkpoint_id": "1f1e6bd1-7537-61f2-8001-22d548e4a939"},
            "parent_checkpoint": {"checkpoint_id": "1f1e6bd1-752e-6dd1-8000-3fe1aa315b07"},
            "metadata": {"source": "input", "step": 1, "turn": 2},
            "created_at": "2026-11-22T21:38:43.974Z",
        },
    ],
}
RECEIPT_ANSWER: dict[str, Any] = {
    "task_id": "01j7m14ax1005nxan31vtbnsg0",
    "reason": "superseded",
    "at": "2026-01-05T09:00:00.500Z",
    "requested_at": "2026-01-05T09:00:00.500Z",
    "settled_at": "2026-01-05T09:00:01.500Z",
    "text_kept": 0,
    "partial_results": {"agent": 1},
    "input_request": None,
    "tool_calls": [
        {
            "call_id": "01j7m14ax101bw910z61yt51bz",
            "tool": "find_rooms",
            "effect": "read",
            "outcome": "completed",
            "summary": "3 items",
        }
    ],
    "adopted_by": None,
    "usage": {"input_tokens": 0, "output_tokens": 0, "model_calls": 0, "estimated": False},
}
ANSWER_REQUEST: dict[str, Any] = {
    "request_id": "01j7m14bc990ek25hzfegv47w8-q1",
    "decision": "allow",
    "note": "Near the river.",
}
ANSWERED_ANSWER: dict[str, Any] = {
    "user_id": "ada",
    "task_id": "01j7m14bc990ek25hzfegv47w8",
    "request_id": "01j7m14bc990ek25hzfegv47w8-q1",
    "outcome": "allowed",
    "status": "running",
    "seq": 28,
    "epoch": "788a29db",
}
CALLS_ANSWER: dict[str, Any] = {
    "user_id": "ada",
    "task_id": "01j7m14bc990ek25hzfegv47w8",
    "calls": [
        {
            "call_id": "01j7m14bc991wh5qz087v81akw",
            "agent": "agent",
            "tool": "find_rooms",
            "effect": "read",
            "state": "completed",
            "summary": "3 items",
            "arguments": {"city": "Porto"},
            "result": [
                {"room": "Porto 12", "price": 140},
                {"room": "Porto 27", "price": 95},
                {"room": "Porto 31", "price": 120},
            ],
            "started_at": "2026-01-05T09:00:00.500Z",
            "ended_at": "2026-01-05T09:00:02.000Z",
        },
        {
            "call_id": "01j7m14ct240z08yymtqn2bgfk",
            "agent": "agent",
            "tool": "book_room",
            "effect": "write",
            "state": "running",
            "summary": "",
            "arguments": {"room": "Porto 27", "price": 95},
            "result": None,
            "started_at": "2026-01-05T09:00:02.000Z",
            "ended_at": None,
        },
    ],
}
STOPPING_ANSWER: dict[str, Any] = {"user_id": "ada", "status": "cancelling"}
STOP_REQUEST: dict[str, Any] = {"task_id": "01j7m14ct2419w3sw4qsxzhza4", "agent": "agent"}
STOPPED_AGENT_ANSWER: dict[str, Any] = {
    "user_id": "ada",
    "task_id": "01j7m14ct2419w3sw4qsxzhza4",
    "agent": "agent",
    "state": "interrupted",
    "detail": "stopped by the user",
    "done": 0,
    "total": 0,
    "count": 1,
    "since": "2026-01-05T09:00:02.000Z",
    "until": "2026-01-05T09:00:02.500Z",
    "tool_calls": [
        {
            "call_id": "01j7m14ct242bm21tg2ynykvnk",
            "tool": "find_rooms",
            "effect": "read",
            "outcome": "cancelled",
            "summary": "stopped by the user",
        }
    ],
}
HEALTH_ANSWER: dict[str, Any] = {"status": "ok"}
READY_ANSWER: dict[str, Any] = {"status": "ok", "store": "ok", "serving": True}
EVENTS_ANSWER: str = (
    "id: 3\n"
    "data: "
    '{"seq":3,"type":"agent_update","task_id":"01j7m14ax1005nxan31vtbnsg0","at":"2026-01-05T09:00:00.000Z","agent":"agent","state":"working","detail":"","done":0,"total":0,"count":0,"since":"2026-01-05T09:00:00.000Z","until":null}\n'
    "\n"
)
METRICS_ANSWER: str = (
    "# HELP detour_tasks_ended_total Tasks that have ended. `reason` tells why one was interrupted.\n"
    "# TYPE detour_tasks_ended_total counter\n"
    'detour_tasks_ended_total{reason="superseded",status="interrupted"} 1.0\n'
)
