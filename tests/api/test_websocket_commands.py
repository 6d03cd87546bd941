"""Commands of a client over its socket, and replies to what is no command."""

import json

import pytest

from backend.domain.errors import ErrorAnswer
from backend.http.wire import answers
from tests.api.frames import receive, receive_until
from tests.api.live import serving
from tests.api.test_websocket import closed_with
from tests.shapes import check_shape

NO_COMMANDS = [
    ("{", "malformed_json", None),
    ("", "malformed_json", None),
    ('{"type": "ping", "ref": NaN}', "bad_input", None),
    (b'{"type": "ping"}', "bad_input", None),
    ("[]", "bad_input", None),
    ("null", "bad_input", None),
    ({}, "bad_input", None),
    ({"type": "dance", "ref": "one"}, "bad_input", "one"),
    ({"type": "ping", "ref": 2**63}, "bad_input", None),
    ({"type": "ping", "ref": 10**40}, "bad_input", None),
    ({"type": "ping", "ref": {"deep": [1]}}, "bad_input", None),
    ({"type": "ping", "ref": True}, "bad_input", None),
    ({"type": "ping", "ref": "x" * 129}, "bad_input", None),
    ({"type": "ping", "more": 1, "ref": 5}, "bad_input", 5),
    ({"type": "chat", "ref": 5}, "bad_input", 5),
    ({"type": "chat", "message": "  ", "ref": 5}, "bad_input", 5),
    ({"type": "chat", "message": "\u200b", "ref": 5}, "bad_input", 5),
    ('{"type": "chat", "message": "one", "message": "two", "ref": 5}', "bad_input", 5),
    ({"type": "chat", "message": "x" * 8001, "ref": 5}, "bad_input", 5),
    ({"type": "chat", "message": "hello", "user_id": "bob", "ref": 5}, "bad_input", 5),
    ({"type": "chat", "message": "hello", "priority": True, "ref": 5}, "bad_input", 5),
    ({"type": "stop", "ref": 5}, "unknown_user", 5),
    ({"type": "stop", "task_id": "", "ref": 5}, "bad_input", 5),
]

pytestmark = pytest.mark.uvloop


@pytest.fixture
async def socket(live):
    async with live.socket("ada") as socket:
        await receive(socket)
        await receive(socket)
        yield socket


async def reply(socket, command) -> dict:
    """Send a command and return the next frame that is a reply."""
    await socket.send(command if isinstance(command, str | bytes) else json.dumps(command))
    *_, frame = await receive_until(socket, lambda frame: "seq" not in frame or frame["type"] == "ack")
    return frame


async def test_ping_is_answered_with_a_pong(socket):
    for ref in ("one", 7, "", -(2**63), None):
        pong = await reply(socket, {"type": "ping", "ref": ref})
        assert pong == {"type": "pong", "ref": ref, "at": pong["at"]}
        assert pong["at"].endswith("Z")
    assert (await reply(socket, {"type": "ping"}))["ref"] is None


async def test_chat_is_acknowledged_with_the_http_answer(live, socket):
    ack = await reply(socket, {"type": "chat", "message": " hold ", "client_id": "one", "ref": 1})
    assert (ack.pop("type"), ack.pop("ref")) == ("ack", 1)
    check_shape(answers.ChatAnswer, json.dumps(ack))
    assert (await live.status("ada"))["message"] == "hold"
    again = await live.chat("ada", "hold", client_id="one")
    assert again == ack | {"duplicate": True}
    queued = await reply(socket, {"type": "chat", "message": "find 1", "policy": "enqueue", "priority": 9})
    assert queued["status"] == "queued"


async def test_stop_is_acknowledged_with_the_receipt(live, socket):
    accepted = await live.chat("ada", "find 2, hold")
    await live.until_found("ada", 2)
    ack = await reply(socket, {"type": "stop", "ref": "x"})
    assert (ack.pop("type"), ack.pop("ref")) == ("ack", "x")
    assert ack == await live.stop("ada", task_id=accepted["task_id"])


async def test_invalid_command_gets_an_error_and_the_socket_stays_open(socket):
    for command, code, ref in NO_COMMANDS:
        error = await reply(socket, command)
        assert set(error) == {"type", "ref", "error"}, command
        assert (error["type"], error["ref"], error["error"]["code"]) == ("error", ref, code), command
        check_shape(ErrorAnswer, json.dumps({"error": error["error"]}))
    assert (await reply(socket, {"type": "ping", "ref": 9}))["ref"] == 9


async def test_refusals_equal_those_over_http(tmp_path):
    async with serving(tmp_path, messages_per_minute=2) as live, live.socket("ada") as socket:
        await live.chat("ada", "hold")
        conflict = await reply(socket, {"type": "chat", "message": "hello", "policy": "reject"})
        assert conflict["error"]["code"] == "task_active"
        flood = await reply(socket, {"type": "chat", "message": "hello"})
        assert (flood["error"]["code"], flood["error"]["retryable"]) == ("too_many_requests", True)
        await live.detour.store.close()


async def test_frame_of_128_kib_is_read_and_a_larger_one_closes(live):
    padding = 128 * 1024 - len(json.dumps({"type": "ping", "ref": ""}))
    async with live.socket("ada") as socket:
        just_fits = json.dumps({"type": "ping", "ref": ""}) + " " * padding
        assert (await reply(socket, just_fits))["type"] in ("hello", "pong")
        await socket.send(just_fits + " ")
        assert await closed_with(socket) == 1009


async def test_fragmented_oversized_frame_closes(live):
    async with live.socket("ada") as socket:
        await socket.send(iter(['{"type": "ping", "ref": "', *["x" * 1024] * 130, '"}']))
        assert await closed_with(socket) == 1009


async def test_commands_run_in_order(live, socket):
    for n in range(20):
        await socket.send(json.dumps({"type": "chat", "message": f"find {n}, hold", "ref": n}))
    acks: list = []
    while len(acks) < 20:
        frame = await receive(socket)
        acks += [frame] if frame["type"] == "ack" else []
    assert [ack["ref"] for ack in acks] == list(range(20))
    assert [ack["interrupted_task_id"] for ack in acks] == [None, *(ack["task_id"] for ack in acks[:-1])]
    assert (await live.status("ada"))["message"] == "find 19, hold"
