"""Log lines of refusals: rule and sender, no words, few for a flood."""

import json

import pytest

from backend.domain.errors import Forbidden, TooManyRequests
from backend.http.edge.guard import Guard
from backend.http.edge.limits import Limits
from backend.http.edge.refusals import MOST_LINES, MOST_LINES_IN_ALL, MOST_REMEMBERED, WITHIN_S, RefusalLog
from tests.api.asgi_client import JSON, OWN_HOST, RecordingApp, chunks, connect, request
from tests.api.frames import receive_until
from tests.api.issuer import Issuer, bearer
from tests.api.live import running, serving
from tests.api.signing import Monotonic, one_token, per_minute

pytestmark = pytest.mark.requirement("REFUSALS-ARE-EXPLAINED")

CANARY = "canary"
FOREIGN = (b"origin", b"https://evil.example")


def said(lines):
    return [line for line in lines if line["event"] == "a request was refused"]


async def test_stranger_is_logged_with_the_rule(lines):
    guard = Guard(RecordingApp(), authentication=one_token())
    await request(guard, path="/history/ann", headers=[OWN_HOST, (b"authorization", b"Bearer canary")])
    await request(guard, path="/history/ann", headers=[OWN_HOST, FOREIGN])
    await connect(guard, headers=[OWN_HOST])
    await connect(guard, headers=[OWN_HOST, FOREIGN])
    told = said(lines)  # one line each, the wrong token's included
    assert [(line["code"], line["method"], line["path"]) for line in told] == [
        ("unauthorized", "GET", "/history/ann"),
        ("origin_not_allowed", "GET", "/history/ann"),
        ("unauthorized", "WEBSOCKET", "/ws/ann"),
        ("origin_not_allowed", "WEBSOCKET", "/ws/ann"),
    ]
    assert all(line["reason"].endswith(".") and "address" in line for line in told)
    assert CANARY not in str(lines)


async def test_refused_body_is_not_quoted(lines):
    guard = Guard(RecordingApp(), body_limit=10)
    await request(guard, "POST", "/chat", [OWN_HOST, JSON], chunks(CANARY.encode() * 10))
    await request(guard, "POST", "/chat", [OWN_HOST], chunks(CANARY.encode()))
    assert [line["code"] for line in said(lines)] == ["too_large", "unsupported_media_type"]
    assert CANARY not in str(lines)


async def test_path_makes_no_line_of_its_own(lines):
    await request(Guard(RecordingApp()), path="/a\nb" + "c" * 1000, headers=[(b"host", b"evil.example")])
    (line,) = said(lines)
    assert line["path"].startswith("/a\\nbc")
    assert len(line["path"]) <= 110


async def test_user_over_the_limit_is_named(lines, tmp_path):
    async with running(tmp_path, messages_per_minute=1) as api:
        await api.chat("ann", f"find 1 {CANARY}")
        refused = {"user_id": "ann", "message": CANARY}
        assert (await api.call("POST", "/chat", json=refused)).status_code == 429
    (line,) = said(lines)
    assert (line["code"], line["user_id"]) == ("too_many_requests", "ann")
    assert "1 messages a minute" in line["reason"]
    assert CANARY not in str(said(lines))


async def test_user_with_too_many_streams_is_named(lines, tmp_path):
    async with running(tmp_path, sockets_per_user=1) as api:
        services = api.detour._services
        services.open_stream("ann")
        for refused in (services.open_stream, services.check_streams):
            with pytest.raises(TooManyRequests):
                refused("ann")
        services.close_stream("ann")
    assert [(line["user_id"], line["limit"]) for line in said(lines)] == [("ann", "1")] * 2


async def test_flood_makes_few_lines_and_the_next_counts_the_rest(lines):
    clock = Monotonic()
    limits = Limits(per_minute(messages=60), clock)
    for _ in range(60):
        await limits.take_message("ann", "192.0.2.1")
    for _ in range(1000):
        with pytest.raises(TooManyRequests):
            await limits.take_message("ann", "192.0.2.1")
    assert len(said(lines)) == MOST_LINES
    clock.now += 60
    for _ in range(60):
        await limits.take_message("ann", "192.0.2.1")
    with pytest.raises(TooManyRequests):
        await limits.take_message("ann", "192.0.2.1")
    assert said(lines)[-1]["unlogged_before"] == 1000 - MOST_LINES


def test_flood_of_one_kind_hides_no_other(lines):
    log = RefusalLog(Monotonic())
    for _ in range(100):
        log.note(TooManyRequests("Too fast."), user_id="ann")
    log.note(Forbidden("Not you.", code="origin_not_allowed"))
    assert said(lines)[-1]["code"] == "origin_not_allowed"


