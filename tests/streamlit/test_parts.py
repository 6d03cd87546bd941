"""What the client is made of, without Streamlit: the feed, and the words of cards and labels."""

import asyncio
import threading

import pytest

from backend.clients.api import Connection, User
from backend.clients.streamlit.conversation import ABANDONED_S, Conversation, Drawn, Feed
from backend.clients.streamlit.page import MOST_CARDS, card, cards_of, plain
from tests.api.live import BOUND_S
from tests.fakes.waiting import until

on_the_servers_loop = pytest.mark.asyncio(loop_scope="module")


class Clock:
    """A time that goes on when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def feed_of(server, clock):
    """Return a function that opens a feed of a user; all are closed when the test ends."""
    feeds = []

    def open_(user_id: str, position=None) -> Feed:
        url = f"http://127.0.0.1:{server.port}"
        feeds.append(Feed(User(url=url, user_id=user_id), position, now=clock))
        return feeds[-1]

    yield open_
    for feed in feeds:
        feed.close()


@pytest.fixture
def talk(server, clock, request):
    """What a tab of a new user knows and can do."""
    where = User(url=f"http://127.0.0.1:{server.port}", user_id=request.node.name[-40:])
    talk = Conversation(where, now=clock)
    yield talk
    talk.close()


async def until_known(talk: Conversation, holds) -> None:
    async with asyncio.timeout(BOUND_S):
        while not holds(talk.story):
            talk.take_in()
            await asyncio.sleep(0.001)


async def heard(feed: Feed, kind: str, *, count: int = 1) -> list:
    """Return all frames until so many of a kind have come."""
    frames = []
    async with asyncio.timeout(BOUND_S):
        while sum(frame["type"] == kind for frame in frames) < count:
            frames += [each for each in feed.take() if not isinstance(each, Connection)]
            await asyncio.sleep(0.001)
    return frames


@on_the_servers_loop
@pytest.mark.requirement("STREAMLIT-THREADS-END")
async def test_abandoned_feed_ends_and_a_used_one_does_not(feed_of, clock):
    used, abandoned = feed_of("feeds-1"), feed_of("feeds-2")
    await heard(used, "snapshot")
    await heard(abandoned, "snapshot")
    clock.now = ABANDONED_S
    list(used.take())
    clock.now += 1
    await until(lambda: not abandoned.is_alive, every_s=0.001)
    assert used.is_alive


@on_the_servers_loop
@pytest.mark.requirement("STREAMLIT-LOSES-NOTHING")
async def test_concurrent_script_runs_get_every_frame_in_order(talk, server):
    await until_known(talk, lambda story: story.synced)
    user_id, hear, numbers = talk.user.user_id, talk.story.hear, []
    ended = await server.until_ended(user_id, (await server.chat(user_id, "hello"))["task_id"])
    await until(lambda: talk._feed._heard.qsize() >= ended["seq"], every_s=0.001)
    other = threading.Thread(target=talk.take_in)

    def hear_while_another_takes_in(frame, now_s):
        if other.ident is None:
            other.start()
            other.join(0.1)  # it comes to its end, unless it waits for its turn
        numbers.append(frame["seq"])
        return hear(frame, now_s)

    talk.story.hear = hear_while_another_takes_in
    talk.take_in()
    other.join(BOUND_S)
    assert numbers == list(range(1, ended["seq"] + 1))
    assert [each["role"] for each in talk.story.messages] == ["user", "assistant"]


@pytest.mark.requirement("STREAMLIT-LOSES-NOTHING")
def test_each_edition_is_drawn_twice():
    before, now = (1, 0, False), (2, 0, False)
    first, second = Drawn(now, is_again=False), Drawn(now, is_again=True)
    assert not first.is_stale(now), "it is not over yet"
    first.is_over = second.is_over = True
    assert [each.is_stale(now) for each in (first, second)] == [True, False]
    assert Drawn(before, is_again=True).is_stale(now)


@on_the_servers_loop
async def test_page_that_slept_catches_up(talk, server, clock):
    await until_known(talk, lambda story: story.synced)
    clock.now = ABANDONED_S + 1
    await until(lambda: not talk._feed.is_alive, every_s=0.001)
    await server.chat(talk.user.user_id, "hello")
    await until_known(talk, lambda story: len(story.messages) == 2)
    assert talk.connection == Connection(is_open=True)


@on_the_servers_loop
async def test_message_sent_again_is_accepted_once(talk, server):
    await asyncio.to_thread(talk.say, "hello")
    (item,) = talk.outbox
    await asyncio.to_thread(talk.say_again, item)
    messages = (await server.history(talk.user.user_id))["messages"]
    assert [each["text"] for each in messages if each["role"] == "user"] == ["hello"]
    await until_known(talk, lambda _: not talk.outbox)


@pytest.mark.parametrize(
    "offer",
    [
        "just words",
        {"anything": "of another graph"},
        {"slices": None},
        {"slices": [{"segments": "none"}], "price_total": {"amount": "1", "currency": "EUR"}},
        {"slices": [None], "price_total": {"amount": "1", "currency": "EUR"}},
        {"slices": [], "price_total": {"amount": "1", "currency": "EUR"}},
        {"name": "x"},
        {"price_total": {"amount": "\x1b[31m", "currency": "\u202e"}},
        7,
    ],
)
def test_every_result_has_a_card(offer):
    made = card(offer)
    assert made.text
    assert "\x1b" not in made.price + made.text


def test_number_of_cards_is_bounded():
    found = {agent: [{"n": n} for n in range(500)] for agent in ("flight", "hotel", "room", "none")}
    shown = cards_of({**found, "none": []})
    assert sum(map(len, shown.values())) == MOST_CARDS
    assert set(shown) == {"flight", "hotel", "room"}


def test_plain_escapes_markdown():
    assert plain("a *b* [c](d) $e$\nf") == "a \\*b\\* \\[c\\](d) \\$e\\$ f"
    assert plain("From (optional)") == "From (optional)"
