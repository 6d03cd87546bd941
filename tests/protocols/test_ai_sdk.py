"""The UI message stream over HTTP: its chunks, its refusals, and what a client that lies gets."""

import asyncio
import re

import orjson
import pytest
import pytest_asyncio

from backend.domain.errors import StoreUnavailable
from backend.protocols.ai_sdk.routes import with_end
from tests.api.live import BOUND_S, running
from tests.protocols.conftest import TALKING

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHAT = "/ai-sdk/chat"


@pytest_asyncio.fixture(loop_scope="module")
async def talk(servers):
    """The module's server of the talking graph, which forgets the chats of each test."""
    client = await servers()
    yield client
    for chat in ("ada", "eve", "a"):
        await client.call("DELETE", f"/threads/{chat}")


def message(message_id, text, **fields):
    return {"id": message_id, "role": "user", "parts": [{"type": "text", "text": text}], **fields}


def chunks(response) -> list[dict]:
    """Return the chunks of a whole stream, held to its form."""
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert response.headers["x-vercel-ai-ui-message-stream"] == "v1"
    *events, last, rest = response.text.split("\n\n")
    assert (last, rest) == ("data: [DONE]", "")
    return [orjson.loads(each.removeprefix("data: ")) for each in events if not each.startswith(":")]


async def send(client, chat, *messages, **fields):
    body = {"id": chat, "messages": list(messages), "trigger": "submit-message", **fields}
    return await client.call("POST", CHAT, json=body)


def kinds(found: list[dict]) -> list[str]:
    """Return the types of chunks, each once where it follows itself, and those that tell progress not."""
    types = [each["type"] for each in found if each["type"] not in ("data-agent", "data-tool")]
    return [each for each, before in zip(types, [None, *types], strict=False) if each != before]


def text_of(found: list[dict]) -> str:
    return "".join(each["delta"] for each in found if each["type"] == "text-delta")


async def begun(client, chat, text="slow", message_id="m1"):
    """Send a message whose run takes long; return the task that reads its stream."""
    loop = asyncio.get_running_loop()
    reading = loop.create_task(send(client, chat, message(message_id, text)))
    async with asyncio.timeout(BOUND_S):
        while True:
            response = await client.call("GET", f"/status/{chat}")
            if response.status_code == 200 and response.json()["message"] == text:
                return reading
            await asyncio.sleep(0)


class TestOneRun:
    async def test_reply_is_one_text_part_under_the_id_of_its_message(self, talk):
        found = chunks(await send(talk, "ada", message("m1", "hello")))
        assert kinds(found) == ["start", "text-start", "text-delta", "text-end", "finish"]
        assert text_of(found) == "You said: hello"
        assert len({each["id"] for each in found if each["type"].startswith("text-")}) == 1
        assert found[0]["messageId"] == (await talk.status("ada"))["task_id"]
        assert found[-1]["finishReason"] == "stop"

    async def test_results_of_an_agent_replace_those_before(self, tmp_path):
        async with running(tmp_path, graph="") as travel:
            wish = message("m1", "flights and a hotel from Berlin to Tokyo on 10 December")
            found = chunks(await send(travel, "ada", wish))
            shown: dict[str, list] = {}
            for each in found:
                if each["type"] == "data-partial":
                    before = shown.get(each["id"], [])
                    shown[each["id"]] = each["data"]["items"]
                    assert shown[each["id"]][: len(before)] == before
            assert shown == (await travel.partial_results("ada"))["partial_results"]
            (asked,) = {
                orjson.dumps(each["data"]["request"])
                for each in found
                if each["type"] == "data-agent" and each["id"] == "hotel"
            }
            assert b"Tokyo" in asked, "each update has the request, since it replaces the one before"
            assert text_of(found).startswith("I found ")

    async def test_question_has_its_prompt_as_text_and_its_form_as_data(self, tmp_path):
        async with running(tmp_path, graph="") as travel:
            found = chunks(await send(travel, "ada", message("m1", "flights to Tokyo on 10 December")))
            (question,) = [each for each in found if each["type"] == "data-question"]
            assert question["data"]["prompt"] == text_of(found)
            assert question["id"] == question["data"]["request_id"]
            assert "origin" in question["data"]["schema"]["properties"]
            assert found[-1]["finishReason"] == "stop"
            again = await travel.call("GET", f"{CHAT}/ada/stream")
            assert chunks(again) == found
            answered = chunks(await send(travel, "ada", message("m2", "Berlin")))
            assert answered[0]["messageId"] != found[0]["messageId"]
            assert re.match(r"I found \d+ flights from Berlin", text_of(answered))
            assert (await travel.call("GET", f"{CHAT}/ada/stream")).status_code == 204

    @pytest.mark.requirement("A-MESSAGE-KEEPS-ITS-ID")
    async def test_regeneration_of_a_message_that_never_arrived_keeps_its_id(self, talk):
        for expected in (["m1"], ["m1", None]):
            await send(talk, "ada", message("m1", "hello"), trigger="regenerate-message")
            said = (await talk.history("ada"))["messages"]
            assert [each["client_id"] for each in said if each["role"] == "user"] == expected

    async def test_enqueued_message_is_streamed_in_its_turn(self, talk):
        first = await begun(talk, "ada", "slow 20")
        second = await send(talk, "ada", message("m2", "hello"), policy="enqueue")
        assert text_of(chunks(second)) == "You said: hello"
        assert chunks(await first)[-1]["finishReason"] == "stop"


