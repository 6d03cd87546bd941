"""Answers to questions, over HTTP and over the socket, and their refusals."""

import asyncio
import json

import pytest

from backend.http.wire import answers
from tests.api.frames import receive, receive_until
from tests.api.live import answer, refusal, running


async def test_question_is_in_the_status_and_its_answer_resumes_the_task(api):
    accepted = await api.chat("ada", "find 1, ask Which city?")
    status = await api.until_asked("ada")
    assert status["status"] == "input_required"
    question = status["input_request"]
    assert status["input_requests"] == [question]
    assert (question["prompt"], question["kind"], question["agent"]) == ("Which city?", "question", "worker")
    answered = await api.answer("ada", question["request_id"], answer="Rome")
    assert answered == {
        "user_id": "ada",
        "task_id": accepted["task_id"],
        "request_id": question["request_id"],
        "outcome": "answered",
        "status": "running",
        "seq": answered["seq"],
        "epoch": accepted["epoch"],
    }
    ended = await api.until_ended("ada", accepted["task_id"])
    assert (ended["status"], ended["input_request"], ended["input_requests"]) == ("completed", None, [])
    found = (await api.partial_results("ada"))["partial_results"]
    assert found == {"finder": [{"thing": 0}, {"answer": "Rome"}]}


@pytest.mark.requirement("QUESTIONS-OF-ANY-GRAPH")
async def test_any_json_can_answer(api):
    await api.chat("ada", "ask Which city?")
    asked = (await api.until_asked("ada"))["input_request"]
    body = {"request_id": asked["request_id"], "answer": ["Rome", {"nights": 2}]}
    answered = answer(await api.call("POST", "/answer/ada", json=body), 202, answers.AnsweredAnswer)
    await api.until_ended("ada", answered["task_id"])
    assert (await api.partial_results("ada"))["partial_results"] == {"finder": [{"answer": body["answer"]}]}


BODIES = [
    ({}, 422, "bad_input", "request_id"),
    ({"request_id": "x" * 129, "answer": {}}, 422, "bad_input", "request_id"),
    ({"request_id": "THIS"}, 422, "bad_input", "answer"),
    ({"request_id": "THIS", "answer": {}}, 422, "bad_input", "answer: Field required."),
    ({"request_id": "THIS", "answer": {"answer": 7}}, 422, "bad_input", "answer: should be text."),
    ({"request_id": "THIS", "answer": {"answer": "x", "more": 1}}, 422, "bad_input", "more"),
    ({"request_id": "THIS", "decision": "allow"}, 422, "bad_input", "decision"),
    ({"request_id": "THIS", "decision": "maybe"}, 422, "bad_input", "decision"),
    ({"request_id": "nothing", "answer": {"answer": "x"}}, 404, "unknown_request", "nothing"),
]


@pytest.mark.parametrize(("body", "status", "code", "words"), BODIES, ids=str)
@pytest.mark.requirement("REFUSED-CHANGES-NOTHING")
async def test_answer_that_does_not_fit_is_refused_and_the_question_stays(api, body, status, code, words):
    await api.chat("ada", "field Which city?")
    question = (await api.until_asked("ada"))["input_request"]
    if body.get("request_id") == "THIS":
        body = {**body, "request_id": question["request_id"]}
    error = refusal(await api.call("POST", "/answer/ada", json=body), status, code)
    assert words in error["message"]
    assert (await api.status("ada"))["input_request"] == question


JSON = {"content-type": "application/json"}


@pytest.mark.parametrize("number", ["NaN", "1e999"])
@pytest.mark.requirement("REFUSED-CHANGES-NOTHING")
async def test_number_that_is_not_finite_is_refused_with_its_field(api, number):
    await api.chat("ada", "ask Which city?")
    question = (await api.until_asked("ada"))["input_request"]
    body = f'{{"request_id": "{question["request_id"]}", "answer": {{"answer": {number}}}}}'
    refused = await api.call("POST", "/answer/ada", content=body, headers=JSON)
    error = refusal(refused, 422, "bad_input")
    assert error["message"] == "answer: should be a finite number."
    assert (await api.status("ada"))["input_request"] == question
    body = f'{{"user_id": "ada", "message": "find 1", "priority": {number}}}'
    error = refusal(await api.call("POST", "/chat", content=body, headers=JSON), 422, "bad_input")
    assert error["message"].startswith("priority: ")


