"""`HttpAgent` of AG-UI's client, 1.0.0 and 0.0.59, unchanged, against the real server."""

from typing import Any

import orjson
import pytest
import pytest_asyncio

from tests.api.live import BOUND_S, serving
from tests.protocols.ag_ui_pages import Page, ended, running, texts
from tests.protocols.ag_ui_stream import (
    JSON,
    OpenRun,
    answer,
    check,
    events_in,
    last_state,
    post_raw,
    run_input,
    text_of,
)
from tests.protocols.conftest import TALKING
from tests.protocols.node_client import ClientFailed

pytestmark = pytest.mark.asyncio(loop_scope="module")

VERSIONS = ("1.0.0", "0.0.59")


class Agent(Page):
    """A page with an `HttpAgent`."""

    async def open(self, url: str, version: str, **config: Any) -> "Agent":
        await self.do("open", version=version, url=f"{url}/agui", threadId=self.thread_id, **config)
        return self

    async def abort(self) -> None:
        await self.do("abort")


@pytest.fixture(params=VERSIONS)
def version(request) -> str:
    return request.param


@pytest_asyncio.fixture(loop_scope="module")
async def agents(node, talking, version):
    """Return a function that opens an agent of a thread, by default on the talking server."""
    client = await node("ag_ui")

    async def new(thread_id: str, url: str = talking.url, **config: Any) -> Agent:
        return await Agent(client, f"{thread_id}-{version}").open(url, version, **config)

    yield new
    # Of a line that is cut the client also tells where nobody can catch it.
    assert [each for each in client.unhandled if not each.startswith("TypeError: terminated")] == []


async def test_task_is_streamed_word_by_word_and_ends_in_the_state(agents):
    agent = await agents("stream")
    result = await agent.say("hello")
    assert texts(result["newMessages"]) == ["You said: hello"]
    assert result["result"] == {"status": "completed"}
    check(agent.events)
    assert text_of(agent.events) == "You said: hello"
    looked = await agent.look()
    assert looked["state"] == last_state(agent.events)
    assert looked["state"]["status"] == "completed"
    assert (looked["isRunning"], looked["pendingInterrupts"]) == (False, [])
    again = await agent.say("hello again")
    assert texts(again["newMessages"]) == ["You said: hello again"]


@pytest.mark.requirement("FOREIGN-STOP-STOPS")
async def test_abort_stops_the_task_on_the_server_and_shows_nothing_after_it(agents, talking):
    agent = await agents("stop")
    run = running(agent.say("slow please"))
    await agent.until("TEXT_MESSAGE_CONTENT")
    await agent.abort()
    await run
    shown = texts((await agent.look())["messages"])
    status = await ended(talking, agent)
    assert (status["status"], status["reason"]) == ("interrupted", "stopped")
    assert texts((await agent.look())["messages"]) == shown
    assert "error" not in agent.outcomes
    after = await agent.say("hello")
    assert texts(after["newMessages"])[-1] == "You said: hello"
    (left,) = (await agent.look())["state"]["interrupted"]
    assert left["reason"] == "stopped"
    assert left["text"].startswith(shown[0])
    assert left["receipt"]["text_kept"] == len(left["text"])


async def test_change_of_mind_after_abort_supersedes_the_task(agents, talking):
    agent = await agents("mind")
    run = running(agent.say("slow please"))
    await agent.until("TEXT_MESSAGE_CONTENT")
    await agent.abort()
    await run
    result = await agent.say("hello")
    assert texts(result["newMessages"])[-1] == "You said: hello"
    (left,) = (await agent.look())["state"]["interrupted"]
    assert left["reason"] == "superseded"
    assert [each["reason"] for each in (await talking.partial_results(agent.thread_id))["interrupted"]] == [
        "superseded"
    ]