class TestStops:
    async def test_stop_for_an_older_message_stops_nothing_newer(self, talk):
        old = chunks(await send(talk, "ada", message("m1", "hello")))[0]["messageId"]
        reading = await begun(talk, "ada", message_id="m2")
        for stale in ({"activeStreamId": old}, {"activeStreamId": "x"}, {"assistantMessage": {"id": old}}):
            assert (await talk.call("POST", f"{CHAT}/ada/stop", json=stale)).status_code == 204
            assert (await talk.status("ada"))["status"] == "running"
        mine = {"assistantMessage": {"id": (await talk.status("ada"))["task_id"], "parts": []}}
        assert (await talk.call("POST", f"{CHAT}/ada/stop", json=mine)).status_code == 204
        assert chunks(await reading)[-1]["finishReason"] == "interrupted"

    async def test_stop_for_what_came_before_an_answer_does_not_stop_what_came_after(self, tmp_path):
        async with running(tmp_path, graph="", demo_pace=1) as travel:
            asked = chunks(await send(travel, "ada", message("m1", "flights to Tokyo on 10 December")))
            before = asked[0]["messageId"]
            answering = asyncio.get_running_loop().create_task(send(travel, "ada", message("m2", "Berlin")))
            await travel.until_found("ada", 1, "flight")
            for message_id, status in ((before, "running"), (f"{before}-r2", "interrupted")):
                stop = {"assistantMessage": {"id": message_id}}
                assert (await travel.call("POST", f"{CHAT}/ada/stop", json=stop)).status_code == 204
                assert (await travel.status("ada"))["status"] == status
            assert chunks(await answering)[-1]["finishReason"] == "interrupted"

    async def test_stop_withdraws_a_question_and_a_second_one_changes_nothing(self, talk):
        asked = chunks(await send(talk, "ada", message("m1", "ask")))
        for _ in range(2):
            stop = {"assistantMessage": {"id": asked[0]["messageId"]}}
            assert (await talk.call("POST", f"{CHAT}/ada/stop", json=stop)).status_code == 204
            assert (await talk.status("ada"))["status"] == "interrupted"
        assert (await talk.call("GET", f"{CHAT}/ada/stream")).status_code == 204
        (_, told) = (await talk.call("GET", f"{CHAT}/ada/messages")).json()
        assert [each["type"] for each in told["parts"]][-1] == "data-interruption"
        assert [each["data"]["outcome"] for each in told["parts"] if each["type"] == "data-question"] == [
            "withdrawn"
        ]

    async def test_empty_chat_has_nothing_to_stop_resume_or_show(self, talk):
        assert (await talk.call("POST", f"{CHAT}/nobody/stop")).status_code == 204
        assert (await talk.call("GET", f"{CHAT}/nobody/stream")).status_code == 204
        assert (await talk.call("GET", f"{CHAT}/nobody/messages")).json() == []
        assert (await talk.call("GET", "/status/nobody")).status_code == 404


class TestRefusals:
    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({}, "id"),
            ({"id": 5, "messages": []}, "id"),
            ({"id": "a", "messages": [None, 5, {"role": "assistant"}]}, "messages"),
            ({"id": "a", "messages": [{}, {"role": "user", "parts": "hello"}]}, "messages.1.parts"),
            ({"id": "a", "messages": [{"role": "user", "parts": [5]}]}, "messages.0.parts.0"),
            ({"id": "a", "messages": [message("m", "x" * 8001)]}, "messages.0.parts"),
            ({"id": "a", "messages": [message(5, "hello")]}, "messages.0.id"),
            ({"id": "a", "message": {"role": "user", "id": []}}, "message.id"),
            ({"id": "a", "policy": "maybe", "messages": [message("m", "a")]}, "policy"),
            ({"id": "a", "answer": {"answer": "x"}}, "answer.request_id"),
        ],
    )
    async def test_body_that_does_not_fit_is_refused_by_the_name_of_its_field(self, talk, body, field):
        refused = await talk.call("POST", CHAT, json=body)
        assert refused.status_code == 422
        assert refused.headers["content-type"].startswith("text/plain")
        assert refused.text.partition(":")[0] == field
        assert refused.text.endswith(".")

    async def test_unknown_graph_is_refused(self, talk):
        assert (await send(talk, "ada", message("m1", "hi"), graph="other")).status_code == 404


class TestHowItEnds:
    async def test_store_that_fails_in_mid_run_is_told_as_an_error(self):
        async def pieces():
            yield b"data: {}\n\n"
            raise StoreUnavailable("The disk is full.")

        assert [each async for each in with_end(pieces())] == [
            b"data: {}\n\n",
            b'data: {"type":"error","errorText":"The disk is full."}\n\n',
            b"data: [DONE]\n\n",
        ]

    async def test_shutdown_is_told_as_an_error_that_says_to_resume(self, tmp_path):
        async with running(tmp_path, graph=TALKING) as talk:
            reading = await begun(talk, "ada")
            await talk.detour.end_tasks()
            found = chunks(await reading)
        assert found[-1]["type"] == "error"
        assert "resume" in found[-1]["errorText"]
        assert not {"data-interruption", "finish"} & set(kinds(found))