@pytest.mark.parametrize("noisy", ["203.0.113.5", "2001:db8::{:x}"])
def test_noisy_address_hides_no_other(lines, noisy):
    log = RefusalLog(Monotonic())
    for number in range(1, 101):
        log.note(TooManyRequests("Too fast."), address=noisy.format(number))
    assert len(said(lines)) == MOST_LINES
    log.note(TooManyRequests("Too fast."), address="198.51.100.7")
    log.note(TooManyRequests("Too fast."), address="198.51.100.7")
    assert [line["address"] for line in said(lines)[MOST_LINES:]] == ["198.51.100.7"] * 2
    assert [line.get("unlogged_before") for line in said(lines)[MOST_LINES:]] == [100 - MOST_LINES, None]


def test_many_addresses_make_few_lines_and_are_bounded(lines):
    clock = Monotonic()
    log = RefusalLog(clock)
    addresses = [f"10.{number >> 8}.{number & 255}.1" for number in range(MOST_REMEMBERED + 100)]
    for address in addresses:
        log.note(TooManyRequests("Too fast."), address=address)
    assert len(said(lines)) == MOST_LINES_IN_ALL
    assert len(log._of_addresses) == MOST_REMEMBERED
    clock.now += WITHIN_S
    log.note(TooManyRequests("Too fast."), address=addresses[0])
    assert said(lines)[-1]["unlogged_before"] == len(addresses) - MOST_LINES_IN_ALL


async def test_stranger_to_a_conversation_or_scope_is_named(lines, tmp_path):
    issuer = Issuer()
    async with running(tmp_path, **issuer.settings()) as api:
        body = {"user_id": "ann-1", "message": CANARY}
        ann, eve, reader = (bearer(issuer.token(*each)) for each in (("ann",), ("eve",), ("ann", "read")))
        assert (await api.call("POST", "/chat", json=body, headers=ann)).status_code == 202
        assert (await api.call("GET", "/history/ann-1", headers=eve)).status_code == 404
        assert (await api.call("GET", "/history/nobody", headers=eve)).status_code == 404
        assert (await api.call("POST", "/chat", json=body, headers=reader)).status_code == 403
    told = [(line["code"], line["person"], line["act"], line.get("user_id")) for line in said(lines)]
    assert told == [("unknown_user", "eve", "read", "ann-1"), ("scope_missing", "ann", "speak", None)]
    assert CANARY not in str(lines)


async def test_wrong_token_of_a_page_is_logged_once(lines, tmp_path):
    async with running(tmp_path, token="a-long-random-token-22") as api:
        assert (await api.call("POST", "/session", json={"token": CANARY})).status_code == 401
    (line,) = said(lines)
    assert (line["code"], "wrong token" in line["reason"]) == ("unauthorized", True)
    assert CANARY not in str(lines)


REFUSED_INPUT = {
    "/chat": ({"user_id": "ann", "message": 7, "policy": CANARY}, "bad_input", "policy, message"),
    "/chat?": (f"no JSON: {CANARY}", "malformed_json", None),
    "/answer/ann": (
        {"request_id": CANARY, "answer": {}, f"a {CANARY}": 1, "decision": 1},
        "bad_input",
        "decision",
    ),
    "/threads": ({"if_exists": CANARY}, "bad_input", "if_exists"),
    "/ai-sdk/chat": ({"id": "ann", "messages": [{"role": CANARY}]}, "bad_input", "messages"),
    "/agui": ({"threadId": 7, "runId": CANARY}, "bad_input", "threadId"),
    "/copilotkit": (
        {"method": "agent/stop", "params": {"threadId": {CANARY: 1}}},
        "bad_input",
        "params.threadId",
    ),
}


async def test_refused_input_is_logged_by_its_fields_in_every_protocol(lines, tmp_path):
    async with serving(tmp_path) as live:
        for path, (body, code, fields) in REFUSED_INPUT.items():
            sent = body if isinstance(body, str) else json.dumps(body)
            answer = await live.call("POST", path, content=sent, headers={"content-type": "application/json"})
            (line,) = said(lines)
            assert (line["code"], line.get("fields"), line["path"]) == (code, fields, path.rstrip("?")), (
                answer.text
            )
            assert line["address"] == "127.0.0.1"
            lines.clear()
        async with live.socket("ann") as socket:
            await socket.send(json.dumps({"type": "chat", "message": [CANARY]}))
            await receive_until(socket, lambda frame: frame["type"] == "error")
        (line,) = said(lines)
        assert (line["code"], line["method"], line["path"]) == ("bad_input", "WEBSOCKET", "/ws/ann")
        assert line["fields"].endswith("message")
    assert CANARY not in str(lines)
