"""A model in the loop of a real server process, asked over real HTTP, and interrupted wherever it stands."""

import asyncio

import pytest

from tests.api.frames import receive_until
from tests.e2e.model_server_process import (
    FLIGHTS,
    SLOW,
    calls_of,
    models,
    receipt_of,
    said,
    script_reply,
    start,
    text_of,
)
from tests.fakes import Gate
from tests.fakes.model_script import Text, Wait, words
from tests.fakes.waiting import until
from tests.models.asking import PROVIDERS
from tests.models.scripted_model import which
from tests.models.travelling import (
    replies,
    understands,
)

__all__ = ["models", "start"]


SAID = "Here are your flights from Berlin to Tokyo. These are demo offers."


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_request_is_read_and_answered_by_a_model_beside_its_search(start, models, provider):
    script_reply(models, *words(SAID))
    server = await start(provider)
    async with server.socket("ada") as socket:
        accepted = await server.chat("ada", FLIGHTS)
        frames = await receive_until(socket, lambda frame: frame.get("status") == "completed")
    pieces = [each["text"] for each in frames if each["type"] == "text_delta"]
    reply = "".join(pieces)
    assert reply.startswith("Here are your flights from Berlin to Tokyo.")
    assert ": cheapest " in reply  # a price was not said
    assert await said(server, "ada") == [("user", FLIGHTS, False), ("assistant", reply, False)]
    assert (await server.partial_results("ada"))["partial_results"]["flight"]
    assert frames[-1]["usage"]["model_calls"] == 2
    assert not frames[-1]["usage"]["estimated"]
    receipt = await receipt_of(server, "ada", accepted["task_id"])
    assert [(call["tool"], call["outcome"]) for call in receipt["tool_calls"]] == [
        ("search_flights", "completed")
    ]
    assert [request.faults for request in models.requests] == [[]] * 2


@pytest.mark.requirement("MODEL-STREAMS-ARE-CLOSED", "USAGE-IS-TOLD")
@pytest.mark.parametrize("streams", ["true", "false"])
async def test_reply_that_is_stopped_is_kept_as_far_as_it_was_seen_and_its_stream_is_closed(
    start, models, streams
):
    gate = Gate()
    script_reply(models, Text("Here are your flights. The cheapest"), Wait(gate), Text(" never said"))
    server = await start(model_streams=streams)
    seen = "Here are your flights." if streams == "true" else ""
    await server.chat("ada", FLIGHTS)
    await gate.arrived()
    await text_of(server, "ada", seen)
    receipt = await server.stop("ada")
    reply = await models.asked(when=replies)
    async with asyncio.timeout(20):
        await reply.ended()
    assert reply.cut_at is not None
    assert receipt["text_kept"] == len(seen)
    assert receipt["usage"]["estimated"]
    kept = [("assistant", seen, True)] if seen else []
    *before, marker = await said(server, "ada")
    assert before == [("user", FLIGHTS, False), *kept]
    assert marker[:2] == ("system", marker[1])
    assert marker[1].startswith("Stopped by the user")
    assert await server.stop("ada") == receipt
    assert (await server.until_ended("ada", receipt["task_id"]))["status"] == "interrupted"
    script_reply(models, Text("As you like."))
    task = await server.chat("ada", FLIGHTS.replace("Tokyo", "Rome"))
    told = (await models.asked(2, when=replies)).messages
    if seen:
        assert {"role": "assistant", "content": "Here are your flights. [cut short here]"} in told
    assert "Stopped by the user" in told[-1]["content"]
    assert task["task_id"] != receipt["task_id"]


async def test_message_whose_server_is_killed_is_taken_up_again_and_answered(start, models):
    understands(models, "flight", always=True)
    server = await start(demo_pace=SLOW)
    await server.chat("ada", FLIGHTS)
    await calls_of(server, "ada", 1)
    await server.kill()
    server.settings["demo_pace"] = 0
    models.script(*words(SAID), when=replies)
    await server.start()

    async def answered() -> bool:
        return (await said(server, "ada"))[-1][1].startswith("Here are your flights from Berlin to Tokyo.")

    await until(answered, every_s=0.01)
    assert [request.faults for request in models.requests if request.faults] == []


async def test_booking_that_a_model_reads_in_another_language_needs_its_users_permission(start, models):
    script_reply(models, *words(SAID))
    server = await start()
    await server.chat_to_end("ada", FLIGHTS)
    cheapest = which(kind="flight", first_by="price")
    understands(models, relation="act", act="book", which=cheapest)
    await server.chat("ada", "Palun broneeri odavaim lend")
    request = (await server.until_asked("ada"))["input_request"]
    assert request["kind"] == "permission"


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"model": "nobody:x"}, "DETOUR_MODEL must be one of openai:name, anthropic:name, ollama:name"),
        ({"model": "anthropic:x", "model_key": ""}, "anthropic needs a key: DETOUR_MODEL_KEY, or ANTHROPIC_"),
        ({"graph": "tests.scripted_graph:graph"}, "it is for the travel graph"),
    ],
)
async def test_model_that_cannot_be_is_told_at_the_start_in_a_sentence(process, settings, told, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    server = process(**{"model": "openai:x", "model_key": "k-secret-1", **settings})
    code, said_at_the_end = await server.run_until_it_gives_up()
    assert code == 1
    assert told in said_at_the_end
    assert "Traceback" not in said_at_the_end
    assert "k-secret-1" not in said_at_the_end
