"""Pages that use `useChat` of the AI SDK, unchanged: what its user sees (`clients/ai_sdk.mjs`)."""

import asyncio
import itertools
from typing import Any

import pytest
import pytest_asyncio

from tests.api.live import BOUND_S, serving
from tests.e2e.server_process import ServerProcess
from tests.protocols.conftest import TALKING
from tests.protocols.node_client import ClientFailed, NodeClient
from tests.protocols.page_stories import Driver, PageStories, Shown, receipt_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

SLOW = " ".join(f"word{number}" for number in range(60))

_numbers = itertools.count(1)


class Page:
    """One page in the node process that all pages of this module share."""

    def __init__(self, client, name: str, server: str, **options) -> None:
        self.client = client
        self.name = name
        self.server = server
        self.chat = options.pop("chat", name)
        self.options = options

    async def __aenter__(self) -> "Page":
        await self.client.call("open", page=self.name, chat=self.chat, server=self.server, **self.options)
        return self

    async def __aexit__(self, *_) -> None:
        await self.client.call("close", page=self.name)

    async def do(self, name: str, **args):
        return await self.client.call(name, page=self.name, **args)

    async def ask(self, text: str, **args) -> dict:
        """Send, and look once there is an answer."""
        return await self.do("ask", text=text, **args)


class UseChat(Driver):
    """A page with the hook, which loads what there is, resumes, and stops by the button of the guide."""

    def __init__(self, node: NodeClient, url: str, thread_id: str, **options: Any) -> None:
        super().__init__(node, url, thread_id, **options)
        self._name = f"{thread_id} {next(_numbers)}"

    async def open(self) -> None:
        await self._do("open", chat=self.thread_id, server=self.url, **self.options)

    async def reopened(self, **options: Any) -> Driver:
        load = {"server": self.url, "chat": self.thread_id, "token": self.options.get("token")}
        options = {**self.options, "messages": await self.node.call("load", **load), **options}
        other = UseChat(self.node, self.url, self.thread_id, resume=True, **options)
        await other.open()
        return other

    async def _do(self, name: str, **args: Any) -> Any:
        return await self.node.call(name, page=self._name, **args)

    async def send(self, text: str, *, stays: bool = False, steers: bool = False) -> None:
        await self._do("send", text=text, body={"policy": "steer"} if steers else None)

    async def answer(self, question: str, text: str) -> None:
        await self._do("send", text=text, body={"answer": {"request_id": question, "answer": text}})

    async def stop(self) -> None:
        assert await self._do("stop") == 204

    async def leave(self) -> None:
        await self._do("close")

    async def mend(self) -> None:
        await self.until(lambda shown: shown.error)
        await self._do("rejoin")

    async def look(self) -> Shown:
        seen = await self._do("look")
        said = [
            (each["role"], "".join(part["text"] for part in parts(each, "text"))) for each in seen["messages"]
        ]
        last = seen["messages"][-1:]
        asked = [each["data"]["request_id"] for message in last for each in parts(message, "data-question")]
        told = [part["data"] for each in seen["messages"] for part in parts(each, "data-interruption")]
        return Shown(
            [each for each in said if each[1]],
            working=seen["status"] in {"submitted", "streaming"},
            question=asked[0] if asked else None,
            error=seen["error"],
            receipts=told,
        )


class TestPage(PageStories):
    script = "ai_sdk"
    driver = UseChat


@pytest_asyncio.fixture(loop_scope="module")
async def pages(node, talking):
    """Return a function that makes a page of the talking server; they are of one chat, `pages.chat`."""
    client = await node("ai_sdk")
    chat = f"chat-{next(_numbers)}"

    def page(name: str = "", *, server: str = talking.url, **options) -> Page:
        return Page(client, f"{chat} {name}", server, **{"chat": chat, **options})

    page.load = lambda: client.call("load", server=talking.url, chat=chat)
    page.client, page.chat = client, chat
    before = len(client.unhandled)
    yield page
    assert client.unhandled[before:] == []