async def test_message_in_another_window_ends_the_run_in_this_one(agents, talking):
    first, second = await agents("windows"), await agents("windows")
    run = running(first.say("slow please"))
    await first.until("TEXT_MESSAGE_CONTENT")
    await second.say("hello")
    result = await run
    assert (await ended(talking, first))["status"] == "completed"
    check(first.events)
    finished = first.events[-1]
    assert finished["result"]["reason"] == "superseded"
    assert finished["result"]["receipt"]["reason"] == "superseded"
    assert "RUN_ERROR" not in [each["type"] for each in first.events]
    assert (await first.look())["pendingInterrupts"] == []
    activity = [each for each in result["newMessages"] if each["role"] == "activity"]
    assert [each["activityType"] for each in activity] == ["detour.interruption"]
    assert activity[0]["content"] == finished["result"]["receipt"]
    assert "hello" not in "".join(texts(result["newMessages"]))


async def test_interruption_is_cancelled_to_1_0_and_a_result_to_older_clients(agents, talking, version):
    agent = await agents("outcome")
    run = running(agent.say("slow please"))
    await agent.until("TEXT_MESSAGE_CONTENT")
    receipt = await talking.stop(agent.thread_id)
    result = await run
    if version == "1.0.0":
        assert agent.outcomes == ["cancelled"]
        assert agent.events[-1]["outcome"] == {"type": "cancelled"}
    else:
        assert agent.outcomes == ["success"]
        assert result["result"] == {"status": "interrupted", "reason": "stopped", "receipt": receipt}


async def test_question_is_asked_answered_and_then_part_of_the_conversation(agents, talking):
    agent = await agents("ask")
    await agent.say("ask me")
    (question,) = (await agent.look())["pendingInterrupts"]
    assert "Which place?" in question["message"]
    with pytest.raises(ClientFailed, match="pending interrupt"):
        await agent.say("hello")
    result = await agent.run(resume=[answer(question["id"], "Rome")])
    assert texts(result["newMessages"])[-1] == "Then we go to Rome."
    looked = await agent.look()
    assert looked["pendingInterrupts"] == []
    assert texts(looked["messages"]).count("Then we go to Rome.") == 1
    assert "Rome" in texts(looked["messages"], "user")
    said = (await talking.history(agent.thread_id))["messages"]
    assert [each["text"] for each in said if each["role"] == "assistant"][-1] == "Then we go to Rome."


async def test_question_that_is_cancelled_ends_the_task_and_frees_the_thread(agents, talking):
    agent = await agents("withdraw")
    await agent.say("ask me")
    (question,) = (await agent.look())["pendingInterrupts"]
    await agent.run(resume=[{"interruptId": question["id"], "status": "cancelled"}])
    assert (await agent.look())["pendingInterrupts"] == []
    assert (await talking.status(agent.thread_id))["status"] == "interrupted"
    result = await agent.say("hello")
    assert texts(result["newMessages"])[-1] == "You said: hello"


async def test_line_that_is_cut_is_repaired_by_sending_the_run_again(agents, talking, proxy):
    agent = await agents("cut", f"http://127.0.0.1:{proxy.port}")
    stay = {"onDisconnect": "continue"}
    run = running(agent.say("slow 120", forwardedProps=stay))
    await agent.until("TEXT_MESSAGE_CONTENT")
    proxy.cut()
    with pytest.raises(ClientFailed):
        await run
    result = await agent.run(forwardedProps=stay)
    whole = " ".join(f"word{number}" for number in range(120))
    assert (await ended(talking, agent))["status"] == "completed"
    said = (await talking.history(agent.thread_id))["messages"]
    assert [each["role"] for each in said] == ["user", "assistant"]
    last = max(index for index, each in enumerate(agent.events) if each["type"] == "RUN_STARTED")
    assert text_of(agent.events[last:]) == whole
    check(agent.events[last:])
    assert result["result"] == {"status": "completed"}


@pytest.mark.requirement("LEAVING-IS-NOT-STOPPING")
async def test_page_that_leaves_with_continue_lets_its_task_complete(agents, talking):
    agent = await agents("leave")
    run = running(agent.say("slow 120", forwardedProps={"onDisconnect": "continue"}))
    await agent.until("TEXT_MESSAGE_CONTENT")
    await agent.abort()
    await run
    assert (await ended(talking, agent))["status"] == "completed"