@pytest.mark.requirement("ANSWERED-ONCE")
async def test_answer_to_a_closed_question_is_refused_with_the_reason(api):
    await api.chat("ada", "ask Which city?")
    first = (await api.until_asked("ada"))["input_request"]["request_id"]
    body = {"request_id": first, "answer": {"answer": "Rome"}}
    both = await asyncio.gather(*(api.call("POST", "/answer/ada", json=body) for _ in range(2)))
    taken, refused = sorted(both, key=lambda response: response.status_code)
    answer(taken, 202, answers.AnsweredAnswer)
    refusal(refused, 409, "answered")
    await api.chat("ada", "ask {Which city?}")
    second = (await api.until_asked("ada"))["input_request"]["request_id"]
    await api.stop("ada")
    refusal(await api.call("POST", "/answer/ada", json={**body, "request_id": second}), 409, "withdrawn")
    refusal(await api.call("POST", "/answer/bob", json=body), 404, "unknown_request")


@pytest.mark.requirement("FLOODS-ARE-REFUSED")
async def test_answers_count_as_messages(tmp_path):
    async with running(tmp_path, messages_per_minute=2) as api:
        body = {"request_id": "nothing", "answer": {}}
        for status, code in ((404, "unknown_request"), (404, "unknown_request"), (429, "too_many_requests")):
            refusal(await api.call("POST", "/answer/ada", json=body), status, code)


@pytest.mark.requirement("QUESTIONS-EXPIRE")
@pytest.mark.uvloop
async def test_unanswered_question_expires(tmp_path, monkeypatch):
    monkeypatch.setattr("backend.conversation.agent_manager.SWEEP_EVERY_S", 0.01)
    async with running(tmp_path, input_timeout_s=0.02) as api:
        ended = await api.chat_to_end("ada", "find 2, ask Which city?")
        assert (ended["status"], ended["reason"]) == ("interrupted", "timed_out")
        [left] = (await api.partial_results("ada"))["interrupted"]
        assert len(left["partial_results"]["finder"]) == 2


@pytest.mark.uvloop
@pytest.mark.requirement("EVENTS-TELL-EVERYTHING")
async def test_question_is_asked_and_answered_over_a_socket(live):
    async with live.socket("ada") as socket:
        await receive(socket)
        assert (await receive(socket))["status"] is None
        await socket.send(json.dumps({"type": "chat", "message": "ask Which city?"}))
        *_, asked = await receive_until(socket, lambda frame: frame["type"] == "input_request")
        assert {"request_id", "kind", "agent", "prompt", "schema", "defaults", "expires_at"} <= asked.keys()
        await live.until_asked("ada")
        async with live.socket("ada") as late:
            await receive(late)
            snapshot = await receive(late)
            assert snapshot["status"]["input_request"]["request_id"] == asked["request_id"]
        command = {
            "type": "answer",
            "request_id": asked["request_id"],
            "answer": {"answer": "Rome"},
            "ref": 5,
        }
        await socket.send(json.dumps(command))
        frames = await receive_until(socket, lambda frame: frame.get("status") == "completed")
        [ack] = [frame for frame in frames if frame["type"] == "ack" and frame["ref"] == 5]
        assert (ack["outcome"], ack["request_id"]) == ("answered", asked["request_id"])
        [resolved] = [frame for frame in frames if frame["type"] == "input_resolved"]
        assert (resolved["request_id"], resolved["outcome"]) == (asked["request_id"], "answered")
        await socket.send(json.dumps(command))
        *_, error = await receive_until(socket, lambda frame: frame["type"] == "error")
        assert (error["ref"], error["error"]["code"]) == (5, "answered")