def parts(message: dict, kind: str) -> list[dict]:
    return [each for each in message["parts"] if each["type"] == kind]


@pytest.mark.requirement("A-MESSAGE-KEEPS-ITS-ID")
async def test_message_is_streamed_as_one_text_and_the_hook_is_ready_again(pages, talking):
    async with pages(prepared=True) as page:
        seen = await page.ask("hello")
        assert seen["texts"] == ["user: hello", "assistant: You said: hello"]
        assert seen["status"] == "ready"
        assert [each["finishReason"] for each in seen["finishes"]] == ["stop"]
        assert (await page.ask("and again"))["texts"][2:] == [
            "user: and again",
            "assistant: You said: and again",
        ]
        seen = await page.do("look")
        assert [each["id"] for each in await pages.load()] == [each["id"] for each in seen["messages"]]
        history = await talking.history(pages.chat)
        assert history["messages"][0]["client_id"] == seen["messages"][0]["id"]


@pytest.mark.requirement("FOREIGN-STOP-STOPS")
async def test_results_stay_on_the_page_after_a_change_of_mind_and_a_stop(node, tmp_path):
    client = await node("ai_sdk")
    travelling = serving(tmp_path, graph="", demo_pace=0.8)
    async with travelling as travel, Page(client, "trip", f"http://127.0.0.1:{travel.port}") as page:
        await page.do("send", text="Flights from Berlin to Tokyo on 10 December")
        await page.do("until", part="data-partial")
        await page.do("send", text="Actually, make it Osaka")
        await page.do("until", part="data-partial", count=4)
        assert await page.do("stop") == 204
        seen = await page.do("until", status="ready")
        said = seen["messages"][1::2]
        found = await travel.partial_results("trip")
        assert (seen["errors"], len(found["interrupted"])) == ([], 2)
        for message, left in zip(said, reversed(found["interrupted"]), strict=True):
            (told,) = parts(message, "data-interruption")
            (shown,) = parts(message, "data-partial")
            assert shown["data"]["items"] == left["partial_results"]["flight"]
            assert told["data"]["partial_results"]["flight"] == len(shown["data"]["items"]) > 0
            assert not parts(message, "data-question")
        reasons = [parts(each, "data-interruption")[0]["data"]["reason"] for each in said]
        assert reasons == ["superseded", "stopped"]
        assert (await travel.status("trip"))["status"] == "interrupted"
        loaded = await client.call("load", server=page.server, chat="trip")
        assert [each["parts"] for each in loaded[1::2]] == [each["parts"] for each in said]


async def test_idle_chat_has_nothing_to_resume(pages):
    async with pages("first", resume=True) as page:
        assert (await page.ask("hello"))["errors"] == []
        seen = await page.do("look")
        await page.do("resume")
    async with pages("again", resume=True, messages=seen["messages"]) as page:
        await page.do("resume")
        after = await page.do("until", status="ready")
        assert (after["messages"], after["errors"], after["finishes"]) == (seen["messages"], [], [])


async def test_form_answers_a_question_by_its_id(pages):
    async with pages() as page:
        seen = await page.ask("ask")
        (question,) = parts(seen["messages"][-1], "data-question")
        answer = {"request_id": question["data"]["request_id"], "answer": {"answer": "Oslo"}}
        seen = await page.ask("Oslo", body={"answer": answer})
        assert seen["texts"][-1] == "assistant: Then we go to Oslo."
        seen = await page.ask("Oslo", body={"answer": answer})
        assert (seen["status"], len(seen["errors"])) == ("error", 1)


async def test_refusal_is_a_sentence(pages):
    async with pages() as page:
        seen = await page.ask("x" * 9000)
        assert seen["error"] == "messages.0.parts: String should have at most 8000 characters."


