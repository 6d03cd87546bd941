"""Pages that use `useChat` of the AI SDK, unchanged: what its user sees (`clients/ai_sdk.mjs`)."""

import asyncio
import itertools

import pytest
import pytest_asyncio

from tests.api.live import BOUND_S, serving
from tests.e2e.server_process import ServerProcess
from tests.protocols.conftest import TALKING
from tests.protocols.looping import LOOPING, begun, until_pending
from tests.protocols.node_client import ClientFailed

pytestmark = pytest.mark.asyncio(loop_scope="module")

SLOW = " ".join(f"word{number}" for number in range(200))
SHORTER = " ".join(f"word{number}" for number in range(100))

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


@pytest_asyncio.fixture(loop_scope="module")
async def pages(node, talking):
    """Return a function that makes a page of the talking server; they are of one chat, `pages.chat`."""
    client = await node("ai_sdk")
    chat = f"chat-{next(_numbers)}"

    def page(name: str = "", *, server: str = talking.url, **options) -> Page:
        return Page(client, f"{chat} {name}", server, **{"chat": chat, **options})

    page.load = lambda: client.call("load", server=talking.url, chat=chat)
    page.client, page.chat = client, chat
    yield page
    assert client.unhandled == []


def parts(message: dict, kind: str) -> list[dict]:
    return [each for each in message["parts"] if each["type"] == kind]


async def receipt_of(talking, chat: str) -> dict:
    """Return the receipt of the only interrupted task of a chat, once there is one."""
    async with asyncio.timeout(BOUND_S):
        while not (left := (await talking.partial_results(chat))["interrupted"]):  # noqa: ASYNC110
            await asyncio.sleep(0)
    (only,) = left
    return (await talking.call("GET", f"/receipts/{chat}/{only['task_id']}")).json()


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
async def test_stop_keeps_what_was_shown_and_nothing_comes_after_it(pages, talking):
    async with pages() as page:
        await page.do("send", text="slow")
        await page.do("until", text="word3")
        assert await page.do("stop") == 204
        status = await talking.status(pages.chat)
        assert status["status"] == "interrupted"
        seen = await page.do("until", status="ready")
        assert seen["error"] is None
        assert [each["finishReason"] for each in seen["finishes"]] == ["interrupted"]
        said = seen["messages"][-1]
        (told,) = parts(said, "data-interruption")
        assert told["data"] == await receipt_of(talking, pages.chat)
        assert told["data"]["reason"] == "stopped"
        assert not parts(said, "data-question")
        (text,) = parts(said, "text")
        assert SLOW.startswith(text["text"])
        assert text["state"] == "done"
        await page.do("resume")
        after = await page.ask("hello")
        assert after["texts"][-1] == "assistant: You said: hello"
        assert after["messages"][1] == said, "what was stopped stays as it was"


@pytest.mark.requirement("FOREIGN-STOP-STOPS")
async def test_change_of_mind_interrupts_and_both_messages_keep_their_own_text(pages, talking):
    async with pages() as page:
        await page.do("send", text="slow")
        await page.do("until", text="word2")
        await page.do("send", text="hello")
        seen = await page.do("until", status="ready", text="You said: hello")
        first = seen["messages"][1]
        assert parts(first, "data-interruption")[0]["data"]["reason"] == "superseded"
        assert [each["role"] for each in seen["messages"]] == ["user", "assistant", "user", "assistant"]
        assert sorted(each["finishReason"] for each in seen["finishes"]) == ["interrupted", "stop"]
        assert seen["errors"] == []
        assert (await receipt_of(talking, pages.chat))["reason"] == "superseded"
        later = await page.ask("once more")
        assert later["messages"][:4] == seen["messages"]


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


@pytest.mark.requirement("LEAVING-IS-NOT-STOPPING")
async def test_disconnect_stops_nothing_and_a_reload_shows_the_same_message_once(pages, talking):
    async with pages("first") as page:
        await page.do("send", text="slow 100")
        seen = await page.do("until", text="word3")
    assert (await talking.status(pages.chat))["status"] == "running"
    before = await pages.load()
    assert [each["id"] for each in before][1:] == [seen["messages"][1]["id"]]
    async with pages("again", resume=True, messages=before) as page:
        seen = await page.do("until", status="ready", text="word99")
        assert [each["role"] for each in seen["messages"]] == ["user", "assistant"]
        assert [each["text"] for each in parts(seen["messages"][1], "text")] == [SHORTER]
        assert seen["errors"] == []
    history = await talking.history(pages.chat)
    assert [each["role"] for each in history["messages"]] == ["user", "assistant"]


