"""`POST /chat`: accepted messages, their effect on the running task, and retries."""

import asyncio
import json

import pytest

from backend.http.wire import answers
from backend.http.wire import requests as schemas
from tests.api.live import answer, refusal


async def test_message_is_accepted_with_all_fields_of_the_contract(api):
    accepted = await api.chat("ada", "find 1")
    assert accepted | {"task_id": "", "epoch": "", "seq": 0} == {
        "task_id": "",
        "user_id": "ada",
        "status": "running",
        "policy": "interrupt",
        "relation": None,
        "interrupted_task_id": None,
        "duplicate": False,
        "seq": 0,
        "epoch": "",
        "websocket": "/ws/ada",
    }
    assert accepted["seq"] > 0
    assert accepted["epoch"]


async def test_next_message_interrupts_the_task_and_keeps_its_findings(api):
    first = await api.chat("ada", "find 3, hold")
    await api.until_found("ada", 3)
    second = await api.chat("ada", "find 1")
    assert second["interrupted_task_id"] == first["task_id"]
    await api.until_ended("ada", second["task_id"])
    (left,) = (await api.partial_results("ada"))["interrupted"]
    assert (left["task_id"], left["reason"]) == (first["task_id"], "superseded")
    assert left["partial_results"] == {"finder": [{"thing": 0}, {"thing": 1}, {"thing": 2}]}


@pytest.mark.requirement("ONE-ACTIVE-TASK")
async def test_messages_posted_at_once_leave_the_last_one_running(api):
    answers = await asyncio.gather(*(api.chat("ada", f"find {n}, hold") for n in range(1, 21)))
    last = max(answers, key=lambda each: each["seq"])
    assert {each["interrupted_task_id"] for each in answers} == (
        {None} | {each["task_id"] for each in answers} - {last["task_id"]}
    )
    status = await api.status("ada")
    assert (status["task_id"], status["status"], status["queued"]) == (last["task_id"], "running", [])


class TestPolicy:
    async def test_reject_is_refused_while_a_task_runs_and_leaves_it_alone(self, api):
        first = await api.chat("ada", "find 1, hold")
        refused = await api.call(
            "POST", "/chat", json={"user_id": "ada", "message": "hello", "policy": "reject"}
        )
        refusal(refused, 409, "task_active")
        status = await api.status("ada")
        assert (status["task_id"], status["status"]) == (first["task_id"], "running")
        assert [said["text"] for said in (await api.history("ada"))["messages"]] == ["find 1, hold"]

    async def test_enqueue_starts_when_the_running_task_has_ended(self, api):
        first = await api.chat("ada", "find 1, hold")
        second = await api.chat("ada", "find 2", policy="enqueue")
        assert (second["status"], second["interrupted_task_id"]) == ("queued", None)
        status = await api.status("ada")
        assert (status["task_id"], status["queued"]) == (first["task_id"], [second["task_id"]])
        await api.stop("ada")
        ended = await api.until_ended("ada", second["task_id"])
        assert (ended["status"], ended["queued"], ended["policy"]) == ("completed", [], "enqueue")

    async def test_queued_task_is_stopped_by_its_id(self, api):
        await api.chat("ada", "hold")
        second = await api.chat("ada", "find 2", policy="enqueue")
        receipt = await api.stop("ada", task_id=second["task_id"])
        assert (receipt["task_id"], receipt["reason"]) == (second["task_id"], "stopped")
        status = await api.status("ada")
        assert (status["status"], status["queued"]) == ("running", [])


class TestPriority:
    async def test_lower_priority_waits_and_an_equal_or_higher_one_interrupts(self, api):
        first = await api.chat("ada", "hold", priority=6)
        assert (await api.chat("ada", "find 1", priority=5))["status"] == "queued"
        second = await api.chat("ada", "hold", priority=6)
        assert second["interrupted_task_id"] == first["task_id"]
        assert (await api.chat("ada", "hold", priority=9))["interrupted_task_id"] == second["task_id"]

    @pytest.mark.parametrize("priority", [-1, 10, 2.5, "5", True])
    async def test_priority_that_is_no_digit_is_refused(self, api, priority):
        body = {"user_id": "ada", "message": "hello", "priority": priority}
        error = refusal(await api.call("POST", "/chat", json=body), 422, "bad_input")
        assert error["message"].startswith("priority: ")


