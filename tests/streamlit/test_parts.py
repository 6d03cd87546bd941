"""What the client is made of, without Streamlit: the feed, the fold, and the words of cards and labels."""

import asyncio

import pytest

from backend.clients.cli.api import Server
from frontend.streamlit_client.cards import MOST_CARDS, card, cards_of
from frontend.streamlit_client.conversation import Conversation
from frontend.streamlit_client.feed import ABANDONED_S, Feed, Link, frames_of, lines_of
from frontend.streamlit_client.plain import plain
from frontend.streamlit_client.trip import Trip
from tests.api.live import BOUND_S

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
        feeds.append(Feed(Server(url=url, user_id=user_id, token=None), position, now=clock))
        return feeds[-1]

    yield open_
    for feed in feeds:
        feed.close()


@pytest.fixture
def talk(server, clock, request):
    """What a tab of a new user knows and can do."""
    where = Server(url=f"http://127.0.0.1:{server.port}", user_id=request.node.name[-40:], token=None)
    talk = Conversation(where, now=clock)
    yield talk
    talk.close()


async def until_known(talk: Conversation, holds) -> None:
    async with asyncio.timeout(BOUND_S):
        while not holds(talk.trip):
            talk.take_in()
            await asyncio.sleep(0.001)


async def heard(feed: Feed, kind: str, *, count: int = 1) -> list:
    """Return all frames until so many of a kind have come."""
    frames = []
    async with asyncio.timeout(BOUND_S):
        while sum(frame["type"] == kind for frame in frames) < count:
            frames += [each for each in feed.take() if not isinstance(each, Link)]
            await asyncio.sleep(0.001)
    return frames


async def until_over(feed: Feed) -> None:
    async with asyncio.timeout(BOUND_S):
        while feed.is_alive:  # noqa: ASYNC110
            await asyncio.sleep(0.001)


@on_the_servers_loop
@pytest.mark.requirement("STREAMLIT-THREADS-END")
async def test_a_feed_that_nobody_takes_from_ends_by_itself_and_one_that_is_used_does_not(feed_of, clock):
    used, abandoned = feed_of("feeds-1"), feed_of("feeds-2")
    await heard(used, "snapshot")
    await heard(abandoned, "snapshot")
    clock.now = ABANDONED_S
    list(used.take())
    clock.now += 1
    await until_over(abandoned)
    assert used.is_alive


@on_the_servers_loop
async def test_a_feed_that_is_closed_ends(feed_of):
    feed = feed_of("feeds-3")
    await heard(feed, "snapshot")
    feed.close()
    await until_over(feed)


@on_the_servers_loop
async def test_a_feed_goes_on_from_a_position_with_what_came_after_it_and_nothing_else(feed_of, server):
    first = feed_of("feeds-4")
    await heard(first, "snapshot")
    await server.chat("feeds-4", "hello")
    events = [frame for frame in await heard(first, "message", count=2) if "at" in frame]
    position = (events[0]["seq"], (await server.status("feeds-4"))["epoch"])
    second = feed_of("feeds-4", position)
    after = [frame for frame in await heard(second, "message") if frame["type"] != "hello"]
    assert [frame["seq"] for frame in after[:2]] == [position[0] + 1, position[0] + 2]


@on_the_servers_loop
async def test_a_feed_whose_user_is_deleted_begins_anew(feed_of, server):
    feed, trip = feed_of("feeds-5"), Trip()
    await heard(feed, "snapshot")
    await server.chat("feeds-5", "hello")
    for frame in await heard(feed, "message", count=1):
        trip.hear(frame, 0.0)
    await server.call("DELETE", "/users/feeds-5")
    for frame in await heard(feed, "snapshot"):
        trip.hear(frame, 0.0)
    assert trip.messages == []
    assert trip.task is None


@on_the_servers_loop
async def test_a_page_that_slept_for_long_catches_up_when_it_is_looked_at(talk, server, clock):
    await until_known(talk, lambda trip: trip.synced)
    clock.now = ABANDONED_S + 1
    await until_over(talk._feed)
    await server.chat(talk.server.user_id, "hello")
    await until_known(talk, lambda trip: len(trip.messages) == 2)
    assert talk.link == Link(connected=True)


@on_the_servers_loop
async def test_a_message_whose_answer_was_lost_is_taken_once_when_it_is_sent_again(talk, server):
    await asyncio.to_thread(talk.say, "hello")
    (item,) = talk.outbox
    await asyncio.to_thread(talk.say_again, item)
    messages = (await server.history(talk.server.user_id))["messages"]
    assert [each["text"] for each in messages if each["role"] == "user"] == ["hello"]
    await until_known(talk, lambda _: not talk.outbox)


@on_the_servers_loop
async def test_what_is_heard_twice_changes_nothing(feed_of, server):
    task = await server.chat("feeds-6", "thanks")
    await server.until_ended("feeds-6", task["task_id"])
    frames = [
        frame
        for frame in await heard(feed_of("feeds-6", (0, "")), "message", count=2)
        if frame["type"] != "hello"
    ]
    once, twice = Trip(), Trip()
    for frame in frames:
        once.hear(frame, 0.0)
    for frame in [*frames, *frames]:
        twice.hear(frame, 0.0)
    assert len(once.messages) == 2
    assert twice.messages == once.messages
    assert twice.edition == once.edition
    assert twice.task == once.task


def test_messages_stand_in_the_servers_order_whenever_they_come():
    trip = Trip()
    for seq, name in enumerate(("b.0", "a.10", "a.9", "b.1"), 1):
        message = {"type": "message", "message_id": name, "role": "user", "text": name, "interrupted": False}
        trip.hear({**message, "seq": seq, "task_id": name[0], "at": ""}, 0.0)
    assert [each["message_id"] for each in trip.messages] == ["a.9", "a.10", "b.0", "b.1"]


def test_events_are_read_from_their_lines_and_comments_are_signs_of_life():
    text = 'id: 3\ndata: {"type": "hello"}\n\n: still here\n\ndata: {"a":\ndata: "\u2028\x85"}\n\nid: 4'
    everything = text.encode()
    for size in (1, 7, 1000):
        chunks = [everything[at : at + size] for at in range(0, len(everything), size)]
        read = [None, {"type": "hello"}, None, None, {"a": "\u2028\x85"}]
        assert list(frames_of(lines_of(chunks))) == read


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
def test_whatever_an_agent_finds_has_a_card(offer):
    made = card(offer)
    assert made.text
    assert "\x1b" not in made.price + made.text


def test_no_more_cards_than_a_page_can_refresh_are_shown_of_however_many_agents():
    found = {agent: [{"n": n} for n in range(500)] for agent in ("flight", "hotel", "room", "none")}
    shown = cards_of({**found, "none": []})
    assert sum(map(len, shown.values())) == MOST_CARDS
    assert set(shown) == {"flight", "hotel", "room"}


def test_text_shows_as_it_is_where_markdown_is_read():
    assert plain("a *b* [c](d) $e$\nf") == "a \\*b\\* \\[c\\](d) \\$e\\$ f"
    assert plain("From (optional)") == "From (optional)"
