"""Reads of long threads: a page is bounded in bytes, and none takes the server from others."""

import pytest
import pytest_asyncio

from backend.domain.errors import TooManyRequests
from backend.protocols.langgraph import thread_routes
from backend.protocols.langgraph import thread_routes as state_routes
from tests.protocols.langgraph_calls import RUNS, THREAD, human, ran

HISTORY = f"/threads/{THREAD}/history"
NO_ID = "0b2e2f0e-9f0c-4d7e-8a55-0c1f6b6f0009"
MESSAGES = 6

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module")
async def api(api):
    for number in range(MESSAGES):
        await ran(api, human(f"message {number}"))
    return api


async def history(api, **asked):
    answer = await api.call("POST", HISTORY, json=asked)
    assert answer.status_code == 200
    return answer.json()


async def test_page_of_states_is_bounded_in_bytes_and_the_next_one_goes_on(api, monkeypatch):
    """An answer had 447 MiB: a thousand states, each with all that was said before it."""
    whole = await history(api, limit=100)
    assert len(whole) == 2 * MESSAGES + 1
    monkeypatch.setattr(state_routes, "HISTORY_BYTES", 1)
    pages = [await history(api, limit=100)]
    while pages[-1]:
        pages.append(await history(api, limit=100, before=pages[-1][-1]["checkpoint"]["checkpoint_id"]))
    assert [len(page) for page in pages] == [1] * len(whole) + [0]
    assert [each for page in pages for each in page] == whole


async def test_states_are_rendered_only_for_their_page(api, monkeypatch):
    rendered = []
    view = state_routes.state_view

    def counted(*arguments, **more):
        rendered.append(arguments)
        return view(*arguments, **more)

    monkeypatch.setattr(state_routes, "state_view", counted)
    for asked in ({"limit": 1}, {"limit": 2}):
        rendered.clear()
        page = await history(api, **asked)
        # One more is at most begun, before it is seen that the page is full.
        assert len(page) == asked["limit"]
        assert len(rendered) <= asked["limit"] + 1


async def search(api, **asked):
    answer = await api.call("POST", "/threads/search", json=asked)
    assert answer.status_code == 200
    return answer.json()


async def test_found_threads_are_bounded_in_bytes_and_a_search_from_further_on_goes_on(api, monkeypatch):
    for number in range(MESSAGES):
        assert (await api.call("POST", "/threads", json={"metadata": {"number": number}})).status_code == 200
    for asked in ({}, {"status": "idle"}):
        whole = await search(api, limit=100, **asked)
        assert len(whole) == MESSAGES + 1
        with monkeypatch.context() as bound:
            bound.setattr(thread_routes, "HISTORY_BYTES", 1)
            pages = [await search(api, limit=100, offset=at, **asked) for at in range(MESSAGES + 2)]
        assert [len(page) for page in pages] == [1] * (MESSAGES + 1) + [0]
        assert [each for page in pages for each in page] == whole
        assert [len(await search(api, limit=limit, **asked)) for limit in (0, 1, 7, 8)] == [0, 1, 7, 7]
        assert await search(api, limit=2, offset=3, **asked) == whole[3:5]
    assert (await api.call("POST", "/threads/count", json={})).json() == MESSAGES + 1


async def test_threads_are_rendered_only_for_their_answer(api, monkeypatch):
    for _ in range(MESSAGES):
        await api.call("POST", "/threads", json={})
    rendered = []
    view = thread_routes.thread_view

    def counted(*arguments):
        rendered.append(arguments)
        return view(*arguments)

    monkeypatch.setattr(thread_routes, "thread_view", counted)
    assert len(await search(api, limit=3)) == len(rendered) == 3
    rendered.clear()
    monkeypatch.setattr(thread_routes, "HISTORY_BYTES", 1)
    assert len(await search(api, limit=100)) == 1
    assert len(rendered) == 2, "the one that did not fit, and no more"


@pytest.mark.requirement("NO-ADDRESS-TAKES-ALL")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", HISTORY),
        ("GET", f"/threads/{THREAD}/state"),
        ("POST", f"/threads/{THREAD}/state/checkpoint"),
        ("GET", f"/threads/{THREAD}/state/{NO_ID}"),
        ("GET", f"/threads/{THREAD}"),
        ("POST", "/threads/search"),
        ("POST", "/threads/count"),
        ("GET", RUNS),
        ("GET", f"{RUNS}/{NO_ID}"),
        ("GET", f"/ai-sdk/chat/{THREAD}/messages"),
        ("GET", f"/users/{THREAD}/export"),
    ],
)
async def test_reads_of_whole_threads_take_turns(api, monkeypatch, method, path):
    def refuse(address):
        raise TooManyRequests("Too many reads of one address wait already.", retry_after_s=2)

    monkeypatch.setattr("backend.http.edge.shares.AddressTurns.check_waiting", lambda _, to: refuse(to))
    body = {"json": {}} if method == "POST" else {}
    assert (await api.call(method, path, **body)).status_code == 429
