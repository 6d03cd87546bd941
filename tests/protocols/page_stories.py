"""What is true of every page with somebody else's client in it: each story is told once, for all clients.

A module has them for its client by `class TestPage(PageStories)` and a `Driver`, which says how a user of the
client does a thing, and what the client then shows.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest
import pytest_asyncio

from tests.api.live import BOUND_S
from tests.protocols.looping import LOOPING, begun, until_pending
from tests.protocols.node_client import NodeClient

HELLO = [("user", "hello"), ("assistant", "You said: hello")]
WHOLE = " ".join(f"word{number}" for number in range(30))
CARD = "and use the company card"
TOKEN = "s3cret-s3cret-s3cret-token"


@dataclass(frozen=True)
class Shown:
    """What a page shows: whose words, whether a run goes on, the id of a question, an error, receipts."""

    said: list[tuple[str, str]]
    working: bool
    question: str | None = None
    error: str | None = None
    receipts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @property
    def users(self) -> list[str]:
        return [text for role, text in self.said if role == "user"]


class Driver:
    """A page of one thread with a client in it, driven as its user would."""

    def __init__(self, node: NodeClient, url: str, thread_id: str, **options: Any) -> None:
        self.node, self.url, self.thread_id, self.options = node, url, thread_id, options

    async def open(self) -> None:
        """Open the page of a thread that may be new."""
        raise NotImplementedError

    async def reopened(self, **options: Any) -> "Driver":
        """Return another page of the thread, as a reload or a second window makes it; it follows a run."""
        raise NotImplementedError

    async def close(self) -> None:
        """Check what the page was told in its time."""

    async def send(self, text: str, *, stays: bool = False, steers: bool = False) -> None:
        """Begin to send a message; its run `stays` if the page leaves, where a client must say so."""
        raise NotImplementedError

    async def answer(self, question: str, text: str) -> None:
        """Begin to answer a question."""
        raise NotImplementedError

    async def stop(self) -> None:
        raise NotImplementedError

    async def leave(self) -> None:
        raise NotImplementedError

    async def mend(self) -> None:
        """Do what a page does whose line was cut, where its client does not do it by itself."""

    async def look(self) -> Shown:
        raise NotImplementedError

    def shows_what_was_kept(self, text: str, receipt: dict[str, Any]) -> bool:
        """Return whether a page shows the text of an interrupted reply that its receipt tells of."""
        return text.startswith("word0") and len(text) == receipt["text_kept"]

    async def until(self, is_so: Callable[[Shown], Any]) -> Shown:
        """Return what the page shows as soon as it shows something like that."""
        shown = await self.look()
        try:
            async with asyncio.timeout(BOUND_S):
                while not is_so(shown):
                    await asyncio.sleep(0.02)
                    shown = await self.look()
        except TimeoutError:
            raise AssertionError(f"it shows {shown}") from None
        return shown

    async def until_said(self, *said: tuple[str, str]) -> Shown:
        """Return what the page shows once its run has ended with exactly these words and no error."""
        shown = await self.until(lambda shown: not shown.working and shown.said == [*said])
        assert (shown.question, shown.error) == (None, None)
        return shown


def wrote(words: int) -> Callable[[Shown], bool]:
    return lambda shown: any(text.count("word") >= words for role, text in shown.said if role == "assistant")


def has_ended_with(*said: tuple[str, str]) -> Callable[[Shown], bool]:
    """Return whether a run has ended, and a page shows these words last: all of them, for they come apart."""
    return lambda shown: not shown.working and shown.said[-len(said) :] == [*said]


async def receipt_of(server: Any, thread_id: str) -> dict[str, Any]:
    """Return the receipt of the only interrupted task of a thread, once there is one."""
    async with asyncio.timeout(BOUND_S):
        while not (left := (await server.partial_results(thread_id))["interrupted"]):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    (only,) = left
    return (await server.call("GET", f"/receipts/{thread_id}/{only['task_id']}")).json()


async def roles(server: Any, thread_id: str) -> list[str]:
    return [each["role"] for each in (await server.history(thread_id))["messages"]]


class PageStories:
    """The stories; `script` is what its client's node runs, `options` are those of its driver."""

    script: ClassVar[str]
    driver: ClassVar[type[Driver]]
    options: ClassVar[dict[str, Any]] = {}
    uncaught: ClassVar[str] = "nothing"
    """How errors begin that the client throws where nobody can catch them."""

    @pytest_asyncio.fixture(loop_scope="module")
    async def pages(self, node, talking, ann):
        """Return a function that opens a page of the test's thread."""
        client = await node(self.script)
        opened: list[Driver] = []
        before = len(client.unhandled)

        async def new(url: str = talking.url, **options: Any) -> Driver:
            opened.append(self.driver(client, url, ann, **{**self.options, **options}))
            await opened[-1].open()
            return opened[-1]

        yield new
        for each in opened:
            await each.close()
        assert [each for each in client.unhandled[before:] if not each.startswith(self.uncaught)] == []

    async def test_reply_is_shown_once(self, pages):
        page = await pages()
        await page.send("hello")
        assert (await page.until_said(*HELLO)).receipts == []
        await page.send("more")
        await page.until_said(*HELLO, ("user", "more"), ("assistant", "You said: more"))

    @pytest.mark.requirement("FOREIGN-STOP-STOPS")
    async def test_stop_keeps_what_was_shown_and_the_next_message_works(self, pages, talking):
        page = await pages()
        await page.send("slow")
        await page.until(wrote(3))
        await page.stop()
        receipt = await receipt_of(talking, page.thread_id)
        stopped = await page.until(lambda shown: not shown.working)
        assert (receipt["reason"], stopped.question, stopped.error) == ("stopped", None, None)
        assert stopped.users == ["slow"]
        await page.send("hello")
        shown = await page.until(has_ended_with(*HELLO))
        assert shown.said[1][1].startswith(stopped.said[1][1])
        assert page.shows_what_was_kept(shown.said.pop(1)[1], receipt)
        assert shown.said == [("user", "slow"), *HELLO]
        assert (shown.receipts, shown.error) == ([receipt], None)

    @pytest.mark.requirement("FOREIGN-STOP-STOPS")
    async def test_change_of_mind_supersedes_and_what_was_said_stays(self, pages, talking):
        page = await pages(joins_again=False)
        await page.send("slow")
        await page.until(wrote(3))
        await page.send("hello")
        shown = await page.until(has_ended_with(*HELLO))
        receipt = await receipt_of(talking, page.thread_id)
        assert (receipt["reason"], shown.question, shown.error) == ("superseded", None, None)
        assert page.shows_what_was_kept(shown.said.pop(1)[1], receipt)
        assert shown.said == [("user", "slow"), *HELLO]
        assert shown.receipts == [receipt]

    @pytest.mark.requirement("LEAVING-IS-NOT-STOPPING")
    async def test_reload_in_mid_run_shows_the_message_and_its_whole_reply_once(self, pages, talking):
        page = await pages()
        await page.send("slow 30", stays=True)
        await page.until(wrote(3))
        await page.leave()
        again = await page.reopened()
        await again.until_said(("user", "slow 30"), ("assistant", WHOLE))
        assert await roles(talking, page.thread_id) == ["user", "assistant"]
        assert (await talking.status(page.thread_id))["status"] == "completed"

    async def test_question_is_there_after_a_reload_and_answered_once(self, pages, talking):
        page = await pages()
        await page.send("ask me")
        asked = await page.until(lambda shown: shown.question and not shown.working)
        again = await page.reopened()
        shown = await again.until(lambda shown: shown.question and not shown.working)
        assert (shown.question, shown.users, shown.error) == (asked.question, ["ask me"], None)
        await again.answer(shown.question, "Rome")
        shown = await again.until(has_ended_with(("assistant", "Then we go to Rome.")))
        assert (shown.users, shown.question, shown.error) == (["ask me", "Rome"], None, None)
        assert shown.said.count(("assistant", "Then we go to Rome.")) == 1
        await page.answer(asked.question, "Oslo")
        await page.until(lambda shown: shown.error)
        assert "Oslo" not in [each["text"] for each in (await talking.history(page.thread_id))["messages"]]

    @pytest.mark.requirement("FOREIGN-FRAMES-REPLAY-ALIKE")
    async def test_cut_line_is_mended_and_each_word_shown_once(self, pages, talking, proxy):
        page = await pages(f"http://127.0.0.1:{proxy.port}")
        await page.send("slow 30", stays=True)
        await page.until(wrote(3))
        proxy.cut()
        await page.mend()
        await page.until_said(("user", "slow 30"), ("assistant", WHOLE))
        assert await roles(talking, page.thread_id) == ["user", "assistant"]
        assert (await talking.status(page.thread_id))["status"] == "completed"

    async def test_failure_is_told_in_words_and_the_next_message_works(self, pages):
        page = await pages()
        await page.send("fail")
        shown = await page.until(lambda shown: shown.error)
        assert "Something went wrong in plan" in shown.error
        await page.send("hello")
        shown = await page.until(has_ended_with(*HELLO))
        assert shown.users == ["fail", "hello"]

    async def test_windows_show_the_same_and_a_message_in_one_ends_the_run_in_the_other(self, pages, talking):
        page = await pages()
        await page.send("slow", stays=True)
        await page.until(wrote(1))
        other = await page.reopened()
        await other.until(wrote(5))
        await other.send("hello")
        shown = await other.until(has_ended_with(*HELLO))
        receipt = await receipt_of(talking, page.thread_id)
        ended = await page.until(lambda shown: not shown.working and shown.receipts)
        assert ended.said[0] == shown.said[0] == ("user", "slow")
        assert page.shows_what_was_kept(ended.said[1][1], receipt)
        assert other.shows_what_was_kept(shown.said[1][1], receipt)
        assert ended.receipts == shown.receipts == [receipt]
        assert (ended.question, ended.error, receipt["reason"]) == (None, None, "superseded")

    async def test_token_lets_a_page_in_and_a_page_without_one_is_told(self, pages, live_servers):
        live = await live_servers(token=TOKEN)
        page = await pages(f"http://127.0.0.1:{live.port}", token=TOKEN)
        await page.send("hello")
        await page.until_said(*HELLO)
        stranger = await page.reopened(token="")
        await stranger.send("hello")
        shown = await stranger.until(lambda shown: shown.error)
        assert "401" in shown.error or "Sign in first" in shown.error

    @pytest.mark.requirement("STEERED-ONCE")
    async def test_message_that_steers_is_shown_where_it_was_read(self, pages, live_servers, tmp_path):
        live, until = await live_servers(graph=LOOPING), tmp_path / "go"
        page = await pages(f"http://127.0.0.1:{live.port}")
        await page.send(f"look {until}", stays=True)
        run = await begun(live, page.thread_id, until)
        await page.send(CARD, steers=True)
        await until_pending(live, page.thread_id)
        run.goes_on()
        look, answer = ("user", f"look {until}"), ("assistant", f"Read: go | {CARD}")
        await page.until_said(look, ("user", CARD), answer)
        assert (await live.status(page.thread_id))["task_id"] == run.task_id