async def test_longest_message_is_accepted_however_it_is_written(api):
    longest = {"user_id": "a" * 64, "message": "😀" * schemas.LONGEST_MESSAGE, "client_id": "x" * 128}
    sent = json.dumps(longest)  # which writes each character as two escapes, of six bytes each
    assert len(sent) > 12 * schemas.LONGEST_MESSAGE
    headers = {"Content-Type": "application/json"}
    answer(await api.call("POST", "/chat", content=sent, headers=headers), 202, answers.ChatAnswer)


@pytest.mark.requirement("RETRIES-START-NOTHING")
class TestRetries:
    async def test_retry_gets_the_first_answer_and_starts_nothing(self, api):
        first = await api.chat("ada", "find 1, hold", client_id="one")
        again = await api.chat("ada", "find 1, hold", client_id="one")
        assert again == first | {"duplicate": True}
        assert len((await api.history("ada"))["messages"]) == 1

    async def test_equal_messages_are_confirmed_each_by_its_own_id(self, api):
        for client_id in ("one", "two", None):
            await api.chat("ada", "find 1, hold", client_id=client_id)
        said = (await api.history("ada"))["messages"]
        assert [each["client_id"] for each in said if each["role"] == "user"] == ["one", "two", None]
        assert {each["client_id"] for each in said if each["role"] != "user"} == {None}

    async def test_message_that_answers_is_confirmed_by_its_id(self, api):
        await api.chat("ada", "ask name", client_id="one")
        await api.until_asked("ada")
        taken = await api.chat("ada", "Ada", client_id="two")
        assert taken["relation"] == "answer"
        said = (await api.history("ada"))["messages"]
        assert [each["client_id"] for each in said if each["role"] == "user"] == ["one", "two"]

    async def test_header_is_a_client_id_and_the_body_precedes_it(self, api):
        async def post(header, **fields):
            body = {"user_id": "ada", "message": "find 1", **fields}
            return (await api.call("POST", "/chat", json=body, headers={"Idempotency-Key": header})).json()

        first = await post("one")
        assert (await post("one"))["task_id"] == first["task_id"]
        assert (await api.chat("ada", "find 1", client_id="one"))["duplicate"] is True
        assert (await post("one", client_id="two"))["duplicate"] is False

    async def test_retries_sent_at_once_start_one_task(self, api):
        answers = await asyncio.gather(*(api.chat("ada", "find 1", client_id="one") for _ in range(10)))
        assert len({each["task_id"] for each in answers}) == 1
        assert sorted(each["duplicate"] for each in answers) == [False] + [True] * 9

    async def test_client_id_of_another_user_is_another_message(self, api):
        await api.chat("ada", "find 1", client_id="one")
        assert (await api.chat("bob", "find 1", client_id="one"))["duplicate"] is False

    @pytest.mark.parametrize("client_id", ["", "x" * 129, "a\0b", 5])
    async def test_client_id_that_is_invalid_is_refused(self, api, client_id):
        body = {"user_id": "ada", "message": "hello", "client_id": client_id}
        error = refusal(await api.call("POST", "/chat", json=body), 422, "bad_input")
        assert error["message"].startswith("client_id: ")

    async def test_client_id_of_another_message_is_refused(self, api):
        await api.chat("ada", "find 1", client_id="c1")
        body = {"user_id": "ada", "message": "find 2", "client_id": "c1"}
        error = refusal(await api.call("POST", "/chat", json=body), 422, "client_id_reused")
        assert error["message"].startswith("client_id: ")


