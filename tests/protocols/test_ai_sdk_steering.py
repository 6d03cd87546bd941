"""The AI SDK's clients steer: the answer to a message that is taken in is an assistant message of its own."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.api.live import BOUND_S, LocalClient
from tests.protocols.looping import LOOPING, begun, looking, until_pending
from tests.protocols.test_ai_sdk import chunks, kinds, message, send, text_of

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.requirement("STEERED-ONCE")]

CARD = "and use the company card"


@pytest_asyncio.fixture(loop_scope="module")
async def api(servers):
    client = await servers(graph=LOOPING)
    yield client
    assert (await client.call("DELETE", "/threads/ann")).status_code == 204


def sends(api: LocalClient, chat: str, *messages: Any, **fields: Any) -> asyncio.Task[Any]:
    return asyncio.get_running_loop().create_task(send(api, chat, *messages, **fields))


def steers(api: LocalClient, chat: str, text: str = CARD, *before: Any, **fields: Any) -> asyncio.Task[Any]:
    return sends(api, chat, *before, message("m2", text), policy="steer", **fields)


async def found(task: asyncio.Task[Any]) -> list[dict[str, Any]]:
    async with asyncio.timeout(BOUND_S):
        return chunks(await task)


async def page(api: LocalClient, chat: str, until: Path) -> list[tuple[str, str, str]]:
    """What a page shows that is opened: of each message with words its id, its role, and its text."""
    listed = (await api.call("GET", f"/ai-sdk/chat/{chat}/messages")).json()
    assert len({each["id"] for each in listed}) == len(listed)
    texts = [
        (each["id"], each["role"], "".join(part.get("text", "") for part in each["parts"])) for each in listed
    ]
    return [(name, role, text.replace(str(until), until.name)) for name, role, text in texts if text]


async def test_steered_message_parts_the_answer_of_its_run(api, tmp_path):
    until = tmp_path / "go"
    first = sends(api, "ann", message("m1", f"look {until}"))
    run = await begun(api, "ann", until)
    second = steers(api, "ann")
    await until_pending(api, "ann")
    assert (await page(api, "ann", until))[-1] == ("m2", "user", CARD), "it waits at the end"
    run.goes_on()
    of_run, answer = await found(first), await found(second)
    assert of_run[0]["messageId"] == run.task_id
    assert [each for each in kinds(of_run) if each.startswith("text")] == [], (
        "the answer is that to the other"
    )
    assert text_of(answer) == f"Read: go | {CARD}"
    assert kinds(answer) == ["start", "text-start", "text-delta", "text-end", "finish"]
    assert answer[0]["messageId"] == f"{run.task_id}-s2"
    assert not [each for each in answer if each["type"] == "data-tool"], "the call was made before"
    shown = await page(api, "ann", until)
    assert shown == [
        ("m1", "user", "look go"),
        ("m2", "user", CARD),
        (f"{run.task_id}-s2", "assistant", f"Read: go | {CARD}"),
    ]
    listed = (await api.call("GET", "/ai-sdk/chat/ann/messages")).json()
    assert [each["id"] for each in listed] == ["m1", run.task_id, "m2", f"{run.task_id}-s2"]
    assert "data-tool" in {part["type"] for part in listed[1]["parts"]}
    assert listed[2]["metadata"]["steer"] == "taken_in"
    assert chunks(await steers(api, "ann")) == answer, "a retry is shown the same"


async def test_stream_that_is_resumed_begins_behind_the_last_message_that_was_taken_in(api, tmp_path):
    run = await looking(api, "ann", tmp_path / "go")
    second = steers(api, "ann", f"look {tmp_path / 'more'}")
    await until_pending(api, "ann")
    run.goes_on()
    async with asyncio.timeout(BOUND_S):
        while len((await api.call("GET", f"/calls/ann/{run.task_id}")).json()["calls"]) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0)
    resumed = asyncio.get_running_loop().create_task(api.call("GET", "/ai-sdk/chat/ann/stream"))
    stop = {"assistantMessage": {"id": f"{run.task_id}-s2"}}
    stopped = await api.call("POST", "/ai-sdk/chat/ann/stop", json=stop)
    assert stopped.status_code == 204
    rest = await found(resumed)
    assert rest[0]["messageId"] == f"{run.task_id}-s2"
    assert rest == await found(second)
    assert (await api.status("ann"))["status"] == "interrupted"


async def test_message_with_a_task_of_its_own_is_answered_in_the_same_stream(api, tmp_path):
    run = await looking(api, "ann", tmp_path / "go")
    stream = steers(api, "ann")
    await until_pending(api, "ann")
    await api.stop("ann")
    answer = await found(stream)
    own = (await api.status("ann"))["task_id"]
    assert own != run.task_id
    assert answer[0]["messageId"] == own
    assert text_of(answer).endswith(f"| {CARD}")
    shown = await page(api, "ann", run.until)
    assert [each[0] for each in shown][-2:] == ["m2", own]


async def test_question_comes_first_and_the_run_of_the_answer_takes_the_message_in(api, tmp_path):
    run = await looking(api, "ann", tmp_path / "go", "ask")
    stream = steers(api, "ann")
    await until_pending(api, "ann")
    run.goes_on()
    asked = await found(stream)
    assert kinds(asked) == ["start", "data-question", "finish"]
    question = asked[1]["id"]
    answer = {"request_id": question, "answer": "the blue one"}
    resumed = await found(sends(api, "ann", message("m2", CARD), answer=answer))
    assert text_of(resumed) == f"Read: go | {CARD}"
    shown = await page(api, "ann", run.until)
    assert [text for _, role, text in shown if role == "user"] == ["ask go", "the blue one", CARD]
    assert shown[-1][2] == f"Read: go | {CARD}"


async def test_page_that_is_opened_while_it_waits_is_shown_the_answer_behind_it(api, tmp_path):
    run = await looking(api, "ann", tmp_path / "go")
    await api.chat("ann", CARD, policy="steer", client_id="m2")
    assert [name for name, _, _ in await page(api, "ann", run.until)][-1] == "m2"
    loop = asyncio.get_running_loop()
    resumed = loop.create_task(api.call("GET", "/ai-sdk/chat/ann/stream"))
    async with asyncio.timeout(BOUND_S):
        while not api.detour._services.open_streams["ann"]:  # noqa: ASYNC110
            await asyncio.sleep(0)
    run.goes_on()
    answer = await found(resumed)
    assert (answer[0]["messageId"], text_of(answer)) == (f"{run.task_id}-s2", f"Read: go | {CARD}")


async def test_message_that_is_no_answer_shows_the_open_question(api, tmp_path):
    run = await looking(api, "ann", tmp_path / "go", "ask")
    await api.chat("ann", "waits", policy="steer")
    run.goes_on()
    await api.until_asked("ann")
    resumed = await found(asyncio.get_running_loop().create_task(api.call("GET", "/ai-sdk/chat/ann/stream")))
    assert kinds(resumed) == ["start", "data-question", "finish"]


async def test_regenerated_steered_message_begins_a_task(api, tmp_path):
    run = await looking(api, "ann", tmp_path / "go")
    steered = steers(api, "ann")
    await until_pending(api, "ann")
    run.goes_on()
    await found(steered)
    again = await found(steers(api, "ann", trigger="regenerate-message"))
    assert again[0]["messageId"] == (await api.status("ann"))["task_id"] != run.task_id
