"""One example of everything sent or answered, for the OpenAPI document; a test holds them to the models."""

from typing import Any

USER_ID = "ada"
TASK_ID = "01kak3v2m5w0c5n8h2x9q4r7te"
_LATER_TASK_ID = "01kak3vf7j2q8d4s6m0b3w9xyz"
_POSITION: dict[str, Any] = {"seq": 17, "epoch": "9f2c6a1b"}
_OFFER = {"offer_id": "demo-LH716", "price_total": {"amount": "612.40", "currency": "EUR"}}

CHAT_REQUEST: dict[str, Any] = {
    "user_id": "ada",
    "message": "Find flights from Berlin to Tokyo on 10 December",
    "client_id": "3f1c9d52",
    "policy": "interrupt",
    "priority": 5,
}
CHAT_ANSWER: dict[str, Any] = {
    "task_id": TASK_ID,
    "user_id": "ada",
    "status": "running",
    "policy": "interrupt",
    "relation": "new",
    "interrupted_task_id": None,
    "duplicate": False,
    "seq": 2,
    "epoch": "9f2c6a1b",
    "websocket": "/ws/ada",
}
REQUEST_ID = f"{TASK_ID}-q1"
ANSWER_REQUEST: dict[str, Any] = {
    "request_id": REQUEST_ID,
    "answer": {"origin": "Berlin", "departure_date": "2026-12-10"},
}
ANSWERED_ANSWER: dict[str, Any] = {
    "user_id": "ada",
    "task_id": TASK_ID,
    "request_id": REQUEST_ID,
    "outcome": "answered",
    "status": "running",
    "seq": 14,
    "epoch": "9f2c6a1b",
}
_INPUT_REQUEST: dict[str, Any] = {
    "request_id": f"{_LATER_TASK_ID}-q1",
    "kind": "question",
    "agent": "flight",
    "prompt": "Please tell me where you would like to fly from.",
    "schema": {
        "type": "object",
        "properties": {"origin": {"type": "string", "title": "From", "minLength": 1}},
        "required": ["origin"],
        "additionalProperties": False,
    },
    "defaults": {},
    "expires_at": "2026-11-21T09:30:01.500Z",
}
STOP_REQUEST: dict[str, Any] = {"task_id": TASK_ID}
STOPPED_AGENT_ANSWER: dict[str, Any] = {
    "user_id": "ada",
    "task_id": TASK_ID,
    "agent": "hotel",
    "state": "interrupted",
    "detail": "stopped by the user: 17 hotels from 1 of 2 sources",
    "done": 1,
    "total": 2,
    "count": 17,
    "since": "2026-11-20T09:30:00.100Z",
    "until": "2026-11-20T09:30:01.204Z",
    "tool_calls": [
        {
            "call_id": "01kak3v2m9p4r7te0c5n8h2x9q",
            "tool": "search_hotels",
            "effect": "read",
            "outcome": "cancelled",
            "summary": "stopped by the user: 17 hotels from 1 of 2 sources",
        }
    ],
}
STOPPING_ANSWER: dict[str, Any] = {"user_id": "ada", "status": "cancelling"}
RECEIPT_ANSWER: dict[str, Any] = {
    "task_id": TASK_ID,
    "reason": "superseded",
    "at": "2026-11-20T09:30:01.204Z",
    "requested_at": "2026-11-20T09:30:01.204Z",
    "settled_at": "2026-11-20T09:30:01.209Z",
    "text_kept": 0,
    "partial_results": {"flight": 12},
    "input_request": None,
    "tool_calls": [
        {
            "call_id": "01kak3v2m9p4r7te0c5n8h2x9q",
            "tool": "flight.search",
            "effect": "read",
            "outcome": "cancelled",
            "summary": "12 flights",
        }
    ],
    "adopted_by": None,
    "usage": {"input_tokens": 0, "output_tokens": 0, "model_calls": 0, "estimated": False},
}
STATUS_ANSWER: dict[str, Any] = {
    "user_id": "ada",
    "task_id": _LATER_TASK_ID,
    "status": "input_required",
    "reason": None,
    "message": "Find flights and a hotel in Lisbon, 12 to 14 December",
    "policy": "interrupt",
    "current_agent": "hotel",
    "agents": {
        "hotel": {
            "state": "working",
            "detail": "8 hotels from 1 of 2 sources",
            "done": 1,
            "total": 2,
            "count": 8,
            "since": "2026-11-20T09:30:01.210Z",
            "until": None,
            "request": {
                "city": {"label": "Lisbon, PT", "latitude": 38.72, "longitude": -9.14},
                "district": "",
                "check_in": "2026-12-12",
                "check_out": "2026-12-14",
                "guests": 1,
                "rooms": 1,
                "stars": None,
                "max_price": None,
            },
        }
    },
    "input_request": _INPUT_REQUEST,
    "input_requests": [_INPUT_REQUEST],
    "queued": [],
    "previous_task_id": TASK_ID,
    "created_at": "2026-11-20T09:30:01.204Z",
    "updated_at": "2026-11-20T09:30:01.950Z",
    **_POSITION,
}
PARTIAL_RESULTS_ANSWER: dict[str, Any] = {
    "user_id": "ada",
    "task_id": _LATER_TASK_ID,
    "status": "running",
    "partial_results": {"flight": [_OFFER]},
    "text": "",
    "interrupted": [
        {
            "task_id": TASK_ID,
            "message": "Find flights from Berlin to Tokyo on 10 December",
            "reason": "superseded",
            "at": "2026-11-20T09:30:01.209Z",
            "partial_results": {"flight": [_OFFER]},
            "text": "",
            "asked": [],
        }
    ],
    **_POSITION,
}
HISTORY_ANSWER: dict[str, Any] = {
    "user_id": "ada",
    "messages": [
        {
            "message_id": f"{TASK_ID}.0",
            "role": "user",
            "text": "Find flights from Berlin to Tokyo on 10 December",
            "task_id": TASK_ID,
            "at": "2026-11-20T09:29:58.000Z",
            "interrupted": False,
            "client_id": "3f1c9d52",
        },
        {
            "message_id": f"{TASK_ID}.1",
            "role": "system",
            "text": "Interrupted by a newer message after 3.2 s. Kept so far: 12 flight results.",
            "task_id": TASK_ID,
            "at": "2026-11-20T09:30:01.209Z",
            "interrupted": False,
            "client_id": None,
        },
    ],
    **_POSITION,
}
BOOKINGS_ANSWER: dict[str, Any] = {
    "bookings": [
        {
            "reference": "DEMO-7K2Q4M",
            "kind": "hold",
            "title": "Hopscotch Demo, BER to LIS on Fri 11 December 2026",
            "state": "held",
            "price_total": {"amount": "141.42", "currency": "EUR"},
            "expires_at": "2026-11-20T09:50:01.204Z",
            "cancellable": True,
            "refund_rule": "not refundable",
            "refund": None,
            "travellers": ["Ada Lovelace"],
            "made_at": "2026-11-20T09:30:01.204Z",
            "provider": "demo",
            "demo": True,
            "offer": {"offer_id": "demo-HD1133", "price_total": {"amount": "141.42", "currency": "EUR"}},
        }
    ]
}
HEALTH_ANSWER: dict[str, Any] = {"status": "ok"}
READY_ANSWER: dict[str, Any] = {"status": "ok", "store": "ok", "serving": True}
SESSION_REQUEST: dict[str, Any] = {"token": "a long random string"}
AIRPORT_CODES = "BER,HND"
AIRPORTS_ANSWER: dict[str, Any] = {
    "airports": {
        "BER": {
            "code": "BER",
            "name": "Berlin Brandenburg Airport",
            "city": "Berlin",
            "country": "DE",
            "latitude": 52.3667,
            "longitude": 13.5033,
        }
    }
}
LAND_ANSWER: dict[str, Any] = {"step": 1, "rows": [{"latitude": 52, "longitudes": [10, 13]}]}
FARES_ANSWER: dict[str, Any] = {
    "days": [
        {"date": "2026-12-09", "price_total": None},
        {"date": "2026-12-10", "price_total": {"amount": "612.40", "currency": "EUR"}},
    ]
}
EVENTS_ANSWER = (
    'id: 18\ndata: {"seq":18,"type":"agent_update","task_id":"01kak3vf7j2q8d4s6m0b3w9xyz",'
    '"at":"2026-11-20T09:30:02.100Z","agent":"flight","state":"working",'
    '"detail":"14 flights from 3 of 3 sources","done":3,"total":3,"count":14,'
    '"since":"2026-11-20T09:30:01.210Z","until":null}\n\n'
)
METRICS_ANSWER = (
    "# HELP detour_tasks_ended_total Tasks that have ended. `reason` tells why one was interrupted.\n"
    "# TYPE detour_tasks_ended_total counter\n"
    'detour_tasks_ended_total{reason="superseded",status="interrupted"} 7.0\n'
)


def error_answer(code: str, message: str, *, retryable: bool = False) -> dict[str, Any]:
    """Return an error as every call answers it."""
    return {"error": {"code": code, "message": message, "retryable": retryable}}
