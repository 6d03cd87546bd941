"""`HttpAgent` of AG-UI's client, 1.0.0 and 0.0.59, unchanged, against the real server."""

from collections.abc import Sequence
from typing import Any, ClassVar

import orjson
import pytest
import pytest_asyncio

from tests.api.live import BOUND_S
from tests.protocols.ag_ui_pages import AgUiDriver, running, texts
from tests.protocols.ag_ui_stream import (
    JSON,
    OpenRun,
    answer,
    events_in,
    last_state,
    post_raw,
    run_input,
    text_of,
)
from tests.protocols.page_stories import Driver, PageStories

pytestmark = pytest.mark.asyncio(loop_scope="module")


STAYS = {"onDisconnect": "continue"}


class HttpAgent(AgUiDriver):
    """A page with an `HttpAgent`, whose stop is to leave, unless it has said that it leaves its run alone."""

    async def open(self, messages: Sequence[Any] = ()) -> None:
        config = {"headers": self.headers, "initialMessages": messages, "threadId": self.thread_id}
        await self.page.do("open", version=self.options["version"], url=f"{self.url}/agui", **config)

    async def reopened(self, **options: Any) -> Driver:
        """Open a page with the messages of its user, which sends the last one again to follow its run."""
        messages = (await self.page.look())["messages"]
        other = HttpAgent(self.node, self.url, self.thread_id, **{**self.options, **options})
        await other.open([each for each in messages if each["role"] == "user"])
        await other.mend()
        return other

    async def stop(self) -> None:
        await self.page.do("abort")

    async def leave(self) -> None:
        await self.page.do("abort")

    async def mend(self) -> None:
        """Send the last message again, without its reply, to which the client would append the same."""
        await self.page.do("keep", role="user")
        await self.begin(self.page.run(forwardedProps=STAYS))


class TestPage(PageStories):
    script = "ag_ui"
    driver = HttpAgent
    options: ClassVar = {"version": "1.0.0"}
    uncaught = "TypeError: terminated"  # of a line that is cut


class TestOlderPage(TestPage):
    options: ClassVar = {"version": "0.0.59"}


@pytest_asyncio.fixture(loop_scope="module", params=["1.0.0", "0.0.59"])
async def agent(node, talking, ann, request):
    """A page of the talking server, of each version of the client."""
    driver = HttpAgent(await node("ag_ui"), talking.url, ann, version=request.param)
    await driver.open()
    return driver.page


async def test_task_is_streamed_word_by_word_and_ends_in_the_state(agent):
    result = await agent.say("hello")
    assert texts(result["newMessages"]) == ["You said: hello"]
    assert result["result"] == {"status": "completed"}
    assert text_of(agent.events) == "You said: hello"
    looked = await agent.look()
    assert looked["state"] == last_state(agent.events)
    assert looked["state"]["status"] == "completed"


async def test_interruption_is_cancelled_to_1_0_and_a_result_to_older_clients(agent, talking, request):
    run = running(agent.say("slow please"))
    await agent.until("TEXT_MESSAGE_CONTENT")
    receipt = await talking.stop(agent.thread_id)
    result = await run
    if "1.0.0" in request.node.name:
        assert agent.outcomes == ["cancelled"]
        assert agent.events[-1]["outcome"] == {"type": "cancelled"}
    else:
        assert agent.outcomes == ["success"]
        assert result["result"] == {"status": "interrupted", "reason": "stopped", "receipt": receipt}
    (activity,) = [each for each in result["newMessages"] if each["role"] == "activity"]
    assert (activity["activityType"], activity["content"]) == ("detour.interruption", receipt)


async def test_question_that_is_cancelled_ends_the_task_and_frees_the_thread(agent, talking):
    await agent.say("ask me")
    (question,) = (await agent.look())["pendingInterrupts"]
    assert "Which place?" in question["message"]
    await agent.run(resume=[{"interruptId": question["id"], "status": "cancelled"}])
    assert (await agent.look())["pendingInterrupts"] == []
    assert (await talking.status(agent.thread_id))["status"] == "interrupted"
    result = await agent.say("hello")
    assert texts(result["newMessages"])[-1] == "You said: hello"


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
    body = run_input("lost", "slow 30", run_id="run-1")
    async with OpenRun(talking, body) as run:
        await run.until("TEXT_MESSAGE_CONTENT")
        await talking.kill()
    await talking.start()
    whole = await post_raw(talking, body)
    assert await post_raw(talking, body) == whole
    events = events_in(whole)
    assert events[-1]["outcome"] == {"type": "success"}
    assert [each["content"]["reason"] for each in events if each["type"] == "ACTIVITY_SNAPSHOT"] == ["lost"]
    assert text_of(events).endswith(" ".join(f"word{number}" for number in range(30)))
    said = (await talking.history("lost"))["messages"]
    assert [each["role"] for each in said].count("user") == 1