class TestMessage:
    @pytest.mark.parametrize("message", ["   \n\t ", "x" * 8001, "a\0b", None, 5])
    async def test_message_that_is_invalid_is_refused_with_its_field(self, api, message):
        body = {"user_id": "ada", "message": message}
        error = refusal(await api.call("POST", "/chat", json=body), 422, "bad_input")
        assert error["message"].startswith("message: ")
        assert error["details"][0]["field"] == "message"
        refusal(await api.call("GET", "/status/ada"), 404, "unknown_user")

    @pytest.mark.parametrize(
        "message", ["\u200b", "\u2060 \ufeff\u00ad", "\u3164\u2800", "\ufe0f", "\x01\u202e"]
    )
    async def test_message_without_a_visible_character_is_refused(self, api, message):
        body = {"user_id": "ada", "message": message}
        error = refusal(await api.call("POST", "/chat", json=body), 422, "bad_input")
        assert error["message"] == "message: must have a character that can be seen."
        refusal(await api.call("GET", "/status/ada"), 404, "unknown_user")

    @pytest.mark.parametrize("message", ["?", "\u0301", "\uf8ff", "\U0001fae8", "\u200b👩\u200d👩", "\x01a"])
    async def test_message_of_one_visible_character_is_taken(self, api, message):
        await api.chat("ada", message)
        assert (await api.status("ada"))["message"] == message

    @pytest.mark.parametrize(
        "body",
        [
            b'{"user_id": "eve", "message": "hi", "user_id": "ada"}',
            b'{"user_id": "eve", "message": "hi", "user\\u005fid": "ada"}',
            b'{"user_id": "ada", "message": "hi", "input": {"a": [{"b": 1, "b": 1}]}}',
        ],
        ids=["twice", "escaped", "within"],
    )
    async def test_body_that_names_a_field_twice_is_refused(self, api, body):
        answer = await api.call("POST", "/chat", content=body, headers={"Content-Type": "application/json"})
        refusal(answer, 422, "bad_input")
        refusal(await api.call("GET", "/status/ada"), 404, "unknown_user")

    async def test_message_is_trimmed_before_it_is_measured_and_stored(self, api):
        await api.chat("ada", "  " + "é" * 8000 + "\n")
        assert (await api.status("ada"))["message"] == "é" * 8000

    async def test_message_comes_back_as_it_was_sent(self, api):
        text = 'Ω≈ç√ 日本 👩‍👩‍👧 "quotes" \\ </script> \x01 \u202e {"a": 1}'
        await api.chat("ada", text)
        assert (await api.history("ada"))["messages"][0]["text"] == text

    @pytest.mark.parametrize("field", ["input", "context", "configurable"])
    async def test_travel_assistant_takes_nothing_but_the_message(self, travel_api, field):
        body = {"user_id": "ada", "message": "hello", field: {"depth": 1}}
        error = refusal(await travel_api.call("POST", "/chat", json=body), 422, "bad_input")
        assert error["message"] == f"{field}: the travel assistant takes nothing but the message."

    async def test_unknown_field_or_policy_is_refused(self, api):
        for extra in ({"extra": 1}, {"policy": "replace"}, {"policy": None}):
            body = {"user_id": "ada", "message": "hello", **extra}
            error = refusal(await api.call("POST", "/chat", json=body), 422, "bad_input")
            assert error["message"].startswith(next(iter(extra)))

    @pytest.mark.parametrize(
        "body",
        [b"", b"{", b'"\\ud800"', b"\xff", b"[" * 5000, b"\xef\xbb\xbf{}"],
    )
    async def test_body_that_is_not_json_is_malformed(self, api, body):
        answer = await api.call("POST", "/chat", content=body, headers={"Content-Type": "application/json"})
        refusal(answer, 400, "malformed_json")

    @pytest.mark.parametrize("body", [b"[]", b"null", b"{}"])
    async def test_json_of_another_shape_is_refused(self, api, body):
        answer = await api.call("POST", "/chat", content=body, headers={"Content-Type": "application/json"})
        refusal(answer, 422, "bad_input")
