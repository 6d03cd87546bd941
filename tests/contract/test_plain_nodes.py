"""Plain `def` nodes run in threads; what they say and what graphs within them keep reaches the event loop."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from backend.graphs.hosted_tools import say
from backend.log.state_store.base import StateStore
from tests.contract.hosting import Hosting
from tests.contract.test_threads import serving
from tests.graphs.building import State, chain
from tests.graphs.plain import graph as speaking

MANY = 2_000
"""More pieces than may wait for the event loop (`MOST_UNDELIVERED`)."""


@pytest.fixture
async def store(new_store: Callable[..., StateStore]) -> AsyncIterator[StateStore]:
    """Return a store for a server to open, which is closed in the end."""
    made = new_store()
    yield made
    await made.close()


async def texts(parts: Any) -> str:
    return "".join(event["text"] for event in await parts.events() if event["type"] == "text_delta")


@pytest.mark.requirement("TOOLS-OF-ANY-GRAPH")
async def test_a_plain_node_streams_text_as_an_async_one_does(store: StateStore) -> None:
    async with serving(speaking, store=store) as parts:
        await parts.settled(await parts.post("hi"))
        assert (await parts.history())[-1] == ("assistant", "Well, no.")
        assert await texts(parts) == "Well"


@pytest.mark.requirement("TOOLS-OF-ANY-GRAPH")
async def test_many_pieces_of_plain_nodes_arrive_in_order_and_whole(store: StateStore) -> None:
    def count(state: State) -> State:
        for number in range(MANY):
            say(f"{number} ")
        return {"answer": "done"}

    async with serving(chain(count), store=store) as parts:
        await parts.settled(await parts.post("hi"))
        assert (await texts(parts)).split() == [str(number) for number in range(MANY)]


@pytest.mark.requirement("FAULTS-STAY-ALONE")
async def test_a_plain_node_that_says_too_much_fails_its_task_and_stops_saying() -> None:
    said: list[int] = []

    def flood(state: State) -> State:
        for number in range(MANY):
            say("word " * 20)
            said.append(number)
        return {}

    hosting = Hosting(chain(flood), most_shown=5_000)
    await hosting.start()
    assert (await hosting.ended()).status == "failed"
    assert (await hosting.last_message()).startswith("This came to more than")
    assert len(said) < MANY


@pytest.mark.requirement("FAULTS-STAY-ALONE")
@pytest.mark.parametrize("is_plain", [True, False])
async def test_text_that_cannot_be_encoded_fails_the_node_that_says_it(is_plain: bool) -> None:
    raised: list[str] = []

    def plain(state: State) -> State:
        try:
            say("half \ud83d")
        except TypeError as error:
            raised.append(type(error).__name__)
        return {"answer": "done"}

    async def on_loop(state: State) -> State:
        return plain(state)

    assert await Hosting(chain(plain if is_plain else on_loop)).reply() == "done"
    assert raised == ["TypeError"]
