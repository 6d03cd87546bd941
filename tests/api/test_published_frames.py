"""Frames have their published shapes, and the AsyncAPI document has them all."""

import json
import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from backend.http.wire.document import CLOSE_CODES
from tests.api.frames import SHAPES, check_frame, ends, receive, receive_until
from tests.conventions import ROOT

LOGS = sorted((ROOT / "tests/frontend/logs").glob("*.jsonl"))

pytestmark = pytest.mark.requirement("FRAMES-ARE-PUBLISHED")


@pytest.fixture
async def document(api):
    answer = await api.call("GET", "/asyncapi.json")
    assert answer.headers["content-type"] == "application/json"
    return answer.json()


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_recorded_frames_have_their_published_shape(log: Path) -> None:
    for line in log.read_text("utf-8").splitlines():
        frame = json.loads(line)
        if frame["type"] == "snapshot":  # recorded by a version that did not tell of what still runs
            frame["status"].setdefault("still_running", [])
            frame["partial_results"].setdefault("still_running", [])
        check_frame(json.dumps(frame))


def test_unpublished_field_is_noticed() -> None:
    pong = {"type": "pong", "ref": None, "at": "2026-12-01T10:00:00Z"}
    check_frame(json.dumps(pong))
    with pytest.raises(ValidationError, match="speed"):
        check_frame(json.dumps({**pong, "speed": 3}))


async def test_other_frames_and_replies_have_their_published_shape(live):
    async with live.socket("ann", "?since=9") as socket:
        assert [(await receive(socket))["type"] for _ in range(3)] == ["hello", "reset", "snapshot"]
        for command in ({"type": "ping"}, {"type": "nonsense"}, {"type": "answer", "request_id": "none"}):
            await socket.send(json.dumps({**command, "ref": 1}))
            await receive_until(socket, lambda frame: frame["type"] in ("pong", "error"))
        await socket.send(json.dumps({"type": "chat", "message": "find 1, ask Where?"}))
        *_, asked = await receive_until(socket, lambda frame: frame["type"] == "input_request")
        answer = {"type": "answer", "request_id": asked["request_id"], "answer": {"answer": "Here"}}
        await socket.send(json.dumps(answer))
        await receive_until(socket, ends(asked["task_id"]))
        await socket.send(json.dumps({"type": "chat", "message": "hold"}))
        *_, accepted = await receive_until(socket, lambda frame: frame["type"] == "ack" and "policy" in frame)
        await socket.send(json.dumps({"type": "stop"}))
        *_, stopped = await receive_until(socket, lambda frame: frame["type"] == "ack")
        assert stopped["task_id"] == accepted["task_id"]


async def test_asyncapi_document_has_every_frame_and_command(document):
    channel = document["channels"]["user"]
    assert channel["address"] == "/v1/ws/{user_id}"
    messages = document["components"]["messages"]
    assert channel["messages"].keys() == messages.keys()
    assert {message["name"] for message in messages.values()} == SHAPES.keys() | {
        "chat",
        "stop",
        "answer",
        "ping",
    }
    sent, received = (
        {each["$ref"].rpartition("/")[2] for each in document["operations"][name]["messages"]}
        for name in ("sendFrame", "receiveCommand")
    )
    assert sent | received == messages.keys()
    assert received == {"PingCommand", "ChatCommand", "StopCommand", "AnswerCommand"}


async def test_every_reference_of_the_asyncapi_document_resolves(document):
    for reference in re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(document)):
        place = document
        for step in reference.split("/"):
            place = place[step]


async def test_both_documents_describe_a_frame_alike(api, document):
    openapi = (await api.call("GET", "/openapi.json")).json()["components"]["schemas"]
    for name, schema in document["components"]["schemas"].items():
        assert {**openapi[name], "examples": None} == {**schema, "examples": None}, name


async def test_schemas_allow_fields_of_later_versions(document):
    schemas = document["components"]["schemas"]
    frames = [
        document["components"]["messages"][name]["payload"]["$ref"] for name in ("StatusUpdate", "Hello")
    ]
    assert all(schemas[each.rpartition("/")[2]].get("additionalProperties", True) for each in frames)


def test_close_codes_are_those_of_the_reference() -> None:
    reference = (ROOT / "docs/INTERRUPTION_SYSTEM.md").read_text("utf-8")
    table = reference[reference.index("| code | meaning |") :]
    assert {int(code) for code in re.findall(r"^\| (\d{4}) \|", table, re.MULTILINE)} == set(CLOSE_CODES)