async def test_idle_chat_has_nothing_to_resume(pages):
    async with pages("first", resume=True) as page:
        assert (await page.ask("hello"))["errors"] == []
        seen = await page.do("look")
        await page.do("resume")
    async with pages("again", resume=True, messages=seen["messages"]) as page:
        await page.do("resume")
        after = await page.do("until", status="ready")
        assert (after["messages"], after["errors"], after["finishes"]) == (seen["messages"], [], [])


async def test_cut_line_is_mended_by_resuming_and_no_word_comes_twice(pages, talking, proxy):
    async with pages(server=f"http://127.0.0.1:{proxy.port}") as page:
        await page.do("send", text="slow 100")
        await page.do("until", text="word3")
        proxy.cut()
        await page.do("until", status="error")
        await page.do("resume")
        seen = await page.do("until", status="ready", text="word99")
        assert seen["texts"] == ["user: slow 100", f"assistant: {SHORTER}"]
        assert [each["finishReason"] for each in seen["finishes"] if "finishReason" in each] == ["stop"]
    assert len((await talking.history(pages.chat))["messages"]) == 2


async def test_question_is_there_after_a_reload_and_the_next_message_answers_it(pages, talking):
    async with pages("first") as page:
        seen = await page.ask("ask")
        (question,) = parts(seen["messages"][-1], "data-question")
        assert question["data"]["prompt"] in seen["texts"][-1]
        assert seen["errors"] == []
    async with pages("again", resume=True, messages=seen["messages"]) as page:
        await page.do("resume")
        seen = await page.do("until", status="ready", part="data-question")
        assert len(seen["messages"]) == 2
        assert len(parts(seen["messages"][1], "data-question")) == 1
        seen = await page.ask("Rome")
        assert seen["texts"][-1] == "assistant: Then we go to Rome."
    (_, asked, _, _) = await pages.load()
    assert parts(asked, "data-question")[0]["data"]["outcome"] == "answered"
    assert len((await talking.history(pages.chat))["messages"]) == 4


async def test_form_answers_a_question_by_its_id(pages):
    async with pages() as page:
        seen = await page.ask("ask")
        (question,) = parts(seen["messages"][-1], "data-question")
        answer = {"request_id": question["data"]["request_id"], "answer": {"answer": "Oslo"}}
        seen = await page.ask("Oslo", body={"answer": answer})
        assert seen["texts"][-1] == "assistant: Then we go to Oslo."
        seen = await page.ask("Oslo", body={"answer": answer})
        assert (seen["status"], len(seen["errors"])) == ("error", 1)


async def test_failure_is_the_hooks_error_in_words_and_the_next_message_works(pages):
    async with pages() as page:
        seen = await page.ask("fail")
        assert seen["status"] == "error"
        assert seen["error"].startswith("Something went wrong")
        assert seen["finishes"][0]["isError"]
        assert (await page.ask("hello"))["texts"][-1] == "assistant: You said: hello"


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


async def test_windows_show_the_same_message(pages):
    async with pages("left") as left, pages("right") as right:
        await left.do("send", text="slow")
        await left.do("until", text="word1")
        await right.do("rejoin")
        await right.do("until", text="word5")
        assert await right.do("stop") == 204
        (one, other) = [(await each.do("until", status="ready"))["messages"][-1] for each in (left, right)]
        assert one == other


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
            await page.do("send", text="slow 100")
            await page.do("until", text="word3")
            await server.kill()
            await page.do("until", status="error")
            await server.start()
            server.http.headers["X-Api-Key"] = "s3cret-s3cret-s3cret-token"
            await page.do("resume")
            seen = await page.do("until", status="ready", text="word99")
            assert seen["texts"][-2:] == ["user: slow 100", f"assistant: {SHORTER}"]
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


async def test_page_that_steers_shows_the_answer_behind_its_message_once(node, tmp_path):
    client = await node("ai_sdk")
    card, until = "and use the company card", tmp_path / "go"
    async with (
        serving(tmp_path, graph=LOOPING) as live,
        Page(client, "steers", f"http://127.0.0.1:{live.port}") as page,
    ):
        await page.do("send", text=f"look {until}")
        run = await begun(live, "steers", until)
        await page.do("send", text=card, body={"policy": "steer"})
        await until_pending(live, "steers")
        run.goes_on()
        seen = await page.do("until", status="ready", text="Read: ")
        texts = [f"user: look {until}", "assistant: ", f"user: {card}", f"assistant: Read: go | {card}"]
        assert (seen["texts"], seen["errors"]) == (texts, [])
        later = await page.ask("thanks")
        assert later["texts"] == [*texts, "user: thanks", f"assistant: Read: go | {card} | thanks"]
        opened = await client.call("load", server=page.server, chat="steers")
        ids = [each["id"] for each in later["messages"]]
        assert [each["id"] for each in opened] == ids