async def test_regeneration_answers_the_message_anew(pages, talking):
    async with pages() as page:
        first = await page.ask("hello")
        await page.do("again")
        second = await page.do("until", status="ready", text="You said: hello")
        assert first["messages"][0] == second["messages"][0]
        assert len(second["messages"]) == 2
        assert first["messages"][1]["id"] != second["messages"][1]["id"]
        edited = await page.ask("bye", messageId=second["messages"][0]["id"])
        assert edited["texts"] == ["user: bye", "assistant: You said: bye"]
        assert len((await talking.history(pages.chat))["messages"]) == 6


async def test_regeneration_interrupts_a_run(pages, talking):
    async with pages() as page:
        await page.do("send", text="slow")
        await page.do("until", text="word1")
        await page.do("regenerate")
        assert (await receipt_of(talking, pages.chat))["reason"] == "superseded"
        assert await page.do("stop") == 204


async def test_queue_of_the_hook_sends_one_after_the_other(pages):
    async with pages(experimental_queue=True) as page:
        await page.do("send", text="slow")
        await page.do("until", text="word0")
        await page.do("send", text="hello")
        assert (await page.do("look"))["queued"] == 1
        assert await page.do("stop") == 204
        seen = await page.do("until", status="ready")
        assert (len(seen["messages"]), seen["queued"]) == (2, 1), "what was stopped pauses the queue"


async def test_chats_of_any_id_resume_and_stop(pages, talking):
    async with pages(chat="a/b? ünïcode #1") as page:
        await page.do("send", text="slow")
        await page.do("until", text="word0")
        await page.do("leave")
        await page.do("rejoin")
        await page.do("until", status="streaming", text="word2")
        assert await page.do("stop") == 204
        assert (await page.do("until", status="ready"))["finishes"][-1]["finishReason"] == "interrupted"


@pytest.mark.requirement("FOREIGN-FRAMES-REPLAY-ALIKE")
async def test_run_that_outlives_its_server_is_told_once_and_each_replay_is_alike(node, tmp_path):
    client = await node("ai_sdk")
    settings = {"graph": TALKING, "token": "s3cret-s3cret-s3cret-token"}
    async with ServerProcess(tmp_path, **settings) as server:
        server.http.headers["X-Api-Key"] = "s3cret-s3cret-s3cret-token"
        async with Page(client, "killed", server.url, token="s3cret-s3cret-s3cret-token") as page:
            await page.ask("ask", id="m1")
            seen = await page.ask("Rome", id="m2")
            bodies = [
                {"id": "killed", "messages": [each]} for each in seen["messages"] if each["role"] == "user"
            ]
            before = [await server.http.post("/ai-sdk/chat", json=each) for each in bodies]
            await page.do("send", text="slow 60")
            await page.do("until", text="word3")
            await server.kill()
            await page.do("until", status="error")
            await server.start()
            server.http.headers["X-Api-Key"] = "s3cret-s3cret-s3cret-token"
            await page.do("resume")
            seen = await page.do("until", status="ready", text="word59")
            assert seen["texts"][-2:] == ["user: slow 60", f"assistant: {SLOW}"]
            assert not parts(seen["messages"][-1], "data-interruption")
        after = [await server.http.post("/ai-sdk/chat", json=each) for each in bodies]
        assert [each.status_code for each in after] == [200, 200]
        assert [each.content for each in before] == [each.content for each in after]
        assert b"Then" in after[1].content
        async with Page(client, "unsigned", server.url) as page:
            seen = await page.ask("hello")
            assert (seen["status"], "Sign in first" in seen["error"]) == ("error", True)


async def test_message_that_is_sent_twice_is_answered_once(pages, talking):
    message = {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "hello"}]}
    args = {"server": talking.url, "chat": pages.chat, "messages": [message]}
    async with asyncio.timeout(BOUND_S):
        one, other = await asyncio.gather(*(pages.client.call("read", **args) for _ in range(2)))
    assert one == other
    assert one[0]["type"] == "start"
    assert one[-1]["finishReason"] == "stop"
    assert len((await talking.history(pages.chat))["messages"]) == 2
    changed = {**message, "parts": [{"type": "text", "text": "bye"}]}
    with pytest.raises(ClientFailed, match="another message"):
        await pages.client.call("read", **{**args, "messages": [changed]})