async def test_reloaded_page_sees_the_question_by_asking_again_and_answers_it(agents, talking):
    before = await agents("reload")
    await before.say("ask me")
    messages = texts((await before.look())["messages"], "user")
    after = await agents(
        "reload", initialMessages=[{"id": f"{before.name}-m1", "role": "user", "content": "ask me"}]
    )
    await after.run()
    looked = await after.look()
    assert texts(looked["messages"], "user") == messages == ["ask me"]
    (question,) = looked["pendingInterrupts"]
    await after.run(resume=[answer(question["id"], "Oslo")])
    assert texts((await after.look())["messages"]).count("Then we go to Oslo.") == 1
    assert (
        len([each for each in (await talking.history(after.thread_id))["messages"] if each["role"] == "user"])
        == 2
    )


async def test_token_is_taken_from_the_agents_headers(node, tmp_path, version):
    client = await node("ag_ui")
    async with serving(tmp_path, graph=TALKING, token="s3cret-s3cret-s3cret-token") as live:
        url = f"http://127.0.0.1:{live.port}"
        for headers in (
            {"Authorization": "Bearer s3cret-s3cret-s3cret-token"},
            {"x-api-key": "s3cret-s3cret-s3cret-token"},
        ):
            agent = await Agent(client, "token").open(url, version, headers=headers)
            assert texts((await agent.say("hello"))["newMessages"])[-1] == "You said: hello"
        stranger = await Agent(client, "token").open(url, version)
        with pytest.raises(ClientFailed) as refused:
            await stranger.say("hello")
        assert refused.value.status == 401 or "401" in str(refused.value)


@pytest.mark.requirement("FOREIGN-FRAMES-REPLAY-ALIKE")
async def test_run_that_is_replayed_after_a_kill_is_byte_for_byte_the_same(talking):
    whole = await post_raw(talking, run_input("kill", "hello"))
    stopped = run_input("kill", "slow please", run_id="run-2")
    async with talking.http.stream(
        "POST", "/agui", content=orjson.dumps(stopped), headers=JSON, timeout=BOUND_S
    ) as response:
        pieces = response.aiter_bytes()
        first = await anext(pieces)
        await talking.stop("kill")
        cut_short = b"".join([first, *[each async for each in pieces]])
    asking = await post_raw(talking, run_input("kill", "ask me", run_id="run-3"))
    question = events_in(asking)[-1]["outcome"]["interrupts"][0]["id"]
    await talking.kill()
    await talking.start()
    assert await post_raw(talking, run_input("kill", "hello")) == whole
    assert await post_raw(talking, stopped) == cut_short
    assert await post_raw(talking, run_input("kill", "ask me", run_id="run-3")) == asking
    assert events_in(cut_short)[-1]["outcome"] == {"type": "cancelled"}
    answered = await post_raw(talking, run_input("kill", resume=[answer(question, "Rome")]))
    assert text_of(events_in(answered)) == "Then we go to Rome."


async def test_run_that_a_kill_has_cut_short_goes_on_when_it_is_sent_again(talking):
    body = run_input("lost", "slow 100", run_id="run-1")
    async with OpenRun(talking, body) as run:
        await run.until("TEXT_MESSAGE_CONTENT")
        await talking.kill()
    await talking.start()
    whole = await post_raw(talking, body)
    assert await post_raw(talking, body) == whole
    events = events_in(whole)
    assert events[-1]["outcome"] == {"type": "success"}
    assert [each["content"]["reason"] for each in events if each["type"] == "ACTIVITY_SNAPSHOT"] == ["lost"]
    assert text_of(events).endswith(" ".join(f"word{number}" for number in range(100)))
    said = (await talking.history("lost"))["messages"]
    assert [each["role"] for each in said].count("user") == 1
